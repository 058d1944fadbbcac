"""What the agents that play by a network's policy have in common, whatever computes it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from agents import checkpoint as checkpoints
from agents.base import Rows
from canasta_env.rules import Rules

__all__ = ["PolicyAgent"]


class PolicyAgent(ABC):
    """Plays by a network's policy: its most likely action, or drawn at a temperature above zero."""

    def __init__(
        self,
        network: Any,
        identity: dict[str, Any],
        *,
        name: str = "neural",
        temperature: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.network = network
        self.identity = identity
        self.name = name
        self.temperature = temperature
        self._checked: Any = None
        self._begin(seed)

    @classmethod
    def load(
        cls,
        path: str | Path,
        rules: Any = None,
        players: int | None = None,
        *,
        name: str | None = None,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> Self:
        """The agent of a checkpoint or a run, called by its path if no name is given; raises
        ``CheckpointError`` in one line if it does not fit.
        """
        saved = checkpoints.read(path)
        wanted = dict(saved.meta)
        if rules is not None:
            wanted["rules"] = str(Rules.parse(rules) if isinstance(rules, str) else rules)
        if players is not None:
            wanted["players"] = players
        checkpoints.check_identity(saved, wanted)
        called = str(path) if name is None else name
        return cls(cls.build(saved), saved.meta, name=called, temperature=temperature, seed=seed)

    @staticmethod
    @abstractmethod
    def build(saved: checkpoints.Checkpoint) -> Any:
        """The network of a checkpoint; raises ``CheckpointError`` if it cannot be made."""

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows`` (where this agent is to act). The network is
        asked only where there is a choice.
        """
        self._check(batch)
        mask = batch.mask[rows]
        actions: Rows = mask.argmax(axis=1)
        free = np.flatnonzero(np.count_nonzero(mask, axis=1) > 1)
        if free.size:
            actions[free] = self._choose(batch.observation[rows[free]], mask[free])
        return actions

    @abstractmethod
    def _begin(self, seed: int) -> None:
        """Starts the random numbers."""

    @abstractmethod
    def _choose(self, observations: npt.NDArray[np.uint8], masks: npt.NDArray[np.bool_]) -> Rows:
        """An action for each observation (m, O), among those of its mask (m, A)."""

    def _check(self, batch: Any) -> None:
        """Refuses, once for each batch, a batch with other rules, actions or features."""
        if self._checked is not batch:
            holder = checkpoints.Checkpoint(Path(self.name), self.identity)
            checkpoints.check_identity(holder, checkpoints.identity(batch))
            self._checked = batch

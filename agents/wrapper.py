"""What wraps another agent: it plays as that one does, but for what the wrapper changes."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.base import Agent, Rows, load_state, state_of
from canasta_env.rules import Rules

__all__ = ["ASK", "NO", "YES", "Shown", "Wrapper", "check_question"]

ASK: Final = "ask"
YES: Final = "yes"
NO: Final = "no"
"""The texts of the question and its answers."""


class Shown:
    """A batch as a wrapper shows it to its agent: the batch's own, but for what is set here.

    Attributes:
        mask: bool (n, A), the actions that the agent may choose from; only the rows that were
            written last hold.
    """

    def __init__(self, batch: Any) -> None:
        self.batch = batch
        self.mask = np.zeros_like(batch.mask)

    def __getattr__(self, name: str) -> Any:
        if name == "batch":  # a copy that is being made has none yet
            raise AttributeError(name)
        return getattr(self.batch, name)


class Wrapper:
    """An agent around another one, ``inner``; by itself it plays as that one does.

    It has the inner agent's random numbers, and its ``watch`` if there is one.
    """

    def __init__(self, inner: Agent, name: str) -> None:
        self.inner, self.name = inner, name
        self._shown: Shown | None = None
        if hasattr(inner, "watch"):
            self.watch = inner.watch

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows`` (where this agent is to act)."""
        return self.inner.act(batch, rows)

    def shown(self, batch: Any) -> Any:
        """What the inner agent is shown of a batch, the same object at every call: agents check
        what they play on once.
        """
        if self._shown is None or self._shown.batch is not batch:
            self._shown = self._show(batch)
        return self._shown

    def _show(self, batch: Any) -> Shown:
        return Shown(batch)

    def state_dict(self) -> dict[str, Any]:
        """The state of the inner agent's random numbers."""
        return state_of(self.inner)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back what :meth:`state_dict` gave."""
        load_state(self.inner, state)


def check_question(rules: Any, players: int, name: str) -> None:
    """Raises ``ValueError`` where nobody can ask his partner: such a wrapper would do nothing."""
    rules = Rules.parse(rules) if isinstance(rules, str) else rules
    if not rules.asking or players == rules.at(players).sides:
        raise ValueError(
            f"{name}: in {rules} with {players} players nobody asks a partner; "
            "play the agent itself"
        )

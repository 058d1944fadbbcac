"""A trained network as an agent that needs neither torch nor any other package for training."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Rows
from agents.checkpoint import Checkpoint
from agents.plain_network import PlainNetwork, build_plain_network
from agents.policy import PolicyAgent

__all__ = ["PlainAgent"]


class PlainAgent(PolicyAgent):
    """Plays as :class:`agents.neural.NeuralAgent` does, up to the last digits of its numbers.

    Its lots come from its seed and the number of times that it drew.
    """

    @staticmethod
    def build(saved: Checkpoint) -> PlainNetwork:
        """The network of a checkpoint."""
        return build_plain_network(saved)

    def _begin(self, seed: int) -> None:
        self.seed = seed
        self.draws = 0

    def _choose(self, observations: npt.NDArray[np.uint8], masks: npt.NDArray[np.bool_]) -> Rows:
        logits = np.where(masks, self.network.logits(observations), np.float32(-np.inf))
        if self.temperature <= 0:
            likeliest: Rows = logits.argmax(axis=1)
            return likeliest
        logits -= logits.max(axis=1, keepdims=True)
        cumulative = np.exp(logits / self.temperature, dtype=np.float64).cumsum(axis=1)
        uniform = np.random.default_rng([self.seed, self.draws]).random((len(masks), 1))
        self.draws += 1
        # how many actions' shares end at or before the lot; one without a share is never the next
        drawn: Rows = (cumulative <= uniform * cumulative[:, -1:]).sum(axis=1)
        return drawn

    def state_dict(self) -> dict[str, Any]:
        """How often it has drawn lots."""
        return {"draws": np.array(self.draws)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back what :meth:`state_dict` gave."""
        self.draws = int(state["draws"])

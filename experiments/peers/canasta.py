"""Our own interfaces: classic, four players."""

from __future__ import annotations

from typing import Final

import gymnasium
import numpy as np

import canasta_env
from agents import registry
from canasta_env.batch import Batch
from experiments.peers.aec import READS, AecPlayer
from experiments.peers.player import CHUNK, Entry, Player

__all__ = ["ENTRIES", "BatchPlayer", "SinglePlayer"]

_GAMES: Final = 1024


class BatchPlayer(Player):
    """Games in lock step, in one thread; the compiled random agent chooses for all seats."""

    def __init__(self) -> None:
        super().__init__()
        self.batch = Batch(n=_GAMES, autoreset="same_step", seed=1)
        self.agent = registry.make("random", seed=2)
        self.rows = np.arange(_GAMES)

    def _some(self) -> int:
        self.batch.step(self.agent.act(self.batch, self.rows))
        return _GAMES


class SinglePlayer(Player):
    """One learner as Gymnasium makes it; only its own decisions count, the others' are time."""

    def __init__(self) -> None:
        super().__init__()
        self.env = gymnasium.make("canasta_env:Canasta-v0", opponents="random")
        _, self.info = self.env.reset(seed=1)

    def _some(self) -> int:
        env = self.env
        for _ in range(CHUNK):
            action = int(self._pick(self.info["action_mask"].nonzero()[0]))
            _, _, terminated, truncated, self.info = env.step(action)
            if terminated or truncated:
                _, self.info = env.reset()
        return CHUNK


ENTRIES: Final = (
    Entry("raw_env()", READS, lambda: AecPlayer(canasta_env.raw_env())),
    Entry("env()", READS, lambda: AecPlayer(canasta_env.env())),
    Entry("Batch, 1,024 games", "observation, mask", BatchPlayer),
    Entry("Canasta-v0, one learner", "step(): observation, mask", SinglePlayer),
)

"""PettingZoo's AEC interface, ours and its own games' alike."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any, Final

from experiments.peers.player import CHUNK, Entry, Player

__all__ = ["ENTRIES", "READS", "AecPlayer"]

READS: Final = "last(): observation, mask"
_GAMES: Final = ("texas_holdem_no_limit_v6", "hanabi_v5", "gin_rummy_v4")
"""The last one up to PettingZoo 1.26."""


class AecPlayer(Player):
    """Any AEC environment whose observation is a dictionary with an ``action_mask``."""

    def __init__(self, env: Any) -> None:
        super().__init__()
        self.env = env
        env.reset(seed=1)

    def _some(self) -> int:
        env, decisions = self.env, 0
        for _ in range(CHUNK):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            env.step(int(self._pick(observation["action_mask"].nonzero()[0])))
            decisions += 1
        return decisions


def _pettingzoo(game: str, interface: str) -> AecPlayer:
    module = importlib.import_module(f"pettingzoo.classic.{game}")
    return AecPlayer(getattr(module, interface)())


ENTRIES: Final = tuple(
    Entry(
        f"PettingZoo {game}, {interface}()", READS, partial(_pettingzoo, game, interface),
        (f"{interface}()",),
    )
    for game in _GAMES
    for interface in ("raw_env", "env")
)  # fmt: skip

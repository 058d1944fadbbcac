"""RLCard's own interface."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Final

from experiments.peers.player import CHUNK, Entry, Player

__all__ = ["ENTRIES", "RLCardPlayer"]

_GAMES: Final = ("gin-rummy", "doudizhu", "mahjong", "uno")


class RLCardPlayer(Player):
    """A game of RLCard, whose ``step`` gives the next player's observation and legal actions."""

    def __init__(self, game: str) -> None:
        super().__init__()
        self.env = importlib.import_module("rlcard").make(game, config={"seed": 1})
        self.state, _ = self.env.reset()

    def _some(self) -> int:
        env = self.env
        for _ in range(CHUNK):
            self.state, _ = env.step(self._pick(list(self.state["legal_actions"])))
            if env.is_over():
                self.state, _ = env.reset()
        return CHUNK


ENTRIES: Final = tuple(
    Entry(f"RLCard {game}", "obs, legal_actions", partial(RLCardPlayer, game), ("raw_env()",))
    for game in _GAMES
)

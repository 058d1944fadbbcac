"""What a game remembers of its deals, so that it can be told, written down and played again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from canasta_env.cards import KIND_COUNT, SUITED_KIND_COUNT
from canasta_env.engine.state import SUITED_GAME_DTYPE, Games, new_games

__all__ = ["Deal"]


@dataclass(frozen=True)
class Deal:
    """One deal as it was played.

    Attributes:
        start: the record before the first action, byte by byte.
        deck: the kinds of the shuffled deck, first card first; empty where the game did not begin
            with a deck, but with a position or a world that a seat thinks possible.
        actions: the ids of the actions, in order.
    """

    start: bytes
    deck: bytes
    actions: tuple[int, ...] = ()

    def games(self) -> Games:
        """The game before the first action, as a record array of length one."""
        suited = len(self.start) == SUITED_GAME_DTYPE.itemsize
        games = new_games(1, SUITED_KIND_COUNT if suited else KIND_COUNT)
        games.view(np.ndarray).view(np.uint8)[:] = np.frombuffer(self.start, np.uint8)
        return games

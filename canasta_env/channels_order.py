"""The order in which each seat melded, followed from the table's cards from step to step."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch
from canasta_env.channels_suits import Move
from canasta_env.engine.state import FIRST_NATURAL, RANKS
from canasta_env.observation import Piece

__all__ = ["MeldOrder"]

NATURALS: Final = RANKS - FIRST_NATURAL
Ints = npt.NDArray[np.int64]


class MeldOrder:
    """For each seat and natural rank: 1 for the rank that the seat laid or added to first in the
    last turn in which it melded, 2 for the next one, 0 for those that it left alone. A new deal
    begins with zeros.

    Attributes:
        places: uint8 (n, players, ranks).
        turns: int64 (n, players), the number of the turn that they are of; -1 before the first.
    """

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        shape = batch.n, batch.players
        self.places = np.zeros((*shape, NATURALS), np.uint8)
        self.turns = np.full(shape, -1, np.int64)
        text = "for each seat and rank 4 … A: its place in the order of the last turn's melds"
        self.pieces = (Piece("meld_order", batch.players * NATURALS, 6, text),)
        self.look()

    def look(self) -> None:
        """Notes what lies on the table, before a step."""
        self._table = self._on_table()
        self._turn = self.batch.games.turns.astype(np.int64)

    def _on_table(self) -> Ints:
        """Cards of each side's melds of each natural rank: (n, sides, ranks)."""
        games, sides = self.batch.games, self.batch.sides
        ranks = np.s_[:, :sides, FIRST_NATURAL:RANKS]
        open_ = (games.meld_naturals, games.meld_deuces, games.meld_jokers)
        found: Ints = sum(np.asarray(cards[ranks], np.int64) for cards in open_)  # type: ignore[assignment]
        closed: Ints = games.closed_melds[ranks].astype(np.int64)
        return found + closed * self.batch.rules.canasta_size

    def follow(self, move: Move, rows: npt.NDArray[np.bool_]) -> None:
        """Goes on with a step that was made, in the games where ``rows`` (n,) is true."""
        games = np.arange(self.batch.n)
        side = move.seat % self.batch.sides
        grown = self._on_table()[games, side] > self._table[games, side]
        at = np.flatnonzero(rows & move.playing & grown.any(axis=1))
        seat = move.seat[at]
        begun = self.turns[at, seat] != self._turn[at]
        self.places[at[begun], seat[begun]] = 0
        self.turns[at, seat] = self._turn[at]
        places = self.places[at, seat]
        following = places.max(axis=1, keepdims=True, initial=0) + 1
        self.places[at, seat] = np.where(grown[at] & (places == 0), following, places)

    def restart(self, rows: Ints) -> None:
        """Forgets what was melded in these games."""
        self.places[rows], self.turns[rows] = 0, -1

    def features(self) -> npt.NDArray[np.uint8]:
        """uint8 (n, players * ranks), seats counted from the one to act."""
        n, players = self.batch.n, self.batch.players
        seats = (self.batch.seat[:, None] + np.arange(players)) % players
        found: npt.NDArray[np.uint8] = self.places[np.arange(n)[:, None], seats].reshape(n, -1)
        return found

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """What the next steps depend on, copied."""
        return {"places": self.places.copy(), "turns": self.turns.copy()}

    def restore(self, state: dict[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`state` gave."""
        self.places[:], self.turns[:] = state["places"], state["turns"]

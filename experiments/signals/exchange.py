"""The exchange of two buried discards: who threw which of them becomes the other way round.

Two cards of the pile change places, below its top. The pile holds the same cards, and so does every
hand; the record of the discards says that each of the two seats threw the other's card. It is
another history of the same rules, in which the two cards had been dealt the other way round. What
changes for the seat that looks is what it remembers of who threw what, and of what those behind
these seats let lie.

The cards are naturals, so that no wild card freezes the pile earlier or later and no black three
blocks it. Neither seat was known to hold either kind when it threw, or what it is known to hold now
would be something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch
from canasta_env.engine.state import FIRST_NATURAL, MAX_CARDS, MAX_DISCARDS
from experiments.signals.sums import relation

__all__ = ["KINDS_OF_PAIRS", "NOBODY", "Buried", "Trail", "exchange", "kind_of_pair"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

NOBODY: Final = -1
"""Who laid the cards that the pile began with."""
KINDS_OF_PAIRS: Final = ("partner", "opponent", "partner and opponent", "two opponents")
"""Of the seats whose discards are exchanged, as the seat that looks calls them. Where one is named,
the other card lay there from the beginning and nobody threw it."""


@dataclass(frozen=True)
class Buried:
    """The natural cards below the top of a pile, from the bottom up.

    Attributes:
        place: (m,) in the pile.
        seat: (m,) who threw each, or :data:`NOBODY`.
        index: (m,) its number among the discards of the deal, or -1.
        kind: (m,) the kinds of the cards.
        free: (m, m) whether the seat of the row was not known to hold its own card's kind when it
            threw it, nor that of the column.
    """

    place: Ints
    seat: Ints
    index: Ints
    kind: Ints
    free: Flags

    def pairs(self) -> Ints:
        """(p, 2) places in these arrays of all pairs that may be exchanged."""
        others = (self.seat[:, None] != self.seat) & (self.kind[:, None] != self.kind)
        return np.argwhere(np.triu(others & self.free & self.free.T))


class Trail:
    """Remembers, of each discard of the games of a batch, what its seat was known to hold.

    Raises:
        ValueError: the pile is not taken whole in these rules, so what is left of it cannot be told
            from the record.
    """

    def __init__(self, batch: Batch) -> None:
        if batch.packed[0].pile_taken < MAX_CARDS:
            raise ValueError(
                f"{batch.rules}: a part of the pile can stay when it is taken, and who threw what "
                "is left is not on record; choose rules in which all of it is taken"
            )
        kinds = batch.games.hands.shape[2]
        self.known = np.zeros((batch.n, MAX_DISCARDS, kinds), np.int8)

    def thrown(self, batch: Batch, rows: Ints) -> None:
        """Notes the discards that are about to be thrown in these rows."""
        games = batch.games
        self.known[rows, games.discard_count[rows]] = games.known[rows, batch.seat[rows]]

    def buried(self, batch: Batch, row: int) -> Buried:
        """The cards of a pile that can be exchanged, in one row."""
        game = batch.games[row]
        size, count = int(game.pile_size), int(game.discard_count)
        place = np.arange(max(size - 1, 0))
        kind = game.pile[place].astype(np.int64)
        # the discards of a pile that is always taken whole are the last ones
        index = np.maximum(place + count - size, -1)
        seat = np.where(index < 0, NOBODY, game.discards[index].astype(np.int64) // 64)
        some = kind >= FIRST_NATURAL
        place, kind, index, seat = place[some], kind[some], index[some], seat[some]
        known = self.known[row, index][:, kind] > 0
        free = ~(known | np.diagonal(known)[:, None]) | (index < 0)[:, None]
        return Buried(place, seat, index, kind, free)


def kind_of_pair(looking: int, seats: tuple[int, int], sides: int) -> str | None:
    """One of :data:`KINDS_OF_PAIRS`; None if the seat that looks threw one of the cards itself, or
    two partners did."""
    if looking in seats:
        return None
    names = sorted(relation(looking, seat, sides) for seat in seats if seat != NOBODY)
    if len(names) == 1:
        return names[0]
    if names == ["opponent", "partner"]:
        return "partner and opponent"
    return "two opponents" if names == ["opponent", "opponent"] else None


def exchange(game: Any, buried: Buried, pair: Ints) -> None:
    """Lets two buried cards of a game change places in the pile and in the record of discards."""
    one, other = pair.tolist()
    for card, new in ((one, other), (other, one)):
        kind = int(buried.kind[new])
        game.pile[buried.place[card]] = kind
        if buried.seat[card] != NOBODY:
            _rewrite(game, int(buried.index[card]), int(buried.seat[card]), kind)


def _rewrite(game: Any, index: int, seat: int, kind: int) -> None:
    """Makes a discard of a seat one of another kind."""
    game.discarded[seat, int(game.discards[index]) % 64] -= 1
    game.discarded[seat, kind] += 1
    game.discards[index] = 64 * seat + kind
    later = game.discards[index + 1 : int(game.discard_count)] // 64
    if not (later == seat).any():
        game.last_discard[seat] = kind

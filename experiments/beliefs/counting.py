"""What a seat knows for certain of the cards that it does not see.

It all comes from the seat's view, which holds nothing else. The others are counted from the seat
that looks, in the order of play, as in an observation.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch
from canasta_env.cards import Kind
from canasta_env.engine.state import Views, new_views
from canasta_env.kernels import as_bytes, plain, view_game
from canasta_env.rules import Rules

__all__ = [
    "Certain", "certain", "hidden_cards", "look", "most_copies", "refuse_unfit", "relations",
]  # fmt: skip

Ints = npt.NDArray[np.int64]

_RED_THREE: Final = int(Kind.RED_THREE)


@dataclass(frozen=True)
class Certain:
    """What is certain; a row is a seat that looks, ``H`` are the other hands, ``K`` the kinds.

    Attributes:
        pool: int (n, K), cards that may lie in any hidden hand: those that the seat neither sees
            nor knows to be in one. No red threes, which every hand lays out at once, and not the
            card that is offered.
        known: int (n, H, K), cards that each hand holds for all to know, since it took the pile.
        hidden: int (n, H), the other cards of each hand, all of them out of the pool.
        stock: int (n,), cards in the stock.
    """

    pool: Ints
    known: Ints
    hidden: Ints
    stock: Ints

    def take(self, rows: Any) -> Certain:
        """The same for some rows: an index array or a slice."""
        return Certain(*(getattr(self, field.name)[rows] for field in fields(self)))


def refuse_unfit(rules: Rules) -> None:
    """Raises ``ValueError`` for rules under which hands are not drawn from one pool."""
    if rules.sequences or rules.cut_bonus:
        raise ValueError(
            f"{rules}: beliefs are for rules without suits and without cards shown by the cut"
        )


def most_copies(rules: Rules, players: int) -> int:
    """The most cards of one kind in the deck: no hand has more."""
    return max(rules.card_counts(players))


def relations(rules: Rules, players: int) -> tuple[str, ...]:
    """What each other seat is to the one that looks, in the order of play."""
    sides = rules.sides_of(players)
    names = ["partner" if i % sides == 0 else "opponent" for i in range(1, players)]
    if names.count("opponent") > 1:
        for i, where in ((0, "left"), (-1, "right")):
            names[i] = f"{where} {names[i]}"
    return tuple(names)


def look(batch: Batch, rows: Ints) -> Views:
    """The views of the seats to act in ``rows`` of a batch, (m,) records."""
    views = new_views(len(rows))
    games, packed = (plain(batch.games), as_bytes(batch.games)), plain(batch.packed)
    into = plain(views), as_bytes(views)
    for place, row in enumerate(rows.tolist()):
        seat = int(batch.seat[row])
        view_game(*games, row, packed, seat, batch.recall, *into, place)
    return views


def certain(views: Views) -> Certain:
    """What the seats know that these views are of, all of games with one number of players."""
    others = _others(np.asarray(views.seat), int(views.players[0]))
    rows = np.arange(len(views))
    known = views.known[rows[:, None], others].astype(np.int64)
    pool = views.unseen.astype(np.int64) - known.sum(axis=1)
    offered = np.flatnonzero(views.offered >= 0)
    pool[offered, views.offered[offered]] -= 1
    pool[:, _RED_THREE] = 0
    hidden = views.hand_sizes[rows[:, None], others] - known.sum(axis=2)
    return Certain(pool, known, hidden, views.stock_size.astype(np.int64))


def hidden_cards(batch: Batch, rows: Ints, known: Ints) -> Ints:
    """The truth, int (m, H, K): what the other hands hold beyond the ``known`` cards. It comes from
    the games, so it is never shown to what makes a belief.
    """
    others = _others(batch.seat[rows], batch.players)
    held: Ints = batch.games.hands[rows[:, None], others].astype(np.int64) - known
    return held


def _others(seats: Any, players: int) -> Ints:
    """The seats after each, (m, players - 1)."""
    others: Ints = (np.asarray(seats, np.int64)[:, None] + np.arange(1, players)) % players
    return others

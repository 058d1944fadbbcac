"""What the teams did, counted from the actions and the games of a batch, for all rows at once."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.engine.state import WILD_RANK, End

__all__ = ["COUNTS", "Watcher", "canastas", "caught_cards"]

Ints = npt.NDArray[np.int64]

COUNTS: Final = (
    "deals", "points", "won", "takes", "wild_discards", "melded", "first_meld_turn",
    "natural_canastas", "mixed_canastas", "wild_canastas",
    "went_out", "went_out_and_won", "concealed", "caught",
)  # fmt: skip
"""What is counted of a side: sums over deals. ``first_meld_turn`` sums over the ``melded`` deals
alone.
"""


def canastas(games: Any, rows: Ints, sides: int, size: int) -> tuple[Ints, Ints, Ints]:
    """Natural, mixed and wild canastas on the table, each of shape (rows, sides)."""
    naturals = games.meld_naturals[rows, :sides].astype(np.int64)
    wilds = games.meld_deuces[rows, :sides].astype(np.int64) + games.meld_jokers[rows, :sides]
    whole = naturals + wilds >= size
    closed_wilds = games.closed_wilds[rows, :sides]
    closed = np.arange(closed_wilds.shape[-1]) < games.closed_melds[rows, :sides][..., None]
    natural = (whole & (wilds == 0)) + (closed & (closed_wilds == 0)).sum(-1)
    mixed = (whole & (wilds > 0)) + (closed & (closed_wilds > 0)).sum(-1)
    wild = natural[..., WILD_RANK] + mixed[..., WILD_RANK]
    return (
        natural.sum(-1) - natural[..., WILD_RANK],
        mixed.sum(-1) - mixed[..., WILD_RANK],
        wild,
    )


def caught_cards(games: Any, rows: Ints, sides: int, players: int) -> Ints:
    """Cards left in the hands (and untaken feet) of each side, shape (rows, sides)."""
    cards = games.hand_sizes[rows, :players].astype(np.int64)
    cards += games.feet[rows, :players].sum(-1, dtype=np.int64)
    return np.stack([cards[:, side::sides].sum(1) for side in range(sides)], axis=1)


class Watcher:
    """Counts what the sides of a batch do; told of every step before and after it, and of every
    deal's end.

    ``counts[name]`` has the shape (rows of the batch, sides).
    """

    def __init__(self, batch: Any, canasta_size: int) -> None:
        self.batch = batch
        self.size = canasta_size
        self.counts = {name: np.zeros((batch.n, batch.sides), np.int64) for name in COUNTS}
        self._takes = np.array(
            [batch.table.text(i).startswith("take") for i in range(len(batch.table))]
        )
        self._wilds = np.array(
            [batch.table.text(i) in ("discard 2", "discard JK") for i in range(len(batch.table))]
        )
        self._melded = np.zeros((batch.n, batch.sides), bool)
        self._turns = np.zeros(0, np.int64)

    def before(self, rows: Ints, actions: Ints) -> None:
        """The rows' seats are about to play ``actions`` (one for each of ``rows``)."""
        side = self.batch.seat[rows] % self.batch.sides
        self.counts["takes"][rows, side] += self._takes[actions]
        self.counts["wild_discards"][rows, side] += self._wilds[actions]
        self._turns = self.batch.games.turns[rows].astype(np.int64)

    def after(self, rows: Ints) -> None:
        """The step is made; ``rows`` as in :meth:`before`."""
        melded = self.batch.games.melded[rows, : self.batch.sides]
        new = melded & ~self._melded[rows]
        if new.any():
            self.counts["melded"][rows] += new
            self.counts["first_meld_turn"][rows] += new * self._turns[:, None]
            self._melded[rows] = melded

    def ended(self, rows: Ints) -> None:
        """The deals of ``rows`` are over, and their games still show the end."""
        batch, games, counts = self.batch, self.batch.games, self.counts
        counts["deals"][rows] += 1
        points = batch.deal_scores[rows].astype(np.int64)
        counts["points"][rows] += points
        best = np.sort(points, axis=1)[:, ::-1]
        won = (points == best[:, :1]) & (best[:, :1] > best[:, 1:2])
        counts["won"][rows] += won
        found = canastas(games, rows, batch.sides, self.size)
        for name, count in zip(("natural", "mixed", "wild"), found, strict=True):
            counts[f"{name}_canastas"][rows] += count
        counts["caught"][rows] += caught_cards(games, rows, batch.sides, batch.players)
        self._count_going_out(rows, won)
        self._melded[rows] = False

    def _count_going_out(self, rows: Ints, won: npt.NDArray[np.bool_]) -> None:
        games = self.batch.games
        end = games.end[rows]
        gone = (end == End.WENT_OUT) | (end == End.CONCEALED)
        side = games.out_seat[rows].astype(np.int64) % self.batch.sides
        out = gone[:, None] & (np.arange(self.batch.sides) == side[:, None])
        self.counts["went_out"][rows] += out
        self.counts["went_out_and_won"][rows] += out & won
        self.counts["concealed"][rows] += out & (end == End.CONCEALED)[:, None]

"""Plays the tables of some units and keeps every decision: the rows of one file of a data set.

A deal pays at its end alone, so what a seat is paid until it decides again is nothing, but for its
last decision of the deal; that gets what the deal paid, whoever ended it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from canasta_env.data.schema import pack_mask
from experiments.block import Block, Lineup, Setup

__all__ = ["Collector", "Deals", "Rows"]

Ints = npt.NDArray[np.int64]
Arrays = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Deals:
    """What is known of deals (d,), in the order in which they were dealt.

    ``row`` of the block, ``number`` in the match, ``dealer``; ``scores`` before and ``result``,
    int32 (d, sides); ``paid`` float32 (d, players), in thousands of points.
    """

    row: Ints
    number: Ints
    dealer: Ints
    scores: npt.NDArray[np.int32]
    result: npt.NDArray[np.int32]
    paid: npt.NDArray[np.float32]


class Collector(Block):
    """A block that keeps the decisions made at its tables.

    Args:
        setup: what is played, with ``observe``.
        lineup, units: as for :class:`~experiments.block.Block`.
        with_hands: whether all hands are kept too.
    """

    def __init__(self, setup: Setup, lineup: Lineup, units: Ints, *, with_hands: bool) -> None:
        super().__init__(setup, lineup, units)
        self.with_hands = with_hands
        self._dealt: list[Arrays] = []
        self._ended: list[Arrays] = []
        self._noted: list[Arrays] = []
        self._deal_of = np.zeros(self.batch.n, np.int64)
        self._deals = 0

    def _deal(self, rows: Ints, *deal: Any) -> None:
        """Puts deals into rows, and numbers them in this order."""
        super()._deal(rows, *deal)
        _, dealers, scores, numbers = deal
        self._deal_of[rows] = self._deals + np.arange(len(rows))
        self._deals += len(rows)
        self._dealt.append({"row": rows, "number": numbers, "dealer": dealers, "scores": scores})

    def still_playing(self, rows: Ints) -> Ints:
        """Keeps what the seats see and what they are about to do; all rows go on."""
        batch = self.batch
        seats, masks = batch.seat[rows], batch.mask[rows]
        noted = {
            "of": self._deal_of[rows],
            "seat": seats.astype(np.int8),
            "phase": batch.games.phase[rows].astype(np.int8),
            "agent": self.owner[rows, seats].astype(np.int8),
            "observation": batch.observation[rows],
            "mask": pack_mask(masks),
            "action": self.actions[rows].astype(np.int32),
            "legal": np.count_nonzero(masks, axis=1).astype(np.int32),
        }
        if self.with_hands:
            order = (seats[:, None] + np.arange(batch.players)) % batch.players
            noted["hands"] = batch.games.hands[rows[:, None], order].astype(np.uint8)
        self._noted.append(noted)
        return rows

    def _step(self, rows: Ints) -> Ints:
        """One action in each row; keeps what the deals that end with it pay."""
        rows = super()._step(rows)
        over = rows[self.batch.deal_over[rows]]
        if over.size:
            result, paid = self.batch.deal_scores[over], self.batch.reward[over]
            self._ended.append({"of": self._deal_of[over], "result": result, "paid": paid})
        return rows

    def collect(self) -> Rows:
        """Plays all tables; what was decided at them."""
        self.play()
        dealt, ended = _joined(self._dealt), _joined(self._ended)
        back = np.argsort(ended.pop("of"))  # each deal has ended once
        deals = Deals(**dealt, **{name: values[back] for name, values in ended.items()})
        return Rows(deals, _joined(self._noted))


class Rows:
    """The decisions of a block: ordered by table, deal and step, and cut into groups.

    Args:
        deals: of the block.
        noted: what was kept of the decisions, in the order in which they were made, ``of`` being
            the place of their deal in ``deals``.
    """

    def __init__(self, deals: Deals, noted: Arrays) -> None:
        by_table = np.lexsort((deals.number, deals.row))
        rank = np.argsort(by_table)
        self.deals = deals
        self.deal_count = len(by_table)
        self._noted = noted
        self._rank = rank
        self._order = np.argsort(rank[noted["of"]], kind="stable")

    def __len__(self) -> int:
        return len(self._order)

    def columns(self, first_deal: int, first_unit: int, tables: int) -> Arrays:
        """The columns that are small, (n,) or (n, sides): all but those that were noted.

        Args:
            first_deal: how many deals of the data set come before this block's.
            first_unit: the number of the block's first unit.
            tables: of each unit.
        """
        deals, of = self.deals, self._noted["of"][self._order]
        seat = self._noted["seat"][self._order]
        rank = self._rank[of]
        last = self._last(rank, seat)
        paid = deals.paid[of, seat]
        return {
            "deal": first_deal + rank,
            "deck": first_unit + deals.row[of] // tables,
            "table": (deals.row[of] % tables).astype(np.int8),
            "number": deals.number[of].astype(np.int16),
            "step": _steps(rank),
            "dealer": deals.dealer[of].astype(np.int8),
            "reward": np.where(last, paid, np.float32(0)),
            "return_to_go": paid,
            "last": last,
            "scores": deals.scores[of],
            "result": deals.result[of],
        }

    def groups(self, columns: Arrays, size: int) -> Iterator[Arrays]:
        """Runs of at most ``size`` rows: ``columns`` and what was noted, by name."""
        for start in range(0, len(self), size):
            part = slice(start, start + size)
            noted = {name: v[self._order[part]] for name, v in self._noted.items() if name != "of"}
            yield {**{name: values[part] for name, values in columns.items()}, **noted}

    def _last(self, rank: Ints, seat: npt.NDArray[np.int8]) -> npt.NDArray[np.bool_]:
        """Which decisions, in order, are the last ones of their seat in their deal."""
        players = self.deals.paid.shape[1]
        latest = np.full(self.deal_count * players, -1)
        latest[rank * players + seat] = np.arange(len(rank))  # of several the last one stays
        last = np.zeros(len(rank), np.bool_)
        last[latest[latest >= 0]] = True
        return last


def _steps(rank: Ints) -> npt.NDArray[np.int32]:
    """The place of each row in its deal, (n,), the deals being in order."""
    first = np.searchsorted(rank, rank, side="left")
    return (np.arange(len(rank)) - first).astype(np.int32)


def _joined(parts: list[Arrays]) -> Arrays:
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

"""The tables of a duplicate match in lock step: see :mod:`experiments.play` for the seating."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.bots import BotAgent
from canasta_env.batch import Batch, Stock
from canasta_env.engine.state import Phase
from experiments import deals
from experiments.behaviour import Watcher
from experiments.luck import Luck
from experiments.records import Recorder

__all__ = ["Block", "Lineup", "Setup", "Tables"]

Ints = npt.NDArray[np.int64]

_TOGETHER: Final = 0.25
"""Next deals are dealt once so many rows wait for each that plays: dealing looks at all rows."""


@dataclass(frozen=True)
class Setup:
    """What is played; ``rules`` are those of one number of players, ``text`` is how the user wrote
    them. With ``observe`` observations are written even where only rule bots play.
    """

    text: str
    rules: Any
    players: int
    units: int
    seed: int = 0
    episode: str = "deal"
    scores: str = "spread"
    stock: Stock = "seat_streams"
    max_deals: int = 40
    threads: int = 1
    observe: bool = False

    @property
    def sides(self) -> int:
        return int(self.rules.sides)


@dataclass(frozen=True)
class Lineup:
    """Who sits where: ``owner`` (tables, seats) indexes ``agents`` and their ``names``; ``team``
    (tables, sides) is 0 for A, 1 for B.
    """

    agents: tuple[Any, ...]
    names: tuple[str, ...]
    owner: Ints
    team: Ints


@dataclass(frozen=True)
class Tables:
    """What came of the tables of some units; a row is a table.

    ``scores`` (units, tables, sides): deal scores, or the match's totals. ``capped`` (rows,):
    matches that the limit of deals ended. ``counts[name]`` (rows, sides). ``luck`` (rows, sides,
    features), or None: see :mod:`experiments.luck`.
    """

    scores: Ints
    capped: npt.NDArray[np.bool_]
    counts: dict[str, Ints]
    luck: npt.NDArray[np.float64] | None


class Block:
    """Plays the tables of some units; row ``u * tables + t`` is table ``t`` of the ``u``-th unit.

    Args:
        setup, lineup: what is played and by whom.
        units: the numbers of the units.
        recorder: keeps records of the first units.
        with_luck: whether :attr:`Tables.luck` is counted.
    """

    def __init__(
        self,
        setup: Setup,
        lineup: Lineup,
        units: Ints,
        recorder: Recorder | None = None,
        *,
        with_luck: bool = False,
    ) -> None:
        self.setup, self.lineup, self.recorder = setup, lineup, recorder
        self.tables = setup.sides
        self.units = np.repeat(units, self.tables)
        rows = len(self.units)
        only_bots = all(isinstance(one, BotAgent) for one in lineup.agents)
        self.batch = Batch(
            setup.text, rows, players=setup.players, stock=setup.stock, threads=setup.threads,
            autoreset="off", observe=setup.observe or not only_bots,
        )  # fmt: skip
        self.watcher = Watcher(self.batch, setup.rules.canasta_size)
        self.watching = [agent for agent in lineup.agents if hasattr(agent, "watch")]
        self.luck = Luck(self.batch, setup.stock == "seat_streams") if with_luck else None
        self.owner = np.tile(lineup.owner, (len(units), 1))
        self.actions = np.zeros(rows, np.int64)
        self.totals = np.zeros((rows, setup.sides), np.int64)
        self.capped = np.zeros(rows, np.bool_)

    def play(self) -> Tables:
        """Deals, plays until every row is done, and sums up."""
        rows = np.arange(self.batch.n)
        if self.recorder:
            self.recorder.watch(rows[: self.recorder.decks * self.tables])
        self._begin(rows)
        waiting = rows[:0]
        while rows.size:
            rows = self._step(rows)
            over = self.batch.games.phase[rows] == Phase.OVER
            if over.any():
                waiting = np.concatenate([waiting, rows[over]])
                rows = rows[~over]
            if waiting.size >= max(1, _TOGETHER * rows.size):
                rows = np.concatenate([rows, self._go_on(waiting)])
                waiting = waiting[:0]
        return self._sum_up()

    def _sum_up(self) -> Tables:
        scores = self.totals.reshape(-1, self.tables, self.setup.sides)
        luck = None if self.luck is None else self.luck.sums
        return Tables(scores, self.capped, self.watcher.counts, luck)

    def ask(self, index: int, rows: Ints) -> None:
        """Writes what agent ``index`` plays in ``rows``, where it is to act, into ``actions``."""
        self.actions[rows] = self.lineup.agents[index].act(self.batch, rows)

    def still_playing(self, rows: Ints) -> Ints:
        """Those of ``rows`` that go on after the agents were asked."""
        return rows

    def _step(self, rows: Ints) -> Ints:
        """One action in each row, by the agent whose seat is to act; the rows that go on."""
        owner = self.owner[rows, self.batch.seat[rows]]
        for index in range(len(self.lineup.agents)):
            mine = rows[owner == index]
            if mine.size:
                self.ask(index, mine)
        rows = self.still_playing(rows)
        seats = self.batch.seat[rows]
        self.watcher.before(rows, self.actions[rows])
        if self.recorder:
            self.recorder.acted(rows, self.actions)
        for agent in self.watching:
            agent.watch(self.batch, rows, self.actions)
        self.batch.step(self.actions)
        self.watcher.after(rows)
        if self.luck:
            self.luck.after(rows, seats)
        return rows

    def _begin(self, rows: Ints) -> None:
        """The first deal of every row: all tables of a unit get the same."""
        spread = self.setup.scores if self.setup.episode == "deal" else "zero"
        packed, seed, units = self.batch.packed, self.setup.seed, self.units[rows]
        first = deals.starts(packed, seed, units, spread)
        cards = deals.decks(packed, seed, units, first.numbers)
        self._deal(rows, cards, first.dealers, first.scores, first.numbers)

    def _deal(self, rows: Ints, *deal: Any) -> None:
        """Puts deals into rows, as ``Batch.start_deal`` takes them."""
        self.batch.start_deal(rows, *deal)
        if self.luck:
            self.luck.dealt(rows, deal[0])
        if self.recorder:
            self.recorder.dealt(rows, *deal)

    def _go_on(self, rows: Ints) -> Ints:
        """The rows of those whose deals have ended that play on; they have their next deal."""
        self.watcher.ended(rows)
        self.totals[rows] += self.batch.deal_scores[rows]
        if self.setup.episode == "deal":
            return rows[:0]
        over, dealers = deals.follow(self.batch, rows)
        numbers = self.batch.games.deal[rows].astype(np.int64)
        capped = ~over & (numbers >= self.setup.max_deals)
        self.capped[rows] = capped
        on = ~(over | capped)
        rows, numbers = rows[on], numbers[on] + 1
        if rows.size:
            cards = deals.decks(self.batch.packed, self.setup.seed, self.units[rows], numbers)
            scores = self.totals[rows].astype(np.int32)
            self._deal(rows, cards, dealers[on], scores, numbers)
        return rows

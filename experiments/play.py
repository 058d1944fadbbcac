"""Plays the tables of a duplicate match in lock step.

A *unit* is one deck (or, for whole matches, one row of decks) played at as many *tables* as there
are sides; at table ``t`` team A sits on side ``t`` and team B on all others. With two sides that is
the duplicate pair: the seats and sides keep their cards, their dealer and their starting scores,
and the teams exchange, so both teams play both hands and both score situations. With three sides
and more, team A plays alone against a field of B's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents import registry
from agents.bots import BotAgent
from canasta_env.batch import Batch, Stock
from canasta_env.engine.state import Phase
from experiments import deals
from experiments.behaviour import COUNTS, Watcher
from experiments.records import Recorder

__all__ = ["Lineup", "Played", "Setup", "line_up", "parse_team", "play"]

Ints = npt.NDArray[np.int64]

_ROWS: Final = 4096
"""Games in lock step. Part of the result, since agents draw their random numbers in the order of
their calls.
"""


_TOGETHER: Final = 0.25
"""Next deals are dealt once so many rows wait for each that plays: dealing looks at all rows."""


@dataclass(frozen=True)
class Setup:
    """What is played; ``rules`` are those of one number of players, ``text`` is how the user wrote
    them.
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

    @property
    def sides(self) -> int:
        return int(self.rules.sides)


@dataclass(frozen=True)
class Lineup:
    """Who sits where: ``owner`` (tables, seats) indexes ``agents``; ``team`` (tables, sides) is 0
    for A, 1 for B.
    """

    agents: tuple[Any, ...]
    owner: Ints
    team: Ints


@dataclass(frozen=True)
class Played:
    """What came of it.

    ``scores`` (units, tables, sides): deal scores, or the match's totals. ``capped``: matches that
    the limit of deals ended. ``counts[name]`` (2,): sums over the sides of each team.
    """

    scores: Ints
    capped: int
    counts: dict[str, Ints]


def parse_team(text: str, seats: int) -> list[str]:
    """The agents of a team's seats, in the order of the seats: ``basic``, or ``basic+greedy`` for
    two partners.

    Raises:
        ValueError: the number of names is neither one nor the number of seats.
    """
    names = text.split("+")
    if len(names) == 1:
        return names * seats
    if len(names) != seats or not all(names):
        raise ValueError(f"team {text!r} names {len(names)} agents; a side has {seats} seat(s)")
    return names


def line_up(team_a: str, team_b: str, setup: Setup) -> Lineup:
    """Makes the agents of both teams, each name of a team once, and seats them at every table.

    Raises:
        ValueError: a team does not fit the side, or a name is no agent's.
    """
    sides, players = setup.sides, setup.players
    agents: list[Any] = []
    members = []
    for team, text in enumerate((team_a, team_b)):
        names = parse_team(text, players // sides)
        distinct = list(dict.fromkeys(names))
        members.append([len(agents) + distinct.index(name) for name in names])
        for place, name in enumerate(distinct):
            seed = deals.agent_seed(setup.seed, team, place)
            agents.append(registry.make(name, setup.text, players, seed))
    team_of = (np.arange(sides)[:, None] != np.arange(sides)).astype(np.int64)
    seats = np.arange(players)
    owner = np.array(members)[team_of[:, seats % sides], seats // sides]
    return Lineup(tuple(agents), owner, team_of)


def play(setup: Setup, lineup: Lineup, recorder: Recorder | None = None) -> Played:
    """Plays all units, a block of rows at a time; the recorder watches units of the first block."""
    per_block = max(1, _ROWS // setup.sides)
    blocks = []
    for first in range(0, setup.units, per_block):
        units = np.arange(first, min(first + per_block, setup.units))
        blocks.append(_Block(setup, lineup, units, recorder if first == 0 else None).play())
    return Played(
        scores=np.concatenate([block.scores for block in blocks]),
        capped=sum(block.capped for block in blocks),
        counts={name: np.sum([b.counts[name] for b in blocks], axis=0) for name in COUNTS},
    )


class _Block:
    """The tables of some units: row ``u * tables + t`` is table ``t`` of unit ``u``."""

    def __init__(
        self, setup: Setup, lineup: Lineup, units: Ints, recorder: Recorder | None
    ) -> None:
        self.setup, self.lineup, self.recorder = setup, lineup, recorder
        self.tables = setup.sides
        self.units = np.repeat(units, self.tables)
        rows = len(self.units)
        self.batch = Batch(
            setup.text, rows, players=setup.players, stock=setup.stock, threads=setup.threads,
            autoreset="off", observe=not all(isinstance(one, BotAgent) for one in lineup.agents),
        )  # fmt: skip
        self.watcher = Watcher(self.batch, setup.rules.canasta_size)
        self.owner = np.tile(lineup.owner, (len(units), 1))
        self.actions = np.zeros(rows, np.int64)
        self.totals = np.zeros((rows, setup.sides), np.int64)
        self.capped = 0

    def play(self) -> Played:
        """Deals, plays until every row is done, and sums up."""
        rows = np.arange(self.batch.n)
        if self.recorder:
            self.recorder.watch(rows[: self.recorder.decks * self.tables])
        self._begin(rows)
        waiting = rows[:0]
        while rows.size:
            self._step(rows)
            over = self.batch.games.phase[rows] == Phase.OVER
            if over.any():
                self.watcher.ended(rows[over])
                waiting = np.concatenate([waiting, rows[over]])
                rows = rows[~over]
            if waiting.size >= max(1, _TOGETHER * rows.size):
                rows = np.concatenate([rows, self._go_on(waiting)])
                waiting = waiting[:0]
        return self._sum_up()

    def _sum_up(self) -> Played:
        team = np.tile(self.lineup.team, (self.batch.n // self.tables, 1))
        counts = {
            name: np.array([count[team == 0].sum(), count[team == 1].sum()])
            for name, count in self.watcher.counts.items()
        }
        scores = self.totals.reshape(-1, self.tables, self.setup.sides)
        return Played(scores, self.capped, counts)

    def _step(self, rows: Ints) -> None:
        """One action in each row, by the agent whose seat is to act."""
        owner = self.owner[rows, self.batch.seat[rows]]
        for index, agent in enumerate(self.lineup.agents):
            mine = rows[owner == index]
            if mine.size:
                self.actions[mine] = agent.act(self.batch, mine)
        self.watcher.before(rows, self.actions[rows])
        if self.recorder:
            self.recorder.acted(rows, self.actions)
        self.batch.step(self.actions)
        self.watcher.after(rows)

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
        if self.recorder:
            self.recorder.dealt(rows, *deal)

    def _go_on(self, rows: Ints) -> Ints:
        """The rows of those whose deals have ended that play on; they have their next deal."""
        self.totals[rows] += self.batch.deal_scores[rows]
        if self.setup.episode == "deal":
            return rows[:0]
        over, dealers = deals.follow(self.batch, rows)
        numbers = self.batch.games.deal[rows].astype(np.int64)
        capped = ~over & (numbers >= self.setup.max_deals)
        self.capped += int(capped.sum())
        on = ~(over | capped)
        rows, numbers = rows[on], numbers[on] + 1
        if rows.size:
            cards = deals.decks(self.batch.packed, self.setup.seed, self.units[rows], numbers)
            scores = self.totals[rows].astype(np.int32)
            self._deal(rows, cards, dealers[on], scores, numbers)
        return rows

"""A long check of the engine by random legal play: ``python -m experiments.check_long``.

A million deals, by default, of the player counts in turn. At every step somebody can act; at every
k-th step and at the end of every deal the cards of each kind add up to the deck; at the end the
scores are those of a second count (:mod:`experiments.recount`). The first fault stops the check
with the deck and the actions that lead to it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich import box
from rich.console import Console
from rich.table import Table

from agents import registry
from canasta_env.batch import Batch
from canasta_env.cards import write_cards
from canasta_env.engine.state import End, Phase
from canasta_env.rules import Rules
from experiments import deals, recount

__all__ = ["FaultError", "Report", "check", "main"]

Ints = npt.NDArray[np.int64]
_HISTORY: Final = 8192
"""Actions kept of a deal, for the report of a fault; a deal that is longer is a fault itself."""


class FaultError(AssertionError):
    """The engine and the rules disagree; the text has what is needed to see it again."""


@dataclass
class Report:
    """What was played with one number of players."""

    players: int
    deals: int = 0
    decisions: int = 0
    longest: int = 0
    turns: int = 0
    ends: Ints = field(default_factory=lambda: np.zeros(len(End), np.int64))
    seconds: float = 0.0


class _Check:
    """Plays rows of random deals and looks at them; a finished row gets the next deal."""

    def __init__(self, text: str, players: int, rows: int, seed: int, every: int) -> None:
        self.rules: Any = Rules.parse(text).at(players)
        self.seed, self.every, self.players = seed, every, players
        self.batch = Batch(text, rows, players=players, observe=False, autoreset="off")
        self.agent = registry.make("random", text, players, seed)
        self.suited = bool(self.rules.sequences)
        self.deck: Ints = np.array(self.rules.card_counts(players), np.int64)
        self.unit = np.zeros(rows, np.int64)
        self.length = np.zeros(rows, np.int64)
        self.history = np.zeros((rows, _HISTORY), np.int16)
        self.report = Report(players)
        self.dealt = 0

    def run(self, count: int) -> Report:
        """Plays ``count`` deals; raises :class:`FaultError`."""
        start = time.perf_counter()
        rows = self._deal(np.arange(self.batch.n), count)
        free = rows[:0]
        steps = 0
        while rows.size:
            self._step(rows)
            steps += 1
            over = self.batch.games.phase[rows] == Phase.OVER
            if over.any():
                self._ended(rows[over])
                free = np.concatenate([free, rows[over]])
                rows = rows[~over]
            if free.size >= rows.size // 4:  # dealing looks at the whole batch: many at once
                rows = np.concatenate([rows, self._deal(free, count)])
                free = free[:0]
            if steps % self.every == 0:
                self._conserved(rows)
        self.report.seconds = time.perf_counter() - start
        return self.report

    def _deal(self, rows: Ints, count: int) -> Ints:
        """New deals for ``rows``, as far as there are deals left; the rows that got one."""
        rows = rows[: count - self.dealt]
        if not rows.size:
            return rows
        units = np.arange(self.dealt, self.dealt + rows.size)
        self.dealt += rows.size
        self.unit[rows] = units
        self.length[rows] = 0
        start = deals.starts(self.batch.packed, self.seed, units, "spread")
        cards = deals.decks(self.batch.packed, self.seed, units, start.numbers)
        self.batch.start_deal(rows, cards, start.dealers, start.scores, start.numbers)
        self._conserved(rows)
        return rows

    def _step(self, rows: Ints) -> None:
        self._require(self.batch.mask[rows].any(1), rows, "nobody can act")
        chosen = self.agent.act(self.batch, rows)
        actions = np.zeros(self.batch.n, np.int64)
        actions[rows] = chosen
        self.history[rows, self.length[rows]] = chosen
        self.length[rows] += 1
        self._require(self.length[rows] < _HISTORY, rows, "the deal does not end")
        self.batch.step(actions)

    def _ended(self, rows: Ints) -> None:
        games = self.batch.games[rows]
        self._conserved(rows)
        self._require(~recount.going_out_faults(games, self.rules), rows, "going out or first meld")
        scores = recount.deal_scores(games, self.rules, self.players)
        for given in (self.batch.deal_scores[rows], games.deal_scores[:, : self.rules.sides]):
            self._require((given == scores).all(1), rows, "deal scores", given, scores)
        report, lengths = self.report, self.length[rows]
        report.deals += rows.size
        report.decisions += int(lengths.sum())
        report.longest = max(report.longest, int(lengths.max()))
        report.turns = max(report.turns, int(games.turns.max()))
        report.ends += np.bincount(games.end, minlength=len(End))

    def _conserved(self, rows: Ints) -> None:
        games = self.batch.games[rows]
        totals = recount.card_totals(games, self.rules.canasta_size)
        self._require((totals == self.deck).all(1), rows, "cards by kind", totals, self.deck)
        shown = games.shown.astype(np.int64)
        self._require(
            (shown == recount.shown_cards(games, self.rules.canasta_size)).all(1),
            rows, "cards on the table", shown,
        )  # fmt: skip
        sizes = games.hands.sum(2, dtype=np.int64) == games.hand_sizes
        self._require(sizes.all(1), rows, "hand sizes", games.hand_sizes)
        self._require((games.hands >= 0).all((1, 2)), rows, "a negative count", games.hands)
        self._require(
            (games.hands[:, :, 2] == 0).all(1), rows, "a red three in a hand", games.hands
        )

    def _require(self, good: Any, rows: Ints, what: str, *values: Any) -> None:
        """Raises for the first row that is not good, with its deck, actions and ``values``."""
        if good.all():
            return
        at = int(np.argmin(good))
        row = int(rows[at])
        shown = [value[at].tolist() if value.ndim > 1 else value.tolist() for value in values]
        unit = self.unit[row : row + 1]
        start = deals.starts(self.batch.packed, self.seed, unit, "spread")
        deck = deals.decks(self.batch.packed, self.seed, unit, start.numbers)[0].tolist()
        actions = [self.batch.table.text(i) for i in self.history[row, : self.length[row]]]
        raise FaultError(
            f"{what}: {shown}\nrules {self.batch.rules}, {self.players} players, deal "
            f"{start.numbers[0]}, dealer {start.dealers[0]}, scores {start.scores[0].tolist()}\n"
            f"deck: {write_cards(deck, suited=self.suited)}\n"
            f"actions: {', '.join(actions)}"
        )


def check(
    rules: str, players: int, count: int, *, rows: int = 4096, seed: int = 0, every: int = 32
) -> Report:
    """Plays and checks ``count`` random deals; raises :class:`FaultError` at the first fault."""
    return _Check(rules, players, max(1, min(rows, count)), seed, every).run(count)


def _tables(rules: str, reports: Sequence[Report]) -> Iterator[Table]:
    lengths = Table(title=f"{rules}: random legal play, no fault", box=box.SIMPLE)
    ends = Table(title="how the deals ended, in per cent", box=box.SIMPLE)
    for head in ("players", "deals", "decisions", "in a deal", "longest", "turns", "1,000/s"):
        lengths.add_column(head, justify="right")
    for head in ("players", *(end.name.lower().replace("_", " ") for end in list(End)[1:])):
        ends.add_column(head, justify="right")
    for report in reports:
        mean, speed = report.decisions / report.deals, report.decisions / report.seconds / 1000
        row = [str(report.players), f"{report.deals:,}", f"{report.decisions:,}", f"{mean:.0f}"]
        lengths.add_row(*row, f"{report.longest:,}", f"{report.turns:,}", f"{speed:,.0f}")
        shares = (f"{100 * count / report.deals:.2f}" for count in report.ends[1:])
        ends.add_row(str(report.players), *shares)
    lengths.caption = "longest: the most decisions of a deal; turns: the most turns of a deal"
    yield from (lengths, ends)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status is 1 if a fault was found."""
    parse = argparse.ArgumentParser(prog="python -m experiments.check_long", description=__doc__)
    parse.add_argument("--rules", default="classic")
    parse.add_argument("--players", type=int, nargs="+", help="default: all that the rules allow")
    parse.add_argument("--deals", type=int, default=1_000_000, help="in all")
    parse.add_argument("--rows", type=int, default=4096, help="deals played in lock step")
    parse.add_argument(
        "--every", type=int, default=32, help="steps between two counts of all cards"
    )
    parse.add_argument("--seed", type=int, default=0)
    options = parse.parse_args(arguments)
    try:
        players = options.players or list(Rules.parse(options.rules).players)
        each = -(-options.deals // len(players))
        settings = {"rows": options.rows, "seed": options.seed, "every": options.every}
        reports = [check(options.rules, number, each, **settings) for number in players]
    except FaultError as fault:
        print(f"experiments.check_long: {fault}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"experiments.check_long: {error}", file=sys.stderr)
        return 2
    Console().print(*_tables(options.rules, reports), sep="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What search wins against its own rollout bot: ``python -m experiments.search_study``.

Plays duplicate pairs of ``search`` against the bot that plays its rollouts, for each budget: in all
decisions, in late ones alone (``--late`` cards in the stock or fewer; elsewhere it plays as the
bot) and in early ones alone. Says what a searched decision costs in processor time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table

from agents.search import Options
from canasta_env.rules import Rules
from experiments import result
from experiments.command import carry_out, positive
from experiments.match import compare, document
from experiments.play import Setup, line_up

__all__ = ["PARTS", "Row", "main", "study"]

PARTS: Final = ("all", "late", "early")
"""The decisions that are searched: all, those with few cards in the stock, or the others."""


@dataclass(frozen=True)
class Row:
    """One match of the study: what was searched and what came of it.

    ``searched``: decisions a deal; ``overruled``: the share in which the bot's action was not
    played; ``milliseconds``: of the processor, a decision; ``entry``: that of the result file.
    """

    options: Options
    part: str
    searched: float
    overruled: float
    milliseconds: float
    entry: dict[str, Any]


def variant(options: Options, part: str, late: int) -> Options:
    """The options that search only the decisions of a part."""
    if part == "late":
        return replace(options, stock_to=late)
    return replace(options, stock_from=late + 1) if part == "early" else options


def study(setup: Setup, options: Options, part: str, level: float) -> Row:
    """Plays the search against its rollout bot."""
    teams = (str(options), options.bot)
    lineup = line_up(*teams, setup)
    entry = compare(setup, lineup, teams, level)
    agent = lineup.agents[0]
    searched = max(1, agent.searched)
    return Row(
        options, part, agent.searched / (setup.units * setup.sides), agent.overruled / searched,
        1000 * agent.seconds / searched, entry,
    )  # fmt: skip


def table(setup: Setup, rows: Sequence[Row], late: int, level: float) -> Table:
    """The study, a match a row."""
    found = Table(title="search against its rollout bot, points a deal", box=box.SIMPLE)
    found.title_justify = found.caption_justify = "left"
    found.caption = (
        f"{setup.text}, {setup.players} players, {setup.units} pairs, seed {setup.seed}; late: "
        f"{late} cards in the stock or fewer.\nsearched: decisions a deal; overruled: the share in "
        "which the bot's action was not played;\nms: processor time a searched decision."
    )
    for head in ("rollouts", "searches", "points", f"{level:.0%}", "searched", "overruled", "ms"):
        found.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        points = row.entry["outcome"].points
        ends = f"[{points.interval.low:+.0f}, {points.interval.high:+.0f}]"
        found.add_row(
            str(row.options.rollouts), row.part, f"{points.mean:+.0f}", ends,
            f"{row.searched:.1f}", f"{100 * row.overruled:.0f} %", f"{row.milliseconds:.1f}",
        )  # fmt: skip
    return found


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.search_study", description=__doc__)
    parse.add_argument(
        "--search", default="search", help="the options that all have, as search(errors=2)"
    )
    parse.add_argument("--rollouts", type=positive, nargs="+", default=[64, 256])
    parse.add_argument("--parts", choices=PARTS, nargs="+", default=PARTS)
    parse.add_argument("--late", type=positive, default=40, help="cards in the stock at the most")
    parse.add_argument("--rules", default="classic")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--pairs", type=positive, default=400, help="decks, each played twice")
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parse.add_argument("--json", type=Path, metavar="FILE", help="write the results here")
    parse.add_argument("--force", action="store_true", help="overwrite FILE")
    return parse


def run(options: argparse.Namespace, console: Console) -> None:
    """Plays all, shows and writes; raises ValueError or OSError with one clear line."""
    if options.json and options.json.exists() and not options.force:
        raise FileExistsError(f"{options.json} exists; --force overwrites it")
    rules = Rules.parse(options.rules)
    setup = Setup(
        text=str(rules), rules=rules.at(options.players), players=options.players,
        units=options.pairs, seed=options.seed,
    )  # fmt: skip
    base, rows = Options.parse(options.search), []
    for rollouts in options.rollouts:
        for part in options.parts:
            one = variant(replace(base, rollouts=rollouts), part, options.late)
            rows.append(study(setup, one, part, options.level))
            console.print(table(setup, rows[-1:], options.late, options.level))
    console.print(table(setup, rows, options.late, options.level))
    if options.json:
        entries = [row.entry for row in rows]
        whole = document(setup, entries, options.level)
        result.write(options.json, whole, force=options.force)
        console.print(f"wrote {options.json}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    work = partial(run, options, Console())
    return carry_out("experiments.search_study", work, "interrupted; nothing was written")


if __name__ == "__main__":
    sys.exit(main())

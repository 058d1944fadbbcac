"""Games as data: ``python -m experiments.data A B --deals 10000 --out data``.

A and B are teams as ``experiments.match`` takes them; one alone plays with itself. Every deck is
played once with A on each side. What is written is described in ``docs/data.md``. The decks have
seeds of their own: they are neither those of training nor those of evaluation.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console

from canasta_env.rules import Rules
from experiments.command import carry_out, positive
from experiments.data import plan as plans
from experiments.data.files import Writer
from experiments.data.plan import Plan
from experiments.play import Setup

__all__ = ["main", "parser", "plan_of"]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.data", description=__doc__)
    parse.add_argument("team", help="team A: an agent, or agents joined by + for its seats")
    parse.add_argument("other", nargs="?", help="team B; left out: team A plays with itself")
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    length = parse.add_mutually_exclusive_group()
    length.add_argument("--deals", type=positive, help="single deals, from scores of all bands")
    length.add_argument("--matches", type=positive, help="whole matches instead")
    parse.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the files go")
    parse.add_argument("--seed", type=int, default=0, help="of the decks and the agents")
    parse.add_argument("--hands", action="store_true", help="write what was hidden too: all hands")
    parse.add_argument(
        "--scores", choices=("spread", "zero"), default="spread", help="before a single deal"
    )
    parse.add_argument("--stock", choices=("shared", "seat_streams"), default="shared")
    parse.add_argument("--max-deals", type=positive, default=40, help="limit of deals in a match")
    parse.add_argument("--threads", type=positive, default=1)
    parse.add_argument("--force", action="store_true", help="write over a data set in DIR")
    return parse


def plan_of(options: argparse.Namespace) -> Plan:
    """What the options ask for.

    Raises:
        ValueError: the rules, the players, the seed or the number of deals are not possible.
    """
    rules = Rules.parse(options.rules)
    here = rules.at(options.players)
    if options.seed < 0:
        raise ValueError(f"--seed {options.seed} is not possible; a whole number from 0 on")
    name, count = ("matches", options.matches) if options.matches else ("deals", options.deals)
    tables = int(here.sides)
    if count is None:
        raise ValueError("say how much is played: --deals 10000, or --matches 1000")
    if count % tables:
        raise ValueError(
            f"--{name} {count} is no multiple of {tables}: each deck is played at {tables} tables, "
            "once with team A on each side"
        )
    setup = Setup(
        text=str(rules),
        rules=here,
        players=options.players,
        units=count // tables,
        seed=options.seed,
        episode="match" if options.matches else "deal",
        scores=options.scores,
        stock=options.stock,
        max_deals=options.max_deals,
        threads=options.threads,
    )
    return Plan(setup, (options.team, options.other or options.team), options.hands)


def run(options: argparse.Namespace, console: Console) -> None:
    """Plays, writes and says what there is; raises ValueError or OSError with one clear line."""
    plan = plan_of(options)
    if find_spec("pyarrow") is None:
        raise ValueError("writing data needs pyarrow: pip install 'canasta-env[data]'")
    if plan.hands:
        console.print("the column hands holds what the seats could not know: no policy may read it")
    start = time.perf_counter()

    def progress(writer: Writer) -> None:
        rate = writer.rows / (time.perf_counter() - start)
        console.print(
            f"{writer.deals:,} deals, {writer.rows:,} decisions ({rate:,.0f} a second)"
            f" in {len(writer.files)} files"
        )

    plans.carry_out(plan, options.out, force=options.force, progress=progress)
    console.print(f"wrote {options.out}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    work = partial(run, options, Console())
    return carry_out("experiments.data", work, "interrupted; the files that are whole stay")


if __name__ == "__main__":
    sys.exit(main())

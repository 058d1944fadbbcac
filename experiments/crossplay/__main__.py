"""Agents as partners of one another: self-play, cross-play and what is between.

    python -m experiments.crossplay basic closer hoarder --against basic --rules mini --pairs 500
    python -m experiments.crossplay --arm low runs/low-seed1 runs/low-seed2 \\
        --arm high runs/high-seed1 runs/high-seed2 --against basic --json m.json --svg m.svg
    python -m experiments.crossplay basic closer --partner-of champion --against expert

Every ordered pair of agents meets the same teams on the same decks, each deck played with the pair
on each side. Of arms the partners come from one arm, with --between from two as well. Given again
with the same --json, the command plays what is missing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from canasta_env.rules import Rules
from experiments.block import Setup
from experiments.command import carry_out, check_level, positive
from experiments.crossplay import picture, show
from experiments.crossplay.run import Bools, crossplay
from experiments.crossplay.summary import (
    between,
    difference,
    pairs_of,
    summarise,
    swap,
    worst_partners,
)
from experiments.crossplay.tensor import Tensor, group_pairs, pairs_with

__all__ = ["main", "parser"]

Arms = dict[str, list[str]]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.crossplay", description=__doc__)
    parse.formatter_class = argparse.RawDescriptionHelpFormatter
    parse.add_argument("agents", nargs="*", metavar="AGENT", help="as experiments.match takes them")
    parse.add_argument(
        "--arm", action="append", nargs="+", default=[], metavar=("NAME", "AGENT"),
        help="a name and its agents, one for each training seed; once for each arm",
    )  # fmt: skip
    parse.add_argument("--between", action="store_true", help="partners from two arms, too")
    parse.add_argument(
        "--partner-of", metavar="EGO", help="play only this agent, with each of the others"
    )
    parse.add_argument(
        "--against", "--opponents", nargs="+", default=["basic"], metavar="TEAM",
        help="basic, basic+expert, self (each agent with itself), all (all teams of two agents)",
    )  # fmt: skip
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument(
        "--pairs", type=positive, default=1000, help="decks; each is played once a side"
    )
    parse.add_argument("--seed", type=int, default=0, help="of the decks and the agents")
    parse.add_argument("--stock", choices=("seat_streams", "shared"), default="seat_streams")
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parse.add_argument("--processes", type=positive, default=1)
    parse.add_argument("--json", type=Path, metavar="FILE", help="keep what is played here")
    parse.add_argument("--svg", type=Path, metavar="FILE", help="draw the matrix here")
    return parse


def _setup(options: argparse.Namespace) -> Setup:
    """What is played; raises ValueError for what is not possible."""
    check_level(options.level)
    if options.seed < 0:
        raise ValueError(f"--seed {options.seed} is not possible; a whole number from 0 on")
    if options.pairs < 2:
        raise ValueError("--pairs 1 says nothing about others; 2 at the least")
    if options.svg and not options.svg.parent.is_dir():
        raise ValueError(f"{options.svg}: there is no folder {options.svg.parent}")
    rules = Rules.parse(options.rules)
    return Setup(
        text=str(rules), rules=rules.at(4), players=4, units=options.pairs, seed=options.seed,
        stock=options.stock,
    )  # fmt: skip


def _arms(options: argparse.Namespace) -> Arms:
    """The agents by arm; those that are in none are one with no name.

    Raises:
        ValueError: too few agents, one twice, or arms together with others.
    """
    arms = {name: names for name, *names in options.arm}
    if len(arms) < len(options.arm):
        raise ValueError("an arm is named twice")
    if arms and (options.agents or options.partner_of):
        raise ValueError("name agents, with --partner-of or without, or else arms")
    arms = arms or {"": options.agents}
    for name, names in arms.items():
        if len(names) < 2:
            raise ValueError(f"name two agents at least{f' of --arm {name}' if name else ''}")
    every = [agent for names in arms.values() for agent in names]
    twice = [agent for place, agent in enumerate(every) if agent in every[:place]]
    if twice:
        raise ValueError(f"{twice[0]} is named twice; each agent is one, in one arm")
    return arms


def _pairs(options: argparse.Namespace, agents: Sequence[str], arms: Arms) -> Bools:
    """Which pairs of partners are played."""
    if options.partner_of:
        return pairs_with(agents, options.partner_of, options.agents)
    return group_pairs(agents, [agents] if options.between else arms.values())


def _play(
    options: argparse.Namespace, setup: Setup, agents: list[str], pairs: Bools, console: Console
) -> Tensor:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("blocks of cells")
        return crossplay(
            setup, agents, options.against, pairs=pairs, file=options.json,
            processes=options.processes,
            progress=lambda done, of: progress.update(task, completed=done, total=of),
        )  # fmt: skip


def _show(tensor: Tensor, arms: Arms, options: argparse.Namespace, console: Console) -> None:
    """The tables of a matrix, arm by arm."""
    level = options.level
    parts = {name: tensor.part(names) for name, names in arms.items()}
    two = list(combinations(arms, 2))
    mixed = {
        f"{one} with {other}": between(tensor, arms[one], arms[other], level=level)
        for one, other in (two if options.between else ())
    }
    differences = {
        f"{one} less {other}": difference(parts[one], parts[other], level=level)
        for one, other in two
    }
    found = {name: summarise(part, level=level) for name, part in parts.items()}
    console.print(show.estimates(found, mixed, differences, level))
    for part in parts.values():
        console.print(show.pairs(pairs_of(part, level=level), level))
        console.print(show.worst(worst_partners(part, level=level), level))


def run(options: argparse.Namespace, console: Console) -> None:
    """Plays, shows and writes; raises ValueError or OSError with one clear line."""
    arms = _arms(options)
    setup = _setup(options)
    ego = options.partner_of
    named = [*([ego] if ego else []), *(name for names in arms.values() for name in names)]
    agents = list(dict.fromkeys(named))
    tensor = _play(options, setup, agents, _pairs(options, agents, arms), console)
    against = " ".join(options.against)
    console.print(f"{setup.text}, against {against}: {setup.units} decks, seed {setup.seed}")
    if table := show.matrix(tensor):
        console.print(table)
    if ego:
        found = swap(tensor, ego, options.agents, level=options.level)
        console.print(show.swaps(ego, found, options.level))
    else:
        _show(tensor, arms, options, console)
    if options.json:
        console.print(f"wrote {options.json}")
    if options.svg:
        title = f"Partners in {setup.text} against {against}: points a deal, {setup.units} decks"
        text = picture.draw(title, agents, tensor.matrix(), list(arms.values()))
        options.svg.write_text(text, encoding="utf-8")
        console.print(f"wrote {options.svg}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    kept = "the same command goes on" if options.json else "nothing was written"
    return carry_out(
        "experiments.crossplay", partial(run, options, Console()), f"interrupted; {kept}"
    )


if __name__ == "__main__":
    sys.exit(main())

"""Learning curves against a ladder of agents, with plots and tables.

    python -m experiments.curves --arm ppo runs/ppo-seed1 runs/ppo-seed2 --arm dmc runs/dmc-seed1

An arm is a name and its runs, which differ in their seed. Every checkpoint that they kept along the
way (``--keep-every`` of the trainers) plays duplicate pairs against every opponent. What was played
stands in a file (``--results``); given again, the command plays what is missing and draws anew.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from agents import checkpoint as checkpoints
from agents import registry
from canasta_env.rules import Rules
from experiments.block import Setup
from experiments.command import carry_out, positive
from experiments.curves import page
from experiments.curves.arms import Arm, Curve, Step, read_arm
from experiments.curves.ladder import climb
from experiments.curves.plots import Panel
from experiments.curves.store import Store
from experiments.report.pages import insert

__all__ = ["main", "parser"]

LADDER = ("random", "greedy", "basic", "expert")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.curves", description=__doc__)
    parse.formatter_class = argparse.RawDescriptionHelpFormatter
    parse.add_argument(
        "--arm", action="append", nargs="+", default=[], metavar=("NAME", "RUN"),
        help="a name and the runs of its seeds; once for each arm",
    )  # fmt: skip
    parse.add_argument(
        "--after", action="append", nargs="+", default=[], metavar=("NAME", "RUN"),
        help="the run that an arm began from, or one for each of its runs: adds deals and hours",
    )  # fmt: skip
    parse.add_argument(
        "--against", nargs="+", default=list(LADDER), metavar="AGENT", help="the ladder"
    )
    parse.add_argument("--pairs", type=positive, default=512, help="decks; each is played twice")
    parse.add_argument("--seed", type=int, default=0, help="of the decks")
    parse.add_argument("--threads", type=positive, default=1, help="that step the games")
    parse.add_argument(
        "--results", type=Path, default=Path("runs/curves.json"), metavar="FILE",
        help="what was played (default: runs/curves.json)",
    )  # fmt: skip
    parse.add_argument(
        "--page", type=Path, default=Path("docs/learning-curves.md"), metavar="FILE",
        help="the page whose section is written anew (default: docs/learning-curves.md)",
    )  # fmt: skip
    parse.add_argument("--name", default="ladder", help="of the section and its plots")
    return parse


def _arms(options: argparse.Namespace) -> list[Arm]:
    """The arms; raises ValueError with one clear line."""
    if not options.arm:
        raise ValueError("name an arm and its runs: --arm ppo runs/ppo-seed1 runs/ppo-seed2")
    names = [name for name, *_ in options.arm]
    before = {name: runs for name, *runs in options.after}
    for name, *runs in [*options.arm, *options.after]:
        if not runs:
            raise ValueError(f"--arm {name}: name its runs, too")
        if name not in names or names.count(name) > 1:
            raise ValueError(f"{name}: one --arm of this name is needed")
    return [read_arm(name, runs, before.get(name, ())) for name, *runs in options.arm]


def _setup(options: argparse.Namespace, arms: Sequence[Arm]) -> Setup:
    """What is played: the rules of the first run, which all must be for."""
    first = arms[0].runs[0].steps[0].path
    meta = checkpoints.read(first).meta
    for run in (run for arm in arms for run in arm.runs):
        checkpoints.check_identity(checkpoints.read(run.steps[0].path), meta)
    return Setup(
        text=meta["rules"], rules=Rules.parse(meta["rules"]).at(meta["players"]),
        players=meta["players"], units=options.pairs, seed=options.seed, threads=options.threads,
    )  # fmt: skip


def _play(
    arms: Sequence[Arm], ladder: Sequence[str], setup: Setup, store: Store, console: Console
) -> None:
    """Plays what is not in the file yet."""
    steps = {step.network: step for arm in arms for run in arm.runs for step in run.steps}
    missing: list[tuple[Step, list[str]]] = []
    for step in steps.values():
        opponents = [name for name in ladder if store.find(step.network, name) is None]
        if opponents:
            missing.append((step, opponents))
    console.print(f"{len(steps)} checkpoints, {len(missing)} of them to be played")
    for step, opponents in track(missing, "playing", console=console):
        agent = registry.make(step.path, setup.text, setup.players)
        store.add(step.network, climb(setup, agent, opponents))


def _panels(arms: Sequence[Arm], ladder: Sequence[str], store: Store) -> list[Panel]:
    """The curves of all arms, by opponent."""
    panels = []
    for opponent in ladder:
        curves, errors = [], []
        for arm in arms:
            found = [[store.find(s.network, opponent) for s in run.steps] for run in arm.runs]
            known = [[one for one in row if one] for row in found]
            curves.append(Curve(arm, np.array([[one.points for one in row] for row in known])))
            errors += [one.error for row in known for one in row]
        panels.append(Panel(opponent, curves, float(np.mean(errors))))
    return panels


def run(options: argparse.Namespace, command: str, console: Console) -> None:
    """Plays, draws and writes; raises ValueError or OSError with one clear line."""
    arms = _arms(options)
    setup = _setup(options, arms)
    for name in options.against:
        registry.make(name, setup.text, setup.players)  # a wrong name is told now
    store = Store(options.results, setup)
    _play(arms, options.against, setup, store, console)
    panels = _panels(arms, options.against, store)
    folder = options.page.with_suffix("")
    plots = page.write_plots(folder, options.name, panels)
    paths = [f"{folder.name}/{plot.name}" for plot in plots]
    text = page.section(options.name, command, panels, setup.units, paths)
    insert(options.page, options.name, text, "curves", "Learning curves")
    for file in (*plots, options.page):
        console.print(f"wrote {file}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    command = f"python -m experiments.curves {shlex.join(given)}"
    work = partial(run, parser().parse_args(given), command, Console())
    return carry_out(
        "experiments.curves", work, "interrupted; the same command plays what is missing"
    )


if __name__ == "__main__":
    sys.exit(main())

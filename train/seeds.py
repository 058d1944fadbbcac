"""Several training seeds by one command, a run each, and a table of what they reached.

    python -m train.seeds ppo --seeds 1 2 3 -- --deals 100000 --keep-every 10000

What stands after ``--`` are the settings of the trainer, the same for all seeds, but for ``{seed}``
in them: ``--start 'runs/imitate-seed{seed}'``. The runs are ``runs/ppo-classic-4p-seed1`` and so on
(``--run NAME`` for ``NAME-seed1``). The command can be given again at any time: runs that have come
to their end are skipped, those that were broken off go on, and the table is made of all.
"""

from __future__ import annotations

import argparse
import importlib.util
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from agents import checkpoint as checkpoints
from agents import registry
from train import runs
from train.evaluate import Score, against

__all__ = ["Plan", "Run", "complete", "main", "parser", "plan", "table"]

_OURS: Final = ("--seed", "--run", "--resume")
"""Settings of a trainer that this command gives itself."""
_LOOK: Final = 0.2
"""Seconds between looks at the runs."""


# --- what is to be done -------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One seed's run: its folder, and how many deals its checkpoint has; -1 if there is none."""

    seed: int
    folder: Path
    deals: int


@dataclass(frozen=True)
class Plan:
    """All runs of a trainer: its name (``ppo``), its settings as given and as read."""

    trainer: str
    settings: tuple[str, ...]
    args: Any
    runs: tuple[Run, ...]

    def arguments(self, run: Run) -> list[str]:
        """The trainer's command line: a new run, or the continuation of one."""
        return [
            *("--run" if run.deals < 0 else "--resume", str(run.folder)),
            *("--seed", str(run.seed)),
            *_for_seed(self.settings, run.seed),
        ]

    def is_done(self, run: Run) -> bool:
        """Whether there is nothing to train."""
        return bool(run.deals >= self.args.deals)


def plan(trainer: str, seeds: Sequence[int], name: str, settings: Sequence[str]) -> Plan:
    """Reads the settings and looks at the runs that there are already.

    Raises:
        ValueError: there is no such trainer, a setting is this command's own, a seed is given
            twice, or a run was made with other settings; the text is one line.
    """
    module = _module(trainer)
    own = [text for text in settings if text.split("=")[0] in _OURS]
    if own:
        raise ValueError(f"{own[0]} is given for each seed by this command; leave it out")
    if len(set(seeds)) < len(seeds):
        raise ValueError(f"--seeds {' '.join(map(str, seeds))}: a seed stands there twice")
    free = getattr(module, "FREE_ON_RESUME", None)
    args = runs.parse(module.Args, trainer, (), _for_seed(settings, seeds[0]), None)
    base = name or f"runs/{trainer}-{args.rules}-{args.players}p"
    found = Plan(
        trainer, tuple(settings), args, tuple(_look(s, Path(f"{base}-seed{s}")) for s in seeds)
    )
    for run in found.runs:
        if free and run.deals >= 0:  # raises where the settings are others
            runs.parse(module.Args, trainer, free, found.arguments(run), None)
    return found


def _for_seed(settings: Sequence[str], seed: int) -> list[str]:
    return [text.replace("{seed}", str(seed)) for text in settings]


def _module(trainer: str) -> ModuleType:
    """The module of a trainer."""
    if trainer.isidentifier() and importlib.util.find_spec(f"train.{trainer}"):
        module = importlib.import_module(f"train.{trainer}")
        if hasattr(module, "Args") and hasattr(module, "main"):
            return module
    raise ValueError(f"{trainer!r} is no trainer; try ppo")


def _look(seed: int, folder: Path) -> Run:
    """The run of a seed as it is now."""
    if not (folder / checkpoints.LAST / checkpoints.INDEX).is_file():
        return Run(seed, folder, -1)
    return Run(seed, folder, int(checkpoints.read(folder).meta["counters"]["deals"]))


# --- training -----------------------------------------------------------------------------------


class Children:
    """The trainers that run now. Ctrl-C (or SIGTERM) is passed on to each of them once each time.

    They have a process group of their own: a terminal would send them Ctrl-C as well, and the
    second one stops a trainer at once. The handler only notes a signal, and :meth:`look` passes it
    on, so that a trainer that is just being started is not missed.
    """

    def __init__(self) -> None:
        self.running: dict[int, subprocess.Popen[bytes]] = {}
        self.ended: dict[int, int] = {}
        self.signals: list[int] = []
        self.told: dict[int, int] = {}
        """How many of the signals each trainer has got."""

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.signals.append(number)

    def start(self, seed: int, command: list[str], log: Path | None) -> None:
        """Starts a trainer; what it shows goes to the terminal, or to the end of a file."""
        self.told[seed] = 0
        if log is None:
            self.running[seed] = subprocess.Popen(command, start_new_session=True)
            return
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as file:
            self.running[seed] = subprocess.Popen(
                command, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
            )

    def look(self) -> None:
        """Passes signals on, and notes the status of those that have ended; whatever it is, a
        trainer that was asked to stop was interrupted.
        """
        for seed, child in list(self.running.items()):
            for number in self.signals[self.told[seed] :]:
                child.send_signal(number)
                self.told[seed] += 1
            status = child.poll()
            if status is not None:
                self.ended[seed] = runs.INTERRUPTED if status and self.told[seed] else status
                del self.running[seed]

    def are_to_stop(self) -> bool:
        """Whether no further one is to be started."""
        return bool(self.signals) or runs.INTERRUPTED in self.ended.values()


def train(todo: Plan, jobs: int, console: Console) -> dict[int, int]:
    """Trains what is to be trained, ``jobs`` at a time; the status of each, by seed."""
    children = Children()
    waiting = [run for run in todo.runs if not todo.is_done(run)]
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, children) for number in numbers]
    try:
        while children.running or (waiting and not children.are_to_stop()):
            while waiting and len(children.running) < jobs and not children.are_to_stop():
                run = waiting.pop(0)
                log = run.folder.with_name(run.folder.name + ".log") if jobs > 1 else None
                command = [sys.executable, "-m", f"train.{todo.trainer}", *todo.arguments(run)]
                console.print(_begins(run, log), highlight=False, soft_wrap=True)
                children.start(run.seed, command, log)
            time.sleep(_LOOK)
            children.look()
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    return children.ended | dict.fromkeys((run.seed for run in waiting), runs.INTERRUPTED)


def complete(todo: Plan, jobs: int, console: Console) -> None:
    """Trains what is missing of a plan, ``jobs`` runs at a time, and says what is done already.

    Raises:
        KeyboardInterrupt: it was interrupted; what was trained is saved.
        ValueError: a trainer ended too early; one line that names its seed.
    """
    for one in todo.runs:
        if todo.is_done(one):
            console.print(f"seed {one.seed}: {one.folder} is done, {one.deals:,} deals")
    failed = {seed: status for seed, status in train(todo, jobs, console).items() if status}
    if runs.INTERRUPTED in failed.values():
        raise KeyboardInterrupt
    if failed:
        told = ", ".join(f"seed {seed} with status {status}" for seed, status in failed.items())
        raise ValueError(f"ended too early: {told}; the same command goes on")


def _begins(run: Run, log: Path | None) -> str:
    how = "begins" if run.deals < 0 else f"goes on after {run.deals:,} deals"
    return f"seed {run.seed}: {run.folder} {how}" + (f"; see {log}" if log else "")


# --- the table ----------------------------------------------------------------------------------


def table(done: Plan, decks: int) -> Table:
    """Points a deal of every seed against ``eval_opponent``, on the same decks, and their mean with
    Student's interval: for a seed that was not trained yet.
    """
    args = done.args
    found = Table(
        title=f"points a deal against {args.eval_opponent}, {decks:,} decks", title_justify="left"
    )
    for head in ("run", "deals", "hours", "points (95 %)"):
        found.add_column(head, justify="left" if head == "run" else "right")
    scores = []
    for run in done.runs:
        counters = checkpoints.read(run.folder).meta["counters"]
        agent = registry.make(str(run.folder), args.rules, args.players)
        scores.append(against(agent, args.eval_opponent, args, decks))
        hours = f"{counters['seconds'] / 3600:.2f}"
        found.add_row(str(run.folder), f"{counters['deals']:,}", hours, str(scores[-1]))
    found.add_section()
    found.add_row(f"mean of {len(scores)} seeds", "", "", _mean(scores))
    return found


def _mean(scores: Sequence[Score]) -> str:
    """The mean of the seeds' points and half of Student's interval."""
    points = [one.points for one in scores]
    mean = float(np.mean(points))
    if len(points) == 1:
        return f"{mean:+.0f} (one seed says nothing about others)"
    from scipy.stats import sem, t  # type: ignore[import-untyped]

    return f"{mean:+.0f} ± {t.ppf(0.975, len(points) - 1) * sem(points):.0f}"


# --- command ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The command line up to ``--``."""
    parse = argparse.ArgumentParser(
        prog="python -m train.seeds",
        description="Trains with several seeds, a run each, and shows what they reached.",
        epilog="What stands after -- are settings of the trainer.",
    )
    parse.add_argument("trainer", help="ppo, dmc, ...: the trainer of the module train.ppo, ...")
    parse.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parse.add_argument("--jobs", type=int, default=1, help="runs at a time (default: 1)")
    parse.add_argument("--run", default="", metavar="NAME", help="runs are NAME-seed1, ...")
    parse.add_argument(
        "--decks", type=int, default=1000, help="of the table; 0 for none (default: 1000)"
    )
    return parse


def run(options: argparse.Namespace, settings: Sequence[str], console: Console) -> None:
    """Trains and shows; raises ValueError with one clear line."""
    if options.jobs < 1:
        raise ValueError(f"--jobs {options.jobs} is not 1 or more")

    def look() -> Plan:
        return plan(options.trainer, options.seeds, options.run, settings)

    complete(look(), options.jobs, console)
    if options.decks:
        console.print(table(look(), options.decks))


def main(arguments: Sequence[str] | None = None) -> None:
    """The command; its status is 130 if it was interrupted."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    cut = given.index("--") if "--" in given else len(given)
    try:
        run(parser().parse_args(given[:cut]), given[cut + 1 :], Console())
    except ValueError as error:
        sys.exit(f"train.seeds: {error}")
    except KeyboardInterrupt:
        print(f"go on with: python -m train.seeds {shlex.join(given)}")
        sys.exit(runs.INTERRUPTED)


if __name__ == "__main__":
    main()

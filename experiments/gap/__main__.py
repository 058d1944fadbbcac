"""Is there a gap between self-play and cross-play? A study from a file, from training to the page.

    python -m experiments.gap                                  # the small game: mini.toml
    python -m experiments.gap experiments/gap/classic.toml

trains the seeds of all arms that are not trained yet, plays every two seeds of an arm as partners,
and writes the figures between marks of the page; what people wrote around them stays. It can be
stopped and given again at any time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from experiments.command import carry_out, positive
from experiments.gap import page
from experiments.gap.config import read
from experiments.gap.findings import find, train
from experiments.report.pages import insert

__all__ = ["main", "parser"]

_HERE = Path(__file__).resolve().parent


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.gap", description=__doc__)
    parse.formatter_class = argparse.RawDescriptionHelpFormatter
    parse.add_argument("study", nargs="?", type=Path, default=_HERE / "mini.toml")
    parse.add_argument("--runs", type=Path, default=Path("runs/gap"), help="folder of the runs")
    parse.add_argument("--page", type=Path, default=Path("docs/studies/gap.md"))
    parse.add_argument("--processes", type=positive, default=2, help="that play")
    parse.add_argument("--jobs", type=positive, default=1, help="trainings at a time")
    return parse


def run(options: argparse.Namespace, console: Console) -> None:
    """Trains, plays and writes; raises ValueError or OSError with one clear line."""
    study = read(options.study)
    train(study, options.runs, options.jobs, console)
    found = find(study, options.runs, options.processes, console.print)
    folder = options.page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    plots = {}
    for name, drawing in page.drawings(study, found).items():
        file = folder / f"{study.rules}-{name}.svg"
        file.write_text(drawing, encoding="utf-8")
        plots[name] = f"{folder.name}/{file.name}"
    insert(options.page, study.rules, page.section(study, found, plots), "gap", "The gap")
    console.print(f"wrote the figures of {study.rules} into {options.page}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    work = partial(run, parser().parse_args(arguments), Console())
    return carry_out("experiments.gap", work, "interrupted; the same command does what is missing")


if __name__ == "__main__":
    sys.exit(main())

"""What suits and the order of melds are worth to partners who see them: a small study.

    python -m experiments.channels

trains the seeds of the arms `hidden`, `order` and `suits` that are not trained yet, lets them play,
asks whether they listen, and writes the figures between marks of the page; what people wrote around
them stays. It can be stopped and given again at any time.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from canasta_env.rules import Rules
from experiments.channels import page
from experiments.channels.findings import Study, find, train
from experiments.command import carry_out, positive
from experiments.report.pages import insert

__all__ = ["main", "parser"]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.channels", description=__doc__)
    parse.formatter_class = argparse.RawDescriptionHelpFormatter
    parse.add_argument("--rules", default="mini")
    parse.add_argument("--seeds", type=positive, default=10, help="of each arm")
    parse.add_argument("--deals", type=positive, default=16_000, help="of each training")
    parse.add_argument("--decks", type=positive, default=1000, help="of each comparison")
    parse.add_argument("--asked", type=positive, default=400, help="deals in which is asked")
    parse.add_argument("--runs", type=Path, default=Path("runs/channels"), help="their folder")
    parse.add_argument("--page", type=Path, default=Path("docs/studies/channels.md"))
    return parse


def run(options: argparse.Namespace, console: Console) -> None:
    """Trains, plays and writes; raises ValueError or OSError with one clear line."""
    if options.seeds < 2:
        raise ValueError(f"--seeds {options.seeds}: one seed says nothing about others; 2 or more")
    study = Study(
        rules=str(Rules.parse(options.rules)),
        seeds=tuple(range(1, options.seeds + 1)),
        deals=options.deals,
        decks=options.decks,
        asked=options.asked,
        runs=str(options.runs),
    )
    train(study, console)
    found = find(study, console.print)
    folder = options.page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    plot = folder / f"{study.rules}.svg"
    plot.write_text(page.drawing(study, found), encoding="utf-8")
    text = page.section(study, found, f"{folder.name}/{plot.name}")
    insert(options.page, study.rules, text, "channels", "Suits and the order of melds")
    console.print(f"wrote the figures of {study.rules} into {options.page}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    work = partial(run, parser().parse_args(arguments), Console())
    return carry_out(
        "experiments.channels", work, "interrupted; the same command does what is missing"
    )


if __name__ == "__main__":
    sys.exit(main())

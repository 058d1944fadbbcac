"""What asking "may I go out?" is worth: trains what is missing, plays, and writes the page.

    python -m experiments.asking

All that is made stands in a folder (``--runs``); given again, the command goes on where it was
broken off, and with nothing missing it writes the same page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from rich.console import Console

from experiments.asking import page
from experiments.asking.arms import Agents
from experiments.asking.config import Game, read
from experiments.asking.findings import find
from experiments.asking.matches import Hall
from experiments.command import carry_out
from experiments.report.pages import insert
from train import seeds

__all__ = ["main", "parser"]

_STUDY: Final = Path(__file__).with_name("study.toml")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.asking", description=__doc__)
    parse.formatter_class = argparse.RawDescriptionHelpFormatter
    parse.add_argument(
        "--study", type=Path, default=_STUDY, metavar="FILE", help="what is trained and played"
    )
    parse.add_argument(
        "--runs", type=Path, default=Path("runs/asking"), metavar="FOLDER",
        help="of the runs and of what was played (default: runs/asking)",
    )  # fmt: skip
    parse.add_argument(
        "--page", type=Path, default=Path("docs/studies/asking.md"), metavar="FILE",
        help="the page whose figures are written anew (default: docs/studies/asking.md)",
    )  # fmt: skip
    return parse


def _train(game: Game, agents: Agents, console: Console) -> None:
    """Trains what is missing; raises ValueError if it fails, KeyboardInterrupt as it was asked."""
    for arm in ("with", "without") if game.seeds else ():
        given = ["ppo", "--decks", "0", "--run", agents.run(arm), "--seeds", *map(str, game.seeds)]
        options = seeds.parser().parse_args(given)
        seeds.run(options, agents.settings(arm), console)


def run(options: argparse.Namespace, console: Console) -> None:
    """Trains, plays and writes; raises ValueError or OSError with one clear line."""
    study = read(options.study)
    hall = Hall(options.runs / "played", study.seed, console)
    folder = options.page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for game in study.games:
        agents = Agents(game, options.runs)
        _train(game, agents, console)
        found = find(hall, study, game, agents)
        plot = folder / f"{agents.label}.svg"
        plot.write_text(page.plot(found), encoding="utf-8")
        text = page.section(study, found, f"{folder.name}/{plot.name}")
        insert(options.page, agents.label, text, "asking", "Asking")
        console.print(f"wrote {plot} and the figures of {game.rules} in {options.page}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    work = partial(run, parser().parse_args(arguments), Console())
    return carry_out(
        "experiments.asking", work, "interrupted; the same command does what is missing"
    )


if __name__ == "__main__":
    sys.exit(main())

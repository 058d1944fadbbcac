"""Duplicate matches between agents: ``python -m experiments.match A B``, or ``A --against X Y Z``.

An agent is ``random``, ``greedy``, ``basic`` or the path of a checkpoint or run; ``basic+greedy``
is a team of two different partners. Every deck is played once with team A on each side; the unit of
all intervals is the deck. See :mod:`experiments.play` for the seating and :mod:`experiments.deals`
for the seeds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.checkpoint import identity, versions
from canasta_env.batch import Batch
from canasta_env.rules import Rules
from experiments import result, tables
from experiments.command import carry_out, check_level, positive
from experiments.deals import EVALUATION
from experiments.play import Lineup, Setup, line_up, play
from experiments.records import Recorder, folder_for

__all__ = ["compare", "document", "main"]


def compare(
    setup: Setup,
    lineup: Lineup,
    teams: tuple[str, str],
    level: float,
    recorder: Recorder | None = None,
) -> dict[str, Any]:
    """Plays team A against team B; the entry of the result file, with its outcome under
    ``outcome``.
    """
    played = play(setup, lineup, recorder)
    found = result.outcome(
        *teams, played.scores, played.counts, capped=played.capped, level=level, seed=setup.seed
    )
    return {"outcome": found, **result.entry(found, played.scores, played.counts)}


def document(setup: Setup, entries: Sequence[dict[str, Any]], level: float) -> dict[str, Any]:
    """The result file: how it was played, with what, and the matches."""
    probe = Batch(setup.text, 1, players=setup.players)
    return {
        "format": result.FORMAT,
        "versions": versions(),
        "identity": identity(probe),
        "settings": {
            "rules": setup.text,
            "players": setup.players,
            "sides": setup.sides,
            "units": setup.units,
            "episode": setup.episode,
            "scores": setup.scores if setup.episode == "deal" else "zero",
            "stock": setup.stock,
            "max_deals": setup.max_deals,
            "level": level,
        },
        "seeds": {"seed": setup.seed, "stream": EVALUATION},
        "matches": [{k: v for k, v in entry.items() if k != "outcome"} for entry in entries],
    }


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.match", description=__doc__)
    parse.add_argument("team", help="team A: an agent, or agents joined by + for its seats")
    parse.add_argument("opponents", nargs="*", help="team B; several are played one after another")
    parse.add_argument("--against", nargs="+", default=[], metavar="TEAM", help="more opponents")
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument(
        "--pairs", type=positive, default=4000, help="decks; each is played once a side"
    )
    parse.add_argument("--seed", type=int, default=0, help="of the decks and the agents")
    parse.add_argument("--episode", choices=("deal", "match"), default="deal")
    parse.add_argument(
        "--scores", choices=("spread", "zero"), default="spread", help="before a deal"
    )
    parse.add_argument("--stock", choices=("seat_streams", "shared"), default="seat_streams")
    parse.add_argument("--max-deals", type=positive, default=40, help="limit of deals in a match")
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parse.add_argument("--threads", type=positive, default=1)
    parse.add_argument("--json", type=Path, metavar="FILE", help="write the result here")
    parse.add_argument("--force", action="store_true", help="overwrite FILE, and records")
    parse.add_argument(
        "--records", type=Path, metavar="DIR", help="write records of the first games here"
    )
    parse.add_argument(
        "--record-decks", type=positive, default=10, metavar="N", help="decks that are recorded"
    )
    return parse


def _setup(options: argparse.Namespace) -> Setup:
    """The settings of all matches; raises ValueError for rules, players or a level that do not
    exist.
    """
    rules = Rules.parse(options.rules)
    check_level(options.level)
    return Setup(
        text=str(rules),
        rules=rules.at(options.players),
        players=options.players,
        units=options.pairs,
        seed=options.seed,
        episode=options.episode,
        scores=options.scores,
        stock=options.stock,
        max_deals=options.max_deals,
        threads=options.threads,
    )


def _check_file(path: Path, force: bool) -> None:
    """Raises OSError where the result could not be written after it was played."""
    if path.exists() and not force:
        raise FileExistsError(f"{path} exists; --force overwrites it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {path.parent}")


def _recorder(options: argparse.Namespace, team: str) -> Recorder | None:
    """What keeps the records against a team, if any; raises OSError if some lie there already."""
    if options.records is None:
        return None
    folder = folder_for(options.records, (options.team, team))
    if folder.exists() and not options.force:
        raise FileExistsError(f"{folder} exists; --force overwrites its records")
    return Recorder(folder, options.record_decks)


def run(options: argparse.Namespace, console: Console) -> None:
    """Plays, shows and writes; raises ValueError or OSError with one clear line."""
    opponents = [*options.opponents, *options.against]
    if not opponents:
        raise ValueError("name an opponent: python -m experiments.match A B")
    if options.json:
        _check_file(options.json, options.force)
    recorders = [_recorder(options, team) for team in opponents]
    setup = _setup(options)
    lineups = [(team, line_up(options.team, team, setup)) for team in opponents]
    entries = []
    for (team, lineup), recorder in zip(lineups, recorders, strict=True):
        start = time.perf_counter()
        teams = (options.team, team)
        entries.append(compare(setup, lineup, teams, options.level, recorder))
        took = time.perf_counter() - start
        console.print(tables.behaviour(setup, entries[-1]["outcome"], took))
        if recorder:
            console.print(f"{recorder.write(setup, lineup)} records in {recorder.folder}")
    console.print(tables.summary(setup, [entry["outcome"] for entry in entries], options.level))
    if options.json:
        result.write(options.json, document(setup, entries, options.level), force=options.force)
        console.print(f"wrote {options.json}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    work = partial(run, options, Console())
    return carry_out("experiments.match", work, "interrupted; nothing was written")


if __name__ == "__main__":
    sys.exit(main())

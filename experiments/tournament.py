"""Tournaments: ``python -m experiments.tournament FILE.sqlite AGENT AGENT …``.

All teams of the agents meet in duplicate deals, and every game is written into one SQLite file. The
same command goes on where a run was stopped, however it was; with more agents or more ``--pairs``
it adds to the file. docs/tournaments.md describes the file and what it guarantees.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from experiments.command import carry_out, positive
from experiments.tournament_crew import Crew, CrewError, Processes

__all__ = ["main"]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.tournament", description=__doc__)
    parse.add_argument("file", type=Path, metavar="FILE.sqlite", help="the results; made if needed")
    parse.add_argument(
        "agents", nargs="*", metavar="AGENT", help="left out: the teams that have met in FILE"
    )
    parse.add_argument(
        "--pairs", type=positive, default=1000, help="decks of a pairing, in whole blocks"
    )
    parse.add_argument(
        "--partners", choices=("fixed", "mixed"), default="fixed",
        help="fixed: an agent plays both seats; mixed: all teams of two different agents too",
    )  # fmt: skip
    parse.add_argument(
        "--teams", nargs="+", default=[], metavar="TEAM", help="more teams, like basic+greedy"
    )
    _add_settings(parse.add_argument_group("what is played, the same for all games of a file"))
    _add_running(parse.add_argument_group("how it is played"))
    return parse


def _add_settings(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    group.add_argument("--players", type=int, default=4)
    group.add_argument("--seed", type=int, default=0, help="of the decks and the agents")
    group.add_argument("--episode", choices=("deal", "match"), default="deal")
    group.add_argument(
        "--scores", choices=("spread", "zero"), default="spread", help="before a deal"
    )
    group.add_argument("--stock", choices=("seat_streams", "shared"), default="seat_streams")
    group.add_argument("--max-deals", type=positive, default=40, help="limit of deals in a match")
    group.add_argument(
        "--block", type=positive, metavar="N",
        help="decks that are played together and written at once; 250 at first, then as FILE has",
    )  # fmt: skip


def _add_running(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--limit", type=_number(0, 1e6), default=300.0, metavar="SECONDS",
        help="for one call of an agent, which asks for a decision in each game of a block",
    )  # fmt: skip
    group.add_argument("--retry-failed", action="store_true", help="play failed games again")
    group.add_argument("--processes", type=positive, default=1, metavar="N")
    group.add_argument(
        "--ray", metavar="ADDRESS", help="play on this Ray cluster; auto: the one running here"
    )
    group.add_argument(
        "--level", type=_number(0, 1), default=0.95, help="of the intervals that are shown"
    )


def _number(low: float, high: float) -> Callable[[str], float]:
    """The type of an argument between two bounds, neither of which it may be."""

    def number(text: str) -> float:
        value = float(text)
        if not low < value < high:
            raise argparse.ArgumentTypeError(f"{text} is not between {low:g} and {high:g}")
        return value

    return number


def _crew(options: argparse.Namespace) -> Crew:
    if options.ray is None:
        return Processes(options.processes)
    from experiments.tournament_ray import RayCluster  # Ray is loaded where it is asked for

    return RayCluster(options.ray)


def _run(options: argparse.Namespace) -> None:
    # the processes load the compiled code while this one does
    with contextlib.closing(_crew(options)) as crew:
        from experiments.tournament_run import run

        run(options, crew)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    return carry_out(
        "experiments.tournament",
        partial(_run, options),
        f"interrupted; all whole blocks are in {options.file}, and the same command goes on",
        (ValueError, OSError, CrewError),
    )


if __name__ == "__main__":
    sys.exit(main())

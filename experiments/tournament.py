"""Tournaments: ``python -m experiments.tournament FILE.sqlite AGENT AGENT …``.

All teams of the agents meet in duplicate deals, and every game is written into one SQLite file. The
same command goes on where a run was stopped, however it was; with more agents or more ``--pairs``
it adds to the file. docs/tournaments.md describes the file and what it guarantees.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.checkpoint import identity
from canasta_env.batch import Batch, Episode, Scores, Stock
from experiments.tournament_agents import describe
from experiments.tournament_crew import Crew, CrewError, Processes, results
from experiments.tournament_plan import (
    Job,
    Pairing,
    Partners,
    Settings,
    blocks_for,
    pairings,
    teams,
)
from experiments.tournament_store import Store
from experiments.tournament_table import summary

__all__ = ["main"]

INTERRUPTED = 130
_BLOCK = 250


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.tournament", description=__doc__)
    parse.add_argument("file", type=Path, metavar="FILE.sqlite", help="the results; made if needed")
    parse.add_argument(
        "agents", nargs="*", metavar="AGENT", help="left out: the teams that have met in FILE"
    )
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument(
        "--pairs", type=_positive, default=1000, help="decks of a pairing, in whole blocks"
    )
    parse.add_argument("--seed", type=int, default=0, help="of the decks and the agents")
    parse.add_argument(
        "--partners", choices=get_args(Partners), default="fixed",
        help="fixed: an agent plays both seats; mixed: all teams of two different agents too",
    )  # fmt: skip
    parse.add_argument(
        "--teams", nargs="+", default=[], metavar="TEAM", help="more teams, like basic+greedy"
    )
    parse.add_argument("--episode", choices=get_args(Episode), default="deal")
    parse.add_argument("--scores", choices=get_args(Scores), default="spread", help="before a deal")
    parse.add_argument("--stock", choices=get_args(Stock), default="seat_streams")
    parse.add_argument("--max-deals", type=_positive, default=40, help="limit of deals in a match")
    parse.add_argument(
        "--block", type=_positive, metavar="N",
        help=f"decks that are played together and written at once; {_BLOCK} at first, then as FILE",
    )  # fmt: skip
    parse.add_argument(
        "--limit", type=float, default=300.0, metavar="SECONDS",
        help="for one call of an agent, which asks for a decision in each game of a block",
    )  # fmt: skip
    parse.add_argument("--retry-failed", action="store_true", help="play failed games again")
    parse.add_argument("--processes", type=_positive, default=1, metavar="N")
    parse.add_argument(
        "--ray", metavar="ADDRESS", help="play on this Ray cluster; auto: the one running here"
    )
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals shown")
    return parse


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def _settings(options: argparse.Namespace, block: int) -> Settings:
    return Settings(
        rules=options.rules,
        players=options.players,
        seed=options.seed,
        scores=options.scores if options.episode == "deal" else "zero",
        episode=options.episode,
        stock=options.stock,
        max_deals=options.max_deals,
        block=block,
    )


def _jobs(
    options: argparse.Namespace, settings: Settings, store: Store, console: Console
) -> tuple[list[Job], dict[Pairing, int]]:
    """The blocks that are left to play, and the numbers of all pairings asked for.

    Early blocks of all pairings come first: a run that is stopped has played them about evenly.
    """
    names = teams(options.agents, options.teams, options.partners, settings.seats)
    wanted = blocks_for(options.pairs, settings.block)
    if options.pairs != wanted * settings.block:
        console.print(
            f"{options.pairs} pairs are {wanted} blocks of {settings.block}: "
            f"{wanted * settings.block} pairs are played"
        )
    entrants = [describe(name, settings.rules, settings.players) for name in _members(names)]
    probe = identity(Batch(settings.rules, 1, players=settings.players))
    store.begin(settings, probe, wanted * settings.block)
    store.enter(entrants)
    hashes = {one.name: one.hash for one in entrants}
    numbers = store.pair(pairings(names, settings.sides))
    played = store.played(options.retry_failed, settings.block)
    jobs = [
        Job(settings, pairing, block, {name: hashes[name] for name in _members(pairing)},
            options.limit, str(Path.cwd()))
        for block in range(wanted)
        for pairing, number in numbers.items()
        if (number, block) not in played
    ]  # fmt: skip
    return jobs, numbers


def _members(names: Sequence[str]) -> list[str]:
    """The agents of some teams, each once."""
    return list(dict.fromkeys(agent for name in names for agent in name.split("+")))


def _crew(options: argparse.Namespace, jobs: int) -> Crew:
    if options.ray is None:
        return Processes(min(options.processes, jobs))
    from experiments.tournament_ray import RayCluster

    return RayCluster(options.ray)


def _play(
    options: argparse.Namespace,
    jobs: list[Job],
    numbers: dict[Pairing, int],
    store: Store,
    console: Console,
) -> None:
    """Plays the jobs and writes each block as soon as it is there."""
    crew = _crew(options, len(jobs))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    try:
        with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
            task = progress.add_task("blocks", total=len(jobs))
            for job, played in results(crew, jobs):
                store.write(numbers[job.teams], job.block, played)
                progress.advance(task)
    finally:
        crew.close()


def run(options: argparse.Namespace, console: Console) -> None:
    """Plays what is missing in the file and shows the table.

    Raises:
        ValueError, OSError, CrewError: one clear line.
    """
    with Store(options.file) as store:
        before = store.settings()
        block = options.block or (before or {}).get("block") or min(_BLOCK, options.pairs)
        if not options.agents and not options.teams:
            options.teams = store.teams()
        settings = _settings(options, block)
        jobs, numbers = _jobs(options, settings, store, console)
        if not numbers:
            raise ValueError("name two teams or more: …tournament FILE.sqlite basic greedy")
        if jobs:
            _play(options, jobs, numbers, store, console)
        console.print(summary(store, numbers, settings, options.level))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    try:
        run(options, Console())
    except (ValueError, OSError, CrewError) as error:
        print(f"experiments.tournament: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            f"experiments.tournament: interrupted; all whole blocks are in {options.file}, "
            "and the same command goes on",
            file=sys.stderr,
        )
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""One run of a tournament: what is missing in the file is played and written, and then shown."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.checkpoint import identity
from canasta_env.batch import Batch
from experiments.tournament_agents import describe
from experiments.tournament_crew import Crew, results
from experiments.tournament_plan import Job, Pairing, Settings, blocks_for, pairings, teams
from experiments.tournament_store import Store
from experiments.tournament_table import summary

__all__ = ["run"]

_BLOCK: Final = 250
"""Units in the blocks of a new file: a second's work for rule bots, and large enough for numpy."""


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


def _play(
    jobs: list[Job], numbers: dict[Pairing, int], store: Store, crew: Crew, console: Console
) -> None:
    """Plays the jobs and writes each block as soon as it is there."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as progress:
        task = progress.add_task("blocks", total=len(jobs))
        for job, played in results(crew, jobs):
            store.write(numbers[job.teams], job.block, played)
            progress.advance(task)


def run(options: argparse.Namespace, crew: Crew, console: Console | None = None) -> None:
    """Plays what is missing in the file and shows the table.

    Raises:
        ValueError, OSError, CrewError: one clear line.
    """
    console = console or Console()
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
            _play(jobs, numbers, store, crew, console)
        console.print(summary(store, numbers, settings, options.level))

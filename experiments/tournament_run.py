"""One run of a tournament: what is missing in the file is played and written, and then shown."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.checkpoint import identity
from canasta_env.batch import Batch
from canasta_env.rules import Rules
from experiments.tournament_agents import describe
from experiments.tournament_crew import Crew, results
from experiments.tournament_plan import Job, Pairing, Settings, blocks_for, pairings, teams
from experiments.tournament_store import Store
from experiments.tournament_table import summary

__all__ = ["run"]

_BLOCK: Final = 250
"""Units in the blocks of a new file: a second's work for rule bots, and large enough for numpy."""


def _settings(options: argparse.Namespace, before: Mapping[str, Any]) -> Settings:
    """What is asked for; the size of the blocks is that of the file, if it has one."""
    block = options.block or before.get("block") or min(_BLOCK, options.pairs)
    return Settings(
        rules=str(Rules.parse(options.rules)),
        players=options.players,
        seed=options.seed,
        scores=options.scores if options.episode == "deal" else "zero",
        episode=options.episode,
        stock=options.stock,
        max_deals=options.max_deals,
        block=block,
    )


def _pairings(options: argparse.Namespace, settings: Settings, store: Store) -> list[Pairing]:
    """Who meets whom: the teams asked for, or else those that are in the file."""
    if not options.agents and not options.teams:
        options.teams = store.teams()
    names = teams(options.agents, options.teams, options.partners, settings.seats)
    found = pairings(names, settings.sides)
    if not found:
        raise ValueError("name two teams at least, as in …tournament FILE.sqlite basic greedy")
    return found


def _blocks(options: argparse.Namespace, settings: Settings, console: Console) -> int:
    """How many blocks each pairing plays."""
    blocks = blocks_for(options.pairs, settings.block)
    if (pairs := blocks * settings.block) != options.pairs:
        console.print(f"{pairs} pairs are played: whole blocks of {settings.block}")
    return blocks


def _enter(
    settings: Settings, found: Sequence[Pairing], blocks: int, store: Store
) -> dict[str, str]:
    """Writes settings and agents down; the hashes of the agents by their names."""
    names = _members([team for pairing in found for team in pairing])
    entrants = [describe(name, settings.rules, settings.players) for name in names]
    probe = identity(Batch(settings.rules, 1, players=settings.players))
    store.begin(settings, probe, blocks * settings.block)
    store.enter(entrants)
    return {one.name: one.hash for one in entrants}


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
        settings = _settings(options, store.settings() or {})
        found = _pairings(options, settings, store)
        blocks = _blocks(options, settings, console)
        hashes = _enter(settings, found, blocks, store)
        numbers = store.pair(found)
        done = store.played(options.retry_failed, settings.block)
        # early blocks of all pairings come first: a run that is stopped has played them evenly
        jobs = [
            Job(settings, one, block, {name: hashes[name] for name in _members(one)},
                options.limit, str(Path.cwd()))
            for block in range(blocks)
            for one in found
            if (numbers[one], block) not in done
        ]  # fmt: skip
        if jobs:
            _play(jobs, numbers, store, crew, console)
        console.print(summary(store, numbers, settings, options.level))

"""What the tests of tournaments share."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from experiments import tournament
from experiments.tournament_crew import Died
from experiments.tournament_plan import Job, Settings
from experiments.tournament_store import COLUMNS
from experiments.tournament_work import Played, play_block

ODD = "tests.odd_agents:"
SETTINGS = Settings("classic", 4, 7, "spread", "deal", "seat_streams", 40, 5)
SMALL = ("--pairs", "10", "--block", "5", "--seed", "7")
KEYS = {
    "games": "pairing, unit, side_a",
    "blocks": "pairing, block",
    "pairings": "pairing",
    "agents": "agent",
    "meta": "key",
}


def rows(path: Path, table: str = "games") -> list[tuple[Any, ...]]:
    """All rows of a table, in the order of its key."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT * FROM {table} ORDER BY {KEYS[table]}").fetchall()


def everything(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    return {table: rows(path, table) for table in KEYS}


def games_by_teams(path: Path) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The games by teams, unit and table, apart from the numbers of the pairings."""
    names = {number: teams for number, *teams in rows(path, "pairings")}
    return {(*names[game[0]], *game[1:3]): game[3:] for game in rows(path)}


def statuses(path: Path) -> set[str]:
    """What the games' statuses are."""
    return {game[1 + COLUMNS.index("status")] for game in rows(path)}


def column(games: list[tuple[Any, ...]], name: str) -> list[Any]:
    """A column of a block's games."""
    return [game[COLUMNS.index(name)] for game in games]


class Here:
    """Plays in this process: a crew for tests that need no other."""

    def play(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Played | Died]]:
        """As any crew."""
        for job in jobs:
            yield job, play_block(job)

    def close(self) -> None:
        """There is nothing to end."""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands play in this process."""
    monkeypatch.setattr(tournament, "Processes", lambda _: Here())


def run(path: Path, *arguments: str) -> int:
    """The command; its exit status."""
    return tournament.main([str(path), *arguments])


def run_here(path: Path, *arguments: str) -> int:
    """The command, playing in this process, where :func:`here` is not asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tournament, "Processes", lambda _: Here())
        return run(path, *arguments)

"""Agents and processes that fail amid a tournament, and runs that are killed."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from experiments.tournament_crew import Crew, Died, results
from experiments.tournament_plan import Job
from experiments.tournament_store import COLUMNS
from experiments.tournament_work import Played
from tests.tournaments import (
    ODD,
    SETTINGS,
    SMALL,
    column,
    everything,
    games_by_teams,
    here,  # noqa: F401  (a fixture)
    rows,
    run,
    run_here,
    statuses,
)

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.mark.usefixtures("here")
class TestBadAgents:
    @pytest.mark.parametrize(
        ("agent", "expected"),
        [
            ("Raises", {"ok", f"{ODD}Raises raised RuntimeError: no idea"}),
            ("Floats", {"ok", f"{ODD}Floats raised ValueError: gave float64 (1,) for 1 actions"}),
            ("Unmade", {f"an agent could not be made: {ODD}Unmade: OSError: no such weights"}),
        ],
    )
    def test_only_the_games_concerned_fail(
        self, agent: str, expected: set[str], tmp_path: Path
    ) -> None:
        path = tmp_path / "t.sqlite"
        arguments = ("basic", "random", ODD + agent, "--pairs", "40", "--block", "20")
        assert run(path, *arguments) == 0
        assert statuses(path) == expected | {"ok"}
        assert len(rows(path)) == 3 * 80
        failed = [game for game in rows(path) if game[1 + COLUMNS.index("status")] != "ok"]
        assert all(set(game[4:10] + game[11:]) == {None} for game in failed)
        good = games_by_teams(path)
        alone = tmp_path / "alone.sqlite"
        run(alone, "basic", "random", "--pairs", "40", "--block", "20")
        assert games_by_teams(alone).items() <= good.items()

    def test_illegal_actions(self, tmp_path: Path) -> None:
        path = tmp_path / "t.sqlite"
        run(path, "basic", f"{ODD}Cheats", "--pairs", "20")
        found = statuses(path) - {"ok"}
        assert found
        assert all(one.startswith(f"illegal action of {ODD}Cheats: ") for one in found)

    def test_a_slow_agent_fails_its_games(self, tmp_path: Path) -> None:
        path = tmp_path / "t.sqlite"
        run(path, "basic", f"{ODD}Sleeps", "--pairs", "4", "--limit", "0.2")
        assert any("took longer than 0.2 s for" in status for status in statuses(path))

    def test_failed_games_can_be_played_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, mended = tmp_path / "t.sqlite", tmp_path / "mended"
        monkeypatch.setenv("CANASTA_TEST_MENDED", str(mended))
        arguments = ("basic", f"{ODD}Once", *SMALL)
        run(path, *arguments)
        assert f"{ODD}Once raised RuntimeError: not yet" in statuses(path)
        mended.touch()
        before = everything(path)
        run(path, *arguments)
        assert everything(path) == before
        run(path, *arguments, "--retry-failed")
        assert statuses(path) == {"ok"}
        assert len(rows(path)) == len(before["games"])


class TestProcesses:
    def test_the_rows_are_those_of_this_process(self, tmp_path: Path) -> None:
        """And a process that dies takes only its own blocks with it."""
        alone, there = tmp_path / "alone.sqlite", tmp_path / "there.sqlite"
        arguments = ("random", f"{ODD}Lots", *SMALL)
        assert run_here(alone, *arguments) == 0
        assert run(there, *arguments, "--processes", "2") == 0
        assert everything(alone) == everything(there)
        run(there, "random", f"{ODD}Dies", *SMALL)
        assert games_by_teams(alone).items() < games_by_teams(there).items()
        assert statuses(there) == {
            "ok", "the process that played it was ended by SIGKILL, twice",
        }  # fmt: skip

    def test_a_block_is_played_twice_before_it_fails(self) -> None:
        class Dying:
            """Dies the first ``times`` times."""

            def __init__(self, times: int) -> None:
                self.times = times

            def play(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Played | Died]]:
                for job in jobs:
                    self.times -= 1
                    yield job, Died("was lost") if self.times >= 0 else good

            def close(self) -> None:
                pass

        job = Job(SETTINGS, ("basic", "random"), 0, {}, 60.0, ".")
        good = Played([], {})

        def outcome(crew: Crew) -> list[Played]:
            return [played for _, played in results(crew, [job])]

        assert outcome(Dying(1)) == [good]
        (failed,) = outcome(Dying(2))
        assert set(column(failed.games, "status")) == {"the process that played it was lost, twice"}


SIX = ("random", "greedy", "basic", f"{ODD}Lots", f"{ODD}First", f"{ODD}Cheats")


def kill_and_go_on(path: Path, kills: int, arguments: tuple[str, ...], seed: int) -> int:
    """Runs the command, kills it ``kills`` times amid its blocks, and lets it end; how many blocks
    the killed runs wrote.
    """
    draw = random.Random(seed)
    command = [sys.executable, "-m", "experiments.tournament", str(path), *arguments]
    for _ in range(kills):
        before = blocks_in(path)
        process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL)
        while blocks_in(path) == before and process.poll() is None:
            time.sleep(0.01)
        time.sleep(draw.random() * 0.05)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it had ended before it was killed"
    written = blocks_in(path)
    subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    return written


def blocks_in(path: Path) -> int:
    try:
        return len(rows(path, "blocks")) if path.exists() else 0
    except sqlite3.OperationalError:  # it has no tables yet
        return 0


@pytest.mark.parametrize(
    ("kills", "pairs", "block"),
    [(2, 18, 2), pytest.param(10, 2000, 20, marks=pytest.mark.long)],
)
def test_killed_runs_end_with_the_same_rows(
    kills: int, pairs: int, block: int, tmp_path: Path
) -> None:
    arguments = (*SIX, "--pairs", str(pairs), "--block", str(block))
    killed, whole = tmp_path / "killed.sqlite", tmp_path / "whole.sqlite"
    written = kill_and_go_on(killed, kills, (*arguments, "--processes", "2"), seed=pairs)
    assert kills <= written < 15 * pairs // block
    assert run_here(whole, *arguments) == 0
    assert everything(killed) == everything(whole)
    assert len(rows(whole)) == 15 * 2 * pairs

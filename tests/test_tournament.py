"""Tournaments: what is played, the file, and that neither order nor interruption changes a row."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import checkpoint as checkpoints
from experiments import play, tournament, tournament_run
from experiments.leads import differences
from experiments.tournament_agents import describe
from experiments.tournament_crew import Crew, Died, results
from experiments.tournament_plan import (
    Job,
    Settings,
    block_seed,
    pairings,
    team_name,
    teams,
)
from experiments.tournament_store import COLUMNS, Store
from experiments.tournament_work import Played, play_block

REPOSITORY = Path(__file__).resolve().parent.parent
ODD = "tests.odd_agents:"
SETTINGS = Settings("classic", 4, 7, "spread", "deal", "seat_streams", 40, 5)
KEYS = {
    "games": "pairing, unit, side_a",
    "blocks": "pairing, block",
    "pairings": "pairing",
    "agents": "agent",
    "meta": "key",
}


def rows(path: Path, table: str = "games") -> list[tuple[Any, ...]]:
    """All rows of a table, in the order of its key."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        return connection.execute(f"SELECT * FROM {table} ORDER BY {KEYS[table]}").fetchall()


def everything(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    return {table: rows(path, table) for table in KEYS}


def games_by_teams(path: Path) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    """The games by teams, unit and table, apart from the numbers of the pairings."""
    names = {number: teams for number, *teams in rows(path, "pairings")}
    return {(*names[game[0]], *game[1:3]): game[3:] for game in rows(path)}


def statuses(path: Path) -> set[str]:
    return {game[1 + COLUMNS.index("status")] for game in rows(path)}


class Here:
    """Plays in this process: a crew for tests that need no other."""

    def play(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Played | Died]]:
        for job in jobs:
            yield job, play_block(job)

    def close(self) -> None:
        pass


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands play in this process."""
    monkeypatch.setattr(tournament, "Processes", lambda _: Here())


def run(path: Path, *arguments: str) -> int:
    return tournament.main([str(path), *arguments])


SMALL = ("--pairs", "10", "--block", "5", "--seed", "7")


class TestPlan:
    def test_teams(self) -> None:
        assert teams(["b", "a"], [], "fixed", 2) == ["b", "a"]
        assert teams(["b", "a", "c"], ["c+a", "b+b"], "mixed", 2) == [
            "b", "a", "c", "a+c", "a+b", "b+c",
        ]  # fmt: skip
        assert team_name(["a", "a"]) == "a"
        with pytest.raises(ValueError, match="a side has 1"):
            teams(["a", "b"], [], "mixed", 1)

    def test_two_teams_meet_once_and_fields_both_ways(self) -> None:
        assert pairings(["b", "a", "c"], 2) == [("a", "b"), ("a", "c"), ("b", "c")]
        assert len(pairings(["b", "a", "c"], 3)) == 6
        assert pairings(["a"], 2) == []

    def test_a_blocks_seed_follows_from_names(self) -> None:
        seeds = {
            block_seed(seed, pair, block)
            for seed in (0, 1) for pair in (("a", "b"), ("b", "a"), ("a", "c")) for block in (0, 1)
        }  # fmt: skip
        assert len(seeds) == 12
        assert all(0 <= seed < 1 << 63 for seed in seeds)
        assert block_seed(0, ("basic", "greedy"), 3) == 112768153735532794

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"players": 5}, "classic is for"),
            ({"seed": -1}, "seed -1"),
            ({"block": 0}, "block 0"),
            ({"scores": "none"}, "scores 'none'"),
        ],
    )
    def test_impossible_settings(self, change: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Settings(**{**vars(SETTINGS), **change})


class TestBlocks:
    job = Job(SETTINGS, ("basic", f"{ODD}Lots"), 1, {}, 60.0, str(REPOSITORY))

    def test_a_block_is_a_duplicate_match(self) -> None:
        """The same scores as the runner of matches gives for the same units and seeds."""
        played = play_block(self.job)
        setup = SETTINGS.setup
        lineup = play.line_up(*self.job.teams, setup, block_seed(7, self.job.teams, 1))
        block = play.Block(setup, lineup, np.arange(5, 10)).play()
        scores = [json.loads(game[COLUMNS.index("scores")]) for game in played.games]
        assert scores == block.scores.reshape(10, 2).tolist()
        leads = [game[COLUMNS.index("lead")] for game in played.games]
        assert leads == differences(block.scores).ravel().tolist()
        takes = sum(game[COLUMNS.index("a_takes")] for game in played.games)
        assert takes == play.by_team(lineup, block.counts["takes"])[:, 0].sum()
        assert [game[:2] for game in played.games] == [(5 + i // 2, i % 2) for i in range(10)]

    def test_again_it_is_the_same(self) -> None:
        assert play_block(self.job) == play_block(self.job)

    @pytest.mark.parametrize(
        ("rules", "players", "episode"),
        [("classic", 3, "deal"), ("czech", 6, "deal"), ("hand_and_foot", 2, "match"),
         ("czech", 5, "deal"), ("latvian", 6, "deal")],
    )  # fmt: skip
    def test_other_tables(self, rules: str, players: int, episode: Any) -> None:
        settings = Settings(rules, players, 0, "zero", episode, "shared", 2, 2)
        games = play_block(Job(settings, ("basic", "random"), 0, {}, 60.0, ".")).games
        assert len(games) == 2 * settings.sides
        assert {game[COLUMNS.index("status")] for game in games} == {"ok"}
        assert all(len(game) == len(COLUMNS) for game in games)
        deals = {game[COLUMNS.index("deals")] for game in games}
        assert deals == ({2} if episode == "match" else {1})
        assert {game[COLUMNS.index("capped")] for game in games} == {int(episode == "match")}


@pytest.mark.usefixtures("here")
class TestFile:
    def test_all_teams_meet(self, tmp_path: Path) -> None:
        path = tmp_path / "t.sqlite"
        assert run(path, "random", "greedy", "--partners", "mixed", *SMALL) == 0
        assert [row[1:] for row in rows(path, "pairings")] == [
            ("greedy", "greedy+random"), ("greedy", "random"), ("greedy+random", "random"),
        ]  # fmt: skip
        assert len(rows(path)) == 3 * 10 * 2
        meta = dict(rows(path, "meta"))
        assert json.loads(meta["settings"])["units"] == 10
        assert len(json.loads(rows(path)[0][1 + COLUMNS.index("luck")])) == len(
            json.loads(meta["luck"])
        )

    def test_more_agents_and_more_pairs_keep_the_rows(self, tmp_path: Path) -> None:
        grown, whole = tmp_path / "grown.sqlite", tmp_path / "whole.sqlite"
        lots = f"{ODD}Lots"
        run(grown, "random", lots, *SMALL)
        first = games_by_teams(grown)
        run(grown, "basic", lots, "random", *SMALL)
        assert first.items() < games_by_teams(grown).items()
        run(grown, "--pairs", "15", "--seed", "7")
        run(whole, "random", "basic", lots, "--pairs", "15", "--block", "5", "--seed", "7")
        assert games_by_teams(grown) == games_by_teams(whole)
        assert len(games_by_teams(whole)) == 3 * 15 * 2

    def test_pairs_are_whole_blocks(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "t.sqlite"
        run(path, "random", "greedy", "--pairs", "6", "--block", "5")
        assert "10 pairs are played: whole blocks of 5" in capsys.readouterr().out
        assert len(rows(path)) == 20

    def test_other_settings_are_refused(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "t.sqlite"
        run(path, "random", "greedy", *SMALL)
        before = everything(path)
        others = ("--players", "2", "--seed", "8", "--stock", "shared")
        assert run(path, "random", "greedy", "--pairs", "10", *others) == 2
        error = capsys.readouterr().err
        assert "players 4, not 2; seed 7, not 8; stock seat_streams, not shared" in error
        assert error.count("\n") == 1
        assert everything(path) == before

    def test_an_agent_that_has_changed_is_refused(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "t.sqlite"
        run(path, "random", "greedy", *SMALL)
        before = everything(path)
        monkeypatch.setattr(
            tournament_run, "describe",
            lambda *given: vars_changed(describe(*given), hash="0" * 64),
        )  # fmt: skip
        assert run(path, "random", "basic", *SMALL) == 2
        assert "agent random has changed" in capsys.readouterr().err
        assert everything(path) == before

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["basic"], "name two teams"),
            (["basic", "bascic"], "did you mean basic"),
            (["basic", "no.such:Agent"], "cannot be imported"),
            (["basic", "greedy", "--rules", "clasic"], "classic"),
            (["basic", "greedy", "--players", "2", "--partners", "mixed"], "a side has 1"),
            (["basic", "greedy+random+basic"], "a side has 2"),
        ],
    )
    def test_mistakes_are_one_line(
        self,
        arguments: list[str],
        message: str,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        assert run(tmp_path / "t.sqlite", *arguments) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1

    def test_files_that_are_no_tournament(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "t.sqlite"
        foreign = tmp_path / "foreign.sqlite"
        with sqlite3.connect(foreign) as connection:
            connection.execute("CREATE TABLE songs(name)")
        run(path, "random", "greedy", "--pairs", "50")
        damaged = bytearray(path.read_bytes())
        damaged[4096 * 3 : 4096 * 5] = bytes(range(256)) * 32
        contents = {
            "text": (b"hello " * 100, "not a database"),
            "damaged": (bytes(damaged), ""),
            "cut": (path.read_bytes()[: 4096 * 4], ""),
            "foreign": (foreign.read_bytes(), "of something else"),
        }
        capsys.readouterr()
        for name, (content, message) in contents.items():
            path.write_bytes(content)
            assert run(path, "random", "greedy", "--pairs", "60") == 2, name
            error = capsys.readouterr().err
            assert message in error and str(path) in error, error
            assert error.count("\n") == 1
            assert path.read_bytes() == content

    @pytest.mark.parametrize("path", ["/proc/t.sqlite", "no/such/folder/t.sqlite"])
    def test_where_nothing_can_be_written(
        self, path: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(Path(path), "random", "greedy", *SMALL) == 2
        error = capsys.readouterr().err
        assert path in error
        assert error.count("\n") == 1

    def test_one_run_at_a_time(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = tmp_path / "t.sqlite"
        with Store(path):
            assert run(path, "random", "greedy", *SMALL) == 2
        assert capsys.readouterr().err == (
            f"experiments.tournament: {path} is being written by another run\n"
        )
        assert run(path, "random", "greedy", *SMALL) == 0

    def test_a_full_disk_loses_no_rows(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path, whole = tmp_path / "t.sqlite", tmp_path / "whole.sqlite"
        run(whole, "random", "greedy", "--pairs", "100", "--block", "10")
        with monkeypatch.context() as patch:
            patch.setattr(tournament_run, "Store", SmallStore)
            assert run(path, "random", "greedy", "--pairs", "100", "--block", "10") == 2
        assert "full" in capsys.readouterr().err
        written = len(rows(path))
        assert 0 < written < 200 and written % 20 == 0
        assert written == 20 * len(rows(path, "blocks"))
        assert run(path, "random", "greedy", "--pairs", "100", "--block", "10") == 0
        assert everything(path) == everything(whole)

    def test_an_interrupted_run_says_how_to_go_on(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "t.sqlite"
        write = Store.write

        def interrupt(store: Store, *block: Any) -> None:
            if store.connection.execute("SELECT count(*) FROM blocks").fetchone()[0]:
                raise KeyboardInterrupt
            write(store, *block)

        with monkeypatch.context() as patch:
            patch.setattr(Store, "write", interrupt)
            assert run(path, "random", "greedy", *SMALL) == tournament.INTERRUPTED
        assert "the same command goes on" in capsys.readouterr().err
        assert len(rows(path)) == 10
        assert run(path, "random", "greedy", *SMALL) == 0
        assert len(rows(path)) == 20


def vars_changed(value: Any, **changes: Any) -> Any:
    """A copy of a dataclass with other values."""
    return type(value)(**{**vars(value), **changes})


class SmallStore(Store):
    """A file that cannot grow beyond a few pages, as on a full disk."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.connection.execute("PRAGMA max_page_count=12")


@pytest.mark.usefixtures("here")
class TestBadAgents:
    @pytest.mark.parametrize(
        ("agent", "expected"),
        [
            ("Raises", {"ok", f"{ODD}Raises raised RuntimeError: no idea"}),
            ("Floats", {"ok", f"{ODD}Floats raised ValueError: gave float64 (1,) for 1 actions"}),
            ("Unmade", {"an agent could not be made: OSError: no such weights"}),
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
        start = time.monotonic()
        run(path, "basic", f"{ODD}Sleeps", "--pairs", "4", "--limit", "0.2")
        assert time.monotonic() - start < 50  # its calls would sleep for ever
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
    def test_one_or_two_the_rows_are_the_same(self, tmp_path: Path) -> None:
        """And a process that dies takes only its own blocks with it."""
        here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
        for path, crew in ((here, Here()), (there, None)):
            arguments = ("random", f"{ODD}Lots", *SMALL)
            if crew:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(tournament, "Processes", lambda _: Here())
                    assert run(path, *arguments) == 0
            else:
                assert run(path, *arguments, "--processes", "2") == 0
        assert everything(here) == everything(there)
        run(there, "random", f"{ODD}Dies", *SMALL)
        assert games_by_teams(here).items() < games_by_teams(there).items()
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
        assert {game[COLUMNS.index("status")] for game in failed.games} == {
            "the process that played it was lost, twice"
        }


def written_network(folder: Path, seed: int) -> None:
    """A checkpoint's index and some bytes, enough to be described."""
    meta = {
        "rules": "classic", "players": 4, "trainer": "ppo",
        "actions": 0, "actions_hash": "", "observation_size": 0, "observation_hash": "",
        "network": {"kind": "mlp"}, "settings": {"seed": seed, "run": f"r{seed}", "deals": 5},
    }  # fmt: skip
    weights = {"w": np.full(3, seed, np.float32)}
    checkpoints.write(folder, meta, {"network": weights})


class TestAgents:
    def test_runs_that_differ_in_the_seed_alone_are_one_arm(self, tmp_path: Path) -> None:
        for seed in (1, 2):
            written_network(tmp_path / f"n{seed}", seed)
        one, two = (describe(str(tmp_path / f"n{seed}"), "classic", 4) for seed in (1, 2))
        assert one.arm == two.arm and one.arm is not None
        assert (one.training_seed, two.training_seed) == ("1", "2")
        assert one.hash != two.hash
        written_network(tmp_path / "n1", 2)
        assert describe(str(tmp_path / "n1"), "classic", 4).hash == two.hash

    def test_a_checkpoint_for_another_game_is_refused(self, tmp_path: Path) -> None:
        written_network(tmp_path, 1)
        with pytest.raises(ValueError, match="made for other rules"):
            describe(str(tmp_path), "russian", 4)

    def test_bots_are_known_by_their_sources(self) -> None:
        basic, greedy = (describe(name, "classic", 4) for name in ("basic", "greedy"))
        assert basic.hash == greedy.hash != describe(f"{ODD}Lots", "classic", 4).hash
        assert basic.arm is None


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
        time.sleep(draw.random() * 0.2)
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it had ended before it was killed"
    written = blocks_in(path)
    subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
    return written


def blocks_in(path: Path) -> int:
    try:
        return len(rows(path, "blocks"))
    except sqlite3.OperationalError:  # not there yet
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tournament, "Processes", lambda _: Here())
        assert run(whole, *arguments) == 0
    assert everything(killed) == everything(whole)
    assert len(rows(whole)) == 15 * 2 * pairs

"""The file of a tournament: it grows, refuses what does not belong to it, and loses nothing."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments import tournament_run
from experiments.command import INTERRUPTED
from experiments.tournament_agents import describe
from experiments.tournament_store import COLUMNS, Store
from tests.tournaments import (
    ODD,
    SMALL,
    everything,
    games_by_teams,
    here,  # noqa: F401  (a fixture)
    rows,
    run,
)

REPOSITORY = Path(__file__).resolve().parent.parent


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
            lambda *given: replace(describe(*given), hash="0" * 64),
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
            assert run(path, "random", "greedy", *SMALL) == INTERRUPTED
        assert "the same command goes on" in capsys.readouterr().err
        assert len(rows(path)) == 10
        assert run(path, "random", "greedy", *SMALL) == 0
        assert len(rows(path)) == 20


class SmallStore(Store):
    """A file that cannot grow beyond a few pages, as on a full disk."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.connection.execute("PRAGMA max_page_count=12")

"""Games as data: what is written is what was played, and files are there whole or not at all."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from canasta_env import Batch, Game
from canasta_env.data import schema
from canasta_env.data.reader import DataError, DataSet
from experiments import deals
from experiments.data import plan as plans
from experiments.data.__main__ import main
from experiments.data.files import Writer
from experiments.data.plan import Plan, decks_seed
from tests.datasets import DOCS, examples, plan, write

PLANS = {
    "deals": plan(hands=True),
    "matches": plan(episode="match", units=3, hands=True),
    "four": plan("classic", 4, 3, teams=("expert+basic", "random"), hands=True),
    "three sides": plan("classic", 3, 2, hands=True, stock="seat_streams"),
    "suits": plan("czech", 4, 1, hands=True),
}


def game_of(what: Plan, rows: dict[str, Any]) -> Game:
    """The game in which a deal begins, from its first row and the plan's seed."""
    setup = what.setup
    first = {name: values[0] for name, values in rows.items()}
    packed = Batch(setup.text, 1, players=setup.players).packed
    unit, number = np.array([first["deck"]]), np.array([first["number"]])
    deck = deals.decks(packed, decks_seed(setup.seed), unit, number.astype(np.int64))[0]
    return Game(
        setup.text, players=setup.players, stock=setup.stock, deck=deck.tolist(),
        dealer=int(first["dealer"]), scores=first["scores"].tolist(), deal=int(first["number"]),
    )  # fmt: skip


def deals_of(rows: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of each deal, in the order in which they stand."""
    cuts = np.flatnonzero(np.diff(rows["deal"])) + 1
    parts = {name: np.split(values, cuts) for name, values in rows.items()}
    return [{name: parts[name][i] for name in rows} for i in range(len(cuts) + 1)]


def check_decision(game: Game, row: dict[str, Any], played: dict[str, Any]) -> None:
    seat = int(row["seat"])
    assert game.turn == seat
    assert game.phase == played["phases"][row["phase"]]
    np.testing.assert_array_equal(row["observation"], game.observation(seat))
    np.testing.assert_array_equal(row["mask"], game.mask())
    assert row["legal"] == game.mask().sum()
    order = (seat + np.arange(played["players"])) % played["players"]
    np.testing.assert_array_equal(row["hands"], game.record.hands[order])


@pytest.mark.parametrize("name", PLANS)
def test_the_engine_plays_the_rows_again(name: str, tmp_path: Path) -> None:
    data = write(tmp_path, PLANS[name])
    data.check_environment()
    for number, rows in enumerate(deals_of(data.read())):
        game = game_of(PLANS[name], rows)
        assert (rows["deal"] == number).all()
        assert rows["step"].tolist() == list(range(len(rows["step"])))
        for i in range(len(rows["step"])):
            row = {column: values[i] for column, values in rows.items()}
            check_decision(game, row, data.played)
            game.play(int(row["action"]))
        assert game.over
        check_pay(rows, np.array(game.deal_scores))


def check_pay(rows: dict[str, Any], scores: Any) -> None:
    """What a deal pays goes to the last decision of each seat."""
    sides = len(scores)
    assert (rows["result"] == scores).all()
    lead = (scores - (scores.sum() - scores) / (sides - 1)) / 1000
    for seat in range(rows["hands"].shape[1]):
        mine = rows["seat"] == seat
        if mine.any():
            assert rows["last"][mine].tolist() == [False] * (mine.sum() - 1) + [True]
            np.testing.assert_allclose(rows["return_to_go"][mine], lead[seat % sides], rtol=1e-6)
            assert not rows["reward"][mine][:-1].any()
            np.testing.assert_allclose(rows["reward"][mine].sum(), lead[seat % sides], rtol=1e-6)


def test_decks_and_tables(tmp_path: Path) -> None:
    """Each deck is played once with team A on each side, from the same scores and dealer."""
    data = write(tmp_path, plan(units=6))
    rows = [{name: v[0] for name, v in deal.items()} for deal in deals_of(data.read())]
    assert [(row["deck"], row["table"]) for row in rows] == [
        (d, t) for d in range(6) for t in (0, 1)
    ]
    assert data.played["agents"] == ["basic", "greedy"]
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        assert first["seat"] == second["seat"]
        assert first["agent"] != second["agent"]
        assert (first["scores"] == second["scores"]).all()
        np.testing.assert_array_equal(first["observation"], second["observation"])


def test_matches_go_on(tmp_path: Path) -> None:
    data = write(tmp_path, PLANS["matches"])
    before: dict[str, Any] = {}
    for deal in deals_of(data.read(("deal", "deck", "table", "number", "scores", "result"))):
        row = {name: values[0] for name, values in deal.items()}
        if row["number"] > 1:
            assert (row["scores"] == before["scores"] + before["result"]).all()
            assert row["number"] == before["number"] + 1
            assert (row["deck"], row["table"]) == (before["deck"], before["table"])
        before = row
    assert before["number"] > 1


def test_hands_only_if_asked_for(tmp_path: Path) -> None:
    assert "hands" not in write(tmp_path, plan(units=1)).columns


def test_these_are_not_the_decks_of_evaluation() -> None:
    packed = Batch("mini", 1, players=2).packed
    units, ones = np.arange(4), np.ones(4, np.int64)
    ours = deals.decks(packed, decks_seed(0), units, ones)
    assert (ours != deals.decks(packed, 0, units, ones)).any(axis=1).all()


# -- files ----------------------------------------------------------------------------------------


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of 64 tables, with several row groups each."""
    monkeypatch.setattr(plans, "_MEMORY", 1)
    monkeypatch.setattr(plans, "GROUP", 700)


@pytest.mark.usefixtures("small_files")
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    what = plan(units=70)
    one, two = write(tmp_path / "one", what), write(tmp_path / "two", what)
    assert len(one.files) == 3
    assert {group.rows for group in one.groups_there[:-1]} >= {700}
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    assert two.deals == 140
    assert len(two.read(("deal",))["deal"]) == two.rows == len(two)
    other = write(tmp_path / "other", plan(units=70, seed=6))
    assert other.files[0]["sha256"] != one.files[0]["sha256"]


@pytest.mark.usefixtures("small_files")
def test_what_was_written_before_an_interruption_stays(tmp_path: Path) -> None:
    what = plan(units=70)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "stopped", what, stop_after=1)
    stopped, whole = DataSet(tmp_path / "stopped"), write(tmp_path / "whole", what)
    assert not stopped.is_complete
    assert whole.is_complete
    assert stopped.deals == 64
    first = whole.read()
    for name, values in stopped.read().items():
        np.testing.assert_array_equal(values, first[name][: len(values)])


def test_half_a_file_is_none(tmp_path: Path) -> None:
    data = write(tmp_path / "whole", plan(units=4))
    writer = Writer(tmp_path / "half", data.played)

    def groups() -> Any:
        group = data.read()
        yield {**group, "mask": schema.pack_mask(group["mask"])}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        writer.write(groups(), 8)
    assert [path.name for path in (tmp_path / "half").iterdir()] == ["manifest.json"]
    assert DataSet(tmp_path / "half").rows == 0


def test_force_removes_the_data_set_alone(tmp_path: Path) -> None:
    write(tmp_path, plan(units=4))
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / ".decisions-00007.parquet.123").write_text("left by a killed writer")
    with pytest.raises(FileExistsError, match="--force writes over it"):
        write(tmp_path, plan(units=4))
    write(tmp_path, plan(units=2), force=True)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"notes.txt", "manifest.json", "decisions-00000.parquet"}
    assert DataSet(tmp_path).deals == 4


COMMAND = ["basic", "--rules", "mini", "--players", "2", "--out"]


def test_a_full_disk_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (16_000, limits[1]))
        assert main([*COMMAND, str(tmp_path / "new"), "--deals", "40"]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "file too large; what was written before it stays readable" in error
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["manifest.json"]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, str(tmp_path), "--deals", "6"]) == 0
    assert "6 deals" in capsys.readouterr().out
    played = DataSet(tmp_path).played
    assert played["agents"] == ["basic", "basic"]
    assert played["rules"] == "mini"
    assert main([*COMMAND, str(tmp_path), "--matches", "2", "--force"]) == 0
    assert DataSet(tmp_path).played["settings"]["episode"] == "match"


@pytest.mark.usefixtures("small_files")
def test_ctrl_c(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Writer, "finish", interrupted)
    assert main([*COMMAND, str(tmp_path), "--deals", "70"]) == 130
    error = capsys.readouterr().err
    assert error == "experiments.data: interrupted; the files that are whole stay\n"
    assert DataSet(tmp_path).deals == 70


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "say how much is played: --deals 10000"),
        (["--deals", "7"], "--deals 7 is no multiple of 2"),
        (["--deals", "8", "--seed", "-1"], "--seed -1 is not possible"),
        (["--deals", "8", "--players", "9"], "players: 9 cannot play mini"),
        (["--deals", "8", "--rules", "mimi"], "'mimi' is not a preset"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*COMMAND, str(tmp_path / "new"), *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("experiments.data: ")
    assert text in shown.err
    assert shown.err.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("experiments.data.__main__.find_spec", lambda name: None)
    assert main([*COMMAND, str(tmp_path / "new"), "--deals", "8"]) == 2
    told = "experiments.data: writing data needs pyarrow: pip install 'canasta-env[data]'\n"
    assert capsys.readouterr().err == told
    assert not (tmp_path / "new").exists()


def test_an_unknown_agent_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no agent is called 'basik'"):
        write(tmp_path / "new", plan(teams=("basic", "basik")))
    assert not (tmp_path / "new").exists()


# -- reading ---------------------------------------------------------------------------------------


def test_only_the_columns_asked_for(tmp_path: Path) -> None:
    data = write(tmp_path, plan(units=4))
    everything = data.read()
    some = data.read(("mask", "action"))
    assert list(some) == ["mask", "action"]
    for name, values in some.items():
        np.testing.assert_array_equal(values, everything[name])
    assert some["mask"][np.arange(len(data)), some["action"]].all()


def test_the_scale_is_the_environments(tmp_path: Path) -> None:
    data = write(tmp_path, plan(units=1))
    np.testing.assert_array_equal(data.scale, Batch("mini", 1, players=2).scale)


def change_manifest(folder: Path, **changes: Any) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_what_cannot_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no such file; python -m experiments.data writes one"):
        DataSet(tmp_path)
    data = write(tmp_path, plan(units=4))
    with pytest.raises(DataError, match="no column is called 'hands'; there are deal, deck"):
        data.read(("hands",))
    file = tmp_path / "decisions-00000.parquet"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"decisions-00000.parquet: cannot be read: "):
        data.read()
    file.unlink()
    with pytest.raises(DataError, match=r"decisions-00000.parquet: cannot be read: "):
        data.read()
    write(tmp_path / "other", plan(units=4, seed=6))
    (tmp_path / "other" / file.name).rename(file)
    with pytest.raises(DataError, match=r"belongs to another data set than manifest.json"):
        data.read()
    change_manifest(tmp_path, format="canasta decisions 9")
    with pytest.raises(DataError, match="format 'canasta decisions 9'; this version reads"):
        DataSet(tmp_path)


def test_data_of_another_version_are_known(tmp_path: Path) -> None:
    data = write(tmp_path, plan(units=1))
    data.played["actions_hash"] = "0" * 64
    with pytest.raises(DataError, match=r"actions_hash 0{16}… is not that of this version"):
        data.check_environment()


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "data", plan(units=1))
    monkeypatch.chdir(tmp_path)
    (code,) = [code for code in examples() if "DataSet(" in code]
    exec(compile(code, "data.md", "exec"), {"__name__": "page"})


def test_the_page_names_every_column() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for column in (*schema.COLUMNS, *schema.HIDDEN):
        sizes = f" ({', '.join(column.sizes)})" if column.sizes else ""
        assert f"| `{column.name}` | {column.dtype}{sizes} | {column.meaning} |" in text


def test_the_page_names_every_key(tmp_path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert not [key for key in write(tmp_path, plan(units=1)).played if f"`{key}`" not in text]

"""``python -m canasta_env replay``: what a record shows, and one line for what it cannot show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from canasta_env import Game
from canasta_env.__main__ import main
from canasta_env.record import RecordError, RecordWriter, read_record
from canasta_env.replay import picture
from tests.playing import pick

REPOSITORY = Path(__file__).resolve().parent.parent
NAMES = ["Ann", "Bob", "Cid", "Dee"]


@pytest.fixture(scope="module")
def game() -> Game:
    rng = np.random.default_rng(3)
    game = Game("classic", seed=3)
    while not (game.over and game.deal == 2):
        if game.over:
            game.next_deal()
        game.play(pick(game, rng))
    return game


@pytest.fixture(scope="module")
def file(game: Game, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "game.txt"
    RecordWriter(game, NAMES).save(path)
    return path


def shown(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["replay", *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert not err
    return out


def test_all_turns_are_told(game: Game, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, file)
    assert "player_3: Dee\n" in text and "\ndeal 1\n" in text and "\ndeal 2\n" in text
    for state, action in game.replay():
        if action is None:
            assert picture(state) in text
            continue
        start = f"{int(state.record.turns) + 1:4} player_"
        line = next(line for line in text.splitlines() if line.startswith(start))
        assert state.deal == 2 or state.table.texts[action] in line
    assert "deal 1" not in shown(capsys, file, "--deal", 2)


def test_a_seat_is_told_what_it_saw(
    game: Game, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(capsys, file, "--seat", 2)
    for event in game.events(2):
        assert f"  {event}\n" in text
    assert "hand of player_2" in text and "hand of player_1" not in text
    assert shown(capsys, file, "--seat", 2, "--deal", 2).count("  deal ") == 1


def test_the_table_where_a_turn_begins(
    game: Game, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = {(1, 1), (1, 20), (2, 9)}
    for state, _ in game.replay():
        deal, turn = state.deal, int(state.record.turns) + 1
        if state.phase != "draw" or (deal, turn) not in wanted:
            continue
        options = ["--turn", turn, *(["--deal", deal] if deal > 1 else [])]
        open_hands = shown(capsys, file, *options)
        assert open_hands == picture(state) + "\n"
        for seat in range(4):
            line = next(
                x for x in open_hands.splitlines() if x.startswith(f"hand of player_{seat}:")
            )
            assert sorted(line.split(": ")[1].split()) == sorted(state.hand(seat).split())
        assert shown(capsys, file, *options, "--seat", 3) == picture(state, 3) + "\n"
        wanted.remove((deal, turn))
    assert not wanted


def test_step_by_step(game: Game, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = shown(capsys, file, "--step", "--deal", 2).split("-" * 72 + "\n")
    states = [
        picture(state) + (f"\n\nplayer_{state.turn}: {state.table.texts[action]}\n" if action
        is not None else "\n")
        for state, action in game.replay()
        if state.deal == 2
    ]  # fmt: skip
    assert steps == [*states, ""]
    later = shown(capsys, file, "--step", "--deal", 2, "--turn", 30, "--seat", 0)
    assert later.startswith("classic · deal 2 · turn 30 ")
    assert "hand of player_1" not in later


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--deal", 3], "--deal 3: the record has the deals 1 to 2"),
        (["--deal", 0], "--deal 0: "),
        (["--turn", 0], "--turn 0: turns are numbered from 1"),
        (["--turn", 4000], "--turn 4000: deal 1 has the turns 1 to "),
        (["--turn", 4000, "--step"], "--turn 4000: no deal"),
        (["--seat", 4], "--seat 4: the seats are 0 to 3"),
        (["--seat", -1], "--seat -1: "),
    ],
)
def test_what_the_record_does_not_have_is_one_line(
    file: Path, options: list[object], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", str(file), *map(str, options)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"canasta_env replay: {message}") and err.count("\n") == 1


@pytest.mark.parametrize("content", [None, b"", b"\0\xff\x80", b"hello\n", b"canasta record 1\n"])
def test_other_files_are_one_line(
    tmp_path: Path, content: bytes | None, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    for wrong in (path, tmp_path):
        assert main(["replay", str(wrong)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and str(wrong) in err


def test_a_wrong_record_names_its_place(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = file.read_text(encoding="utf-8").replace(": draw", ": drew", 1)
    path = tmp_path / "wrong.txt"
    path.write_text(text, encoding="utf-8")
    assert main(["replay", str(path)]) == 2
    err = capsys.readouterr().err
    assert f"{path}: line 21, column 4: 'drew" in err and "Traceback" not in err


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_no_text_crashes_the_reader(text: str) -> None:
    head = "canasta record 1\nrules: "
    for record in (text, head + text, f"{head}classic({text})\nplayers: 4\n"):
        with pytest.raises(RecordError):
            read_record(record)


def test_a_reader_that_leaves_early_sees_no_traceback(file: Path) -> None:
    command = f"{sys.executable} -m canasta_env replay {file} | head -n 1"
    done = subprocess.run(
        command, shell=True, cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("classic, written by") and done.stderr == ""

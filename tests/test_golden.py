"""The golden playthroughs replay, compiled or not, and are what their rule plays now."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from canasta_env import Game, Rules
from tests import golden
from tests.comparing import GAMES
from tests.golden import DEALS, FOLDER, path_of, playthrough
from tests.golden.__main__ import difference

ROOT = Path(__file__).parent.parent


def fields_of(text: str) -> dict[str, str]:
    """The lines ``name: value`` of a file that are not turns."""
    lines = [line.split(": ", 1) for line in text.splitlines() if ": " in line]
    return {name: value for name, value in lines if not name.startswith("turn ")}


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split()]


def test_there_is_one_for_every_preset_and_number_of_players() -> None:
    assert set(DEALS) == set(GAMES)
    assert {path.name for path in FOLDER.glob("*.txt")} == {path_of(*deal).name for deal in DEALS}
    for preset in {rules for rules, _ in DEALS}:
        played = {players for rules, players in DEALS if rules == preset}
        assert played == set(Rules.preset(preset).players)


@pytest.mark.parametrize(("rules", "players"), GAMES)
def test_a_file_replays_to_its_scores(rules: str, players: int) -> None:
    text = path_of(rules, players).read_text(encoding="utf-8")
    fields = fields_of(text)
    assert (fields["rules"], fields["players"]) == (rules, str(players))
    game = Game(rules, players=players, seed=int(fields["seed"]), scores=numbers(fields["scores"]))
    assert game.dealer == int(fields["dealer"])
    turns = re.findall(r"^turn (\d+), seat (\d): (.*)$", text, re.MULTILINE)
    assert len(turns) > (4 if rules == "tiny" else 10)
    for number, seat, actions in turns:
        assert (int(game.record.turns) + 1, game.turn) == (int(number), int(seat))
        for action in actions.split(", "):
            game.play(action)
    assert game.over
    assert game.deal_scores == numbers(fields["deal scores"])
    assert game.scores == numbers(fields["scores after"])
    for side in range(game.sides):
        items = re.findall(r"(\w+) (-?\d+)", fields[f"side {side}"])
        sheet = {name: points for name, points in game.breakdown()[side].items() if points}
        assert {name: int(points) for name, points in items} == sheet


@pytest.mark.parametrize(("rules", "players"), GAMES)
def test_a_file_is_what_its_rule_plays(rules: str, players: int) -> None:
    """The choice depends on how many actions are legal, so a changed mask shows here too."""
    found = playthrough(rules, players)
    assert found == path_of(rules, players).read_text(encoding="utf-8")


def test_uncompiled_code_plays_the_same_playthroughs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == f"{len(DEALS)} playthroughs agree"
    assert done.returncode == 0


def test_a_difference_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = path_of("russian", 4).read_text(encoding="utf-8").replace("discard", "add", 1)
    (tmp_path / "russian_4.txt").write_text(changed, encoding="utf-8")
    assert difference("russian", 4) == ""
    monkeypatch.setattr(golden, "FOLDER", tmp_path)
    line = difference("russian", 4)
    assert line.startswith("'turn 1, seat ") and "but the file has 'turn 1, seat" in line

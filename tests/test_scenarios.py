"""Every scenario file, played through the public text interface of `Game` (scenarios/README.md)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from canasta_env import Game
from canasta_env.notation import PositionError

FOLDER = Path(__file__).parent / "scenarios"
KEYS = {"id", "given", "only", "legal", "illegal", "play", "then", "error"}
THEN = {"only", "legal", "illegal", "phase", "turn", "hand", "melds", "pile", "frozen"}
THEN |= {"red_threes", "stock_size", "over", "deal_scores"}


def scenarios() -> list[Any]:
    """All entries of all files, named by file and id."""
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            found.append(pytest.param(case, id=f"{path.stem}-{case['id']}"))
    return found


CASES = scenarios()


def test_the_files_name_each_scenario_once_and_with_known_keys() -> None:
    names = [str(case.id) for case in CASES]
    assert len(names) == len(set(names)) >= 100
    for case in (param.values[0] for param in CASES):
        assert set(case) <= KEYS and set(case.get("then", {})) <= THEN, case["id"]
        # an entry without any expectation would pass whatever the engine does
        assert {"only", "legal", "illegal", "play", "error"} & set(case), case["id"]


def check_actions(game: Game, wanted: dict[str, Any]) -> None:
    """The keys only, legal, illegal; illegal actions are refused with a reason too."""
    legal = [str(action) for action in game.legal()]
    if "only" in wanted:
        assert sorted(legal) == sorted(wanted["only"])
    for text in wanted.get("legal", []):
        assert text in legal
    for text in wanted.get("illegal", []):
        assert text not in legal
        assert text not in game.table.texts or game.why_not(text) is not None


def written(rows: list[str]) -> list[list[str]]:
    """Melds as sorted rows of sorted tokens."""
    return sorted(sorted(row.split()) for row in rows)


def check_table(game: Game, wanted: dict[str, Any]) -> None:
    """All other keys of `then`, against the position that the game writes."""
    position = game.to_position()
    for seat, hand in wanted.get("hand", {}).items():
        assert sorted(game.hand(seat).split()) == sorted(hand.split())
    for side, rows in wanted.get("melds", {}).items():
        assert written(position["melds"].get(side, [])) == written(rows)
    if "stock_size" in wanted:
        assert len(position["stock"].split()) == wanted["stock_size"]
    for key in ("pile", "frozen", "red_threes"):
        if key in wanted:
            assert position[key] == wanted[key], key
    for key in ("phase", "turn", "over", "deal_scores"):
        if key in wanted:
            assert getattr(game, key) == wanted[key], key


@pytest.mark.parametrize("case", CASES)
def test_scenario(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(PositionError, match=re.escape(case["error"])):
            Game.from_position(case["given"])
        return
    game = Game.from_position(case["given"])
    check_actions(game, case)
    for text in case.get("play", []):
        game.play(text)
    check_actions(game, case.get("then", {}))
    check_table(game, case.get("then", {}))

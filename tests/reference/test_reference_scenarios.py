"""Every scenario file, played through the reference."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from . import Table

FOLDER = Path(__file__).parent.parent / "scenarios"


def scenarios() -> list[Any]:
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            found.append(pytest.param(case, id=f"{path.stem}-{case['id']}"))
    return found


def check_actions(table: Table, wanted: dict[str, Any]) -> None:
    legal = table.legal()
    if "only" in wanted:
        assert legal == sorted(wanted["only"])
    for text in wanted.get("legal", []):
        assert text in legal
    for text in wanted.get("illegal", []):
        assert text not in legal


def check_table(table: Table, wanted: dict[str, Any]) -> None:
    for seat, hand in wanted.get("hand", {}).items():
        assert table.hand(seat) == sorted(hand.split())
    for side, rows in wanted.get("melds", {}).items():
        expected = sorted(sorted(row.split()) for row in rows)
        assert sorted(sorted(row) for row in table.melds(side)) == expected
    if "pile" in wanted:
        assert table.pile == wanted["pile"].split()
    if "stock_size" in wanted:
        assert len(table.stock) == wanted["stock_size"]
    for key in ("phase", "turn", "frozen", "red_threes", "over", "deal_scores"):
        if key in wanted:
            assert getattr(table, key) == wanted[key], key


KEYS = {"id", "given", "only", "legal", "illegal", "play", "then", "error"}
THEN = {"only", "legal", "illegal", "phase", "turn", "hand", "melds", "pile", "frozen"}
THEN |= {"red_threes", "stock_size", "over", "deal_scores"}


@pytest.mark.parametrize("case", scenarios())
def test_scenario(case: dict[str, Any]) -> None:
    assert set(case) <= KEYS and set(case.get("then", {})) <= THEN
    if "error" in case:
        with pytest.raises(ValueError, match=case["error"]):
            Table.from_position(case["given"])
        return
    table = Table.from_position(case["given"])
    check_actions(table, case)
    for text in case.get("play", []):
        table.play(text)
    check_actions(table, case.get("then", {}))
    check_table(table, case.get("then", {}))

"""Every row of the tables of rules.md has a test of its name, for every preset that it concerns."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import rule_table
from tests.readings import SEATS
from tests.rule_table import HARD_CASES, ONE_VALUE, ROWS

FOLDER = Path(__file__).parent


def functions_in(pattern: str) -> dict[str, Callable[..., None]]:
    """The tests of the files whose names fit, by name."""
    found: dict[str, Callable[..., None]] = {}
    for path in sorted(FOLDER.glob(pattern)):
        module = importlib.import_module(f"tests.{path.stem}")
        for name, value in vars(module).items():
            if name.startswith("test_") and callable(value):
                assert name not in found, f"{name} is there twice"
                found[name] = value
    return found


ROW_TESTS = functions_in("test_rule_rows_*.py")
CASE_TESTS = functions_in("test_hard_cases*.py")


def presets_of(test: Any) -> set[str]:
    """The presets that a test is parametrised by."""
    found: set[str] = set()
    for mark in getattr(test, "pytestmark", []):
        names, rows = mark.args[:2] if mark.name == "parametrize" else ("", [])
        for row in rows:
            values = getattr(row, "values", row)
            if names == "preset":
                found.add(values)
            elif "preset" in names:
                found.add(values[0])
    return found


@pytest.mark.parametrize("row", ROWS)
def test_a_row_has_a_test_of_its_name_for_every_preset(row: str) -> None:
    name = rule_table.test_name(row)
    assert name in ROW_TESTS, f"{row}: write {name}"
    wanted = set(ONE_VALUE.get(row, SEATS))
    assert presets_of(ROW_TESTS[name]) >= wanted


@pytest.mark.parametrize("case", HARD_CASES)
def test_a_hard_case_has_a_test_of_its_name(case: str) -> None:
    name = rule_table.test_name(case)
    assert name in CASE_TESTS, f"{case}: write {name}"


def test_the_names_differ() -> None:
    assert len(ROWS) == 47 and len(HARD_CASES) == 17
    names = [rule_table.test_name(row) for row in (*ROWS, *HARD_CASES)]
    assert len(set(names)) == len(names)

"""What `make coverage` runs is there: a test that was renamed would silently fall out of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import uncompiled

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("name", [*uncompiled.SINGLE, *uncompiled.LEFT_OUT])
def test_a_test_that_is_named_is_there(name: str) -> None:
    file, _, function = name.partition("::")
    assert f"def {function}(" in (FOLDER / file).read_text(encoding="utf-8")


def test_the_files_are_there_and_chosen() -> None:
    assert all(list(FOLDER.glob(name)) for name in uncompiled.FILES)
    chosen = uncompiled.chosen()
    assert "tests/test_hard_cases.py" in chosen and chosen[-2:] == ["-k", "not reference"]

"""The reference says what the code does: its tables are printed from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from canasta_env import docs
from canasta_env.__main__ import main

FOLDER = Path(__file__).resolve().parent.parent / "docs"


@pytest.mark.parametrize("name", docs.pages())
def test_a_page_is_what_the_code_prints(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text == docs.pages()[name], "`make docs` writes it again"


def test_the_index_names_every_page() -> None:
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert not [
        file.name
        for file in FOLDER.glob("*.md")
        if f"({file.name})" not in index and file.name != "README.md"
    ]


def test_a_check_writes_nothing(tmp_path: Path) -> None:
    assert main(["docs", "--check", str(tmp_path / "new")]) == 1
    assert not (tmp_path / "new").exists()
    assert main(["docs", str(tmp_path / "new")]) == 0
    assert main(["docs", "--check", str(tmp_path / "new")]) == 0

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
        str(file.relative_to(FOLDER))
        for file in FOLDER.rglob("*.md")
        if f"({file.relative_to(FOLDER)})" not in index
        and file.parent.name != "api"
        and file.name not in ("README.md", "index.md")
    ]


def test_a_check_writes_nothing(tmp_path: Path) -> None:
    assert main(["docs", "--check", str(tmp_path / "new")]) == 1
    assert not (tmp_path / "new").exists()
    assert main(["docs", str(tmp_path / "new")]) == 0
    assert main(["docs", "--check", str(tmp_path / "new")]) == 0

"""Every example of the documentation runs as it stands, page by page, in the order of the page."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
OWN = {
    "data.md": "datasets.py", "populations.md": "test_members.py", "rllib.md": "test_rllib.py",
    "torchrl.md": "test_torchrl.py",
}  # fmt: skip
"""Pages whose examples need runs, a data set, or an extra's own environment, and their tests."""
PAGES = sorted(
    file
    for file in DOCS.rglob("*.md")
    if EXAMPLE.search(file.read_text("utf-8")) and file.name not in OWN
)
NEEDS = {"RecordVideo": "moviepy", "pyspiel": "pyspiel"}
"""What stands in examples that need a package which the tests' environment has not. Such an example
is skipped with those after it; the environments of the extras run them."""


def test_pages_with_examples_are_found() -> None:
    assert len(PAGES) >= 8
    texts = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert not [sign for sign in NEEDS if sign not in texts]
    for page, test in OWN.items():
        assert page.partition(".")[0] in (DOCS.parent / "tests" / test).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"__name__": page.stem}
    for code in EXAMPLE.findall(page.read_text(encoding="utf-8")):
        for sign, package in NEEDS.items():
            if sign in code and importlib.util.find_spec(package) is None:
                pytest.skip(f"an example needs {package}")
        exec(compile(code, page.name, "exec"), names)

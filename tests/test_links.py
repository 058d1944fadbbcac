"""No link of the documentation leads nowhere: pages, headings, files, images."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "agents").rglob("*.md")]
)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The headings as links name them: small letters, hyphens, no other signs."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    plain = (re.sub(r"[^\w\- ]", "", found.lower()) for found in HEADING.findall(text))
    return {found.strip().replace(" ", "-") for found in plain}


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere; those to other sites are not followed."""
    found = []
    for link in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page(page: Path) -> None:
    assert broken(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A `head`, here\n[a](#a-head-here) [b](#b) [c](none.md) [d](page.md#a)\n")
    assert broken(page) == ["#b", "none.md", "page.md#a"]


def test_the_site_names_every_page() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^([\w/-]+)$", index, re.MULTILINE))
    docs = ROOT / "docs"
    pages = {str(file.relative_to(docs).with_suffix("")) for file in docs.rglob("*.md")}
    pages -= {"README", "index", *(page for page in pages if page.startswith("api/"))}
    assert pages - named == set()


def test_no_page_has_the_name_of_one_that_the_site_makes_itself() -> None:
    """Sphinx would write its own over it without a word."""
    pages = {file.stem for file in (ROOT / "docs").glob("*.md")}
    assert not pages & {"search", "genindex", "py-modindex"}

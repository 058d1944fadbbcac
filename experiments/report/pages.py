"""Figures in a page that people write: a command's own stand between two marks."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PageError", "insert"]


class PageError(ValueError):
    """A page that nothing can be put into; the text is one line that says why."""


def insert(page: Path, name: str, text: str, kind: str, title: str) -> None:
    """Puts the text between the marks of ``name`` in a page, in place of what is there; a page
    without them gets them at its end. ``kind`` is the word that the marks begin with, ``title``
    that of a page that is not there yet.

    Raises:
        PageError: one of the two marks is missing.
    """
    begin, end = f"<!-- {kind} {name}: begin -->", f"<!-- {kind} {name}: end -->"
    whole = page.read_text(encoding="utf-8") if page.exists() else f"# {title}\n"
    if (begin in whole) != (end in whole):
        raise PageError(f"{page}: one of the marks {begin} and {end} is missing")
    if begin not in whole:
        whole = f"{whole.rstrip()}\n\n{begin}\n{end}\n"
    before, _, rest = whole.partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")

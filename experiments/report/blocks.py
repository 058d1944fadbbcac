"""What a report is made of, before it is HTML or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Block", "Document", "Figure", "Section", "Table", "Text"]


@dataclass(frozen=True)
class Section:
    """A heading."""

    title: str


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Table:
    """``rows`` of cells under a ``head``; the first ``labels`` columns are words, the others
    numbers.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1


@dataclass(frozen=True)
class Figure:
    """A plot as SVG. ``instead`` stands where nothing can be drawn, if no other table says it."""

    svg: str
    caption: str
    instead: Table | None = None


Block = Section | Text | Table | Figure


@dataclass(frozen=True)
class Document:
    """A report: its title, a line below it, and the blocks."""

    title: str
    lead: str
    blocks: Sequence[Block]

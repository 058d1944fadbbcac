"""The blocks of a report as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.report.blocks import Block, Document, Figure, Section, Table, Text

__all__ = ["block", "render"]


def render(document: Document) -> str:
    """The whole text; plots are left out, or stand as tables."""
    parts = [f"# {document.title}", document.lead]
    parts += [part for one in document.blocks if (part := block(one))]
    return "\n\n".join(parts) + "\n"


def block(one: Block) -> str:
    """A block's text; empty for a plot without a table in its place."""
    match one:
        case Section(title):
            return f"## {title}"
        case Text(text):
            return text
        case Table():
            return _table(one)
        case Figure(instead=table):
            return f"{one.caption}\n\n{_table(table)}" if table else ""


def _table(table: Table) -> str:
    marks = ["---" if place < table.labels else "---:" for place in range(len(table.head))]
    lines = [_row(table.head), _row(marks), *(_row(row) for row in table.rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    """A cell on one line, whose bars end no cell."""
    return " ".join(text.split()).replace("|", "\\|")

"""The blocks of a report as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.report.blocks import Block, Document, Figure, Section, Table, Text

__all__ = ["render"]


def render(document: Document) -> str:
    """The whole text; plots are left out, or stand as tables."""
    parts = [f"# {document.title}", document.lead]
    parts += [part for block in document.blocks if (part := _block(block))]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case Section(title):
            return f"## {title}"
        case Text(text):
            return text
        case Table():
            return _table(block)
        case Figure(instead=table):
            return f"{block.caption}\n\n{_table(table)}" if table else ""


def _table(table: Table) -> str:
    marks = ["---" if place < table.labels else "---:" for place in range(len(table.head))]
    lines = [_row(table.head), _row(marks), *(_row(row) for row in table.rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    """A cell on one line, whose bars end no cell."""
    return " ".join(text.split()).replace("|", "\\|")

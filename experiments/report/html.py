"""The blocks of a report as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from experiments.report.blocks import Block, Document, Figure, Section, Table, Text

__all__ = ["render"]

_STYLE: Final = """
:root { --ink: #1b1f24; --soft: #5b6470; --line: #d5dae0; --mark: #0b5394; --band: #cfe0f1; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1200px; padding: 24px; color: var(--ink); background: #fff;
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 26px; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 19px; margin: 40px 0 8px; padding-top: 12px; border-top: 1px solid var(--line); }
p { max-width: 78ch; margin: 8px 0; }
.lead, figcaption { color: var(--soft); }
nav { margin: 16px 0; } nav a { margin-right: 16px; color: var(--mark); white-space: nowrap; }
.scroll { overflow-x: auto; margin: 12px 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { padding: 4px 12px 4px 0; text-align: right; vertical-align: top; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; vertical-align: bottom; white-space: normal; }
thead th { border-bottom: 1.5px solid var(--ink); }
tbody td { border-bottom: 1px solid var(--line); }
th.word, td.word { text-align: left; white-space: normal; min-width: 6em; max-width: 28em;
  overflow-wrap: break-word; }
figure { margin: 16px 0; overflow-x: auto; break-inside: avoid; }
figcaption { font-size: 13.5px; max-width: 90ch; margin-top: 6px; }
svg { display: block; min-width: 640px; max-width: 100%; height: auto; }
svg text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--ink);
  font-variant-numeric: tabular-nums; }
svg text.soft { fill: var(--soft); font-size: 11px; } svg text.strong { font-weight: 600; }
svg .grid { stroke: var(--line); } svg .zero { stroke: var(--ink); stroke-dasharray: 3 3; }
svg .line { stroke: var(--mark); stroke-width: 2; fill: none; }
svg .mark { fill: var(--mark); stroke: var(--mark); stroke-width: 1.5; }
svg .open { fill: #fff; stroke: var(--mark); stroke-width: 1.5; }
svg .band { fill: var(--band); } svg .bar { fill: #7ab0e2; }
svg .cell { stroke: #fff; stroke-width: 2; }
@page { margin: 15mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 10.5pt; } nav { display: none; }
  h2 { break-after: avoid; } tr { break-inside: avoid; } .scroll { overflow: visible; }
  table { font-size: 7.5pt; } th, td { padding-right: 5px; }
  th.word, td.word { min-width: 7em; overflow-wrap: anywhere; } figure { overflow: visible; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
_WORD: Final = ' class="word"'


def render(document: Document) -> str:
    """The whole file: no script, no font, no picture from elsewhere."""
    titles = [block.title for block in document.blocks if isinstance(block, Section)]
    links = " ".join(f'<a href="#{_anchor(title)}">{escape(title)}</a>' for title in titles)
    body = "\n".join(_block(block) for block in document.blocks)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(document.title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(document.title)}</h1>
<p class="lead">{escape(document.lead)}</p>
<nav>{links}</nav>
{body}
</body>
</html>
"""


def _anchor(title: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in title.lower())


def _block(block: Block) -> str:
    match block:
        case Section(title):
            return f'<h2 id="{_anchor(title)}">{escape(title)}</h2>'
        case Text(text):
            return f"<p>{escape(text)}</p>"
        case Table():
            return _table(block)
        case Figure(svg, caption):
            return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def _table(table: Table) -> str:
    head = _cells("th", table.head, table.labels)
    rows = "\n".join(f"<tr>{_cells('td', row, table.labels)}</tr>" for row in table.rows)
    return (
        f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{rows}\n</tbody></table></div>"
    )


def _cells(tag: str, cells: Sequence[str], labels: int) -> str:
    return "".join(
        f"<{tag}{_WORD if place < labels else ''}>{escape(cell)}</{tag}>"
        for place, cell in enumerate(cells)
    )

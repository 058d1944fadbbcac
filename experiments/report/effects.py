"""Effects as a drawing: a row for each, its seeds as dots, mean and interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from experiments.report.svg import Drawing, Scale

__all__ = ["Row", "draw"]

_STYLE: Final = """
text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b1f24; }
.soft { fill: #5b6470; font-size: 11px; } .strong { font-weight: 600; }
.grid { stroke: #d5dae0; } .zero { stroke: #1b1f24; stroke-dasharray: 3 3; }
.seed { fill: #0072b2; fill-opacity: 0.45; }
.mean { fill: #d55e00; } .reach { stroke: #d55e00; stroke-width: 2; }
"""
_WIDTH: Final = 960.0
_LEFT: Final = 330.0
_RIGHT: Final = 20.0
_TOP: Final = 30.0
_ROW: Final = 26.0
_FOOT: Final = 40.0
_WIDEST: Final = 3.0
"""An interval is drawn so many times as far as the seeds and means reach, at most."""


@dataclass(frozen=True)
class Row:
    """An effect in points a deal: its ``seeds`` (none for an agent of its own), mean and
    interval."""

    name: str
    seeds: Sequence[float]
    mean: float
    low: float
    high: float


def draw(title: str, rows: Sequence[Row]) -> str:
    """The file."""
    height = _TOP + _ROW * len(rows) + _FOOT
    drawing = Drawing(title, _WIDTH, height)
    drawing.text(_LEFT, 16.0, title, "strong")
    across = Scale.around(_ends(rows), _LEFT, _WIDTH - _RIGHT)
    bottom = height - _FOOT
    for tick in across.ticks(8):
        kind = "grid" if tick else "zero"
        drawing.line(across(tick), _TOP, across(tick), bottom, kind)
        drawing.text(across(tick), bottom + 15.0, f"{tick:,g}", "soft", "middle")
    drawing.text(_WIDTH - _RIGHT, bottom + 31.0, "points a deal", "soft", "end")
    for place, row in enumerate(rows):
        _row(drawing, row, _TOP + _ROW * (place + 0.5), across)
    return drawing.file(_STYLE)


def _ends(rows: Sequence[Row]) -> list[float]:
    """What must be seen: seeds and means, and intervals as far as they are not far wider."""
    shown = [x for row in rows for x in (*row.seeds, row.mean)]
    reach = _WIDEST * max(abs(x) for x in shown)
    ends = [x for row in rows for x in (row.low, row.high) if math.isfinite(x)]
    return shown + [min(max(x, -reach), reach) for x in ends]


def _row(drawing: Drawing, row: Row, y: float, across: Scale) -> None:
    drawing.text(_LEFT - 12.0, y + 4.0, row.name, anchor="end")
    for value in row.seeds:
        drawing.box(across(value) - 3.0, y - 3.0, 6.0, 6.0, "seed")
    drawing.line(across(row.low), y, across(row.high), y, "reach")
    drawing.box(across(row.mean) - 2.0, y - 8.0, 4.0, 16.0, "mean")

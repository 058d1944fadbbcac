"""The matrix of cross-play as an SVG file: colours about the mean of self-play, values in cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from experiments.report.svg import Drawing, shorten, text_width

__all__ = ["draw"]

Floats = npt.NDArray[np.float64]

_STYLE: Final = """
text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b1f24; }
.soft { fill: #5b6470; font-size: 11px; } .strong { font-weight: 600; }
.cell { stroke: #fff; stroke-width: 1.5; } .scale { stroke: none; }
.own { fill: none; stroke: #1b1f24; stroke-width: 2; }
.tick { stroke: #1b1f24; }
"""
_ABOVE: Final = (76, 147, 204)
_BELOW: Final = (230, 138, 61)
"""Blue and orange are told apart by the colour-blind too; both are light enough for black
numbers."""
_NONE: Final = "#eceef0"
_HEIGHT: Final = 34.0
_WIDTH: Final = 960.0
_WIDEST: Final = 84.0
_NARROWEST: Final = 44.0
_GAP: Final = 8.0
"""Between groups."""
_HEAD: Final = 66.0
_STEPS: Final = 41
"""Boxes of the colour scale."""
_LEGEND: Final = 62.0
_LETTERS: Final = 38


@dataclass(frozen=True)
class _Colours:
    """Points to colours: white at ``centre``, which is called ``middle``, and full at ``reach``
    points from it.
    """

    middle: str
    centre: float
    reach: float

    def of(self, value: float) -> str:
        """Grey where there is no value."""
        if not math.isfinite(value):
            return _NONE
        strength = min(1.0, abs(value - self.centre) / self.reach) if self.reach else 0.0
        end = _ABOVE if value >= self.centre else _BELOW
        return "#" + "".join(f"{round(255 + (part - 255) * strength):02x}" for part in end)


@dataclass(frozen=True)
class _Grid:
    """Where rows and columns are: the left and upper edge of each, and the size of a cell."""

    lefts: Sequence[float]
    tops: Sequence[float]
    width: float

    @property
    def right(self) -> float:
        return self.lefts[-1] + self.width

    @property
    def bottom(self) -> float:
        return self.tops[-1] + _HEIGHT


def draw(
    title: str, names: Sequence[str], points: Floats, groups: Sequence[Sequence[str]] = ()
) -> str:
    """The file, as text; the same matrix gives the same bytes.

    Args:
        title: above the matrix; a word on what was played.
        names: of the agents, (n,).
        points: points a deal (n, n), row in the first seat and column in the second, as
            :meth:`~experiments.crossplay.tensor.Tensor.matrix` gives them; NaN is drawn grey.
        groups: names of agents that belong together; a gap is between them.

    Raises:
        ValueError: no cell has a value.
    """
    if not np.isfinite(points).any():
        raise ValueError("no cell of the matrix was played")
    labels = [f"{place}  {shorten(name, _LETTERS)}" for place, name in enumerate(names, 1)]
    grid = _grid(labels, names, groups)
    colours = _colours(points)
    width = max(grid.right + 12.0, 24.0 + text_width(title))
    drawing = Drawing(title, width, grid.bottom + _LEGEND)
    drawing.text(12.0, 18.0, title, "strong")
    drawing.text(12.0, _HEAD - 8.0, "first seat ↓   second seat →", "soft")
    for row, label in enumerate(labels):
        drawing.text(grid.lefts[0] - 12.0, grid.tops[row] + 21.0, label, anchor="end")
        head = _head(names, row, grid.width)
        drawing.text(grid.lefts[row] + grid.width / 2, _HEAD - 8.0, head, "strong", "middle")
    _cells(drawing, grid, points, colours)
    _legend(drawing, grid, colours)
    return drawing.file(_STYLE)


def _grid(labels: Sequence[str], names: Sequence[str], groups: Sequence[Sequence[str]]) -> _Grid:
    left = 24.0 + max(text_width(text) for text in [*labels, "first seat  second seat"])
    width = min(_WIDEST, max(_NARROWEST, (_WIDTH - left) / len(names)))
    starts = {group[0] for group in list(groups)[1:]}
    gaps = np.cumsum([_GAP if name in starts else 0.0 for name in names])
    places = np.arange(len(names))
    return _Grid(
        (left + width * places + gaps).tolist(), (_HEAD + _HEIGHT * places + gaps).tolist(), width
    )


def _head(names: Sequence[str], place: int, width: float) -> str:
    """The head of a column: the name if all fit, else the number that its row has."""
    fit = all(text_width(name) <= width for name in names)
    return names[place] if fit else str(place + 1)


def _colours(points: Floats) -> _Colours:
    own = np.diagonal(points)
    is_known = bool(np.isfinite(own).any())
    centre = float(np.nanmean(own if is_known else points))
    middle = "mean of self-play" if is_known else "mean"
    return _Colours(middle, centre, float(np.nanmax(np.abs(points - centre))))


def _cells(drawing: Drawing, grid: _Grid, points: Floats, colours: _Colours) -> None:
    for row, top in enumerate(grid.tops):
        for column, left in enumerate(grid.lefts):
            value = float(points[row, column])
            drawing.box(left, top, grid.width, _HEIGHT, "cell", colours.of(value))
            text = f"{round(value):+d}" if math.isfinite(value) else "–"
            drawing.text(left + grid.width / 2, top + 21.0, text, anchor="middle")
    for left, top in zip(grid.lefts, grid.tops, strict=True):  # over their neighbours' edges
        drawing.box(left + 2.0, top + 2.0, grid.width - 4.0, _HEIGHT - 4.0, "own")


def _legend(drawing: Drawing, grid: _Grid, colours: _Colours) -> None:
    """The colour scale, with its ends and the mean of self-play."""
    left, top = grid.lefts[0], grid.bottom + 16.0
    step = max(160.0, min(320.0, grid.right - left)) / _STEPS
    for place in range(_STEPS):
        value = colours.centre + colours.reach * (2.0 * place / (_STEPS - 1) - 1.0)
        drawing.box(left + step * place, top, step + 0.5, 10.0, "scale", colours.of(value))
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        value = colours.centre + colours.reach * (2.0 * share - 1.0)
        x = left + step * _STEPS * share
        drawing.line(x, top, x, top + 14.0, "tick")
        drawing.text(x, top + 27.0, f"{round(value):+d}", "soft", anchor)
    drawing.text(left + step * _STEPS / 2, top + 41.0, colours.middle, "soft", "middle")
    drawing.text(left - 12.0, top + 9.0, "points a deal", "soft", "end")

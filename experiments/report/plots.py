"""The plots of a report: what they show also stands in its tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from experiments.report.svg import Drawing, Scale, shorten, text_width

__all__ = [
    "BARS_A_PAGE",
    "CURVES_A_PAGE",
    "ROWS_A_PAGE",
    "Estimate",
    "Measure",
    "bars",
    "convergence",
    "forest",
    "matrix",
    "pages",
]

Floats = npt.NDArray[np.float64]

Item = TypeVar("Item")

ROWS_A_PAGE: Final = 45
CURVES_A_PAGE: Final = 12
BARS_A_PAGE: Final = 6
"""What fits on a printed page; the page is WIDTH pixels wide."""
WIDTH: Final = 960.0
_ROW: Final = 24.0
_AXIS: Final = 28.0
"""Height below a plot for the numbers of its axis."""
_ACROSS: Final = 3
_GAP: Final = 24.0
_BAR: Final = 18.0
_MOST_POINTS: Final = 160
"""Points of a curve: more are not seen."""
_FIRST: Final = 20
"""Units from which on a running mean is drawn: before, it only swings."""


def pages(items: Sequence[Item], most: int) -> Iterator[Sequence[Item]]:
    """The items in groups of at most so many, since a plot is not divided when printed."""
    return (items[start : start + most] for start in range(0, len(items), most))


@dataclass(frozen=True)
class Estimate:
    """A row of a forest plot: an interval, its words, and whether it is drawn full or hollow."""

    label: str
    mean: float
    low: float
    high: float
    text: str
    full: bool


def forest(name: str, unit: str, rows: Sequence[Estimate], among: Sequence[Estimate]) -> str:
    """Intervals one below another, about a line at zero, on the scale of all those ``among`` which
    they are.
    """
    labels = [shorten(row.label, 44) for row in rows]
    left = 12.0 + max(text_width(label) for label in labels)
    right = WIDTH - 12.0 - max(text_width(row.text) for row in rows)
    bottom = _ROW * len(rows) + 4.0
    drawing = Drawing(name, WIDTH, bottom + _AXIS + 14.0)
    x = Scale.around([end for row in among for end in (row.low, row.high, row.mean)], left, right)
    _axis(drawing, x, 0.0, bottom)
    drawing.text((left + right) / 2.0, bottom + _AXIS + 8.0, unit, "soft", "middle")
    for place, (row, label) in enumerate(zip(rows, labels, strict=True)):
        y = _ROW * (place + 0.5) + 2.0
        drawing.text(left - 12.0, y + 4.0, label, anchor="end")
        drawing.line(x(row.low), y, x(row.high), y, "line")
        drawing.box(x(row.mean) - 4.5, y - 4.5, 9.0, 9.0, "mark" if row.full else "open")
        drawing.text(WIDTH, y + 4.0, row.text, anchor="end")
    return str(drawing)


def _axis(drawing: Drawing, x: Scale, top: float, bottom: float, about: int = 7) -> None:
    """Numbers below, and lines above them; the one at zero stands out."""
    for tick in x.ticks(about):
        drawing.line(x(tick), top, x(tick), bottom, "grid" if tick else "zero")
        drawing.text(x(tick), bottom + 16.0, f"{tick:,g}", "soft", "middle")


def matrix(name: str, teams: Sequence[str], means: Floats, sure: npt.NDArray[np.bool_]) -> str:
    """The row's lead over the column: blue above zero, orange below, with the number in each cell.

    ``means`` (teams, teams), NaN where two did not meet; those that are ``sure`` have a star.
    """
    labels = [f"{place + 1}  {shorten(team, 34)}" for place, team in enumerate(teams)]
    left = 12.0 + max(text_width(label) for label in labels)
    cell = min(96.0, (WIDTH - left) / len(teams))
    height = 34.0
    drawing = Drawing(name, WIDTH, height * len(teams) + 22.0)
    largest = float(np.nanmax(np.abs(means))) if np.isfinite(means).any() else 1.0
    for row, label in enumerate(labels):
        y = 22.0 + height * row
        drawing.text(left - 12.0, y + height / 2.0 + 4.0, label, anchor="end")
        drawing.text(left + cell * (row + 0.5), 14.0, str(row + 1), "strong", "middle")
        for column, value in enumerate(means[row]):
            drawing.box(left + cell * column, y, cell, height, "cell", _tint(value, largest))
            if math.isfinite(value):
                text = f"{value:+.0f}{'*' if sure[row, column] else ''}"
                middle = left + cell * (column + 0.5)
                drawing.text(middle, y + height / 2.0 + 4.0, text, anchor="middle")
    return str(drawing)


def _tint(value: float, largest: float) -> str:
    """White at zero, light enough everywhere for black numbers; grey where there is none."""
    if not math.isfinite(value):
        return "#eceef0"
    strength = abs(value) / largest if largest else 0.0
    end = (122, 176, 226) if value >= 0.0 else (240, 166, 104)
    return "#" + "".join(f"{round(255 + (of - 255) * strength):02x}" for of in end)


@dataclass(frozen=True)
class Measure:
    """A panel of bars: its title, a value for each team, and how a value is written."""

    title: str
    values: Sequence[float]
    form: Callable[[float], str]


def bars(name: str, teams: Sequence[str], measures: Sequence[Measure]) -> str:
    """A panel for each measure, with a bar for each team."""
    width = (WIDTH - _GAP * (_ACROSS - 1)) / _ACROSS
    height = 44.0 + _BAR * len(teams)
    drawing = Drawing(name, WIDTH, height * math.ceil(len(measures) / _ACROSS) - 14.0)
    labels = [shorten(team, 16) for team in teams]
    for place, measure in enumerate(measures):
        _bars(drawing, labels, measure, *_corner(place, width, height), width)
    return str(drawing)


def _bars(
    drawing: Drawing, labels: Sequence[str], measure: Measure, left: float, top: float, width: float
) -> None:
    drawing.text(left, top + 14.0, measure.title, "strong")
    texts = [measure.form(value) for value in measure.values]
    start = left + 8.0 + max(text_width(label) for label in labels)
    x = Scale.around(
        measure.values, start, left + width - 8.0 - max(text_width(text) for text in texts)
    )
    for row, (label, value, text) in enumerate(zip(labels, measure.values, texts, strict=True)):
        y = top + 22.0 + _BAR * row
        drawing.text(start - 6.0, y + 11.0, label, "soft", "end")
        ends = sorted((x(0.0), x(value if math.isfinite(value) else 0.0)))
        drawing.box(ends[0], y + 1.5, ends[1] - ends[0], 12.0, "bar")
        drawing.text(ends[1] + 5.0, y + 11.0, text, "soft")


def _corner(place: int, width: float, height: float) -> tuple[float, float]:
    """Where the panel of a grid begins."""
    row, column = divmod(place, _ACROSS)
    return column * (width + _GAP), row * height


def convergence(name: str, curves: Sequence[tuple[str, Floats]], z: float) -> str:
    """A panel for each title and its units: the running mean within ``z`` standard errors."""
    width, height = (WIDTH - _GAP * (_ACROSS - 1)) / _ACROSS, 150.0
    drawing = Drawing(name, WIDTH, (height + 16.0) * math.ceil(len(curves) / _ACROSS))
    for place, (title, units) in enumerate(curves):
        left, top = _corner(place, width, height + 16.0)
        drawing.text(left, top + 13.0, shorten(title, 42), "strong")
        _panel(drawing, units, z, (left + 44.0, top + 22.0, left + width, top + height - 20.0))
    return str(drawing)


def _panel(
    drawing: Drawing, units: Floats, z: float, edges: tuple[float, float, float, float]
) -> None:
    left, top, right, bottom = edges
    counts, means, reach = _running(units, z)
    y = Scale.around([*(means - reach), *(means + reach)], bottom, top)
    x = Scale(0.0, float(units.size), left, right)
    at = [x(float(count)) for count in counts]
    upper = list(zip(at, map(y, means + reach), strict=True))
    lower = list(zip(at, map(y, means - reach), strict=True))
    drawing.path([*upper, *lower[::-1]], "band", closed=True)
    for tick in y.ticks(4):
        drawing.line(left, y(tick), right, y(tick), "grid" if tick else "zero")
        drawing.text(left - 6.0, y(tick) + 4.0, f"{tick:,g}", "soft", "end")
    for tick in x.ticks(3)[1:]:
        anchor = "end" if x(tick) > right - 14.0 else "middle"
        drawing.text(x(tick), bottom + 15.0, f"{tick:,g}", "soft", anchor)
    drawing.path(zip(at, map(y, means), strict=True), "line", closed=False)


def _running(units: Floats, z: float) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
    """Numbers of units, the mean of so many, and ``z`` of its standard errors."""
    first = min(_FIRST, units.size)
    counts = np.unique(np.linspace(first, units.size, _MOST_POINTS).astype(np.int64))
    means = np.cumsum(units)[counts - 1] / counts
    squares = np.cumsum(units**2)[counts - 1] / counts - means**2
    errors = np.sqrt(np.maximum(squares, 0.0) / np.maximum(counts - 1, 1))
    return counts, means, z * errors

"""Learning curves as SVG files: a panel for each opponent, a colour for each arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from experiments.curves.arms import Curve, at_hours
from experiments.report.svg import Drawing, Scale, text_width
from experiments.stats import Interval, student_interval

__all__ = ["Panel", "draw"]

Floats = npt.NDArray[np.float64]

_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Of Okabe and Ito, told apart by the colour-blind too."""
_STYLE: Final = """
text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b1f24; }
.soft { fill: #5b6470; font-size: 11px; } .strong { font-weight: 600; }
.grid { stroke: #d5dae0; } .zero { stroke: #1b1f24; stroke-dasharray: 3 3; }
polyline { fill: none; stroke-linejoin: round; }
""" + "\n".join(
    f".arm{i} {{ stroke: {of}; stroke-width: 2.2; }} "
    f".run{i} {{ stroke: {of}; stroke-width: 0.9; stroke-opacity: 0.6; }} "
    f".band{i} {{ fill: {of}; fill-opacity: 0.13; }}"
    for i, of in enumerate(_COLOURS)
)
_ACROSS: Final = 2
_WIDTH: Final = 960.0
_HEIGHT: Final = 250.0
_GAP: Final = 30.0
_LEFT: Final = 50.0
_LEGEND: Final = 26.0
_GRID: Final = 60
"""Points of a mean over hours, at which no run need have a checkpoint."""


@dataclass(frozen=True)
class Panel:
    """The curves of all arms against an opponent; ``error`` is the standard error that the deals
    leave in the points of one checkpoint, on average.
    """

    opponent: str
    curves: Sequence[Curve]
    error: float


def draw(name: str, panels: Sequence[Panel], by_hours: bool) -> str:
    """The file: thin lines are runs, a thick one their mean, the band its 95 % interval (Student's
    over the runs) where there are several.
    """
    rows = -(-len(panels) // _ACROSS)
    drawing = Drawing(name, _WIDTH, _LEGEND + rows * _HEIGHT)
    _legend(drawing, [curve.arm.name for curve in panels[0].curves])
    width = (_WIDTH - _GAP * (_ACROSS - 1)) / _ACROSS
    for place, panel in enumerate(panels):
        row, column = divmod(place, _ACROSS)
        _panel(drawing, panel, column * (width + _GAP), _LEGEND + row * _HEIGHT, width, by_hours)
    return drawing.file(_STYLE)


def _kind(word: str, arm: int) -> str:
    return f"{word}{arm % len(_COLOURS)}"


def _legend(drawing: Drawing, names: Sequence[str]) -> None:
    x = _LEFT
    for place, name in enumerate(names):
        drawing.line(x, 12.0, x + 22.0, 12.0, _kind("arm", place))
        drawing.text(x + 28.0, 16.0, name)
        x += 52.0 + text_width(name)


def _panel(
    drawing: Drawing, panel: Panel, left: float, top: float, width: float, by_hours: bool
) -> None:
    lines = [_lines(curve, by_hours) for curve in panel.curves]
    bottom = top + _HEIGHT - 48.0
    ends = [value for of in lines for value in of.across.flat]
    x = Scale.around(ends, left + _LEFT, left + width)
    y = Scale.around([value for of in lines for value in _heights(of)], bottom, top + 24.0)
    drawing.text(left + _LEFT, top + 14.0, f"points a deal against {panel.opponent}", "strong")
    for tick in y.ticks(5):
        drawing.line(left + _LEFT, y(tick), left + width, y(tick), "grid" if tick else "zero")
        drawing.text(left + _LEFT - 6.0, y(tick) + 4.0, f"{tick:,g}", "soft", "end")
    for tick in x.ticks(5):
        drawing.text(x(tick), bottom + 15.0, f"{tick:,g}", "soft", "middle")
    unit = "hours of training" if by_hours else "thousands of deals"
    drawing.text(left + width, bottom + 31.0, unit, "soft", "end")
    for place, of in enumerate(lines):
        _draw(drawing, place, of, x, y)


@dataclass(frozen=True)
class _Lines:
    """A curve as it is drawn: runs, ``across`` and ``points`` (runs, marks); and their mean,
    ``middle`` (m,) and the runs' points there, (runs, m).
    """

    across: Floats
    points: Floats
    middle: Floats
    there: Floats

    def intervals(self) -> list[Interval]:
        """Of the mean, Student's over the runs."""
        return [student_interval(column) for column in self.there.T]


def _lines(curve: Curve, by_hours: bool) -> _Lines:
    """Without the network before its first deal, beside which all that is learnt looks flat."""
    first = 1 if curve.arm.marks[0] == 0 else 0
    points = curve.points[:, first:]
    if not by_hours:
        middle = np.array(curve.arm.marks[first:]) / 1000.0
        return _Lines(np.array([middle] * len(points)), points, middle, points)
    hours = curve.arm.hours()[:, first:]
    grid = np.linspace(hours[:, 0].max(), hours[:, -1].min(), _GRID)
    there = [of for of in at_hours(curve, grid.tolist()) if of is not None]
    return _Lines(hours, points, grid[: len(there)], np.array(there).T)


def _heights(lines: _Lines) -> list[float]:
    """What must fit on the vertical scale: runs, and their band where it is not far wider."""
    shown = [float(value) for value in lines.points.flat]
    reach = 1.5 * (max(shown) - min(shown))
    ends = [end for one in lines.intervals() for end in (one.low, one.high)]
    return shown + [end for end in ends if min(shown) - reach <= end <= max(shown) + reach]


def _draw(drawing: Drawing, place: int, lines: _Lines, x: Scale, y: Scale) -> None:
    middle = [x(value) for value in lines.middle]
    if len(lines.points) > 1:
        ends = lines.intervals()
        upper = list(zip(middle, (y(one.high) for one in ends), strict=True))
        lower = list(zip(middle, (y(one.low) for one in ends), strict=True))
        drawing.path([*upper, *lower[::-1]], _kind("band", place), closed=True)
        for own, points in zip(lines.across, lines.points, strict=True):
            drawing.path(
                zip(map(x, own), map(y, points), strict=True), _kind("run", place), closed=False
            )
    means = [y(value) for value in lines.there.mean(axis=0)]
    drawing.path(zip(middle, means, strict=True), _kind("arm", place), closed=False)

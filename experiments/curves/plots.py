"""Learning curves as SVG files: a panel for each opponent, a colour for each arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from experiments.curves.arms import Curve
from experiments.report.svg import Drawing, Scale, text_width

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


@dataclass(frozen=True)
class Panel:
    """The curves of all arms against an opponent."""

    opponent: str
    curves: Sequence[Curve]


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
    across = [_across(curve, by_hours) for curve in panel.curves]
    bottom = top + _HEIGHT - 48.0
    x = Scale.around([value for of in across for value in of.flat], left + _LEFT, left + width)
    y = Scale.around(
        [value for curve in panel.curves for value in _heights(curve)], bottom, top + 24
    )
    drawing.text(left + _LEFT, top + 14.0, f"points a deal against {panel.opponent}", "strong")
    for tick in y.ticks(5):
        drawing.line(left + _LEFT, y(tick), left + width, y(tick), "grid" if tick else "zero")
        drawing.text(left + _LEFT - 6.0, y(tick) + 4.0, f"{tick:,g}", "soft", "end")
    for tick in x.ticks(5):
        drawing.text(x(tick), bottom + 15.0, f"{tick:,g}", "soft", "middle")
    unit = "hours of training" if by_hours else "thousands of deals"
    drawing.text(left + width, bottom + 31.0, unit, "soft", "end")
    for place, (curve, at) in enumerate(zip(panel.curves, across, strict=True)):
        _curve(drawing, place, curve, at, x, y)


def _across(curve: Curve, by_hours: bool) -> Floats:
    """(runs, marks): where the points of each run stand."""
    if by_hours:
        return curve.arm.hours()
    return np.array([curve.arm.marks] * len(curve.arm.runs)) / 1000.0


def _heights(curve: Curve) -> list[float]:
    """What must fit on the vertical scale: runs, and their band where it is not far wider."""
    shown = [float(value) for value in curve.points.flat]
    reach = 1.5 * (max(shown) - min(shown))
    ends = [end for one in curve.intervals() for end in (one.low, one.high)]
    return shown + [end for end in ends if min(shown) - reach <= end <= max(shown) + reach]


def _curve(drawing: Drawing, place: int, curve: Curve, at: Floats, x: Scale, y: Scale) -> None:
    middle = [x(value) for value in at.mean(axis=0)]
    if len(at) > 1:
        ends = curve.intervals()
        upper = list(zip(middle, (y(one.high) for one in ends), strict=True))
        lower = list(zip(middle, (y(one.low) for one in ends), strict=True))
        drawing.path([*upper, *lower[::-1]], _kind("band", place), closed=True)
        for own, points in zip(at, curve.points, strict=True):
            drawing.path(
                zip(map(x, own), map(y, points), strict=True), _kind("run", place), closed=False
            )
    means = [y(value) for value in curve.points.mean(axis=0)]
    drawing.path(zip(middle, means, strict=True), _kind("arm", place), closed=False)

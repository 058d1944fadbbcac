"""Reliability curves as SVG: a panel for each agent whose play was foretold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from experiments.beliefs.measures import Calibration
from experiments.beliefs.study import CALIBRATED, Population
from experiments.report.svg import Drawing, Scale, shorten, text_width

__all__ = ["draw"]

_COLOURS: Final = ("#d55e00", "#0072b2")
"""Of Okabe and Ito, told apart by the colour-blind too; one for each belief."""
_STYLE: Final = """
text { font: 12px system-ui, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1b1f24; }
.soft { fill: #5b6470; font-size: 11px; } .strong { font-weight: 600; }
.grid { stroke: #d5dae0; } .equal { stroke: #1b1f24; stroke-dasharray: 3 3; }
polyline { stroke-linejoin: round; }
""" + "\n".join(
    f".line{i} {{ fill: none; stroke: {of}; stroke-width: 2; }} .mark{i} {{ fill: {of}; }}"
    for i, of in enumerate(_COLOURS)
)
_SIDE: Final = 250.0
_LEFT: Final = 46.0
_TOP: Final = 48.0
_ACROSS: Final = 3
_BELOW: Final = 44.0


def draw(populations: Mapping[str, Population]) -> str:
    """The file: across the chance that a hand has a hidden card of a kind, upward the share of
    hands that had one; on the broken line both are the same.
    """
    rows = -(-len(populations) // _ACROSS)
    columns = min(len(populations), _ACROSS)
    width, height = _LEFT + _SIDE + 20.0, _SIDE + _BELOW + 26.0
    drawing = Drawing("reliability of beliefs", columns * width, _TOP - 20.0 + rows * height)
    _legend(drawing)
    for place, (name, population) in enumerate(populations.items()):
        row, column = divmod(place, _ACROSS)
        _panel(drawing, name, population.calibration, column * width, _TOP + row * height)
    return drawing.file(_STYLE)


def _legend(drawing: Drawing) -> None:
    x = _LEFT
    for place, name in enumerate(CALIBRATED):
        drawing.line(x, 12.0, x + 16.0, 12.0, f"line{place}")
        drawing.text(x + 21.0, 16.0, name)
        x += 34.0 + text_width(name)


def _panel(
    drawing: Drawing, name: str, found: Mapping[str, Calibration], left: float, top: float
) -> None:
    start, bottom = left + _LEFT, top + _SIDE
    x, y = Scale(0.0, 1.0, start, start + _SIDE), Scale(0.0, 1.0, bottom, top)
    drawing.text(start, top - 8.0, shorten(name, 30), "strong")
    for tick in x.ticks(5):
        drawing.line(x(tick), top, x(tick), bottom, "grid")
        drawing.line(start, y(tick), start + _SIDE, y(tick), "grid")
        drawing.text(x(tick), bottom + 15.0, f"{tick:g}", "soft", "middle")
        drawing.text(start - 6.0, y(tick) + 4.0, f"{tick:g}", "soft", "end")
    drawing.text(start + _SIDE, bottom + 31.0, "chance of a card of the kind", "soft", "end")
    drawing.line(x(0.0), y(0.0), x(1.0), y(1.0), "equal")
    for place, belief in enumerate(CALIBRATED):
        spots = [(x(chance), y(share)) for chance, share, _ in found[belief].table]
        drawing.path(spots, f"line{place}", closed=False)
        for across, up in spots:
            drawing.box(across - 2.5, up - 2.5, 5.0, 5.0, f"mark{place}")

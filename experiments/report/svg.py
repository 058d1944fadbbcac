"""A small drawing: shapes and words as SVG, and linear scales with round ticks.

Looks come from the classes of the page's style sheet; numbers are rounded, so that the same figures
give the same text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from typing import Final

__all__ = ["Drawing", "Scale", "shorten", "text_width"]

_LETTER: Final = 7.3
"""Pixels that a letter of the plots' font takes, in the widest of the usual fonts."""


def text_width(text: str) -> float:
    """About how many pixels a text takes."""
    return _LETTER * len(text)


def shorten(text: str, letters: int) -> str:
    """The text, without its middle where it is longer than so many letters."""
    if len(text) <= letters:
        return text
    end = (letters - 1) // 2
    return f"{text[: letters - 1 - end]}…{text[len(text) - end :]}"


@dataclass(frozen=True)
class Scale:
    """Values from ``low`` to ``high`` onto pixels from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def around(cls, values: Iterable[float], start: float, end: float) -> Scale:
        """A scale that shows zero and all finite values, with a little air."""
        known = [0.0, *(value for value in values if math.isfinite(value))]
        low, high = min(known), max(known)
        air = 0.04 * (high - low) or 1.0
        return cls(low - air * (low < 0.0), high + air * (high > 0.0 or low == 0.0), start, end)

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, about: int = 6) -> list[float]:
        """Round values, about so many."""
        rough = (self.high - self.low) / about
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * of for of in (1.0, 2.0, 5.0, 10.0) if unit * of >= rough)
        first, last = math.ceil(self.low / step), math.floor(self.high / step)
        return [place * step for place in range(first, last + 1)]


@dataclass
class Drawing:
    """Shapes drawn one over another, ``width`` by ``height`` pixels; ``name`` is read aloud."""

    name: str
    width: float
    height: float
    _parts: list[str] = field(default_factory=list)

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        """A straight line of a class."""
        self._add("line", kind, x1=x1, y1=y1, x2=x2, y2=y2)

    def box(
        self, x: float, y: float, width: float, height: float, kind: str, fill: str = ""
    ) -> None:
        """A rectangle of a class, or of a colour of its own."""
        style = {"style": f"fill:{fill}"} if fill else {}
        self._add("rect", kind, x=x, y=y, width=width, height=height, **style)

    def path(self, points: Iterable[tuple[float, float]], kind: str, *, closed: bool) -> None:
        """A line through points, or the area that they enclose."""
        spots = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._add("polygon" if closed else "polyline", kind, points=spots)

    def text(self, x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> None:
        """Words that start, end or have their ``middle`` at ``x``, and stand on ``y``."""
        anchor_of = {"text-anchor": anchor} if anchor != "start" else {}
        self._add("text", kind, escape(text), x=x, y=y, **anchor_of)

    def file(self, style: str) -> str:
        """The drawing as a file of its own, on white, with its own style sheet."""
        head, _, body = str(self).partition(">\n")
        back = '<rect width="100%" height="100%" style="fill:#fff"/>'
        head = head.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
        return f"{head}>\n<style>\n{style.strip()}\n</style>\n{back}\n{body}\n"

    def _add(self, tag: str, kind: str, content: str = "", **attributes: float | str) -> None:
        values = {"class": kind, **attributes} if kind else attributes
        text = " ".join(
            f'{name}="{value if isinstance(value, str) else format(value, ".1f")}"'
            for name, value in values.items()
        )
        self._parts.append(f"<{tag} {text}>{content}</{tag}>")

    def __str__(self) -> str:
        size = f'width="{self.width:.0f}" height="{self.height:.0f}"'
        view = f'viewBox="0 0 {self.width:.0f} {self.height:.0f}"'
        body = "\n".join(self._parts)
        return f'<svg {size} {view} role="img" aria-label="{escape(self.name)}">\n{body}\n</svg>'

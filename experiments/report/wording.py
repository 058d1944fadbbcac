"""Numbers, intervals and names as a report writes them."""

from __future__ import annotations

import math
from typing import Any

from experiments.report.database import Pairing
from experiments.stats import Interval

__all__ = ["episode", "interval", "number", "percent", "versus"]


def number(value: float, form: str = "+.1f", scale: float = 1.0) -> str:
    """A value in a format, a dash where there is none, ∞ where it is infinite."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0.0 else "-∞"
    return format(value * scale, form)


def interval(found: Interval, form: str = "+.1f", scale: float = 1.0) -> str:
    """Both ends, in brackets; a dash where there are none."""
    if math.isnan(found.low):
        return "–"
    return f"[{number(found.low, form, scale)}, {number(found.high, form, scale)}]"


def percent(level: float) -> str:
    """A level of confidence: ``95 %``."""
    return f"{100.0 * level:.10g} %"


def versus(pairing: Pairing) -> str:
    """The teams of a pairing."""
    return f"{pairing.team_a} – {pairing.team_b}"


def episode(settings: dict[str, Any]) -> str:
    """What a game is: a deal or a match."""
    return str(settings.get("episode", "deal"))

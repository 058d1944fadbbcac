"""The terminal tables of a match."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from rich import box
from rich.table import Table

from experiments.play import Setup
from experiments.result import Outcome
from experiments.stats import Summary, holm

__all__ = ["MEASURES", "behaviour", "number", "summary"]

MEASURES: Final = (
    ("points", "points a deal", ".0f"),
    ("melded", "deals with a first meld", "%"),
    ("first_meld_turn", "turn of the first meld (all seats' turns)", ".1f"),
    ("takes", "takes of the pile a deal", ".2f"),
    ("wild_discards", "wild cards discarded a deal", ".2f"),
    ("natural_canastas", "natural canastas a deal", ".2f"),
    ("mixed_canastas", "mixed canastas a deal", ".2f"),
    ("wild_canastas", "wild canastas a deal", ".2f"),
    ("went_out", "deals gone out", "%"),
    ("went_out_of_won", "deals gone out, of those won", "%"),
    ("concealed", "deals gone out concealed", "%"),
    ("caught", "cards caught in hand at the end", ".1f"),
)
"""Measures of behaviour: their names, what is shown, and the format; ``%`` for a share."""


def number(value: float, form: str) -> str:
    """A value as text, in a format of :data:`MEASURES`; a dash where it is not finite."""
    if not math.isfinite(value):
        return "–"
    return f"{100 * value:.1f} %" if form == "%" else format(value, form)


def _what(setup: Setup, *, many: bool) -> str:
    """The name of what a table plays."""
    return {"deal": ("deal", "deals"), "match": ("match", "matches")}[setup.episode][many]


def _shares(shares: tuple[float, float, float]) -> tuple[str, str]:
    """Won by A and won by B; the ties stand with A's."""
    won, tied, lost = (f"{100 * share:.1f} %" for share in shares)
    return (f"{won} ({tied} tied)", lost) if shares[1] else (won, lost)


def behaviour(setup: Setup, found: Outcome, seconds: float) -> Table:
    """What the two teams won and did, one measure a row."""
    title = f"{found.team_a} against {found.team_b}: {setup.units} units in {seconds:.1f} s"
    table = Table(title=title, title_justify="left", box=box.SIMPLE)
    table.caption = (
        f"Standard deviation of a unit {number(found.points.deviation, '.0f')} points; "
        f"duplicating divided the variance by {found.gain:.2f}."
    )
    table.caption_justify = "left"
    table.add_column("of a side" if setup.sides > 2 else "")
    table.add_column(f"A: {found.team_a}", justify="right")
    table.add_column(f"B: {found.team_b}", justify="right")
    table.add_row(f"{_what(setup, many=True)} won", *_shares(found.table_shares))
    table.add_row("units won", *_shares(found.unit_shares), end_section=True)
    for name, label, form in MEASURES:
        a, b = found.behaviour[name]
        if name != "wild_canastas" or a or b:
            table.add_row(label, number(a, form), number(b, form))
    return table


def _interval(found: Summary, scale: float, form: str) -> str:
    ends = found.interval.low * scale, found.interval.high * scale
    return "[" + ", ".join(format(end, form) if math.isfinite(end) else "–" for end in ends) + "]"


def _caption(setup: Setup, outcomes: Sequence[Outcome]) -> str:
    unit = "deck" if setup.episode == "deal" else "row of decks"
    lines = [
        f"{setup.text}, {setup.players} players, seed {setup.seed}; {setup.units} units: a {unit}, "
        f"played with A on each side in turn.",
        "gain: variance of as many independent deals over that of the duplicate units.",
    ]
    if len(outcomes) > 1:
        lines.append("p: sign flips over units, Holm's correction for the whole table.")
    capped = sum(found.capped for found in outcomes)
    if capped:
        lines.append(f"{capped} matches were ended by the limit of {setup.max_deals} deals.")
    return "\n".join(lines)


def summary(setup: Setup, outcomes: Sequence[Outcome], level: float) -> Table:
    """All matches, one opponent a row."""
    what, percent = _what(setup, many=False), f"{level:.0%}"
    table = Table(title=f"{outcomes[0].team_a} (A) against B, in points a {what}", box=box.SIMPLE)
    table.title_justify = table.caption_justify = "left"
    table.caption = _caption(setup, outcomes)
    table.add_column("B", overflow="fold", min_width=8)
    for head in ("A - B", percent, "p", "A wins %", percent, "gain"):
        table.add_column(head, justify="right", no_wrap=True)
    adjusted = holm([found.points.p_value for found in outcomes])
    for found, p_value in zip(outcomes, adjusted, strict=True):
        table.add_row(
            found.team_b,
            number(found.points.mean, "+.0f"),
            _interval(found.points, 1.0, "+.0f"),
            f"{p_value:.4f}",
            number(100.0 * found.win_rate.mean, ".1f"),
            _interval(found.win_rate, 100.0, ".1f"),
            f"{found.gain:.2f}",
        )
    return table

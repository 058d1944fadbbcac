"""The terminal tables of a tensor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich import box
from rich.table import Table

from experiments.crossplay.estimates import Estimate
from experiments.crossplay.summary import Between, Pair, Summary, Swap, Worst
from experiments.crossplay.tensor import Tensor
from experiments.report.svg import shorten
from experiments.stats import Interval
from experiments.stats import Summary as Units

__all__ = ["estimates", "matrix", "pairs", "swaps", "worst"]

_WIDEST: Final = 10
"""Agents of a matrix that a terminal of 80 columns has room for."""
_NAMED: Final = 7
"""Agents of a matrix whose names have room beside it."""
_LETTERS: Final = 24
_MOST: Final = 15
"""Pairs that are all shown."""
_SURE: Final = 0.05


def matrix(tensor: Tensor) -> Table | None:
    """M, the mean over references and decks; None where it is too wide for a terminal."""
    if len(tensor.agents) > _WIDEST:
        return None
    table = _table("Partners: points a deal, first seat in rows, second in columns", "")
    labels = [f"{place} {name}" for place, name in enumerate(tensor.agents, 1)]
    if len(labels) > _NAMED:
        table.caption = "\n".join(labels)
        labels = [str(place) for place in range(1, len(labels) + 1)]
    table.columns[0].no_wrap, table.columns[0].min_width = True, None
    table.padding, table.pad_edge = (0, 0, 0, 1), False
    for place in range(1, len(labels) + 1):
        table.add_column(str(place), justify="right", no_wrap=True)
    for label, row in zip(labels, tensor.matrix().tolist(), strict=True):
        table.add_row(shorten(label, _LETTERS), *map(_number, row))
    return table


def estimates(
    arms: Mapping[str, Summary],
    mixed: Mapping[str, Between],
    differences: Mapping[str, Estimate],
    level: float,
) -> Table:
    """What each arm wins as its own partner and as one another's, partners from two arms, and the
    differences of the arms' interactions; by the words that stand before them.
    """
    table = _table("Self-play and cross-play, points a deal", "")
    for head in ("", f"{level:.0%}: seeds, decks", "seeds %", f"{level:.0%}: decks"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, one in arms.items():
        for word, found in (
            ("self-play", one.self_play),
            ("cross-play", one.cross_play),
            ("interaction", one.interaction),
        ):
            table.add_row(f"{name} {word}".strip(), *_cells(found))
    for name, both in mixed.items():
        table.add_row(f"{name} cross-play", *_cells(both.cross_play))
        table.add_row(f"{name} interaction", *_cells(both.interaction))
    for name, found in differences.items():
        table.add_row(f"{name} interaction", *_cells(found))
    table.caption = (
        "The interaction is cross-play less self-play. First interval: other seeds and other "
        "decks; second: these agents, other decks. seeds %: of the first one's variance, what more "
        "decks would leave."
    )
    return table


def pairs(found: Sequence[Pair], level: float) -> Table:
    """Interaction and seat effect of each pair; of many pairs only those that are not chance."""
    shown = list(found)
    if len(found) > _MOST:
        shown = [one for one in found if min(one.interaction_p, one.seats_p) < _SURE]
    table = _table(
        "Pairs: interaction, and points less those with seats exchanged", "first + second"
    )
    for head in ("interaction", f"{level:.0%}", "p", "seats", "p"):
        table.add_column(head, justify="right", no_wrap=True)
    for one in shown:
        table.add_row(
            f"{one.first} + {one.second}",
            *(*_units(one.interaction), f"{one.interaction_p:.4f}"),
            *(_number(one.seats.mean), f"{one.seats_p:.4f}"),
        )
    left_out = len(found) - len(shown)
    table.caption = "Student's t over decks; p with Holm's correction over all pairs." + (
        f" {left_out} pairs with p from {_SURE} on are left out." if left_out else ""
    )
    return table


def worst(found: Iterable[Worst], level: float) -> Table:
    """The worst partner of each agent."""
    table = _table("Worst partners, found on half of the decks, measured on the rest", "agent")
    table.add_column("partner", overflow="fold", min_width=8)
    for head in ("points", "change", f"{level:.0%}", "interaction"):
        table.add_column(head, justify="right", no_wrap=True)
    for one in found:
        points, extra = _number(one.points.mean), _number(one.interaction.mean)
        table.add_row(one.agent, one.partner, points, *_units(one.change), extra)
    table.caption = "change: less the agent's self-play."
    return table


def swaps(ego: str, found: Iterable[Swap], level: float) -> Table:
    """The partners of one agent."""
    table = _table(f"Partners of {ego}, both orders of seats, points a deal", "partner")
    for head in ("points", f"{level:.0%}", "less the first", f"{level:.0%}", "p"):
        table.add_column(head, justify="right", no_wrap=True)
    for one in found:
        change = (
            ("", "", "") if one.change is None else (*_units(one.change), f"{one.change_p:.4f}")
        )
        table.add_row(one.partner, *_units(one.points), *change)
    table.caption = "Intervals over decks, the same for all; p: sign flips, Holm's correction."
    return table


def _table(title: str, head: str) -> Table:
    table = Table(title=title, box=box.SIMPLE, title_justify="left", caption_justify="left")
    table.add_column(head, overflow="fold", min_width=16)
    return table


def _number(value: float) -> str:
    return f"{round(value):+d}" if math.isfinite(value) else "–"


def _interval(found: Interval) -> str:
    return f"[{_number(found.low)}, {_number(found.high)}]"


def _units(found: Units) -> tuple[str, str]:
    return _number(found.mean), _interval(found.interval)


def _cells(found: Estimate) -> tuple[str, str, str, str]:
    share = f"{100 * found.seeds_share:.0f}" if math.isfinite(found.seeds_share) else "–"
    return _number(found.mean), _interval(found.interval), share, _interval(found.decks)

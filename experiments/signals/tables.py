"""What the commands of :mod:`experiments.signals` show and write."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich import box
from rich.table import Table

from agents.checkpoint import identity, versions
from canasta_env.batch import Batch
from canasta_env.rules import Rules
from experiments.signals.sums import Sums
from experiments.signals.truth import Truth
from experiments.stats import mean_interval

__all__ = ["FORMAT", "Found", "discards", "document", "listening", "truths"]

Floats = npt.NDArray[np.float64]

FORMAT: Final = "canasta signals 1"
Found = dict[str, dict[str, Sums]]
"""By the name of an agent what was found, by relation or kind of pair."""

_BITS: Final = ".3f"
_ROUNDING: Final = 1e-9
"""Numbers below this are those of sums in another order."""


def _cell(units: Floats, level: float, form: str, scale: float = 1.0) -> str:
    """A mean with its interval as text, each number in a format."""
    found = mean_interval(units, level=level)
    numbers = (float(units.mean()), found.low, found.high)
    mean, low, high = (_number(scale * value, form) for value in numbers)
    return f"{mean} [{low}, {high}]"


def _number(value: float, form: str) -> str:
    """A number as text, that of a rounding error as 0, and no zero with a minus."""
    text = format(value if abs(value) > _ROUNDING else 0.0, form)
    return text.removeprefix("-") if float(text) == 0.0 else text


def _table(title: str, first: Sequence[str], heads: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE)
    for head in first:
        table.add_column(head, overflow="fold", min_width=8)
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def discards(title: str, agent: str, by_observer: dict[str, Sums], level: float) -> Table:
    """What the discards of one agent tell, in bits, a column for each observer; below, what the
    partner is told less what an opponent is."""
    table = _table(
        f"{agent}, {title}", ("bits a discard",), [f"to the {who}" for who in by_observer]
    )
    columns = [_lines(sums, level) for sums in by_observer.values()]
    for label in columns[0]:
        table.add_row(label, *(column[label] for column in columns))
    if len(columns) == 2:
        partner, opponent = (sums.units("told") for sums in by_observer.values())
        table.caption = f"told to the partner less: {_cell(partner - opponent, level, _BITS)}"
        table.caption_justify = "left"
    return table


def _lines(sums: Sums, level: float) -> dict[str, str]:
    """What stands in a column about one observer."""
    cases = int(sums.cases.sum())
    return {
        "discards": f"{cases:,}",
        "told": _cell(sums.units("told"), level, _BITS),
        "of its entropy": _number(float(sums.units("uncertain").mean()), _BITS),
        "any card: told": _number(float(sums.units("hand_only").mean()), _BITS),
        "beyond that": _cell(sums.units("told", less="hand_only"), level, _BITS),
        "exchanged": _cell(sums.units("exchanged"), level, _BITS),
        "left out": f"{100 * sums.left_out / (cases + sums.left_out):.1f} %",
    }


def listening(title: str, found: Found, level: float) -> Table:
    """Nats and shares of choices; a row for each agent and kind of pair, and one for how much more
    the partner is listened to than an opponent."""
    table = _table(title, ("agent", "exchanged"), ("states", "nats", "% changed", "% asked again"))
    for agent, by_pair in found.items():
        for pair, sums in by_pair.items():
            again = _number(100 * float(sums.units("again").mean()), ".1f")
            cells = _heard([sums], level)
            table.add_row(agent, pair, f"{int(sums.cases.sum()):,}", *cells, again)
        if {"partner", "opponent"} <= by_pair.keys():
            cells = _heard([by_pair["partner"], by_pair["opponent"]], level)
            table.add_row(agent, "partner less opponent", "", *cells, "")
    return table


def _heard(of: Sequence[Sums], level: float) -> list[str]:
    """The nats and the changed choices, in percent, of one row, or of one less the other."""
    cells = []
    for name, form, scale in (("nats", ".4f", 1.0), ("changed", ".1f", 100.0)):
        if name not in of[0].of:
            cells.append("–")
            continue
        units = [sums.units(name) for sums in of]
        cells.append(_cell(units[0] - units[1] if len(units) > 1 else units[0], level, form, scale))
    return cells


def truths(title: str, exact: dict[str, Truth], found: Found, level: float) -> Table:
    """Bits a discard; a row for each agent: the estimate beside what is exact, the exact truth of
    who weighs past choices, and the same two if any card of the hand were thrown."""
    heads = ("estimate", "exact", "posterior", "any card", "exact")
    table = _table(title, ("agent",), heads)
    for agent, one in exact.items():
        (sums,) = found[agent].values()
        table.add_row(
            agent,
            _cell(sums.units("told"), level, _BITS),
            _number(one.uniform.told, _BITS),
            _number(one.posterior.told, _BITS),
            _number(float(sums.units("hand_only").mean()), _BITS),
            _number(one.hand_only.told, _BITS),
        )
    return table


def document(
    what: str, rules: Rules, players: int, settings: dict[str, Any], found: Found, level: float
) -> dict[str, Any]:
    """The result file: what was measured, how, and with what; no times, so that the same command
    gives the same bytes."""
    agents = {
        agent: {name: _entry(sums, level) for name, sums in parts.items()}
        for agent, parts in found.items()
    }
    return {
        "format": FORMAT,
        "measured": what,
        "versions": versions(),
        "identity": identity(Batch(rules, 1, players=players)),
        "settings": {"rules": str(rules), "players": players, **settings, "level": level},
        "agents": agents,
    }


def _entry(sums: Sums, level: float) -> dict[str, Any]:
    """The means of one row with their intervals, and the sums over each deal behind them."""
    measures = {}
    for name in sums.of:
        units = sums.units(name)
        ends = mean_interval(units, level=level)
        measures[name] = {"mean": float(units.mean()), "low": ends.low, "high": ends.high}
    return {
        "cases": int(sums.cases.sum()),
        "left_out": sums.left_out,
        "measures": measures,
        "deals": {"cases": sums.cases, **sums.of},
    }

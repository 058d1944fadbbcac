"""The terminal table of a tournament: one pairing a row."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
from rich import box
from rich.table import Table

from experiments.stats import student_interval
from experiments.tournament_plan import Pairing, Settings
from experiments.tournament_store import Store

__all__ = ["summary", "unit_means"]

Floats = npt.NDArray[np.float64]


def unit_means(store: Store, pairing: int, tables: int) -> tuple[Floats, Floats, int]:
    """Leads and wins of A, the mean over a unit's tables, and how many units failed.

    A unit with a table that failed has no mean, and is left out.
    """
    rows = np.array(store.leads(pairing), np.float64).reshape(-1, tables, 3)
    whole = ~np.isnan(rows).any((1, 2))
    means = rows[whole].mean(1)
    return means[:, 1], means[:, 2], int((~whole).sum())


def summary(
    store: Store, numbers: Mapping[Pairing, int], settings: Settings, level: float
) -> Table:
    """The table of some pairings, with what went wrong under it."""
    what = "deal" if settings.episode == "deal" else "match"
    table = Table(title=f"A against B, in points a {what}", box=box.SIMPLE)
    table.title_justify = table.caption_justify = "left"
    for name in ("A", "B"):
        table.add_column(name, overflow="fold", min_width=8)
    for head in ("A - B", f"{level:.0%}", "A wins %", "units", "failed"):
        table.add_column(head, justify="right", no_wrap=True)
    for teams, number in numbers.items():
        table.add_row(*teams, *_cells(*unit_means(store, number, settings.sides), level))
    table.caption = _caption(store, settings)
    return table


def _cells(leads: Floats, wins: Floats, failed: int, level: float) -> list[str]:
    if not leads.size:
        return ["–", "–", "–", "0", str(failed)]
    found = student_interval(leads, level=level)
    interval = f"[{found.low:+.0f}, {found.high:+.0f}]" if found.method != "none" else "–"
    share = f"{100 * wins.mean():.1f}"
    return [f"{leads.mean():+.0f}", interval, share, str(leads.size), str(failed or "")]


def _caption(store: Store, settings: Settings) -> str:
    lines = [
        f"{settings.setup.text}, {settings.players} players, seed {settings.seed}; a unit is a "
        "deck, played with A on each side in turn; Student's intervals, not corrected for many.",
        *(f"{count} games: {status}" for status, count in store.faults()[:5]),
    ]
    return "\n".join(lines)

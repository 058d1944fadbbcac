"""What was measured as tables, and as a file."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.table import Table
from rich.text import Text

from experiments.peers import openspiel_games, pgx_games
from experiments.peers.measure import ROUNDS, Result

__all__ = ["AIMS", "Aim", "show", "write"]

_PACKAGES: Final = (
    "canasta-env", "numpy", "numba", "pettingzoo", "gymnasium", "rlcard", "shimmy", "open_spiel",
    "pgx", "jax",
)  # fmt: skip
_NUMBERS: Final = ("decisions/s", "times", "at least")
_TEXAS: Final = "PettingZoo texas_holdem_no_limit_v6, raw_env()"
_BATCH: Final = "Batch, 1,024 games"


@dataclass(frozen=True)
class Aim:
    """How many times the fastest of some environments one of ours should be.

    Attributes:
        text: of what, in words.
        ours, peers: names of environments.
        least: the times.
    """

    text: str
    ours: str
    peers: tuple[str, ...]
    least: float

    def reached(self, result: Result) -> float | None:
        """The times it is; None if ours or all of the peers were not measured."""
        measured = result.measured
        peers = [measured[name] for name in self.peers if name in measured]
        if self.ours not in measured or not peers:
            return None
        return min(measured[self.ours].over(peer) for peer in peers)


def _over_openspiel(how: str, end: str) -> list[Aim]:
    """The aims beside OpenSpiel, its games being played in one of two ways."""
    games = [one.name for one in openspiel_games.ENTRIES if "clone" not in one.name]
    fastest = tuple(name for name in games if name.endswith(", plain") == bool(end))
    gin = "OpenSpiel gin_rummy"
    return [
        Aim(f"batch over OpenSpiel's gin rummy, {how}", _BATCH, (gin + end,), 40),
        Aim("… its games by clone()", _BATCH, (f"{gin} by clone(){end}",), 20),
        Aim("batch over OpenSpiel's fastest game, dealt by it", _BATCH, fastest, 7),
    ]


AIMS: Final = (
    Aim("raw_env() over that of PettingZoo's Texas hold'em", "raw_env()", (_TEXAS,), 20),
    *(
        aim
        for how, end in (("as its examples do it", ", plain"), ("the fastest way", ""))
        for aim in _over_openspiel(how, end)
    ),
    Aim(
        "batch over Pgx's bridge bidding, the fastest size", _BATCH,
        tuple(one.name for one in pgx_games.ENTRIES if "bridge" in one.name), 7,
    ),
)  # fmt: skip


def show(result: Result) -> Iterator[Table | Text]:
    """The environments, those that were not measured, and what was aimed at."""
    yield _environments(result)
    yield from map(Text, result.missing)
    yield _aims(result)


def _environments(result: Result) -> Table:
    table = _table(
        f"peers: medians of {ROUNDS} rounds, {result.core}",
        "environment", "read at each step", "decisions/s", "times as fast is",
    )  # fmt: skip
    for name, one in result.measured.items():
        ratios = [
            f"{ours.split(',')[0]} {_times(ratio)}" for ours, ratio in result.ratios(name).items()
        ]
        table.add_row(name, one.entry.reads, f"{one.speed:,.0f}", ", ".join(ratios))
    return table


def _aims(result: Result) -> Table:
    table = _table("peers: what is aimed at", "", "times", "at least", "")
    for aim in AIMS:
        times = aim.reached(result)
        if times is None:
            table.add_row(aim.text, "–", f"{aim.least:g}", "not measured")
        else:
            verdict = "reached" if times >= aim.least else "missed"
            table.add_row(aim.text, _times(times), f"{aim.least:g}", verdict)
    return table


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"


def _table(title: str, *heads: str) -> Table:
    """Columns that name a number are on the right."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE)
    for head in heads:
        table.add_column(head, justify="right" if head in _NUMBERS else "left")
    return table


def write(result: Result, file: Path) -> None:
    """All that was measured, with the versions it was measured with, as JSON."""
    file.write_text(json.dumps(_plain(result), indent=1, ensure_ascii=False) + "\n", "utf-8")


def _plain(result: Result) -> dict[str, Any]:
    return {
        "system": platform.platform(),
        "python": platform.python_version(),
        "core": result.core,
        "packages": _versions(),
        "environments": [
            {
                "name": name,
                "reads": one.entry.reads,
                "decisions_per_second": one.speed,
                "rounds": one.rounds,
                "ours_over_it": result.ratios(name),
            }
            for name, one in result.measured.items()
        ],
        "aims": [
            {"what": aim.text, "times": aim.reached(result), "least": aim.least} for aim in AIMS
        ],
        "missing": result.missing,
    }


def _versions() -> dict[str, str]:
    """Of the packages that are installed."""
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found

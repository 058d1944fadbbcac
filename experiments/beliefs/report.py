"""What the commands about beliefs share: their arguments, tables and files."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from rich import box
from rich.table import Table

from agents.checkpoint import versions
from canasta_env.rules import Rules
from experiments.beliefs.measures import Rate
from experiments.command import check_level
from experiments.tournament_agents import describe

__all__ = ["add_arguments", "interval", "new_table", "refuse", "settings_of", "write"]

_SETTINGS: Final = (
    "deals", "test_deals", "every", "epochs", "asks", "seed", "level"
)  # fmt: skip
"""The options that results depend on, as far as a command has them."""


def add_arguments(parse: argparse.ArgumentParser) -> None:
    """The last options of every command."""
    parse.add_argument("--seed", type=int, default=0, help="of deals, agents and networks")
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parse.add_argument("--json", type=Path, metavar="FILE", help="write the results here")
    parse.add_argument("--force", action="store_true", help="overwrite files")


def refuse(options: argparse.Namespace, files: Iterable[Path | None]) -> None:
    """Raises ``ValueError`` or ``OSError`` for options that are not possible, and for ``files``
    that would be overwritten.
    """
    check_level(options.level)
    if options.seed < 0:
        raise ValueError(f"--seed {options.seed} is not possible; a whole number from 0 on")
    for file in files:
        if file is not None and file.exists() and not options.force:
            raise FileExistsError(f"{file} exists; --force overwrites it")


def settings_of(
    options: argparse.Namespace, rules: Rules, players: int, agents: Iterable[str]
) -> dict[str, Any]:
    """What the results depend on: options, a hash of each agent, the versions of the packages."""
    given = {name: getattr(options, name) for name in _SETTINGS if hasattr(options, name)}
    hashes = {name: describe(name, str(rules), players).hash[:16] for name in agents}
    played = {"rules": str(rules), "players": players, **given}
    return {**played, "agents": hashes, "versions": versions()}


def write(path: Path, content: dict[str, Any]) -> None:
    """Writes results as JSON: six decimals, null for what is not a number, no time and no path."""
    text = json.dumps(_plain(content), indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(of) for name, of in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(of) for of in value]
    if isinstance(value, float):
        return round(value, 6) if math.isfinite(value) else None
    return value


def interval(found: Rate, form: str = ".3f") -> str:
    """A mean with its interval as text."""
    mean, low, high = (format(of, form) for of in (found.mean, found.low, found.high))
    return f"{mean} [{low}, {high}]"


def new_table(title: str, first: str, heads: Sequence[str], caption: str = "") -> Table:
    """A table whose first column names things and whose others hold numbers."""
    table = Table(title=title, caption=caption or None, box=box.SIMPLE)
    table.title_justify = table.caption_justify = "left"
    table.add_column(first, overflow="fold")
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    return table

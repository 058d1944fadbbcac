"""Small data sets for the tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from canasta_env.data.reader import DataSet
from canasta_env.rules import Rules
from experiments.data import plan as plans
from experiments.data.plan import Plan
from experiments.play import Setup

DOCS: Final = Path(__file__).resolve().parent.parent / "docs" / "data.md"


def examples() -> list[str]:
    """The Python code of the page about data."""
    return re.findall(r"(?ms)^```python\n(.*?)^```", DOCS.read_text(encoding="utf-8"))


def plan(
    rules: str = "mini", players: int = 2, units: int = 8, *, teams: Any = ("basic", "greedy"),
    hands: bool = False, seed: int = 5, **others: Any,
) -> Plan:  # fmt: skip
    """A plan with the settings that the command has by default."""
    known = Rules.parse(rules)
    setup = Setup(
        str(known), known.at(players), players, units, seed=seed,
        **{"stock": "shared", **others},
    )  # fmt: skip
    return Plan(setup, teams, hands)


def write(folder: Path, what: Plan, *, force: bool = False, stop_after: int = 0) -> DataSet:
    """Writes a data set; as if Ctrl-C came after so many files, if ``stop_after`` is given."""

    def progress(writer: Any) -> None:
        if len(writer.files) == stop_after:
            raise KeyboardInterrupt

    plans.carry_out(what, folder, force=force, progress=progress)
    return DataSet(folder)

"""What a data set is to hold, and the playing and writing of it, a file at a time.

A file depends on the plan and its own number alone: its decks are units of the match, its agents
are made anew with seeds of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np

import canasta_env
from agents.checkpoint import identity, versions
from canasta_env.batch import Batch
from canasta_env.cards import KIND_COUNT, SUITED_KIND_COUNT
from canasta_env.engine.state import Phase
from canasta_env.observation import pieces
from canasta_env.rules import Rules
from experiments.data.collect import Collector
from experiments.data.files import Writer
from experiments.deals import EVALUATION
from experiments.play import Lineup, Setup, line_up

__all__ = ["GROUP", "Plan", "carry_out", "decks_seed"]

GROUP: Final = 32_768
"""Rows of a row group, at the most."""
_STREAM: Final = 102
"""Keeps these decks and agents apart from those of evaluation (101) and of training."""
_MEMORY: Final = 128 << 20
"""Bytes that the decisions of one file take in memory, about."""
_LENGTH: Final = {"deal": 200, "match": 2_500}
"""Decisions of a long episode: with them the memory gives the number of tables in a file."""


@dataclass(frozen=True)
class Plan:
    """What is recorded.

    ``setup`` has the seed that the user gave, and ``units``: decks, or in matches rows of decks.
    ``teams`` are two, as :func:`experiments.play.line_up` takes them; ``hands`` says whether all
    hands are written too.
    """

    setup: Setup
    teams: tuple[str, str]
    hands: bool

    def line_up(self, file: int) -> Lineup:
        """The agents of a file; raises ValueError if a name is no agent's."""
        return line_up(*self.teams, self.setup, _seed(self.setup.seed, 1 + file))


def _seed(seed: int, purpose: int) -> int:
    """A seed of 63 bits from the user's, for the decks (0) or for the agents of a file (1 on)."""
    words = np.random.SeedSequence([seed, _STREAM, purpose]).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))


def decks_seed(seed: int) -> int:
    """The seed that :func:`experiments.deals.decks` takes for the decks of a data set."""
    return _seed(seed, 0)


def carry_out(
    plan: Plan, folder: Path, *, force: bool, progress: Callable[[Writer], object]
) -> Writer:
    """Plays and writes all files; calls ``progress`` after each.

    Raises:
        ValueError: a name is no agent's, or no team's.
        FileExistsError: there is a data set, and ``force`` is not given.
        OSError: a file cannot be written.
    """
    writer = Writer(folder, _played(plan, plan.line_up(0)), force=force)
    per_file = _units_a_file(plan)
    for file, first in enumerate(range(0, plan.setup.units, per_file)):
        units = np.arange(first, min(first + per_file, plan.setup.units))
        _write_file(plan, plan.line_up(file), units, writer)
        progress(writer)
    writer.finish()
    return writer


def _write_file(plan: Plan, lineup: Lineup, units: Any, writer: Writer) -> None:
    setup = replace(plan.setup, seed=decks_seed(plan.setup.seed), observe=True)
    rows = Collector(setup, lineup, units, with_hands=plan.hands).collect()
    columns = rows.columns(writer.deals, int(units[0]), setup.sides)
    writer.write(rows.groups(columns, GROUP), rows.deal_count)


def _units_a_file(plan: Plan) -> int:
    """How many units go into a file: so many that the tables are a power of two, 64 at least."""
    probe = Batch(plan.setup.text, 1, players=plan.setup.players)
    row = probe.observation_size + probe.actions // 8
    tables = 2 ** int(math.log2(max(64, _MEMORY / (row * _LENGTH[plan.setup.episode]))))
    return max(1, tables // plan.setup.sides)


def _played(plan: Plan, lineup: Lineup) -> dict[str, Any]:
    """What the manifest and each file say of what was played; docs/data.md has the keys."""
    setup = plan.setup
    probe = Batch(setup.text, 1, players=setup.players)
    kinds = SUITED_KIND_COUNT if setup.rules.sequences else KIND_COUNT
    found = pieces(Rules.parse(setup.text), setup.players)
    return {
        **identity(probe),
        "sides": setup.sides,
        "kinds": kinds,
        "teams": list(plan.teams),
        "agents": list(lineup.names),
        "settings": {
            "units": setup.units,
            "episode": setup.episode,
            "scores": setup.scores if setup.episode == "deal" else "zero",
            "stock": setup.stock,
            "max_deals": setup.max_deals,
            "hands": plan.hands,
        },
        "seeds": {"seed": setup.seed, "decks": decks_seed(setup.seed), "stream": EVALUATION},
        "versions": {
            **versions(),
            "canasta-env": str(canasta_env.__version__),  # known even where it's not installed
            "pyarrow": metadata.version("pyarrow"),
        },
        "phases": [phase.name.lower() for phase in Phase],
        "pieces": [[piece.name, piece.size, piece.bound] for piece in found],
        "action_texts": list(probe.table.texts),
    }

"""A checkpoint against all rungs of a ladder at once, in duplicate pairs on the same decks.

The pairs against all opponents are played in one batch, in lock step: a network is then asked for
several times as many rows at a time, and the long tail of the last deals is walked only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents import registry
from experiments import deals, leads
from experiments.block import Block, Lineup, Setup

__all__ = ["Standing", "climb"]

_UNITS: Final = 512
"""Decks in lock step against each opponent. Part of the result, since bots draw lots in the order
of their calls; so it does not go by the number of opponents."""


@dataclass(frozen=True)
class Standing:
    """Points a deal above an opponent, their standard error, and the share of deals won, a tie
    counting as half; over so many pairs.
    """

    points: float
    error: float
    won: float
    pairs: int


def climb(setup: Setup, agent: Any, opponents: Sequence[str]) -> dict[str, Standing]:
    """Plays ``setup.units`` decks against each of the ``opponents``.

    What comes of one opponent does not depend on the others.

    Raises:
        ValueError: a name is no agent's, or an agent is for another game; one clear line.
    """
    own = deals.agent_seed(setup.seed, 1, 0)
    others = [registry.make(name, setup.text, setup.players, own) for name in opponents]
    points: list[npt.NDArray[np.float64]] = []
    won: list[npt.NDArray[np.float64]] = []
    for first in range(0, setup.units, _UNITS):
        units = np.arange(first, min(first + _UNITS, setup.units))
        scores = _play(setup, agent, others, units)
        points.append(leads.differences(scores).mean(axis=1).reshape(len(others), -1))
        won.append(leads.wins(scores).mean(axis=1).reshape(len(others), -1))
    rows = zip(opponents, np.hstack(points), np.hstack(won), strict=True)
    return {name: _standing(lead, share) for name, lead, share in rows}


def _standing(lead: npt.NDArray[np.float64], won: npt.NDArray[np.float64]) -> Standing:
    spread = float(lead.std(ddof=1)) if len(lead) > 1 else float("nan")
    return Standing(float(lead.mean()), spread / len(lead) ** 0.5, float(won.mean()), len(lead))


def _play(
    setup: Setup, agent: Any, others: Sequence[Any], units: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """The scores of all tables, (opponents * units, tables, sides)."""
    seats, tables = np.arange(setup.players), np.arange(setup.sides)
    is_ours = tables[:, None] == seats % setup.sides
    owners = [np.where(is_ours, 0, 1 + place) for place in range(len(others))]
    agents = (agent, *others)
    team = (tables[:, None] != tables).astype(np.int64)
    lineup = Lineup(agents, tuple(one.name for one in agents), owners[0], team)
    block = Block(setup, lineup, np.tile(units, len(others)))
    block.owner = np.concatenate([np.tile(owner, (len(units), 1)) for owner in owners])
    return block.play().scores

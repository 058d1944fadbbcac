"""Plays the tables of a duplicate match in lock step.

A *unit* is one deck (or, for whole matches, one row of decks) played at as many *tables* as there
are sides; at table ``t`` team A sits on side ``t`` and team B on all others. With two sides that is
the duplicate pair: the seats and sides keep their cards, their dealer and their starting scores,
and the teams exchange, so both teams play both hands and both score situations. With three sides
and more, team A plays alone against a field of B's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents import registry
from experiments import deals
from experiments.behaviour import COUNTS
from experiments.block import Block, Lineup, Setup
from experiments.records import Recorder

__all__ = ["Lineup", "Played", "Setup", "by_team", "line_up", "parse_team", "play"]

Ints = npt.NDArray[np.int64]

_NONE: Final = np.zeros(2, np.int64)
_ROWS: Final = 4096
"""Games in lock step. Part of the result, since agents draw their random numbers in the order of
their calls.
"""


@dataclass(frozen=True)
class Played:
    """What came of it.

    ``scores`` (units, tables, sides): deal scores, or the match's totals. ``capped``: matches that
    the limit of deals ended. ``counts[name]`` (2,): sums over the sides of each team.
    """

    scores: Ints
    capped: int
    counts: dict[str, Ints]


def parse_team(text: str, seats: int) -> list[str]:
    """The agents of a team's seats, in the order of the seats: ``basic``, or ``basic+greedy`` for
    two partners.

    Raises:
        ValueError: the number of names is neither one nor the number of seats.
    """
    names = text.split("+")
    if len(names) == 1:
        return names * seats
    if len(names) != seats or not all(names):
        raise ValueError(f"team {text!r} names {len(names)} agents; a side has {seats} seat(s)")
    return names


def line_up(team_a: str, team_b: str, setup: Setup, seed: int | None = None) -> Lineup:
    """Makes the agents of both teams, each name of a team once, and seats them at every table.

    Their own random numbers come from ``seed``; left out, from the setup's.

    Raises:
        ValueError: a team does not fit the side, or a name is no agent's.
    """
    sides, players = setup.sides, setup.players
    agents: list[Any] = []
    names_of: list[str] = []
    members = []
    for team, text in enumerate((team_a, team_b)):
        names = parse_team(text, players // sides)
        distinct = list(dict.fromkeys(names))
        members.append([len(agents) + distinct.index(name) for name in names])
        for place, name in enumerate(distinct):
            own = deals.agent_seed(setup.seed if seed is None else seed, team, place)
            names_of.append(name)
            agents.append(registry.make(name, setup.text, players, own))
    team_of = (np.arange(sides)[:, None] != np.arange(sides)).astype(np.int64)
    seats = np.arange(players)
    owner = np.array(members)[team_of[:, seats % sides], seats // sides]
    return Lineup(tuple(agents), tuple(names_of), owner, team_of)


def play(setup: Setup, lineup: Lineup, recorder: Recorder | None = None) -> Played:
    """Plays all units, a block of rows at a time; the recorder watches units of the first block."""
    per_block = max(1, _ROWS // setup.sides)
    blocks = []
    for first in range(0, setup.units, per_block):
        units = np.arange(first, min(first + per_block, setup.units))
        blocks.append(Block(setup, lineup, units, recorder if first == 0 else None).play())
    return Played(
        scores=np.concatenate([block.scores for block in blocks]),
        capped=sum(int(block.capped.sum()) for block in blocks),
        counts={
            name: sum((by_team(lineup, block.counts[name]).sum(0) for block in blocks), _NONE)
            for name in COUNTS
        },
    )


def by_team(lineup: Lineup, counts: Ints) -> Ints:
    """Counts of the sides at tables, (rows, sides), as sums over the sides of A and of B: (rows,
    2).
    """
    sides = len(lineup.team)
    of_b = np.tile(lineup.team, (len(counts) // sides, 1)) == 1
    return np.stack([(counts * ~of_b).sum(1), (counts * of_b).sum(1)], axis=1)

"""Agents that were trained in the same way from different seeds, taken together as an arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from experiments.report.analysis import Row
from experiments.report.database import Tournament
from experiments.stats import (
    Arm,
    Difference,
    Interval,
    arm,
    arm_difference,
    crossed_interval,
)

__all__ = ["AgainstArm", "AgainstTeam", "Comparison", "Arms", "find_arms"]

Units = dict[str, npt.NDArray[np.float64]]
Meeting = tuple[str, str, npt.NDArray[np.float64]]
"""A team, its opponent, and the team's lead by unit."""


@dataclass(frozen=True)
class AgainstTeam:
    """An arm against one team that is not of an arm: the arm's lead."""

    name: str
    opponent: str
    arm: Arm


@dataclass(frozen=True)
class Comparison:
    """Two arms by their leads against the same team."""

    first: str
    second: str
    opponent: str
    difference: Difference


@dataclass(frozen=True)
class AgainstArm:
    """Two arms that played each other, every seed with every seed: ``means`` (seeds, seeds)."""

    first: str
    second: str
    seeds: tuple[tuple[str, ...], tuple[str, ...]]
    means: npt.NDArray[np.float64]
    interval: Interval


@dataclass(frozen=True)
class Arms:
    """All that several seeds of an arm allow to say."""

    against_teams: list[AgainstTeam]
    comparisons: list[Comparison]
    against_arms: list[AgainstArm]


def find_arms(tournament: Tournament, rows: Sequence[Row], level: float) -> Arms:
    """Sums up the arms that have two seeds or more; teams of mixed agents belong to none."""
    seeds: dict[str, dict[str, str]] = {}
    for agent in tournament.agents:
        if agent.arm:
            seeds.setdefault(agent.arm, {})[agent.name] = agent.training_seed or agent.name
    several = {name: members for name, members in seeds.items() if len(members) > 1}
    member = {agent: (arm, seed) for arm, of in several.items() for agent, seed in of.items()}
    seed = int(tournament.settings["seed"])
    met = _meetings(rows, both_ways=tournament.mirrored)
    units = _units_against_teams(met, member)
    return Arms(
        [AgainstTeam(*key, arm(of, level=level, seed=seed)) for key, of in units.items()],
        _comparisons(units, level, seed),
        _against_arms(met, member, level),
    )


def _meetings(rows: Sequence[Row], *, both_ways: bool) -> list[Meeting]:
    """Every pairing as seen by A, or by both teams."""
    seen = [(r.pairing.team_a, r.pairing.team_b, r.pairing.leads.mean(axis=1)) for r in rows]
    return seen + [(b, a, -leads) for a, b, leads in seen] if both_ways else seen


def _units_against_teams(
    met: Sequence[Meeting], member: dict[str, tuple[str, str]]
) -> dict[tuple[str, str], Units]:
    """By arm and opponent, the units of each seed."""
    found: dict[tuple[str, str], Units] = {}
    for team, opponent, leads in met:
        if team in member and opponent not in member:
            name, seed = member[team]
            found.setdefault((name, opponent), {})[seed] = leads
    return found


def _comparisons(units: dict[tuple[str, str], Units], level: float, seed: int) -> list[Comparison]:
    return [
        Comparison(
            one[0], two[0], one[1],
            arm_difference(units[one], units[two], level=level, seed=seed),
        )
        for one, two in combinations(units, 2)
        if one[1] == two[1]
    ]  # fmt: skip


def _against_arms(
    meetings: Sequence[Meeting], member: dict[str, tuple[str, str]], level: float
) -> list[AgainstArm]:
    """Pairs of arms whose seeds all met."""
    met: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
    for team, opponent, leads in meetings:
        if team in member and opponent in member:
            (first, mine), (second, theirs) = member[team], member[opponent]
            if first < second:
                met.setdefault((first, second), {})[mine, theirs] = float(leads.mean())
    found = []
    for (first, second), means in met.items():
        seeds = tuple(sorted({pair[0] for pair in means})), tuple(sorted({p[1] for p in means}))
        if len(means) == len(seeds[0]) * len(seeds[1]):
            grid = np.array([[means[mine, theirs] for theirs in seeds[1]] for mine in seeds[0]])
            found.append(
                AgainstArm(first, second, seeds, grid, crossed_interval(grid, level=level))
            )
    return found

"""The tensor of results: who it is of, its numbers, and which of its cells are to be played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from experiments.crossplay.cells import Cell
from experiments.play import parse_team

__all__ = ["Tensor", "empty", "group_pairs", "pairs_with", "references_of"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

SELF, ALL = "self", "all"
"""Names of references: the agents' own teams, and all ordered teams of two of them."""


@dataclass(frozen=True)
class Tensor:
    """M[a, b | c, d], unit by unit.

    Attributes:
        agents: the names, (n,).
        references: the teams that they meet: the names of both seats, (r,).
        units: float64 (n, n, r, units): ``units[a, b, i, u]`` is the lead, in points a deal, of
            partner ``a`` in the first seat of a side and ``b`` in the second over team ``i``, the
            mean over both tables of deck ``u``. NaN where a cell was not played.
    """

    agents: tuple[str, ...]
    references: tuple[tuple[str, str], ...]
    units: Floats

    def means(self) -> Floats:
        """M, the mean over decks: (n, n, r), NaN where a cell was not played."""
        return self.units.mean(axis=3)

    def matrix(self) -> Floats:
        """M, the mean over decks and references: (n, n), NaN where a cell was not played."""
        return self.units.mean(axis=(2, 3))

    def decks(self) -> Floats:
        """The mean over references alone: (n, n, units)."""
        return self.units.mean(axis=2)

    def part(self, agents: Sequence[str]) -> Tensor:
        """Only these agents, in this order; all references stay.

        Raises:
            ValueError: one is not among the agents.
        """
        unknown = [name for name in agents if name not in self.agents]
        if unknown:
            raise ValueError(f"{unknown[0]} is not among the agents: {', '.join(self.agents)}")
        at = [self.agents.index(name) for name in agents]
        return replace(self, agents=tuple(agents), units=self.units[np.ix_(at, at)])

    def uses(self) -> Bools:
        """Which reference has which agent in one of its seats: bool (r, n)."""
        return np.array([[name in team for name in self.agents] for team in self.references])

    def cell(self, first: int, second: int, reference: int) -> Cell:
        """Who sits where in a cell."""
        return Cell((self.agents[first], self.agents[second]), self.references[reference])

    def check_played(self) -> None:
        """Raises ValueError if a cell was not played."""
        missing = np.argwhere(np.isnan(self.units).any(axis=(2, 3)))
        if missing.size:
            first, second = (self.agents[place] for place in missing[0])
            raise ValueError(f"{first} with {second} was not played; play the whole matrix")


def empty(agents: Sequence[str], references: Sequence[str], units: int) -> Tensor:
    """A tensor of which nothing was played; references as :func:`references_of` takes them.

    Raises:
        ValueError: no agent or reference, a name twice, or a team that has not two seats.
    """
    if not agents or not references:
        raise ValueError("a tensor needs an agent and a team that it meets, at the least")
    twice = [name for place, name in enumerate(agents) if name in agents[:place]]
    if twice:
        raise ValueError(f"{twice[0]} is named twice")
    teams = references_of(references, agents)
    shape = (len(agents), len(agents), len(teams), units)
    return Tensor(tuple(agents), teams, np.full(shape, np.nan))


def references_of(names: Sequence[str], agents: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """The teams that are met, each once, as the names of their two seats.

    ``basic`` is one agent in both seats, ``basic+expert`` a team of two, ``self`` stands for each
    of the ``agents`` with itself, ``all`` for each ordered team of two of them.

    Raises:
        ValueError: a team has not two seats.
    """
    teams: list[tuple[str, str]] = []
    for name in names:
        if name == SELF:
            teams += [(one, one) for one in agents]
        elif name == ALL:
            teams += [(one, other) for one in agents for other in agents]
        else:
            first, second = parse_team(name, 2)
            teams.append((first, second))
    return tuple(dict.fromkeys(teams))


def group_pairs(agents: Sequence[str], groups: Iterable[Sequence[str]]) -> Bools:
    """The pairs (n, n) of partners that are in a group together."""
    wanted = np.zeros((len(agents), len(agents)), np.bool_)
    for group in groups:
        is_in = np.array([name in group for name in agents])
        wanted |= np.outer(is_in, is_in)
    return wanted


def pairs_with(agents: Sequence[str], ego: str, partners: Sequence[str]) -> Bools:
    """The pairs (n, n) of one agent and each of its partners, in both orders."""
    is_ego = np.array([name == ego for name in agents])
    is_partner = np.array([name in partners for name in agents])
    return np.outer(is_ego, is_partner) | np.outer(is_partner, is_ego)

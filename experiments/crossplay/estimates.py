"""Intervals of what is computed from a matrix of agents that were trained with different seeds.

A seed stands in a whole row and column, so the cells are no independent units. The *jackknife* over
seeds computes the statistic without each agent in turn; from its pseudo-values, one a seed, comes
Student's interval as from a sample of seeds. The pseudo-values are computed deck by deck, a table
of seeds by decks. All cells are played on the same decks, whose luck the seeds share: its part of
the variance is not seen between seeds, and is added.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from experiments.crossplay.tensor import Tensor
from experiments.stats import Interval, mean_interval

__all__ = ["Estimate", "Statistic", "Tables", "estimate", "jackknife"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

Statistic = Callable[..., Floats]
"""A statistic deck by deck, (u,), from points (n, n, u) and the indices of each group of agents."""


@dataclass(frozen=True)
class Tables:
    """A statistic by deck, ``whole`` (u,), and its pseudo-values by seed and deck: ``groups`` holds
    a table (seeds, u) for each group of agents whose seeds were drawn together.
    """

    whole: Floats
    groups: tuple[Floats, ...]

    def __sub__(self, other: Tables) -> Tables:
        """The difference of two statistics of other seeds on the same decks."""
        return Tables(self.whole - other.whole, (*self.groups, *(-table for table in other.groups)))


@dataclass(frozen=True)
class Estimate:
    """What is known of a statistic, in points a deal.

    Attributes:
        mean: its value.
        interval: for seeds not yet trained and decks not yet dealt; infinite where there are too
            few seeds.
        decks: for these very agents, on decks not yet dealt.
        seeds_share: the part of the variance behind ``interval`` that comes from seeds, 0 to 1;
            more decks would take away the rest. NaN without a finite interval.
    """

    mean: float
    interval: Interval
    decks: Interval
    seeds_share: float

    def __neg__(self) -> Estimate:
        return Estimate(-self.mean, _negated(self.interval), _negated(self.decks), self.seeds_share)


def _negated(interval: Interval) -> Interval:
    return Interval(-interval.high, -interval.low, interval.method)


def jackknife(
    tensor: Tensor, groups: Sequence[Sequence[str]], statistic: Statistic, fewest: int
) -> Tables:
    """A statistic and its pseudo-values.

    Where every agent is in one of the references, these are the agents' own, and an agent that is
    left out takes those with it that it plays in.

    Args:
        tensor: all cells that the statistic looks at are played.
        groups: names of agents.
        statistic: called with points (n, n, u) and an array of indices for each group.
        fewest: agents that it needs in each group; with fewer left there are no pseudo-values.

    Raises:
        ValueError: a group has fewer agents than that, or a cell was not played.
    """
    members = [np.array([tensor.agents.index(name) for name in group]) for group in groups]
    if any(len(group) < fewest for group in members):
        raise ValueError(f"{fewest} agents are needed, not {min(map(len, members))}")
    whole = statistic(tensor.decks(), *members)
    if np.isnan(whole).any():
        raise ValueError("some of the cells that are needed were not played")
    without = partial(_without, tensor, members, statistic)
    tables = [
        len(group) * whole - (len(group) - 1) * np.array([without(place, one) for one in group])
        if len(group) > fewest
        else np.empty((0, len(whole)))
        for place, group in enumerate(members)
    ]
    return Tables(whole, tuple(tables))


def _without(
    tensor: Tensor, members: Sequence[Ints], statistic: Statistic, place: int, left_out: int
) -> Floats:
    """The statistic by deck, (u,), without one agent of the group at ``place``."""
    uses = tensor.uses()
    kept = ~uses[:, left_out] if uses.any(axis=0).all() else np.ones(len(uses), np.bool_)
    rest = [group[group != left_out] if at == place else group for at, group in enumerate(members)]
    return statistic(tensor.units[:, :, kept].mean(axis=2), *rest)


def estimate(tables: Tables, *, level: float = 0.95) -> Estimate:
    """The statistic with its intervals.

    The variance is that between seeds, and what decks add to it beyond that: the variance between
    decks less the part that is in the first already, each seed's own luck with the decks. Degrees
    of freedom are Welch's and Satterthwaite's.

    Raises:
        ValueError: fewer than two decks, or a level outside (0, 1).
    """
    whole, count = tables.whole, len(tables.whole)
    if count < 2:
        raise ValueError(f"two decks are needed at the least, not {count}")
    mean = float(whole.mean())
    decks = mean_interval(whole, level=level)
    if any(len(table) < 2 for table in tables.groups):
        return Estimate(mean, Interval(-np.inf, np.inf, "none"), decks, float("nan"))
    seeds = [float(table.mean(axis=1).var(ddof=1)) / len(table) for table in tables.groups]
    own = sum(_residual(table) for table in tables.groups)
    shared = max(0.0, float(whole.var(ddof=1)) / count - own)
    variance = sum(seeds) + shared
    if variance == 0.0:
        return Estimate(mean, Interval(mean, mean, "none"), decks, float("nan"))
    parts = [of**2 / (len(t) - 1) for of, t in zip(seeds, tables.groups, strict=True)]
    freedom = variance**2 / (sum(parts) + shared**2 / (count - 1))
    reach = float(stdtrit(freedom, (1.0 + level) / 2.0)) * variance**0.5
    interval = Interval(mean - reach, mean + reach, "jackknife t")
    return Estimate(mean, interval, decks, max(0.0, sum(seeds) - own) / variance)


def _residual(table: Floats) -> float:
    """The variance that seeds' own luck with the decks leaves in the mean of (seeds, decks)."""
    seeds, decks = table.shape
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    return float((rest**2).sum()) / ((seeds - 1) * (decks - 1) * seeds * decks)

"""What a tensor says: self-play, cross-play, interaction, partners; everything from its units.

Of two agents a and b the *interaction* is ½(M[ab] + M[ba]) − ½(M[aa] + M[bb]): how much they win as
partners beyond what each wins with itself. Where an agent is just strong or weak it is zero. Both
orders of all pairs are played, so the mean interaction is cross-play less self-play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

from experiments.crossplay.estimates import Estimate, Tables, estimate, jackknife
from experiments.crossplay.tensor import Tensor
from experiments.stats import Summary as Units
from experiments.stats import holm, student_interval
from experiments.stats import summarise as of_units

__all__ = [
    "STATISTICS", "Between", "Pair", "Summary", "Swap", "Worst",
    "between", "difference", "interactions", "pairs_of", "summarise", "swap", "worst_partners",
]  # fmt: skip

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


# --- statistics, deck by deck -------------------------------------------------------------------


def _self_play(points: Floats, group: Ints) -> Floats:
    """The mean of the diagonal, (u,), of points (n, n, u)."""
    return points[group, group].mean(axis=0)


def _cross_play(points: Floats, group: Ints) -> Floats:
    """The mean off the diagonal, (u,)."""
    square = points[np.ix_(group, group)]
    return square[~np.eye(len(group), dtype=bool)].mean(axis=0)


def _interaction(points: Floats, group: Ints) -> Floats:
    return _cross_play(points, group) - _self_play(points, group)


def _cross_between(points: Floats, first: Ints, second: Ints) -> Floats:
    """The mean of all pairs of one agent of each group, in both orders, (u,)."""
    one, other = points[np.ix_(first, second)], points[np.ix_(second, first)]
    return (one.mean(axis=(0, 1)) + other.mean(axis=(0, 1))) / 2


def _interaction_between(points: Floats, first: Ints, second: Ints) -> Floats:
    alone = (_self_play(points, first) + _self_play(points, second)) / 2
    return _cross_between(points, first, second) - alone


STATISTICS = {
    "self_play": (_self_play, 1),
    "cross_play": (_cross_play, 2),
    "interaction": (_interaction, 2),
}
"""By name: what is computed from points (n, n, u) and a group, and how many agents it needs."""


def _tables(tensor: Tensor, statistic: str) -> Tables:
    if statistic not in STATISTICS:
        raise ValueError(f"{statistic!r} is none of {', '.join(STATISTICS)}")
    return jackknife(tensor, [tensor.agents], *STATISTICS[statistic])


# --- one group of agents, and two ---------------------------------------------------------------


@dataclass(frozen=True)
class Summary:
    """A group of agents as partners of themselves and of one another, in points a deal.

    ``interaction``: the mean over all pairs, which is ``cross_play`` less ``self_play``.
    """

    self_play: Estimate
    cross_play: Estimate
    interaction: Estimate

    @property
    def gap(self) -> Estimate:
        """Self-play less cross-play: the mean interaction with the other sign."""
        return -self.interaction


@dataclass(frozen=True)
class Between:
    """Partners from two groups: ``cross_play`` of one of each, and their mean ``interaction``."""

    cross_play: Estimate
    interaction: Estimate


def summarise(tensor: Tensor, *, level: float = 0.95) -> Summary:
    """Self-play, cross-play and interaction of all agents of a tensor (``tensor.part(names)`` for
    an arm), over all its references.

    Raises:
        ValueError: fewer than two agents or decks, or a cell was not played.
    """
    found = {name: estimate(_tables(tensor, name), level=level) for name in STATISTICS}
    return Summary(**found)


def difference(
    first: Tensor, second: Tensor, statistic: str = "interaction", *, level: float = 0.95
) -> Estimate:
    """A statistic of one arm less that of another, whose agents have seeds of their own.

    Args:
        first, second: tensors with the same references on the same decks.
        statistic: one of :data:`STATISTICS`.

    Raises:
        ValueError: other decks or references, or as :func:`summarise`.
    """
    if first.references != second.references or first.units.shape[3] != second.units.shape[3]:
        raise ValueError("the two tensors have other references, or other numbers of decks")
    return estimate(_tables(first, statistic) - _tables(second, statistic), level=level)


def between(
    tensor: Tensor, first: Sequence[str], second: Sequence[str], *, level: float = 0.95
) -> Between:
    """Partners of whom one is in each group.

    Raises:
        ValueError: a cell was not played, or fewer than two decks.
    """
    groups = [first, second]
    return Between(
        estimate(jackknife(tensor, groups, _cross_between, 1), level=level),
        estimate(jackknife(tensor, groups, _interaction_between, 1), level=level),
    )


# --- two agents ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """Two agents as partners, on the decks that were played.

    ``interaction``: of each deck; ``seats``: points with ``first`` in the first seat less those
    with the seats exchanged. ``interaction_p`` and ``seats_p`` are corrected (Holm) for all pairs.
    """

    first: str
    second: str
    interaction: Units
    interaction_p: float
    seats: Units
    seats_p: float


@dataclass(frozen=True)
class Worst:
    """An agent's worst partner: chosen on the even decks, measured on the odd ones.

    ``points``: what the two win, the mean of both orders; ``change``: that less what the agent wins
    with itself; ``interaction`` as of :class:`Pair`.
    """

    agent: str
    partner: str
    points: Units
    change: Units
    interaction: Units


def _together(points: Floats) -> Floats:
    """The mean of both orders, (n, n, u)."""
    return (points + points.swapaxes(0, 1)) / 2


def _alone(points: Floats) -> Floats:
    """What two agents win with themselves, the mean of both, (n, n, u)."""
    own = np.diagonal(points).T
    return (own[:, None] + own[None]) / 2


def _by_student(units: Floats, level: float) -> Units:
    """Mean, interval and p of a deck's units by Student's t: for the many pairs of a matrix, where
    thousands of resamples for each would take longer than the play.
    """
    found, mean = student_interval(units, level=level), float(units.mean())
    deviation = float(units.std(ddof=1)) if units.size > 1 else float("nan")
    if units.size < 2 or deviation == 0.0:
        return Units(units.size, mean, deviation, found, float(units.size < 2 or mean == 0.0))
    t = abs(mean) / deviation * units.size**0.5
    return Units(units.size, mean, deviation, found, float(2.0 * stdtr(units.size - 1, -t)))


def interactions(tensor: Tensor) -> Floats:
    """The interaction of each two agents, (n, n): symmetric, zero on the diagonal, NaN where a cell
    was not played.
    """
    points = tensor.matrix()[..., None]
    return (_together(points) - _alone(points))[..., 0]


def pairs_of(tensor: Tensor, *, level: float = 0.95) -> list[Pair]:
    """All pairs of agents, in the order of their names in the tensor.

    Raises:
        ValueError: a cell was not played.
    """
    tensor.check_played()
    points = tensor.decks()
    extra = _together(points) - _alone(points)
    places = list(combinations(range(len(tensor.agents)), 2))
    joint = [_by_student(extra[place], level) for place in places]
    seats = [_by_student(points[a, b] - points[b, a], level) for a, b in places]
    joint_p, seats_p = (holm([one.p_value for one in row]) for row in (joint, seats))
    return [
        Pair(tensor.agents[a], tensor.agents[b], joint[at], joint_p[at], seats[at], seats_p[at])
        for at, (a, b) in enumerate(places)
    ]


def worst_partners(tensor: Tensor, *, level: float = 0.95) -> list[Worst]:
    """For each agent the partner among the others with whom it wins least.

    Measured on the decks on which it was chosen it would look worse than it is.

    Raises:
        ValueError: fewer than two agents or decks, or a cell was not played.
    """
    tensor.check_played()
    if len(tensor.agents) < 2 or tensor.units.shape[3] < 2:
        raise ValueError("two agents and two decks are needed at the least")
    points = tensor.decks()
    joint, alone = _together(points), _alone(points)
    chosen = joint[..., ::2].mean(axis=2)
    np.fill_diagonal(chosen, np.inf)
    found = []
    for agent, partner in enumerate(chosen.argmin(axis=1).tolist()):
        own, other = joint[agent, agent, 1::2], joint[agent, partner, 1::2]
        extra = other - alone[agent, partner, 1::2]
        units = [_by_student(of, level) for of in (other, other - own, extra)]
        found.append(Worst(tensor.agents[agent], tensor.agents[partner], *units))
    return found


# --- partners of one agent ----------------------------------------------------------------------


@dataclass(frozen=True)
class Swap:
    """A partner of one agent: the ``points`` of the two (mean of both orders), and their ``change``
    from those with the first partner, deck by deck, with Holm's ``change_p``; None for the first.
    """

    partner: str
    points: Units
    change: Units | None
    change_p: float | None


def swap(tensor: Tensor, ego: str, partners: Sequence[str], *, level: float = 0.95) -> list[Swap]:
    """What each partner of one agent is worth, everything else equal: opponents, decks and seats.

    Raises:
        ValueError: a name is not in the tensor, or a cell was not played.
    """
    part = tensor.part([ego, *(name for name in partners if name != ego)])
    joint = _together(part.decks())[0]
    rows = [joint[part.agents.index(name)] for name in partners]
    if np.isnan(rows).any():
        raise ValueError(f"{ego} was not played with all of {', '.join(partners)}")
    changes = [of_units(row - rows[0], level=level) for row in rows[1:]]
    p_values = holm([change.p_value for change in changes])
    points = [of_units(row, level=level) for row in rows]
    return [
        Swap(*values)
        for values in zip(partners, points, [None, *changes], [None, *p_values], strict=True)
    ]

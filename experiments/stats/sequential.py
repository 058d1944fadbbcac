"""Looking at a match while it is played, by a rule declared before.

A group-sequential test (Lan and DeMets): the plan names the numbers of units at which one will look
and how much of the error of the first kind may be spent by each. With the spending function of
O'Brien-Fleming type little is spent early, so the last look is nearly as strong as a test without
looks. Boundaries come from the normal law of the units' sums; Student's law stands in for it at
each look, since the deviation is estimated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri, stdtrit

from experiments.stats.checks import Floats, as_units, check_level
from experiments.stats.intervals import FEWEST_FOR_BOOTSTRAP, Interval

__all__ = ["Decision", "Look", "Plan"]

_TEXT: Final = re.compile(
    r"obrien-fleming\(looks=(\d+(?: \d+)*), alpha=(\d+(?:\.\d+)?(?:e-\d+)?)\)"
)
_MOST_LOOKS: Final = 50
"""More looks than these would need a finer grid."""
_NODES: Final = 200
"""Points of the quadrature: boundaries are right to about 1e-6."""
_FARTHEST: Final = 38.0
"""Standard errors at which the normal tail is about the smallest number that a float holds."""
_INSIDE: Final = 8.0
"""Standard errors that hold all of a sum that matters to the quadrature."""


class Decision(Enum):
    """What a look says."""

    CONTINUE = "continue"
    DIFFERENT = "stop: the mean differs from zero"
    UNDECIDED = "stop: the last look found no difference"


@dataclass(frozen=True)
class Look:
    """One look at the units so far.

    ``statistic``: the mean over its standard error. ``bound``: how far from zero it must lie.
    ``interval``: of the mean, valid at all looks together, so also at the one that stopped.
    """

    number: int
    units: int
    mean: float
    statistic: float
    bound: float
    interval: Interval
    decision: Decision

    @property
    def stop(self) -> bool:
        """No more units are to be played."""
        return self.decision is not Decision.CONTINUE


@dataclass(frozen=True)
class Plan:
    """When to look and when to stop; ``str`` writes it down and :meth:`parse` reads it.

    Attributes:
        looks: how many units there are at each look, increasing; 30 at least at the first, since
            the mean must be about normal. One look is a test without looking before.
        alpha: the error of the first kind of the whole plan, two-sided.
    """

    looks: tuple[int, ...]
    alpha: float = 0.05

    def __post_init__(self) -> None:
        """Raises ValueError for a wrong alpha, too many looks, or looks that do not increase."""
        object.__setattr__(self, "looks", tuple(int(look) for look in self.looks))
        check_level(self.alpha)
        if not 1 <= len(self.looks) <= _MOST_LOOKS:
            raise ValueError(f"{len(self.looks)} looks; a plan has 1 to {_MOST_LOOKS}")
        if self.looks[0] < FEWEST_FOR_BOOTSTRAP:
            raise ValueError(
                f"first look at {self.looks[0]} units; {FEWEST_FOR_BOOTSTRAP} are needed"
            )
        if any(after <= before for before, after in pairwise(self.looks)):
            raise ValueError(f"looks {self.looks} do not increase")

    def __str__(self) -> str:
        looks = " ".join(str(look) for look in self.looks)
        return f"obrien-fleming(looks={looks}, alpha={self.alpha})"

    @classmethod
    def parse(cls, text: str) -> Plan:
        """The plan that ``str`` wrote, as ``obrien-fleming(looks=500 1000 2000, alpha=0.05)``.

        Raises:
            ValueError: the text or its numbers are no plan.
        """
        found = _TEXT.fullmatch(text.strip())
        if not found:
            raise ValueError(
                f"plan {text!r} is not like 'obrien-fleming(looks=500 1000 2000, alpha=0.05)'"
            )
        return cls(tuple(int(look) for look in found[1].split()), float(found[2]))

    @cached_property
    def boundaries(self) -> tuple[float, ...]:
        """How many standard errors from zero the mean must lie at each look to stop."""
        times = np.array(self.looks) / self.looks[-1]
        return tuple(_boundaries(times, np.diff(_spent(times, self.alpha / 2.0), prepend=0.0)))

    @cached_property
    def _bounds(self) -> tuple[float, ...]:
        """The boundaries as Student's law has them, with the deviation estimated at each look."""
        tails = ndtr(-np.array(self.boundaries))
        return tuple(map(float, -stdtrit(np.array(self.looks) - 1, tails)))

    def look(self, values: npt.ArrayLike) -> Look:
        """Decides from the first units, whose number must be one of the looks.

        Raises:
            ValueError: units that are no finite vector, or a number of them that was not declared.
        """
        units = as_units(values)
        if units.size not in self.looks:
            raise ValueError(f"{units.size} units; {self} declares no such look")
        place = self.looks.index(units.size)
        bound = self._bounds[place]
        mean, error = float(units.mean()), float(units.std(ddof=1)) / np.sqrt(units.size)
        statistic = _ratio(mean, error)
        return Look(
            number=place + 1,
            units=units.size,
            mean=mean,
            statistic=statistic,
            bound=bound,
            interval=Interval(mean - bound * error, mean + bound * error, "repeated"),
            decision=self._decide(place, abs(statistic) >= bound),
        )

    def _decide(self, place: int, crossed: bool) -> Decision:
        if crossed:
            return Decision.DIFFERENT
        return Decision.UNDECIDED if place + 1 == len(self.looks) else Decision.CONTINUE


def _ratio(mean: float, error: float) -> float:
    """The mean in standard errors: infinite where units that are all equal are not zero."""
    if error > 0.0:
        return mean / error
    return float(np.copysign(np.inf, mean)) if mean else 0.0


def _spent(times: Floats, side: float) -> Floats:
    """The error of one side that may be spent by each time (shares of all units), increasing."""
    return 2.0 * ndtr(ndtri(side / 2.0) / np.sqrt(times))


@dataclass(frozen=True)
class _Inside:
    """The paths that have not crossed: a Brownian motion at ``time``, by quadrature.

    ``at`` (nodes,): where the paths are; ``mass`` (nodes,): density times quadrature weight.
    """

    time: float
    at: Floats
    mass: Floats

    def above(self, bound: float, time: float) -> float:
        """The probability to lie above ``bound`` standard errors at a later time."""
        step = np.sqrt(time - self.time)
        return float((self.mass * ndtr((self.at - bound * np.sqrt(time)) / step)).sum())

    def within(self, bound: float, time: float) -> _Inside:
        """Those that lie between ``-bound`` and ``bound`` standard errors at a later time."""
        step = np.sqrt(time - self.time)
        roots, weights = _quadrature()
        edge = min(bound, _INSIDE) * np.sqrt(time)
        at = roots * edge
        density = np.exp(-0.5 * ((at[:, None] - self.at) / step) ** 2) @ self.mass
        return _Inside(time, at, weights * edge * density / (step * np.sqrt(2.0 * np.pi)))


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Gauss-Legendre points between -1 and 1, and their weights."""
    return np.polynomial.legendre.leggauss(_NODES)


def _boundaries(times: Floats, shares: Floats) -> list[float]:
    """The bound of each look, in standard errors, that spends its share on each side."""
    inside = _Inside(0.0, np.zeros(1), np.ones(1))
    bounds = []
    for time, share in zip(times, shares, strict=True):
        bound = _bound(inside, time, share)
        bounds.append(bound)
        inside = inside.within(bound, time)
    return bounds


def _bound(inside: _Inside, time: float, share: float) -> float:
    """The bound above which a share of the paths lies; where it is too small for a float, one that
    nothing reaches.
    """
    if inside.above(_FARTHEST, time) >= share:
        return _FARTHEST
    return float(brentq(lambda bound: inside.above(bound, time) - share, 0.0, _FARTHEST))

"""Effects in points a deal: of seeds of training, where the seed is the unit, or of decks alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from experiments.stats import Interval, crossed_interval, power, student_interval

__all__ = ["POWER", "Effect", "crossed", "detectable", "over_seeds"]

Floats = npt.NDArray[np.float64]

POWER: Final = 0.8
"""The chance with which an effect that is called detectable is found."""
_FEWEST: Final = 3
"""Units below which the power of Student's test can't be computed for all effects."""


@dataclass(frozen=True)
class Effect:
    """A mean over training seeds.

    ``means`` (seeds,): of each seed. ``error``: the standard error that the decks leave in one
    seed's mean, on average. ``detectable``: the true effect that so many seeds, as different as
    these, would have found with the chance :data:`POWER`; NaN where they do not differ, and for
    fewer than three.
    """

    means: Floats
    error: float
    interval: Interval
    detectable: float

    @property
    def mean(self) -> float:
        """The mean of the seeds' means."""
        return float(self.means.mean())


def over_seeds(units: Mapping[int, Floats], level: float) -> Effect:
    """The effect of seeds, each with units (decks,) of its own; Student's interval over seeds.

    Raises:
        ValueError: no seeds, or no units.
    """
    means = np.array([of.mean() for of in units.values()])
    errors = [of.std(ddof=1) / len(of) ** 0.5 for of in units.values()]
    interval = student_interval(means, level=level)
    deviation = float(means.std(ddof=1)) if len(means) > 1 else float("nan")
    return Effect(means, float(np.mean(errors)), interval, _seen(len(means), deviation, level))


def crossed(grid: npt.ArrayLike, error: float, level: float) -> Effect:
    """The effect of (seeds, other seeds) matches; ``means`` are those of the first seeds, over all
    of the others.

    Args:
        grid: mean of each match.
        error: the standard error that the decks leave in one match.
        level: of the interval, which heeds the spread of both.
    """
    found = np.asarray(grid, np.float64)
    interval = crossed_interval(found, level=level)
    spread = np.hypot(found.mean(1).std(ddof=1), found.mean(0).std(ddof=1))
    seen = _seen(min(found.shape), float(spread), level)
    return Effect(found.mean(1), error / found.shape[1] ** 0.5, interval, seen)


def _seen(units: int, deviation: float, level: float) -> float:
    if units < _FEWEST or not deviation > 0:
        return float("nan")
    return detectable(units, deviation, level)


def detectable(units: int, deviation: float, level: float, wanted: float = POWER) -> float:
    """The true mean that ``units`` units (three or more) of such a deviation find to differ from
    zero with the chance ``wanted``, in the units' own measure; Student's two-sided test.

    Raises:
        ValueError: as :func:`experiments.stats.power`.
    """

    def falls_short(effect: float) -> bool:
        # of large effects the power is sometimes NaN, where it is 1 but for rounding
        return power(units, effect, deviation, level=level) < wanted

    low, high = 0.0, deviation
    while falls_short(high):
        low, high = high, 2.0 * high
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if falls_short(middle) else (low, middle)
    return high

"""Intervals of the mean of independent units.

The unit is always the thing that was drawn independently: a pair of deals, or a training seed,
never a deal of a pair. Everything is seeded and vectorised; nothing here knows the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from experiments.stats.checks import Floats, as_units, check_level
from experiments.stats.hypotheses import sign_flip_test
from experiments.stats.sampling import blocks

__all__ = [
    "FEWEST_FOR_BOOTSTRAP",
    "Interval",
    "Summary",
    "bca_interval",
    "mean_interval",
    "student_interval",
    "summarise",
]

FEWEST_FOR_BOOTSTRAP: Final = 30
"""Below this many units a bootstrap covers too little, and the interval is Student's."""
_NORMAL: Final = NormalDist()


@dataclass(frozen=True)
class Interval:
    """A confidence interval and how it was made: ``bca``, ``t``, or ``none`` where one unit has no
    spread.
    """

    low: float
    high: float
    method: str


@dataclass(frozen=True)
class Summary:
    """What is known of a mean: its interval, the standard deviation of a unit, the sign-flip p."""

    units: int
    mean: float
    deviation: float
    interval: Interval
    p_value: float


def _resampled_means(units: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Means of ``resamples`` samples with replacement, shape (resamples,)."""
    means = np.empty(resamples)
    for part in blocks(resamples, units.size):
        shape = (part.stop - part.start, units.size)
        means[part] = units[rng.integers(units.size, size=shape, dtype=np.int32)].mean(axis=1)
    return means


def bca_interval(
    values: npt.ArrayLike, *, level: float = 0.95, resamples: int = 9999, seed: int = 0
) -> Interval:
    """The bias-corrected and accelerated bootstrap interval of the mean (Efron 1987).

    The acceleration comes from the jackknife, which for a mean is the skewness of the units. Units
    that are all equal give an interval of length zero, method ``none``.

    Raises:
        ValueError: no units, a number that is not finite, or a level outside (0, 1).
    """
    units = as_units(values)
    check_level(level)
    mean = float(units.mean())
    if np.ptp(units) == 0.0:
        return Interval(mean, mean, "none")
    means = _resampled_means(units, resamples, np.random.default_rng(seed))
    below = (np.count_nonzero(means < mean) + np.count_nonzero(means <= mean)) / (2 * resamples)
    bias = _NORMAL.inv_cdf(min(max(below, 0.5 / resamples), 1 - 0.5 / resamples))
    centred = units - mean
    acceleration = float((centred**3).sum() / (6.0 * (centred**2).sum() ** 1.5))
    tail = (1.0 - level) / 2.0
    low, high = (_bca_quantile(p, bias, acceleration) for p in (tail, 1.0 - tail))
    ends = np.quantile(means, [low, high])
    return Interval(float(ends[0]), float(ends[1]), "bca")


def _bca_quantile(probability: float, bias: float, acceleration: float) -> float:
    """Which quantile of the resampled means stands for ``probability``."""
    z = bias + _NORMAL.inv_cdf(probability)
    return _NORMAL.cdf(bias + z / (1.0 - acceleration * z))


def student_interval(values: npt.ArrayLike, *, level: float = 0.95) -> Interval:
    """Student's interval of the mean: for few units, such as training seeds.

    One unit alone has no spread: its interval is infinite, method ``none``.
    """
    units = as_units(values)
    check_level(level)
    mean = float(units.mean())
    if units.size == 1:
        return Interval(-np.inf, np.inf, "none")
    error = float(units.std(ddof=1)) / np.sqrt(units.size)
    reach = float(stdtrit(units.size - 1, (1.0 + level) / 2.0)) * error
    return Interval(mean - reach, mean + reach, "t")


def mean_interval(
    values: npt.ArrayLike, *, level: float = 0.95, resamples: int = 9999, seed: int = 0
) -> Interval:
    """BCa from 30 units on, Student's below."""
    if np.size(values) < FEWEST_FOR_BOOTSTRAP:
        return student_interval(values, level=level)
    return bca_interval(values, level=level, resamples=resamples, seed=seed)


def summarise(
    values: npt.ArrayLike, *, level: float = 0.95, seed: int = 0, null: float = 0.0
) -> Summary:
    """Mean, interval and deviation of independent units, and the sign-flip p of symmetry about
    ``null``.
    """
    units = as_units(values)
    return Summary(
        units=int(units.size),
        mean=float(units.mean()),
        deviation=float(units.std(ddof=1)) if units.size > 1 else float("nan"),
        interval=mean_interval(units, level=level, seed=seed),
        p_value=sign_flip_test(units - null, seed=seed),
    )

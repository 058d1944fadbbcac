"""Statistics of paired results: intervals of a mean, a sign-flip test, and corrections for many
tests.

The unit is always the thing that was drawn independently: a pair of deals, or a training seed,
never a deal of a pair. Everything is seeded and vectorised; nothing here knows the game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

__all__ = [
    "Interval",
    "Summary",
    "bca_interval",
    "duplicate_gain",
    "holm",
    "mean_interval",
    "sign_flip_test",
    "student_interval",
    "summarise",
]

Floats = npt.NDArray[np.float64]

FEWEST_FOR_BOOTSTRAP: Final = 30
"""Below this many units a bootstrap covers too little, and the interval is Student's."""
_MOST_EXACT: Final = 14
"""Up to this many units all sign patterns are counted instead of sampled."""
_BLOCK: Final = 1 << 20
"""Numbers drawn at a time: small enough to stay in the cache, large enough for numpy."""
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


def _units(values: npt.ArrayLike) -> Floats:
    """The values as a float vector.

    Raises:
        ValueError: they are not a vector of at least one finite number.
    """
    units = np.asarray(values, np.float64)
    if units.ndim != 1 or units.size == 0 or not np.isfinite(units).all():
        raise ValueError(f"a vector of finite numbers is needed, got shape {units.shape}")
    return units


def _check_level(level: float) -> None:
    if not 0.0 < level < 1.0:
        raise ValueError(f"level {level} is not between 0 and 1")


def _blocks(rows: int, width: int) -> Iterator[slice]:
    """Slices of ``rows`` rows so that a block has about ``_BLOCK`` numbers."""
    step = max(1, _BLOCK // width)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def _resampled_means(units: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Means of ``resamples`` samples with replacement, shape (resamples,)."""
    means = np.empty(resamples)
    for part in _blocks(resamples, units.size):
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
    units = _units(values)
    _check_level(level)
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
    units = _units(values)
    _check_level(level)
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


def sign_flip_test(values: npt.ArrayLike, *, flips: int = 9999, seed: int = 0) -> float:
    """Two-sided p of the hypothesis that the units are symmetric about zero.

    Up to 14 units all sign patterns are counted; above, ``flips`` random ones and the one that was
    seen, so p is never below 1 / (flips + 1).
    """
    units = _units(values)
    total = abs(units.sum())
    slack = 1e-9 * np.abs(units).sum()  # sums of the same numbers in another order count as equal
    if units.size <= _MOST_EXACT:
        patterns = np.arange(1 << units.size)[:, None] >> np.arange(units.size) & 1
        return float((np.abs((2 * patterns - 1) @ units) >= total - slack).mean())
    rng = np.random.default_rng(seed)
    extreme = 0
    for part in _blocks(flips, units.size):
        count = part.stop - part.start
        drawn = np.frombuffer(rng.bytes(count * ((units.size + 7) // 8)), np.uint8)
        signs = np.unpackbits(drawn.reshape(count, -1), axis=1, count=units.size)
        sums = 2.0 * (signs.astype(np.float64) @ units) - units.sum()
        extreme += int(np.count_nonzero(np.abs(sums) >= total - slack))
    return (extreme + 1) / (flips + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order given: for tables with several tests."""
    order = np.argsort(np.asarray(p_values), kind="stable")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = largest
    return adjusted


def duplicate_gain(differences: npt.ArrayLike) -> float:
    """How many times less variance a duplicate unit's mean has than that of as many independent
    deals.

    ``differences`` has the shape (units, tables): one column for each table of the unit.
    Independent deals with the columns' variances v_k have a mean of variance sum(v_k) / tables²;
    the unit's mean has var(sum_k d_k) / tables². The ratio, sum(v_k) / var(sum_k d_k), is 1 where
    the tables are uncorrelated, above 1 where the luck of the cards cancels, and infinite where it
    cancels exactly. NaN where nothing varies.
    """
    tables = np.asarray(differences, np.float64)
    if tables.ndim != 2 or tables.shape[0] < 2:
        return float("nan")
    apart = float(tables.var(axis=0, ddof=1).sum())
    together = float(tables.sum(axis=1).var(ddof=1))
    if together == 0.0:
        return float("inf") if apart > 0.0 else float("nan")
    return apart / together


def summarise(
    values: npt.ArrayLike, *, level: float = 0.95, seed: int = 0, null: float = 0.0
) -> Summary:
    """Mean, interval and deviation of independent units, and the sign-flip p of symmetry about
    ``null``.
    """
    units = _units(values)
    return Summary(
        units=int(units.size),
        mean=float(units.mean()),
        deviation=float(units.std(ddof=1)) if units.size > 1 else float("nan"),
        interval=mean_interval(units, level=level, seed=seed),
        p_value=sign_flip_test(units - null, seed=seed),
    )

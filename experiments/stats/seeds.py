"""Arms with several training seeds: the seed is the unit, and every seed is shown.

The deals of one agent say how good that agent is. What a way of training is worth varies from seed
to seed, and there are few; a bootstrap over so few seeds covers far too little (74 % instead of
95 % with three), so these intervals are Student's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from experiments.stats.checks import Floats, as_units, check_level
from experiments.stats.intervals import Interval, Summary, student_interval, summarise

__all__ = ["Arm", "Difference", "arm", "arm_difference", "crossed_interval"]


@dataclass(frozen=True)
class Arm:
    """What is known of an arm.

    ``seeds``: each seed's own summary, over its units. ``mean``: the mean of the seeds' means.
    ``interval``: of that mean, for a seed not yet trained; Student's over the seeds' means.
    """

    seeds: dict[str, Summary]
    mean: float
    interval: Interval

    @property
    def means(self) -> Floats:
        """The seeds' means, shape (seeds,)."""
        return np.array([summary.mean for summary in self.seeds.values()])


@dataclass(frozen=True)
class Difference:
    """First arm less second: the difference of the means of seed means, and Welch's interval."""

    first: Arm
    second: Arm
    mean: float
    interval: Interval


def arm(units: Mapping[str, npt.ArrayLike], *, level: float = 0.95, seed: int = 0) -> Arm:
    """Sums up an arm from the units of each training seed, ``{seed: units}``.

    Seeds weigh alike, however many units each has. One seed alone has an infinite interval.

    Args:
        units: by the name of the training seed.
        level: of all intervals.
        seed: of the resampling behind the seeds' own intervals.

    Raises:
        ValueError: no seeds; units that :func:`~experiments.stats.summarise` refuses.
    """
    if not units:
        raise ValueError("an arm needs the units of at least one training seed")
    seeds = {name: summarise(of, level=level, seed=seed) for name, of in units.items()}
    means = [summary.mean for summary in seeds.values()]
    return Arm(seeds, float(np.mean(means)), student_interval(means, level=level))


def arm_difference(
    first: Mapping[str, npt.ArrayLike],
    second: Mapping[str, npt.ArrayLike],
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Difference:
    """First arm less second, with Welch's interval over seed means: the arms may vary differently.

    Where one arm has a single seed the interval is infinite.

    Raises:
        ValueError: as :func:`arm`.
    """
    arms = arm(first, level=level, seed=seed), arm(second, level=level, seed=seed)
    return Difference(
        *arms, arms[0].mean - arms[1].mean, _welch(arms[0].means, -arms[1].means, level)
    )


def crossed_interval(means: npt.ArrayLike, *, level: float = 0.95) -> Interval:
    """The interval of the mean of two arms that played each other, every seed with every seed.

    ``means`` has the shape (seeds of the first, seeds of the second). The variances of the row
    means and of the column means are added, as if they were independent samples; what both share
    is counted twice, so the interval is a little too wide, never too narrow for that reason.

    Raises:
        ValueError: not a matrix of finite numbers.
    """
    grid = np.asarray(means, np.float64)
    if grid.ndim != 2 or grid.size == 0 or not np.isfinite(grid).all():
        raise ValueError(f"a matrix of finite numbers is needed, got shape {grid.shape}")
    centred = grid - grid.mean()
    spread = _welch(centred.mean(axis=1), centred.mean(axis=0), level)
    middle = float(grid.mean())
    return Interval(middle + spread.low, middle + spread.high, spread.method)


def _welch(first: Floats, second: Floats, level: float) -> Interval:
    """The interval of the sum of two means, with Welch's and Satterthwaite's degrees of freedom."""
    check_level(level)
    samples = as_units(first), as_units(second)
    if min(sample.size for sample in samples) == 1:
        return Interval(-np.inf, np.inf, "none")
    mean = float(sum(sample.mean() for sample in samples))
    parts = np.array([sample.var(ddof=1) / sample.size for sample in samples])
    variance = float(parts.sum())
    if variance == 0.0:
        return Interval(mean, mean, "none")
    freedom = variance**2 / float(
        sum(p**2 / (s.size - 1) for p, s in zip(parts, samples, strict=True))
    )
    reach = float(stdtrit(freedom, (1.0 + level) / 2.0)) * np.sqrt(variance)
    return Interval(mean - reach, mean + reach, "welch")

"""The ratio of two paired means, with Fieller's interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from experiments.stats.checks import as_units, check_level
from experiments.stats.intervals import Interval

__all__ = ["Ratio", "ratio_of_means"]


@dataclass(frozen=True)
class Ratio:
    """A ratio of means and its interval: method ``fieller``, or ``undefined`` with an infinite
    interval and the value NaN where the denominator cannot be told from zero.
    """

    value: float
    interval: Interval

    @classmethod
    def undefined(cls) -> Ratio:
        """No ratio."""
        return cls(float("nan"), Interval(-np.inf, np.inf, "undefined"))


def ratio_of_means(
    numerator: npt.ArrayLike, denominator: npt.ArrayLike, *, level: float = 0.95
) -> Ratio:
    """The mean of ``numerator`` over that of ``denominator``, both of the same units (Fieller
    1954).

    The interval holds every ratio r for which the mean of numerator - r * denominator does not
    differ from zero, by Student's t. It is bounded exactly if Student's interval of the
    denominator's mean excludes zero; else the ratio is undefined. A bootstrap would divide by
    resampled means near zero instead of saying so.

    Args:
        numerator, denominator: float (units,), unit by unit from the same decks.
        level: of the interval.

    Raises:
        ValueError: not two vectors of finite numbers, of the same length from 2 on.
    """
    above, below = as_units(numerator), as_units(denominator)
    check_level(level)
    if above.size != below.size or above.size < 2:
        raise ValueError(f"2 or more pairs are needed, got {above.size} and {below.size} units")
    means = np.array([above.mean(), below.mean()])
    spread = np.cov(above, below) / above.size
    reach = float(stdtrit(above.size - 1, (1.0 + level) / 2.0))
    # r² a - 2 r b + c <= 0 says that r is in the interval
    (c, b), (_, a) = np.outer(means, means) - reach**2 * spread
    if a <= 0.0:
        return Ratio.undefined()
    root = float(np.sqrt(max(0.0, b * b - a * c)))
    interval = Interval(float((b - root) / a), float((b + root) / a), "fieller")
    return Ratio(float(means[0] / means[1]), interval)

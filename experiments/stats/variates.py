"""Less variance from the same deals: what duplicating gained, and linear control variates.

A control variate is a number that is known for every unit and whose expectation is known to be
zero, such as the luck of the cards drawn: the value of each less its expectation before. A
coefficient times it may be subtracted from the units without moving their mean, provided that the
coefficient does not depend on the same unit. So coefficients are fitted on other units: by folds,
or on a sample apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.stats.checks import Floats, as_units, check_level
from experiments.stats.intervals import Interval

__all__ = [
    "Adjusted",
    "adjust",
    "cross_fit",
    "duplicate_gain",
    "fit_coefficients",
    "gain_interval",
    "variance_ratio",
]


@dataclass(frozen=True)
class Adjusted:
    """Units less their luck.

    ``values`` (units,): their mean estimates what the units' own mean estimates. ``coefficients``
    (folds, features). ``gain``: the variance of the units over that of the values, which may lie
    below 1 where the luck explains nothing.
    """

    values: Floats
    coefficients: Floats
    gain: float


def fit_coefficients(values: npt.ArrayLike, luck: npt.ArrayLike) -> Floats:
    """Least squares with an intercept: how much a unit rises with each feature, shape (features,).

    Features that never vary get 0.

    Args:
        values: (units,).
        luck: (units, features), each with expectation zero.

    Raises:
        ValueError: shapes that do not fit, numbers that are not finite, or fewer units than
            features and two.
    """
    units, features = _matched(values, luck)
    fewest = features.shape[1] + 2
    if units.size < fewest:
        raise ValueError(f"{units.size} units are too few to fit on; {fewest} are needed")
    centred = features - features.mean(axis=0)
    return np.linalg.lstsq(centred, units - units.mean(), rcond=None)[0]


def adjust(values: npt.ArrayLike, luck: npt.ArrayLike, coefficients: npt.ArrayLike) -> Adjusted:
    """Units less ``luck @ coefficients``, which were fitted on a sample apart.

    Raises:
        ValueError: as :func:`fit_coefficients`, or not one coefficient for each feature.
    """
    units, features = _matched(values, luck)
    slopes = np.asarray(coefficients, np.float64)
    if slopes.shape != features.shape[1:]:
        raise ValueError(f"{slopes.shape} coefficients for {features.shape[1]} features")
    return _adjusted(units, units - features @ slopes, slopes[None])


def cross_fit(values: npt.ArrayLike, luck: npt.ArrayLike, *, folds: int = 10) -> Adjusted:
    """Units less their luck, each fold with coefficients fitted on all others.

    Unit ``i`` is in fold ``i % folds``. The mean is unbiased for any number of units; the luck is
    not centred, since its expectation is known and its mean over these units is what is taken out.

    Args:
        values: (units,), independent.
        luck: (units, features), each with expectation zero.
        folds: from 2 to the number of units.

    Raises:
        ValueError: as :func:`fit_coefficients` for what is left beside a fold, or folds out of
            range.
    """
    units, features = _matched(values, luck)
    if not 2 <= folds <= units.size:
        raise ValueError(f"{folds} folds are not between 2 and the number of units, {units.size}")
    fold = np.arange(units.size) % folds
    slopes = np.stack(
        [fit_coefficients(units[fold != one], features[fold != one]) for one in range(folds)]
    )
    return _adjusted(units, units - (features * slopes[fold]).sum(axis=1), slopes)


def _matched(values: npt.ArrayLike, luck: npt.ArrayLike) -> tuple[Floats, Floats]:
    units, features = as_units(values), np.asarray(luck, np.float64)
    if features.ndim != 2 or len(features) != units.size or not np.isfinite(features).all():
        raise ValueError(
            f"luck of {units.size} units is a finite matrix (units, features), "
            f"got shape {features.shape}"
        )
    return units, features


def _adjusted(units: Floats, values: Floats, coefficients: Floats) -> Adjusted:
    return Adjusted(values, coefficients, variance_ratio(units, values))


def variance_ratio(before: Floats, after: Floats) -> float:
    """The variance of one sample over that of another: infinite where only the second is constant,
    NaN where both are or one has a single unit.
    """
    if min(before.size, after.size) < 2:
        return float("nan")
    apart, together = float(before.var(ddof=1)), float(after.var(ddof=1))
    if together == 0.0:
        return float("inf") if apart > 0.0 else float("nan")
    return apart / together


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


def gain_interval(
    gain: Callable[..., float],
    *samples: npt.ArrayLike,
    level: float = 0.95,
    resamples: int = 499,
    seed: int = 0,
) -> Interval:
    """The percentile bootstrap interval of a gain: ``gain(*samples)``, whose rows are units.

    Each sample is resampled for itself. A gain is a ratio of variances, so few units say little.

    Raises:
        ValueError: a level outside (0, 1), or a sample without units.
    """
    check_level(level)
    arrays = [np.asarray(sample, np.float64) for sample in samples]
    if not all(len(one) for one in arrays):
        raise ValueError("a gain needs units")
    rng = np.random.default_rng(seed)
    drawn = [
        gain(*(one[rng.integers(len(one), size=len(one))] for one in arrays))
        for _ in range(resamples)
    ]
    low, high = np.quantile(drawn, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return Interval(float(low), float(high), "percentile")

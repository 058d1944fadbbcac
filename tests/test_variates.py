"""Control variates and the gain of duplicating, by simulation against what is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments import stats


def simulated(rng: np.random.Generator, units: int) -> tuple[np.ndarray, np.ndarray]:
    """Units with mean 0, and their luck: skewed, and not quite linear in it, so that least squares
    on the same units is biased.
    """
    luck = rng.exponential(size=units) - 1.0
    return luck + 0.5 * (luck**2 - 1.0) + rng.normal(size=units), luck[:, None]


def means(units: int, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Of each run the mean of cross-fitted units, and of those fitted on the very same units."""
    rng = np.random.default_rng(6)
    crossed, same = np.empty(runs), np.empty(runs)
    for run in range(runs):
        values, luck = simulated(rng, units)
        crossed[run] = stats.cross_fit(values, luck, folds=4).values.mean()
        own = stats.fit_coefficients(values, luck)
        same[run] = stats.adjust(values, luck, own).values.mean()
    return crossed, same


def test_cross_fitting_is_unbiased_and_fitting_on_the_same_units_is_not() -> None:
    """Within three standard errors of zero; the other lies beyond eight."""
    crossed, same = (one / (one.std() / math.sqrt(one.size)) for one in means(20, 1500))
    assert abs(crossed.mean()) < 3.0
    assert abs(same.mean()) > 8.0


def test_a_sample_apart_is_unbiased() -> None:
    rng = np.random.default_rng(7)
    found = np.empty(2000)
    for run in range(found.size):
        coefficients = stats.fit_coefficients(*simulated(rng, 20))
        found[run] = stats.adjust(*simulated(rng, 20), coefficients).values.mean()
    assert abs(found.mean()) < 3.0 * found.std() / math.sqrt(found.size)


@pytest.mark.parametrize("units", [30, 100])
def test_the_interval_of_cross_fitted_units_covers(units: int) -> None:
    """400 runs; three standard errors are 0.033, and skewed units of 30 cover about 0.92."""
    rng = np.random.default_rng(8)
    inside = 0
    for run in range(400):
        values = stats.cross_fit(*simulated(rng, units)).values
        interval = stats.bca_interval(values, resamples=999, seed=run)
        inside += interval.low <= 0.0 <= interval.high
    assert 0.88 <= inside / 400 <= 0.985


def test_the_gain_is_what_the_luck_explains() -> None:
    """Of a variance of 4 + 9 + 1 the two features explain 13."""
    rng = np.random.default_rng(9)
    luck = rng.normal(size=(20000, 2))
    values = 50.0 + luck @ [2.0, -3.0] + rng.normal(size=20000)
    found = stats.cross_fit(values, luck)
    assert found.gain == pytest.approx(14.0, rel=0.05)
    assert found.coefficients.shape == (10, 2)
    assert found.coefficients == pytest.approx(np.tile([2.0, -3.0], (10, 1)), abs=0.05)
    assert found.values.mean() == pytest.approx(50.0, abs=0.03)


def test_luck_that_explains_nothing_costs_little() -> None:
    rng = np.random.default_rng(10)
    found = stats.cross_fit(rng.normal(size=500), rng.normal(size=(500, 3)))
    assert 0.95 < found.gain < 1.02


def test_a_fold_does_not_see_itself() -> None:
    rng = np.random.default_rng(12)
    values, luck = simulated(rng, 40)
    before = stats.cross_fit(values, luck, folds=8)
    values[3] += 1000.0  # unit 3 is in fold 3
    after = stats.cross_fit(values, luck, folds=8)
    assert after.coefficients[3] == pytest.approx(before.coefficients[3])
    assert after.coefficients[2] != pytest.approx(before.coefficients[2])
    assert after.values[3] == pytest.approx(before.values[3] + 1000.0)


def test_a_feature_that_never_varies_gets_no_coefficient() -> None:
    rng = np.random.default_rng(13)
    luck = np.stack([rng.normal(size=50), np.zeros(50)], axis=1)
    assert stats.fit_coefficients(2.0 * luck[:, 0], luck) == pytest.approx([2.0, 0.0])


@pytest.mark.parametrize(
    ("values", "luck", "folds", "message"),
    [
        ([1.0] * 5, np.ones((4, 1)), 2, "luck of 5 units"),
        ([1.0] * 5, np.ones(5), 2, "luck of 5 units"),
        ([1.0] * 5, np.full((5, 1), np.nan), 2, "luck of 5 units"),
        ([1.0] * 5, np.ones((5, 1)), 6, "6 folds are not between 2 and the number of units, 5"),
        ([1.0] * 4, np.ones((4, 1)), 2, "2 units are too few to fit on; 3 are needed"),
    ],
)
def test_bad_input_is_refused(values: list[float], luck: object, folds: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stats.cross_fit(values, luck, folds=folds)


def test_coefficients_must_fit_the_luck() -> None:
    with pytest.raises(ValueError, match="2 features"):
        stats.adjust([1.0, 2.0], np.ones((2, 2)), [1.0])


def test_duplicate_gain() -> None:
    rng = np.random.default_rng(5)
    luck, other = rng.normal(size=(2, 20000))
    assert stats.duplicate_gain(np.stack([luck, other], 1)) == pytest.approx(1.0, abs=0.05)
    assert stats.duplicate_gain(np.stack([luck, -luck], 1)) == math.inf
    half = np.stack([luck, -0.5 * luck + math.sqrt(0.75) * other], 1)
    assert stats.duplicate_gain(half) == pytest.approx(2.0, abs=0.1)
    assert math.isnan(stats.duplicate_gain(np.zeros((5, 2))))


def test_the_interval_of_a_gain_covers() -> None:
    """A correlation of -0.5 between two tables is a gain of 2; 100 runs, three standard errors are
    0.07.
    """
    rng = np.random.default_rng(14)
    inside = 0
    for run in range(100):
        first = rng.normal(size=100)
        second = -0.5 * first + math.sqrt(0.75) * rng.normal(size=100)
        tables = np.stack([first, second], axis=1)
        interval = stats.gain_interval(stats.duplicate_gain, tables, resamples=149, seed=run)
        inside += interval.low <= 2.0 <= interval.high
    assert inside / 100 == pytest.approx(0.94, abs=0.07)


def test_a_gain_may_compare_two_samples() -> None:
    rng = np.random.default_rng(15)
    wide, narrow = 3.0 * rng.normal(size=3000), rng.normal(size=2000)
    interval = stats.gain_interval(stats.variance_ratio, wide, narrow)
    assert interval.low < stats.variance_ratio(wide, narrow) < interval.high
    assert 7.5 < interval.low < 9.0 < interval.high < 10.5


def test_a_gain_needs_units_and_a_level() -> None:
    with pytest.raises(ValueError, match="units"):
        stats.gain_interval(stats.variance_ratio, [], [1.0])
    with pytest.raises(ValueError, match="level"):
        stats.gain_interval(stats.variance_ratio, [1.0], [1.0], level=95)

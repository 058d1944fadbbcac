"""Intervals over training seeds: known answers, scipy's, and simulated coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp, ttest_ind

from experiments import stats


def arm_units(means: list[float], seed: int = 3, units: int = 50) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {str(place): rng.normal(mean, 5.0, units) for place, mean in enumerate(means)}


def test_an_arm_is_students_interval_of_its_seed_means() -> None:
    units = arm_units([10.0, 30.0, 20.0])
    found = stats.arm(units, seed=1)
    theirs = ttest_1samp([one.mean() for one in units.values()], 0.0).confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx((theirs.low, theirs.high))
    assert found.mean == pytest.approx(np.mean(found.means))
    assert list(found.seeds) == ["0", "1", "2"]
    assert found.seeds["1"] == stats.summarise(units["1"], seed=1)


def test_seeds_weigh_alike_whatever_was_played() -> None:
    assert stats.arm({"a": [0.0] * 100, "b": [10.0]}).mean == 5.0


def test_a_difference_of_arms_is_welchs() -> None:
    first, second = arm_units([10.0, 30.0, 20.0]), arm_units([0.0, 1.0, 2.0, 1.0], seed=4)
    found = stats.arm_difference(first, second)
    theirs = ttest_ind(
        [one.mean() for one in first.values()],
        [one.mean() for one in second.values()],
        equal_var=False,
    ).confidence_interval(0.95)
    assert found.interval.method == "welch"
    assert (found.interval.low, found.interval.high) == pytest.approx((theirs.low, theirs.high))
    assert found.mean == pytest.approx(found.first.mean - found.second.mean)


def test_one_seed_says_nothing_about_another() -> None:
    assert stats.arm({"0": [1.0, 2.0]}).interval == stats.Interval(-math.inf, math.inf, "none")
    found = stats.arm_difference({"0": [1.0, 2.0]}, arm_units([1.0, 2.0]))
    assert found.interval == stats.Interval(-math.inf, math.inf, "none")


def test_equal_seeds_have_no_width() -> None:
    found = stats.arm_difference({"a": [4.0], "b": [4.0]}, {"a": [1.0], "b": [1.0]})
    assert found.interval == stats.Interval(3.0, 3.0, "none")


@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_coverage_over_seeds(seeds: int) -> None:
    """2,000 runs; three standard errors are 0.015."""
    rng = np.random.default_rng(5)
    inside = 0
    for means in rng.normal(0.0, 30.0, size=(2000, seeds)):
        interval = stats.student_interval(means)
        inside += interval.low <= 0.0 <= interval.high
    assert inside / 2000 == pytest.approx(0.95, abs=0.015)


def test_crossed_arms_cover() -> None:
    """Every seed against every seed: rows, columns and the pairings vary. At least the level, and
    what is counted twice makes it more; 2,000 runs, three standard errors are 0.015.
    """
    rng = np.random.default_rng(6)
    inside = 0
    for _ in range(2000):
        grid = rng.normal(size=(4, 1)) + rng.normal(size=(1, 5)) + rng.normal(size=(4, 5))
        interval = stats.crossed_interval(grid + 7.0)
        inside += interval.low <= 7.0 <= interval.high
    assert 0.935 <= inside / 2000 <= 0.99


def test_crossed_interval_known_answer() -> None:
    """Row means -1 and 1, column means -2 and 2 about 10: variances 2 / 2 and 8 / 2, degrees of
    freedom 25 / (1 + 16).
    """
    interval = stats.crossed_interval([[7.0, 11.0], [9.0, 13.0]])
    assert interval.low + interval.high == pytest.approx(20.0)
    theirs = ttest_ind([-1.0, 1.0], [2.0, -2.0], equal_var=False).confidence_interval(0.95)
    assert interval.high - 10.0 == pytest.approx(theirs.high)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one training seed"):
        stats.arm({})
    with pytest.raises(ValueError, match="finite numbers"):
        stats.arm({"0": []})
    with pytest.raises(ValueError, match="level"):
        stats.arm_difference(arm_units([1.0, 2.0]), arm_units([1.0, 2.0]), level=2)
    with pytest.raises(ValueError, match="matrix"):
        stats.crossed_interval([1.0, 2.0])

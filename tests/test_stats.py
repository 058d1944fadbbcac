"""The statistics against known answers, against scipy, and by simulated coverage."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy import stats as reference

from experiments import stats


def skewed(size: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).exponential(100.0, size) - 70.0


def test_bca_agrees_with_scipy() -> None:
    units = skewed(200)
    ours = stats.bca_interval(units, resamples=20000, seed=3)
    theirs = reference.bootstrap(
        (units,), np.mean, n_resamples=20000, method="BCa", rng=np.random.default_rng(4)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.method == "bca"
    assert abs(ours.low - theirs.low) < 0.03 * width
    assert abs(ours.high - theirs.high) < 0.03 * width


def test_bca_is_near_the_normal_interval_for_many_symmetric_units() -> None:
    units = np.random.default_rng(2).normal(10.0, 550.0, 4000)
    interval = stats.bca_interval(units)
    reach = 1.96 * units.std(ddof=1) / math.sqrt(4000)
    assert interval.low == pytest.approx(units.mean() - reach, abs=0.06 * reach)
    assert interval.high == pytest.approx(units.mean() + reach, abs=0.06 * reach)


def test_bca_leans_with_the_skew() -> None:
    units = skewed(60)
    interval = stats.bca_interval(units)
    assert interval.high - units.mean() > units.mean() - interval.low


def test_bca_is_seeded_and_mirrors() -> None:
    units = skewed(100)
    assert stats.bca_interval(units, seed=5) == stats.bca_interval(units, seed=5)
    assert stats.bca_interval(units, seed=5) != stats.bca_interval(units, seed=6)
    mirrored = stats.bca_interval(-units, seed=5)
    assert mirrored.low == pytest.approx(-stats.bca_interval(units, seed=5).high, rel=1e-9, abs=0.1)


def test_bca_of_4000_units_is_quick() -> None:
    units = skewed(4000)
    start = time.perf_counter()
    stats.bca_interval(units)
    assert time.perf_counter() - start < 5.0


def test_equal_units_have_no_width() -> None:
    assert stats.bca_interval([7.0] * 40) == stats.Interval(7.0, 7.0, "none")


def test_student_interval_known_answer() -> None:
    interval = stats.student_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    reach = 2.7764451052 * math.sqrt(2.5) / math.sqrt(5)  # t(0.975, 4)
    assert interval.low == pytest.approx(3.0 - reach)
    assert interval.high == pytest.approx(3.0 + reach)
    assert interval.method == "t"


def test_one_unit_has_an_infinite_interval() -> None:
    assert stats.student_interval([3.0]) == stats.Interval(-math.inf, math.inf, "none")


def test_few_units_take_student() -> None:
    assert stats.mean_interval(skewed(29)).method == "t"
    assert stats.mean_interval(skewed(30)).method == "bca"


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]], [1.0, math.nan]])
def test_bad_units_are_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        stats.bca_interval(values)


def test_bad_level_is_refused() -> None:
    with pytest.raises(ValueError, match="level"):
        stats.bca_interval([1.0, 2.0], level=95)


def coverage(make: str, runs: int = 300, size: int = 40) -> float:
    """The share of simulated samples whose interval holds the true mean, zero."""
    rng = np.random.default_rng(11)
    draws = (
        rng.normal(size=(runs, size))
        if make == "normal"
        else rng.exponential(size=(runs, size)) - 1
    )
    intervals = [stats.bca_interval(x, resamples=999, seed=i) for i, x in enumerate(draws)]
    return float(np.mean([i.low <= 0.0 <= i.high for i in intervals]))


@pytest.mark.parametrize(("make", "least"), [("normal", 0.91), ("skewed", 0.87)])
def test_coverage(make: str, least: float) -> None:
    """Three standard errors of 300 runs are 0.04; skewed samples of 40 are known to cover about
    0.92.
    """
    assert least <= coverage(make) <= 0.99


def test_sign_flip_exact_known_answer() -> None:
    assert stats.sign_flip_test([1.0, 2.0, 3.0]) == pytest.approx(2 / 8)
    assert stats.sign_flip_test([1.0, -1.0]) == 1.0


def test_sign_flip_sampled_agrees_with_scipy() -> None:
    units = np.random.default_rng(8).normal(0.35, 1.0, 40)
    theirs = reference.permutation_test(
        (units,),
        np.mean,
        permutation_type="samples",
        n_resamples=20000,
        rng=np.random.default_rng(1),
    )
    assert stats.sign_flip_test(units, flips=20000) == pytest.approx(theirs.pvalue, abs=0.01)


def test_sign_flip_bounds() -> None:
    assert stats.sign_flip_test(np.full(50, 3.0), flips=999) == pytest.approx(1 / 1000)
    assert stats.sign_flip_test(np.zeros(50)) == 1.0


def test_sign_flip_has_its_level() -> None:
    rng = np.random.default_rng(21)
    p_values = [
        stats.sign_flip_test(x, flips=199, seed=i) for i, x in enumerate(rng.normal(size=(400, 25)))
    ]
    assert 0.02 <= float(np.mean(np.array(p_values) <= 0.05)) <= 0.09


def test_holm_known_answer() -> None:
    assert stats.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert stats.holm([]) == []


def test_duplicate_gain() -> None:
    rng = np.random.default_rng(5)
    luck, other = rng.normal(size=(2, 20000))
    assert stats.duplicate_gain(np.stack([luck, other], 1)) == pytest.approx(1.0, abs=0.05)
    assert stats.duplicate_gain(np.stack([luck, -luck], 1)) == math.inf
    half = np.stack([luck, -0.5 * luck + math.sqrt(0.75) * other], 1)
    assert stats.duplicate_gain(half) == pytest.approx(2.0, abs=0.1)
    assert math.isnan(stats.duplicate_gain(np.zeros((5, 2))))


def test_summary_holds_together() -> None:
    units = skewed(100)
    summary = stats.summarise(units, seed=2)
    assert summary.units == 100
    assert summary.mean == pytest.approx(units.mean())
    assert summary.deviation == pytest.approx(units.std(ddof=1))
    assert summary.interval == stats.bca_interval(units, seed=2)

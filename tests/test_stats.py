"""The statistics against known answers, against scipy, and by simulated coverage."""

from __future__ import annotations

import math

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


LAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    # a pair of deals: many middling differences and a tail of rare large ones; skewness 1
    "canasta": lambda rng, shape: (rng.gamma(4.0, size=shape) - 4.0) / 2.0,
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1.0,
}
"""Laws of a unit with mean 0 and deviation 1."""


def coverage(law: str, size: int, runs: int = 400) -> float:
    """The share of simulated samples whose interval holds the true mean, zero."""
    draws = LAWS[law](np.random.default_rng(11), (runs, size))
    intervals = [stats.mean_interval(x, resamples=999, seed=i) for i, x in enumerate(draws)]
    return float(np.mean([i.low <= 0.0 <= i.high for i in intervals]))


@pytest.mark.parametrize("size", [30, 60])
@pytest.mark.parametrize(
    ("law", "least"), [("normal", 0.91), ("canasta", 0.90), ("exponential", 0.87)]
)
def test_coverage(law: str, size: int, least: float) -> None:
    """Three standard errors of 400 runs are 0.033. A BCa interval of 30 units is known to cover
    about 0.94 of normal samples and 0.91 of exponential ones.
    """
    assert least <= coverage(law, size) <= 0.985


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


@pytest.mark.parametrize("p_value", [-0.1, 1.5, math.nan])
def test_holm_refuses_what_is_no_probability(p_value: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        stats.holm([0.5, p_value])


def test_summary_holds_together() -> None:
    units = skewed(100)
    summary = stats.summarise(units, seed=2)
    assert summary.units == 100
    assert summary.mean == pytest.approx(units.mean())
    assert summary.deviation == pytest.approx(units.std(ddof=1))
    assert summary.interval == stats.bca_interval(units, seed=2)

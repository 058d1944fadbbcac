"""The ratio of paired means: Fieller's interval, and where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit

from experiments.stats import student_interval
from experiments.stats.ratio import ratio_of_means


def units(seed: int, count: int, means: Any, spread: float = 1.0) -> Any:
    """Numerators and denominators that share half of their variance, as on the same decks."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(2, count))
    return np.asarray(means)[:, None] + spread * (own + rng.normal(size=count)) / np.sqrt(2)


@pytest.mark.parametrize("means", [(0.5, 1.0), (-0.3, 1.0), (0.4, -1.0), (0.0, 2.0)])
def test_at_its_ends_the_difference_is_just_not_told_from_zero(means: Any) -> None:
    above, below = units(3, 50, means)
    found = ratio_of_means(above, below, level=0.9)
    assert found.value == pytest.approx(above.mean() / below.mean())
    assert found.interval.low < found.value < found.interval.high
    for end in (found.interval.low, found.interval.high):
        difference = above - end * below
        t = difference.mean() / (difference.std(ddof=1) / np.sqrt(50))
        assert abs(t) == pytest.approx(stdtrit(49, 0.95))


def test_it_is_undefined_exactly_where_the_denominator_may_be_zero() -> None:
    undefined = []
    for seed in range(200):
        above, below = units(seed, 20, (1.0, 0.45))
        found = ratio_of_means(above, below).interval
        around = student_interval(below)
        assert (found.method == "undefined") == (around.low <= 0 <= around.high)
        undefined.append(found.method == "undefined")
        if undefined[-1]:
            assert (found.low, found.high) == (-np.inf, np.inf)
    assert 20 < sum(undefined) < 180


def test_units_without_spread() -> None:
    found = ratio_of_means([1.0, 1.0], [2.0, 2.0])
    assert (found.value, found.interval.low, found.interval.high) == (0.5, 0.5, 0.5)
    assert np.isnan(ratio_of_means([1.0, 1.0], [0.0, 0.0]).value)


@pytest.mark.parametrize(
    ("above", "below"), [([1.0], [1.0]), ([1.0, 2.0], [1.0]), ([np.nan, 1.0], [1.0, 2.0])]
)
def test_units_that_are_not_possible(above: Any, below: Any) -> None:
    with pytest.raises(ValueError, match="needed"):
        ratio_of_means(above, below)

"""Numbers of units against published answers and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from experiments import stats


@pytest.mark.parametrize(("effect", "pairs"), [(50, 950), (25, 3800), (10, 23700)])
def test_pairs_of_a_duplicate_match(effect: float, pairs: int) -> None:
    """A pair's deviation is about 550 points."""
    assert stats.units_needed(effect, 550.0) == pytest.approx(pairs, rel=0.003)


@pytest.mark.parametrize(
    ("effect", "arms", "units"), [(0.5, 1, 34), (0.2, 1, 199), (0.5, 2, 64), (0.8, 2, 26)]
)
def test_published_sample_sizes(effect: float, arms: int, units: int) -> None:
    """G*Power and Cohen's tables: a deviation of 1, 80 %, two-sided 5 %."""
    assert stats.units_needed(effect, 1.0, arms=arms) == units


def test_the_units_needed_are_the_fewest() -> None:
    for effect in (0.1, 0.7, 2.0, 50.0):
        units = stats.units_needed(effect, 1.0, wanted=0.9)
        assert stats.power(units, effect, 1.0) >= 0.9
        assert units == 2 or stats.power(units - 1, effect, 1.0) < 0.9


def test_power_is_what_simulation_finds() -> None:
    """4,000 runs; three standard errors are 0.024."""
    samples = np.random.default_rng(4).normal(0.6, 1.0, size=(4000, 20))
    found = (ttest_1samp(samples, 0.0, axis=1).pvalue < 0.05).mean()
    assert stats.power(20, 0.6, 1.0) == pytest.approx(found, abs=0.024)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"effect": 0.0}, "effect 0.0 is not a finite number above 0"),
        ({"deviation": -1.0}, "deviation -1.0 is not"),
        ({"wanted": 1.0}, "power 1.0 is not between 0.05 and 1"),
        ({"wanted": 0.01}, "power 0.01 is not between 0.05 and 1"),
        ({"level": 95}, "level 95"),
        ({"arms": 3}, "arms 3"),
        ({"effect": 1e-9}, "too small"),
    ],
)
def test_bad_input_is_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stats.units_needed(**({"effect": 1.0, "deviation": 2.0} | change))


def test_one_unit_has_no_power() -> None:
    with pytest.raises(ValueError, match="1 units have no deviation"):
        stats.power(1, 1.0, 1.0)


@pytest.mark.parametrize("units", [2, 3, 30, 10_000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999999])
def test_power_grows_to_one_with_the_effect(units: int, level: float) -> None:
    effects = np.logspace(-4, 8, 61)
    powers = np.array([stats.power(units, effect, 1.0, level=level) for effect in effects])
    assert powers[0] == pytest.approx(1.0 - level, rel=0.05)
    assert (np.diff(powers) >= -1e-5).all()
    assert powers[-1] == pytest.approx(1.0, abs=1e-6)


def test_an_effect_that_scipy_cannot_count_with() -> None:
    """Two units at a level of one in a million: the mean is beyond doubt, its deviation is not."""
    effect = 88951.34973108255
    shift, bound = effect * np.sqrt(2.0), 636619.7722780723
    draws = np.random.default_rng(1).standard_normal(400_000)
    simulated = (shift > bound * np.abs(draws)).mean()
    found = stats.power(2, effect, 1.0, level=0.999999)
    assert found == pytest.approx(simulated, abs=0.003)

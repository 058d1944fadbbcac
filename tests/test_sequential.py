"""The group-sequential plan: published boundaries, and its error and power by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments.stats import bca_interval
from experiments.stats.sequential import Decision, Plan

PLAN = Plan((50, 100, 200, 400))


def run(plan: Plan, units: np.ndarray) -> tuple[Decision, int]:
    """What the plan decides, and after how many units."""
    for count in plan.looks:
        look = plan.look(units[:count])
        if look.stop:
            return look.decision, look.units
    raise AssertionError("the last look stops")


def test_published_boundaries() -> None:
    """Five equal looks, two-sided 5 %: the table in every text on Lan and DeMets' spending."""
    found = Plan((100, 200, 300, 400, 500)).boundaries
    assert found == pytest.approx([4.8769, 3.3570, 2.6803, 2.2898, 2.0310], abs=1e-4)


def test_one_look_is_the_plain_test() -> None:
    assert Plan((4000,)).boundaries == pytest.approx([1.959964], abs=1e-5)


def test_the_earliest_look_may_have_nothing_to_spend() -> None:
    plan = Plan((30, 400_000))
    assert plan.boundaries[0] > 30.0
    assert plan.boundaries[1] == pytest.approx(1.959964, abs=1e-5)


@pytest.mark.parametrize("law", ["normal", "skewed"])
def test_the_error_of_the_first_kind(law: str) -> None:
    """1,500 matches without a difference; three standard errors are 0.017."""
    rng = np.random.default_rng(1)
    shape = (1500, PLAN.looks[-1])
    draws = rng.normal(size=shape) if law == "normal" else rng.gamma(4.0, size=shape) - 4.0
    found = np.mean([run(PLAN, units)[0] is Decision.DIFFERENT for units in draws])
    assert found == pytest.approx(0.05, abs=0.017)


def test_looking_without_a_plan_errs_more() -> None:
    """The same four looks, each at 5 %, find a difference where there is none in 12 % of matches:
    what the plan is for.
    """
    rng = np.random.default_rng(2)
    draws = rng.normal(size=(1000, 400))
    scores = [
        np.abs(draws[:, :look].mean(axis=1)) / (draws[:, :look].std(axis=1, ddof=1) / look**0.5)
        for look in PLAN.looks
    ]
    assert (np.max(scores, axis=0) > 1.96).mean() > 0.09


def test_a_difference_is_found_with_fewer_units() -> None:
    """Power 0.98 for one test of 400 units; the looks cost little of it and save a quarter
    of the units."""
    rng = np.random.default_rng(3)
    found = [run(PLAN, units) for units in rng.normal(0.2, 1.0, size=(500, 400))]
    assert np.mean([decision is Decision.DIFFERENT for decision, _ in found]) > 0.95
    assert np.mean([units for _, units in found]) < 330


def test_the_interval_holds_at_all_looks_together() -> None:
    """1,000 matches; three standard errors are 0.021."""
    rng = np.random.default_rng(4)
    inside = 0
    for units in rng.normal(10.0, 30.0, size=(1000, 400)):
        intervals = [PLAN.look(units[:count]).interval for count in PLAN.looks]
        inside += all(one.low <= 10.0 <= one.high for one in intervals)
    assert inside / 1000 == pytest.approx(0.95, abs=0.021)


def test_a_look_says_what_it_saw() -> None:
    units = np.random.default_rng(5).normal(0.0, 1.0, 400)
    look = PLAN.look(units[:50])
    assert (look.number, look.units, look.decision) == (1, 50, Decision.CONTINUE)
    assert look.mean == pytest.approx(units[:50].mean())
    assert look.interval.low < bca_interval(units[:50]).low
    assert PLAN.look(units).decision is Decision.UNDECIDED
    assert PLAN.look(units + 5.0).decision is Decision.DIFFERENT


def test_units_without_spread() -> None:
    assert PLAN.look(np.zeros(50)).statistic == 0.0
    look = PLAN.look(np.full(50, -2.0))
    assert (look.statistic, look.decision) == (-math.inf, Decision.DIFFERENT)


@pytest.mark.parametrize("plan", [PLAN, Plan((4000,), alpha=0.01), Plan((30, 31), alpha=1e-05)])
def test_a_plan_is_text(plan: Plan) -> None:
    assert Plan.parse(str(plan)) == plan
    assert Plan.parse("obrien-fleming(looks=50 100 200 400, alpha=0.05)") == PLAN


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Plan(()), "0 looks"),
        (lambda: Plan(tuple(range(30, 90))), "60 looks; a plan has 1 to 50"),
        (lambda: Plan((10, 100)), "first look at 10 units; 30 are needed"),
        (lambda: Plan((100, 100)), "do not increase"),
        (lambda: Plan((100,), alpha=5), "level 5"),
        (lambda: Plan.parse("pocock(looks=100, alpha=0.05)"), "is not like"),
        (lambda: Plan.parse("obrien-fleming(looks=100, alpha=e-.)"), "is not like"),
        (lambda: PLAN.look(np.zeros(51)), "51 units"),
        (lambda: PLAN.look(np.full(50, np.nan)), "finite"),
    ],
)
def test_bad_input_is_refused(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]

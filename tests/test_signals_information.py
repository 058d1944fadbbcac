"""Estimates of mutual information: right on channels whose information is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from experiments.signals.information import (
    entropy,
    entropy_of_counts,
    exchanged,
    plug_in,
    told,
)
from experiments.signals.sums import Sums, relation

NOISY = -(0.9 * np.log2(0.9) + 0.1 * np.log2(0.1))
"""The entropy of a coin that falls on one side 9 times in 10."""


def some_laws(sure: bool) -> Any:
    """What is thrown in each of 200 worlds, for certain or not."""
    laws = np.random.default_rng(0).dirichlet(np.full(6, 0.5), size=200)
    return np.eye(6)[laws.argmax(1)] if sure else laws


def estimates(laws: Any, worlds: int, estimate: Any, times: int = 300) -> float:
    """The mean of an estimate over samples of some worlds."""
    rng = np.random.default_rng(1)
    samples = (laws[rng.integers(len(laws), size=worlds)] for _ in range(times))
    return float(np.mean([estimate(sample, rng) for sample in samples]))


def test_entropy_by_hand() -> None:
    rows = np.array([[1.0, 1.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 0.0], [0.25, 0.25, 0.5]])
    np.testing.assert_allclose(entropy(rows), [1.0, 0.0, 0.0, 1.5], atol=1e-15)


def test_channels_by_hand() -> None:
    sure = plug_in(np.eye(4))
    assert (sure.told, sure.uncertain) == pytest.approx((2.0, 2.0))
    deaf = plug_in(np.tile([0.2, 0.3, 0.5], (7, 1)))
    assert deaf.told == pytest.approx(0.0, abs=1e-12)
    assert deaf.uncertain == pytest.approx(entropy(np.array([0.2, 0.3, 0.5])))
    noisy = plug_in(np.array([[0.9, 0.1], [0.1, 0.9]]))
    assert (noisy.told, noisy.uncertain) == pytest.approx((1.0 - NOISY, 1.0))
    one = plug_in(np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([3.0, 0.0]))
    assert (one.told, one.uncertain) == pytest.approx((0.0, NOISY))


@pytest.mark.parametrize("sure", [False, True])
def test_few_worlds_are_enough(sure: bool) -> None:
    laws = some_laws(sure)
    truth = plug_in(laws).told
    assert estimates(laws, 24, lambda few, _: plug_in(few).told) < truth - 0.03
    assert estimates(laws, 24, lambda few, _: told(few).told) == pytest.approx(truth, abs=0.02)


def test_few_answers_are_enough() -> None:
    """Agents that are asked what they throw, 16 times in each world."""
    laws = some_laws(False)
    truth = plug_in(laws).told

    def asked(few: Any, rng: Any) -> Any:
        return rng.multinomial(16, few) / 16

    right = estimates(laws, 48, lambda few, rng: told(asked(few, rng), 16).told)
    wrong = estimates(laws, 48, lambda few, rng: told(asked(few, rng)).told)
    assert right == pytest.approx(truth, abs=0.025)
    assert wrong > truth + 0.1


def test_the_jackknife_of_counts_by_its_definition() -> None:
    counts = np.array([3, 1, 0, 4])
    answers = np.repeat(np.arange(4), counts)
    without = [np.bincount(np.delete(answers, i), minlength=4) for i in range(8)]
    expected = 8 * entropy(counts.astype(float)) - 7 * entropy(np.array(without, float)).mean()
    np.testing.assert_allclose(entropy_of_counts(counts[None]), [expected])


@pytest.mark.parametrize("sure", [False, True])
def test_exchanged_discards_tell_nothing(sure: bool) -> None:
    laws = some_laws(sure)
    control = [exchanged(laws[:64], 128, np.random.default_rng(i)) for i in range(20)]
    np.testing.assert_allclose(control[0].sum(1), 1.0)
    # as often as before, up to the lots
    np.testing.assert_allclose(control[0].mean(0), laws[:64].mean(0), atol=0.02)
    assert np.mean([told(laws[:64]).told]) > 0.5
    assert abs(np.mean([told(one, 128).told for one in control])) < 0.003
    assert np.mean([plug_in(one).told for one in control]) > 0.01


def test_too_little_is_refused() -> None:
    with pytest.raises(ValueError, match="1 worlds are too few"):
        told(np.ones((1, 1)))
    with pytest.raises(ValueError, match="fewer than 2 answers"):
        entropy_of_counts(np.array([[1, 0]]))
    with pytest.raises(ValueError, match="play more deals"):
        Sums(3).units("told")


def test_the_unit_is_the_deal() -> None:
    """The mean is that over all cases, and the error that of a ratio of sums."""
    rng = np.random.default_rng(2)
    cases = rng.integers(0, 9, size=400)
    deals = np.repeat(np.arange(400), cases)
    values = rng.normal(size=400)[deals] + rng.normal(size=len(deals)) + 3.0
    sums = Sums(400)
    sums.add(deals, told=values, half=values / 2)
    units = sums.units("told")
    assert units.mean() == pytest.approx(values.mean())
    assert sums.units("told", less="half").mean() == pytest.approx(values.mean() / 2)
    resampled = []
    totals = np.bincount(deals, values, 400)
    for _ in range(600):
        some = rng.integers(400, size=400)
        resampled.append(totals[some].sum() / cases[some].sum())
    assert units.std(ddof=1) / 20 == pytest.approx(np.std(resampled), rel=0.15)


def test_relations() -> None:
    assert [relation(1, seat, 2) for seat in (0, 2, 3)] == ["opponent", "opponent", "partner"]
    assert {relation(0, seat, 3) for seat in (1, 2)} == {"opponent"}
    assert relation(1, 4, 3) == "partner"

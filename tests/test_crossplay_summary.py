"""Cross-play: what is computed from the units of a tensor, and whether the intervals cover."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as reference

pytest.importorskip("torch")

from experiments.crossplay import (
    between,
    difference,
    interactions,
    pairs_of,
    summarise,
    swap,
    worst_partners,
)
from experiments.crossplay.estimates import estimate
from experiments.crossplay.summary import STATISTICS, _tables
from experiments.stats import holm, student_interval
from tests.crossplaying import drawn, made_up

MATRIX = np.array([[100, 40, 70], [60, 200, 10], [50, 30, 0]], float)


def on_decks(matrix: np.ndarray, *by_deck: float) -> np.ndarray:
    """The same matrix on every deck, whose luck is the same in all cells."""
    return matrix[..., None] + np.array(by_deck)


# --- by hand ------------------------------------------------------------------------------------


def test_means_by_hand() -> None:
    found = summarise(made_up(on_decks(MATRIX, -10, 10, 0, 0)))
    assert found.self_play.mean == pytest.approx(100)
    assert found.cross_play.mean == pytest.approx(260 / 6)
    assert found.gap.mean == pytest.approx(100 - 260 / 6)
    assert (found.gap.interval.low, found.gap.interval.high) == (
        -found.interaction.interval.high,
        -found.interaction.interval.low,
    )


def test_the_mean_interaction_is_cross_play_less_self_play() -> None:
    tensor = drawn(np.random.default_rng(1), 6, habit=40, match=40)
    found = summarise(tensor)
    pairs = interactions(tensor)[np.triu_indices(6, 1)]
    assert found.interaction.mean == pytest.approx(pairs.mean())
    assert found.interaction.mean == pytest.approx(found.cross_play.mean - found.self_play.mean)


def test_pairs_by_hand() -> None:
    found = pairs_of(made_up(on_decks(MATRIX, -10, 10, 0, 0)))
    assert [(one.first, one.second) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [one.interaction.mean for one in found] == pytest.approx([-100, 10, -80])
    assert [one.seats.mean for one in found] == pytest.approx([-20, 20, -20])
    assert all(one.interaction_p >= one.interaction.p_value for one in found)
    np.testing.assert_allclose(
        interactions(made_up(on_decks(MATRIX, 0, 0))), [[0, -100, 10], [-100, 0, -80], [10, -80, 0]]
    )


def test_pairs_are_tested_by_student_and_corrected() -> None:
    tensor = drawn(np.random.default_rng(4), 3, decks=15)
    points = tensor.units[:, :, 0]
    own = (points[0, 0] + points[1, 1]) / 2
    extra = (points[0, 1] + points[1, 0]) / 2 - own
    found = pairs_of(tensor)
    expected = reference.ttest_1samp(extra, 0)
    assert found[0].interaction.p_value == pytest.approx(expected.pvalue)
    assert found[0].interaction.interval.high == pytest.approx(
        expected.confidence_interval(0.95).high
    )
    assert [one.interaction_p for one in found] == holm([one.interaction.p_value for one in found])
    assert [one.seats_p for one in found] == holm([one.seats.p_value for one in found])


def test_the_worst_partner_is_chosen_on_other_decks_than_it_is_measured_on() -> None:
    points = on_decks(MATRIX, 0, 0, 0, 0)
    points[0, 1, ::2] = points[1, 0, ::2] = -500  # looks worst for a on the even decks alone
    found = worst_partners(made_up(points))
    assert [(one.agent, one.partner) for one in found] == [("a", "b"), ("b", "a"), ("c", "b")]
    assert found[0].points.mean == pytest.approx(50)
    assert found[0].change.mean == pytest.approx(-50)
    assert found[0].interaction.mean == pytest.approx(-100)


def test_partners_are_compared_deck_by_deck() -> None:
    luck = np.random.default_rng(2).normal(0, 500, 40)
    found = swap(made_up(on_decks(MATRIX, *luck)), "a", ["b", "a", "c"])
    assert [one.partner for one in found] == ["b", "a", "c"]
    assert found[0].change is None and found[0].change_p is None
    for one, change in zip(found[1:], (50, 10), strict=True):
        assert one.change is not None
        assert one.change.mean == pytest.approx(change)
        assert one.change.interval.low == pytest.approx(change)  # the decks' luck is in no change
        assert one.points.deviation == pytest.approx(luck.std(ddof=1))
    missing = on_decks(MATRIX, 1, 2)
    missing[2, 0] = np.nan
    with pytest.raises(ValueError, match="a was not played with all of b, c"):
        swap(made_up(missing), "a", ["b", "c"])


def test_partners_from_two_arms() -> None:
    tensor = made_up(on_decks(MATRIX, -1, 1, 0, 0))
    found = between(tensor, ["a", "b"], ["c"])
    assert found.cross_play.mean == pytest.approx(40)
    assert found.interaction.mean == pytest.approx(40 - (150 + 0) / 2)
    assert found.cross_play.interval.method == "none"  # one seed in an arm says nothing of others
    four = drawn(np.random.default_rng(3), 4)
    assert np.isfinite(between(four, ["a", "b"], ["c", "d"]).cross_play.interval.high)


def test_what_is_missing_is_refused() -> None:
    missing = on_decks(MATRIX, 1, 2)
    missing[0, 2] = np.nan
    for ask in (summarise, pairs_of, worst_partners):
        with pytest.raises(ValueError, match="not played"):
            ask(made_up(missing))
    assert summarise(made_up(missing).part(["a", "b"])).self_play.mean == pytest.approx(151.5)
    with pytest.raises(ValueError, match="d is not among the agents: a, b, c"):
        made_up(missing).part(["a", "d"])
    with pytest.raises(ValueError, match="2 agents are needed, not 1"):
        summarise(made_up(missing).part(["a"]))
    with pytest.raises(ValueError, match="two decks are needed"):
        summarise(made_up(on_decks(MATRIX, 1)))


# --- intervals ----------------------------------------------------------------------------------


def test_without_luck_self_play_has_the_interval_of_a_sample_of_seeds() -> None:
    found = summarise(made_up(on_decks(MATRIX, 0, 0))).self_play
    expected = student_interval([100, 200, 0])
    assert found.interval.low == pytest.approx(expected.low)
    assert found.interval.high == pytest.approx(expected.high)
    assert found.seeds_share == pytest.approx(1)


def test_shares_of_seeds_and_decks() -> None:
    rng = np.random.default_rng(5)
    by_luck = summarise(drawn(rng, 10, skill=1, luck=300, noise=1)).cross_play
    by_seed = summarise(drawn(rng, 10, skill=100, luck=1, noise=1)).cross_play
    assert by_luck.seeds_share < 0.1 and by_seed.seeds_share > 0.9


def test_two_seeds_say_nothing_of_other_seeds() -> None:
    found = summarise(drawn(np.random.default_rng(6), 2))
    assert np.isfinite(found.self_play.interval.high)
    assert found.cross_play.interval == found.interaction.interval
    assert found.cross_play.interval.method == "none"
    assert np.isfinite(found.cross_play.decks.high)


def test_the_luck_that_two_arms_share_is_in_no_difference() -> None:
    luck = np.random.default_rng(7).normal(0, 1000, 20)
    first, second = on_decks(MATRIX, *luck), on_decks(MATRIX - 30, *luck)
    found = difference(made_up(first), made_up(second), "cross_play")
    assert found.mean == pytest.approx(30)
    assert found.decks.high - found.decks.low == pytest.approx(0, abs=1e-6)
    assert 0 < found.interval.high - found.interval.low < 600
    with pytest.raises(ValueError, match="other references, or other numbers of decks"):
        difference(made_up(first), made_up(second[..., :10]))
    with pytest.raises(ValueError, match="'gap' is none of self_play, cross_play, interaction"):
        difference(made_up(first), made_up(second), "gap")


def test_an_agent_takes_its_own_teams_out_of_the_references() -> None:
    """Against the agents' own teams, c's are what makes the others' points differ."""
    own = tuple((name, name) for name in "abc")
    points = np.zeros((3, 3, 3, 2))
    points[:, :, 2] = 300
    found = estimate(_tables(made_up(points, own), "self_play"))
    # without a or b: 150 a deal, without c: 0, so pseudo-values are 3 * 100 - 2 * (150, 150, 0)
    expected = student_interval([0, 0, 300])
    assert found.interval.high == pytest.approx(expected.high)
    fixed = estimate(_tables(made_up(points, (("x", "x"), *own[1:])), "self_play"))
    assert fixed.interval.high == pytest.approx(100)


NULL = {"skill": 50, "noise": 100}
WORLDS = [
    NULL,
    {"skill": 50, "match": 30, "noise": 100},
    {"skill": 30, "habit": 60, "match": 30, "noise": 50},
    {"skill": 5, "luck": 300, "noise": 50},
]


def coverage(world: dict[str, float], seeds: int, runs: int, statistic: str, seed: int) -> float:
    """How often the 95 % interval has the true value, 0, in it."""
    rng, inside = np.random.default_rng(seed), 0
    for _ in range(runs):
        found = estimate(_tables(drawn(rng, seeds, **world), statistic)).interval
        inside += found.low <= 0 <= found.high
    return inside / runs


@pytest.mark.parametrize("seeds", [5, 10])
def test_the_additive_null_model_has_no_interaction(seeds: int) -> None:
    """About 96 to 97 %, 0.8 of a point of error: the jackknife is a little wide by nature."""
    assert 0.935 < coverage(NULL, seeds, 500, "interaction", 10) < 0.99


@pytest.mark.parametrize("seeds", [5, 10])
def test_intervals_cover_other_seeds(seeds: int) -> None:
    assert coverage(WORLDS[2], seeds, 300, "cross_play", 11) > 0.92


@pytest.mark.long
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("seeds", [5, 10])
@pytest.mark.parametrize("world", WORLDS)
def test_coverage(world: dict[str, float], seeds: int, statistic: str) -> None:
    """4,000 matrices each, 0.35 of a point of error."""
    assert 0.93 < coverage(world, seeds, 4000, statistic, 12) < 0.995

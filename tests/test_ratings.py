"""Ratings against published estimates, and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.stats.ratings import (
    ELO,
    Results,
    bradley_terry,
    circles,
    expected_score,
    rate,
    team_ratings,
)

BASEBALL = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
"""American League 1987 (Agresti, Categorical Data Analysis): Milwaukee, Detroit, Toronto, New York,
Boston, Cleveland, Baltimore.
"""
PUBLISHED = [1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0]
"""Log-odds against Baltimore, as in Agresti and in R's package BradleyTerry2."""


def simulated(strengths: list[float], units: int, seed: int = 1) -> Results:
    """Every pair plays ``units`` decks."""
    rng = np.random.default_rng(seed)
    names = tuple("abcdefgh"[: len(strengths)])
    pairs = [(i, j) for i in range(len(names)) for j in range(i + 1, len(names))]
    first, second = np.repeat(np.array(pairs), units, axis=0).T
    chances = expected_score(np.array(strengths))[first, second]
    score = (rng.random(first.size) < chances).astype(float)
    return Results(names, first, second, score, np.tile(np.arange(units), len(pairs)))


def test_published_estimates() -> None:
    found = bradley_terry(BASEBALL, ties=0.0)
    assert found - found[-1] == pytest.approx(PUBLISHED, abs=1e-4)
    assert found.mean() == pytest.approx(0.0, abs=1e-9)


def test_the_estimate_explains_the_wins() -> None:
    """At the maximum everyone has won as often as expected."""
    wins = np.array(BASEBALL, float)
    expected = (wins + wins.T) * expected_score(bradley_terry(wins, ties=0.0))
    assert expected.sum(axis=1) == pytest.approx(wins.sum(axis=1), abs=1e-4)


def test_two_names_have_the_odds_of_their_wins() -> None:
    assert np.diff(bradley_terry([[0, 30], [10, 0]], ties=0.0)) == pytest.approx(-np.log(3.0))
    assert np.diff(bradley_terry([[0, 30], [10, 0]])) == pytest.approx(-np.log(30.5 / 10.5))


def test_a_tie_is_half_a_win_for_both() -> None:
    results = Results(("a", "b"), *np.array([[0, 1, 0], [1, 0, 1]]), np.array([1, 0.5, 0.5]), None)
    assert results.wins().tolist() == [[0.0, 2.0], [1.0, 0.0]]


def test_one_who_never_lost_is_finite_with_ties_alone() -> None:
    wins = [[0, 50, 50], [0, 0, 30], [0, 20, 0]]
    with pytest.raises(ValueError, match="never lost"):
        bradley_terry(wins, ties=0.0)
    found = bradley_terry(wins)
    assert found[0] == max(found)
    assert np.isfinite(found).all()


def test_names_that_never_met_share_no_scale() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 5
    with pytest.raises(ValueError, match="no chain of results"):
        bradley_terry(wins)


@pytest.mark.parametrize(
    ("wins", "ties", "message"),
    [
        ([[0, 1]], 1.0, "square"),
        ([[0, -1], [1, 0]], 1.0, "from 0 on"),
        ([[0, np.nan], [1, 0]], 1.0, "from 0 on"),
        ([[0, 1], [1, 0]], -1.0, "ties -1.0"),
    ],
)
def test_bad_wins_are_refused(wins: list[list[float]], ties: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bradley_terry(wins, ties=ties)


def test_rating_needs_ties_and_a_level() -> None:
    with pytest.raises(ValueError, match="ties"):
        rate(simulated([0.0, 1.0], 30), ties=0.0)
    with pytest.raises(ValueError, match="level"):
        rate(simulated([0.0, 1.0], 30), level=95)


def test_intervals_cover_the_true_ratings() -> None:
    """60 tournaments of 3 names: 180 intervals; three standard errors are 0.07, since those of one
    tournament hang together.
    """
    truth = np.array([0.4, 0.0, -0.4])
    inside = 0
    for seed in range(60):
        for one in rate(simulated(list(truth), 60, seed), resamples=100, seed=seed):
            inside += one.low <= ELO * truth["abc".index(one.name)] <= one.high
    assert inside / 180 == pytest.approx(0.95, abs=0.07)


def test_decks_are_resampled_together() -> None:
    """Where every deck's results are the same in all pairings, more pairings do not narrow it."""
    results = simulated([0.0, 0.0, 0.0], 100)
    score = np.tile(results.score[:100], 3)
    together = Results(results.names, results.first, results.second, score, results.deck)
    apart = Results(results.names, results.first, results.second, score, np.arange(300))
    width = [next(r.high - r.low for r in rate(of) if r.name == "a") for of in (together, apart)]
    assert width[0] > 1.2 * width[1]


def test_ratings_are_ordered_and_seeded() -> None:
    results = simulated([-0.5, 0.0, 0.5], 200)
    found = rate(results, resamples=50, seed=3)
    assert [one.name for one in found] == ["c", "b", "a"]
    assert found == rate(results, resamples=50, seed=3)


def test_circles() -> None:
    round_about = np.zeros((5, 5), bool)
    round_about[0, 1] = round_about[1, 2] = round_about[2, 0] = True
    round_about[0, 3] = round_about[3, 4] = True
    assert circles(round_about) == [[0, 1, 2]]
    assert circles(np.triu(np.ones((4, 4), bool), 1)) == []


class TestTeams:
    def test_the_better_team_is_rated_higher(self) -> None:
        results = [(("a", "a"), ("b", "b"), float(i % 4 > 0)) for i in range(200)]
        found = team_ratings(results)
        assert [one.name for one in found] == ["a", "b"]
        assert found[0].mu > 25.0 > found[1].mu
        assert found[0].sigma < 8.0

    def test_mixed_teams_tell_the_members_apart(self) -> None:
        """Whoever plays with a wins; b and c take turns."""
        results = [(("a", "b"), ("c", "c"), 1.0), (("b", "c"), ("a", "c"), 0.0)]
        found = {one.name: one.mu for one in team_ratings(results * 50)}
        assert found["a"] == max(found.values())

    def test_equal_results_leave_equal_ratings(self) -> None:
        results = [(("a", "a"), ("b", "b"), 0.5)] * 20
        assert len({round(one.mu, 9) for one in team_ratings(results)}) == 1

    def test_seats_of_one_name_are_one_belief(self) -> None:
        """The first result of two beliefs is openskill's own; both seats move alike."""
        from openskill.models import PlackettLuce

        model = PlackettLuce(tau=0.0)
        (first, other), _ = model.rate(
            [[model.rating(), model.rating()], [model.rating(), model.rating()]], ranks=[0, 1]
        )
        found = team_ratings([(("a", "a"), ("b", "b"), 1.0)])[0]
        assert (found.mu, found.sigma) == (first.mu, first.sigma) == (other.mu, other.sigma)

    def test_a_name_on_both_sides_learns_from_both(self) -> None:
        found = {one.name: one for one in team_ratings([(("a", "b"), ("a", "c"), 1.0)])}
        assert found["a"].mu == pytest.approx(25.0)
        assert found["a"].sigma < found["b"].sigma
        assert found["b"].mu > 25.0 > found["c"].mu

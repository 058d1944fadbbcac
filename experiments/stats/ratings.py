"""Ratings from results: Bradley and Terry's, and openskill's for teams.

A rating puts everyone on one line. That says less than the table of pairings, and says it wrongly
where results go round in a circle: see :func:`circles`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from openskill.models import PlackettLuce
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from experiments.stats.checks import Floats, check_level, check_positive

__all__ = [
    "ELO",
    "Rating",
    "Results",
    "TeamRating",
    "bradley_terry",
    "circles",
    "expected_score",
    "rate",
    "team_ratings",
]

ELO: Final = 400.0 / np.log(10.0)
"""Points of the usual scale for one unit of log-odds: 400 points are odds of ten to one."""

_MOST_STEPS: Final = 1000
"""Of Newton's method: each may change a log-odds by one, and there are few to cross."""
_CLOSE: Final = 1e-7
"""A step so short, in log-odds, is the last."""
_MODEL: Final = PlackettLuce(tau=0.0)
"""Without the drift that openskill adds for people, whose skill changes."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Results:
    """Who met whom, one entry a unit.

    ``names`` of those rated; ``first`` and ``second`` (results,) index them; ``score`` (results,)
    is the first's: 1, 0.5 or 0. ``deck`` (results,): results of the same deck are not independent,
    and are resampled together.
    """

    names: tuple[str, ...]
    first: Ints
    second: Ints
    score: Floats
    deck: Ints

    def wins(self, weights: Floats | None = None) -> Floats:
        """How often the row's name beat the column's, a tie counting half for both; each result
        counts ``weights`` times.
        """
        weights = np.ones(len(self.score)) if weights is None else weights
        count = len(self.names)
        cells = np.concatenate([self.first * count + self.second, self.second * count + self.first])
        gained = np.concatenate([weights * self.score, weights * (1.0 - self.score)])
        return np.bincount(cells, gained, minlength=count**2).reshape(count, count)


@dataclass(frozen=True)
class Rating:
    """A strength in points of the Elo scale, the mean of all being 0, with its interval."""

    name: str
    points: float
    low: float
    high: float


@dataclass(frozen=True)
class TeamRating:
    """openskill's belief about one member of a team: normal, with this mean and deviation."""

    name: str
    mu: float
    sigma: float


def bradley_terry(wins: npt.ArrayLike, *, ties: float = 1.0) -> Floats:
    """The strengths of greatest likelihood, in log-odds, with mean 0.

    Row beats column with probability ``expit(strength[row] - strength[column])``.

    Args:
        wins: (names, names), how often the row beat the column; a tie is half a win for both.
        ties: imagined ties that are added to each pair that met. With 0 the estimate is the maximum
            of the plain likelihood, which is infinite where some have beaten all others every time;
            one tie beside hundreds of units changes nothing else that is seen.

    Raises:
        ValueError: not a square matrix of numbers from 0 on, ``ties`` below 0, names that no chain
            of results connects, or (without ties) no finite maximum.
    """
    won = np.asarray(wins, np.float64)
    if won.ndim != 2 or won.shape[0] != won.shape[1] or not (won >= 0.0).all():
        raise ValueError(f"wins are a square matrix of numbers from 0 on, got shape {won.shape}")
    if not 0.0 <= ties < np.inf:
        raise ValueError(f"ties {ties} is not a number from 0 on")
    won = _with_ties(won, won, ties)
    _check_connected(won)
    return _maximum(won, np.zeros(len(won)))


def _with_ties(won: Floats, met: Floats, ties: float) -> Floats:
    """The wins with so many ties more for each pair that has met, and nobody against himself."""
    added = won + ties / 2.0 * (met + met.T > 0.0)
    np.fill_diagonal(added, 0.0)
    return added


def _check_connected(won: Floats) -> None:
    if connected_components(won + won.T > 0, directed=False)[0] > 1:
        raise ValueError("no chain of results connects all names, so they share no scale")
    if connected_components(won > 0, directed=True, connection="strong")[0] > 1:
        raise ValueError("some never lost to any of the others: without ties no maximum is finite")


def _maximum(won: Floats, start: Floats) -> Floats:
    """The strengths that maximise the likelihood, by Newton's method, for each matrix of wins.

    ``won`` (..., names, names); ``start`` (names,); the result (..., names). Steps that would
    change a log-odds by more than one are shortened: so far the curvature cannot change by more
    than a factor of e, and every step goes up.
    """
    played = won + np.swapaxes(won, -1, -2)
    strengths = np.broadcast_to(start, won.shape[:-1]).copy()
    for _ in range(_MOST_STEPS):
        chances = expected_score(strengths)
        slope = (won - played * chances).sum(axis=-1)
        weights = played * chances * (1.0 - chances)
        # the ones pin the mean, which the likelihood leaves free
        curvature = weights.sum(axis=-1)[..., None] * np.eye(won.shape[-1]) - weights + 1.0
        step = np.linalg.solve(curvature, slope[..., None])[..., 0]
        reach = np.ptp(step, axis=-1, keepdims=True)
        strengths += step / np.maximum(reach, 1.0)
        if reach.max() < _CLOSE:
            break
    return strengths - strengths.mean(axis=-1, keepdims=True)


def expected_score(strengths: Floats) -> Floats:
    """What the row is expected to score against the column, from strengths in log-odds.

    ``strengths`` (..., names) give (..., names, names).
    """
    return expit(strengths[..., :, None] - strengths[..., None, :])


def rate(
    results: Results,
    *,
    ties: float = 1.0,
    level: float = 0.95,
    resamples: int = 999,
    seed: int = 0,
) -> list[Rating]:
    """Bradley-Terry ratings, the strongest first, with percentile bootstrap intervals over decks.

    Raises:
        ValueError: as :func:`bradley_terry`; ``ties`` not above 0, since samples would be without a
            finite maximum; a level outside (0, 1).
    """
    check_level(level)
    check_positive(ties=ties)
    wins = results.wins()
    strengths = bradley_terry(wins, ties=ties)
    decks, place = np.unique(results.deck, return_inverse=True)
    rng = np.random.default_rng(seed)
    won = np.empty((resamples, *wins.shape))
    for row in range(resamples):
        times = np.bincount(rng.integers(decks.size, size=decks.size), minlength=decks.size)
        won[row] = _with_ties(results.wins(times[place].astype(np.float64)), wins, ties)
    drawn = _maximum(won, strengths)
    tail = (1.0 - level) / 2.0
    low, high = ELO * np.quantile(drawn, [tail, 1.0 - tail], axis=0)
    rated = zip(results.names, ELO * strengths, low, high, strict=True)
    return sorted((Rating(n, *map(float, of)) for n, *of in rated), key=lambda one: -one.points)


def circles(beats: npt.ArrayLike) -> list[list[int]]:
    """Groups within which results go round: everyone in a group beat some other of it, directly or
    along a chain, and was beaten by him in the same way.

    ``beats`` (names, names): did the row beat the column? An empty list: the names can be ordered.
    """
    matrix = np.asarray(beats, bool)
    count, label = connected_components(matrix, directed=True, connection="strong")
    groups = [np.flatnonzero(label == one).tolist() for one in range(count)]
    return sorted(group for group in groups if len(group) > 1)


def team_ratings(
    results: Iterable[tuple[Sequence[str], Sequence[str], float]],
) -> list[TeamRating]:
    """openskill's Plackett-Luce ratings of the members of teams, the highest first.

    The results are taken in one after another, in the order given. The agents do not change, so no
    uncertainty is added between games, and each result moves a belief less than the one before. A
    name that fills several seats of a team is one belief; one on both sides learns from both.

    Args:
        results: (members of the first team, members of the second, the first's score: 1, 0.5 or 0).
    """
    beliefs: dict[str, TeamRating] = {}
    for first, second, score in results:
        for name in (*first, *second):
            beliefs.setdefault(name, TeamRating(name, _MODEL.mu, _MODEL.sigma))
        _learn(beliefs, (first, second), score)
    return sorted(beliefs.values(), key=lambda one: -one.mu)


def _learn(
    beliefs: dict[str, TeamRating], teams: tuple[Sequence[str], Sequence[str]], score: float
) -> None:
    """Moves the beliefs about all members by one result, each name once for each of its teams."""
    before = [[_MODEL.rating(beliefs[name].mu, beliefs[name].sigma) for name in t] for t in teams]
    after = _MODEL.rate(before, ranks=[1.0 - score, score])
    for team, was, now in zip(teams, before, after, strict=True):
        for name, (old, new) in dict(zip(team, zip(was, now, strict=True), strict=True)).items():
            known = beliefs[name]
            beliefs[name] = TeamRating(
                name, known.mu + new.mu - old.mu, known.sigma * new.sigma / old.sigma
            )

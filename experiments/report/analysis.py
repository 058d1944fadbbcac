"""Everything that a report shows, computed from the games; nothing is drawn or worded here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from experiments.play import parse_team
from experiments.report.database import Pairing, Tournament
from experiments.result import rates
from experiments.stats import Interval, Summary, holm, mean_interval, summarise
from experiments.stats.ratings import (
    Rating,
    Results,
    TeamRating,
    bradley_terry,
    circles,
    expected_score,
    rate,
    team_ratings,
)

__all__ = ["Analysis", "Ratings", "Row", "analyse"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """A pairing and what is known of it. ``points``: A's lead; ``wins``: the share of tables won, a
    tie counting half; ``adjusted``: Holm's p for the whole table of pairings.
    """

    pairing: Pairing
    points: Summary
    wins: float
    wins_interval: Interval
    adjusted: float


@dataclass(frozen=True)
class Ratings:
    """Ratings, and how far they can be trusted.

    ``bradley_terry``: over units won; empty, with the reason in ``problem``, where no scale exists.
    ``members``: openskill's. ``circles`` and ``sure_circles``: groups of teams whose results go
    round, by the means and by the differences that Holm's p leaves. ``misfit``: the pairing whose
    share of units won is farthest from what the ratings expect, with both shares.
    """

    bradley_terry: list[Rating]
    problem: str
    members: list[TeamRating]
    circles: list[list[str]]
    sure_circles: list[list[str]]
    misfit: tuple[Row, float, float] | None


@dataclass(frozen=True)
class Analysis:
    """What is computed of a tournament at a level of confidence.

    ``teams``: in the order of their mean lead over opponents. ``empty``: pairings without a unit
    that counts. ``profiles[team]``: measures of behaviour, see :func:`experiments.result.rates`.
    """

    tournament: Tournament
    level: float
    rows: list[Row]
    empty: list[Pairing]
    teams: list[str]
    ratings: Ratings
    profiles: dict[str, dict[str, float]]

    def sure(self, row: Row) -> bool:
        """Does the pairing differ from zero, after Holm's correction?"""
        return row.adjusted < 1.0 - self.level


def analyse(tournament: Tournament, level: float) -> Analysis:
    """Computes everything but the gains (:mod:`experiments.report.gains`) and the arms.

    Raises:
        ValueError: no unit of any pairing counts, or a level outside (0, 1).
    """
    played = [pairing for pairing in tournament.pairings if pairing.units.size]
    if not played:
        raise ValueError("no unit of the tournament was played to the end, so there is no result")
    rows = _rows(played, level, int(tournament.settings["seed"]))
    teams = _ordered_teams(rows)
    return Analysis(
        tournament=tournament,
        level=level,
        rows=rows,
        empty=[pairing for pairing in tournament.pairings if not pairing.units.size],
        teams=teams,
        ratings=_ratings(rows, teams, tournament, level),
        profiles={team: _profile(team, played) for team in teams},
    )


def _rows(played: Sequence[Pairing], level: float, seed: int) -> list[Row]:
    points = [summarise(pairing.leads.mean(axis=1), level=level, seed=seed) for pairing in played]
    wins = [pairing.won.mean(axis=1) for pairing in played]
    adjusted = holm([one.p_value for one in points])
    return [
        Row(pairing, lead, float(won.mean()), _share(won, level, seed), p_value)
        for pairing, lead, won, p_value in zip(played, points, wins, adjusted, strict=True)
    ]


def _share(won: Floats, level: float, seed: int) -> Interval:
    """The interval of a share, which Student's would let leave 0 to 1 where units are few."""
    found = mean_interval(won, level=level, seed=seed)
    return Interval(max(found.low, 0.0), min(found.high, 1.0), found.method)


def _ordered_teams(rows: Sequence[Row]) -> list[str]:
    leads: dict[str, list[float]] = {}
    for row in rows:
        leads.setdefault(row.pairing.team_a, []).append(row.points.mean)
        leads.setdefault(row.pairing.team_b, []).append(-row.points.mean)
    return sorted(leads, key=lambda team: -float(np.mean(leads[team])))


def _ratings(
    rows: Sequence[Row], teams: Sequence[str], tournament: Tournament, level: float
) -> Ratings:
    results = _results(rows, teams)
    seed = int(tournament.settings["seed"])
    try:
        rated, problem = rate(results, level=level, seed=seed), ""
    except ValueError as error:
        rated, problem = [], str(error)
    return Ratings(
        bradley_terry=rated,
        problem=problem,
        members=_members(results, tournament.seats),
        circles=_circles(rows, teams, 1.0),
        sure_circles=_circles(rows, teams, 1.0 - level),
        misfit=_misfit(rows, results) if rated and len(rows) > 1 else None,
    )


def _unit_scores(pairing: Pairing) -> Floats:
    """Each unit's result for A: 1 where its mean lead is above zero, 0.5 at zero."""
    return (np.sign(pairing.leads.mean(axis=1)) + 1.0) / 2.0


def _results(rows: Sequence[Row], teams: Sequence[str]) -> Results:
    sizes = [row.pairing.units.size for row in rows]
    return Results(
        names=tuple(teams),
        first=np.repeat([teams.index(row.pairing.team_a) for row in rows], sizes),
        second=np.repeat([teams.index(row.pairing.team_b) for row in rows], sizes),
        score=np.concatenate([_unit_scores(row.pairing) for row in rows]),
        deck=np.concatenate([row.pairing.units for row in rows]),
    )


def _members(results: Results, seats: int) -> list[TeamRating]:
    """openskill's ratings of the agents, from the units in the order of their numbers."""
    seated = [parse_team(team, seats) for team in results.names]
    order = np.argsort(results.deck, kind="stable")
    return team_ratings(
        (seated[results.first[one]], seated[results.second[one]], float(results.score[one]))
        for one in order
    )


def _circles(rows: Sequence[Row], teams: Sequence[str], below: float) -> list[list[str]]:
    """Circles among the pairings whose p is at most ``below``. Where two teams met both ways, as
    with more than two sides, results that contradict each other say nothing.
    """
    net = np.zeros((len(teams), len(teams)))
    for row in rows:
        if row.adjusted <= below:
            net[teams.index(row.pairing.team_a), teams.index(row.pairing.team_b)] += np.sign(
                row.points.mean
            )
    return [[teams[one] for one in group] for group in circles(net - net.T > 0.0)]


def _misfit(rows: Sequence[Row], results: Results) -> tuple[Row, float, float]:
    """The pairing that the ratings explain worst: the share of units that A won, seen and
    expected.
    """
    expected = expected_score(bradley_terry(results.wins()))
    place = results.names.index
    shares = [
        (
            row,
            float(_unit_scores(row.pairing).mean()),
            float(expected[place(row.pairing.team_a), place(row.pairing.team_b)]),
        )
        for row in rows
    ]
    return max(shares, key=lambda of: abs(of[1] - of[2]))


def _profile(team: str, played: Sequence[Pairing]) -> dict[str, float]:
    """A team's behaviour over all its games."""
    counts = [
        {name: values[place] for name, values in pairing.counts.items()}
        for pairing in played
        for place, name in enumerate((pairing.team_a, pairing.team_b))
        if name == team
    ]
    total = {name: np.array([sum(one[name] for one in counts)]) for name in counts[0]}
    return {measure: values[0] for measure, values in rates(total).items()}

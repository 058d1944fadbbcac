"""The part of a report that says who beat whom: pairings, arms, the matrix, ratings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Final

import numpy as np

from experiments.report import plots
from experiments.report.analysis import Analysis, Row
from experiments.report.arms import Arms
from experiments.report.blocks import Block, Figure, Section, Table, Text
from experiments.report.wording import episode, interval, number, percent, versus

__all__ = ["arms", "convergence", "matrix", "pairings", "ratings"]

_SHARES: Final = (0.25, 0.5, 0.75, 1.0)
"""Of the units, for the table of running means."""


def pairings(analysis: Analysis) -> Iterator[Block]:
    """The table that everything else follows from, and its plot."""
    what, level = episode(analysis.tournament.settings), percent(analysis.level)
    yield Section("Pairings")
    yield Table(
        ("A", "B", "units", f"points a {what}", level, "deviation", "p", "Holm", "A wins %",
         level, "failed"),
        [_pairing(row) for row in analysis.rows],
        labels=2,
    )  # fmt: skip
    yield Text(
        "A unit is one deck (of a match: one row of decks) played at every table, with team A on "
        f"each side in turn. Points are A's lead in a {what}, the mean over a unit's tables; "
        "intervals are BCa bootstraps over units, or Student's below 30 units; the deviation is "
        "that of one unit. p: sign flips over units, two-sided; Holm: corrected for all rows. A "
        "wins: tables, a tie counting half. Failed: units left out since a game of theirs failed."
    )
    if not analysis.tournament.mirrored:
        yield Text(
            "With more than two sides A plays alone against a field of B's, and its lead is over "
            "the mean of the other sides; a team that is no better wins less than half."
        )
    yield from _forest(analysis)


def _forest(analysis: Analysis) -> Iterator[Block]:
    what, level = episode(analysis.tournament.settings), percent(analysis.level)
    rows = [
        plots.Estimate(
            versus(row.pairing),
            row.points.mean, row.points.interval.low, row.points.interval.high,
            f"{number(row.points.mean)} {interval(row.points.interval)}",
            analysis.sure(row),
        )
        for row in analysis.rows
    ]  # fmt: skip
    for some in plots.pages(rows, plots.ROWS_A_PAGE):
        yield Figure(
            plots.forest("Leads with intervals", f"A's lead, points a {what}", some, among=rows),
            f"A's lead with {level} intervals. Full squares differ from zero after Holm's "
            "correction.",
        )


def _pairing(row: Row) -> list[str]:
    points = row.points
    return [
        row.pairing.team_a,
        row.pairing.team_b,
        f"{points.units:,}",
        number(points.mean),
        interval(points.interval),
        number(points.deviation, ".0f"),
        f"{points.p_value:.4f}",
        f"{row.adjusted:.4f}",
        number(row.wins, ".1f", 100.0),
        interval(row.wins_interval, ".1f", 100.0),
        str(row.pairing.failed),
    ]


def arms(found: Arms, analysis: Analysis) -> Iterator[Block]:
    """Ways of training, over their seeds; nothing where no arm has two."""
    level, what = percent(analysis.level), episode(analysis.tournament.settings)
    if not (found.against_teams or found.against_arms):
        return
    yield Section("Training seeds")
    yield Text(
        "Agents of an arm were trained in the same way from different seeds. Here the seed is the "
        "unit: intervals of an arm are Student's over its seeds' means, and hold for a seed not "
        f"yet trained. Points a {what}. Every seed is shown, with the interval of its own units."
    )
    if found.against_teams:
        yield Table(
            ("arm", "against", "seeds", "points", level),
            [
                [one.name, one.opponent, str(len(one.arm.seeds)), number(one.arm.mean),
                 interval(one.arm.interval)]
                for one in found.against_teams
            ],
            labels=2,
        )  # fmt: skip
        yield Table(
            ("arm", "against", "seed", "units", "points", level),
            [
                [one.name, one.opponent, seed, f"{of.units:,}", number(of.mean),
                 interval(of.interval)]
                for one in found.against_teams
                for seed, of in one.arm.seeds.items()
            ],
            labels=3,
        )  # fmt: skip
    yield from _comparisons(found, level)


def _comparisons(found: Arms, level: str) -> Iterator[Block]:
    if found.comparisons:
        yield Text("Two arms against the same team, first less second; Welch's intervals.")
        yield Table(
            ("first", "second", "against", "points", level),
            [
                [one.first, one.second, one.opponent, number(one.difference.mean),
                 interval(one.difference.interval)]
                for one in found.comparisons
            ],
            labels=3,
        )  # fmt: skip
    for one in found.against_arms:
        yield Text(
            f"{one.first} (rows, by seed) against {one.second} (columns), every seed with every "
            f"seed: {number(float(one.means.mean()))}, {level} {interval(one.interval)} over the "
            "seeds of both, a little too wide, since the variances of rows and columns are added."
        )
        yield Table(
            ("seed", *one.seeds[1]),
            [
                [seed, *(number(float(mean)) for mean in row)]
                for seed, row in zip(one.seeds[0], one.means, strict=True)
            ],
        )


def matrix(analysis: Analysis) -> Iterator[Block]:
    """Everyone against everyone."""
    teams = analysis.teams
    means = np.full((len(teams), len(teams)), np.nan)
    sure = np.zeros(means.shape, bool)
    for row in analysis.rows:
        a, b = teams.index(row.pairing.team_a), teams.index(row.pairing.team_b)
        means[a, b], sure[a, b] = row.points.mean, analysis.sure(row)
        if analysis.tournament.mirrored:
            means[b, a], sure[b, a] = -means[a, b], sure[a, b]
    what = episode(analysis.tournament.settings)
    yield Section("Matrix")
    yield Figure(
        plots.matrix("Matrix of pairings", teams, means, sure),
        f"The row's lead over the column, points a {what}; a star where it differs from zero after "
        "Holm's correction. Teams in the order of their mean lead; blue leads, orange trails.",
        Table(
            ("", *(str(place + 1) for place in range(len(teams)))),
            [
                [f"{place + 1} {team}", *_cells(means[place], sure[place])]
                for place, team in enumerate(teams)
            ],
        ),
    )


def _cells(means: Sequence[float], sure: Sequence[bool]) -> list[str]:
    pairs = zip(means, sure, strict=True)
    return ["" if np.isnan(mean) else f"{mean:+.0f}{'*' if star else ''}" for mean, star in pairs]


def ratings(analysis: Analysis) -> Iterator[Block]:
    """Everyone on one line, with the reasons not to trust it."""
    found = analysis.ratings
    yield Section("Ratings")
    yield Text(
        "A rating orders the teams on one line, so it says less than the table of pairings, and "
        "misleads where results go round in a circle or a pairing differs from what the line "
        "expects."
    )
    yield Text(_circles(analysis))
    if found.misfit:
        row, seen, expected = found.misfit
        yield Text(
            f"Farthest from the Bradley-Terry line: {versus(row.pairing)}, where A won "
            f"{100 * seen:.1f} % of the units and {100 * expected:.1f} % were expected."
        )
    yield from _bradley_terry(analysis)
    yield Text(
        "openskill (Plackett-Luce, no drift) rates the agents as members of teams, from the same "
        "units in the order of their numbers. The deviation is the model's own."
    )
    yield Table(
        ("agent", "mean", "deviation"),
        [[one.name, f"{one.mu:.2f}", f"{one.sigma:.2f}"] for one in found.members],
    )


def _bradley_terry(analysis: Analysis) -> Iterator[Block]:
    found = analysis.ratings
    if found.problem:
        yield Text(f"No Bradley-Terry ratings: {found.problem}.")
        return
    yield Text(
        "Bradley-Terry, from units won (a tie counts half; one imagined tie for each pairing keeps "
        "all ratings finite), in Elo points about a mean of 0; percentile bootstrap over decks, "
        "which all pairings share."
    )
    yield Table(
        ("team", "rating", percent(analysis.level)),
        [
            [one.name, number(one.points, "+.0f"), f"[{one.low:+.0f}, {one.high:+.0f}]"]
            for one in found.bradley_terry
        ],
    )


def _circles(analysis: Analysis) -> str:
    found = analysis.ratings
    if found.sure_circles:
        groups = "; ".join(", ".join(group) for group in found.sure_circles)
        return f"Results go round, each step beyond chance: {groups}. No line can order these."
    if found.circles:
        groups = "; ".join(", ".join(group) for group in found.circles)
        return f"By the means results go round within: {groups}; not beyond chance at every step."
    return "Circles: none, not even by the means alone."


def convergence(analysis: Analysis) -> Iterator[Block]:
    """How the means came about."""
    level = percent(analysis.level)
    z = NormalDist().inv_cdf((1.0 + analysis.level) / 2.0)
    yield Section("Convergence")
    yield Text(
        "A's mean lead over the first units. To stop when an interval leaves zero is no test: "
        "declare a plan before (docs/evaluation.md)."
    )
    for some in plots.pages(analysis.rows, plots.CURVES_A_PAGE):
        curves = [(versus(row.pairing), row.pairing.leads.mean(axis=1)) for row in some]
        yield Figure(
            plots.convergence("Running means by units", curves, z),
            f"After so many units, with the {level} band of each number of units by itself.",
            Table(
                ("A", "B", *(f"{share:.0%} of the units" for share in _SHARES)),
                [_running(row) for row in some],
                labels=2,
            ),
        )


def _running(row: Row) -> list[str]:
    """The mean lead over the first units, by shares of all."""
    units = row.pairing.leads.mean(axis=1)
    firsts = [max(1, round(share * units.size)) for share in _SHARES]
    means = [number(float(units[:first].mean())) for first in firsts]
    return [row.pairing.team_a, row.pairing.team_b, *means]

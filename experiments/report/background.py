"""The part of a report behind the results: behaviour, gains, failures, settings."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

from experiments.report import plots
from experiments.report.analysis import Analysis
from experiments.report.blocks import Block, Figure, Section, Table, Text
from experiments.report.database import Tournament
from experiments.report.gains import Gain, Gains
from experiments.report.wording import interval, number, percent, versus
from experiments.tables import MEASURES
from experiments.tables import number as measured

__all__ = ["behaviour", "failures", "gains", "settings"]

_MOST_FAILURES: Final = 200
"""Failed games that are listed; the others are counted."""


def behaviour(analysis: Analysis) -> Iterator[Block]:
    """What each team does, over all its games."""
    shown = [
        (name, label, form)
        for name, label, form in MEASURES
        if name != "wild_canastas" or any(of[name] for of in analysis.profiles.values())
    ]
    teams = analysis.teams
    yield Section("Behaviour")
    yield Text("Of one side in a deal, over all games of the team that were played to the end.")
    yield Table(
        ("team", *(label for _, label, _ in shown)),
        [
            [team, *(measured(analysis.profiles[team][name], form) for name, _, form in shown)]
            for team in teams
        ],
    )
    measures = [
        plots.Measure(
            label.partition(" (")[0],
            [analysis.profiles[team][name] for team in teams],
            partial(measured, form=form),
        )
        for name, label, form in shown
    ]
    for some in plots.pages(measures, plots.BARS_A_PAGE):
        yield Figure(
            plots.bars("Behaviour of the teams", teams, some),
            "Each measure on its own scale from zero.",
        )


def gains(
    found: Sequence[Gains], tournament: Tournament, level: float, compared: bool
) -> Iterator[Block]:
    """What made the intervals narrower."""
    yield Section("Gains")
    yield Text(
        "How many times less variance, that is how many times fewer units for the same interval: "
        "a unit against as many independent games (duplicate), with streams of the stock against a "
        "shared stock (streams), less its luck against itself (luck)."
    )
    if found:
        yield Table(
            ("A", "B", "duplicate", percent(level), "streams", percent(level), "luck",
             percent(level), "points less luck", percent(level)),
            [_gains(one) for one in found],
            labels=2,
        )  # fmt: skip
    else:
        yield Text("No pairing has the 30 units that it takes to measure them.")
    if tournament.luck:
        yield Text(
            f"Luck is {', '.join(tournament.luck)}: each has expectation zero whatever is played, "
            "and is taken out linearly with coefficients fitted on the other units (ten folds)."
        )
    else:
        yield Text("The tournament kept no luck, so control variates could not be tried.")
    if not compared:
        yield Text(
            "Streams were not measured: play the same tournament with --stock shared, and name its "
            "file here with --shared."
        )


def _gains(one: Gains) -> list[str]:
    teams = [one.pairing.team_a, one.pairing.team_b]
    gains = [*_gain(one.duplicate), *_gain(one.streams), *_gain(one.luck)]
    return [*teams, *gains, number(one.lead), interval(one.lead_interval)]


def _gain(gain: Gain | None) -> list[str]:
    return [number(gain.value, ".2f"), interval(gain.interval, ".2f")] if gain else ["–", "–"]


def failures(analysis: Analysis) -> Iterator[Block]:
    """Games that were not played to the end."""
    tournament = analysis.tournament
    failed = tournament.failures
    yield Section("Failures")
    if tournament.unplayed:
        yield Text(f"Blocks not played: {tournament.unplayed}. The tournament is unfinished.")
    for pairing in analysis.empty:
        yield Text(f"No unit of {versus(pairing)} counts; the pairing is in no table.")
    if not failed:
        yield Text("None: every game was played to the end.")
        return
    yield Text(
        f"Failed games: {len(failed)}. Their units count for no team, and are left out whole."
        + (f" The first {_MOST_FAILURES}:" if len(failed) > _MOST_FAILURES else "")
    )
    yield Table(
        ("A", "B", "what", "unit", "table", "seed"),
        [
            [one.team_a, one.team_b, one.status, str(one.unit), str(one.table), str(one.seed)]
            for one in failed[:_MOST_FAILURES]
        ],
        labels=3,
    )


def settings(tournament: Tournament, level: float, shown: Sequence[str]) -> Iterator[Block]:
    """All that it takes to play it again. ``shown``: the names of the files."""
    capped = sum(pairing.capped for pairing in tournament.pairings)
    yield Section("Settings")
    yield Table(("agent", "hash", "arm", "training seed"), [
        [one.name, one.hash, one.arm or "–", one.training_seed or "–"] for one in tournament.agents
    ], labels=4)  # fmt: skip
    yield Table(
        ("setting", "value"),
        [
            *(
                [name, _plain(value)]
                for name, value in (tournament.identity | tournament.settings).items()
            ),
            *(["versions", versions] for versions in map(_versions, tournament.versions)),
            ["level of the intervals", percent(level)],
            ["games ended by the limit of deals", str(capped)],
            *(["file", name] for name in shown),
        ],
        labels=2,
    )


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _versions(text: str) -> str:
    """The versions of a block, as JSON or as they stand."""
    try:
        versions = json.loads(text)
    except json.JSONDecodeError:
        return text
    return ", ".join(f"{name} {version}" for name, version in versions.items())

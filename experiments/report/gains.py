"""How much variance duplicates, streams and control variates took out of the same tournament."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from experiments.report.database import Pairing, Tournament
from experiments.stats import (
    FEWEST_FOR_BOOTSTRAP,
    Interval,
    cross_fit,
    duplicate_gain,
    gain_interval,
    mean_interval,
    variance_ratio,
)

__all__ = ["Gain", "Gains", "gains_of"]

Floats = npt.NDArray[np.float64]

_SAME: Final = ("rules", "players", "sides", "episode", "scores", "max_deals")
"""Settings in which two tournaments must agree to be compared."""


@dataclass(frozen=True)
class Gain:
    """How many times less variance, with its interval."""

    value: float
    interval: Interval


@dataclass(frozen=True)
class Gains:
    """What was gained in one pairing; None where it could not be measured.

    ``duplicate``: two tables of a deck against two decks. ``streams``: a unit with per-seat streams
    of the stock against one with a shared stock. ``luck``: a unit against the unit less its luck;
    ``lead`` and ``lead_interval``: A's lead by the latter.
    """

    pairing: Pairing
    duplicate: Gain
    streams: Gain | None
    luck: Gain | None
    lead: float
    lead_interval: Interval


def gains_of(tournament: Tournament, shared: Tournament | None, level: float) -> list[Gains]:
    """The gains of each pairing with enough units; ``shared`` was played with a shared stock.

    Raises:
        ValueError: ``shared`` cannot be compared.
    """
    if shared:
        _check_comparable(tournament.settings, shared.settings)
    found = []
    for pairing in tournament.pairings:
        if pairing.units.size >= FEWEST_FOR_BOOTSTRAP:
            duplicate = _gain(duplicate_gain, pairing.leads, level=level)
            streams = _streams(pairing, shared, level)
            found.append(Gains(pairing, duplicate, streams, *_luck(pairing, level)))
    return found


def _check_comparable(settings: dict[str, Any], other: dict[str, Any]) -> None:
    for name in _SAME:
        if settings.get(name) != other.get(name):
            raise ValueError(
                f"the shared tournament has {name} {other.get(name)!r}, not {settings.get(name)!r}"
            )
    stocks = settings.get("stock"), other.get("stock")
    if stocks != ("seat_streams", "shared"):
        raise ValueError(
            "the gain of streams needs stocks 'seat_streams' and 'shared', "
            f"the tournaments have {stocks[0]!r} and {stocks[1]!r}"
        )


def _gain(gain: Callable[..., float], *samples: Floats, level: float) -> Gain:
    return Gain(gain(*samples), gain_interval(gain, *samples, level=level))


def _streams(pairing: Pairing, shared: Tournament | None, level: float) -> Gain | None:
    """Against the same two teams in the other tournament."""
    teams = pairing.team_a, pairing.team_b
    for other in shared.pairings if shared else ():
        if (other.team_a, other.team_b) == teams and other.units.size >= FEWEST_FOR_BOOTSTRAP:
            units = other.leads.mean(axis=1), pairing.leads.mean(axis=1)
            return _gain(variance_ratio, *units, level=level)
    return None


def _luck(pairing: Pairing, level: float) -> tuple[Gain | None, float, Interval]:
    """The gain, and the lead without luck; NaN where no luck is known."""
    known = np.isfinite(pairing.luck).all(axis=1)
    if not pairing.luck.shape[1] or known.sum() < FEWEST_FOR_BOOTSTRAP:
        return None, np.nan, Interval(np.nan, np.nan, "none")
    units = pairing.leads.mean(axis=1)[known]
    less = cross_fit(units, pairing.luck[known]).values
    gain = _gain(_ratio_of_columns, np.stack([units, less], axis=1), level=level)
    return gain, float(less.mean()), mean_interval(less, level=level)


def _ratio_of_columns(both: Floats) -> float:
    """The variance of the first column over that of the second: rows are resampled together."""
    return variance_ratio(both[:, 0], both[:, 1])

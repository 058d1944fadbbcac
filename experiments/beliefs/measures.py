"""How good beliefs are: bits a card, gains, calibration. The unit of every interval is the deal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.rules import Rules
from experiments.beliefs.counting import relations
from experiments.beliefs.laws import counting_bits
from experiments.beliefs.model import Judged
from experiments.beliefs.samples import Samples
from experiments.stats import mean_interval

__all__ = [
    "PHASES", "Calibration", "Group", "Rate", "calibration", "counting", "groups", "rate",
]  # fmt: skip

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

PHASES: Final = ("early", "middle", "late")
"""Thirds of the deal, by the share of its first stock that is left."""
_BINS: Final = 10


@dataclass(frozen=True)
class Rate:
    """Bits a hidden card with their interval over deals."""

    mean: float
    low: float
    high: float


def rate(bits: Floats, samples: Samples, chosen: Flags, level: float = 0.95) -> Rate:
    """Bits (n, H) of all ``chosen`` (n, H) hands over all hidden cards of these hands.

    It is a ratio of sums, so deals with more decisions weigh more; its interval is that of the mean
    of ``ratio + (deal's bits - ratio * deal's cards) / mean cards``, one number a deal.

    Raises:
        ValueError: no card is hidden in the chosen hands.
    """
    _, deal = np.unique(samples.deal, return_inverse=True)
    of_deal = np.bincount(deal, np.where(chosen, bits, 0.0).sum(1))
    cards = np.bincount(deal, (samples.certain.hidden * chosen).sum(1))
    there = cards > 0
    if not there.any():
        raise ValueError("no hidden card was seen; more deals are needed")
    of_deal, cards = of_deal[there], cards[there]
    ratio = float(of_deal.sum() / cards.sum())
    found = mean_interval(ratio + (of_deal - ratio * cards) / cards.mean(), level=level)
    return Rate(ratio, found.low, found.high)


@dataclass(frozen=True)
class Group:
    """Some of the hidden hands: ``chosen`` bool (n, H)."""

    name: str
    chosen: Flags


def groups(samples: Samples, rules: Rules, players: int) -> list[Group]:
    """All hands with hidden cards; those of each other seat; and each phase of the deal. Groups
    without any are left out.
    """
    hidden = samples.certain.hidden > 0
    names = relations(rules, players)
    found = [Group("all", hidden)]
    if len(names) > 1:
        found += [
            Group(name, hidden & (np.arange(len(names)) == i)) for i, name in enumerate(names)
        ]
    third = np.clip((3 * (1.0 - samples.left)).astype(int), 0, 2)
    found += [Group(name, hidden & (third == i)[:, None]) for i, name in enumerate(PHASES)]
    return [group for group in found if group.chosen.any()]


def counting(samples: Samples) -> Floats:
    """The bits, (n, H), of one who only counts the unseen cards; see :func:`laws.counting_bits`.

    They are of whole hands and are divided by hidden cards all the same, so that he is told of no
    card for nothing.
    """
    known = samples.certain.known
    unseen = samples.certain.pool + known.sum(axis=1)
    hands = samples.truth + known
    return np.stack([counting_bits(unseen, hand) for hand in hands.swapaxes(0, 1)], axis=1)


@dataclass(frozen=True)
class Calibration:
    """Whether what has the chance p comes up with the share p: a hidden card of a kind in a hand.

    Attributes:
        table: for each tenth of the chances that occurs: the mean chance, the share of hands with
            such a card, and the number of hands.
        error: the expected calibration error: the mean distance of chance and share over tenths,
            weighed by their numbers.
        by_kind: the same for each kind alone; NaN for a kind that never lies hidden.
    """

    table: list[tuple[float, float, int]]
    error: float
    by_kind: list[float]


def calibration(judged: Judged, samples: Samples) -> Calibration:
    """The calibration of ``P(count >= 1)`` over hands with hidden cards and kinds that are in the
    pool.
    """
    open_ = (samples.certain.hidden > 0)[..., None] & (samples.certain.pool > 0)[:, None]
    there = samples.truth > 0
    table = _reliability(judged.at_least_one[open_], there[open_])
    by_kind = []
    for kind in range(open_.shape[2]):
        some = open_[..., kind]
        of = _reliability(judged.at_least_one[some, kind], there[some, kind])
        by_kind.append(_error(of))
    return Calibration(table, _error(table), by_kind)


def _reliability(chances: Floats, there: Flags) -> list[tuple[float, float, int]]:
    tenth = np.minimum((chances * _BINS).astype(int), _BINS - 1)
    bins = [tenth == i for i in range(_BINS) if (tenth == i).any()]
    return [(float(chances[at].mean()), float(there[at].mean()), int(at.sum())) for at in bins]


def _error(table: list[tuple[float, float, int]]) -> float:
    numbers: Any = np.array(table)
    if not numbers.size:
        return float("nan")
    distance = np.abs(numbers[:, 0] - numbers[:, 1])
    return float(distance @ numbers[:, 2] / numbers[:, 2].sum())

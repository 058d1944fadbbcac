"""What an answer tells about the hand behind it, in bits, beside what it would seem to tell if it
told nothing.

The measure is the plug-in estimate of the mutual information I(answer; group | given), which is
biased upwards. The control answers that: the same answers dealt out at random among the questions
with the same ``given``, many times; what they seem to tell on average is the bias, and how often
they seem to tell as much is p.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Information", "classes", "information"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Information:
    """``answers``: how many; ``entropy``: bits of one answer, given what is known; ``bits``: what
    it tells; ``control``: mean of the shuffled; ``p_value``: share of them that tell as much.
    """

    answers: int
    entropy: float
    bits: float
    control: float
    p_value: float


def classes(values: npt.ArrayLike, most: int = 5) -> Ints:
    """Numbers as about equally large classes, 0 to ``most - 1``; equal numbers share a class."""
    numbers = np.asarray(values, np.float64)
    if not numbers.size:
        return np.zeros(0, np.int64)
    bounds = np.unique(np.quantile(numbers, np.arange(1, most) / most))
    return np.searchsorted(bounds, numbers, side="left").astype(np.int64)


def information(
    said: npt.ArrayLike,
    groups: npt.ArrayLike,
    given: npt.ArrayLike | None = None,
    *,
    shuffles: int = 999,
    seed: int = 0,
) -> Information:
    """What answers tell about a group.

    Args:
        said: (k,), yes or no.
        groups: int (k,) from 0: what it may tell about.
        given: int (k,) from 0: what is known already; left out: nothing.
        shuffles: how many controls are made.
        seed: of the shuffles.

    Raises:
        ValueError: the lengths differ.
    """
    yes, group = np.asarray(said, np.int64), np.asarray(groups, np.int64)
    known = np.zeros(len(yes), np.int64) if given is None else np.asarray(given, np.int64)
    if not len(yes) == len(group) == len(known):
        raise ValueError(f"{len(yes)} answers, {len(group)} groups and {len(known)} givens")
    if not len(yes):
        return Information(0, float("nan"), float("nan"), float("nan"), float("nan"))
    bits = _bits(yes, group, known)
    rng = np.random.default_rng(seed)
    controls = np.array([_bits(_shuffled(yes, known, rng), group, known) for _ in range(shuffles)])
    as_much = int((controls >= bits - 1e-12).sum())
    return Information(
        answers=len(yes),
        entropy=_entropy(yes, known),
        bits=bits,
        control=float(controls.mean()),
        p_value=(1 + as_much) / (1 + shuffles),
    )


def _shuffled(yes: Ints, known: Ints, rng: np.random.Generator) -> Ints:
    """The answers in random order among those with the same ``known``."""
    there, drawn = np.argsort(known, kind="stable"), np.lexsort((rng.random(len(yes)), known))
    shuffled = np.empty_like(yes)
    shuffled[there] = yes[drawn]
    return shuffled


def _bits(yes: Ints, group: Ints, known: Ints) -> float:
    """The plug-in estimate: the entropy of the answer less what is left when the group is seen."""
    both = known * (int(group.max()) + 1) + group
    return max(0.0, _entropy(yes, known) - _entropy(yes, both))


def _entropy(yes: Ints, known: Ints) -> float:
    """The mean entropy of the answer within the classes of ``known``, in bits."""
    count = np.bincount(known).astype(np.float64)
    share = np.bincount(known, weights=yes)[count > 0] / count[count > 0]
    weight = count[count > 0] / count.sum()
    total = 0.0
    for p in (share, 1.0 - share):
        total -= float((weight * p * np.log2(np.where(p > 0, p, 1.0))).sum())
    return total

"""Mutual information of a discard and the hand behind it, in bits, from sampled hands.

An observer draws worlds; in each the hidden hand is another, and the discarder's *law*, what it
would throw there, is known. What the discard tells is the entropy of the mean law less the mean
entropy of the laws. The mean law is known from so many worlds only, and the plug-in estimate is too
small, in the first order by the sum over discards of Var(law) / mean, over twice the number of
worlds. The jackknife takes this order away (Burnham and Overton 1978; for entropies Zahl 1977). A
law that is itself known from so many answers only has an entropy that is too small, and the
information would be too large; the same jackknife, over answers, mends that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["Told", "entropy", "entropy_of_counts", "exchanged", "plug_in", "told"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BIT: Final = float(np.log(2.0))


@dataclass(frozen=True)
class Told:
    """What one discard tells, in bits: ``told`` of the hand, out of ``uncertain``, the entropy of
    the discard for the observer. Estimates: ``told`` can fall below 0."""

    told: float
    uncertain: float


def entropy(weights: Floats) -> Floats:
    """The entropy in bits of each row of weights (…, D), which need not add up to 1; 0 where all
    are 0."""
    total = weights.sum(-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = weights / total
        terms = shares * np.log(shares)
    found: Floats = -np.where(weights > 0, terms, 0.0).sum(-1) / _BIT
    return np.maximum(found, 0.0)


def plug_in(laws: Floats, weights: Floats | None = None) -> Told:
    """What a discard tells if these worlds are all there are, exactly.

    Args:
        laws: (n, D) probabilities of the discards in each world; a row adds up to 1.
        weights: (n,) probabilities of the worlds, up to a factor; left out, all alike.
    """
    shares = np.ones(len(laws)) if weights is None else weights
    shares = shares / shares.sum()
    uncertain = float(entropy(shares @ laws))
    return Told(uncertain - float(shares @ entropy(laws)), uncertain)


def told(laws: Floats, answers: int | None = None) -> Told:
    """The estimate from worlds that were drawn independently, all alike.

    Args:
        laws: (n, D) as :func:`plug_in` takes them, of two worlds or more.
        answers: if the laws are shares of so many independent answers each, their number, two or
            more; left out, they are exact.

    Raises:
        ValueError: there are too few worlds or answers.
    """
    n = len(laws)
    if n < 2:
        raise ValueError(f"{n} worlds are too few; 2 or more")
    total = laws.sum(0)
    uncertain = n * float(entropy(total)) - (n - 1) * float(entropy(total - laws).mean())
    if answers is None:
        known = entropy(laws)
    else:
        known = entropy_of_counts(np.rint(laws * answers).astype(np.int64))
    return Told(uncertain - float(known.mean()), uncertain)


def entropy_of_counts(counts: Ints) -> Floats:
    """The jackknifed entropy in bits behind each row of counts (n, D) of independent answers.

    Raises:
        ValueError: a row has fewer than two answers.
    """
    answers = counts.sum(1)
    if (answers < 2).any():
        raise ValueError("a law of fewer than 2 answers says nothing of its entropy")
    outcomes = np.eye(counts.shape[1], dtype=np.int64)
    less = np.maximum(counts[:, None] - outcomes, 0).astype(np.float64)
    left_out = (counts / answers[:, None] * entropy(less)).sum(1)
    found: Floats = answers * entropy(counts.astype(np.float64)) - (answers - 1) * left_out
    return found


def exchanged(laws: Floats, answers: int, rng: np.random.Generator) -> Floats:
    """The control: ``answers`` discards are drawn in each world, and all of them are exchanged
    among the worlds. (n, D) shares of these; they have nothing to do with the hands any more, and
    tell nothing.
    """
    counts = rng.multinomial(answers, laws / laws.sum(1, keepdims=True))
    n, kinds = counts.shape
    drawn = rng.permutation(np.repeat(np.tile(np.arange(kinds), n), counts.reshape(-1)))
    places = np.repeat(np.arange(n), answers) * kinds + drawn
    found: Floats = np.bincount(places, minlength=n * kinds).reshape(n, kinds) / answers
    return found

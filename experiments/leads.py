"""Team A's lead and wins at the tables of duplicate units, from the scores of the sides."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["differences", "wins"]

Floats = npt.NDArray[np.float64]


def differences(scores: npt.ArrayLike) -> Floats:
    """A's lead at every table, shape (units, tables): its side's score less the mean of the other
    sides'.

    ``scores`` has the shape (units, tables, sides); at table ``t`` team A is side ``t``.
    """
    scores = np.asarray(scores, np.float64)
    own = np.diagonal(scores, axis1=1, axis2=2)
    return own - (scores.sum(2) - own) / (scores.shape[2] - 1)


def wins(scores: npt.ArrayLike) -> Floats:
    """1 where A's side alone has the highest score of its table, 0.5 where it shares it, else 0."""
    scores = np.asarray(scores, np.float64)
    own = np.diagonal(scores, axis1=1, axis2=2)
    others = np.where(np.eye(scores.shape[2], dtype=bool), -np.inf, scores).max(2)
    found: Floats = np.where(own > others, 1.0, np.where(own == others, 0.5, 0.0))
    return found

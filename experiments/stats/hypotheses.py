"""Tests of hypotheses about units, and the correction for many of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from experiments.stats.checks import as_units
from experiments.stats.sampling import blocks

__all__ = ["holm", "sign_flip_test"]

_MOST_EXACT: Final = 14
"""Up to this many units all sign patterns are counted instead of sampled."""


def sign_flip_test(values: npt.ArrayLike, *, flips: int = 9999, seed: int = 0) -> float:
    """Two-sided p of the hypothesis that the units are symmetric about zero.

    Up to 14 units all sign patterns are counted; above, ``flips`` random ones and the one that was
    seen, so p is never below 1 / (flips + 1).
    """
    units = as_units(values)
    total = abs(units.sum())
    slack = 1e-9 * np.abs(units).sum()  # sums of the same numbers in another order count as equal
    if units.size <= _MOST_EXACT:
        patterns = np.arange(1 << units.size)[:, None] >> np.arange(units.size) & 1
        return float((np.abs((2 * patterns - 1) @ units) >= total - slack).mean())
    rng = np.random.default_rng(seed)
    extreme = 0
    for part in blocks(flips, units.size):
        count = part.stop - part.start
        drawn = np.frombuffer(rng.bytes(count * ((units.size + 7) // 8)), np.uint8)
        signs = np.unpackbits(drawn.reshape(count, -1), axis=1, count=units.size)
        sums = 2.0 * (signs.astype(np.float64) @ units) - units.sum()
        extreme += int(np.count_nonzero(np.abs(sums) >= total - slack))
    return (extreme + 1) / (flips + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values, in the order given: for tables with several tests.

    Raises:
        ValueError: a p value is outside [0, 1], or is no number.
    """
    wrong = [p_value for p_value in p_values if not 0.0 <= p_value <= 1.0]
    if wrong:
        raise ValueError(f"p value {wrong[0]} is not between 0 and 1")
    order = np.argsort(np.asarray(p_values), kind="stable")
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = largest
    return adjusted

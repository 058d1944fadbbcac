"""Means over what was looked at, with the deal as the unit."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = ["Sums", "relation"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass
class Sums:
    """Sums of some measures over the cases of each deal.

    Attributes:
        deals: how many were played.
        cases: (deals,) how many cases each deal had.
        of: by the name of a measure its sums, (deals,).
        left_out: cases of which too little was known to measure anything.
    """

    deals: int
    cases: Ints = field(init=False)
    of: dict[str, Floats] = field(default_factory=dict)
    left_out: int = 0

    def __post_init__(self) -> None:
        self.cases = np.zeros(self.deals, np.int64)

    def add(self, deals: Ints, **measures: npt.ArrayLike) -> None:
        """Cases of these deals, (m,), with what was measured in each, (m,)."""
        np.add.at(self.cases, deals, 1)
        for name, values in measures.items():
            np.add.at(self.of.setdefault(name, np.zeros(self.deals)), deals, values)

    def units(self, name: str, less: str = "") -> Floats:
        """(deals,) numbers whose mean is the mean of a measure over all cases, or of a measure
        ``less`` another, and whose spread gives its error.

        A deal has a random number of cases, so the mean is a ratio of sums over deals; these are
        its linearised values (Cochran 1977, 6.4).

        Raises:
            ValueError: there is no case.
        """
        if not self.cases.any():
            raise ValueError("nothing was found to look at; play more deals")
        sums = self.of[name] - (self.of[less] if less else 0.0)
        mean = sums.sum() / self.cases.sum()
        found: Floats = mean + (sums - mean * self.cases) / self.cases.mean()
        return found


def relation(seat: int, other: int, sides: int) -> str:
    """What ``other`` is to a seat: ``partner`` or ``opponent``."""
    return "partner" if (seat - other) % sides == 0 else "opponent"

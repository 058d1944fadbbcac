"""What the statistics refuse: each check names what it was given and what is allowed."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["Floats", "as_units", "check_level", "check_positive"]

Floats = npt.NDArray[np.float64]


def as_units(values: npt.ArrayLike) -> Floats:
    """The values as a float vector.

    Raises:
        ValueError: they are not a vector of at least one finite number.
    """
    units = np.asarray(values, np.float64)
    if units.ndim != 1 or units.size == 0 or not np.isfinite(units).all():
        raise ValueError(f"a vector of finite numbers is needed, got shape {units.shape}")
    return units


def check_level(level: float) -> None:
    """Raises ValueError for a confidence level outside (0, 1)."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level {level} is not between 0 and 1")


def check_positive(**values: float) -> None:
    """Raises ValueError for the first named value that is not a finite number above zero."""
    for name, value in values.items():
        if not 0.0 < value < np.inf:
            raise ValueError(f"{name} {value} is not a finite number above 0")

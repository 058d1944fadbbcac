"""How many units an experiment needs, by Student's two-sided test.

Exact for normal units, and for units of any law once there are enough for their mean to be normal.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import chdtr, nctdtr, stdtrit

from experiments.stats.checks import check_level, check_positive

__all__ = ["power", "units_needed"]

_FEWEST: Final = 2
"""Units without which there is no deviation to estimate."""
_MOST: Final = 1 << 40
"""More units than anyone plays: an effect that needs more is refused."""


def power(
    units: int, effect: float, deviation: float, *, level: float = 0.95, arms: int = 1
) -> float:
    """The chance that a mean that is truly ``effect`` is found to differ from zero.

    Args:
        units: independent units of each arm: duplicate pairs, or training seeds.
        effect: the true mean, or the true difference of two arms' means, in the units' own measure;
            above 0.
        deviation: the standard deviation of one unit, the same in both arms.
        level: one less the chance of finding a difference where there is none.
        arms: 1 where the units are differences already (a duplicate match), 2 where the means of
            two arms with so many units each are compared.

    Raises:
        ValueError: fewer than 2 units, an effect or deviation that is not above 0, a level outside
            (0, 1), or neither 1 nor 2 arms.
    """
    check_positive(effect=effect, deviation=deviation)
    check_level(level)
    if units < _FEWEST:
        raise ValueError(f"{units} units have no deviation; at least {_FEWEST} are needed")
    if arms not in (1, 2):
        raise ValueError(f"arms {arms} is neither 1 nor 2")
    freedom = arms * (units - 1)
    shift = effect / (deviation * np.sqrt(arms / units))
    bound = stdtrit(freedom, (1.0 + level) / 2.0)
    missed, reversed_ = nctdtr(freedom, shift, bound), nctdtr(freedom, shift, -bound)
    if np.isnan(reversed_):  # scipy's series fails where it is below a hundred-millionth
        reversed_ = 0.0
    if np.isnan(missed):  # so large a shift that nothing but the estimated deviation is random
        return float(chdtr(freedom, freedom * (shift / bound) ** 2))
    return float(1.0 - missed + reversed_)


def units_needed(
    effect: float,
    deviation: float,
    *,
    wanted: float = 0.8,
    level: float = 0.95,
    arms: int = 1,
) -> int:
    """The fewest units (of each arm) whose :func:`power` is at least ``wanted``.

    Raises:
        ValueError: as :func:`power`; ``wanted`` is not between ``1 - level`` and 1; or the effect
            is so small that more than 2**40 units would be needed.
    """
    check_level(level)
    if not 1.0 - level < wanted < 1.0:
        raise ValueError(f"power {wanted} is not between {1.0 - level:g} and 1")

    def enough(units: int) -> bool:
        return power(units, effect, deviation, level=level, arms=arms) >= wanted

    most = _FEWEST
    while not enough(most):
        most *= 2
        if most > _MOST:
            raise ValueError(f"effect {effect} is too small beside the deviation {deviation}")
    least = most // 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if enough(middle) else (middle, most)
    return most

"""Statistics of paired results; nothing here knows the game.

The unit is always the thing that was drawn independently: a pair of deals, or a training seed,
never a deal of a pair. Everything that draws random numbers is seeded.
:mod:`experiments.stats.ratings` and :mod:`experiments.stats.sequential` are imported by their own
names, since they load more libraries.
"""

from experiments.stats.hypotheses import holm, sign_flip_test
from experiments.stats.intervals import (
    FEWEST_FOR_BOOTSTRAP,
    Interval,
    Summary,
    bca_interval,
    mean_interval,
    student_interval,
    summarise,
)
from experiments.stats.power import power, units_needed
from experiments.stats.seeds import Arm, Difference, arm, arm_difference, crossed_interval
from experiments.stats.variates import (
    Adjusted,
    adjust,
    cross_fit,
    duplicate_gain,
    fit_coefficients,
    gain_interval,
    variance_ratio,
)

__all__ = [
    "FEWEST_FOR_BOOTSTRAP",
    "Adjusted",
    "Arm",
    "Difference",
    "Interval",
    "Summary",
    "adjust",
    "arm",
    "arm_difference",
    "bca_interval",
    "cross_fit",
    "crossed_interval",
    "duplicate_gain",
    "fit_coefficients",
    "gain_interval",
    "holm",
    "mean_interval",
    "power",
    "sign_flip_test",
    "student_interval",
    "summarise",
    "units_needed",
    "variance_ratio",
]

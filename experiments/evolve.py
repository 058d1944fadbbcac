"""Searches weights of the rule bots' procedure: ``python -m experiments.evolve --run runs/expert``.

An evolution strategy (CMA-ES of the library pycma, with a diagonal covariance) starts from a style
and plays every candidate of a generation on the same decks, as duplicate pairs against the same
opponents; each generation has other decks. What counts as found is the mean of the search
distribution, which noise harms less than the best candidate of a generation. After the last
generation the means along the way are compared on decks of their own, and the best of them is
measured once more on others.

The result file is written after every generation; Ctrl-C goes on to the comparison with what has
been found, and ``--start runs/expert.json`` begins a further search there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.checkpoint import identity, versions
from canasta_env.batch import Batch
from canasta_env.bots import styles
from canasta_env.bots.weights import BASIC, WEIGHTS
from canasta_env.rules import Rules
from experiments.command import carry_out, positive
from experiments.evolve_trial import Field, leads

__all__ = ["Search", "main"]

Changes = dict[str, int]
Vector = npt.NDArray[np.float64]

FORMAT: Final = "canasta-weights-1"
_CHOICE: Final = 1 << 30
"""The first unit of the decks on which means are compared; a search never gets so far."""
_MEASURE: Final = 1 << 31
"""The first unit of the decks on which the chosen one is measured."""


@dataclass
class Search:
    """A search under way: ``start`` are the weights that it began with, ``steps`` those that it may
    change with the size of a usual change, ``means`` the mean of each generation as weights."""

    field: Field
    start: Changes
    steps: dict[str, float]
    means: list[Changes]

    def weights(self, point: Vector) -> Changes:
        """The weights at a point of the search space: whole numbers, ``steps`` from the start."""
        values = {**BASIC, **self.start}
        for (name, step), x in zip(self.steps.items(), point, strict=True):
            values[name] = round(values[name] + step * float(x))
        return {name: value for name, value in values.items() if value != BASIC[name]}

    def run(self, generations: int, population: int, pairs: int, sigma: float, tell: Any) -> None:
        """Adds a mean for each generation; ``tell(generation, mean lead)`` is called after each."""
        import cma  # only the search needs it

        options = {
            "popsize": population, "seed": self.field.seed + 1, "CMA_diagonal": True,
            "verbose": -9, "verb_log": 0, "tolfun": 0, "tolx": 0, "tolflatfitness": 10**6,
        }  # fmt: skip
        evolution = cma.CMAEvolutionStrategy(np.zeros(len(self.steps)), sigma, options)
        for generation in range(generations):
            points = evolution.ask()
            units = np.arange(generation * pairs, (generation + 1) * pairs)
            found = leads(self.field, [self.weights(point) for point in points], units).mean(1)
            evolution.tell(points, [-float(lead) for lead in found])
            self.means.append(self.weights(evolution.mean))
            tell(generation, float(found.mean()))

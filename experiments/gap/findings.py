"""Trains what is missing, lets all seeds of an arm play with one another, and reckons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rich.console import Console

from canasta_env.rules import Rules
from experiments import symmetry
from experiments.crossplay import Tensor, crossplay, difference, summarise
from experiments.crossplay.estimates import Estimate
from experiments.crossplay.summary import Summary
from experiments.gap.config import PLAYERS, Arm, Study
from train import seeds

__all__ = ["Difference", "Found", "OfArm", "find", "train"]

Floats = npt.NDArray[np.float64]
Tell = Callable[[str], None]

_EVERY = 7
"""Once in so many steps the distance from the symmetries is asked."""


@dataclass(frozen=True)
class OfArm:
    """What came of an arm.

    ``tensor``: of its seeds. ``nats`` (seeds,): each agent's mean divergence from its relabelled
    self.
    """

    arm: Arm
    tensor: Tensor
    summary: Summary
    nats: Floats


@dataclass(frozen=True)
class Difference:
    """The gap of the ``second`` arm less that of the ``first``."""

    first: str
    second: str
    gap: Estimate


@dataclass(frozen=True)
class Found:
    """What came of the study."""

    arms: tuple[OfArm, ...]
    differences: tuple[Difference, ...]


def train(study: Study, folder: Path, jobs: int, console: Console) -> None:
    """Trains the seeds that are not done; raises ValueError where one ends too early, and
    KeyboardInterrupt after Ctrl-C."""
    for arm in study.arms:
        settings = [*("--rules", study.rules, "--players", str(PLAYERS)), *study.training]
        name = arm.run(folder, study.rules)
        todo = seeds.plan("ppo", [*arm.seeds, *arm.more], name, [*settings, *arm.training])
        seeds.complete(todo, jobs, console)


def find(study: Study, folder: Path, processes: int, tell: Tell) -> Found:
    """Plays what is missing and reckons."""
    arms = tuple(_of_arm(study, arm, folder, processes, tell) for arm in study.arms)
    return Found(arms, tuple(_differences(study, arms)))


def _of_arm(study: Study, arm: Arm, folder: Path, processes: int, tell: Tell) -> OfArm:
    tell(f"{arm.name}: cross-play")
    agents = arm.agents(folder, study.rules)
    tensor = crossplay(
        study.setup,
        agents,
        study.references(folder),
        file=Path(f"{arm.run(folder, study.rules)}-crossplay.json"),
        processes=processes,
    )
    tell(f"{arm.name}: symmetry")
    probe = symmetry.Probe(
        Rules.parse(study.rules), PLAYERS, study.symmetry_deals, _EVERY, study.seed
    )
    nats = np.array([_nats(agent, probe) for agent in agents])
    return OfArm(arm, tensor, summarise(tensor, level=study.level), nats)


def _nats(agent: str, probe: symmetry.Probe) -> float:
    found = symmetry.of_name(agent, probe).nats
    assert found is not None  # a network has probabilities
    return float(found.mean())


def _differences(study: Study, arms: tuple[OfArm, ...]) -> Iterator[Difference]:
    of = {one.arm.name: one for one in arms}
    for first, second in study.differences:
        interaction = difference(of[second].tensor, of[first].tensor, level=study.level)
        yield Difference(first, second, -interaction)

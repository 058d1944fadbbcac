"""Runs of the same training with different seeds, as curves over deals and over hours.

The seed is the unit: an arm's interval is Student's over its seeds, at the same number of deals or
after the same hours. The hours are the trainer's own, without evaluations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents import checkpoint as checkpoints
from train.runs import kept

__all__ = ["Arm", "Curve", "Run", "Step", "at_deals", "at_hours", "read_arm"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """A checkpoint: its path, the hash of its network, and how far the training was.

    ``mark`` is the round number of deals it was kept at, ``deals`` the exact one, ``hours`` of
    training.
    """

    path: str
    network: str
    mark: int
    deals: int
    hours: float


@dataclass(frozen=True)
class Run:
    """One seed's run and its checkpoints in order."""

    path: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Arm:
    """Runs that differ in their seed; only steps with marks that all of them have."""

    name: str
    runs: tuple[Run, ...]

    @property
    def marks(self) -> list[int]:
        """The numbers of deals at which all runs kept a checkpoint."""
        return [step.mark for step in self.runs[0].steps]

    def hours(self) -> Floats:
        """(runs, marks): the hours of training."""
        return np.array([[step.hours for step in run.steps] for run in self.runs])


@dataclass(frozen=True)
class Curve:
    """An arm against an opponent: ``points`` (runs, marks), points a deal."""

    arm: Arm
    points: Floats


def read_arm(name: str, paths: Sequence[str], before: Sequence[str] = ()) -> Arm:
    """The arm of some runs; ``before`` are the runs that they began from, one for all or one each:
    their deals and hours are added.

    Raises:
        ValueError: a run has no kept checkpoints, or they have no mark in common; one clear line.
    """
    if before and len(before) not in (1, len(paths)):
        raise ValueError(f"--after {name}: {len(before)} runs given; one, or one for each run")
    starts = [
        _end(before[place % len(before)]) if before else (0, 0.0) for place in range(len(paths))
    ]
    runs = [_read_run(path, *start) for path, start in zip(paths, starts, strict=True)]
    common = set.intersection(*({step.mark for step in run.steps} for run in runs))
    if len(common) < 2:
        raise ValueError(
            f"--arm {name}: its runs kept fewer than two checkpoints after the same number of "
            "deals; train with the same --keep-every"
        )
    return Arm(
        name,
        tuple(Run(r.path, tuple(step for step in r.steps if step.mark in common)) for r in runs),
    )


def _end(path: str) -> tuple[int, float]:
    """Deals and hours of a run's last checkpoint; the deals without those by which it came past the
    number that was asked for, which differ from seed to seed.
    """
    meta = checkpoints.read(path).meta
    counters = meta["counters"]
    deals = min(int(counters["deals"]), int(meta["settings"]["deals"]))
    return deals, counters["seconds"] / 3600


def _read_run(path: str, deals: int, hours: float) -> Run:
    """A run whose first checkpoint comes after so many deals and hours of another."""
    found = kept(Path(path))
    if len(found) < 2:
        raise ValueError(f"{path}: no checkpoints along the way; train with --keep-every")
    return Run(path, tuple(_step(one, deals, hours) for one in found))


def _step(saved: checkpoints.Checkpoint, deals: int, hours: float) -> Step:
    meta: dict[str, Any] = saved.meta
    done = int(meta["counters"]["deals"])
    _, _, text = saved.folder.name.partition("at-")
    mark = int(text) if text.isdigit() else min(done, int(meta["settings"]["deals"]))
    return Step(
        path=str(saved.folder),
        network=meta["files"]["network"]["sha256"][:16],
        mark=deals + mark,
        deals=deals + done,
        hours=hours + meta["counters"]["seconds"] / 3600,
    )


def at_deals(curve: Curve, marks: Sequence[float]) -> list[Floats | None]:
    """Each run's points at numbers of deals, between two checkpoints in a straight line; None
    outside the curve.
    """
    known = np.array([curve.arm.marks] * len(curve.arm.runs), float)
    return _interpolated(known, curve.points, marks)


def at_hours(curve: Curve, hours: Sequence[float]) -> list[Floats | None]:
    """Each run's points after hours of training; None where one of the runs was not so long."""
    return _interpolated(curve.arm.hours(), curve.points, hours)


def _interpolated(known: Floats, points: Floats, wanted: Sequence[float]) -> list[Floats | None]:
    low, high = known[:, 0].max(), known[:, -1].min()
    return [
        np.array([np.interp(x, *run) for run in zip(known, points, strict=True)])
        if low <= x <= high + 1e-9
        else None
        for x in wanted
    ]

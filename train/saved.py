"""What trainers take from checkpoints: weights to begin with, and runs that go on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from agents import checkpoint as checkpoints
from train import runs

__all__ = ["beginning", "check_version", "like", "optimizer_arrays", "restore_optimizer"]

A = TypeVar("A", bound=Any)
Arrays = Mapping[str, npt.NDArray[Any]]


def beginning(args: A) -> tuple[A, checkpoints.Checkpoint | None]:
    """A trainer's settings with the network of ``--start``, and the checkpoint that a new run
    begins with; None without ``--start``, and for a run that goes on, which has its own weights.

    Raises:
        ValueError: the checkpoint can't be read, or the settings ask for another network.
    """
    if not args.start or args.resume:
        return args, None
    first = checkpoints.read(args.start)
    have = first.meta.get("network", {})
    kind, hidden = have.get("kind"), tuple(have.get("hidden", ()))
    if args.network not in ("auto", kind) or args.hidden not in ((), hidden):
        widths = " ".join(map(str, hidden))
        raise runs.RunError(
            f"--start {args.start}: its network is {kind} {widths}, and another one is asked for; "
            "leave out --network and --hidden"
        )
    return replace(args, network=kind, hidden=hidden), first


def check_version(saved: checkpoints.Checkpoint, arrays: Arrays) -> None:
    """Raises ``CheckpointError`` for a run of an earlier version that can't go on in this one."""
    reason = ""
    if "optimizer.0.step" in arrays:
        reason = "which kept its optimizer in another way"
    elif saved.meta["settings"].get("opponent_share"):
        reason = "with --opponent-share, which is --pool now"
    if reason:
        raise checkpoints.CheckpointError(
            f"{saved.folder}: saved by an earlier version, {reason}; it plays as an agent, but the "
            f"run can't go on: start a new one from it with --start {saved.folder}"
        )


def like(arrays: Arrays, pattern: Mapping[str, Any]) -> dict[str, Any]:
    """Records again from their bytes: every array with the type and shape of its namesake in
    ``pattern``.
    """
    restored = {}
    for name, array in arrays.items():
        wanted = np.asarray(pattern[name])
        if wanted.dtype.names:
            array = array.view(wanted.dtype).reshape(wanted.shape)
        restored[name] = array
    return restored


def optimizer_arrays(optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    """What an optimizer remembers of each weight, by name: ``optimizer.<number>.<what>``."""
    states = optimizer.state_dict()["state"]
    return checkpoints.joined({f"optimizer.{i}": state for i, state in states.items()})


def restore_optimizer(optimizer: torch.optim.Optimizer, arrays: Arrays) -> None:
    """Puts back what :func:`optimizer_arrays` gave; the learning rate stays."""
    states: dict[int, dict[str, Any]] = {}
    for name, array in checkpoints.group(arrays, "optimizer").items():
        number, _, what = name.partition(".")
        states.setdefault(int(number), {})[what] = torch.tensor(array)
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})

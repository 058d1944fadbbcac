"""What all trainers do about a run: its settings, its folder, the updates, and Ctrl-C."""

from __future__ import annotations

import math
import signal
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeVar

import tyro

from agents import checkpoint as checkpoints
from train.progress import Progress

__all__ = ["INTERRUPTED", "RunError", "carry_out", "folder", "parse"]

A = TypeVar("A", bound=Any)

INTERRUPTED: Final = 130
"""The status of a command that was interrupted."""


class RunError(ValueError):
    """A run that cannot start; the text is one line: what, why, what to do."""


class Interrupts:
    """The first Ctrl-C (or SIGTERM) asks the run to stop after this update; the second stops it at
    once.
    """

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        print("stopping after this update; Ctrl-C again stops at once", file=sys.stderr)

    @contextmanager
    def watch(self) -> Iterator[Interrupts]:
        """Listens while the block runs."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(number, self) for number in numbers]
        try:
            yield self
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)


def parse(
    kind: type[A],
    trainer: str,
    free: Collection[str],
    arguments: Sequence[str] | None,
    description: str | None,
) -> A:
    """The settings of a trainer, a dataclass ``kind``, from the command line; with --resume those
    of the saved run stand in for what is not given, and only those called ``free`` may change.
    """
    args = tyro.cli(kind, args=arguments, description=description)
    if not args.resume:
        return args
    saved = _saved(kind, trainer, args.resume)
    args = tyro.cli(kind, args=arguments, default=replace(saved, resume=args.resume))
    changed = [
        f.name
        for f in fields(kind)
        if f.name not in free and getattr(args, f.name) != getattr(saved, f.name)
    ]
    if changed:
        names = ", ".join(f"--{name.replace('_', '-')}" for name in changed)
        raise RunError(f"{args.resume}: {names} can't change in a run; start a new run for that")
    return replace(args, run=args.resume)


def _saved(kind: type[A], trainer: str, path: str) -> A:
    """The settings of a run that was saved."""
    meta = checkpoints.read(path).meta
    if meta.get("trainer") != trainer:
        raise RunError(
            f"{path}: saved by another trainer ({meta.get('trainer')}), not by train.{trainer}"
        )
    settings = {
        f.name: meta["settings"][f.name] for f in fields(kind) if f.name in meta["settings"]
    }
    return kind(**{n: tuple(x) if isinstance(x, list) else x for n, x in settings.items()})


def folder(args: Any, usual: str) -> Path:
    """The folder of the run, ``runs/usual`` if none is named; a new one must not exist yet."""
    path = Path(args.run or f"runs/{usual}")
    if not args.resume and path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise RunError(
            f"{path}: exists already, and a new run would mix with it; "
            f"give --resume {path} to continue it, or another --run"
        )
    return path


def carry_out(trainer: Any, path: Path, name: str) -> None:
    """The run, with all that it shows; ends the process with status 130 if it was interrupted.

    Args:
        trainer: with ``args``, ``deals``, ``updates``, ``update()``, ``evaluate()`` and ``save()``.
        path: the folder of the run.
        name: the trainer's module, as it is called from the command line.
    """
    try:
        with Interrupts().watch() as interrupts, Progress(path, trainer) as progress:
            _train(trainer, path, progress, interrupts)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    if trainer.deals < trainer.args.deals:
        print(f"saved at {trainer.deals:,} deals")
        print(f"go on with: python -m train.{name} --resume {path}")
        sys.exit(INTERRUPTED)


def _train(trainer: Any, path: Path, progress: Progress, interrupts: Interrupts) -> None:
    """Updates until the deals are played or somebody asks to stop; saves now and then, and at the
    end.
    """
    args = trainer.args
    every = args.eval_every or math.inf
    evaluated = trainer.deals // every
    while trainer.deals < args.deals and not interrupts.asked:
        progress.show(trainer, trainer.update())
        if trainer.deals // every > evaluated and not interrupts.asked:
            evaluated = trainer.deals // every
            progress.evaluated(trainer, trainer.evaluate())
        if trainer.updates % args.save_every == 0:
            trainer.save(path / checkpoints.LAST)
    trainer.save(path / checkpoints.LAST)

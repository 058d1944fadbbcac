"""What all trainers do about a run: its settings, its folder, the updates, and Ctrl-C."""

from __future__ import annotations

import errno
import math
import signal
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeVar

import tyro
from filelock import FileLock, Timeout

from agents import checkpoint as checkpoints
from train.progress import Progress

__all__ = ["INTERRUPTED", "RunError", "carry_out", "folder", "is_of_run", "keep", "kept", "parse"]

A = TypeVar("A", bound=Any)

INTERRUPTED: Final = 130
"""The status of a command that was interrupted."""


LOCK: Final = ".lock"
"""The file in a run's folder that whoever trains it holds, until the process ends."""


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
    """The run, with all that it shows; ends the process with status 130 if it was interrupted, and
    with one line and status 1 if it could not write, as on a full disk, or if another process has
    the run already.

    Args:
        trainer: with ``args``, ``deals``, ``updates``, ``update()``, ``evaluate()`` and ``save()``.
        path: the folder of the run.
        name: the trainer's module, as it is called from the command line.
    """
    try:
        with _held(path), Interrupts().watch() as interrupts:
            _check_newest(trainer, path)
            with Progress(path, trainer) as progress:
                _train(trainer, path, progress, interrupts)
    except Timeout:
        sys.exit(
            f"train.{name}: {path}: another process is training this run; wait until it ends, or "
            "give another --run"
        )
    except RunError as error:
        sys.exit(f"train.{name}: {error}")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except OSError as error:
        sys.exit(f"train.{name}: {_not_written(error, path)}")
    if trainer.deals < trainer.args.deals:
        print(f"saved at {trainer.deals:,} deals")
        print(f"go on with: python -m train.{name} --resume {path}")
        sys.exit(INTERRUPTED)


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """The run is this process's alone while the block runs; where there are no locks, as on some
    network drives, it goes on without.

    Raises:
        Timeout: another process has it.
    """
    with ExitStack() as stack:
        try:
            path.mkdir(parents=True, exist_ok=True)
            stack.enter_context(FileLock(path / LOCK, timeout=0))
        except Timeout:
            raise
        except (OSError, NotImplementedError):
            pass  # what can't be written will say so itself
        yield


def _check_newest(trainer: Any, path: Path) -> None:
    """Refuse to go on from a checkpoint that is no longer the last one: another process had the run
    while this one read it."""
    if not trainer.updates or not (path / checkpoints.LAST / checkpoints.INDEX).is_file():
        return
    deals = checkpoints.read(path).meta["counters"]["deals"]
    if deals != trainer.deals:
        raise RunError(
            f"{path}: another process has trained it since it was read, to {deals:,} deals; give "
            "the command again"
        )


def _train(trainer: Any, path: Path, progress: Progress, interrupts: Interrupts) -> None:
    """Updates until the deals are played or somebody asks to stop; saves now and then, and at the
    end.
    """
    args = trainer.args
    to_evaluate = _Marks(args.eval_every, trainer.deals)
    to_keep = _Marks(getattr(args, "keep_every", 0), trainer.deals)
    if not trainer.updates:  # killed from now on, it can go on
        trainer.save(path / checkpoints.LAST)
        if to_keep.every < math.inf:
            keep(trainer, path, 0)
    while trainer.deals < args.deals and not interrupts.asked:
        progress.show(trainer, trainer.update())
        if not interrupts.asked and to_evaluate.passed(trainer.deals):
            progress.evaluated(trainer, trainer.evaluate())
        if to_keep.passed(trainer.deals):
            keep(trainer, path, to_keep.last * args.keep_every)
        if trainer.updates % args.save_every == 0:
            trainer.save(path / checkpoints.LAST)
    trainer.save(path / checkpoints.LAST)


class _Marks:
    """The multiples of ``every`` deals (0: none) that a run comes past."""

    def __init__(self, every: int, deals: int) -> None:
        self.every = every or math.inf
        self.last = deals // self.every

    def passed(self, deals: int) -> bool:
        """Whether another one was passed since this was asked last."""
        before, self.last = self.last, deals // self.every
        return self.last > before


# --- checkpoints along the way ------------------------------------------------------------------

_KEPT: Final = "at-"


def keep(trainer: Any, path: Path, mark: int) -> Path:
    """Keeps the network of this moment as ``at-<mark>`` in the run's folder: enough to play as an
    agent, not to go on with the training.

    The whole state is written first and then all but the network dropped, each in one step: a
    process that dies leaves a checkpoint that plays, or none.
    """
    folder = path / f"{_KEPT}{mark:08d}"
    trainer.save(folder)
    saved = checkpoints.read(folder)
    checkpoints.write(folder, saved.meta, {"network": saved.arrays("network")})
    return folder


def is_of_run(name: str) -> bool:
    """Whether a folder of this name is a checkpoint in a run's folder: the last, or one kept along
    the way.
    """
    return name == checkpoints.LAST or name.startswith(_KEPT)


def kept(path: Path) -> list[checkpoints.Checkpoint]:
    """The checkpoints of a run in the order of their deals: those kept along the way, and the last
    one if it is further.
    """
    folders = [one for one in path.glob(f"{_KEPT}*") if (one / checkpoints.INDEX).is_file()]
    found = [checkpoints.read(one) for one in folders]
    if (path / checkpoints.LAST / checkpoints.INDEX).is_file():
        found.append(checkpoints.read(path / checkpoints.LAST))
    by_deals = {one.meta["counters"]["deals"]: one for one in reversed(found)}
    return [by_deals[deals] for deals in sorted(by_deals)]


def _not_written(error: OSError, path: Path) -> str:
    """One line on what could not be written, what is left, and how to go on."""
    reason = error.strerror or str(error)
    what = f"{path}: {reason[:1].lower()}{reason[1:]}"
    mend = "make room" if error.errno in _FULL else "mend that"
    if not (path / checkpoints.LAST / checkpoints.INDEX).is_file():
        return f"{what}; no checkpoint was written yet: {mend}, remove the folder and start again"
    deals = checkpoints.read(path).meta["counters"]["deals"]
    return (
        f"{what}; the checkpoint of {deals:,} deals is whole: {mend} and go on with --resume {path}"
    )


_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of a disk, a quota or a limit that is used up."""

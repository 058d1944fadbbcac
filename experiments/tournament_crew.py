"""Plays the blocks of a tournament in other processes of this machine.

A process that dies in the middle of a block (a fault in native code, out of memory, killed) takes
nothing else with it: the block is played once more, and then counts as failed.
:mod:`experiments.tournament_ray` does the same on a cluster.

This module loads no compiled code: a run starts its processes before it loads any itself.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from experiments.tournament_plan import Job
    from experiments.tournament_work import Played

__all__ = [
    "Crew",
    "CrewError",
    "Died",
    "Processes",
    "end_with_parent",
    "interrupts_ignored",
    "results",
]

_TRIES: Final = 2


class CrewError(RuntimeError):
    """The blocks cannot be played on; the text is one line that says why."""


class Died(Exception):
    """The process that played a block is gone; the text says how it ended."""


class Crew(Protocol):
    """Those who play blocks."""

    def play(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Played | Died]]:
        """Plays jobs as they come, several at a time; each with what came of it, in any order.

        Raises:
            CrewError: something else went wrong than an agent or a process.
        """
        ...

    def close(self) -> None:
        """Ends what is still playing."""
        ...


def results(crew: Crew, jobs: Iterable[Job]) -> Iterator[tuple[Job, Played]]:
    """The blocks as they are played; one whose process died is played again, then failed."""
    from experiments.tournament_work import failed_block

    waiting = deque(jobs)
    died: set[tuple[Any, ...]] = set()
    while waiting:
        for job, played in crew.play(_taken(waiting)):
            if not isinstance(played, Died):
                yield job, played
            elif (job.teams, job.block) in died:
                yield job, failed_block(job, f"the process that played it {played}, twice")
            else:
                died.add((job.teams, job.block))
                waiting.append(job)


def _taken(waiting: deque[Job]) -> Iterator[Job]:
    """Takes jobs from the front until none are left."""
    while waiting:
        yield waiting.popleft()


class Processes:
    """So many processes of this machine.

    Each is a fresh interpreter: it shares no locks, threads or files with this one.
    """

    def __init__(self, count: int) -> None:
        self._workers = [_Worker() for _ in range(count)]

    def play(self, jobs: Iterator[Job]) -> Iterator[tuple[Job, Played | Died]]:
        """As :meth:`Crew.play`."""
        idle = list(self._workers)
        busy: dict[Any, tuple[_Worker, Job]] = {}
        while True:
            for worker, job in zip(list(idle), jobs, strict=False):
                idle.remove(worker)
                worker.give(job)
                busy[worker.pipe] = worker, job
            if not busy:
                return
            for pipe in wait(list(busy)):
                worker, job = busy.pop(pipe)
                played = worker.take()
                idle.append(worker)
                yield job, played

    def close(self) -> None:
        """Ends all of them at once."""
        for worker in self._workers:
            worker.end()


class _Worker:
    """A process that plays blocks; when it dies, the next block is given to another."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        # Ctrl-C goes to all processes of a terminal; only this one is to take it up
        with interrupts_ignored():
            self._process.start()
        theirs.close()

    def give(self, job: Job) -> None:
        """Begins to play a block."""
        try:
            self.pipe.send(job)
        except BrokenPipeError:  # it died with nothing to do
            self.end()
            self._start()
            self.pipe.send(job)

    def take(self) -> Played | Died:
        """What came of the block; waits for it. Raises :class:`CrewError`."""
        try:
            found = self.pipe.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            died = Died(_how(self._process.exitcode))
            self.end()
            self._start()
            return died
        if isinstance(found, str):
            raise CrewError(found)
        played: Played = found
        return played

    def end(self) -> None:
        """Kills the process."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


@contextlib.contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Processes that are started inside ignore Ctrl-C from their beginning."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _how(status: int | None) -> str:
    if status is not None and status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended with the exit status {status}"


def _serve(pipe: Connection) -> None:
    """A worker's life: plays what it is given until the pipe ends, or its parent."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    from experiments.tournament_work import AgentChangedError, play_block

    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(play_block(job))
        except AgentChangedError as error:
            pipe.send(str(error))
        except Exception as error:
            traceback.print_exc()
            teams = " against ".join(job.teams)
            pipe.send(f"block {job.block} of {teams}: {type(error).__name__}: {error}")


def end_with_parent() -> None:
    """A killed parent cannot end its workers, and one amid a block would not look at its pipe."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)

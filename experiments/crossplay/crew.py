"""Plays the jobs of a tensor, in this process or in several others."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from experiments.crossplay.cells import Floats, Job, play_job
from experiments.tournament_crew import end_with_parent, interrupts_ignored

__all__ = ["CrewError", "play_all"]


class CrewError(ValueError):
    """The cells cannot be played on; the text is one line that says why."""


def play_all(jobs: Sequence[Job], processes: int = 1) -> Iterator[tuple[Job, Floats]]:
    """The jobs as they are played, in any order, each with its units (cells, units).

    What is given up, as by Ctrl-C, ends after the jobs that are being played.

    Raises:
        CrewError: a process died.
        ValueError: an agent cannot be made, or has changed.
    """
    if processes == 1 or len(jobs) < 2:
        for job in jobs:
            yield job, play_job(job)
        return
    context = multiprocessing.get_context("spawn")
    crew = ProcessPoolExecutor(processes, mp_context=context, initializer=_begin)
    try:
        # Ctrl-C goes to all processes of a terminal; only this one is to take it up
        with interrupts_ignored():
            waiting = {crew.submit(play_job, job): job for job in jobs}
        for done in as_completed(waiting):
            yield waiting.pop(done), done.result()
    except BrokenProcessPool:
        raise CrewError("a process that played cells died; the same command goes on") from None
    finally:
        crew.shutdown(wait=True, cancel_futures=True)


def _begin() -> None:
    """A worker's first act: it listens for its parent's end."""
    threading.Thread(target=end_with_parent, daemon=True).start()

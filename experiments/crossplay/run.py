"""Plays a tensor: what is missing of it, in jobs of many cells, and keeps it in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from agents import registry
from experiments.block import Setup
from experiments.crossplay.cells import UNITS, Cell, Job, blocks_of
from experiments.crossplay.crew import play_all
from experiments.crossplay.store import Store
from experiments.crossplay.tensor import Tensor, empty
from experiments.tournament_agents import Entrant, describe

__all__ = ["crossplay"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Place = tuple[int, int, int]
Progress = Callable[[int, int], object]

_ROWS: Final = 8192
"""Games in lock step, about: the more, the more rows a network is asked for at once."""
_SAVES: Final = 50
"""The file is written after each such part of the jobs."""


def crossplay(
    setup: Setup,
    agents: Sequence[str],
    references: Sequence[str] = ("basic",),
    *,
    pairs: Bools | None = None,
    file: Path | None = None,
    processes: int = 1,
    progress: Progress | None = None,
) -> Tensor:
    """Plays M[a, b | c, d], or what is missing of it in ``file``.

    Args:
        setup: rules, number of decks (``units``), seed; single deals, sides of two seats.
        agents: the partners, by the names that :mod:`agents.registry` knows.
        references: the teams that they meet: ``basic``, ``basic+expert``, ``self`` (each agent with
            itself), ``all`` (all ordered teams of two agents).
        pairs: bool (n, n), the ordered pairs of partners that are played; all if not given.
        file: what was played is kept there; a tensor that was broken off goes on.
        processes: how many play; results do not depend on it.
        progress: called with the number of jobs done and the number of all, at each job's end.

    Returns:
        The tensor; NaN only in cells of other pairs that the file does not have either.

    Raises:
        ValueError: a setting, name or team is not possible, the file is of another tensor, or an
            agent changed meanwhile; one clear line.
        OSError: the file cannot be read or written.
    """
    _check(setup)
    tensor = empty(agents, references, setup.units)
    entrants = _entrants(setup, tensor)
    store = Store(file, setup, entrants, tensor) if file else None
    tensor = store.load() if store else tensor
    wanted = np.ones((len(agents), len(agents)), np.bool_) if pairs is None else pairs
    plan = _Plan(tensor, wanted)
    jobs = list(plan.jobs(setup, {one.name: one.hash for one in entrants}))
    try:
        for count, (job, units) in enumerate(play_all(jobs, processes), 1):
            plan.enter(job, units)
            if progress:
                progress(count, len(jobs))
            if store and count % -(-len(jobs) // _SAVES) == 0 and count < len(jobs):
                store.save(tensor)
    finally:
        if store:
            store.save(tensor)
    return tensor


def _check(setup: Setup) -> None:
    """Raises ValueError for what cross-play cannot be played with."""
    if setup.sides != 2 or setup.players != 4:
        raise ValueError(
            f"{setup.text} with {setup.players} players has {setup.sides} sides; cross-play needs "
            "two sides of two partners: --players 4"
        )
    if setup.episode != "deal":
        raise ValueError(f"episode {setup.episode!r} is not possible in cross-play; play deals")


def _entrants(setup: Setup, tensor: Tensor) -> list[Entrant]:
    """All agents, each once; each is made, so that one that cannot play is told now."""
    in_teams = (name for team in tensor.references for name in team)
    names = list(dict.fromkeys([*tensor.agents, *in_teams]))
    for name in names:
        registry.make(name, setup.text, setup.players)
    return [describe(name, setup.text, setup.players) for name in names]


class _Plan:
    """What is to be played, and where in the tensor it belongs.

    Two teams meet once: a cell and its mirror are the same tables, and one of the two is played for
    both, whichever comes first by name.
    """

    def __init__(self, tensor: Tensor, pairs: Bools) -> None:
        self.tensor = tensor
        self.places: dict[Cell, list[tuple[Place, int]]] = {}
        for first, second in np.argwhere(pairs).tolist():
            for reference in range(len(tensor.references)):
                cell = tensor.cell(first, second, reference)
                played = min(cell, cell.mirror)
                sign = 1 if cell == played else -1
                place = (first, second, reference)
                self.places.setdefault(played, []).append((place, sign))

    def jobs(self, setup: Setup, hashes: dict[str, str]) -> Iterator[Job]:
        """What is missing. Cells that share partners stand together; the first blocks of all cells
        come first, so that a tensor that is broken off was played evenly.

        Which cells are together does not depend on what is missing, so that sums in networks are
        rounded as in a tensor that was not broken off.
        """
        cells = list(self.places)
        for block in range(blocks_of(setup.units)):
            together = max(1, _ROWS // (2 * min(UNITS, setup.units - block * UNITS)))
            for first in range(0, len(cells), together):
                part = tuple(cells[first : first + together])
                job = Job(setup, part, block, hashes, str(Path.cwd()))
                if self._is_missing(job):
                    yield job

    def enter(self, job: Job, units: Floats) -> None:
        """Puts what was played, (cells, units), into the tensor."""
        for cell, values in zip(job.cells, units, strict=True):
            for place, sign in self.places[cell]:
                self.tensor.units[place][job.units] = sign * values

    def _is_missing(self, job: Job) -> bool:
        places = [place for cell in job.cells for place, _ in self.places[cell]]
        return any(np.isnan(self.tensor.units[place][job.units]).any() for place in places)

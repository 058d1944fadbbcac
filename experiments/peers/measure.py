"""Measures environments in turns, on one core."""

from __future__ import annotations

import contextlib
import gc
import os
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from experiments.peers import aec, canasta, openspiel_games, pgx_games, rlcard_games
from experiments.peers.player import Entry, Player

__all__ = ["ENTRIES", "ROUNDS", "Measured", "Result", "measure"]

ENTRIES: Final = (
    *canasta.ENTRIES,
    *aec.ENTRIES,
    *rlcard_games.ENTRIES,
    *openspiel_games.ENTRIES,
    *pgx_games.ENTRIES,
)
ROUNDS: Final = 9
"""In each of them every environment plays once; the medians count."""
_WARM_UP: Final = 0.1
"""Seconds, after what is compiled at first has been."""


@dataclass(frozen=True)
class Measured:
    """An environment and its decisions a second, one value a round."""

    entry: Entry
    rounds: list[float] = field(default_factory=list)

    @property
    def speed(self) -> float:
        """The median."""
        return median(self.rounds)

    def over(self, other: Measured) -> float:
        """How many times as fast as another: the median of what the rounds gave, so that what
        disturbs a round disturbs both.
        """
        return median(a / b for a, b in zip(self.rounds, other.rounds, strict=True))


@dataclass(frozen=True)
class Result:
    """What was ``measured``, by name; a line for each environment that was not; and on what."""

    measured: dict[str, Measured]
    missing: list[str]
    core: str

    def ratios(self, name: str) -> dict[str, float]:
        """Ours over this environment, by the names of ours."""
        peer = self.measured[name]
        ours = [self.measured[key] for key in peer.entry.against if key in self.measured]
        return {one.entry.name: one.over(peer) for one in ours}


def measure(entries: Iterable[Entry], seconds: float) -> Result:
    """Plays every environment for about so many seconds, in :data:`ROUNDS` rounds.

    What cannot be made, or fails while it plays, is left out and told in a line.
    """
    missing: list[str] = []
    with _one_core() as core, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        players = _players(entries, missing)
        with _frozen_garbage():
            measured = _play(players, seconds / ROUNDS, missing)
    return Result(measured, missing, core)


def _players(entries: Iterable[Entry], missing: list[str]) -> dict[Entry, Player]:
    """The environments, warm."""
    players = {}
    for entry in entries:
        try:
            player = entry.make()
            player.play(_WARM_UP)
            players[entry] = player
        except Exception as error:  # whatever a framework raises, the others are measured
            missing.append(_trouble(entry, error))
    return players


def _play(players: dict[Entry, Player], seconds: float, missing: list[str]) -> dict[str, Measured]:
    found = {entry.name: Measured(entry) for entry in players}
    for _ in range(ROUNDS):
        for one in list(found.values()):
            try:
                one.rounds.append(_speed(players[one.entry], seconds))
            except Exception as error:
                missing.append(_trouble(one.entry, error))
                del found[one.entry.name]
    return found


def _speed(player: Player, seconds: float) -> float:
    start = time.perf_counter()
    decisions = player.play(seconds)
    return decisions / (time.perf_counter() - start)


def _trouble(entry: Entry, error: Exception) -> str:
    """Why an environment was not measured, in one line."""
    first = (str(error).strip() or "no reason given").splitlines()[0]
    if isinstance(error, ImportError):
        return f"{entry.name}: not installed ({first})"
    return f"{entry.name}: not measured ({type(error).__name__}: {first})"


@contextlib.contextmanager
def _one_core() -> Iterator[str]:
    """Keeps this thread to one core, and those that frameworks start from it; says to which."""
    if not hasattr(os, "sched_setaffinity"):
        yield "not kept to one core, which this system cannot"
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield f"core {max(cores)} alone"
    finally:
        os.sched_setaffinity(0, cores)


@contextlib.contextmanager
def _frozen_garbage() -> Iterator[None]:
    """Spares each environment the search for garbage among the objects of all frameworks."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()

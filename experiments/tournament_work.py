"""Plays one block of a tournament, whatever its agents do: what goes wrong is written down.

An agent that raises, gives an illegal action or takes too long loses the games in which it did, and
no others: when a call fails, its games are asked for one by one. A process that dies is the
concern of :mod:`experiments.tournament_crew`.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents import checkpoint as checkpoints
from canasta_env import kernels
from canasta_env.sources import source_hash
from experiments import deals, leads
from experiments.behaviour import COUNTS
from experiments.block import Block, Lineup, Tables
from experiments.luck import advantage
from experiments.play import by_team, line_up
from experiments.tournament_agents import describe
from experiments.tournament_plan import Job, block_seed

__all__ = ["OK", "Played", "failed_block", "play_block"]

Ints = npt.NDArray[np.int64]

OK: Final = "ok"
_LONGEST: Final = 200
"""Characters of a status."""
_DECIMALS: Final = 4
"""Of the luck, so that a row is short."""
_HAS_ALARM: Final = hasattr(signal, "SIGALRM")
"""Without it, as on Windows, a call that takes too long is only ended with its process."""


@dataclass(frozen=True)
class Played:
    """What came of a block: the columns of its games after ``pairing``, and what played it."""

    games: list[tuple[Any, ...]]
    versions: dict[str, str]


class Overrun(BaseException):
    """A call took too long; no agent should catch it with its ``except Exception``."""


class AgentChangedError(ValueError):
    """An agent is not the one that the tournament began with."""


class _Limit:
    """A limit for calls, by the alarm signal; what does not listen to it is killed a while later.

    A signal reaches Python code and what it calls in short pieces. Native code that never comes
    back is ended with its process, by a thread that does not need the interpreter.
    """

    GRACE: Final = 10.0
    _AGAIN: Final = 1.0
    """Seconds after which the watch over native code begins anew."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._armed = -self._AGAIN

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """The time of the calls made inside, in the main thread: signals reach no other."""
        before = signal.signal(signal.SIGALRM, self._overrun) if _HAS_ALARM else None
        try:
            yield
        finally:
            if _HAS_ALARM:
                signal.signal(signal.SIGALRM, before)
            faulthandler.cancel_dump_traceback_later()

    def call(self, function: Callable[[], Any]) -> Any:
        """What the function returns; raises :class:`Overrun`."""
        now = time.monotonic()
        if now - self._armed >= self._AGAIN:
            seconds = 2 * self.seconds + self.GRACE
            faulthandler.dump_traceback_later(seconds, exit=True, file=_nowhere())
            self._armed = now
        _set_alarm(self.seconds)
        try:
            return function()
        finally:
            _set_alarm(0.0)

    @staticmethod
    def _overrun(*_: Any) -> None:
        raise Overrun


def _set_alarm(seconds: float) -> None:
    if _HAS_ALARM:
        signal.setitimer(signal.ITIMER_REAL, seconds)


@cache
def _nowhere() -> Any:
    return Path(os.devnull).open("w", encoding="utf-8")


class GuardedBlock(Block):
    """A block that goes on without the games that an agent spoiled.

    ``faults``: what went wrong, by row.
    """

    def __init__(self, job: Job, lineup: Lineup, units: Ints) -> None:
        super().__init__(job.settings.setup, lineup, units, with_luck=True)
        self.limit = _Limit(job.limit)
        self.faults: dict[int, str] = {}

    def play(self) -> Tables:
        """As :meth:`Block.play`."""
        with self.limit.watching():
            return super().play()

    def ask(self, index: int, rows: Ints) -> None:
        """Asks the agent; if it raises, once more for each row alone."""
        name = self.lineup.names[index]
        try:
            chosen = self.limit.call(lambda: self.lineup.agents[index].act(self.batch, rows))
            actions = _checked(chosen, len(rows))
        except Overrun:
            seconds = f"{self.limit.seconds:g} s"
            self._fail(rows, f"{name} took longer than {seconds} for {len(rows)} decisions")
        except Exception as error:
            if len(rows) > 1:
                for place in range(len(rows)):
                    self.ask(index, rows[place : place + 1])
            else:
                self._fail(rows, f"{name} raised {type(error).__name__}: {error}")
        else:
            self._take(name, rows, actions)

    def still_playing(self, rows: Ints) -> Ints:
        """Those of ``rows`` that are not spoiled."""
        if not self.faults:
            return rows
        return rows[~np.isin(rows, list(self.faults))]

    def _take(self, name: str, rows: Ints, actions: Ints) -> None:
        """Takes the actions that are legal."""
        known = (actions >= 0) & (actions < self.batch.actions)
        legal = known & self.batch.mask[rows, np.where(known, actions, 0)]
        self.actions[rows] = actions
        for row, action in zip(rows[~legal], actions[~legal].tolist(), strict=True):
            texts = self.batch.table.texts
            text = texts[action] if 0 <= action < len(texts) else str(action)
            self._fail(np.array([row]), f"illegal action of {name}: {text}")

    def _fail(self, rows: Ints, status: str) -> None:
        self.faults.update(dict.fromkeys(rows.tolist(), _one_line(status)))
        self.batch.stop(rows)


def _checked(chosen: Any, count: int) -> Ints:
    """What an agent gave, as actions of so many rows; raises ValueError if it is something else."""
    actions = np.asarray(chosen)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise ValueError(f"gave {actions.dtype} {actions.shape} for {count} actions")
    return actions.astype(np.int64)


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def play_block(job: Job) -> Played:
    """Plays a block; the same job gives the same games wherever it is played.

    Raises:
        AgentChangedError: an agent's files or sources are not what they were.
    """
    if Path(job.folder).is_dir():
        os.chdir(job.folder)
    _check_agents(job)
    units = _units(job)
    seed = block_seed(job.settings.seed, job.teams, job.block)
    try:
        lineup = line_up(*job.teams, job.settings.setup, seed)
    except Exception as error:
        return failed_block(job, f"an agent could not be made: {error}")
    block = GuardedBlock(job, lineup, units)
    return Played(_games(units, block.play(), lineup, block.faults, job), _versions())


def failed_block(job: Job, status: str) -> Played:
    """A block of which no game was played."""
    seeds = deals.unit_seeds(job.settings.seed, _units(job)).tolist()
    games = [
        (unit, side, seed, *_failed(_one_line(status)))
        for unit, seed in zip(_units(job).tolist(), seeds, strict=True)
        for side in range(job.settings.sides)
    ]
    return Played(games, _versions())


def _units(job: Job) -> Ints:
    size = job.settings.block
    return np.arange(job.block * size, (job.block + 1) * size)


def _check_agents(job: Job) -> None:
    settings = job.settings
    for name, expected in job.hashes.items():
        try:
            found = describe(name, settings.setup.text, settings.players).hash
        except ValueError as error:
            raise AgentChangedError(str(error)) from None
        if found != expected:
            raise AgentChangedError(f"{name} is not the agent that the tournament began with")


def _failed(status: str) -> tuple[Any, ...]:
    """The columns after ``seed`` of a game that was not played to its end."""
    return (None, None, None, None, None, None, status, *[None] * (2 * len(COUNTS)))


def _games(
    units: Ints, tables: Tables, lineup: Lineup, faults: dict[int, str], job: Job
) -> list[tuple[Any, ...]]:
    """The columns of the games, one row a table."""
    columns = _columns(tables, lineup)
    seeds = deals.unit_seeds(job.settings.seed, units).tolist()
    games = []
    for row, played in enumerate(zip(*columns, strict=True)):
        unit, side = divmod(row, job.settings.sides)
        known = (int(units[unit]), side, seeds[unit])
        games.append((*known, *(_failed(faults[row]) if row in faults else played)))
    return games


def _columns(tables: Tables, lineup: Lineup) -> list[Sequence[Any]]:
    """The columns from ``deals`` on, each one value a row."""
    counts = [by_team(lineup, tables.counts[name]) for name in COUNTS]
    rows = len(tables.capped)
    return [
        tables.counts["deals"][:, 0].tolist(),
        leads.differences(tables.scores).ravel().tolist(),
        leads.wins(tables.scores).ravel().tolist(),
        [json.dumps(scores) for scores in tables.scores.reshape(rows, -1).tolist()],
        tables.capped.astype(int).tolist(),
        [json.dumps(sums) for sums in _luck(tables).tolist()],
        [OK] * rows,
        *(count[:, team].tolist() for team in (0, 1) for count in counts),
    ]


def _luck(tables: Tables) -> npt.NDArray[np.float64]:
    """A's luck less B's, shape (rows, features)."""
    sums = tables.luck
    assert sums is not None  # a guarded block counts it
    found = advantage(sums.reshape(*tables.scores.shape, sums.shape[-1]))
    rounded: npt.NDArray[np.float64] = found.round(_DECIMALS).reshape(-1, sums.shape[-1]) + 0.0
    return rounded


@cache
def _versions() -> dict[str, str]:
    """The versions that a block depends on, and the engine's sources."""
    engine = source_hash(Path(kernels.__file__), kernels.__name__)
    return {**checkpoints.versions(), "engine": engine[:16]}

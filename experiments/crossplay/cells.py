"""Plays cells of the tensor, many in lock step.

A cell is two partners against two opponents. What comes of one follows from the settings, the names
of its four agents and the number of the block of decks: agents that draw lots are made anew for
each cell and block, with seeds of their own. Networks that play greedily draw none, so one is
shared by all cells of a job and is asked for the rows of all of them at once; sums of other rows
may be rounded in another way, which is all that one cell can notice of another.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents import registry
from experiments import deals, leads
from experiments.block import Block, Lineup, Setup
from experiments.tournament_agents import describe
from experiments.tournament_plan import block_seed

__all__ = ["UNITS", "AgentChangedError", "Cell", "Job", "blocks_of", "play", "play_job"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

UNITS: Final = 512
"""Decks of a block, in which agents go on drawing lots; the last block of a cell may have fewer.
Part of the result."""


class AgentChangedError(ValueError):
    """An agent is not the one that the tensor was begun with; the text is one line."""


@dataclass(frozen=True, order=True)
class Cell:
    """Two partners, first and second seat of their side, against two opponents: agents' names."""

    partners: tuple[str, str]
    opponents: tuple[str, str]

    @property
    def mirror(self) -> Cell:
        """The same tables seen from the other side: its units are this one's with other signs."""
        return Cell(self.opponents, self.partners)

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of all four."""
        return (*self.partners, *self.opponents)


@dataclass(frozen=True)
class Job:
    """Cells that are played together, on the decks of one block.

    ``hashes``: what the agents' files or sources must be, by name. ``folder``: the one that
    relative paths of agents start from.
    """

    setup: Setup
    cells: tuple[Cell, ...]
    block: int
    hashes: Mapping[str, str]
    folder: str

    @property
    def units(self) -> Ints:
        """The numbers of the decks, (units of the block,)."""
        return np.arange(self.block * UNITS, min((self.block + 1) * UNITS, self.setup.units))


def blocks_of(units: int) -> int:
    """How many blocks hold so many decks."""
    return -(-units // UNITS)


def play_job(job: Job) -> Floats:
    """The units of a job's cells: mean points a deal over a deck's two tables, (cells, units).

    Raises:
        AgentChangedError: an agent's files or sources are not what they were.
        ValueError: a name is no agent's, or an agent is for another game.
    """
    os.chdir(job.folder)
    for name in {name for cell in job.cells for name in cell.agents}:
        if describe(name, job.setup.text, job.setup.players).hash != job.hashes[name]:
            raise AgentChangedError(f"{name} is not the agent that the tensor was begun with")
    return play(job.setup, job.cells, job.block, job.units, job.hashes)


def play(
    setup: Setup,
    cells: Sequence[Cell],
    block: int,
    units: Ints,
    hashes: Mapping[str, str] | None = None,
) -> Floats:
    """As :func:`play_job`, with any ``units`` (numbers of decks), which draw the lots of a block;
    ``hashes`` tell when a network that was loaded before has been replaced.
    """
    seating = _Seating(setup, hashes or {})
    owners = [seating.seat(cell, block) for cell in cells]
    lineup = seating.lineup(owners[0])
    table = Block(setup, lineup, np.tile(units, len(cells)))
    table.owner = np.concatenate([np.tile(owner, (len(units), 1)) for owner in owners])
    return leads.differences(table.play().scores).mean(axis=1).reshape(len(cells), -1)


class _Seating:
    """The agents of some cells, and who sits where, as :func:`experiments.play.line_up` does it."""

    def __init__(self, setup: Setup, hashes: Mapping[str, str]) -> None:
        self.setup, self.hashes = setup, hashes
        sides, seats = np.arange(setup.sides), np.arange(setup.players)
        self.team_of = (sides[:, None] != sides).astype(np.int64)
        self.team_at = self.team_of[:, seats % setup.sides]
        self.place = seats // setup.sides
        self.agents: list[Any] = []
        self._known: dict[int, int] = {}

    def lineup(self, owner: Ints) -> Lineup:
        """All agents; ``owner`` as of one cell."""
        names = tuple(agent.name for agent in self.agents)
        return Lineup(tuple(self.agents), names, owner, self.team_of)

    def seat(self, cell: Cell, block: int) -> Ints:
        """Who has which seat in a cell, as indices of the agents: (tables, seats)."""
        teams = cell.partners, cell.opponents
        seed = block_seed(self.setup.seed, ("+".join(teams[0]), "+".join(teams[1])), block)
        members = np.array([self._members(team, of, seed) for team, of in enumerate(teams)])
        return members[self.team_at, self.place]

    def _members(self, team: int, names: tuple[str, ...], seed: int) -> list[int]:
        """The indices of a team's agents; one in two seats is made once."""
        distinct = list(dict.fromkeys(names))
        made = [
            self._enter(name, deals.agent_seed(seed, team, place))
            for place, name in enumerate(distinct)
        ]
        return [made[distinct.index(name)] for name in names]

    def _enter(self, name: str, seed: int) -> int:
        """The index of an agent, which is made unless it is one that all cells share."""
        text, players = self.setup.text, self.setup.players
        if _is_greedy_network(name):
            version = self.hashes.get(name, "")
            agent = _network(name, text, players, version, str(Path.cwd()))
        else:
            agent = registry.make(name, text, players, seed)
        if id(agent) not in self._known:
            self._known[id(agent)] = len(self.agents)
            self.agents.append(agent)
        return self._known[id(agent)]


def _is_greedy_network(name: str) -> bool:
    """Whether an agent draws no lots and remembers nothing, so that one plays in all cells."""
    path, temperature = registry.split(name)
    is_network = path == registry.CHAMPION or (name not in registry.BOTS and Path(path).exists())
    return is_network and temperature == 0


@lru_cache(maxsize=64)
def _network(name: str, rules: str, players: int, version: str, folder: str) -> Any:
    """A network's agent, loaded once; ``version`` and ``folder`` keep apart what had the same name
    at another time or place.
    """
    return registry.make(name, rules, players)

"""Whose games are imitated: agents that play in the batch, or records of games.

Both are asked for an action for every game, and say whose choices count. With agents the batch
deals on as usual; the deals of records are put into it one after another and played again.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import Agent, load_state, state_of
from agents.checkpoint import group, joined
from canasta_env.record import Record, RecordError, load_record

__all__ = ["PastDeal", "RecordsError", "Script", "Teachers", "read_deals"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


class Teachers:
    """Agents at the tables of a batch.

    Args:
        teacher: whose choices are learned: at all seats, but
        others: agents, one of whom plays the other sides in the first
        share: of the games, the teacher's side alternating. From 0 to 1.
        batch: the games.
    """

    def __init__(self, teacher: Agent, others: Sequence[Agent], share: float, batch: Any) -> None:
        self.agents = [teacher, *others]
        self.who = np.zeros((batch.n, batch.players), np.int64)
        mixed = np.arange(round(share * batch.n) if others else 0)
        theirs = np.arange(batch.players) % batch.sides != mixed[:, None] % batch.sides
        turn = mixed // batch.sides % max(1, len(others))
        self.who[mixed] = np.where(theirs, 1 + turn[:, None], 0)

    def act(self, batch: Any) -> Ints:
        """A legal action for each game, (n,)."""
        actions: Ints = batch.mask.argmax(axis=1)
        free = np.count_nonzero(batch.mask, axis=1) > 1
        to_act = self.who[np.arange(batch.n), batch.seat]
        for number, agent in enumerate(self.agents):
            rows = np.flatnonzero(free & (to_act == number))
            if rows.size:
                actions[rows] = agent.act(batch, rows)
        return actions

    def counts(self, batch: Any) -> Bools:
        """In which games the seat to act is one to learn from, (n,)."""
        counts: Bools = self.who[np.arange(batch.n), batch.seat] == 0
        return counts

    def follow(self, batch: Any, ended: Bools) -> None:
        """After a step: where a deal ended the batch has dealt the next one."""

    def state_dict(self) -> dict[str, Any]:
        """The states of the agents' random numbers."""
        return joined({str(i): state_of(agent) for i, agent in enumerate(self.agents)})

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back what :meth:`state_dict` gave."""
        for i, agent in enumerate(self.agents):
            load_state(agent, group(state, str(i)))


class RecordsError(ValueError):
    """Records that cannot be learned from; the text is one line: which file, why, what to do."""


@dataclass(frozen=True)
class PastDeal:
    """A deal of a record: its ``deck``, the state ``start`` before its first action (a record array
    of length one), the ids of its ``actions``, and which ``seats`` are learned from, (players,).
    """

    deck: bytes
    start: Any
    actions: tuple[int, ...]
    seats: Bools


class Script:
    """Deals of records, played again in the rows of a batch, each row its next one when a deal is
    over; after all of them have begun once they come again in another order.

    Args:
        deals: at least one.
        batch: the games. It deals anew of itself, or stops where a deal ends; then each row plays
            one deal.
        seed: of the order.
    """

    def __init__(self, deals: Sequence[PastDeal], batch: Any, seed: int) -> None:
        lengths = [len(deal.actions) for deal in deals]
        self.starts = np.concatenate([deal.start.view(np.ndarray) for deal in deals])
        self.actions = np.concatenate([np.array(deal.actions, np.int64) for deal in deals])
        self.first = np.concatenate([[0], np.cumsum(lengths)])[:-1]
        self.seats = np.stack([deal.seats for deal in deals])
        self.seed = seed
        self.begun = 0
        self.order: Ints | None = None
        self.deal = np.zeros(batch.n, np.int64)
        self.move = np.zeros(batch.n, np.int64)
        self._begin(batch, np.arange(batch.n))

    def act(self, batch: Any) -> Ints:
        """The next action of each game, (n,); of games that are over and stay so any number."""
        at = np.minimum(self.first[self.deal] + self.move, len(self.actions) - 1)
        self.move += 1
        actions: Ints = self.actions[at]
        return actions

    def counts(self, batch: Any) -> Bools:
        """In which games the seat to act is one to learn from, (n,)."""
        counts: Bools = self.seats[self.deal, batch.seat]
        return counts

    def follow(self, batch: Any, ended: Bools) -> None:
        """After a step: puts the next deals where one ended, unless the batch stops there."""
        rows = np.flatnonzero(ended & ~batch.over)
        if rows.size:
            self._begin(batch, rows)

    def _begin(self, batch: Any, rows: Ints) -> None:
        """Puts the next deals into ``rows``."""
        for row in rows:
            again, place = divmod(self.begun, len(self.first))
            if place == 0 or self.order is None:
                self.order = np.random.default_rng((self.seed, again)).permutation(len(self.first))
            self.deal[row] = self.order[place]
            self.begun += 1
        self.move[rows] = 0
        batch.games.view(np.ndarray)[rows] = self.starts[self.deal[rows]]
        batch.refresh()

    def state_dict(self) -> dict[str, Any]:
        """Where each row stands in its deal, how many have begun, and what tells these deals from
        others.
        """
        state = {"begun": self.begun, "deal": self.deal, "move": self.move, "sum": self._sum()}
        return {name: np.asarray(value) for name, value in state.items()}

    def _sum(self) -> int:
        return zlib.crc32(self.actions.tobytes(), zlib.crc32(self.starts.tobytes()))

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back what :meth:`state_dict` gave; the batch has a state of its own.

        Raises:
            RecordsError: the state is of other deals.
        """
        if int(state["sum"]) != self._sum():
            raise RecordsError(
                "--records: they are not those that the run began with; put them back, or begin "
                "a new run with --start"
            )
        self.begun, self.order = int(state["begun"]), None
        self.deal[:] = state["deal"]
        self.move[:] = state["move"]


def read_deals(folder: Path, rules: str, players: int, name: str) -> list[PastDeal]:
    """The finished deals of all records in ``folder`` and below it (``*.txt``), file by file.

    Args:
        folder: of the records.
        rules: the rules that all of them must have been played by, as text.
        players: how many there must be.
        name: of the seats that are learned from, as the records have it; empty: all seats.

    Raises:
        RecordsError: a file isn't a record, or of other rules, or there is nothing to learn from.
    """
    files = sorted(folder.rglob("*.txt"))
    if not files:
        raise RecordsError(
            f"{folder}: holds no records (*.txt); "
            "python -m experiments.match A B --records DIR writes some"
        )
    deals: list[PastDeal] = []
    names: set[str] = set()
    for file in files:
        record = _read(file, rules, players)
        names |= set(record.names)
        deals += _deals(record, np.array([name in ("", seat) for seat in record.names]))
    if name and name not in names:
        raise RecordsError(
            f"{folder}: nobody is called {name!r} in its records; --teacher can be "
            f"{', '.join(sorted(names))}, or is left out for all seats"
        )
    if not deals:
        raise RecordsError(f"{folder}: no deal of its records was played to its end")
    return deals


def _read(file: Path, rules: str, players: int) -> Record:
    """The record of a file, which must be of these rules and players."""
    try:
        record = load_record(file)
    except RecordError as error:
        raise RecordsError(f"{file}: {error}") from None
    except OSError as error:
        raise RecordsError(f"{file}: {error.strerror or error}") from None
    have = str(record.game.rules), record.game.players
    if have != (rules, players):
        raise RecordsError(
            f"{file}: {have[0]} with {have[1]} players, not {rules} with {players}; "
            "give --rules and --players as in the records"
        )
    return record


def _deals(record: Record, seats: Bools) -> list[PastDeal]:
    """The deals of a record that came to their end; the last one may not have."""
    deals = record.game.deals if record.game.over else record.game.deals[:-1]
    return [PastDeal(deal.deck, deal.games(), deal.actions, seats) for deal in deals if seats.any()]

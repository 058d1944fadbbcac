"""Keeps the records of a match's first games: ``python -m experiments.match … --records DIR``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from canasta_env.game import Game
from canasta_env.record import RecordWriter

__all__ = ["Recorder", "folder_for"]

Ints = npt.NDArray[np.int64]


@dataclass
class _Deal:
    """What a deal follows from."""

    deck: list[int]
    dealer: int
    scores: list[int]
    number: int
    actions: list[int] = field(default_factory=list)


class Recorder:
    """Watches the first tables of a match and writes down what was played at them.

    Args:
        folder: where the files go; it is made if it does not exist.
        decks: how many decks are recorded, at all tables that they are played at.
    """

    def __init__(self, folder: Path, decks: int) -> None:
        self.folder = folder
        self.decks = decks
        self._deals: dict[int, list[_Deal]] = {}

    def dealt(self, rows: Ints, decks: Any, dealers: Any, scores: Any, numbers: Any) -> None:
        """Deals begin in ``rows``, as ``Batch.start_deal`` is told."""
        for i, row in enumerate(rows.tolist()):
            if row in self._deals:
                deal = _Deal(
                    decks[i].tolist(), int(dealers[i]), scores[i].tolist(), int(numbers[i])
                )
                self._deals[row].append(deal)

    def watch(self, rows: Ints) -> None:
        """From now on watch ``rows``, and no others."""
        self._deals = {int(row): [] for row in rows}

    def acted(self, rows: Ints, actions: Ints) -> None:
        """The rows that are watched have played such actions."""
        for row in rows[np.isin(rows, list(self._deals))].tolist():
            self._deals[row][-1].actions.append(int(actions[row]))

    def write(self, setup: Any, lineup: Any) -> int:
        """Replay what was watched and write a file for each table; returns how many."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for row, deals in self._deals.items():
            unit, table = divmod(row, setup.sides)
            names = [str(lineup.agents[index].name) for index in lineup.owner[table]]
            writer = RecordWriter(_replayed(setup, deals), names)
            writer.save(self.folder / f"deck-{unit:05d}-table-{table}.txt")
        return len(self._deals)


def folder_for(parent: Path, teams: tuple[str, str]) -> Path:
    """The folder for the records of one pair of teams."""
    return parent / re.sub(r"[^\w.+@-]+", "_", "-against-".join(teams))


def _replayed(setup: Any, deals: list[_Deal]) -> Game:
    """The game that some deals were."""
    first, *later = deals
    game = Game(
        setup.text, players=setup.players, seed=setup.seed, stock=setup.stock, deck=first.deck,
        dealer=first.dealer, scores=first.scores, deal=first.number,
    )  # fmt: skip
    for action in first.actions:
        game.play(action)
    for deal in later:
        game.next_deal(deal.deck)
        for action in deal.actions:
            game.play(action)
    return game

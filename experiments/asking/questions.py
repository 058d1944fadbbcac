"""Counts the questions of a match and its answers, with what the one who answers holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.wrapper import ASK, NO, YES

__all__ = ["ANSWER", "USES", "Questions"]

Ints = npt.NDArray[np.int64]

USES: Final = ("possible", "asked", "yes", "no")
"""What is counted of a team: turns in which it might ask, and did, and the answers it got."""
ANSWER: Final = ("team", "yes", "hand", "points", "asker")
"""Columns of an answer: whose, whether it was yes, the cards and their points in the hand of the
one who answers, and the cards in that of the one who asks."""


@dataclass
class Questions:
    """Watches a block (see :class:`agents.base.Agent`, ``watch``).

    Args:
        team_of: (rows, sides), which team has each side.

    Attributes:
        uses: of each name in :data:`USES`, (2,) for the teams.
        answers: arrays (k, 5) with the columns :data:`ANSWER`, in the order of the steps.
        turns: (rows,), turns begun in each row so far.
    """

    team_of: Ints

    def __post_init__(self) -> None:
        self.uses = {name: np.zeros(2, np.int64) for name in USES}
        self.answers: list[Ints] = [np.zeros((0, len(ANSWER)), np.int64)]
        self.turns = np.zeros(len(self.team_of), np.int64)

    def watch(self, batch: Any, rows: Ints, actions: Ints) -> None:
        """Such actions (one for each row of the batch) are about to be played in ``rows``."""
        self.turns[rows] = batch.games.turns[rows]
        if not batch.rules.asking:
            return
        ask, yes, no = (batch.table.id(text) for text in (ASK, YES, NO))
        played = actions[rows]
        self._count("possible", batch, rows[batch.mask[rows, ask]])
        self._count("asked", batch, rows[played == ask])
        self._count("yes", batch, rows[played == yes])
        self._count("no", batch, rows[played == no])
        answering = rows[(played == yes) | (played == no)]
        if answering.size:
            self.answers.append(self._answers(batch, answering, actions[answering] == yes))

    def _teams(self, batch: Any, rows: Ints) -> Ints:
        """The team of the seat to act."""
        teams: Ints = self.team_of[rows, batch.seat[rows] % batch.sides]
        return teams

    def _count(self, name: str, batch: Any, rows: Ints) -> None:
        self.uses[name] += np.bincount(self._teams(batch, rows), minlength=2)

    def _answers(self, batch: Any, rows: Ints, said: npt.NDArray[np.bool_]) -> Ints:
        games, seats = batch.games, batch.seat[rows]
        values = np.asarray(batch.packed[0].values, np.int64)
        hands = games.hands[rows, seats].astype(np.int64)
        columns = (
            self._teams(batch, rows),
            said,
            hands.sum(1),
            hands @ values[: hands.shape[1]],
            games.hand_sizes[rows, games.asker[rows]],
        )
        return np.column_stack([np.asarray(column, np.int64) for column in columns])

"""Many rows of weights against the same opponents on the same decks, in one batch.

The seating and the decks are those of a duplicate match (:mod:`experiments.play`): a unit is a deck
that is played at as many tables as there are sides, with the candidate on another side each time
and the opponent on all others. All candidates of a trial get the same units and opponents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.bots import Chooser
from canasta_env.batch import Batch
from canasta_env.bots import Bot, styles
from experiments import deals

__all__ = ["Changes", "Field", "leads"]

Changes = dict[str, int]

_ROWS: Final = 16384
"""About so many games in lock step; more take memory and are not faster."""


@dataclass(frozen=True)
class Field:
    """What the candidates play.

    ``rules``, ``players``: as of a batch. ``against``: the weights of the opponents, who take turns
    from unit to unit. ``seed``: of the decks and of the bots' lots.
    """

    rules: str
    players: int
    against: tuple[Changes, ...]
    seed: int


def leads(field: Field, candidates: list[Changes], units: Any) -> npt.NDArray[np.float64]:
    """The points a deal by which each candidate leads in each unit, (candidates, units).

    A lead is the deal score of the candidate's side less the mean of the others', averaged over the
    unit's tables.
    """
    per_block = max(1, _ROWS // len(units))
    blocks = [
        _play(field, candidates[first : first + per_block], np.asarray(units, np.int64))
        for first in range(0, len(candidates), per_block)
    ]
    return np.concatenate(blocks)


def _play(field: Field, candidates: list[Changes], units: Any) -> npt.NDArray[np.float64]:
    count, per = len(candidates), len(units)
    batch = Batch(
        field.rules, 1, players=field.players, stock="seat_streams", autoreset="off", observe=False
    )
    sides = batch.sides
    batch = Batch(
        field.rules, count * per * sides, players=field.players, stock="seat_streams",
        autoreset="off", observe=False,
    )  # fmt: skip
    rows = np.arange(batch.n)
    candidate, unit, table = rows // (per * sides), rows // sides % per, rows % sides
    first = deals.starts(batch.packed, field.seed, units, "spread")
    cards = deals.decks(batch.packed, field.seed, units, first.numbers)
    batch.start_deal(
        rows, cards[unit], first.dealers[unit], first.scores[unit], first.numbers[unit]
    )
    opponent = count + units[unit] % len(field.against)
    mine = np.arange(sides) == table[:, None]
    owner = np.where(mine, candidate[:, None], opponent[:, None]) + int(Bot.BASIC)
    _to_the_end(batch, owner, styles.rows(*candidates, *field.against), field.seed)
    scores = batch.deal_scores.astype(np.float64)
    others = (scores * ~mine).sum(1) / (sides - 1)
    lead = (scores * mine).sum(1) - others
    found: npt.NDArray[np.float64] = lead.reshape(count, per, sides).mean(2)
    return found


def _to_the_end(batch: Batch, owner: Any, table: Any, seed: int) -> None:
    """Plays all deals; ``owner`` (rows, sides) are the numbers of the bots on the sides."""
    chooser, actions = Chooser(), np.zeros(batch.n, np.int64)
    lots, first = deals.agent_seed(seed, 0, 0), 0
    rows = np.arange(batch.n)
    while rows.size:
        bots = owner[rows, batch.seat[rows] % batch.sides]
        actions[rows] = chooser.choose(batch, rows, bots, table, lots, first)
        first += len(rows)
        batch.step(actions)
        rows = rows[~batch.over[rows]]

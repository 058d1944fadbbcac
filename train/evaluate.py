"""Duplicate deals between two agents: the measure that training shows as it goes.

Each deck is played once for each side, with the same dealer and scores, the first agent moving on
from side to side; luck of the cards cancels in the mean over these tables. Seeds lie apart from
those of training.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents import registry
from agents.base import Agent
from canasta_env.rules import Rules
from train.workers import make_batch

__all__ = ["Score", "against", "duplicate", "score"]

EVALUATION_SEED: Final = 1_000_000_007
"""Added to a seed, so that no deal of an evaluation was trained on."""


@dataclass(frozen=True)
class Score:
    """Points a deal of one agent above the others, over so many decks, and the standard error."""

    points: float
    error: float
    decks: int

    def __str__(self) -> str:
        return f"{self.points:+.0f} ± {1.96 * self.error:.0f}"


def score(differences: npt.NDArray[np.float64]) -> Score:
    """Mean and standard error of the differences of decks."""
    decks = len(differences)
    error = float(differences.std(ddof=1)) / decks**0.5 if decks > 1 else float("nan")
    return Score(float(differences.mean()), error, decks)


def against(agent: Agent, opponent: str, args: Any, decks: int) -> Score:
    """Points a deal of an agent against the one called ``opponent``, always on the same decks.

    ``args`` are the settings of a trainer: its rules, players and threads count.
    """

    def tables(n: int, *, seed: int) -> Any:
        return make_batch(args, n, seed=seed, autoreset="off")

    other = registry.make(opponent, args.rules, args.players)
    games = min(1024, decks * Rules.parse(args.rules).sides_of(args.players))
    return score(duplicate(agent, other, tables, decks=decks, games=games))


def duplicate(
    first: Agent,
    second: Agent,
    tables: Callable[..., Any],
    *,
    decks: int = 256,
    seed: int = 0,
    games: int = 1024,
) -> npt.NDArray[np.float64]:
    """Points of ``first`` above the mean of the other sides, for each of ``decks`` decks, in points
    a deal.

    ``tables(n, seed=...)`` gives a batch of deals that stay finished; ``games`` is the most of
    them at once.
    """
    done: list[npt.NDArray[np.float64]] = []
    count = 0
    while count < decks:
        batch = tables(games, seed=EVALUATION_SEED + 1000 * seed + len(done))
        part = _tables(first, second, batch)
        done.append(part[: decks - count])
        count += len(done[-1])
    return np.concatenate(done)


def _tables(first: Agent, second: Agent, batch: Any) -> npt.NDArray[np.float64]:
    """Plays one batch; rows ``sides * d`` to ``sides * d + sides - 1`` are the tables of deck d."""
    sides = batch.sides
    rows = batch.n // sides * sides
    for side in range(1, sides):
        batch.games[side:rows:sides] = batch.games[0:rows:sides]
    batch.refresh()
    side_of_first = np.arange(batch.n) % sides
    active = np.arange(batch.n) < rows
    actions = np.zeros(batch.n, np.int64)
    while active.any():
        ours = batch.seat % sides == side_of_first
        for agent, turn in ((first, ours), (second, ~ours)):
            at = np.flatnonzero(active & turn)
            if at.size:
                actions[at] = agent.act(batch, at)
        _step(batch, actions, active)
    return _differences(
        np.asarray(batch.deal_scores[:rows], np.float64), side_of_first[:rows], sides
    )


def _step(batch: Any, actions: npt.NDArray[np.int64], active: npt.NDArray[np.bool_]) -> None:
    """One step; rows that are left over play their first legal action."""
    idle = np.flatnonzero(~active)
    if idle.size:
        actions[idle] = batch.mask[idle].argmax(axis=1)
    batch.step(actions)
    active &= ~(batch.terminated | batch.truncated)


def _differences(
    scores: npt.NDArray[np.float64], side: npt.NDArray[np.int64], sides: int
) -> npt.NDArray[np.float64]:
    """Own score less the mean of the others, averaged over the tables of each deck."""
    own = scores[np.arange(len(scores)), side]
    others = (scores[:, :sides].sum(axis=1) - own) / (sides - 1)
    means: npt.NDArray[np.float64] = (own - others).reshape(-1, sides).mean(axis=1)
    return means

"""States of self-play with the hands that were hidden in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from agents import registry
from canasta_env.batch import Batch
from canasta_env.rules import Rules
from experiments.beliefs.counting import Certain, certain, hidden_cards, look, refuse_unfit
from experiments.deals import agent_seed, unit_seeds

__all__ = ["Play", "Samples", "gather", "gather_from"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Play:
    """What is played.

    ``every``: one state in so many steps of a deal is kept. ``scores``: as of the batch. ``seed``:
    of decks and agents. ``part``: a number for each set of deals that must not share decks with
    another.
    """

    rules: Rules
    players: int
    deals: int
    every: int = 1
    scores: Literal["zero", "spread"] = "spread"
    seed: int = 0
    part: int = 0


@dataclass(frozen=True)
class Samples:
    """States, each seen by the seat to act.

    Attributes:
        observation: uint8 (n, O).
        certain: what that seat knows for certain.
        truth: int (n, H, K), the hidden cards of the other hands; not for what makes beliefs.
        deal: int (n,), the number of the deal.
        left: float (n,), the share of the deal's first stock that is left.
    """

    observation: npt.NDArray[np.uint8]
    certain: Certain
    truth: Ints
    deal: Ints
    left: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.deal)

    def take(self, rows: Any) -> Samples:
        """The same for some rows: an index array or a slice."""
        return Samples(
            self.observation[rows], self.certain.take(rows), self.truth[rows], self.deal[rows],
            self.left[rows],
        )  # fmt: skip


def gather(name: str, play: Play) -> Samples:
    """States of deals that the agent called ``name`` plays with itself in all seats.

    Raises:
        ValueError: it is no agent's name, or the rules do not fit.
    """
    seed = agent_seed(play.seed, 0, play.part)
    return gather_from(registry.make(name, str(play.rules), play.players, seed), play)


def gather_from(agent: Any, play: Play) -> Samples:
    """The same of an agent itself."""
    refuse_unfit(play.rules)
    seed = int(unit_seeds(play.seed, np.array([play.part]))[0])
    batch = Batch(
        play.rules, play.deals, players=play.players, seed=seed, scores=play.scores,
        autoreset="off",
    )  # fmt: skip
    first, every_row = batch.games.stock_size.astype(np.float64), np.arange(batch.n)
    parts: list[Samples] = []
    step = 0
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        kept = rows[(every_row[rows] + step) % play.every == 0]
        if kept.size:
            parts.append(_states(batch, kept, first[kept]))
        actions = batch.mask.argmax(axis=1)
        actions[rows] = agent.act(batch, rows)
        batch.step(actions)
        step += 1
    return _joined(parts)


def _states(batch: Batch, rows: Ints, first: npt.NDArray[np.float64]) -> Samples:
    sure = certain(look(batch, rows))
    truth = hidden_cards(batch, rows, sure.known)
    left = sure.stock / np.maximum(first, 1.0)
    return Samples(batch.observation[rows], sure, truth, rows, left)


def _joined(parts: list[Samples]) -> Samples:
    """All states, in the order of their deals."""
    one = [part.certain for part in parts]
    sure = Certain(
        *(np.concatenate([getattr(part, name) for part in one]) for name in vars(one[0]))
    )
    names = ("observation", "truth", "deal", "left")
    found = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    whole = Samples(certain=sure, **found)
    return whole.take(np.argsort(whole.deal, kind="stable"))

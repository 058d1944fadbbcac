"""Does an agent use what it is shown of the others: its policy and its points with that exchanged.

The features of other seats are changed so that they say nothing, and everything else of the view
stays as it is. The order of a turn's melds is exchanged among the ranks that were melded in it; the
suits of a seat's last natural discards are exchanged among games. Where there is nothing to
exchange, the view stays the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.cards import SUITS
from experiments.policies import divergence, policy_of

__all__ = ["WHOSE", "Deaf", "Listening", "exchanged", "listening", "seats_of"]

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]

WHOSE: Final = ("partner", "opponents")
"""Whose features are exchanged."""


def seats_of(whose: str, players: int, sides: int) -> list[int]:
    """The seats of :data:`WHOSE`, counted from the one that looks."""
    return [seat for seat in range(1, players) if (seat % sides == 0) == (whose == "partner")]


def exchanged(batch: Any, seen: Bytes, seats: Sequence[int], rng: np.random.Generator) -> Bytes:
    """Observations (m, O) of a :class:`~canasta_env.channels.ShownBatch` in which what is shown of
    ``seats`` is exchanged; a copy.
    """
    changed, at = seen.copy(), batch.base.observation_size
    parts = {}
    for piece in batch.pieces:
        parts[piece.name] = changed[:, at : at + piece.size]
        at += piece.size
    if "meld_order" in parts:
        order = parts["meld_order"].reshape(len(seen), batch.players, -1)
        for seat in seats:
            order[:, seat] = _other_order(order[:, seat], rng)
        parts["meld_order"][:] = order.reshape(len(seen), -1)
    if "last_discard_suit" in parts:
        _other_suits(parts, seats, batch.players, rng)
    return changed


def _other_order(places: Bytes, rng: np.random.Generator) -> Bytes:
    """Places (m, ranks), those above 0 exchanged by lot within each row."""
    drawn = np.argsort(np.where(places > 0, rng.random(places.shape), 2.0), axis=1)
    melded = np.argsort(places == 0, axis=1, kind="stable")
    found = np.zeros_like(places)
    np.put_along_axis(found, melded, np.take_along_axis(places, drawn, axis=1), axis=1)
    return found


def _other_suits(
    parts: dict[str, Bytes], seats: Sequence[int], players: int, rng: np.random.Generator
) -> None:
    """Exchanges suits of last discards among the rows that have one; the top card, if it is the
    right-hand neighbour's discard, goes with it."""
    last, top = parts["last_discard_suit"], parts["pile_top_suit"]
    width = len(SUITS)
    for seat in seats:
        suits = last[:, seat * width : (seat + 1) * width]
        rows = np.flatnonzero(suits.any(axis=1))
        drawn = suits[rng.permutation(rows)]
        if seat == players - 1:
            lies = (top[rows] == suits[rows]).all(axis=1)
            top[rows[lies]] = drawn[lies]
        suits[rows] = drawn


@dataclass(frozen=True)
class _Changed:
    """A batch with other observations."""

    batch: Any
    observation: Bytes

    def __getattr__(self, name: str) -> Any:
        return getattr(self.batch, name)


class Deaf:
    """An agent who sees what is shown of ``seats`` exchanged at every choice."""

    def __init__(self, agent: Any, seats: Sequence[int], seed: int) -> None:
        self.agent, self.seats, self.name = agent, seats, f"deaf {agent.name}"
        self.rng = np.random.default_rng(seed)

    def act(self, batch: Any, rows: Ints) -> Ints:
        """An action id for each of ``rows``."""
        seen = batch.observation.copy()
        seen[rows] = exchanged(batch, seen[rows], self.seats, self.rng)
        actions: Ints = self.agent.act(_Changed(batch, seen), rows)
        return actions


@dataclass(frozen=True)
class Listening:
    """What an exchange does to a policy: the mean divergence from the policy before it, in nats, of
    the choices whose view it changes, and the share of all choices that these are."""

    nats: float
    share: float


def listening(agent: Any, batch: Any, whose: str, seed: int, every: int = 4) -> Listening:
    """Lets an agent play a batch of deals with itself, and asks it at one in ``every`` choices what
    it would play after an exchange.

    Args:
        agent: a network's, as :func:`experiments.policies.policy_of` takes it.
        batch: a :class:`~canasta_env.channels.ShownBatch` whose deals stay finished.
        whose: of :data:`WHOSE`.
        seed: of the exchanges and of who is asked.
    """
    rng = np.random.default_rng(seed)
    seats = seats_of(whose, batch.players, batch.sides)
    nats: list[npt.NDArray[np.float64]] = []
    asked = 0
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        free = rows[np.count_nonzero(batch.mask[rows], axis=1) > 1]
        some = free[rng.random(len(free)) * every < 1.0]
        if some.size:
            asked += len(some)
            nats.append(_nats(agent, batch, some, seats, rng))
        actions = batch.mask.argmax(axis=1)
        actions[rows] = agent.act(batch, rows)
        batch.step(actions)
    found = np.concatenate(nats) if nats else np.zeros(0)
    return Listening(float(found.mean()) if found.size else 0.0, len(found) / max(1, asked))


def _nats(
    agent: Any, batch: Any, rows: Ints, seats: Sequence[int], rng: np.random.Generator
) -> npt.NDArray[np.float64]:
    """The divergences at those of ``rows`` whose view an exchange changes."""
    seen = batch.observation.copy()
    seen[rows] = exchanged(batch, seen[rows], seats, rng)
    other = rows[(seen[rows] != batch.observation[rows]).any(axis=1)]
    if not other.size:
        return np.zeros(0)
    after = policy_of(agent, _Changed(batch, seen), other)
    return divergence(policy_of(agent, batch, other), after)

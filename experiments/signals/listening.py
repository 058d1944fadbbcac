"""Does an agent listen: would it play otherwise if the others had thrown each other's cards?

The agent plays deals with itself in all seats. At some of its choices two buried discards are
exchanged (:mod:`experiments.signals.exchange`), and it is asked again. Nothing else differs: what
changes in its policy is what it takes from who threw which card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from agents.base import load_state, state_of
from canasta_env.batch import Batch
from canasta_env.engine.state import DISCARD
from canasta_env.kernels import as_bytes
from canasta_env.rules import Rules
from experiments.deals import unit_seeds
from experiments.policies import divergence, has_policy, policy_of, twins
from experiments.signals.exchange import KINDS_OF_PAIRS, Buried, Trail, exchange, kind_of_pair
from experiments.signals.sums import Sums

__all__ = ["ListeningProbe", "listening", "of_name"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ListeningProbe:
    """What is played and asked.

    Attributes:
        rules, players: the table.
        deals: that are played.
        every: one in so many choices is asked about, drawn by lot.
        seed: of the deals, the exchanges and the agent's lots.
        recall: whether views remember who threw what; without it nobody can listen.
    """

    rules: Rules
    players: int = 4
    deals: int = 100
    every: int = 5
    seed: int = 0
    recall: bool = True


def of_name(name: str, probe: ListeningProbe) -> dict[str, Sums]:
    """How the agent called ``name`` listens, as :func:`listening` finds it; raises ValueError as
    that does, or if it is no agent's name."""
    return listening(*twins(name, probe.rules, probe.players, probe.seed), probe)


def listening(playing: Any, asked: Any, probe: ListeningProbe) -> dict[str, Sums]:
    """Lets an agent play with itself and asks it about exchanged discards.

    ``playing`` and ``asked`` are the same agent, made twice, so that its lots in play do not depend
    on what it is asked. By the seats whose discards are exchanged
    (:data:`experiments.signals.exchange.KINDS_OF_PAIRS`) there are the measures

    - ``nats``: the Kullback-Leibler divergence from its policy to the one after the exchange, if
      it has probabilities (:func:`experiments.policies.policy_of`);
    - ``changed``: 1 where its choice becomes another one, with the same lots if the agent can be
      put back to where it was (:func:`agents.base.state_of`);
    - ``again``: 1 where it becomes another one if it is asked the same again, with other lots.

    Raises:
        ValueError: with these rules or so few players nothing can be exchanged, or nothing was.
    """
    if probe.players < 3:
        raise ValueError(
            f"players: {probe.players} is not possible; a seat listens to two others, so 3 or more"
        )
    seed = int(unit_seeds(probe.seed, np.zeros(1, np.int64))[0])
    batch, shown = (
        Batch(
            probe.rules, probe.deals, players=probe.players, seed=seed, autoreset="off",
            recall=probe.recall,
        )
        for _ in range(2)
    )  # fmt: skip
    trail, asking = Trail(batch), _Asking(asked, batch, shown, probe)
    throws = np.flatnonzero(batch.packed[0].family[: batch.actions] == DISCARD)
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        asking.ask(rows, trail)
        actions = batch.mask.argmax(axis=1)
        actions[rows] = playing.act(batch, rows)
        trail.thrown(batch, rows[np.isin(actions[rows], throws)])
        batch.step(actions)
    if not asking.found:
        raise ValueError("no discards were found to exchange; play more deals")
    return {name: asking.found[name] for name in KINDS_OF_PAIRS if name in asking.found}


class _Asking:
    """Asks an agent about some of the states of a batch, with and without an exchange."""

    def __init__(self, agent: Any, batch: Batch, shown: Batch, probe: ListeningProbe) -> None:
        self.agent, self.batch, self.shown, self.every = agent, batch, shown, probe.every
        self.rng = np.random.default_rng(probe.seed)
        self.found: dict[str, Sums] = {}

    def ask(self, rows: Ints, trail: Trail) -> None:
        """Asks about some of these rows in which there is a choice."""
        free = rows[np.count_nonzero(self.batch.mask[rows], axis=1) > 1]
        some = free[self.rng.random(len(free)) * self.every < 1.0]
        if not some.size:
            return
        cards = {row: trail.buried(self.batch, row) for row in some.tolist()}
        lots = state_of(self.agent)
        answers = self.agent.act(self.batch, some)
        again = answers != self.agent.act(self.batch, some)
        after = state_of(self.agent)
        for name in KINDS_OF_PAIRS:
            pairs = self._draw(name, cards)
            places = np.flatnonzero(np.isin(some, list(pairs)))
            if places.size:
                load_state(self.agent, lots)
                others = self._exchanged(some, cards, pairs)
                measures = self._nats(some[places])
                measures["changed"] = (answers != others)[places]
                measures["again"] = again[places]
                self.found.setdefault(name, Sums(self.batch.n)).add(some[places], **measures)
        load_state(self.agent, after)

    def _draw(self, name: str, cards: dict[int, Buried]) -> dict[int, Ints]:
        """One pair of the kind called ``name`` for each row that has one, (2,), drawn by lot."""
        found = {}
        for row, buried in cards.items():
            looking, pairs = int(self.batch.seat[row]), buried.pairs()
            seats = buried.seat[pairs].tolist()
            kinds = [kind_of_pair(looking, (a, b), self.batch.sides) for a, b in seats]
            fitting = pairs[[kind == name for kind in kinds]]
            if len(fitting):
                found[row] = fitting[self.rng.integers(len(fitting))]
        return found

    def _exchanged(self, rows: Ints, cards: dict[int, Buried], pairs: dict[int, Ints]) -> Ints:
        """What the agent plays in these rows, where the given pairs are exchanged."""
        as_bytes(self.shown.games)[:] = as_bytes(self.batch.games)
        for row, pair in pairs.items():
            exchange(self.shown.games[row], cards[row], pair)
        self.shown.refresh()
        if not np.array_equal(self.shown.mask[rows], self.batch.mask[rows]):
            raise AssertionError("an exchange of buried discards has changed what is legal")
        answers: Ints = self.agent.act(self.shown, rows)
        return answers

    def _nats(self, rows: Ints) -> dict[str, Any]:
        """How far the agent's policies of these rows lie from those after the exchange that is
        shown; nothing if it has none."""
        if not has_policy(self.agent):
            return {}
        policies = (policy_of(self.agent, of, rows) for of in (self.batch, self.shown))
        return {"nats": divergence(*policies)}

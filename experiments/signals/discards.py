"""What the discards of an agent tell the others at the table of the hand they come from.

The agent plays deals with itself in all seats. At some of its discards each other seat is asked
what it learns: worlds are drawn that it cannot tell from the true one, and the agent's law is
looked up in each. The partner and the opponents see the same card fall, but know other hands, so
what it tells them differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch, Scores
from canasta_env.kernels import as_bytes
from canasta_env.rules import Rules
from experiments.deals import unit_seeds
from experiments.policies import twins
from experiments.signals.information import exchanged, told
from experiments.signals.laws import ANSWERS, knows_law
from experiments.signals.sums import Sums, relation
from experiments.signals.worlds import Case, Worlds

__all__ = ["DiscardProbe", "listen_to", "of_name"]

Ints = npt.NDArray[np.int64]

_EXCHANGED: Final = 128
"""Discards that the control draws in each world."""
_FEWEST: Final = 8
"""One case in so many worlds is left out: too few to know the discard's entropy from them."""


@dataclass(frozen=True)
class DiscardProbe:
    """What is played and asked.

    Attributes:
        rules, players: the table.
        deals: that are played.
        every: one in so many discards is looked at, drawn by lot.
        worlds: that are kept for each discard and observer.
        most: that are drawn for it at the most. A discard of which fewer than a quarter of
            ``worlds`` were then found is left out.
        answers: how often an agent is asked in each world if it does not know its law.
        seed: of the deals, the worlds and the agent's lots.
        scores: before a deal, ``spread`` or ``zero``.

    Raises:
        ValueError: a number is not possible; the message names it.
    """

    rules: Rules
    players: int = 4
    deals: int = 100
    every: int = 5
    worlds: int = 64
    most: int = 2048
    answers: int = ANSWERS
    seed: int = 0
    scores: Scores = "spread"

    def __post_init__(self) -> None:
        for name, least in (("worlds", _FEWEST), ("answers", 2), ("most", self.worlds)):
            value = getattr(self, name)
            if value < least:
                raise ValueError(f"{name}: {value} is not possible; {least} or more")


def of_name(name: str, probe: DiscardProbe) -> dict[str, Sums]:
    """What the agent called ``name`` tells, as :func:`listen_to` finds it; raises ValueError as
    that does, or if it is no agent's name."""
    return listen_to(*twins(name, probe.rules, probe.players, probe.seed), probe)


def listen_to(playing: Any, asked: Any, probe: DiscardProbe) -> dict[str, Sums]:
    """Lets an agent play with itself and measures what its discards tell, in bits a discard.

    ``playing`` and ``asked`` are the same agent, made twice, so that its lots in play do not depend
    on what it is asked. By relation of the observer to the discarder, ``partner`` and ``opponent``
    (none for a seat without one), there are the measures

    - ``told``: the information of the discard about the hand;
    - ``uncertain``: the entropy of the discard for the observer, of which ``told`` is a part;
    - ``hand_only``: the same information if any card of the hand were thrown with the same chance;
    - ``exchanged``: the same of discards that were exchanged among the worlds, which tell nothing.

    Raises:
        ValueError: no discard was found to look at.
    """
    seed = int(unit_seeds(probe.seed, np.zeros(1, np.int64))[0])
    batch = Batch(
        probe.rules, probe.deals, players=probe.players, seed=seed, autoreset="off",
        scores=probe.scores,
    )  # fmt: skip
    lots, drawing, control = (np.random.default_rng([probe.seed, i]) for i in range(3))
    answers = None if knows_law(asked) else probe.answers
    worlds = Worlds(batch, asked, answers, drawing)
    found: dict[str, Sums] = {}
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        actions = batch.mask.argmax(axis=1)
        actions[rows] = playing.act(batch, rows)
        thrown = rows[np.isin(actions[rows], worlds.throws)]
        cases = _cases(batch, thrown[lots.random(len(thrown)) * probe.every < 1.0])
        worlds.fill(cases, probe.worlds, probe.most)
        for case in cases:
            name = relation(case.actor, case.observer, batch.sides)
            sums = found.setdefault(name, Sums(probe.deals))
            _measure(case, sums, max(2, probe.worlds // 4), answers, control)
        batch.step(actions)
    if not any(sums.cases.any() for sums in found.values()):
        raise ValueError("no discard was found to look at; play more deals")
    return dict(sorted(found.items(), reverse=True))


def _cases(batch: Batch, rows: Ints) -> list[Case]:
    """The discards that are about to be thrown in ``rows``, as each other seat sees them."""
    return [
        Case(as_bytes(batch.games)[row].copy(), seat, (seat + by) % batch.players, row)
        for row, seat in zip(rows.tolist(), batch.seat[rows].tolist(), strict=True)
        for by in range(1, batch.players)
    ]


def _measure(
    case: Case, sums: Sums, fewest: int, answers: int | None, rng: np.random.Generator
) -> None:
    """Adds what one discard tells one observer."""
    if len(case.kept) < fewest:
        sums.left_out += 1
        return
    laws, held = np.stack(case.kept), np.stack(case.held)
    own = told(laws, answers)
    sums.add(
        np.array([case.deal]),
        told=[own.told],
        uncertain=[own.uncertain],
        hand_only=[told(held / held.sum(1, keepdims=True)).told],
        exchanged=[told(exchanged(laws, _EXCHANGED, rng), _EXCHANGED).told],
    )

"""Worlds in which a discard could have been thrown, drawn for those who saw it.

Worlds are uniform over the orders of the cards that the observer cannot place
(``Game.determinize``), and are kept if the agent throws a card there too, each with the chance
with which it does: what is left are worlds in which the discard was this decision's question. No
choice before it is weighed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch
from canasta_env.engine.state import DISCARD
from canasta_env.kernels import as_bytes, kernels_for, kinds_for, plain, workspace
from experiments.signals.laws import law

__all__ = ["Case", "Worlds"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ROWS: Final = 1024
"""Worlds that are looked at together. Part of the result, since agents draw their lots in the order
of their calls."""
_FIRST: Final = 64
"""Worlds that a case draws in its first round; in each that follows it draws twice as many."""


@dataclass
class Case:
    """A discard before it was thrown, and somebody who watches.

    Attributes:
        game: (bytes,) the record of the game.
        actor, observer: seats.
        deal: the number of the deal.
        kept: (n, D) the probabilities of the discards in the worlds that were kept, or answers.
        held: (n, D) how many cards of each discard's kind the hand has there that may be thrown.
        drawn: how many worlds were drawn.
    """

    game: npt.NDArray[np.uint8]
    actor: int
    observer: int
    deal: int
    kept: list[Floats] = field(default_factory=list)
    held: list[Ints] = field(default_factory=list)
    drawn: int = 0


class Worlds:
    """Draws worlds for cases and asks an agent what it would throw there.

    Args:
        batch: one of the games that are played; its rules and options count.
        agent: who is asked.
        answers: how often, if it does not know its law (:func:`experiments.signals.laws.law`); else
            None.
        rng: of the worlds.
    """

    def __init__(
        self, batch: Batch, agent: Any, answers: int | None, rng: np.random.Generator
    ) -> None:
        self.agent, self.answers, self.rng = agent, answers, rng
        self.shown = Batch(
            batch.rules, _ROWS, players=batch.players, autoreset="off", recall=batch.recall,
            observe=batch.observation_size > 0,
        )  # fmt: skip
        packed = self.shown.packed[0]
        self.throws: Ints = np.flatnonzero(packed.family[: batch.actions] == DISCARD)
        self.kinds: Ints = packed.rank[self.throws].astype(np.int64)
        self._determinize = kernels_for(batch.rules).determinize_game
        self._scratch = workspace(kinds_for(batch.rules))[2]

    def fill(self, cases: list[Case], enough: int, most: int) -> None:
        """Draws worlds for each case until ``enough`` were kept, at most ``most`` of them."""
        size = _FIRST
        while wanting := [case for case in cases if len(case.kept) < enough and case.drawn < most]:
            jobs = [case for case in wanting for _ in range(min(size, most - case.drawn))]
            for first in range(0, len(jobs), _ROWS):
                self._look(jobs[first : first + _ROWS], enough)
            size *= 2

    def _look(self, jobs: list[Case], enough: int) -> None:
        """One world for each of the jobs, at most ``_ROWS`` of them."""
        self._draw(jobs)
        rows = np.arange(len(jobs))
        laws = law(self.agent, self.shown, rows)[:, self.throws]
        throws = laws.sum(1)
        kept = rows[self.rng.random(len(rows)) < throws]
        laws = laws[kept] / throws[kept, None] if self.answers is None else self._ask(kept, laws)
        held = self._held(kept)
        for row, one, cards in zip(kept.tolist(), laws, held, strict=True):
            if len(jobs[row].kept) < enough:
                jobs[row].kept.append(one)
                jobs[row].held.append(cards)

    def _draw(self, jobs: list[Case]) -> None:
        """Puts a world of each job into the games that are shown."""
        games = self.shown.games
        as_bytes(games)[: len(jobs)] = np.stack([case.game for case in jobs])
        arrays = plain(games), plain(self.shown.packed)
        seeds = self.rng.integers(2**63, size=len(jobs)).tolist()
        for row, (case, seed) in enumerate(zip(jobs, seeds, strict=True)):
            case.drawn += 1
            if not self._determinize(arrays[0], row, arrays[1], case.observer, seed, self._scratch):
                raise ValueError("no possible world was found for the turn under way")
        self.shown.refresh()

    def _ask(self, rows: Ints, first: Floats) -> Floats:
        """The shares of so many answers; those that are no discards are asked again."""
        assert self.answers is not None
        counts = first[rows]
        while (open_ := np.flatnonzero(counts.sum(1) < self.answers)).size:
            counts[open_] += law(self.agent, self.shown, rows[open_])[:, self.throws]
        shares: Floats = counts / self.answers
        return shares

    def _held(self, rows: Ints) -> Ints:
        """(rows, D) the cards in the hand to act that may be thrown, by discard."""
        hands = self.shown.games.hands[rows, self.shown.seat[rows]][:, self.kinds]
        return np.where(self.shown.mask[rows][:, self.throws], hands, 0).astype(np.int64)

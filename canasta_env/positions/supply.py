"""The cards of a position: those named, those filled in, and whether they make the deck."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from canasta_env.cards import kind_token
from canasta_env.engine.rng import FILL, shuffle
from canasta_env.positions.values import PositionError

__all__ = ["Supply"]

_RED_THREE = 2


class Supply:
    """The cards of a deck that are not placed yet.

    First all named cards are placed, then ``start_filling`` orders the others by the seed, then
    ``fill`` and ``rest`` deal them out.
    """

    def __init__(self, counts: tuple[int, ...], suited: bool) -> None:
        self.counts = counts
        self.suited = suited
        self._placed = [0] * len(counts)
        self._pool: list[int] = []

    def place(self, kinds: Iterable[int]) -> None:
        """Count named cards as placed."""
        for kind in kinds:
            self._placed[kind] += 1

    def start_filling(self, seed: int) -> None:
        """Order the cards that nobody named.

        Raises:
            PositionError: more cards of a kind are named than the deck has.
        """
        self._refuse([k for k, count in enumerate(self._placed) if count > self.counts[k]])
        left = [count - placed for count, placed in zip(self.counts, self._placed, strict=True)]
        pool = np.repeat(np.arange(len(left), dtype=np.uint8), left)
        if len(pool):
            shuffle(pool, len(pool), seed, FILL)
        self._pool = pool.tolist()

    def fill(self, key: str, count: int, *, red_threes: bool = False) -> list[int]:
        """The next ``count`` unseen cards; hands and feet get no red threes."""
        fit = [i for i, kind in enumerate(self._pool) if red_threes or kind != _RED_THREE][:count]
        if len(fit) < count:
            raise PositionError(f"{key}: {count} cards are to be filled in, {len(fit)} are left")
        cards = [self._pool[i] for i in fit]
        chosen = set(fit)
        self._pool = [kind for i, kind in enumerate(self._pool) if i not in chosen]
        self.place(cards)
        return cards

    def rest(self) -> list[int]:
        """All cards that are left, in their order; nothing remains."""
        cards, self._pool = self._pool, []
        self.place(cards)
        return cards

    def finish(self) -> None:
        """Refuse a position in which cards are missing.

        Raises:
            PositionError: fewer cards of a kind are placed than the deck has.
        """
        self._refuse(sorted(set(self._pool)))

    def _refuse(self, kinds: list[int]) -> None:
        if not kinds:
            return
        wrong = (
            f"{kind_token(kind, suited=self.suited)}: {self._placed[kind]} placed, "
            f"the deck has {self.counts[kind]}"
            for kind in kinds
        )
        few = self._placed[kinds[0]] < self.counts[kinds[0]]
        raise PositionError("; ".join(wrong) + (" (absent: rest leaves cards out)" if few else ""))

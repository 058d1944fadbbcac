"""Suits for pictures: where the engine knows only kinds, each card is dressed with a suit that it
keeps for the whole deal.

The labels are those of the real deck, shuffled by a seed that no seat knows, so a suit tells as
much as it would at a real table and nothing about the cards that lie hidden. A dressing follows the
game from state to state: cards that leave one place and cards that come to another are matched by
kind. Between two states that lie one action apart, the match is exact up to the choice among equal
cards; over several actions, two equal cards that have both moved may have changed their suits.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Mapping
from typing import Any, Final

from canasta_env.cards import KIND_COUNT, SUITS, Kind
from canasta_env.engine.draw import next_stream
from canasta_env.engine.state import FIRST_NATURAL, Phase
from canasta_env.rules import Rules

__all__ = [
    "APART", "OFFERED", "PILE", "Dressing", "Place", "hand", "known", "meld", "red_threes",
    "sequence", "suits_of",
]  # fmt: skip

Place = tuple[Any, ...]
"""Where cards lie: a word, then the seat or side, then the rank or number."""
PILE: Final[Place] = ("pile",)
APART: Final[Place] = ("apart",)
OFFERED: Final[Place] = ("offered",)

_SUITS: Final = {Kind.JOKER: "rb", Kind.RED_THREE: "dh", Kind.BLACK_THREE: "cs"}
"""The suits of the kinds that have not all four; those of jokers are the colours red and black."""

Labels = dict[int, list[str]]


def hand(seat: int) -> Place:
    """The cards of a hand that not all know."""
    return "hand", seat


def known(seat: int) -> Place:
    """The cards that a seat is known to hold since it took a pile."""
    return "known", seat


def meld(side: int, rank: int, closed: int = -1) -> Place:
    """A side's open meld of a rank, or the closed one of that number."""
    return "meld", side, rank, closed


def sequence(side: int, number: int) -> Place:
    """A side's sequence of that number."""
    return "sequence", side, number


def red_threes(side: int) -> Place:
    """The red threes that a side has laid out."""
    return "red threes", side


def suits_of(kind: int) -> str:
    """The suits that a card of the kind can be dressed with."""
    return _SUITS.get(Kind(kind), SUITS) if kind < FIRST_NATURAL else SUITS


class Dressing:
    """The suits of the cards of one deal.

    Args:
        rules: of cards whose suits matter in them only the wild ones and the threes are dressed.
        players: how many play.
        seed: orders the suits; whoever looks at pictures must not know it.
        first: a seat whose cards are dressed before those of other hands. Dressed for the first
            time, the picture of this seat then follows from its view and the seed alone.
    """

    def __init__(self, rules: Rules, players: int, seed: object, first: int = 0) -> None:
        counts = rules.card_counts(players)
        self._canasta = rules.canasta_size
        self._lots = random.Random(f"suits {seed}")
        self._kinds = KIND_COUNT if len(counts) == KIND_COUNT else FIRST_NATURAL
        self._first = first
        self._places: dict[Place, Labels] = {}
        self._rest: Labels = {}
        for kind in range(self._kinds):
            suits, count = suits_of(kind), int(counts[kind])
            labels = [suits[i * len(suits) // count] for i in range(count)]
            self._lots.shuffle(labels)
            self._rest[kind] = labels

    def follow(self, record: Any) -> None:
        """Go on to a state of the game, one record of ``state.GAME_DTYPE`` or
        ``state.SUITED_GAME_DTYPE``: the cards that have moved take their suits along."""
        now = dict(self._lie(record))
        moved: Labels = {kind: [] for kind in range(self._kinds)}
        for place, labels in self._places.items():
            for kind, suits in labels.items():
                left = len(suits) - now.get(place, {}).get(kind, 0)
                moved[kind] += [suits.pop() for _ in range(left)]
        for place, counts in now.items():
            labels = self._places.setdefault(place, {})
            for kind, count in counts.items():
                suits = labels.setdefault(kind, [])
                for _ in range(count - len(suits)):
                    suits.append((moved[kind] or self._rest[kind]).pop())
        for kind, suits in moved.items():
            self._rest[kind] += suits

    def resample(self, record: Any, seat: int, seed: int) -> None:
        """Go on to another world that ``seat`` thinks possible: the cards that it sees keep their
        suits, those of all others are drawn anew."""
        self._lots.seed(f"suits {seed}")
        for place in [*self._places]:
            if place[0] in ("hand", "foot") and place != hand(seat):
                for kind, suits in self._places.pop(place).items():
                    self._rest[kind] += suits
        for suits in self._rest.values():
            self._lots.shuffle(suits)
        self.follow(record)

    def suits(self, place: Place, kind: int) -> list[str]:
        """The suits of the cards of a kind that lie at a place, in the order in which they came;
        for jokers their colours, ``r`` and ``b``."""
        return [*self._places.get(place, {}).get(kind, ())]

    def copy(self) -> Dressing:
        """An independent dressing in the same state."""
        return copy.deepcopy(self)

    def _lie(self, g: Any) -> Iterator[tuple[Place, Mapping[int, int]]]:
        """How many cards of each kind lie at each place, the stock left out; first what all see,
        since that must not depend on the hands."""
        for side in range(int(g.sides)):
            yield red_threes(side), {2: int(g.red_threes[side])}
            yield from self._melds(g, side)
        size = int(g.pile_size)
        pile = g.pile[: size + int(g.pending)].tolist()
        yield PILE, self._counted(pile[:size])
        yield APART, self._counted(pile[size:])
        if g.phase == Phase.OFFER and g.stock_size > 0:
            card = int(g.stock[int(g.stock_next[next_stream(g, int(g.turn))])])
            yield OFFERED, self._counted([card])
        players, held, shown = int(g.players), g.hands.tolist(), g.known.tolist()
        for seat in range(players):
            yield known(seat), self._present(shown[seat])
        for seat in (self._first, *(other for other in range(players) if other != self._first)):
            hidden = [all_ - some for all_, some in zip(held[seat], shown[seat], strict=True)]
            yield hand(seat), self._present(hidden)
        for seat, foot in enumerate(g.feet[:players].tolist()):
            yield ("foot", seat), self._present(foot)

    def _present(self, counts: list[int]) -> dict[int, int]:
        return {kind: n for kind, n in enumerate(counts[: self._kinds]) if n > 0}

    def _counted(self, kinds: Any) -> dict[int, int]:
        """A row of kinds as counts."""
        found: dict[int, int] = {}
        for kind in kinds:
            if kind < self._kinds:
                found[kind] = found.get(kind, 0) + 1
        return found

    def _melds(self, g: Any, side: int) -> Iterator[tuple[Place, Mapping[int, int]]]:
        open_ = (g.meld_naturals, g.meld_deuces, g.meld_jokers, g.closed_melds)
        for rank, row in enumerate(zip(*(field[side].tolist() for field in open_), strict=True)):
            naturals, deuces, jokers, closed = row
            if any(row):
                yield meld(side, rank), self._set(rank, naturals, deuces, jokers)
            for i in range(closed):
                jokers, deuces = divmod(int(g.closed_wilds[side, rank, i]), 16)
                naturals = self._canasta - deuces - jokers
                yield meld(side, rank, i), self._set(rank, naturals, deuces, jokers)
        for i in range(int(g.sequence_count[side])):
            deuces = int(g.sequence_deuces[side, i]).bit_count()
            jokers = int(g.sequence_jokers[side, i]).bit_count()
            yield sequence(side, i), {0: jokers, 1: deuces}

    def _set(self, rank: int, naturals: int, deuces: int, jokers: int) -> dict[int, int]:
        found = {0: jokers, 1: deuces}
        if rank < self._kinds and naturals:
            found[rank] = naturals
        return found

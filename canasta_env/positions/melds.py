"""The melds of a position: text, what the rules allow, and their place in the record of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from canasta_env.cards import CARD_VALUES, kind_token
from canasta_env.engine.state import (
    BLACK_THREES,
    MAX_CLOSED,
    MAX_SEQUENCES,
    RANKS,
    WILD_RANK,
)
from canasta_env.positions.values import PositionError, read_cards
from canasta_env.rules import Rules
from canasta_env.rules_fields import BlackThreeMelds, WildMelds

__all__ = ["Meld", "place_melds", "read_meld", "written_melds"]

JOKER, DEUCE, RED_THREE, BLACK_THREE, FIRST_NATURAL = range(5)
_ACE: Final = 14
_SEQUENCE: Final = -1
_SUITS: Final = 4


@dataclass(frozen=True)
class Meld:
    """One meld as it lies: ``rank`` 1 for wild cards, 3 for black threes, -1 for a sequence.

    ``cards`` are the kinds in the order of the text; for a sequence ``low`` is its lowest rank.
    """

    rank: int
    cards: tuple[int, ...]
    low: int = 0
    suit: int = 0

    @property
    def deuces(self) -> int:
        return self.cards.count(DEUCE)

    @property
    def jokers(self) -> int:
        return self.cards.count(JOKER)

    @property
    def wilds(self) -> int:
        return self.deuces + self.jokers

    @property
    def naturals(self) -> int:
        return len(self.cards) - self.wilds

    def points(self, rules: Rules) -> int:
        """What the meld counts toward the first meld (rules.md, First meld)."""
        ranks = [
            kind if kind < FIRST_NATURAL else _rank(kind, rules.sequences) for kind in self.cards
        ]
        points = sum(CARD_VALUES[rank] for rank in ranks)
        canasta = (
            self.rank not in (_SEQUENCE, BLACK_THREES) and len(self.cards) >= rules.canasta_size
        )
        return points + (self._bonus(rules) if canasta and rules.bonus_counts_to_minimum else 0)

    def _bonus(self, rules: Rules) -> int:
        if self.rank == WILD_RANK:
            with_jokers = rules.wild_canasta_jokers if self.jokers >= 4 else 0
            return with_jokers or rules.wild_canasta
        return rules.mixed_canasta if self.wilds else rules.natural_canasta


def _rank(kind: int, suited: bool) -> int:
    return FIRST_NATURAL + (kind - FIRST_NATURAL) // _SUITS if suited else kind


def read_meld(key: str, text: object, rules: Rules) -> Meld:
    """A meld of the text ``text``; the order of the cards matters only in a sequence.

    Raises:
        PositionError: the cards are no meld under these rules.
    """
    cards = tuple(read_cards(key, text, rules.sequences))
    naturals = [kind for kind in cards if kind >= FIRST_NATURAL]
    ranks = {_rank(kind, rules.sequences) for kind in naturals}
    try:
        if len(cards) < rules.smallest_meld:
            raise PositionError(f"a meld has {rules.smallest_meld} cards at least")
        if not naturals:
            return _read_special(cards, rules)
        if BLACK_THREE in cards or RED_THREE in cards:
            raise PositionError("threes cannot be melded with other cards")
        if len(ranks) > 1:
            return _read_sequence(cards, rules)
        meld = Meld(ranks.pop(), cards)
        _check_set(meld, rules)
    except PositionError as fault:
        raise PositionError(f"{key}: {text!r}: {fault}") from None
    return meld


def _read_special(cards: tuple[int, ...], rules: Rules) -> Meld:
    """A meld of wild cards or of black threes."""
    if set(cards) == {BLACK_THREE}:
        if rules.black_three_melds is BlackThreeMelds.NEVER or len(cards) > 4:
            raise PositionError(
                "black threes are melded by three or four, where the rules allow it"
            )
        return Meld(BLACK_THREES, cards)
    if not set(cards) <= {DEUCE, JOKER}:
        raise PositionError("these cards are no meld")
    whole = rules.wild_melds is WildMelds.WHOLE
    size = rules.canasta_size
    if rules.wild_melds is WildMelds.NONE:
        raise PositionError("these rules have no melds of wild cards only")
    if len(cards) > size or (whole and len(cards) < size):
        raise PositionError(f"a meld of wild cards has {'' if whole else 'at most '}{size} cards")
    return Meld(WILD_RANK, cards)


def _check_set(meld: Meld, rules: Rules) -> None:
    """Refuse a set that no row of legal actions can lay (rules.md, wilds against naturals)."""
    fewest = rules.fewest_naturals
    if len(meld.cards) >= rules.canasta_size:
        fewest = max(fewest, rules.canasta_fewest_naturals)
    if meld.naturals < fewest:
        raise PositionError(f"{meld.naturals} naturals, {fewest} are needed")
    most = rules.wilds_beside(meld.naturals)
    if meld.wilds > most:
        raise PositionError(
            f"{meld.wilds} wild cards, {most} may lie beside {meld.naturals} naturals"
        )
    if rules.melds_close and len(meld.cards) > rules.canasta_size:
        raise PositionError(f"a meld closes at {rules.canasta_size} cards")


def _read_sequence(cards: tuple[int, ...], rules: Rules) -> Meld:
    """A sequence, low to high, a wild card at the place that it fills."""
    if not rules.sequences:
        raise PositionError("the cards are of different ranks")
    placed = [(i, kind - FIRST_NATURAL) for i, kind in enumerate(cards) if kind >= FIRST_NATURAL]
    lows = {FIRST_NATURAL + natural // _SUITS - i for i, natural in placed}
    suits = {natural % _SUITS for _, natural in placed}
    low = min(lows)
    if len(lows) > 1 or len(suits) > 1:
        raise PositionError("the cards are neither of one rank nor a sequence of one suit")
    if low < FIRST_NATURAL or low + len(cards) - 1 > _ACE:
        raise PositionError("a sequence lies between 4 and A")
    if len(placed) < rules.fewest_naturals or len(cards) - len(placed) > rules.most_wilds:
        raise PositionError(
            f"a sequence has {rules.fewest_naturals} naturals at least and {rules.most_wilds} wild "
            "cards at most"
        )
    if sum(kind < FIRST_NATURAL for kind in cards[: rules.smallest_meld]) > 1:
        raise PositionError("a sequence begins with three cards, at most one of them wild")
    return Meld(_SEQUENCE, cards, low, suits.pop())


def place_melds(game: Any, side: int, melds: list[Meld], begun: set[int], rules: Rules) -> None:
    """Write the melds of a side into the record; ``begun`` are places in ``melds``.

    Closed melds that were begun this turn come last among those of their rank.
    """
    order = sorted(range(len(melds)), key=lambda i: i in begun)
    for i in order:
        meld = melds[i]
        is_set = meld.rank >= FIRST_NATURAL
        if meld.rank == _SEQUENCE:
            continue
        if is_set and rules.melds_close and len(meld.cards) == rules.canasta_size:
            _place_closed(game, side, meld, i in begun)
        else:
            _place_open(game, side, meld, i in begun)
        if is_set and has_suits(game):
            for kind in meld.cards:
                game.meld_cards[side, kind] += kind >= FIRST_NATURAL
    for i, meld in enumerate(melds):
        if meld.rank == _SEQUENCE:
            _place_sequence(game, side, meld, i in begun)


def _place_open(game: Any, side: int, meld: Meld, begun: bool) -> None:
    rank = meld.rank
    lying = game.meld_naturals[side, rank] + game.meld_deuces[side, rank]
    if lying + game.meld_jokers[side, rank]:
        name = {WILD_RANK: "wild cards", BLACK_THREES: "black threes"}.get(rank, kind_token(rank))
        raise PositionError(f"melds: side {side} has two melds of {name}, only one may be open")
    game.meld_naturals[side, rank] = meld.naturals
    game.meld_deuces[side, rank] = meld.deuces
    game.meld_jokers[side, rank] = meld.jokers
    game.begun |= begun << rank


def _place_closed(game: Any, side: int, meld: Meld, begun: bool) -> None:
    count = int(game.closed_melds[side, meld.rank])
    if count == MAX_CLOSED:
        raise PositionError(f"melds: side {side} has more than {MAX_CLOSED} closed melds of a rank")
    game.closed_wilds[side, meld.rank, count] = meld.deuces + 16 * meld.jokers
    game.closed_melds[side, meld.rank] = count + 1
    game.begun_closed[meld.rank] += begun


def _place_sequence(game: Any, side: int, meld: Meld, begun: bool) -> None:
    at = int(game.sequence_count[side])
    if at == MAX_SEQUENCES:
        raise PositionError(f"melds: side {side} has more than {MAX_SEQUENCES} sequences")
    game.sequence_low[side, at] = meld.low
    game.sequence_suit[side, at] = meld.suit
    game.sequence_length[side, at] = len(meld.cards)
    game.sequence_deuces[side, at] = sum(1 << i for i, k in enumerate(meld.cards) if k == DEUCE)
    game.sequence_jokers[side, at] = sum(1 << i for i, k in enumerate(meld.cards) if k == JOKER)
    game.sequence_count[side] = at + 1
    game.begun_sequences |= begun << at


def written_melds(game: Any, side: int, rules: Rules) -> list[tuple[str, bool]]:
    """The melds of a side as texts, each with whether it was begun this turn.

    Ranks ascend, closed melds come before the open one; then wild cards, black threes, sequences.
    """
    melds: list[tuple[list[int], bool]] = []
    for rank in (*range(FIRST_NATURAL, RANKS), WILD_RANK, BLACK_THREES):
        closed = int(game.closed_melds[side, rank])
        for i in range(closed):
            wilds = int(game.closed_wilds[side, rank, i])
            deuces, jokers = wilds % 16, wilds // 16
            naturals = [rank] * (rules.canasta_size - deuces - jokers)
            begun = i >= closed - int(game.begun_closed[rank])
            melds.append((naturals + [DEUCE] * deuces + [JOKER] * jokers, begun))
        cards = _open_cards(game, side, rank, rules)
        if cards:
            melds.append((cards, bool(int(game.begun) >> rank & 1)))
    for at in range(int(game.sequence_count[side])):
        melds.append((_sequence_cards(game, side, at), bool(int(game.begun_sequences) >> at & 1)))
    return [(_text(cards, rules), begun) for cards, begun in melds]


def _text(cards: list[int], rules: Rules) -> str:
    return " ".join(kind_token(kind, suited=rules.sequences) for kind in cards)


def _open_cards(game: Any, side: int, rank: int, rules: Rules) -> list[int]:
    naturals = [rank] * int(game.meld_naturals[side, rank])
    if rules.sequences and rank >= FIRST_NATURAL and naturals:
        if not has_suits(game):
            raise PositionError("melds: this record does not keep the suits of cards in sets")
        first = FIRST_NATURAL + _SUITS * (rank - FIRST_NATURAL)
        suited = np.arange(first, first + _SUITS)
        naturals = np.repeat(suited, game.meld_cards[side, suited]).tolist()
    deuces, jokers = int(game.meld_deuces[side, rank]), int(game.meld_jokers[side, rank])
    return naturals + [DEUCE] * deuces + [JOKER] * jokers


def _sequence_cards(game: Any, side: int, at: int) -> list[int]:
    low, suit = int(game.sequence_low[side, at]), int(game.sequence_suit[side, at])
    deuces, jokers = int(game.sequence_deuces[side, at]), int(game.sequence_jokers[side, at])
    cards = []
    for i in range(int(game.sequence_length[side, at])):
        natural = FIRST_NATURAL + _SUITS * (low + i - FIRST_NATURAL) + suit
        cards.append(DEUCE if deuces >> i & 1 else JOKER if jokers >> i & 1 else natural)
    return cards


def has_suits(game: Any) -> bool:
    """Whether the record keeps the suits of the cards in sets."""
    return "meld_cards" in (game.dtype.names or ())

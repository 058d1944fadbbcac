"""Which actions a rule system has, in the order that numbers them.

Families come in the order of :class:`~canasta_env.action_text.Family`; one that the rules leave out
is skipped. Inside a family ranks ascend from 4 to the highest of the deck, suits go c d h s, wild
melds have few jokers first, and discards go JK, 2, 3b, 4 … A.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Final

from canasta_env.action_text import FIRST_NATURAL, Action, Family
from canasta_env.cards import RANK_TOKENS, SUITS
from canasta_env.rules import ByPlayers, Rules
from canasta_env.rules_fields import BlackThreeMelds, Upcard, WildMelds

__all__ = ["all_actions"]

_RANKS: Final = RANK_TOKENS[FIRST_NATURAL:]
_FIRST_SIZE: Final = 3
_WILDS: Final = ((Family.MELD_DEUCE, "2"), (Family.MELD_JOKER, "JK"))
_PLACES: Final = ("{0} {1} {2}", "2 {1} {2}", "{0} 2 {2}", "{0} {1} 2") + (
    "JK {1} {2}", "{0} JK {2}", "{0} {1} JK",
)  # fmt: skip
"""How three places of a sequence may be filled: two naturals at least."""


def all_actions(rules: Rules) -> Iterator[Action]:
    """The actions of ``rules`` by id."""
    build = _suited if rules.sequences else _plain
    order = list(Family)
    yield from sorted(build(rules), key=lambda action: order.index(action.family))


def _plain(rules: Rules) -> Iterator[Action]:
    """The actions where suits do not matter: under 512."""
    ranks = _RANKS[: rules.ranks]
    yield from _common(rules)
    for rank in ranks:
        yield from _sets(rules, rank, 0)
        yield from _wilds_onto(rank)
    yield from (Action(Family.DISCARD, (rank,)) for rank in ranks)


def _suited(rules: Rules) -> Iterator[Action]:
    """The actions where suits matter: under 1,400."""
    copies = _most_packs(rules)
    yield from _common(rules)
    for rank in _RANKS:
        yield from _sets(rules, rank, copies)
        yield from _wilds_onto(rank)
    for rank in _RANKS:
        yield from (Action(Family.DISCARD, (rank + suit,)) for suit in SUITS)
    yield from _sequences(rules)


def _choices(rank: str, count: int, copies: int) -> list[tuple[str, ...]]:
    """All choices of ``count`` cards of a rank; ``copies`` of each suited card, or 0: no suits."""
    if copies == 0:
        return [(rank,) * count]
    chosen = combinations_with_replacement([rank + suit for suit in SUITS], count)
    return [cards for cards in chosen if all(cards.count(card) <= copies for card in cards)]


def _common(rules: Rules) -> Iterator[Action]:
    """The actions that name no natural card."""
    yield from (Action(Family.DRAW), Action(Family.PASS))
    if rules.upcard is Upcard.OFFER:
        yield from (Action(Family.ACCEPT), Action(Family.REFUSE))
    if rules.take_onto:
        yield Action(Family.TAKE)
    if rules.black_three_take:
        yield Action(Family.TAKE_THREES, ("3b", "3b"))
    yield from _wild_melds(rules)
    if rules.black_three_melds is BlackThreeMelds.GOING_OUT:
        yield Action(Family.MELD_THREES, ("3b",) * 3)
        yield Action(Family.MELD_FOUR_THREES, ("3b",) * 4)
        yield Action(Family.ADD_THREE, ("3b",))
    if rules.asking:
        yield from (Action(Family.ASK), Action(Family.YES), Action(Family.NO))
    yield from (Action(Family.DISCARD, (card,)) for card in ("JK", "2", "3b"))
    if rules.red_three_discard:
        yield Action(Family.DISCARD_RED_THREE, ("3r",))


def _wild_melds(rules: Rules) -> Iterator[Action]:
    """Melds of wild cards, and additions to one where it may grow."""
    if rules.wild_melds is WildMelds.NONE:
        return
    whole = rules.wild_melds is WildMelds.WHOLE
    size = rules.canasta_size if whole else _FIRST_SIZE
    packs = _most_packs(rules)
    for jokers in range(min(size, rules.jokers * packs) + 1):
        if size - jokers <= rules.deuces * packs:
            yield Action(Family.MELD_WILD, ("2",) * (size - jokers) + ("JK",) * jokers)
    if not whole:
        yield Action(Family.WILD_DEUCE, ("2",), "wild")
        yield Action(Family.WILD_JOKER, ("JK",), "wild")


def _sets(rules: Rules, rank: str, copies: int) -> Iterator[Action]:
    """Takes, new melds and additions of one rank, with suits if there are ``copies`` of a card."""
    ones, pairs, threes = (_choices(rank, count, copies) for count in (1, 2, 3))
    yield from (Action(Family.TAKE_PAIR, pair) for pair in pairs)
    if rules.take_natural_wild:
        yield from (Action(Family.TAKE_DEUCE, (*one, "2")) for one in ones)
        yield from (Action(Family.TAKE_JOKER, (*one, "JK")) for one in ones)
    yield from (Action(Family.MELD, three) for three in threes)
    for family, wild in _WILDS:
        yield from (Action(family, (*pair, wild)) for pair in pairs)
    yield from (Action(Family.ADD, one) for one in ones)


def _wilds_onto(rank: str) -> Iterator[Action]:
    yield Action(Family.ADD_DEUCE, ("2",), rank)
    yield Action(Family.ADD_JOKER, ("JK",), rank)


def _sequences(rules: Rules) -> Iterator[Action]:
    """What sequences add: runs of three laid or taken into, and one card onto the high end."""
    if rules.take_onto:
        yield Action(Family.TAKE_EXTEND)
    for suit in SUITS:
        for low in range(len(_RANKS) - 2):
            cards = [rank + suit for rank in _RANKS[low : low + 3]]
            for places in _PLACES:
                run = tuple(places.format(*cards).split())
                yield Action(Family.MELD_SEQUENCE, run)
                if rules.take_into_sequence:
                    yield Action(Family.TAKE_INTO, run)
    for suit in SUITS:
        for rank in _RANKS[3:]:  # a sequence has three cards, so the lowest next place is 7
            yield Action(Family.EXTEND, (), rank + suit)
            yield Action(Family.EXTEND_DEUCE, ("2",), rank + suit)
            yield Action(Family.EXTEND_JOKER, ("JK",), rank + suit)


def _most_packs(rules: Rules) -> int:
    """The most packs that any table of these rules plays with; the table of actions serves all."""
    packs = rules.packs
    if isinstance(packs, ByPlayers):
        return max(packs.at(players, 0) or 0 for players in rules.players)
    return packs

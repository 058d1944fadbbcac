"""An action as a value, and its text (notation.md, Actions)."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from canasta_env.cards import RANK_TOKENS, SUITS

__all__ = ["FIRST_NATURAL", "Action", "ActionError", "Family", "rank_of", "suit_of"]

FIRST_NATURAL: Final = 4


class ActionError(ValueError):
    """A text or value that is no action; the message says what was given and what is near it."""


class Family(StrEnum):
    """Actions of one form; those of a family stand in one row of the action table."""

    DRAW = "draw"
    PASS = "pass"
    ACCEPT = "accept"
    REFUSE = "refuse"
    TAKE = "take"
    TAKE_EXTEND = "take_extend"
    TAKE_PAIR = "take_pair"
    TAKE_DEUCE = "take_deuce"
    TAKE_JOKER = "take_joker"
    TAKE_INTO = "take_into"
    TAKE_THREES = "take_threes"
    MELD = "meld"
    MELD_DEUCE = "meld_deuce"
    MELD_JOKER = "meld_joker"
    MELD_SEQUENCE = "meld_sequence"
    MELD_WILD = "meld_wild"
    MELD_THREES = "meld_threes"
    MELD_FOUR_THREES = "meld_four_threes"
    ADD_THREE = "add_three"
    ADD = "add"
    ADD_DEUCE = "add_deuce"
    ADD_JOKER = "add_joker"
    WILD_DEUCE = "wild_deuce"
    WILD_JOKER = "wild_joker"
    EXTEND = "extend"
    EXTEND_DEUCE = "extend_deuce"
    EXTEND_JOKER = "extend_joker"
    ASK = "ask"
    YES = "yes"
    NO = "no"
    DISCARD = "discard"
    DISCARD_RED_THREE = "discard_red_three"


_PREFIXES: Final = {
    Family.TAKE_EXTEND: "take extend",
    Family.TAKE_INTO: "take into",
    Family.WILD_DEUCE: "add",
    Family.WILD_JOKER: "add",
}
"""How the text of an action begins, where that is not the first word of the family's name."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action of a seat, as notation.md writes it.

    Attributes:
        family: the form of the action.
        cards: tokens of the cards it names, in the order of its text; the wild card that is added.
        onto: where the card goes: a rank (``K``), ``wild``, or the place in a sequence (``10h``).
    """

    family: Family
    cards: tuple[str, ...] = ()
    onto: str = ""

    @staticmethod
    def parse(text: str) -> Action:
        """The action that a text names; the inverse of ``str``.

        Raises:
            ActionError: the text is no action.
        """
        words = text.split()
        try:
            return _read(words)
        except _Unreadable as why:
            raise ActionError(f"{text!r} is not an action: {why}; {_hint(text, words)}") from None

    def __str__(self) -> str:
        words = [_PREFIXES.get(self.family, self.family.split("_", 1)[0])]
        if words[0] == "extend":
            words += [self.onto, *(("with", *self.cards) if self.cards else ())]
        else:
            words += [*self.cards, *(("to", self.onto) if self.onto else ())]
        return " ".join(words)

    def __repr__(self) -> str:
        return f"Action.parse({str(self)!r})"


def rank_of(token: str) -> int:
    """The rank of a card with or without suit: 4 to 14; wild cards and threes are 0 to 3."""
    return RANK_TOKENS.index(token.rstrip(SUITS) if suit_of(token) >= 0 else token)


def suit_of(token: str) -> int:
    """The suit of a card, 0 to 3 (c d h s), or -1 where it has none."""
    natural = token[:-1] in RANK_TOKENS[FIRST_NATURAL:]
    return SUITS.find(token[-1]) if natural and token[-1] in SUITS else -1


_ALONE: Final = {
    str(family): family
    for family in (
        Family.DRAW, Family.PASS, Family.ACCEPT, Family.REFUSE, Family.TAKE, Family.ASK, Family.YES,
        Family.NO,
    )
}  # fmt: skip
_FORMS: Final = (
    "draw", "pass", "accept", "refuse", "ask", "yes", "no", "take", "take K K", "take K 2",
    "take extend", "take into 7h 8h 9h", "meld K K K", "meld K K 2", "meld 7h 8h 9h", "add K",
    "add 2 to K", "add JK to wild", "extend 10h", "extend 10h with 2", "discard 5",
)  # fmt: skip
_RUN: Final = 3
_PAIR: Final = 2
_WILDS: Final = ("2", "JK")
_LAST: Final = {"3b": 1, "2": 2, "JK": 3}


class _Unreadable(Exception):
    """Why a text is no action."""


def _hint(text: str, words: list[str]) -> str:
    """What the writer of an unreadable text may have meant."""
    if words and (like := [form for form in _FORMS if form.split()[0] == words[0]]):
        return f"forms of {words[0]} are " + ", ".join(like)
    near = difflib.get_close_matches(text, _FORMS, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else "actions are " + ", ".join(_FORMS)


def _read(words: list[str]) -> Action:
    match words:
        case [word] if word in _ALONE:
            return Action(_ALONE[word])
        case ["take", "extend"]:
            return Action(Family.TAKE_EXTEND)
        case ["take", "into", *cards]:
            return Action(Family.TAKE_INTO, _run(cards))
        case ["take", first, second]:
            return _take([first, second])
        case ["meld", *cards]:
            return _meld(cards)
        case ["add", card]:
            return _add(card)
        case ["add", card, "to", target]:
            return _add_wild(card, target)
        case ["extend", place]:
            return Action(Family.EXTEND, (), _place(place))
        case ["extend", place, "with", card]:
            return Action(_of_wild(card, Family.EXTEND_DEUCE), (card,), _place(place))
        case ["discard", card]:
            family = Family.DISCARD_RED_THREE if card == "3r" else Family.DISCARD
            return Action(family, (_card(card),))
    raise _Unreadable("the words have no known form")


def _card(token: str) -> str:
    if token not in RANK_TOKENS and suit_of(token) < 0:
        raise _Unreadable(f"{token!r} is not a card")
    return token


def _order(token: str) -> tuple[int, int, int]:
    """Naturals first, by rank and suit, then black threes, deuces and jokers."""
    return _LAST.get(token, 0), rank_of(token), suit_of(token)


def _sorted(cards: list[str]) -> tuple[str, ...]:
    return tuple(sorted(map(_card, cards), key=_order))


def _naturals(cards: tuple[str, ...]) -> list[str]:
    return [card for card in cards if rank_of(card) >= FIRST_NATURAL]


def _are_alike(naturals: list[str]) -> bool:
    """Whether these cards are of one rank, all with a suit or all without."""
    return len({(rank_of(card), suit_of(card) < 0) for card in naturals}) == 1


def _take(given: list[str]) -> Action:
    cards = _sorted(given)
    naturals = _naturals(cards)
    if cards == ("3b", "3b"):
        return Action(Family.TAKE_THREES, cards)
    if len(naturals) == _PAIR and _are_alike(naturals):
        return Action(Family.TAKE_PAIR, cards)
    if len(naturals) == 1 and cards[1] in _WILDS:
        return Action(_of_wild(cards[1], Family.TAKE_DEUCE), cards)
    raise _Unreadable("the pile is taken with a pair, or with one natural and one wild card")


def _meld(given: list[str]) -> Action:
    cards = _sorted(given)
    naturals = _naturals(cards)
    wilds = [card for card in cards if card in _WILDS]
    if len(cards) >= _RUN and len(wilds) == len(cards):
        return Action(Family.MELD_WILD, cards)
    if cards == ("3b",) * len(cards) and len(cards) in (3, 4):
        family = Family.MELD_THREES if len(cards) == _RUN else Family.MELD_FOUR_THREES
        return Action(family, cards)
    if len(cards) != _RUN or len(naturals) < _PAIR or len(naturals) + len(wilds) != _RUN:
        raise _Unreadable("a new meld is three cards, two of them natural at least")
    if not _are_alike(naturals):
        return Action(Family.MELD_SEQUENCE, _run(given))
    if not wilds:
        return Action(Family.MELD, cards)
    return Action(_of_wild(wilds[0], Family.MELD_DEUCE), cards)


def _run(given: list[str]) -> tuple[str, ...]:
    """Three places of a sequence, low to high; a wild card stands where it is written."""
    cards = tuple(map(_card, given))
    naturals = _naturals(cards)
    wilds = sum(card in _WILDS for card in cards)
    if len(cards) != _RUN or len(naturals) + wilds != _RUN or len(naturals) < _PAIR:
        raise _Unreadable("a sequence is three cards, two of them natural at least")
    if not wilds:
        cards = _sorted(given)
    suits = {suit_of(card) for card in naturals}
    lows = {rank_of(card) - i for i, card in enumerate(cards) if card not in _WILDS}
    low = min(lows)
    if len(suits) != 1 or -1 in suits or len(lows) != 1:
        raise _Unreadable("its cards are not a sequence of one suit, low to high")
    if not FIRST_NATURAL <= low <= len(RANK_TOKENS) - _RUN:
        raise _Unreadable("a sequence lies between 4 and A")
    return cards


def _add(card: str) -> Action:
    if card == "3b":
        return Action(Family.ADD_THREE, (card,))
    if rank_of(_card(card)) < FIRST_NATURAL:
        raise _Unreadable(f"where {card} goes is not said")
    return Action(Family.ADD, (card,))


def _add_wild(card: str, target: str) -> Action:
    if target == "wild":
        return Action(_of_wild(card, Family.WILD_DEUCE), (card,), target)
    if target not in RANK_TOKENS[FIRST_NATURAL:]:
        raise _Unreadable(f"{target!r} is neither a rank from 4 to A nor wild")
    return Action(_of_wild(card, Family.ADD_DEUCE), (card,), target)


def _place(place: str) -> str:
    if suit_of(place) < 0:
        raise _Unreadable(f"{place!r} is not a place in a sequence, like 10h")
    return place


def _of_wild(card: str, with_deuce: Family) -> Family:
    """The family for a wild card: that of the deuces, or its twin for jokers."""
    if card not in _WILDS:
        raise _Unreadable(f"{card!r} is not a wild card; those are 2 and JK")
    return with_deuce if card == "2" else Family(with_deuce.replace("deuce", "joker"))

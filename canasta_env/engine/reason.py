"""A reason as a value, and the words that reasons are made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from canasta_env.cards import KIND_COUNT, RANK_TOKENS, kind_token
from canasta_env.engine.layout import kinds_of, rank_of
from canasta_env.engine.state import FIRST_NATURAL

__all__ = ["Reason", "Rule", "held_of", "is_wild", "name", "plural", "side_of", "too_many_wilds"]


class Rule(StrEnum):
    """The rule that forbids an action; the section or row of rules.md is in its comment."""

    OVER = "over"  # A turn
    PHASE = "phase"  # A turn
    OFFER = "offer"  # The offer
    EMPTY_STOCK = "empty_stock"  # End of the stock
    STOCK_LEFT = "stock_left"  # End of the stock
    FORCED_TAKE = "forced_take"  # End of the stock
    EMPTY_PILE = "empty_pile"  # Taking the pile
    TOP_CARD = "top_card"  # Taking the pile
    ONE_CARD = "one_card"  # Taking the pile
    FROZEN = "frozen"  # Taking the pile; a wild or red three in the pile
    CARDS = "cards"  # A turn: cards of the own hand
    NO_MELD = "no_meld"  # A turn: additions to the side's own melds
    MELD_EXISTS = "meld_exists"  # melds of one rank for a side
    FULL = "full"  # melds of one rank for a side: a meld closes at seven
    WILDS = "wilds"  # most wilds; wilds against naturals
    SEQUENCE = "sequence"  # sequences; Sequences
    MINIMUM = "minimum"  # First meld
    NATURAL_GROUP = "natural_group"  # First meld: it needs a group of three naturals
    KEEP_CARDS = "keep_cards"  # Going out: a seat that may not go out keeps a card
    CANASTAS = "canastas"  # canastas to go out
    MUST_GO_OUT = "must_go_out"  # Asking: yes; black threes
    MUST_NOT_GO_OUT = "must_not_go_out"  # Asking: no
    BLACK_THREES = "black_threes"  # black threes melded
    RED_THREES = "red_threes"  # discarding an own laid-out red three
    ASKING = "asking"  # Asking


@dataclass(frozen=True)
class Reason:
    """Why an action is not legal: the rule as a value, and a sentence."""

    rule: Rule
    text: str

    def __str__(self) -> str:
        return self.text


def side_of(g: Any) -> int:
    """The side of the seat to act."""
    return int(g.turn) % int(g.sides)


def held_of(g: Any, rank: int) -> int:
    """How many cards of a rank the seat to act holds, whatever their suits."""
    hand, kinds = g.hands[int(g.turn)], kinds_of(g)
    return sum(int(hand[kind]) for kind in range(kinds) if rank_of(kinds, kind) == rank)


def is_wild(token: str) -> bool:
    """Is this the token of a deuce or a joker?"""
    return token in ("2", "JK")


def name(g: Any, kind: int) -> str:
    """A card in words: with its article, or where suits matter its token."""
    names = ("a joker", "a deuce", "a red three", "a black three")
    if kind < FIRST_NATURAL:
        return names[kind]
    return _words(kind)[0] if kinds_of(g) == KIND_COUNT else kind_token(kind, suited=True)


def plural(rank: int) -> str:
    """The cards of a rank in words."""
    return _words(rank)[1]


def _words(rank: int) -> tuple[str, str]:
    """A rank in words: singular with its article, plural."""
    named = {11: ("a jack", "jacks"), 12: ("a queen", "queens"), 13: ("a king", "kings")}
    named |= {3: ("a black three", "black threes"), 14: ("an ace", "aces")}
    token = RANK_TOKENS[rank]
    article = "an" if rank == 8 else "a"
    return named.get(rank, (f"{article} {token}", f"{token}s"))


def too_many_wilds(r: Any, wilds: int, naturals: int) -> Reason:
    """A meld would have more wild cards than it may."""
    most = int(r.wild_capacity[naturals])
    text = f"{wilds} wild cards beside {naturals} naturals; at most {most} are allowed"
    return Reason(Rule.WILDS, text)

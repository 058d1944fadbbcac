"""Kinds of cards, their tokens and values, and the composition of the packs.

Where suits do not matter, a card is one of fifteen *kinds*: joker, deuce, red three, black three
and the natural ranks 4 to A. The number of a natural kind is its rank (4 to 14), so ``kind ==
rank`` for naturals. Rules with sequences use 48 kinds: the first four are the same, then every
natural rank in the suits c d h s.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

__all__ = [
    "CARD_VALUES",
    "KIND_COUNT",
    "RANK_TOKENS",
    "SUITED_KIND_COUNT",
    "Kind",
    "Pack",
    "card_counts",
    "kind_token",
    "parse_cards",
    "parse_kind",
    "suited_kind",
    "write_cards",
]


class Kind(IntEnum):
    """A kind of card where suits do not matter (rules.md: card values; notation.md: Cards)."""

    JOKER = 0
    DEUCE = 1
    RED_THREE = 2
    BLACK_THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14


KIND_COUNT: Final = 15
SUITED_KIND_COUNT: Final = 48
SUITS: Final = "cdhs"
RANK_TOKENS: Final[tuple[str, ...]] = (
    "JK", "2", "3r", "3b", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A",
)  # fmt: skip
CARD_VALUES: Final[tuple[int, ...]] = (50, 20, 0, 5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 10, 20)
"""Points of a card by kind; a red three has none (rules.md, Card values)."""

_TOKEN_KINDS: Final = {token: kind for kind, token in enumerate(RANK_TOKENS)}
_SPECIAL: Final = 4


def suited_kind(rank: int, suit: int) -> int:
    """The kind (4 to 47) of the natural card of ``rank`` 4..14 and ``suit`` 0..3 (c d h s)."""
    return _SPECIAL + 4 * (rank - _SPECIAL) + suit


def kind_token(kind: int, *, suited: bool = False) -> str:
    """The token of a kind: ``JK``, ``2``, ``3r``, ``3b``, ``10`` or, suited, ``10h``."""
    if not suited or kind < _SPECIAL:
        return RANK_TOKENS[kind]
    rank, suit = divmod(kind - _SPECIAL, 4)
    return RANK_TOKENS[rank + _SPECIAL] + SUITS[suit]


def parse_kind(token: str, *, suited: bool = False) -> int:
    """The kind that a token names; the inverse of :func:`kind_token`.

    Raises:
        ValueError: the token is not a card; the message names it.
    """
    kind = _TOKEN_KINDS.get(token)
    if kind is not None and (not suited or kind < _SPECIAL):
        return kind
    if suited and token[-1:] in SUITS and token[-1:]:
        rank = _TOKEN_KINDS.get(token[:-1], 0)
        if rank >= _SPECIAL:
            return suited_kind(rank, SUITS.index(token[-1]))
    examples = "7h, 10c, 2, JK, 3r, 3b" if suited else "4 to 10, J, Q, K, A, 2, JK, 3r, 3b"
    raise ValueError(f"{token!r} is not a card; cards are {examples}")


def parse_cards(text: str, *, suited: bool = False) -> list[int]:
    """The kinds of a list of tokens separated by spaces; an empty text is no card."""
    return [parse_kind(token, suited=suited) for token in text.split()]


def write_cards(kinds: Iterable[int], *, suited: bool = False) -> str:
    """Kinds as tokens separated by spaces, in the order given."""
    return " ".join(kind_token(kind, suited=suited) for kind in kinds)


@dataclass(frozen=True)
class Pack:
    """What one pack holds: that of 54 unless something is left out of it.

    Attributes:
        ranks: natural ranks, from 4 upward.
        copies: cards of each of them.
        deuces, jokers, red_threes, black_threes: cards of each of these kinds.
    """

    ranks: int = KIND_COUNT - _SPECIAL
    copies: int = 4
    deuces: int = 4
    jokers: int = 2
    red_threes: int = 2
    black_threes: int = 2


FULL_PACK: Final = Pack()


def card_counts(packs: int, *, suited: bool = False, pack: Pack = FULL_PACK) -> tuple[int, ...]:
    """How many cards of each kind so many packs hold: 15 counts, or 48 with suits (of full packs
    only).
    """
    special = (pack.jokers, pack.deuces, pack.red_threes, pack.black_threes)
    naturals = (
        (1,) * (SUITED_KIND_COUNT - _SPECIAL)
        if suited
        else (pack.copies,) * pack.ranks + (0,) * (KIND_COUNT - _SPECIAL - pack.ranks)
    )
    return tuple(packs * count for count in special + naturals)

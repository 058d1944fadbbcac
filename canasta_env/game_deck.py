"""Reading a deck that somebody gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from canasta_env.cards import KIND_COUNT, parse_cards, write_cards

__all__ = ["Deck", "read_deck"]

Deck: TypeAlias = str | Sequence[int] | Sequence[str]
"""A deck as somebody gives it: tokens in one text or one by one, or kinds."""


def read_deck(deck: str | Sequence[int] | Sequence[str], wanted: Any) -> npt.NDArray[np.uint8]:
    """The kinds of a deck, first card first, given as tokens or kinds.

    ``wanted`` (kinds,): how many cards of each kind the deck has.

    Raises:
        ValueError: a token is no card, or a card is there too often or too seldom.
    """
    suited = len(wanted) > KIND_COUNT
    if isinstance(deck, str):
        cards = parse_cards(deck, suited=suited)
    else:
        cards = [
            parse_cards(card, suited=suited)[0] if isinstance(card, str) else int(card)
            for card in deck
        ]
    counts = np.bincount(np.asarray(cards, np.int64), minlength=len(wanted))
    for kind in range(max(len(counts), len(wanted))):
        given = int(counts[kind])
        needed = int(wanted[kind]) if kind < len(wanted) else 0
        if given != needed:
            token = write_cards([kind], suited=suited) if kind < len(wanted) else str(kind)
            raise ValueError(f"deck: {token} is there {given} times; the deck has {needed}")
    return np.asarray(cards, np.uint8)

"""All deals of a small game, up to what matters: the hands as sets, and the order of the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import factorial, prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from canasta_env.rules import Rules

__all__ = ["DEALER", "PLAYERS", "Deals", "TooLargeError", "all_deals"]

PLAYERS: Final = 2
DEALER: Final = 1
"""Deals, so that seat 0 begins."""

Counts = tuple[int, ...]


class TooLargeError(ValueError):
    """A game that is too large to be walked through, or not of the kind that is."""


@dataclass(frozen=True)
class Deals:
    """``decks`` uint8 (deals, cards), kinds in the order of dealing; ``chance`` (deals,), their
    probabilities, which add up to 1.
    """

    decks: npt.NDArray[np.uint8]
    chance: npt.NDArray[np.float64]


def all_deals(rules: Rules, most: int) -> Deals:
    """Every deal to two players by seat 1, once for all orders in which a hand may come.

    Raises:
        TooLargeError: there are more than ``most``, or the rules deal in another way.
    """
    _check(rules)
    counts, hand = rules.card_counts(PLAYERS), _hand(rules)
    decks, orders = [], []
    for first, second, rest in _dealt(counts, hand):
        if len(decks) + _arrangements(rest) > most:
            raise TooLargeError(f"{rules} has more than {most:,} deals; that is too many to walk")
        pairs = zip(_cards(first), _cards(second), strict=True)
        hands = [card for pair in pairs for card in pair]
        decks += [hands + order for order in _orders(list(rest), sum(rest))]
        orders += [_arrangements(first) * _arrangements(second)] * _arrangements(rest)
    chance = np.array(orders, np.float64) / _arrangements(counts)
    return Deals(np.array(decks, np.uint8), chance)


def _check(rules: Rules) -> None:
    if PLAYERS not in rules.players:
        raise TooLargeError(f"{rules} is not played by two")
    table: Any = rules.at(PLAYERS)
    if table.foot or table.cut_bonus or table.sequences:
        raise TooLargeError(f"{rules}: only rules without foot, cut_bonus and sequences are walked")


def _hand(rules: Rules) -> int:
    hand: Any = rules.at(PLAYERS).hand
    return int(hand)


def _dealt(counts: Counts, hand: int) -> Iterator[tuple[Counts, Counts, Counts]]:
    """The two hands and the rest, in all ways."""
    for first, left in _hands(counts, hand):
        for second, rest in _hands(left, hand):
            yield first, second, rest


def _hands(counts: Sequence[int], size: int) -> Iterator[tuple[Counts, Counts]]:
    """All hands of so many cards, and the cards that each leaves, as counts by kind."""
    if not counts:
        if size == 0:
            yield (), ()
        return
    for held in range(min(size, counts[0]) + 1):
        for hand, left in _hands(counts[1:], size - held):
            yield (held, *hand), (counts[0] - held, *left)


def _cards(counts: Counts) -> list[int]:
    return [kind for kind, count in enumerate(counts) for _ in range(count)]


def _orders(left: list[int], size: int) -> Iterator[list[int]]:
    """All different orders of the cards that are left; ``left`` is changed and put back."""
    if size == 0:
        yield []
    for kind, count in enumerate(left):
        if count:
            left[kind] -= 1
            yield from ([kind, *rest] for rest in _orders(left, size - 1))
            left[kind] += 1


def _arrangements(counts: Sequence[int]) -> int:
    """In how many different orders these cards can lie."""
    return factorial(sum(counts)) // prod(map(factorial, counts))

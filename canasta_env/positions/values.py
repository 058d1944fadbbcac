"""The values of a position's keys: each is read by its type, and errors name the key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from canasta_env.cards import kind_token, parse_cards

__all__ = [
    "PositionError", "by_index", "known_keys", "number", "numbers", "one_of", "read_cards", "row",
    "sort_cards", "switch", "write_counts",
]  # fmt: skip

T = TypeVar("T")
INT32: Final = 2**31 - 1


class PositionError(ValueError):
    """A position that cannot be; the message names the key or the card."""


def known_keys(key: str, given: object, known: tuple[str, ...]) -> dict[str, Any]:
    """The mapping ``given`` without the keys whose value is None, all of them among ``known``."""
    if not isinstance(given, Mapping):
        raise PositionError(f"{key}: a mapping is needed, not {given!r}")
    for name in given:
        if name not in known:
            raise PositionError(f"{name}: {key} has no such key; keys are {', '.join(known)}")
    return {name: value for name, value in given.items() if value is not None}


def number(key: str, value: object, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise PositionError(f"{key}: {value!r} is not a whole number from {low} to {high}")
    return value


def switch(key: str, value: object) -> bool:
    """A yes or no."""
    if not isinstance(value, bool):
        raise PositionError(f"{key}: {value!r} is neither true nor false")
    return value


def one_of(key: str, value: object, words: tuple[str, ...]) -> int:
    """The place of a word among ``words``."""
    if not isinstance(value, str) or value not in words:
        raise PositionError(f"{key}: {value!r} is not one of {', '.join(words)}")
    return words.index(value)


def by_index(key: str, value: object, count: int, what: str) -> dict[int, Any]:
    """Values by seat or side (``what``), given as a mapping or as a list of all ``count``.

    JSON and YAML may bring the numbers of a mapping as texts. What is missing or None is left out.
    """
    if value is None:
        return {}
    if isinstance(value, list | tuple):
        if len(value) != count:
            raise PositionError(f"{key}: {len(value)} values given, there are {count} {what}s")
        value = dict(enumerate(value))
    if not isinstance(value, Mapping):
        raise PositionError(f"{key}: a mapping by {what} is needed, not {value!r}")
    found: dict[int, Any] = {}
    for index, one in value.items():
        place = int(index) if isinstance(index, str) and index.isdecimal() else index
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < count:
            raise PositionError(
                f"{key}: there is no {what} {index!r}; {what}s are 0 to {count - 1}"
            )
        if place in found:
            raise PositionError(f"{key}: {what} {place} is given twice")
        if one is not None:
            found[place] = one
    return found


def row(
    key: str, value: object, count: int, what: str, default: T, read: Callable[[str, object], T]
) -> list[T]:
    """One value for each seat or side, ``default`` where none is given."""
    found = by_index(key, value, count, what)
    return [read(key, found[i]) if i in found else default for i in range(count)]


def numbers(key: str, value: object, count: int, what: str, low: int, high: int) -> list[int]:
    """One whole number for each seat or side, 0 where none is given."""
    return row(key, value, count, what, 0, lambda name, one: number(name, one, low, high))


def read_cards(key: str, value: object, suited: bool) -> list[int]:
    """The kinds of the cards in a text or a list of tokens."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        value = " ".join(map(str, value))
    if not isinstance(value, str):
        raise PositionError(f"{key}: cards are a text, like '5 9 K', not {value!r}")
    try:
        return parse_cards(value, suited=suited)
    except ValueError as fault:
        raise PositionError(f"{key}: {fault}") from None


def sort_cards(kinds: list[int]) -> list[int]:
    """Naturals by rank, then black threes, red threes, deuces and jokers."""
    return sorted(kinds, key=lambda kind: (kind < 4, kind if kind >= 4 else -kind))


def write_counts(counts: Any, suited: bool) -> str:
    """The cards of a multiset, given as counts by kind."""
    kinds = [kind for kind, count in enumerate(counts) for _ in range(int(count))]
    return " ".join(kind_token(kind, suited=suited) for kind in sort_cards(kinds))

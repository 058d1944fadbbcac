"""What a field of the rules may hold: the types of values, how each is read, checked and written.

A value comes from Python, from a preset's file, from a position in YAML or JSON or from a text;
:func:`read_value` brings all of them to one form and refuses what is not allowed, naming the field,
what was given and what is allowed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, TypeAlias, TypeVar

__all__ = [
    "BlackThree", "BlackThreeMelds", "ByPlayers", "ConcealedCanasta", "ConcealedWaives",
    "LastDiscard", "MinimumBy", "NextDealer", "PlayersKey", "RedThreesUnmelded", "Rounding",
    "RulesError", "Spec", "StockEnd", "Tie", "Upcard", "WildMelds", "WildRelation", "choice",
    "minimums", "number", "player_counts", "read_value", "switch", "totals", "word",
    "write_plain", "write_value",
]  # fmt: skip

T = TypeVar("T")
PlayersKey: TypeAlias = int | tuple[int, int]
"""A number of players, or a number of players and one of sides: ``(6, 3)`` is six players in three
pairs.
"""
MOST_MINIMUMS: Final = 8
MOST_RED_THREES: Final = 15
MOST_PLAYERS: Final = 6


class RulesError(ValueError):
    """Rules that cannot be: an unknown field or preset, a wrong value, or values that contradict
    each other.
    """


class Tie(StrEnum):
    """What a tie at the end of a match brings."""

    ANOTHER_DEAL = "another_deal"
    DRAW = "draw"


class NextDealer(StrEnum):
    """Who deals next."""

    NEXT_SEAT = "next_seat"
    HIGHER_SCORE = "higher_score"


class Rounding(StrEnum):
    """How a side's deal score is rounded."""

    NONE = "none"
    HUNDRED = "hundred"


class Upcard(StrEnum):
    """What happens with the first card of the pile."""

    COVER_WILD = "cover_wild"
    COVER_THREES_AND_WILD = "cover_threes_and_wild"
    OFFER = "offer"
    BURY = "bury"
    AS_IS = "as_is"


class BlackThree(StrEnum):
    """What a black three in the pile does besides blocking the next player."""

    BLOCK = "block"
    FREEZE = "freeze"


class WildRelation(StrEnum):
    """How many wild cards a meld may hold, against its naturals."""

    ANY = "any"
    FEWER = "fewer"
    HALF = "half"
    NOT_MORE = "not_more"


class WildMelds(StrEnum):
    """Whether wild cards alone may be melded."""

    NONE = "none"
    FROM_THREE = "from_three"
    WHOLE = "whole"


class BlackThreeMelds(StrEnum):
    """Whether black threes may be melded."""

    GOING_OUT = "going_out"
    NEVER = "never"


class MinimumBy(StrEnum):
    """What the points of the first meld go by."""

    SCORE = "score"
    DEAL = "deal"


class LastDiscard(StrEnum):
    """Whether going out needs a last discard."""

    OPTIONAL = "optional"
    REQUIRED = "required"


class ConcealedCanasta(StrEnum):
    """Which canasta going out concealed needs."""

    OWN = "own"
    SIDE = "side"
    OWN_UNMELDED = "own_unmelded"


class ConcealedWaives(StrEnum):
    """Whether going out concealed waives the minimum of the first meld."""

    NEVER = "never"
    STOCK = "stock"
    ALWAYS = "always"


class RedThreesUnmelded(StrEnum):
    """How red threes count for a side that has not melded."""

    AGAINST = "against"
    FOR = "for"


class StockEnd(StrEnum):
    """What the end of the stock brings."""

    FORCED = "forced"
    FREE = "free"
    ENDS = "ends"


class ByPlayers(Mapping[PlayersKey, T], Generic[T]):
    """A value for each number of players; like a dict, but frozen and hashable."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[PlayersKey, T]) -> None:
        self._values = dict(sorted(values.items(), key=lambda item: _sort_key(item[0])))

    def __getitem__(self, key: PlayersKey) -> T:
        return self._values[key]

    def __iter__(self) -> Iterator[PlayersKey]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)

    def at(self, players: int, sides: int) -> T | None:
        """The value for ``players`` in ``sides`` sides, or None if there is none."""
        value = self._values.get((players, sides))
        return self._values.get(players) if value is None else value


def _sort_key(key: PlayersKey) -> tuple[int, int]:
    return key if isinstance(key, tuple) else (key, 0)


class _Wrong(Exception):
    """A value that its field does not allow; turned into a RulesError where the field's name is
    known.
    """


@dataclass(frozen=True)
class Spec:
    """What a field may hold, and what it means.

    Attributes:
        row: the row of rules.md (or the paragraph) that the field stands for.
        meaning: the field in one line, where the row does not say it all.
        allowed: what is allowed, for people.
        read: brings one plain value to its final form, or raises ``_Wrong``.
        by_players: whether a mapping from players to values may stand in its place.
    """

    row: str
    meaning: str
    allowed: str
    read: Callable[[object], Any]
    by_players: bool = False


def _field(spec: Spec) -> Any:
    return dataclasses.field(metadata={"spec": spec})


def number(row: str, low: int, high: int, meaning: str = "", *, by_players: bool = False) -> Any:
    """A field with a whole number from ``low`` to ``high``, or one for each number of players."""

    def read(value: object) -> int:
        return _whole(value, low, high)

    allowed = f"a whole number from {low} to {high}" if low < high else f"{low} only"
    return _field(Spec(row, meaning, allowed, read, by_players))


def switch(row: str, meaning: str = "") -> Any:
    """A field with a yes or no."""

    def read(value: object) -> bool:
        if isinstance(value, str) and value in ("true", "false"):
            return value == "true"
        if isinstance(value, bool):
            return value
        raise _Wrong

    return _field(Spec(row, meaning, "True or False", read))


def choice(row: str, options: type[StrEnum], meaning: str = "") -> Any:
    """A field with one word of an enumeration."""

    def read(value: object) -> StrEnum:
        try:
            return options(str(value)) if value is not None else options("none")
        except ValueError:
            raise _Wrong from None

    return _field(Spec(row, meaning, "one of " + ", ".join(options), read))


def word(row: str, meaning: str) -> Any:
    """A field with the name of a preset; whether there is such a preset is checked by the rules."""

    def read(value: object) -> str:
        if isinstance(value, str):
            return value
        raise _Wrong

    return _field(Spec(row, meaning, "the name of a preset", read))


def player_counts(row: str, meaning: str) -> Any:
    """A field with the numbers of players that can play, ascending."""

    def read(value: object) -> tuple[int, ...]:
        given = [value] if isinstance(value, int) else _sequence(value)
        counts = {_whole(one, 2, MOST_PLAYERS) for one in given}
        if len(counts) != len(given) or not counts:
            raise _Wrong
        return tuple(sorted(counts))

    return _field(Spec(row, meaning, f"different numbers from 2 to {MOST_PLAYERS}", read))


def minimums(row: str, meaning: str) -> Any:
    """A field with the steps of the first meld: pairs (from, points), ascending."""

    def read(value: object) -> tuple[tuple[int | None, int], ...]:
        steps = tuple(_step(one) for one in _sequence(value))
        starts = [start for start, _ in steps]
        later = [start for start in starts[1:] if start is not None]
        ascending = len(later) == len(steps) - 1 and later == sorted(set(later))
        first_is_low = bool(starts) and (starts[0] is None or not later or starts[0] < later[0])
        if not 1 <= len(steps) <= MOST_MINIMUMS or not ascending or not first_is_low:
            raise _Wrong
        return steps

    allowed = f"1 to {MOST_MINIMUMS} pairs (from, points), ascending; from is None below everything"
    return _field(Spec(row, meaning, allowed, read, by_players=True))


def totals(row: str, meaning: str) -> Any:
    """A field with the total value of 0, 1, 2, … cards."""

    def read(value: object) -> tuple[int, ...]:
        values = tuple(_whole(one, 0, 100_000) for one in _sequence(value))
        if not 1 < len(values) <= MOST_RED_THREES + 1 or values[0] != 0:
            raise _Wrong
        return values

    allowed = "the totals of 0, 1, 2, … red threes, beginning with 0"
    return _field(Spec(row, meaning, allowed, read, by_players=True))


def _whole(value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise _Wrong
    return int(value)


def _sequence(value: object) -> list[Any] | tuple[Any, ...]:
    if isinstance(value, list | tuple):
        return value
    raise _Wrong


def _step(value: object) -> tuple[int | None, int]:
    pair = _sequence(value)
    if len(pair) != 2:
        raise _Wrong
    below = pair[0] is None or pair[0] == "below"  # TOML has no None
    start = None if below else _whole(pair[0], -1_000_000, 1_000_000)
    return start, _whole(pair[1], 0, 100_000)


def read_value(name: str, spec: Spec, value: object) -> Any:
    """The value of the field ``name`` in its final form.

    Raises:
        RulesError: the value is not allowed.
    """
    try:
        if isinstance(value, Mapping) and spec.by_players:
            return ByPlayers({_read_key(key): spec.read(one) for key, one in value.items()})
        return spec.read(value)
    except _Wrong:
        allowed = spec.allowed + (", or one for each number of players" if spec.by_players else "")
        raise RulesError(
            f"{name}: {write_value(value)} is not allowed; allowed: {allowed}"
        ) from None


def _read_key(key: object) -> PlayersKey:
    """Players as ``6`` or ``"6"``; players and sides as ``(6, 3)`` or ``"6/3"``."""
    if isinstance(key, str):
        parts = key.split("/")
        if not all(part.isdecimal() for part in parts):
            raise _Wrong
        key = tuple(int(part) for part in parts)
    if isinstance(key, tuple) and len(key) == 2:
        return _whole(key[0], 2, MOST_PLAYERS), _whole(key[1], 2, MOST_PLAYERS)
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    return _whole(key, 2, MOST_PLAYERS)


def write_value(value: object) -> str:
    """A value as it stands in the text of rules: ``11``, ``freeze``, ``{2: 15, 4: 11}``."""
    if isinstance(value, Mapping):
        return (
            "{" + ", ".join(f"{write_value(k)}: {write_value(v)}" for k, v in value.items()) + "}"
        )
    if isinstance(value, list | tuple):
        inside = ", ".join(write_value(one) for one in value)
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    return str(value) if isinstance(value, StrEnum) else repr(value)


def write_plain(value: object) -> Any:
    """A value in the types of YAML and JSON; :func:`read_value` reads it back."""
    if isinstance(value, ByPlayers):
        keys = {k: "/".join(map(str, k)) if isinstance(k, tuple) else k for k in value}
        return {keys[k]: write_plain(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return [write_plain(one) for one in value]
    return str(value) if isinstance(value, StrEnum) else value

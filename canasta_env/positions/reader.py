"""What the parts of a position's reading share: the keys, the rules, the game that is filled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from canasta_env.cards import KIND_COUNT, SUITED_KIND_COUNT
from canasta_env.engine.state import Drew, End, Phase, new_games
from canasta_env.positions.melds import Meld
from canasta_env.positions.supply import Supply
from canasta_env.positions.values import (
    PositionError,
    by_index,
    known_keys,
    number,
    numbers,
    read_cards,
    row,
    switch,
)
from canasta_env.rules import Rules

__all__ = ["ASKED", "DREW", "ENDS", "KEYS", "PHASES", "TURN_KEYS", "Reader"]

KEYS: Final = (
    "rules", "players", "scores", "deal", "dealer", "turn", "phase", "turns", "hands", "feet",
    "melds", "red_threes", "pile", "frozen", "stock", "absent", "melded", "seat_melded",
    "foot_played", "turn_state", "owed", "concealed_canastas", "discards", "known", "cut", "seed",
    "deal_scores", "ended", "match_seed",
)  # fmt: skip
TURN_KEYS: Final = (
    "drew", "before", "top", "pending", "begun", "staged", "added", "acted", "asked", "asker",
    "must_go_out",
)  # fmt: skip
PHASES: Final = tuple(phase.name.lower() for phase in Phase)
DREW: Final = tuple(drew.name.lower() for drew in Drew)
ASKED: Final = ("none", "open", "yes", "no")
ENDS: Final = tuple(end.name.lower() for end in End)


class Reader:
    """A position while it is read.

    Attributes:
        given: its keys, without those whose value is None.
        rules, table_rules: the rules, and the same with plain values for so many players.
        games, game: an array with the game that is filled, and its record.
        supply: the cards that are not placed yet.
        turn_state: the keys of ``turn_state``.
        melds: the melds of each side, in the order given.
    """

    def __init__(self, mapping: Mapping[str, Any]) -> None:
        self.given = known_keys("the position", mapping, KEYS)
        self.rules = _read_rules(self.given.get("rules", "classic"))
        self.players = number("players", self.given.get("players", 4), 2, 6)
        self.table_rules = self.rules.at(self.players)
        self.suited = self.rules.sequences
        self.sides = self.rules.sides_of(self.players)
        kinds = SUITED_KIND_COUNT if self.suited else KIND_COUNT
        self.games = new_games(1, kinds)
        self.game: Any = self.games[0]
        self.supply = Supply(self.rules.card_counts(self.players), self.suited)
        self.turn_state = _read_turn_keys(self.given.get("turn_state"))
        self.melds: list[list[Meld]] = []

    def cards(self, key: str) -> list[int]:
        return read_cards(key, self.given.get(key), self.suited)

    def seats(self, key: str) -> dict[int, Any]:
        return by_index(key, self.given.get(key), self.players, "seat")

    def flags(self, key: str, what: str) -> list[bool]:
        count = self.players if what == "seat" else self.sides
        return row(key, self.given.get(key), count, what, False, switch)

    def integers(self, key: str, what: str, low: int, high: int) -> list[int]:
        count = self.players if what == "seat" else self.sides
        return numbers(key, self.given.get(key), count, what, low, high)


def _read_rules(given: object) -> Rules:
    if isinstance(given, Rules):
        return given
    if isinstance(given, str):
        return Rules.parse(given)
    if isinstance(given, Mapping):
        return Rules.from_mapping(given)
    raise PositionError(f"rules: {given!r} is neither a preset's name nor a mapping")


def _read_turn_keys(given: object) -> dict[str, Any]:
    return known_keys("turn_state", {} if given is None else given, TURN_KEYS)

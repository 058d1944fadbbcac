"""The rules of a game of the canasta family as a value: frozen, validated, with a text form.

A rule system is a preset, one file in ``presets``, and any field of it can be changed::

    Rules.preset("classic").replace(target=3000)
    Rules.parse("classic(target=3000)")

Fields that depend on the number of players hold one value or a mapping from players to values;
:meth:`Rules.at` resolves them for a table. The rows that the fields cite are those of rules.md.
"""

# ruff: noqa: RUF009 (the functions that describe the fields make dataclass fields)
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeAlias

from canasta_env.cards import Pack, card_counts
from canasta_env.rules_check import check
from canasta_env.rules_fields import (
    BlackThree,
    BlackThreeMelds,
    ByPlayers,
    ConcealedCanasta,
    ConcealedWaives,
    LastDiscard,
    MinimumBy,
    NextDealer,
    RedThreesUnmelded,
    Rounding,
    RulesError,
    Spec,
    StockEnd,
    Tie,
    Upcard,
    WildMelds,
    WildRelation,
    choice,
    minimums,
    number,
    player_counts,
    read_value,
    switch,
    totals,
    word,
    write_plain,
    write_value,
)
from canasta_env.rules_read import closest, load_preset, parse_call, preset_names

__all__ = ["ByPlayers", "PerPlayers", "Rules", "RulesError", "preset_names"]

PerPlayers: TypeAlias = int | ByPlayers[int]
"""One number, or one for each number of players."""
Minimums: TypeAlias = tuple[tuple[int | None, int], ...]
Totals: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One system of rules; every value of it is legal and none contradicts another.

    Raises:
        RulesError: a value is not allowed, or two contradict each other; the field is named.
    """

    name: str = word("preset", "the preset that these rules come from")
    players: tuple[int, ...] = player_counts("players", "how many can play")
    sides: PerPlayers = number(
        "players", 2, 6, "sides; seat s belongs to side s mod sides", by_players=True
    )
    packs: PerPlayers = number("packs of 54", 1, 5, by_players=True)
    ranks: int = number("packs of 54", 1, 11, "natural ranks in a pack, from 4 upward")
    copies: int = number("packs of 54", 1, 4, "cards of each natural rank in a pack")
    deuces: int = number("packs of 54", 0, 4, "in a pack")
    jokers: int = number("packs of 54", 0, 2, "in a pack")
    red_threes: int = number("packs of 54", 0, 2, "in a pack")
    black_threes: int = number("packs of 54", 0, 2, "in a pack")
    hand: PerPlayers = number("hand", 1, 60, "cards dealt to a hand", by_players=True)
    foot: PerPlayers = number(
        "foot", 0, 60, "cards dealt to a foot; 0: there is none", by_players=True
    )
    draw: PerPlayers = number("drawn in a turn", 1, 10, by_players=True)
    target: PerPlayers = number(
        "match", 0, 1_000_000, "the score that ends a match", by_players=True
    )
    deals: PerPlayers = number(
        "match", 0, 1000, "deals in a match; 0: until the target", by_players=True
    )
    tie: Tie = choice("tie at the end", Tie)
    next_dealer: NextDealer = choice("next dealer", NextDealer)
    rounding: Rounding = choice("deal score rounded", Rounding)

    upcard: Upcard = choice("upcard", Upcard)
    start_wild_freezes: bool = switch(
        "a wild or red three in the starting pile", "a wild card freezes"
    )
    start_red_three_freezes: bool = switch(
        "a wild or red three in the starting pile", "a red three freezes"
    )
    discarded_wild_freezes: bool = switch("discarding a wild")
    black_three: BlackThree = choice("a black three in the pile", BlackThree)
    red_three_discard: bool = switch("discarding an own laid-out red three")
    frozen_to_unmelded: bool = switch("frozen for a side that has not melded")
    always_pair: bool = switch(
        "take with a natural pair", "the pile is only ever taken with a natural pair"
    )
    take_natural_wild: bool = switch("take with one natural and one wild (not frozen)")
    take_onto: bool = switch("take onto an own meld (not frozen)")
    take_into_sequence: bool = switch("take into a new sequence")
    pile_taken: int = number("cards taken", 0, 270, "from the top; 0: all")

    smallest_meld: int = number("smallest meld", 3, 3)
    fewest_naturals: int = number("fewest naturals", 2, 3)
    most_wilds: int = number("most wilds", 0, 6)
    wild_relation: WildRelation = choice("wilds against naturals", WildRelation)
    new_meld_most_wilds: int = number(
        "wilds against naturals", 0, 1, "wilds in a new meld of three"
    )
    canasta_fewest_naturals: int = number(
        "wilds against naturals", 0, 7, "naturals in a canasta; 0: as any meld"
    )
    canasta_size: int = number("canasta bonuses", 4, 7, "cards that make a canasta")
    melds_close: bool = switch(
        "melds of one rank for a side", "a canasta is closed, another meld may start"
    )
    wild_melds: WildMelds = choice("melds of wild cards only, one for a side", WildMelds)
    sequences: bool = switch("sequences", "suits matter; runs in a suit may be melded")
    black_three_melds: BlackThreeMelds = choice("black threes melded", BlackThreeMelds)
    black_three_take: bool = switch("a black three on top may be taken")

    minimums: Minimums | ByPlayers[Minimums] = minimums(
        "first meld, by score",
        "(from, points): the score or the number of the deal from which so many are needed",
    )
    minimum_by: MinimumBy = choice("first meld, by score", MinimumBy)
    bonus_counts_to_minimum: bool = switch("canasta bonuses count toward it")
    natural_group: bool = switch("it needs a group of three naturals")
    canastas_to_go_out: PerPlayers = number(
        "canastas to go out", 0, 20, "of any kind", by_players=True
    )
    natural_canastas_to_go_out: PerPlayers = number("canastas to go out", 0, 20, by_players=True)
    mixed_canastas_to_go_out: PerPlayers = number("canastas to go out", 0, 20, by_players=True)
    partner_foot_to_go_out: bool = switch(
        "canastas to go out", "the partner must have played from his foot"
    )
    asking: bool = switch("asking the partner")
    last_discard: LastDiscard = choice("last discard when going out", LastDiscard)

    going_out_bonus: int = number("going out", 0, 100_000)
    concealed_bonus: int = number("concealed, in addition", 0, 100_000)
    concealed_canasta: ConcealedCanasta = choice("concealed needs a canasta", ConcealedCanasta)
    concealed_waives: ConcealedWaives = choice(
        "concealed waives the first minimum", ConcealedWaives
    )
    natural_canasta: int = number("natural canasta", 0, 100_000)
    mixed_canasta: int = number("mixed canasta", 0, 100_000)
    wild_canasta: int = number("canasta of wild cards", 0, 100_000)
    wild_canasta_jokers: int = number(
        "canasta of wild cards",
        0,
        100_000,
        "of one with four jokers or more; 0: as any of wild cards",
    )
    concealed_canasta_bonus: int = number("concealed canasta, each", 0, 100_000)
    red_three_values: Totals | ByPlayers[Totals] = totals("red threes", "totals by count")
    red_threes_unmelded: RedThreesUnmelded = choice(
        "red threes of a side that has not melded", RedThreesUnmelded
    )
    no_canasta_against: bool = switch("a side without a canasta", "everything counts against it")
    black_three_in_hand: int = number("a black three left in hand", 0, 100_000, "counted against")
    stock_end: StockEnd = choice("empty stock", StockEnd)
    cut_bonus: bool = switch("The deal", "the Czech cut")
    owed_red_threes: bool = switch(
        "The deal", "a dealt red three is replaced at the seat's first buy"
    )
    foot_red_threes: int = number(
        "red threes of a side that has not melded",
        0,
        100_000,
        "each in an untaken foot, counted against",
    )

    def __post_init__(self) -> None:
        for field in _FIELDS:
            value = read_value(field.name, _spec(field), getattr(self, field.name))
            object.__setattr__(self, field.name, value)
        if self.name not in preset_names():
            raise RulesError(_unknown_preset(self.name))
        check(self)

    @staticmethod
    def preset(name: str) -> Rules:
        """The rules of a preset, one of :func:`preset_names`."""
        if name not in preset_names():
            raise RulesError(_unknown_preset(name))
        return _preset(name)

    @staticmethod
    def parse(text: str) -> Rules:
        """The rules that a text like ``classic(target=3000)`` names; the inverse of ``str``."""
        name, changes = parse_call(text)
        return Rules.preset(name).replace(**changes)

    @staticmethod
    def from_mapping(mapping: Mapping[str, Any]) -> Rules:
        """The rules of a mapping with a ``preset`` (classic if left out) and what differs."""
        changes = {str(key): value for key, value in mapping.items() if key != "preset"}
        return Rules.preset(mapping.get("preset", "classic")).replace(**changes)

    def to_mapping(self) -> dict[str, Any]:
        """The preset and what differs from it, in plain values; from_mapping reads it back."""
        return {"preset": self.name} | {
            key: write_plain(value) for key, value in self.changes().items()
        }

    def changes(self) -> dict[str, Any]:
        """The fields that differ from the preset, in the order of the fields."""
        base = _preset(self.name)
        names = (field.name for field in _FIELDS)
        return {n: getattr(self, n) for n in names if getattr(self, n) != getattr(base, n)}

    def replace(self, **changes: Any) -> Rules:
        """These rules with other values in the named fields."""
        for name in changes:
            if name not in _NAMES or name == "name":
                hint = closest(name, [known for known in _NAMES if known != "name"])
                raise RulesError(f"{name}: the rules have no such field{hint}")
        return dataclasses.replace(self, **changes) if changes else self

    def at(self, players: int) -> Rules:
        """These rules for a table of ``players``: every value that goes by players is plain.

        Raises:
            RulesError: these rules are not for so many players.
        """
        return _at(self, players)

    def sides_of(self, players: int) -> int:
        """The number of sides at a table of ``players``."""
        sides = self.at(players).sides
        assert isinstance(sides, int)
        return sides

    @property
    def pack(self) -> Pack:
        """What one pack holds."""
        names = (field.name for field in dataclasses.fields(Pack))
        return Pack(**{name: getattr(self, name) for name in names})

    def card_counts(self, players: int) -> tuple[int, ...]:
        """How many cards of each kind the deck of a table has: 15 counts, or 48 with suits."""
        packs = self.at(players).packs
        assert isinstance(packs, int)
        return card_counts(packs, suited=self.sequences, pack=self.pack)

    def wilds_beside(self, naturals: int) -> int:
        """The most wild cards that a set may hold beside ``naturals``; 0 where it may not stand at
        all.
        """
        if naturals < self.fewest_naturals:
            return 0
        by_relation = {
            WildRelation.ANY: self.most_wilds,
            WildRelation.FEWER: naturals - 1,
            WildRelation.HALF: naturals // 2,
            WildRelation.NOT_MORE: naturals,
        }
        return min(self.most_wilds, by_relation[self.wild_relation])

    def __str__(self) -> str:
        changes = ", ".join(
            f"{name}={write_value(value)}" for name, value in self.changes().items()
        )
        return f"{self.name}({changes})" if changes else self.name

    def __repr__(self) -> str:
        return f"Rules.parse({str(self)!r})"


_FIELDS: Final = dataclasses.fields(Rules)
_NAMES: Final = tuple(field.name for field in _FIELDS)


def _spec(field: dataclasses.Field[Any]) -> Spec:
    spec: Spec = field.metadata["spec"]
    return spec


def field_specs() -> dict[str, Spec]:
    """What every field of the rules may hold and means, in the order of the fields; for
    documentation.
    """
    return {field.name: _spec(field) for field in _FIELDS}


def _unknown_preset(name: object) -> str:
    names = preset_names()
    return f"{name!r} is not a preset; presets are {', '.join(names)}{closest(str(name), names)}"


@lru_cache(maxsize=64)
def _preset(name: str) -> Rules:
    return Rules(name=name, **load_preset(name))


@lru_cache(maxsize=256)
def _at(rules: Rules, players: int) -> Rules:
    if players not in rules.players or isinstance(players, bool):
        allowed = ", ".join(map(str, rules.players))
        raise RulesError(f"players: {players!r} cannot play {rules}; allowed: {allowed}")
    sides = rules.sides.at(players, 0) if isinstance(rules.sides, ByPlayers) else rules.sides
    plain: dict[str, Any] = {"players": (players,), "sides": sides}
    for name in _NAMES:
        value = getattr(rules, name)
        if isinstance(value, ByPlayers) and name != "sides":
            plain[name] = value.at(players, sides or 0)
    return dataclasses.replace(rules, **plain)

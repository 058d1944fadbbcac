"""Contradictions between the fields of the rules, each refused with the fields' names."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from canasta_env.cards import FULL_PACK, card_counts
from canasta_env.rules_fields import (
    BlackThreeMelds,
    ByPlayers,
    ConcealedWaives,
    MinimumBy,
    RulesError,
    Upcard,
    WildMelds,
    write_value,
)

if TYPE_CHECKING:
    from canasta_env.rules import Rules

__all__ = ["check"]

_FIRST_SIZE = 3


def check(rules: Rules) -> None:
    """Refuse rules whose values, each allowed by itself, cannot stand together."""
    _refuse_first(_contradictions(rules))
    tables = {players: _resolve(rules, "sides", players, 0) for players in rules.players}
    # sides=3 means the tables that three sides can be formed at; the others are refused when they
    # are asked for.
    fitting = {players: sides for players, sides in tables.items() if players % sides == 0}
    for players, sides in (fitting or tables).items():
        _check_table(rules, players, sides)


def _refuse_first(faults: Iterator[tuple[bool, str]]) -> None:
    for fault, message in faults:
        if fault:
            raise RulesError(message)


def _contradictions(rules: Rules) -> Iterator[tuple[bool, str]]:
    """What cannot stand together for any number of players, as (whether it is so, what to say)."""
    no_wild_melds = rules.wild_melds is WildMelds.NONE
    for name in ("wild_canasta", "wild_canasta_jokers"):
        value = getattr(rules, name)
        yield (
            no_wild_melds and value > 0,
            f"{name}: {value} is paid for melds that wild_melds=none forbids; use 0",
        )
    pair_only = rules.always_pair
    for name in ("take_natural_wild", "take_onto", "take_into_sequence"):
        yield (
            pair_only and getattr(rules, name),
            f"{name}: True contradicts always_pair=True; allowed: False",
        )
    yield (
        rules.take_into_sequence and not rules.sequences,
        "take_into_sequence: True needs sequences=True",
    )
    yield (
        rules.black_three_take and rules.black_three_melds is BlackThreeMelds.NEVER,
        "black_three_take: True needs black_three_melds=going_out",
    )
    yield (
        rules.canasta_fewest_naturals > rules.canasta_size,
        f"canasta_fewest_naturals: {rules.canasta_fewest_naturals} is more than "
        f"canasta_size={rules.canasta_size}",
    )
    yield (
        rules.sequences and rules.pack != FULL_PACK,
        "sequences: True needs whole packs of 54, not "
        + ", ".join(f"{f}={n}" for f, n in vars(rules.pack).items() if n != vars(FULL_PACK)[f]),
    )
    yield (
        rules.sequences and rules.concealed_waives is ConcealedWaives.ALWAYS,
        "concealed_waives: always needs sequences=False; whether hand and pile can be laid at once "
        "would have to be searched without bound",
    )
    yield (
        rules.sequences and rules.asking,
        "asking: True needs sequences=False; whether a large hand can go out with sequences would "
        "have to be searched without bound; use asking=False",
    )
    yield (
        rules.sequences and rules.black_three_melds is BlackThreeMelds.GOING_OUT,
        "black_three_melds: going_out needs sequences=False; whether a large hand can go out with "
        "sequences would have to be searched without bound; use never",
    )
    yield (
        rules.owed_red_threes
        and (rules.black_three_take or rules.concealed_waives is ConcealedWaives.ALWAYS),
        "owed_red_threes: True contradicts a take that must go out (black_three_take=True or "
        "concealed_waives=always): the cards that replace red threes could make it impossible",
    )
    yield (
        0 < rules.wild_canasta_jokers < rules.wild_canasta,
        f"wild_canasta_jokers: {rules.wild_canasta_jokers} is less than "
        f"wild_canasta={rules.wild_canasta}; allowed: 0 (the same) or as much at least",
    )
    yield rules.pile_taken == 1, "pile_taken: 1 is not allowed; allowed: 0 (all) or 2 and more"


def _check_table(rules: Rules, players: int, sides: int) -> None:
    """Refuse what does not go together at a table of ``players``."""
    where = f"for {players} players" if len(rules.players) > 1 else ""
    values = {f.name: _resolve(rules, f.name, players, sides) for f in dataclasses.fields(rules)}
    if players % sides:
        allowed = ", ".join(str(n) for n in range(2, players + 1) if players % n == 0)
        raise RulesError(f"sides: {sides} is not allowed for {players} players; allowed: {allowed}")
    cards = sum(card_counts(values["packs"], pack=rules.pack))
    dealt = players * (values["hand"] + values["foot"])
    spare = 5 if rules.cut_bonus else 2  # the last three stay for the cut
    if dealt > cards - spare:
        raise RulesError(
            f"hand: {players} players with hand={values['hand']} and foot={values['foot']} need "
            f"{dealt} cards and {spare} more; packs={values['packs']} have {cards}"
        )
    _refuse_first(_table_contradictions(rules, values, players, where))


def _table_contradictions(
    rules: Rules, values: dict[str, Any], players: int, where: str
) -> Iterator[tuple[bool, str]]:
    counts = card_counts(values["packs"], pack=rules.pack)
    jokers, deuces, threes = counts[:3]
    totals = len(values["red_three_values"]) - 1
    yield (
        totals < threes,
        f"red_three_values: {write_value(values['red_three_values'])} ends at {totals} red threes; "
        f"packs={values['packs']} have {threes} {where}".rstrip(),
    )
    stock = sum(counts) - players * (values["hand"] + values["foot"])
    yield (
        rules.upcard is Upcard.BURY and stock <= jokers + deuces + threes,
        f"upcard: bury needs a card that stays on the pile; of the {stock} left by hand="
        f"{values['hand']} and foot={values['foot']} {where} all might be wild or red threes",
    )
    size = rules.canasta_size if rules.wild_melds is WildMelds.WHOLE else _FIRST_SIZE
    yield (
        rules.wild_melds is not WildMelds.NONE and jokers + deuces < size,
        f"wild_melds: {rules.wild_melds} needs {size} wild cards; packs={values['packs']} with "
        f"deuces={rules.deuces} and jokers={rules.jokers} have {jokers + deuces} {where}".rstrip(),
    )
    yield (
        rules.partner_foot_to_go_out and not values["foot"],
        f"partner_foot_to_go_out: True needs a foot; foot=0 {where}".rstrip(),
    )
    yield (
        not values["deals"] and not values["target"],
        f"target: 0 with deals=0 {where} would end no match; one of them must be above 0",
    )
    first = values["minimums"][0][0]
    yield (
        rules.minimum_by is MinimumBy.SCORE and first is not None,
        f"minimums: the first step begins at {first}; with minimum_by=score it must be None "
        "(below everything)",
    )
    yield (
        rules.minimum_by is MinimumBy.DEAL and (first != 1 or values["minimums"][-1][0] > 1000),
        f"minimums: {write_value(values['minimums'])} is not allowed; with minimum_by=deal the "
        "first step begins at deal 1",
    )


def _resolve(rules: Rules, name: str, players: int, sides: int) -> Any:
    value = getattr(rules, name)
    if not isinstance(value, ByPlayers):
        return value
    found = value.at(players, sides)
    if found is None:
        raise RulesError(f"{name}: {write_value(value)} has no value for {players} players")
    return found

"""The rules as the record that the kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from canasta_env.cards import CARD_VALUES
from canasta_env.engine.state import (
    FAMILIES,
    MAX_CARDS,
    MAX_CLOSED,
    MAX_SEQUENCES,
    RULES_DTYPE,
    SUITED_RULES_DTYPE,
    PackedRules,
)
from canasta_env.rules import Rules, RulesError
from canasta_env.rules_fields import (
    BlackThree,
    BlackThreeMelds,
    ConcealedCanasta,
    ConcealedWaives,
    LastDiscard,
    MinimumBy,
    NextDealer,
    RedThreesUnmelded,
    Rounding,
    StockEnd,
    Tie,
    Upcard,
    WildMelds,
)

__all__ = ["ActionRow", "pack_rules"]

ActionRow: TypeAlias = tuple[str, int, tuple[int, ...]]
"""What the kernels need of an action: its family, a number and the kinds of the cards it names."""

_PACK: Final = 54
_BELOW_ALL: Final = np.iinfo(np.int32).min
_SAME: Final = (
    "hand", "foot", "draw", "target", "deals", "start_wild_freezes", "start_red_three_freezes",
    "discarded_wild_freezes", "red_three_discard", "frozen_to_unmelded", "always_pair",
    "take_natural_wild", "take_onto", "take_into_sequence", "fewest_naturals",
    "new_meld_most_wilds", "canasta_size", "canasta_fewest_naturals", "melds_close", "sequences",
    "most_wilds", "black_three_take", "natural_group", "asking", "going_out_bonus",
    "concealed_bonus",
    "natural_canasta", "mixed_canasta", "wild_canasta", "concealed_canasta_bonus",
    "no_canasta_against", "black_three_in_hand", "cut_bonus", "owed_red_threes", "foot_red_threes",
)  # fmt: skip
"""Fields that have the same name and meaning in the rules and in the record."""

_RENAMED: Final = {
    "bonus_counts": "bonus_counts_to_minimum",
    "canastas_out": "canastas_to_go_out",
    "natural_canastas_out": "natural_canastas_to_go_out",
    "mixed_canastas_out": "mixed_canastas_to_go_out",
    "partner_foot_out": "partner_foot_to_go_out",
}
_NUMBERED: Final = {
    "upcard": Upcard,
    "wild_melds": WildMelds,
    "concealed_canasta": ConcealedCanasta,
    "concealed_waives": ConcealedWaives,
    "stock_end": StockEnd,
}
"""Fields whose words the record numbers in the order of their enumeration."""


def pack_rules(rules: Rules, players: int, rows: Sequence[ActionRow]) -> PackedRules:
    """The rules for a table of ``players`` as a record array of length one.

    Args:
        rules: the rules.
        players: how many play.
        rows: by action id what the kernels need of it (``ActionTable.rows``).

    Raises:
        RulesError: the rules are not for so many players, or go beyond what the record can hold.
    """
    table = rules.at(players)
    dtype = SUITED_RULES_DTYPE if table.sequences else RULES_DTYPE
    packed = np.zeros(1, dtype).view(np.recarray)
    record = packed[0]
    record.players = players
    record.sides = table.sides
    _check_closed(table)
    _check_sequences(table)
    _pack_actions(record, rows)
    _pack_cards(record, table)
    _pack_words(record, table)
    _pack_steps(record, table)
    for name in _SAME:
        record[name] = getattr(table, name)
    for name, field in _RENAMED.items():
        record[name] = getattr(table, field)
    record.plain_first_meld = not (table.bonus_counts_to_minimum or table.natural_group)
    kinds = table.natural_canastas_to_go_out, table.mixed_canastas_to_go_out
    record.plain_out = not (table.melds_close or any(kinds) or record.wild_melds)
    return packed


def _check_closed(table: Rules) -> None:
    """Refuse rules under which a side could close more melds of a rank than the record holds."""
    assert isinstance(table.packs, int)
    if not table.melds_close:
        return
    sizes = range(table.fewest_naturals, table.canasta_size + 1)
    fewest = next(n for n in sizes if n + table.wilds_beside(n) >= table.canasta_size)
    most = table.copies * table.packs // max(fewest, table.canasta_fewest_naturals)
    if most > MAX_CLOSED:
        raise RulesError(
            f"melds_close: a side could close {most} melds of a rank (canasta_size="
            f"{table.canasta_size}, packs={table.packs}); at most {MAX_CLOSED} are possible"
        )


def _check_sequences(table: Rules) -> None:
    """Refuse rules under which a side could lay more sequences than the record holds."""
    assert isinstance(table.packs, int)
    if table.sequences and _PACK * table.packs > 3 * MAX_SEQUENCES:
        raise RulesError(
            f"sequences: a side could lay more than {MAX_SEQUENCES} with packs={table.packs}; "
            f"allowed: up to {3 * MAX_SEQUENCES // _PACK} packs"
        )


def _pack_actions(record: Any, rows: Sequence[ActionRow]) -> None:
    """Ids of the families' first actions, and what belongs to each action."""
    record.actions = len(rows)
    suited = "named" in record.dtype.names
    first: dict[str, int] = {}
    for action, (family, number, kinds) in enumerate(rows):
        first.setdefault(family, action)
        record.family[action] = FAMILIES.index(family)
        record.rank[action] = number
        if suited:
            record.named[action] = (*kinds[:3], -1, -1, -1)[:3]
    for family in FAMILIES:
        record[f"at_{family}"] = first.get(family, -1)


def _pack_cards(record: Any, table: Rules) -> None:
    counts = table.card_counts(int(record.players))
    record.cards = sum(counts)
    record.counts[:] = counts
    record.copies = max(counts)
    record.values[:] = CARD_VALUES
    for naturals in range(len(record.wild_capacity)):
        record.wild_capacity[naturals] = _capacity(table, naturals)
    fewest = max(table.canasta_fewest_naturals, table.fewest_naturals)
    record.free_growth = (
        fewest == table.fewest_naturals or table.most_wilds <= table.canasta_size - fewest
    )
    record.pile_taken = table.pile_taken or MAX_CARDS


def _capacity(table: Rules, naturals: int) -> int:
    """The most wild cards beside so many naturals, in any meld that legal actions can make.

    A pair needs a wild card at once, and a meld with few naturals stays below a canasta.
    """
    most = table.wilds_beside(naturals)
    if naturals == 2 and table.new_meld_most_wilds < 1:
        return 0
    if naturals < table.canasta_fewest_naturals:
        most = min(most, max(0, table.canasta_size - 1 - naturals))
    return most


def _pack_words(record: Any, table: Rules) -> None:
    """The fields that are words in the rules and numbers or switches in the record."""
    for name, words in _NUMBERED.items():
        record[name] = list(words).index(getattr(table, name))
    record.tie_is_draw = table.tie is Tie.DRAW
    record.dealer_by_score = table.next_dealer is NextDealer.HIGHER_SCORE
    record.round_to = 100 if table.rounding is Rounding.HUNDRED else 1
    record.black_three_freezes = table.black_three is BlackThree.FREEZE
    record.black_three_melds = table.black_three_melds is BlackThreeMelds.GOING_OUT
    record.minimum_by_deal = table.minimum_by is MinimumBy.DEAL
    record.discard_required = table.last_discard is LastDiscard.REQUIRED
    record.red_threes_for_unmelded = table.red_threes_unmelded is RedThreesUnmelded.FOR


def _pack_steps(record: Any, table: Rules) -> None:
    """The rows of numbers: the first meld, the red threes."""
    steps: Any = table.minimums
    record.minimum_count = len(steps)
    for i, (start, points) in enumerate(steps):
        record.minimum_from[i] = _BELOW_ALL if start is None else start
        record.minimum_points[i] = points
    totals: Any = table.red_three_values
    for count in range(len(record.red_three_values)):
        record.red_three_values[count] = totals[min(count, len(totals) - 1)]
    record.wild_canasta_jokers = table.wild_canasta_jokers or table.wild_canasta

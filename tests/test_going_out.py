"""Going out: the short test of classic rules, and the bounds of all, against the search alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from canasta_env import kernels
from canasta_env.actions import ActionTable
from canasta_env.engine.bare import bare
from canasta_env.engine.going_out import (
    goes_out,
    goes_out_keeping,
    lays_all,
    lays_plainly,
    stuck_cards,
)
from canasta_env.engine.laying import bring_in
from canasta_env.engine.scratch import (
    APART,
    BEFORE,
    BELOW,
    CLOSED_MIXED,
    CLOSED_NATURAL,
    COLUMNS,
    DISCARDED,
    FACT,
    GROUP,
    HAND,
    LIMITED,
    MELDED,
    MINIMUM,
    NATURALS,
    OUT_ALLOWED,
    PILE,
    ROWS,
    SIZE,
    STAGED,
    SUITED,
    WAIVED,
    WILDS,
)
from canasta_env.engine.state import BLACK_THREES, FIRST_NATURAL, RANKS
from canasta_env.rules import Rules

Table = npt.NDArray[np.int64]
MELDS = RANKS - FIRST_NATURAL
RULES = [
    "classic",
    "classic(canastas_to_go_out=2)",
    "classic(canastas_to_go_out=3)",
    "classic(fewest_naturals=3)",
    "classic(canasta_fewest_naturals=5)",
    "classic(most_wilds=2)",
    "mini",
    "tiny",
]


@njit
def both(table: Any, rules: Any) -> tuple[bool, bool]:
    s = bare(table, COLUMNS)
    return lays_plainly(s, rules[0]), lays_all(s, rules[0])


def packed(text: str) -> Any:
    rules = Rules.parse(text)
    record = ActionTable(rules).pack(max(rules.players))
    assert record[0].plain_out
    return kernels.plain(record)


def scratch(hand: list[int], melds: list[tuple[int, int]], wilds: tuple[int, int]) -> Table:
    table = np.zeros((ROWS, COLUMNS), np.int64)
    table[HAND, FIRST_NATURAL:RANKS] = hand
    table[HAND, :2] = wilds
    for rank, (naturals, wild) in enumerate(melds, FIRST_NATURAL):
        table[NATURALS, rank], table[WILDS, rank] = naturals, wild
    table[FACT, SUITED] = 0
    return table


meld = st.sampled_from([(0, 0)] * 6 + [(n, w) for n in range(2, 8) for w in range(4) if n + w > 2])
hands = st.lists(st.sampled_from([0, 0, 0, 1, 1, 2, 2, 3, 4]), min_size=MELDS, max_size=MELDS)


@pytest.mark.parametrize("text", RULES)
@settings(max_examples=400, deadline=None)
@given(hands, st.lists(meld, min_size=MELDS, max_size=MELDS), st.tuples(*[st.integers(0, 4)] * 2))
def test_the_short_test_is_the_search(
    text: str, hand: list[int], melds: list[tuple[int, int]], wilds: tuple[int, int]
) -> None:
    short, long = both(scratch(hand, melds, wilds), packed(text))
    assert short == long


def test_both_answers_occur() -> None:
    found = set()
    rng = np.random.default_rng(1)
    rules = packed("classic")
    for _ in range(300):
        melds = [(4, 1) if lies else (0, 0) for lies in rng.random(MELDS) < 0.8]
        hand = rng.integers(0, 3, MELDS).tolist()
        found.add(both(scratch(hand, melds, (0, 2)), rules)[0])
    assert found == {True, False}


def test_other_rules_are_left_to_the_search() -> None:
    for text in ("hand_and_foot", "classic(wild_melds=from_three)"):
        rules = Rules.parse(text)
        assert not ActionTable(rules).pack(max(rules.players))[0].plain_out
    closed = replace(Rules.parse("classic"), natural_canastas_to_go_out=1)
    assert not ActionTable(closed).pack(4)[0].plain_out


# --- with the first meld, the pile and the last discard ------------------------------------------


@njit
def with_bounds(table: Any, rules: Any) -> bool:
    return goes_out(bare(table, COLUMNS), rules[0])  # type: ignore[no-any-return]


@njit
def by_search(table: Any, rules: Any) -> bool:
    """Every discard tried, without bounds."""
    s, r = bare(table, COLUMNS), rules[0]
    apart = s[FACT, MELDED] == 0 and s[FACT, APART] > 0
    if apart:
        bring_in(s, 1)
    found = False
    for discard in range(-1, RANKS):
        if discard >= 0 and (s[HAND, discard] == 0 or s[FACT, DISCARDED] > 0):
            continue
        if discard < 0 and r.discard_required and s[FACT, DISCARDED] == 0:
            continue
        if discard >= 0:
            s[HAND, discard] -= 1
        if stuck_cards(s, r)[0] == 0 and goes_out_keeping(s, r, discard, apart):
            found = True
        if discard >= 0:
            s[HAND, discard] += 1
    return found


OTHER_RULES = [
    *("classic", "russian", "latvian", "hungarian", "standard", "hand_and_foot"),
    "classic(bonus_counts_to_minimum=true, wild_melds=from_three)",
    "classic(natural_group=true, last_discard=required)",
]


def turn(rng: np.random.Generator, rules: Any) -> Table:
    """A turn that could end in going out: melds, a hand, perhaps a pile apart, points staged."""
    record = rules[0]
    table = scratch([0] * MELDS, [(0, 0)] * MELDS, (0, 0))
    for rank in range(FIRST_NATURAL, RANKS):
        if rng.random() < 0.5:
            naturals = int(rng.integers(2, 6))
            most = min(
                int(record["wild_capacity"][naturals]), int(record["canasta_size"]) - naturals
            )
            wilds = int(rng.integers(0, max(most, 0) + 1))
            if naturals + wilds >= 3:
                table[NATURALS, rank], table[WILDS, rank] = naturals, wilds
        table[HAND, rank] = rng.choice([0, 0, 0, 1, 2, 3], p=[0.3, 0.2, 0.1, 0.15, 0.15, 0.1])
    table[HAND, :2] = rng.integers(0, 3, 2)
    table[HAND, BLACK_THREES] = rng.choice([0, 1, 3], p=[0.7, 0.15, 0.15])
    table[BEFORE] = table[HAND]
    table[FACT, OUT_ALLOWED] = 1
    table[FACT, MELDED] = rng.random() < 0.4
    table[FACT, GROUP] = 1
    if record["melds_close"]:
        table[FACT, [CLOSED_NATURAL, CLOSED_MIXED]] = rng.integers(1, 4, 2)
    if not table[FACT, MELDED]:
        table[FACT, BELOW] = table[NATURALS].any()
        table[FACT, STAGED] = 5 * rng.integers(0, 15)
        table[FACT, MINIMUM] = rng.choice([15, 50, 90, 120, 150])
        table[FACT, WAIVED] = record["concealed_waives"] > 0 and rng.random() < 0.3
        table[FACT, LIMITED] = rng.random() < 0.5
        table[FACT, GROUP] = rng.random() < 0.7
        if rng.random() < 0.5:
            for rank in rng.integers(FIRST_NATURAL, RANKS, rng.integers(1, 4)):
                table[PILE, rank] += 1
            table[FACT, APART] = table[PILE].sum()
    if rng.random() < 0.2:
        table[FACT, DISCARDED] = 1 + rng.integers(FIRST_NATURAL, RANKS)
    table[FACT, SIZE] = table[HAND].sum()
    return table


@pytest.mark.parametrize("text", OTHER_RULES)
def test_bounds_and_the_one_stuck_card_spare_time_alone(text: str) -> None:
    rules = Rules.parse(text)
    record = kernels.plain(ActionTable(rules).pack(max(rules.players)))
    rng = np.random.default_rng(5)
    answers = []
    for _ in range(1500):
        table = turn(rng, record)
        before = table.copy()
        answers.append(with_bounds(table, record))
        assert (table == before).all()
        assert answers[-1] == by_search(table, record)
    assert 10 < sum(answers) < 1490

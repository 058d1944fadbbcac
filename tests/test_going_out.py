"""Going out: the short test of classic rules against the search that all rules share."""

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
from canasta_env.engine.going_out import lays_all, lays_plainly
from canasta_env.engine.scratch import COLUMNS, FACT, HAND, NATURALS, ROWS, SUITED, WILDS
from canasta_env.engine.state import FIRST_NATURAL, RANKS
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

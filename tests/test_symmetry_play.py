"""Play commutes with symmetries, byte for byte: relabelled cards, and turned seats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from canasta_env import Batch, Rules, kernels
from canasta_env.engine.state import (
    GAME_DTYPE,
    MAX_SEATS,
    MAX_SIDES,
    SUITED_GAME_DTYPE,
    SUITED_VIEW_DTYPE,
    VIEW_DTYPE,
    new_views,
)
from canasta_env.rules import RulesError
from canasta_env.symmetry import Relabelling, Symmetries, symmetries
from canasta_env.symmetry_records import (
    BY_KIND,
    BY_RANK,
    KINDS,
    LISTED,
    NO_CARDS,
    RANK_BITS,
    SEATS,
    SIDES,
    STREAMS,
    SUIT_NUMBERS,
    relabel_games,
    relabel_views,
    turn_seats,
)
from tests.comparing import GAMES
from tests.playing import TABLES
from tests.test_random_rules import rule_systems

CHANGED = [table for table in TABLES if "(" in table[0]]
EVERY = 12
"""Records are compared once in so many steps and at questions, masks and observations always."""


def random_actions(batch: Batch, rng: np.random.Generator) -> Any:
    """Random legal actions, few of them discards, so that much comes on the table."""
    liked = {"discard": 0.2, "ask": 9.0}
    weight = np.array([liked.get(text.split()[0], 1.0) for text in batch.table.texts])
    return (rng.random(batch.mask.shape) * batch.mask * weight).argmax(1)


def is_compared(batch: Batch, step: int) -> bool:
    return bool(step % EVERY == 0 or batch.over.all() or (batch.games.asker >= 0).any())


def new_batch(rules: str | Rules, players: int, n: int, stock: Any = "shared") -> Batch:
    return Batch(rules, n, players=players, seed=5, autoreset="off", scores="spread", stock=stock)


def deal(batch: Batch, decks: Any, dealers: Any, scores: Any) -> None:
    """Deal to cleared games, where no card of an earlier deal lies about."""
    batch.games.view(np.ndarray).view(np.uint8)[:] = 0
    batch.start_deal(np.arange(batch.n), decks, dealers, scores)


def shuffled(batch: Batch, rng: np.random.Generator) -> Any:
    counts = batch.packed[0].counts
    deck = np.repeat(np.arange(len(counts), dtype=np.uint8), counts)
    return rng.permuted(np.tile(deck, (batch.n, 1)), axis=1)


def views_of(batch: Batch, recall: bool) -> Any:
    """The views of all seats, (games · players)."""
    kinds = kernels.kinds_for(batch.rules)
    views, module = new_views(batch.n * batch.players, kinds), kernels.kernels_for(batch.rules)
    games, rows = kernels.plain(batch.games), kernels.as_bytes(batch.games)
    rules, into = kernels.plain(batch.packed), (kernels.plain(views), kernels.as_bytes(views))
    for i in range(batch.n):
        for seat in range(batch.players):
            place = i * batch.players + seat
            module.view_game(games, rows, i, rules, seat, recall, *into, place)
    return views


def same_records(one: Any, other: Any) -> None:
    for name in one.dtype.names:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    assert one.tobytes() == other.tobytes()


def commutes(
    group: Symmetries, change: Relabelling, stock: Any, seed: int, most: int = 1000
) -> int:
    """Deals and relabelled deals, played with actions and relabelled actions, stay the same up to
    the relabelling; how many deals came to their end.
    """
    n, rng = len(change), np.random.default_rng(seed)
    one, other = (new_batch(group.rules, group.players, n, stock) for _ in range(2))
    decks, dealers = shuffled(one, rng), rng.integers(0, group.players, n)
    scores = rng.integers(-20, 300, (n, one.sides)).astype(np.int32) * 5
    deal(one, decks, dealers, scores)
    deal(other, group.decks(change, decks), dealers, scores)
    seen = change[np.arange(n).repeat(group.players)]
    for step in range(most):
        np.testing.assert_array_equal(group.masks(change, one.mask), other.mask)
        np.testing.assert_array_equal(
            group.observations(change, one.observation), other.observation
        )
        if is_compared(one, step):
            same_records(relabel_games(change, one.games), other.games)
            recall = step % (2 * EVERY) == 0
            same_records(relabel_views(seen, views_of(one, recall)), views_of(other, recall))
        if one.over.all():
            break
        actions = random_actions(one, rng)
        one.step(actions)
        other.step(group.action_ids(change, actions))
        np.testing.assert_array_equal(one.reward, other.reward)
    return int(one.over.sum())


@pytest.mark.parametrize(("rules", "players"), [*GAMES, *CHANGED])
def test_play_commutes_with_every_relabelling(rules: str, players: int) -> None:
    group = symmetries(rules, players)
    change = group.sample(np.random.default_rng(players), 3)
    stock = "seat_streams" if players % 2 else "shared"
    assert commutes(group, change, stock, seed=7) == 3


def test_one_relabelling_serves_all_rows() -> None:
    group = symmetries("mini", 2)
    batch, change = new_batch("mini", 2, 5), group.exchange("4", "7")
    each = change.after(group.identity(5))
    same_records(relabel_games(change, batch.games), relabel_games(each, batch.games))
    views = views_of(batch, recall=True)[:5]
    same_records(relabel_views(change, views), relabel_views(each, views))


def test_a_copy_is_changed_and_not_the_games() -> None:
    group, batch = symmetries("mini", 2), new_batch("mini", 2, 3)
    before = batch.games.tobytes()
    assert relabel_games(group.exchange("4", "5"), batch.games).tobytes() != before
    turn_seats(batch.games, 1)
    assert batch.games.tobytes() == before


@settings(max_examples=8, deadline=None)
@given(rule_systems(), st.integers(0, 2**31))
def test_any_rules_commute_with_their_symmetries(system: tuple[Rules, int], seed: int) -> None:
    rules, players = system
    try:
        group = symmetries(rules, players)
    except RulesError:  # more than the records hold
        assume(False)
    commutes(group, group.sample(np.random.default_rng(seed), 2), "shared", seed, most=60)


# -- seats -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "players", "stock"),
    [(*table, "shared") for table in GAMES]
    + [
        ("classic", 4, "seat_streams"),
        ("latvian", 3, "seat_streams"),
        ("czech", 6, "seat_streams"),
    ],
)
def test_play_commutes_with_turned_seats(rules: str, players: int, stock: Any) -> None:
    """And nobody sees that seats were turned."""
    rng = np.random.default_rng(players)
    one, other = (new_batch(rules, players, 2, stock) for _ in range(2))
    by = int(rng.integers(1, players))
    deal(one, shuffled(one, rng), rng.integers(0, players, 2), None)
    other.games.view(np.ndarray)[:] = turn_seats(one.games, by)
    other.refresh()
    for step in range(60):
        np.testing.assert_array_equal(one.mask, other.mask)
        np.testing.assert_array_equal(one.observation, other.observation)
        np.testing.assert_array_equal((one.seat + by) % players, other.seat)
        if is_compared(one, step):
            same_records(turn_seats(one.games, by), other.games)
        actions = random_actions(one, rng)
        one.step(actions)
        other.step(actions)
        np.testing.assert_array_equal(np.roll(one.reward, by, axis=1), other.reward)
    same_records(turn_seats(one.games, by), other.games)


@pytest.mark.parametrize(("rules", "players"), [("classic", 4), ("latvian", 3), ("czech", 6)])
def test_a_turned_deal_is_dealt_by_the_next_seat(rules: str, players: int) -> None:
    rng = np.random.default_rng(0)
    one, other = (new_batch(rules, players, 3) for _ in range(2))
    decks, dealers = shuffled(one, rng), np.arange(3) % players
    scores = rng.integers(0, 300, (3, one.sides)).astype(np.int32) * 5
    deal(one, decks, dealers, scores)
    deal(other, decks, (dealers + 1) % players, np.roll(scores, 1, axis=1))
    same_records(turn_seats(one.games, 1), other.games)
    back = other.games
    for _ in range(players - 1):
        back = turn_seats(back, 1)
    same_records(back, one.games)


# -- no field is forgotten -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [GAME_DTYPE, VIEW_DTYPE, SUITED_GAME_DTYPE, SUITED_VIEW_DTYPE])
def test_every_field_is_named_with_how_it_goes_by_cards(dtype: Any) -> None:
    lists = (BY_KIND, LISTED, tuple(BY_RANK), KINDS, RANK_BITS, SUIT_NUMBERS, NO_CARDS)
    named = [name for names in lists for name in names]
    assert len(named) == len(set(named))
    assert set(dtype.names) <= set(named)


@pytest.mark.parametrize("dtype", [GAME_DTYPE, SUITED_GAME_DTYPE])
def test_every_field_with_a_row_a_seat_or_side_is_turned(dtype: Any) -> None:
    assert MAX_SEATS == MAX_SIDES
    rows = {name for name in dtype.names if dtype[name].shape[:1] == (MAX_SEATS,)}
    assert rows == {*SEATS, *SIDES, *STREAMS} & set(dtype.names)

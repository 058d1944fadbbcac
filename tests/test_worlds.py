"""Worlds drawn for a seat are fair: as often as among whole deals, shuffled and rejected.

In small positions all orders of the cards that a seat cannot place are dealt, those in which a red
three is in a hand are struck out, and those in which the independent reading of the rules (tests/
reference) finds that the turn under way could not have come to this point. What is left gives the
probability of each world.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from canasta_env import Game
from canasta_env.cards import write_cards
from canasta_env.notation import PositionError
from tests.playing import TABLES, random_states
from tests.reference import Table

DRAWS = 4000

World = tuple[str, ...]
"""The hands that the seat cannot see, in order, the feet, then the stock."""


def world_of(game: Game, hidden: list[int]) -> World:
    record = game.record
    stocks = [
        write_cards(record.stock[record.stock_next[i] : record.stock_end[i]])
        for i in range(int(record.streams))
    ]
    feet = [
        write_cards(np.repeat(np.arange(15), record.feet[seat]))
        for seat in range(game.players)
        if record.has_foot[seat]
    ]
    return (*(game.hand(seat) for seat in hidden), *feet, *stocks)


def cards_in_order(cards: list[str]) -> str:
    order = ["JK", "2", "3r", "3b", *map(str, range(4, 11)), "J", "Q", "K", "A"]
    return " ".join(sorted(cards, key=order.index))


def whole_deals(
    position: dict[str, Any], hidden: list[int], possible: Callable[[dict[str, Any]], bool]
) -> dict[World, float]:
    """The probability of each world, from all orders of the unplaced cards."""
    known = {seat: position.get("known", {}).get(seat, "").split() for seat in hidden}
    drawn = {}
    for seat in hidden:
        cards = position["hands"][seat].split()
        for card in known[seat]:
            cards.remove(card)
        drawn[seat] = cards
    feet = [cards.split() for _, cards in sorted(position.get("feet", {}).items())]
    pool = [card for cards in (*drawn.values(), *feet) for card in cards]
    pool += position["stock"].split()
    counts: Counter[World] = Counter()
    judged: dict[World, bool] = {}
    for order in itertools.permutations(pool):
        left = list(order)
        hands = {}
        for seat, cards in drawn.items():
            hands[seat] = [*known[seat], *left[: len(cards)]]
            left = left[len(cards) :]
        if any("3r" in cards for cards in hands.values()):
            continue
        texts = {seat: cards_in_order(cards) for seat, cards in hands.items()}
        lying = []  # the feet: a red three may lie in one
        for foot in feet:
            lying.append(cards_in_order(left[: len(foot)]))
            left = left[len(foot) :]
        world = (*texts.values(), *lying, " ".join(left))
        if world not in judged:
            dealt = {**position, "hands": {**position["hands"], **texts}, "stock": " ".join(left)}
            judged[world] = possible(dealt)
        counts[world] += judged[world]
    total = counts.total()
    return {world: count / total for world, count in counts.items() if count}


def turn_can_end(position: dict[str, Any]) -> bool:
    """Does the reference find a legal action for the turn under way?"""
    return bool(Table.from_position(position).legal())


def may_ask(position: dict[str, Any]) -> bool:
    """Could the asker have asked?"""
    before = {**position, "phase": "meld", "turn": position["turn_state"]["asker"]}
    before["turn_state"] = {}
    return "ask" in Table.from_position(before).legal()


def anything(_: dict[str, Any]) -> bool:
    return True


POSITIONS: dict[str, tuple[dict[str, Any], int, Callable[[dict[str, Any]], bool]]] = {
    "hands and stock": (
        {
            "players": 2,
            "hands": {0: "K K", 1: "4 5"},
            "stock": "4 3r Q 4",
            "pile": "9",
            "turn": 0,
        },
        0,
        anything,
    ),
    "two hands": (
        {
            "players": 3,
            "hands": {0: "K K", 1: "4 5", 2: "Q Q Q"},
            "stock": "2 4",
            "pile": "9",
            "turn": 0,
        },
        0,
        anything,
    ),
    "known cards": (
        {
            "players": 2,
            "hands": {0: "K K", 1: "4 5 A"},
            "known": {1: "4"},
            "stock": "4 3r Q 6",
            "pile": "9",
            "turn": 0,
        },
        0,
        anything,
    ),
    "a first meld under way": (
        {
            "players": 2,
            "hands": {0: "K K", 1: "2 4 8"},
            "melds": {1: ["8 8 8"]},
            "stock": "3r A 5 JK",
            "pile": "9",
            "turn": 1,
            "phase": "meld",
            "turn_state": {"begun": [0]},
        },
        0,
        turn_can_end,
    ),
    "a known card and a meld under way": (
        {
            "players": 2,
            "hands": {0: "K K", 1: "8 4 2"},
            "known": {1: "4"},
            "melds": {1: ["8 8 8"]},
            "stock": "8 A 5 8",
            "pile": "9",
            "turn": 1,
            "phase": "meld",
            "turn_state": {"begun": [0]},
        },
        0,
        turn_can_end,
    ),
    "feet, the own one too": (
        {
            "rules": "hand_and_foot",
            "players": 2,
            "hands": {0: "K K", 1: "4 5"},
            "feet": {0: "4 3r", 1: "Q"},
            "stock": "4 6",
            "pile": "9",
            "turn": 0,
        },
        0,
        anything,
    ),
    "a pile that lies apart": (
        {
            "players": 2,
            "hands": {0: "K K", 1: "2 4 8"},
            "melds": {1: ["8 8 8"]},
            "stock": "8 A 5",
            "pile": "",
            "turn": 1,
            "phase": "meld",
            "turn_state": {"drew": "pile", "top": "8", "pending": "6 9", "begun": [0]},
        },
        0,
        turn_can_end,
    ),
    "black threes that force going out": (
        {
            "players": 2,
            "hands": {0: "K K", 1: "Q 5"},
            "melds": {1: ["Q Q Q Q Q 2 2", "10 10 10 10 10 10 10", "3b 3b 3b"]},
            "stock": "Q 2 4 6",
            "pile": "9",
            "turn": 1,
            "phase": "meld",
            "turn_state": {"begun": [2]},
        },
        0,
        turn_can_end,
    ),
    "a question": (
        {
            "players": 4,
            "hands": {0: "Q 5", 1: "K K", 2: "7", 3: "J"},
            "melds": {0: ["Q Q Q Q Q Q Q", "5 5 5"]},
            "stock": "4 4",
            "pile": "9",
            "turn": 2,
            "phase": "answer",
            "turn_state": {"asker": 0},
        },
        2,
        may_ask,
    ),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_worlds_are_as_frequent_as_among_whole_deals(name: str) -> None:
    given, seat, possible = POSITIONS[name]
    position = {"rules": "classic", "phase": "draw", "absent": "rest", **given}
    game = Game.from_position(position)
    hidden = [other for other in range(game.players) if other != seat]
    # the cards of the actor are dealt first, as they decide what is possible
    expected = whole_deals(position, hidden, possible)
    if possible is not anything:
        everything = whole_deals(position, hidden, anything)
        assert len(expected) < len(everything), "the position tests no condition"
    found = Counter(world_of(game.determinize(seat, seed), hidden) for seed in range(DRAWS))
    assert set(found) <= set(expected)
    # worlds that are too rare to count one by one are counted together
    rare = {world for world, chance in expected.items() if chance * DRAWS < 5}
    cells = [(found[world], p * DRAWS) for world, p in expected.items() if world not in rare]
    if rare:
        chance = sum(expected[world] for world in rare)
        cells.append((sum(found[world] for world in rare), chance * DRAWS))
    statistic = sum((count - mean) ** 2 / mean for count, mean in cells)
    freedom = len(cells) - 1
    assert freedom > 3
    assert statistic < freedom + 4 * np.sqrt(2 * freedom), f"{statistic:.0f} for {freedom}"


def test_the_cards_of_a_stream_are_drawn_too() -> None:
    position = {
        "rules": "classic",
        "players": 2,
        "hands": {0: "K K", 1: "4 5"},
        "stock": {0: "4 Q", 1: "3r 4"},
        "pile": "9",
        "turn": 0,
        "absent": "rest",
    }
    game = Game.from_position(position)
    flat = {**position, "stock": "4 Q 3r 4"}
    expected = whole_deals(flat, [1], anything)
    found: Counter[World] = Counter()
    for seed in range(DRAWS):
        hand, first, second = world_of(game.determinize(0, seed), [1])
        found[hand, f"{first} {second}"] += 1
    assert set(found) == set(expected)
    freedom = len(expected) - 1
    statistic = sum((found[w] - p * DRAWS) ** 2 / (p * DRAWS) for w, p in expected.items())
    assert statistic < freedom + 4 * np.sqrt(2 * freedom)


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_a_world_is_a_game_that_can_be_played(rules: str, players: int) -> None:
    for game, rng in random_states(rules, players, 3, every=13, seed=6):
        for seat in range(players):
            if game.over:
                continue
            world = game.determinize(seat, int(rng.integers(2**63)))
            before = game.record.hands.sum(axis=0)
            assert world.hand(seat) == game.hand(seat)
            assert (world.record.hand_sizes == game.record.hand_sizes).all()
            assert not world.record.hands[:, 2].any()
            assert (world.record.hands >= game.record.known)[np.arange(6) != seat].all()
            assert before.sum() == world.record.hands.sum()
            # the position is whole, so reading it checks every card of the deck
            assert Game.from_position(world.to_position()).mask().tobytes() == (
                world.mask().tobytes()
            )
            for _ in range(300):
                if world.over:
                    break
                world.play(int(rng.choice(np.flatnonzero(world.mask()))))
            assert len(world.breakdown()) == world.sides


def test_the_same_seed_gives_the_same_world_and_changes_nothing() -> None:
    game = Game(seed=3)
    for _ in range(20):
        game.play(game.legal()[0])
    before = game.record.tobytes()
    worlds = [game.determinize(1, seed).record.tobytes() for seed in (5, 5, 6)]
    assert game.record.tobytes() == before
    assert worlds[0] == worlds[1] != worlds[2]


def test_the_deals_that_follow_are_drawn_anew() -> None:
    game = Game(seed=3)
    rng = np.random.default_rng(0)
    world = game.determinize(0, 1)
    for one in (game, world):
        while not one.over:
            one.play(int(rng.choice(np.flatnonzero(one.mask()))))
        one.next_deal()
    assert game.deck.tolist() != world.deck.tolist()


def test_a_turn_that_could_not_end_is_refused() -> None:
    position = {
        "rules": "classic",
        "players": 2,
        "hands": {0: "K K", 1: "4 5 6"},
        "melds": {1: ["8 8 8"]},
        "stock": "7 7",
        "turn": 1,
        "phase": "meld",
        "absent": "rest",
        "turn_state": {"begun": [0]},
    }
    with pytest.raises(PositionError, match="no legal action"):
        Game.from_position(position)
    with pytest.raises(ValueError, match="seat"):
        Game().determinize(4, 0)

"""Suits in pictures: every card of the deck has one, and keeps it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from canasta_env import Game
from canasta_env.render.dressing import PILE, Dressing, hand, known, meld, suits_of
from tests.playing import pick

Labels = Counter[tuple[Any, int, str]]


def labels(dressing: Dressing) -> Labels:
    """The suits by place and kind."""
    return Counter(
        (place, kind, suit)
        for place, held in dressing._places.items()
        for kind, suits in held.items()
        for suit in suits
    )


def deck(dressing: Dressing) -> Counter[tuple[int, str]]:
    """All suits by kind, wherever the cards lie."""
    lying = Counter((kind, suit) for _, kind, suit in labels(dressing).elements())
    return lying + Counter((kind, suit) for kind, rest in dressing._rest.items() for suit in rest)


def test_the_deck_is_the_real_one() -> None:
    game = Game("classic", seed=1)
    found = deck(Dressing(game.rules, 4, 1))
    for kind, count in enumerate(game.rules.card_counts(4)):
        suits = suits_of(kind)
        assert {found[kind, suit] for suit in suits} == {count // len(suits)}
    assert sum(found.values()) == 108


@pytest.mark.parametrize(
    ("rules", "players"), [("classic", 4), ("hand_and_foot", 2), ("czech", 4), ("latvian", 4)]
)
def test_cards_keep_their_suits(rules: str, players: int) -> None:
    rng = np.random.default_rng(2)
    game = Game(rules, players=players, seed=5)
    dressing = Dressing(game.rules, players, 5)
    dressing.follow(game.record)
    whole = deck(dressing)
    while not game.over:
        before = labels(dressing)
        game.play(pick(game, rng))
        dressing.follow(game.record)
        after = labels(dressing)
        assert deck(dressing) == whole
        left, came = before - after, after - before
        gone = Counter((kind, suit) for _, kind, suit in left.elements())
        new = Counter((kind, suit) for _, kind, suit in came.elements())
        assert not gone - new, "what left a place is at another one, with its suit"
        for seat in range(players):
            held = sum(
                len(suits)
                for place in (hand(seat), known(seat))
                for suits in dressing._places[place].values()
            )
            expected = int(game.record.hands[seat, : dressing._kinds].sum())
            assert held == expected


def test_a_card_from_the_hand_to_the_pile_and_into_another_hand() -> None:
    position: dict[str, Any] = {"rules": "classic", "turn": 0, "phase": "meld", "pile": "9 8"}
    position |= {"hands": {0: "K K Q 4", 1: "K K A A A 5"}, "melded": [True, True]}
    game = Game.from_position(position)
    dressing = Dressing(game.rules, 4, 0)
    dressing.follow(game.record)
    held, eights = dressing.suits(hand(0), 13), dressing.suits(PILE, 8)
    game.play("discard K")
    dressing.follow(game.record)
    (top,) = dressing.suits(PILE, 13)
    assert sorted([*dressing.suits(hand(0), 13), top]) == sorted(held)
    pair = dressing.suits(hand(1), 13)
    game.play("take K K")
    dressing.follow(game.record)
    assert sorted(dressing.suits(meld(1, 13), 13)) == sorted([*pair, top])
    assert dressing.suits(known(1), 8) == eights
    game.play("discard 8")
    dressing.follow(game.record)
    assert dressing.suits(PILE, 8) == eights


def test_another_world_keeps_the_suits_that_a_seat_sees() -> None:
    rng = np.random.default_rng(0)
    game = Game("classic", seed=9)
    dressing = Dressing(game.rules, 4, 9)
    for _ in range(40):
        game.play(pick(game, rng))
        dressing.follow(game.record)
    seen, whole = labels(dressing), deck(dressing)
    world, other = game.determinize(2, 1), dressing.copy()
    other.resample(world.record, 2, 1)
    now = labels(other)
    hidden = {hand(seat) for seat in (0, 1, 3)}
    assert {label: n for label, n in now.items() if label[0] not in hidden} == {
        label: n for label, n in seen.items() if label[0] not in hidden
    }
    assert now != seen and deck(other) == whole and labels(dressing) == seen


def test_the_suits_depend_on_the_seed_alone() -> None:
    game = Game("classic", seed=3)
    first, again, other = (Dressing(game.rules, 4, seed) for seed in (1, 1, 2))
    for dressing in (first, again, other):
        dressing.follow(game.record)
    assert labels(first) == labels(again) != labels(other)


@pytest.mark.parametrize("others", ["K K K K K K", "Q Q Q Q Q Q"])
def test_a_suit_tells_nothing_about_other_hands(others: str) -> None:
    """With suits in a public order it would: the first ones would go to the hands before."""
    position: dict[str, Any] = {"rules": "classic", "turn": 0, "phase": "draw"}
    position |= {"hands": {0: others, 1: "4 5 6", 2: "7 8 9", 3: "K 4"}, "pile": "9"}
    game = Game.from_position(position)
    found: Counter[str] = Counter()
    for seed in range(400):
        dressing = Dressing(game.rules, 4, seed)
        dressing.follow(game.record)
        found += Counter(dressing.suits(hand(3), 13))
    assert set(found) == set("cdhs") and all(55 < count < 145 for count in found.values())

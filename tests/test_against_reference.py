"""The engine against the second reading of the rules in tests/reference, state by state.

Positions are generated (reference.generate) and played on at random in both, through the rest of
the turn and the next turns: the legal actions and the whole state must be the same after each.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from canasta_env import Game
from tests.comparing import GAMES, Memory, Tally, play_beside, same_actions, same_state
from tests.reference import Table, deal
from tests.reference.cards import deck
from tests.reference.generate import SCORES, positions
from tests.reference.rules import rules_for

COUNTS = {"classic": 100, "russian": 100, "czech": 40}
"""Positions in the normal run, by preset; LESS for every other."""
LESS = 60
DEALS = {"tiny": 20}
"""Whole deals, by preset; two for every other, since they take longer."""
DEEP = 12
"""Actions played on from each position, at most."""


def compare_positions(preset: str, players: int, seed: int, count: int) -> Tally:
    """Generated positions, each played on in both."""
    tally, rng = Tally(), random.Random(f"{preset} {players} {seed}")
    for position in positions(preset, players, seed, count, limit=1000):
        game, table = Game.from_position(position), Table.from_position(position)
        same_state(game, table)
        play_beside(game, table, rng, rng.choice((1, 3, DEEP)), tally)
    return tally


def compare_deals(preset: str, players: int, seed: int, count: int) -> Tally:
    """Whole deals from the same deck, until the hands get too large for the reference."""
    tally, rng = Tally(), random.Random(f"deals {preset} {players} {seed}")
    for number in range(count):
        cards = deck(rules_for(preset, players))
        rng.shuffle(cards)
        dealer = rng.randrange(players)
        table = deal(preset, players, cards, dealer)
        scores = [rng.choice(SCORES) for _ in table.scores]
        table.scores = list(scores)
        game = Game(preset, players=players, deck=" ".join(cards), dealer=dealer, scores=scores)
        same_state(game, table)
        play_beside(game, table, rng, 60, tally, limit=300)
        assert tally.positions == number + 1
    return tally


@pytest.mark.parametrize(("preset", "players"), GAMES)
def test_generated_positions_have_the_same_actions_and_outcomes(preset: str, players: int) -> None:
    count = COUNTS.get(preset, LESS)
    tally = compare_positions(preset, players, 1, count)
    assert tally.positions == count and tally.actions > 2 * count
    assert tally.ends > 0 and tally.later_turns > count // 8
    assert {"draw", "meld", "over"} <= set(tally.phases)


@pytest.mark.parametrize(("preset", "players"), GAMES)
def test_deals_from_a_deck_go_the_same_way(preset: str, players: int) -> None:
    tally = compare_deals(preset, players, 1, DEALS.get(preset, 2))
    assert tally.actions > 20 and {"draw", "meld"} <= set(tally.phases)


CONCEALED: dict[str, Any] = {"rules": "hungarian", "turn": 0, "scores": [-100, 0]}
CONCEALED |= {"melds": {1: ["Q Q Q"]}, "stock": "5 6 7", "absent": "rest"}
KINGS = ["take K K", "add K", "add K", "add K", "add K"]
POINTED: list[tuple[str, dict[str, Any], list[str], list[int]]] = [
    (
        "hungarian, a last discard that the pile brought: not concealed",
        CONCEALED | {"hands": {0: "K K K K K K", 1: "4", 2: "4", 3: "4"}, "pile": "9 K"},
        [*KINGS, "discard 9"],
        [570 - 5, 30 - 10],
    ),
    (
        "hungarian, a last discard that was held before: concealed",
        CONCEALED | {"hands": {0: "K K K K K K 9", 1: "4", 2: "4", 3: "4"}, "pile": "K"},
        [*KINGS, "discard 9"],
        [570 + 200 - 5, 30 - 10],
    ),
]
"""Rare turns, with the deal scores that rules.md gives them."""


@pytest.mark.parametrize(
    ("position", "actions", "scores"), [pytest.param(*row[1:], id=row[0]) for row in POINTED]
)
def test_rare_turns(position: dict[str, Any], actions: list[str], scores: list[int]) -> None:
    game, table = Game.from_position(position), Table.from_position(position)
    memory = Memory()
    for text in actions:
        assert text in same_actions(game, table)
        seat, before = table.turn, table.copy()
        table.play(text)
        game.play(text)
        memory.note(seat, text, before, table)
        same_state(game, table, memory)
    assert game.over and game.deal_scores == table.deal_scores == scores


def test_a_pile_that_comes_whole_is_remembered() -> None:
    """hungarian: the pair was held before, so the seven below the top is known to be there."""
    sevens = {0: "7 7 7 7 7 2", 1: 5, 2: 5, 3: 5}
    game = Game.from_position(
        {"rules": "hungarian", "turn": 0, "scores": [1500, 0], "hands": sevens, "pile": "7 7"}
    )
    game.play("take 7 7")
    assert game.record.must_go_out
    position = game.to_position()
    assert position["known"] == {0: "7"} and position["turn_state"]["pending"] == ""


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize(("preset", "players"), GAMES)
def test_thousands_of_positions_have_the_same_actions(preset: str, players: int, seed: int) -> None:
    tally = compare_positions(preset, players, seed, 2000)
    assert tally.positions == 2000
    assert compare_deals(preset, players, seed, 20).actions > 200

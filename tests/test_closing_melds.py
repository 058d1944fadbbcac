"""Melds that close at seven: what has been laid in one is not shared out again."""

from __future__ import annotations

import random
from typing import Any

import pytest

from canasta_env.notation import PositionError
from tests.readings import Board, Reading


def opening(hand: str, deal: int, melds: list[str] | None = None) -> dict[str, Any]:
    """A seat after its draw, of a side that has melded or that needs the minimum of a deal."""
    return {
        "rules": "hand_and_foot", "turn": 0, "phase": "meld", "deal": deal,
        "hands": {0: hand, 1: 9, 2: 9, 3: 9}, "feet": dict.fromkeys(range(4), 11),
        "melds": {0: melds or []},
    }  # fmt: skip


def test_seven_naturals_leave_no_place_for_wild_cards(reading: Reading) -> None:
    """150 are reached with five kings and two wild cards, then two kings and one; not once six
    kings lie."""
    board = reading.at(opening("K K K K K K K JK 2 2 2 6 7 8 J", 4))
    board.play("meld K K K", "add K", "add K")
    assert not board.can("add K") and board.legal()
    board.play("add JK to K", "add 2 to K")
    assert board.can("meld K K 2")


@pytest.mark.parametrize("deal", [1, 3, 4])
def test_both_readings_open_alike(deal: int) -> None:
    """Hands of one rank and wild cards, which close melds and begin others in one turn."""
    rng = random.Random(deal)
    for _ in range(12):
        kings, wilds = rng.randint(4, 9), rng.randint(1, 4)
        hand = ["K"] * kings + rng.choices(["2", "JK"], k=wilds) + ["6", "7", "Q", "Q"]
        lying = [["K K K K K"], ["K K K K 2"], None][rng.randrange(3)]
        same_play(opening(" ".join(hand), deal, lying), rng)


@pytest.mark.parametrize("canasta", ["8 8 8 8 8 8 8", "8 8 8 8 8 2 2", ""])
def test_both_readings_go_out_alike(canasta: str) -> None:
    """Without a foot, and with one kind of canasta lacking, or both."""
    rng = random.Random(canasta.count("2"))
    for _ in range(12):
        kings, wilds = rng.randint(1, 6), rng.randint(0, 3)
        hand = ["K"] * kings + rng.choices(["2", "JK"], k=wilds) + ["6"] * rng.randint(0, 1)
        lying = [["K K K K K"], ["K K K K 2"], ["K K K"]][rng.randrange(3)]
        given = opening(" ".join(hand), 1, [*lying, *([canasta] if canasta else [])])
        given |= {"feet": {}, "foot_played": [True] * 4}
        same_play(given, rng)


def same_play(position: dict[str, Any], rng: random.Random) -> None:
    """Play at random; both readings allow the same all the way through the turn."""
    reference = Reading("reference").at(position)
    if not reference.legal():
        with pytest.raises(PositionError, match="has no legal action"):
            Reading("engine").at(position)
        return
    engine = Reading("engine").at(position)
    boards: list[Board] = [engine, reference]
    while not engine.over and engine.turn == 0:
        legal = engine.legal()
        assert legal == reference.legal(), (position, engine.position)
        assert legal
        action = rng.choice(sorted(legal))
        for board in boards:
            board.play(action)

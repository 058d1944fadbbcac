"""The rows of rules.md about the score of a deal, each by preset."""

from __future__ import annotations

from typing import Any

import pytest

from tests.readings import (
    FEET,
    FOUR,
    FOUR_CARDS,
    Reading,
    at_the_edges,
    end_of_deal,
    four_bonuses,
    per_preset,
)
from tests.readings import rounded as in_hundreds

CANASTA = {0: ["K K K K K K K"]}
CANASTA_POINTS = 70


def first_score(reading: Reading, preset: str, players: int = 4, **given: Any) -> int:
    """The first side's score of a deal that nobody goes out of."""
    return end_of_deal(reading, preset, players, **given).deal_scores[0]


def natural(preset: str) -> int:
    return 600 if preset == "czech" else 500


@per_preset(100, czech=200, hungarian=0)
def test_going_out(reading: Reading, preset: str, players: int, value: int) -> None:
    """To the side that goes out; a deal that ends without it pays nobody."""
    worth = FOUR_CARDS + four_bonuses(preset) - 5
    for more, points in at_the_edges(preset, worth + value):
        given = {"rules": preset, "phase": "meld", "melds": {0: FOUR}, **FEET}
        given |= {"hands": {0: "4", 1: "4", 2: f"5 {more}", 3: "4"}, "seat_melded": [True] * 4}
        board = reading.at(given).play("discard 4")
        assert board.deal_scores[0] == in_hundreds(preset, worth + value - points)
        assert board.deal_scores[1] == in_hundreds(preset, -10)
    without = first_score(reading, preset, melds={0: FOUR}, hands={2: "5"}, **FEET)
    assert without == in_hundreds(preset, worth - 5)


@per_preset(500, czech=600)
def test_natural_canasta(reading: Reading, preset: str, players: int, value: int) -> None:
    raw = CANASTA_POINTS + value - 10
    for more, points in at_the_edges(preset, raw):
        score = first_score(reading, preset, melds=CANASTA, hands={2: f"4 {more}"})
        assert score == in_hundreds(preset, raw - points)
    # six are none
    six = first_score(reading, preset, melds={0: ["Q Q Q Q Q Q Q", "K K K K K K"]})
    assert six == in_hundreds(preset, 130 + value - 10)
    if preset != "hand_and_foot":  # a longer one is still one
        eight = first_score(reading, preset, melds={0: ["K K K K K K K K"]})
        assert eight == in_hundreds(preset, 80 + value - 10)


@per_preset(300)
def test_mixed_canasta(reading: Reading, preset: str, players: int, value: int) -> None:
    for row, cards in (("K K K K K 2 2", 90), ("K K K K K K JK", 110)):
        raw = cards + value - 10
        for more, points in at_the_edges(preset, raw):
            score = first_score(reading, preset, melds={0: [row]}, hands={2: f"4 {more}"})
            assert score == in_hundreds(preset, raw - points)


@per_preset(300, hand_and_foot=None)
def test_mixed_canasta_from_a_natural_one(
    reading: Reading, preset: str, players: int, value: int | None
) -> None:
    """A wild card on a natural canasta makes it mixed."""
    if value is None:  # it closes at seven
        return
    hands = {0: "JK 3b 4", 1: "4", 2: "4", 3: "4"}
    given = {"rules": preset, "phase": "meld", "melds": CANASTA, "hands": hands}
    board = reading.at(given, stock="", absent="rest", pile="")
    board.play("add JK to K", "discard 3b")
    score = (board if board.over else board.play("pass")).deal_scores[0]
    assert score == in_hundreds(preset, 120 + value - 10)


@pytest.mark.parametrize("preset", ["czech", "hungarian"])
def test_canasta_of_wild_cards(reading: Reading, preset: str) -> None:
    """The row has no value where wild cards alone are not melded."""
    bonus = {"czech": (2000, 1000, 1000, 1000), "hungarian": (2000, 2000, 2000, 2000)}[preset]
    rows = ("2 2 2 JK JK JK JK", "2 2 2 2 JK JK JK", "2 2 2 2 2 2 JK", "2 2 2 2 2 2 2")
    for row, points, value in zip(rows, (260, 230, 170, 140), bonus, strict=True):
        assert first_score(reading, preset, melds={0: [row]}) == points + value - 10, row
    if preset == "czech":  # six are none; with another canasta they count as cards
        six = first_score(reading, preset, melds={0: ["2 2 JK JK JK JK", "K K K K K K K"]})
        assert six == 240 + 70 + 600 - 10


@per_preset(0, latvian=100)
def test_concealed_canasta_each(reading: Reading, preset: str, players: int, value: int) -> None:
    """Two of seven cards that were in the hand before the draw, laid in one turn, nobody out."""
    hands = {0: "K K K K K K K Q Q Q Q Q Q Q 3b 4", 1: "4", 2: "4", 3: "4"}
    given = {"rules": preset, "phase": "meld", "hands": hands, "pile": "", "stock": ""}
    board = reading.at(given, absent="rest")
    for rank in ("K", "Q"):
        board.play(f"meld {rank} {rank} {rank}", *[f"add {rank}"] * 4)
    board.play("discard 3b")
    score = (board if board.over else board.play("pass")).deal_scores[0]
    assert score == in_hundreds(preset, 140 + 2 * natural(preset) + 2 * value - 10)


EACH = (100, 200, 300, 400)
FOUR_800 = (100, 200, 300, 800)


@per_preset(
    {2: FOUR_800, 3: FOUR_800, 4: FOUR_800, 6: (*EACH, 1000, 1200)},
    russian=FOUR_800,
    czech={2: EACH, 3: EACH, 4: EACH, 5: EACH, 6: EACH},
    standard={2: FOUR_800, 3: FOUR_800, 4: FOUR_800},
    hand_and_foot={
        2: (*EACH, 500, 600),
        3: (*EACH, 500, 600, 700, 800),
        4: (*EACH, 500, 600, 700, 800, 900, 1000),
    },
    hungarian={2: FOUR_800, 4: FOUR_800},
)
def test_red_threes(reading: Reading, preset: str, players: int, value: tuple[int, ...]) -> None:
    none = end_of_deal(reading, preset, players, melds=CANASTA).deal_scores
    sides = len(none)
    for count, worth in enumerate(value, 1):
        red = [count, *[0] * (sides - 1)]
        found = end_of_deal(reading, preset, players, melds=CANASTA, red_threes=red).deal_scores
        assert found[0] - none[0] == worth, count
        assert found[1:] == none[1:]


@per_preset("against", russian="for")
def test_red_threes_of_a_side_that_has_not_melded(
    reading: Reading, preset: str, players: int, value: str
) -> None:
    """czech says so in the next row: a side without a canasta has everything against it."""
    for count, worth in ((1, 100), (3, 300)):
        red = [0, count]
        found = end_of_deal(reading, preset, melds=CANASTA, red_threes=red).deal_scores[1]
        assert found == in_hundreds(preset, (worth if value == "for" else -worth) - 10)


def test_red_threes_of_a_side_that_has_not_melded_in_an_untaken_foot(reading: Reading) -> None:
    """hand_and_foot: 100 each against, whether the side has melded or not, beside the cards."""
    given = {"feet": {1: "3r 3r K", 2: "3r A"}, "red_threes": [1, 1]}
    found = end_of_deal(reading, "hand_and_foot", melds=CANASTA, **given).deal_scores
    assert found == [70 + 500 + 100 - 10 - 100 - 20, -100 - 10 - 200 - 10]


@per_preset("no effect", czech="everything against")
def test_a_side_without_a_canasta(reading: Reading, preset: str, players: int, value: str) -> None:
    """Melded cards, hands and red threes; with a canasta all is as usual."""
    melds = {0: ["K K K K K K K", "Q Q Q"], 1: ["J J J", "8 8 8 8"]}
    hands = {1: "A 4"}
    found = end_of_deal(reading, preset, melds=melds, hands=hands, red_threes=[1, 2]).deal_scores
    assert found[0] == in_hundreds(preset, 100 + natural(preset) + 100 - 10)
    laid = 30 + 40 + 200
    assert found[1] == in_hundreds(preset, (laid if value == "no effect" else -laid) - 30)


def test_a_side_without_a_canasta_but_a_sequence_of_seven(reading: Reading) -> None:
    """``czech``: a sequence is never a canasta, nor are six wild cards; seven are one."""
    long = ["4h 5h 6h 7h 8h 9h 10h"]
    hands = {0: "4c", 1: "4d", 2: "4s", 3: "4c"}
    given = {"hands": hands}
    assert first_score(reading, "czech", melds={0: long}, **given) == -50 - 10
    six = ["2 2 2 2 2 2", *long]
    assert first_score(reading, "czech", melds={0: six}, **given) == -120 - 50 - 10
    seven = ["2 2 2 2 2 2 2", *long]
    assert first_score(reading, "czech", melds={0: seven}, **given) == 140 + 1000 + 50 - 10


@per_preset(5, czech=100, hungarian=100)
def test_a_black_three_left_in_hand(
    reading: Reading, preset: str, players: int, value: int
) -> None:
    mine = CANASTA_POINTS + natural(preset) - 5 - value
    for more, points in at_the_edges(preset, mine):
        hands = {1: "3b 3b 4", 2: f"3b {more}"}
        found = end_of_deal(reading, preset, melds=CANASTA, hands=hands).deal_scores
        assert found[0] == in_hundreds(preset, mine - points)
        assert found[1] == in_hundreds(preset, -10 - 2 * value)


@per_preset(None)
def test_card_values(reading: Reading, preset: str, players: int, value: None) -> None:
    """Under the table: what a card counts when it is melded, and when it is left in a hand."""
    values = {"4": 5, "5": 5, "6": 5, "7": 5, "8": 10, "9": 10, "10": 10, "J": 10, "Q": 10}
    values |= {"K": 10, "A": 20}
    for rank, points in values.items():
        row, base = ("Q" if rank == "K" else "K"), 70 + natural(preset)
        melds = {0: [" ".join([row] * 7), f"{rank} {rank} {rank}" if rank != row else "J J J"]}
        laid = 3 * points if rank != row else 30
        score = first_score(reading, preset, melds=melds, hands={2: rank})
        assert score == in_hundreds(preset, base + laid - 5 - points), rank
    for wild, points in (("2", 20), ("JK", 50)):
        melds = {0: ["K K K K K K K", f"A A {wild}"]}
        score = first_score(reading, preset, melds=melds, hands={2: wild})
        assert score == in_hundreds(preset, 70 + natural(preset) + 40 + points - 5 - points)
        score = first_score(reading, preset, melds=melds, hands={2: f"{wild} {wild}"})
        assert score == in_hundreds(preset, 70 + natural(preset) + 40 - 5 - points)


@pytest.mark.parametrize("preset", ["classic", "russian", "standard", "latvian", "hungarian"])
def test_card_values_of_a_melded_black_three(reading: Reading, preset: str) -> None:
    hands = {0: "3b 3b 3b 9", 1: "4", 2: "4", 3: "4"}
    given = {"rules": preset, "phase": "meld", "hands": hands, "seat_melded": [True] * 4}
    board = reading.at(given, melds=CANASTA).play("meld 3b 3b 3b", "discard 9")
    out = 0 if preset == "hungarian" else 100
    assert board.deal_scores[0] == in_hundreds(preset, 70 + 500 + 15 + out - 5)

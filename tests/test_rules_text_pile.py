"""The paragraphs of rules.md on taking the pile, the first meld and the masks."""

from __future__ import annotations

import pytest

from tests.readings import FOUR, SEATS, Reading, cards, per_preset

every_preset = pytest.mark.parametrize("preset", list(SEATS))
QUEENS = {0: ["Q Q Q"]}


# -- taking the pile -----------------------------------------------------------------------------


@every_preset
def test_what_lies_on_top_and_cannot_be_taken(reading: Reading, preset: str) -> None:
    """A wild card, a black three (without two of them), a red three."""
    given = {"rules": preset, "melds": {0: ["Q Q Q", "A A 2"]}}
    hands = {"2": "2 2 JK A 5 6", "JK": "JK JK 2 A 5 6", "3b": "3b 2 A 5 6 7", "3r": "4 5 6 7"}
    for top, hand in hands.items():
        assert reading.at(given, hands={0: hand}, pile=f"9 {top}").legal() == {"draw"}, top


@every_preset
def test_an_empty_pile_cannot_be_taken(reading: Reading, preset: str) -> None:
    assert reading.at(rules=preset, hands={0: "4 5 6"}, pile="").legal() == {"draw"}


@every_preset
def test_the_rest_of_the_pile_is_pending_below_the_minimum(reading: Reading, preset: str) -> None:
    """It comes in at the moment the minimum is reached; no discard before, no card from it."""
    given = {"rules": preset, "hands": {0: "K K A A 2 9 J 7"}, "pile": "A A 5 K"}
    board = reading.at(given).play("take K K")
    assert cards(board.text(board.row("turn_state")["pending"])) == cards("A A 5")
    assert board.hand(0) == cards("A A 2 9 J 7") and board.row("melded")[0] is False
    # two more kings' worth by a wild card on the kings, or the aces
    assert board.legal() == {"add 2 to K", "meld A A 2"}
    board.play("add 2 to K")
    assert board.hand(0) == cards("A A A A 5 9 J 7") and board.row("melded")[0] is True
    # and what came in may be the discard
    assert board.can("discard 5") and board.can("meld A A A")


def test_the_top_seven_are_pending_and_the_deeper_ones_stay(reading: Reading) -> None:
    """``hand_and_foot``."""
    given = {"rules": "hand_and_foot", "hands": {0: "K K A A 2 9 J 7"}, "feet": {0: 13}}
    board = reading.at(given, pile="4 4 8 8 8 8 8 5 K").play("take K K")
    assert cards(board.row("turn_state")["pending"]) == cards("8 8 8 8 8 5") and board.pile == "4 4"
    board.play("meld A A 2")
    assert board.hand(0) == cards("9 J 7 8 8 8 8 8 5") and board.pile == "4 4"


@every_preset
def test_the_pair_joins_an_own_meld_of_a_frozen_pile(reading: Reading, preset: str) -> None:
    given = {"rules": preset, "hands": {0: "K K 5 6"}, "melds": {0: ["K K K K"]}}
    board = reading.at(given, pile="2 7 K", frozen=True).play("take K K")
    assert board.melds(0) == [["K"] * 7] and board.hand(0) == cards("2 5 6 7")


@every_preset
def test_a_hand_is_judged_after_the_rest_of_the_pile_has_come(
    reading: Reading, preset: str
) -> None:
    """The pair is the whole hand of a side that may not go out."""
    given = {"rules": preset, "hands": {0: "K K"}, "melds": QUEENS}
    board = reading.at(given, pile="5 6 K")
    assert board.legal() == {"draw", "take K K"}
    assert board.play("take K K").hand(0) == cards("5 6")
    assert reading.at(given, pile="6 K").legal() == {"draw"}
    assert reading.at(given, pile="K").legal() == {"draw"}


@every_preset
def test_a_pile_that_was_taken_is_no_longer_frozen(reading: Reading, preset: str) -> None:
    hands = {0: "K K 5 6", 1: "4 8", 2: "5 5 9", 3: "4 8"}
    given = {"rules": preset, "hands": hands, "melds": QUEENS, "stock": 40}
    board = reading.at(given, pile="2 7 K", frozen=True, absent="rest").play("take K K")
    assert not board.frozen
    assert not board.play("discard 5").frozen and board.pile == "5"


# -- the first meld ------------------------------------------------------------------------------


@every_preset
def test_one_seat_reaches_the_minimum_in_one_turn(reading: Reading, preset: str) -> None:
    """45 points stay in the hand; nothing is kept on the table for the partner."""
    given = {"rules": preset, "phase": "meld", "hands": {0: "4 4 4 K K K 9 J"}}
    board = reading.at(given)
    assert not board.legal("meld")
    more = reading.at(given, hands={0: "4 4 4 4 K K K 9 J"}).play("meld K K K")
    # once something is laid below the minimum there is no discard
    assert more.legal() == {"meld 4 4 4"}
    more.play("meld 4 4 4")
    assert more.legal() == {"add 4"}
    assert more.play("add 4").legal() == {"discard 9", "discard J"}


@every_preset
def test_from_then_on_the_side_has_melded(reading: Reading, preset: str) -> None:
    """The partner lays what he likes, and adds."""
    hands = {0: "A A A 9 J 5", 1: "4 6", 2: "4 4 4 A 9 J 6", 3: "4 6"}
    given = {"rules": preset, "phase": "meld", "hands": hands, "stock": "7 8 7 8 7 8 7 8"}
    board = reading.at(given, absent="rest", pile="").play("meld A A A", "discard 9")
    assert board.row("melded") == [True, False]
    board.play("draw", "discard 4", "draw")
    assert {"meld 4 4 4", "add A"} <= board.legal()


@every_preset
def test_red_threes_and_cards_under_the_top_do_not_count(reading: Reading, preset: str) -> None:
    given = {"rules": preset, "hands": {0: "K K 7 7 7 5 9"}, "red_threes": [3, 0]}
    assert reading.at(given, pile="A A 2 K", frozen=True).legal() == {"draw"}
    given["hands"] = {0: "K K 7 7 7 7 5 9"}
    assert reading.at(given, pile="A A 2 K", frozen=True).legal() == {"draw", "take K K"}


def test_black_threes_count_five_each(reading: Reading) -> None:
    """In a going out that waives nothing: 110 points and three black threes make 125 of 120."""
    hand, laid = "K K K K K K K 8 8 8 8 3b 3b 3b 9", "3b 3b 3b"
    given = {"rules": "russian", "phase": "meld", "scores": [3000, 0]}
    board = reading.at(given, hands={0: hand})
    assert board.can(f"meld {laid}") and board.can("meld K K K")
    kings = ["meld K K K", *["add K"] * 4]
    board.play(*kings, "meld 8 8 8", "add 8", f"meld {laid}", "discard 9")
    assert board.over
    assert not reading.at(given, hands={0: hand.replace("3b 3b 3b", "4 5 6")}).legal("meld")


def test_all_cards_of_the_hand_count_toward_the_minimum_of_a_take(reading: Reading) -> None:
    """``hand_and_foot``, a reading chosen: not only those that are laid with the top card."""
    given = {"rules": "hand_and_foot", "deal": 2, "hands": {0: "9 9 A A A 5 6"}, "feet": {0: 13}}
    board = reading.at(given, pile="7 9")
    assert board.legal() == {"draw", "take 9 9"}
    board.play("take 9 9", "meld A A A")
    assert board.hand(0) == cards("5 6 7")


# -- masks ---------------------------------------------------------------------------------------


@every_preset
def test_a_meld_leaves_a_card_to_discard_and_one_to_keep(reading: Reading, preset: str) -> None:
    """A side without a canasta: of five cards three may be laid, of four not."""
    given = {"rules": preset, "phase": "meld", "melds": {0: ["A A A"]}}
    assert reading.at(given, hands={0: "9 9 9 5 J"}).can("meld 9 9 9")
    assert reading.at(given, hands={0: "9 9 9 5"}).legal() == {"discard 9", "discard 5"}
    assert reading.at(given, hands={0: "A 5 J"}).can("add A")
    assert reading.at(given, hands={0: "A 5"}).legal() == {"discard A", "discard 5"}
    board = reading.at(given, hands={0: "A 5"}).play("discard 5")
    assert board.hand(0) == ["A"] and not board.over


@per_preset([0, 0], hand_and_foot=1)
def test_a_meld_below_the_minimum_keeps_it_in_reach(
    reading: Reading, preset: str, players: int, value: list[int] | int
) -> None:
    """With what must stay for the discard: two of three groups make 50, and two cards stay."""
    given = {"rules": preset, "phase": "meld"}
    given |= {"deal": value} if isinstance(value, int) else {"scores": value}
    board = reading.at(given, hands={0: "7 7 7 9 9 9 J J J 4"})
    # all nine would leave one card; 7s with one of the others are 45
    assert board.legal("meld") == {"meld 9 9 9", "meld J J J"}
    board.play("meld 9 9 9")
    assert board.legal() == {"meld J J J"}
    board.play("meld J J J")
    assert board.legal() == {"discard 7", "discard 4"}


@every_preset
def test_cards_from_the_pile_may_be_the_discard(reading: Reading, preset: str) -> None:
    """The whole hand goes into the first meld, and the pile brings what is discarded and kept."""
    given = {"rules": preset, "hands": {0: "A A"}, "pile": "5 6 A", "frozen": False}
    board = reading.at(given)
    assert board.legal() == {"draw", "take A A"}
    board.play("take A A")
    assert board.hand(0) == cards("5 6") and board.legal() == {"discard 5", "discard 6"}
    assert reading.at(given, pile="6 A").legal() == {"draw"}


@every_preset
def test_a_canasta_made_in_the_turn_opens_the_way_out(reading: Reading, preset: str) -> None:
    """A take that empties the hand is legal where it makes the canasta."""
    short = [row for row in FOUR if row != "K K K K K K K"]
    given = {"rules": preset, "hands": {0: "K K"}, "pile": "K", "foot_played": [True] * 4}
    board = reading.at(given, melds={0: [*short, "K K K K"]})
    assert board.can("take K K") and board.play("take K K").over
    five = reading.at(given, melds={0: ["K K K"]})
    assert not five.can("take K K")

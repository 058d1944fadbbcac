"""The paragraphs of rules.md on going out, asking, and what is concealed."""

from __future__ import annotations

import pytest

from tests.readings import FEET, FOUR, SEATS, Board, Reading, cards

every_preset = pytest.mark.parametrize("preset", list(SEATS))
ASKING = pytest.mark.parametrize("preset", [name for name in SEATS if name != "czech"])
KINGS = ["meld K K K", "add K", "add K", "add K", "add K"]


# -- going out -----------------------------------------------------------------------------------


@every_preset
def test_a_seat_that_may_not_go_out_keeps_a_card(reading: Reading, preset: str) -> None:
    given = {"rules": preset, "phase": "meld", "melds": {0: ["9 9 9"]}}
    board = reading.at(given, hands={0: "9 5"})
    assert board.legal() == {"discard 9", "discard 5"}
    assert not board.play("discard 9").over and board.hand(0) == ["5"]


@every_preset
def test_the_deal_ends_with_the_last_card(reading: Reading, preset: str) -> None:
    """By a meld, an addition, a discard or a take."""
    given = {"rules": preset, "phase": "meld", "melds": {0: [*FOUR, "9 9 9"]}, **FEET}
    assert reading.at(given, hands={0: "8 8 8"}).play("meld 8 8 8").over
    assert reading.at(given, hands={0: "9"}).play("add 9").over
    assert reading.at(given, hands={0: "5"}).play("discard 5").over
    given["phase"] = "draw"
    assert reading.at(given, hands={0: "9 9"}, pile="9").play("take 9 9").over


@every_preset
def test_a_canasta_completed_in_the_turn_counts(reading: Reading, preset: str) -> None:
    short = [row for row in FOUR if row != "K K K K K K K"]
    given = {"rules": preset, "phase": "meld", "melds": {0: [*short, "K K K K K K"]}, **FEET}
    assert reading.at(given, hands={0: "K 5"}).play("add K", "discard 5").over
    given["melds"] = {0: [*short, "K K K K K"]}
    board = reading.at(given, hands={0: "K 5"})
    # with three other canastas only hand_and_foot still lacks one
    assert board.can("add K") is (preset != "hand_and_foot")


# -- asking --------------------------------------------------------------------------------------


def asking(reading: Reading, preset: str, hand: str, **given: object) -> Board:
    melds = {0: [*FOUR, "9 9 9"]}
    position = {"rules": preset, "phase": "meld", "melds": melds, "hands": {0: hand}, **FEET}
    return reading.at(position, **given)


@ASKING
def test_asking_is_the_first_action_and_once_a_turn(reading: Reading, preset: str) -> None:
    assert not asking(reading, preset, "9 9 5 6").play("add 9").can("ask")
    answered = asking(reading, preset, "9 9 9 5 6").play("add 9")
    assert not answered.can("ask")
    board = asking(reading, preset, "9 9 5").play("ask", "yes")
    assert not board.can("ask")


@ASKING
def test_asking_needs_both_ways_to_end(reading: Reading, preset: str) -> None:
    assert not asking(reading, preset, "5").can("ask")  # only out
    assert not asking(reading, preset, "5 6").can("ask")  # only not
    assert asking(reading, preset, "9 5").can("ask")
    assert not asking(reading, preset, "9 5", melds={0: ["9 9 9"]}).can("ask")  # no canasta


@ASKING
def test_asking_after_a_take(reading: Reading, preset: str) -> None:
    board = asking(reading, preset, "9 9 5", phase="draw", pile="8 9").play("take 9 9")
    assert not board.can("ask") and board.legal() == {"discard 5", "discard 8"}
    both = asking(reading, preset, "9 9 8 5", phase="draw", pile="8 8 9").play("take 9 9")
    assert both.can("ask")
    assert both.play("ask", "yes").legal() == {"meld 8 8 8"}


@ASKING
def test_after_yes_every_action_leads_out(reading: Reading, preset: str) -> None:
    board = asking(reading, preset, "9 9 8 8 8 5").play("ask", "yes")
    assert board.legal() == {"add 9", "meld 8 8 8"}
    board.play("meld 8 8 8", "add 9")
    assert board.legal() == {"add 9"}
    assert board.play("add 9").legal() == {"discard 5"}
    assert board.play("discard 5").over


@ASKING
def test_after_no_nothing_goes_out(reading: Reading, preset: str) -> None:
    board = asking(reading, preset, "9 9 8 8 8 5").play("ask", "no")
    assert {"add 9", "meld 8 8 8", "discard 5"} <= board.legal()
    board.play("meld 8 8 8")
    assert board.legal() == {"add 9", "discard 9", "discard 5"}
    board.play("add 9")
    assert board.legal() == {"discard 9", "discard 5"}


@pytest.mark.parametrize("preset", ["classic", "latvian"])
def test_with_sides_of_three_the_next_seat_of_the_side_answers(
    reading: Reading, preset: str
) -> None:
    """Seats 0, 2 and 4: 2 answers 0, and 0 answers 4."""
    melds = {0: [*FOUR, "9 9 9"]}
    given = {"rules": preset, "players": 6, "phase": "meld", "melds": melds}
    for seat, partner in ((0, 2), (2, 4), (4, 0)):
        board = reading.at(given, turn=seat, hands={seat: "9 5"}).play("ask")
        assert (board.phase, board.turn) == ("answer", partner)
        board.play("yes")
        assert (board.phase, board.turn, board.legal()) == ("meld", seat, {"add 9"})


@ASKING
def test_no_asking_below_the_minimum(reading: Reading, preset: str) -> None:
    """Nor while the pile is pending: both ways to end are open, but 60 are not yet 90."""
    given = {"rules": preset, "scores": [1500, 0], "deal": 2}
    pending = reading.at(given, hands={0: "A A 4 4 4 4 4 4 4 K K K"}, pile="5 A").play("take A A")
    assert pending.row("turn_state")["pending"] and not pending.can("ask")
    staged = reading.at(given, hands={0: "A A 4 4 4 4 4 4 4 K K K 5"}, pile="A").play("take A A")
    assert not staged.row("turn_state").get("pending") and not staged.can("ask")
    # the same with 50 needed is reached with the take
    given |= {"scores": [0, 0], "deal": 1}
    reached = reading.at(given, hands={0: "A A 4 4 4 4 4 4 4 K K K"}, pile="5 A").play("take A A")
    assert reached.can("ask") is (preset != "hand_and_foot")


def test_no_asking_before_the_foot_is_taken(reading: Reading) -> None:
    """``hand_and_foot``."""
    board = asking(reading, "hand_and_foot", "9 5", feet={0: "K Q"})
    assert board.can("add 9") and not board.can("ask")
    # and after it the turn goes on, but something was done already
    board = asking(reading, "hand_and_foot", "9", feet={0: "9 5"}).play("add 9")
    assert board.hand(0) == cards("9 5") and board.can("add 9") and not board.can("ask")


# -- concealed going out -------------------------------------------------------------------------


def out_score(reading: Reading, preset: str, hand: str, *actions: str, **given: object) -> int:
    """The first side's score when seat 0 lays all this; the partner holds a seven."""
    hands = {0: hand, 1: "7", 2: "7", 3: "7"}
    position = {"rules": preset, "phase": "meld", "hands": hands, **given}
    board = reading.at(position).play(*actions)
    assert board.over
    return board.deal_scores[0]


def test_red_threes_are_no_meld_for_concealment(reading: Reading) -> None:
    """And a side that goes out under a waived minimum has melded: they count for it."""
    hand = "4 4 4 4 4 4 4 5 5 5 9"
    fours = ["meld 4 4 4", *["add 4"] * 4]
    actions = [*fours, "meld 5 5 5", "discard 9"]
    given = {"scores": [3000, 0], "red_threes": [2, 0]}
    score = out_score(reading, "classic", hand, *actions, **given)
    assert score == 35 + 15 + 500 + 100 + 100 + 200 - 5


def test_a_waived_minimum_asks_for_the_whole_hand(reading: Reading) -> None:
    """One card too many, and no canasta: nothing may be laid."""
    given = {"phase": "meld", "scores": [3000, 0]}
    whole, kept = "4 4 4 4 4 4 4 5 5 5 9", "4 4 4 4 4 4 4 5 5 5 9 J"
    none = "4 4 4 4 4 4 5 5 5 5 9"
    for preset in ("classic", "standard", "latvian", "hungarian"):
        assert reading.at(given, rules=preset, hands={0: whole}).can("meld 5 5 5")
        assert not reading.at(given, rules=preset, hands={0: kept}).legal("meld")
        assert not reading.at(given, rules=preset, hands={0: none}).legal("meld")


@pytest.mark.parametrize("preset", ["classic", "latvian"])
def test_a_take_that_joins_a_meld_is_an_addition(reading: Reading, preset: str) -> None:
    """The partner's kings get three: no concealment; the same cards as a new meld: concealed."""
    hand = "K K Q Q Q Q Q Q Q 5"
    queens = ["meld Q Q Q", *["add Q"] * 4]
    bonus = 100 if preset == "latvian" else 0
    given = {"phase": "draw", "pile": "K", "seat_melded": [False, False, True, False]}
    joined = out_score(
        reading, preset, hand, "take K K", *queens, "discard 5", melds={0: ["K K K"]}, **given
    )
    assert joined == 60 + 70 + 500 + 100 + bonus - 5
    new = out_score(
        reading, preset, hand, "take K K", *queens, "discard 5", melds={0: ["A A A"]}, **given
    )
    assert new == 60 + 30 + 70 + 500 + 100 + 100 + bonus - 5


def test_any_card_of_the_turn_may_be_in_the_concealed_canasta(reading: Reading) -> None:
    """``classic``: the seventh king comes from under the top card."""
    given = {"phase": "draw", "pile": "K Q", "seat_melded": [False] * 4}
    given["melds"] = {0: ["A A A"]}
    score = out_score(
        reading, "classic", "Q Q K K K K K K 5", "take Q Q", *KINGS, "discard 5", **given
    )
    assert score == 60 + 30 + 70 + 500 + 100 + 100 - 5


@pytest.mark.parametrize("preset", ["classic", "standard", "russian", "latvian", "hungarian"])
def test_a_seat_that_melded_earlier_is_not_concealed(reading: Reading, preset: str) -> None:
    given = {"melds": {0: ["A A A"]}, "seat_melded": [True, False, False, False]}
    score = out_score(reading, preset, "K K K K K K K 5", *KINGS, "discard 5", **given)
    bonus = {"latvian": 200, "hungarian": 0}.get(preset, 100)
    worth = 60 + 70 + 500 + bonus - 5
    assert score == (700 if preset == "russian" else worth)


# -- concealed canastas, latvian -----------------------------------------------------------------


def concealed_canastas(reading: Reading, hand: str, *actions: str, **given: object) -> int:
    hands = {0: hand, 1: "4", 2: "4", 3: "4"}
    position = {"rules": "latvian", "hands": hands, "melds": {0: ["A A A"]}, "pile": "9", **given}
    board = reading.at(position, stock=position.get("stock", "J J J"), absent="rest")
    board.play(*actions)
    return int(board.row("concealed_canastas")[0])


def test_a_concealed_canasta_of_cards_held_or_drawn(reading: Reading) -> None:
    six, seven = "K K K K K K 5 6", "K K K K K K K 5 6"
    stock = {"stock": "K J J"}
    assert concealed_canastas(reading, six, "draw", *KINGS, "discard 5", **stock) == 1
    assert concealed_canastas(reading, seven, "draw", *KINGS, "discard 5") == 1
    # six are no canasta, and an eighth does no harm
    assert concealed_canastas(reading, six, "draw", *KINGS[:4], "discard 5") == 0
    assert concealed_canastas(reading, seven, "draw", *KINGS, "add K", "discard 5", **stock) == 1


def test_a_concealed_canasta_with_the_top_card_but_not_those_under_it(reading: Reading) -> None:
    top = ["take K K", *["add K"] * 4, "discard 5"]
    assert concealed_canastas(reading, "K K K K K K 5 6", *top, pile="9 K") == 1
    under = ["take K K", *["add K"] * 4, "discard 5"]
    assert concealed_canastas(reading, "K K K K K 5 6", *under, pile="K K") == 0
    queens = ["take Q Q", *KINGS, "discard 5"]
    assert concealed_canastas(reading, "Q Q K K K K K K 5 6", *queens, pile="K Q") == 0


def test_a_concealed_canasta_is_begun_by_the_seat_in_this_turn(reading: Reading) -> None:
    added = ["draw", *["add A"] * 4, "discard 5"]
    assert concealed_canastas(reading, "A A A A 5 6", *added) == 0


def test_a_card_serves_one_concealed_canasta(reading: Reading) -> None:
    """One deuce was held and one came with the pile: of two mixed canastas one is concealed."""
    hand = "K K K K K K Q Q Q Q Q Q 2 J J 5 6"
    kings = ["meld K K K", *["add K"] * 3, "add 2 to K"]
    queens = ["meld Q Q Q", *["add Q"] * 3, "add 2 to Q"]
    actions = ["take J J", *kings, *queens, "discard 5"]
    assert concealed_canastas(reading, hand, *actions, pile="2 J", frozen=True) == 1
    # both were held: two
    actions = ["draw", *kings, *queens, "discard 5"]
    assert concealed_canastas(reading, f"{hand} 2", *actions) == 2


@every_preset
def test_the_others_get_no_bonus_for_going_out(reading: Reading, preset: str) -> None:
    hands = {0: "5", 1: "4", 2: "4", 3: "6"}
    given = {"rules": preset, "phase": "meld", "melds": {0: FOUR}, "hands": hands, **FEET}
    board = reading.at(given).play("discard 5")
    assert board.deal_scores[1] == (0 if preset == "russian" else -10)

"""The paragraphs of rules.md on the end of the stock, the foot, sequences and Hungarian turns."""

from __future__ import annotations

import pytest

from canasta_env import Game
from tests.readings import FOUR, SEATS, Reading, cards

every_preset = pytest.mark.parametrize("preset", list(SEATS))
GOING_ON = pytest.mark.parametrize("preset", [name for name in SEATS if name != "hungarian"])
SMALL = {0: "4 5", 1: "4 6", 2: "4 7", 3: "4 8"}


# -- the end of the stock ------------------------------------------------------------------------


@every_preset
def test_a_draw_of_nothing_but_red_threes_ends_the_deal(reading: Reading, preset: str) -> None:
    """At once: no meld, no discard; the red threes are laid out."""
    given = {"rules": preset, "hands": {0: "K K K K K 5", **dict.fromkeys((1, 2, 3), "4")}}
    given["melds"] = {0: ["Q Q Q Q Q Q Q"]}
    board = reading.at(given, stock="3r 3r", absent="rest", pile="9").play("draw")
    assert board.over and board.red_threes == [2, 0] and len(board.hand(0)) == 6
    bonus = 600 if preset == "czech" else 500
    score = 70 + bonus + 200 - 55 - 5
    assert board.deal_scores[0] == (700 if preset == "russian" else score)


@GOING_ON
def test_the_seat_that_drew_the_last_card_finishes_its_turn(reading: Reading, preset: str) -> None:
    """The next passes, which ends the deal, or takes."""
    given = {"rules": preset, "hands": SMALL, "stock": "9", "absent": "rest", "pile": "J"}
    board = reading.at(given).play("draw")
    assert (board.phase, board.turn) == ("meld", 0)
    board.play("discard 9")
    assert (board.phase, board.turn, board.legal()) == ("draw", 1, {"pass"})
    assert board.play("pass").over
    taking = reading.at(given, hands={**SMALL, 1: "9 9 6 8"}, melds={1: ["A A A"]})
    taking.play("draw", "discard 9")
    assert taking.legal() == {"pass", "take 9 9"}
    assert not taking.play("take 9 9", "discard 6").over and taking.legal() == {"pass"}


def test_the_deal_ends_with_the_turn_of_the_last_card(reading: Reading) -> None:
    """``hungarian``."""
    given = {"rules": "hungarian", "hands": {**SMALL, 1: "9 9 6 8"}, "melds": {1: ["A A A"]}}
    board = reading.at(given, stock="9", absent="rest", pile="J").play("draw", "discard 9")
    assert board.over
    two = reading.at(given, stock="9 Q", absent="rest", pile="J").play("draw", "discard 9")
    assert not two.over and two.legal() == {"draw", "take 9 9"}


@pytest.mark.parametrize("preset", ["classic", "latvian"])
def test_where_a_take_is_forced_any_legal_take_serves(reading: Reading, preset: str) -> None:
    given = {"rules": preset, "hands": {**SMALL, 0: "9 9 2 6"}, "stock": "", "absent": "rest"}
    board = reading.at(given, melds={0: ["9 9 9"]}, pile="8 9")
    assert board.legal() == {"take", "take 9 9", "take 9 2"}


@pytest.mark.parametrize("preset", ["classic", "latvian", "czech"])
def test_where_no_take_is_legal_the_seat_passes(reading: Reading, preset: str) -> None:
    """The top card would fit; but a card in the hand and a pile of one are no take."""
    given = {"rules": preset, "hands": {**SMALL, 0: "6"}, "stock": "", "absent": "rest"}
    assert reading.at(given, melds={0: ["9 9 9"]}, pile="9").legal() == {"pass"}


@pytest.mark.parametrize("preset", ["standard", "classic", "latvian"])
def test_the_stock_ends_in_a_side_that_has_not_melded(reading: Reading, preset: str) -> None:
    """A pile is frozen to it: nothing is forced, a pair may take."""
    given = {"rules": preset, "hands": {**SMALL, 0: "A A 6 8"}, "stock": "", "absent": "rest"}
    assert reading.at(given, pile="5 A").legal() == {"pass", "take A A"}


def test_a_take_that_a_sequence_forces(reading: Reading) -> None:
    """``czech``: only where the top card alone may be added, to a sequence too."""
    given = {"rules": "czech", "stock": "", "absent": "rest"}
    given["hands"] = {0: "4c 5d 9c", 1: "4d", 2: "4h", 3: "4s"}
    forced = reading.at(given, melds={0: ["6h 7h 8h"]}, pile="Kc 9h")
    assert forced.legal() == {"take extend"}
    free = reading.at(
        given, melds={0: ["6h 7h 8h"]}, pile="Kc 9d", hands={**given["hands"], 0: "9c 9s 4c 5d"}
    )
    assert free.legal() == {"pass", "take 9c 9s"}


# -- the foot ------------------------------------------------------------------------------------


def foot(reading: Reading, hand: str, mine: str, **given: object) -> object:
    position = {"rules": "hand_and_foot", "phase": "meld", "hands": {0: hand, 1: 5, 2: 5, 3: 5}}
    position |= {"feet": {0: mine, 1: 3, 2: 3, 3: 3}, "melds": {0: ["9 9 9"]}}
    return reading.at(position, **given)


def test_the_foot_comes_with_the_last_meld_and_the_turn_goes_on(reading: Reading) -> None:
    board = foot(reading, "9 9", "J J J 5").play("add 9")
    assert board.legal() == {"add 9", "discard 9"}
    board.play("add 9")
    assert (board.turn, board.phase) == (0, "meld") and board.hand(0) == cards("J J J 5")
    assert board.foot(0) == [] and "meld J J J" not in board.legal()
    assert board.legal() == {"discard J", "discard 5"}
    board.play("discard 5")
    assert board.row("foot_played") == [True, False, False, False]


def test_the_foot_comes_with_the_last_discard_for_the_next_turn(reading: Reading) -> None:
    """And that turn does not count as one with the foot in hand."""
    board = foot(reading, "J", "Q Q Q 5").play("discard J")
    assert (board.turn, board.phase) == (1, "draw") and board.hand(0) == cards("Q Q Q 5")
    assert board.row("foot_played") == [False] * 4


def test_the_foot_comes_with_a_take(reading: Reading) -> None:
    """The pile of one is all that the pair brings; then the foot."""
    board = foot(reading, "9 9", "J Q K", phase="draw", pile="9").play("take 9 9")
    assert (board.turn, board.phase) == (0, "meld") and board.hand(0) == cards("J Q K")
    assert board.legal() == {"discard J", "discard Q", "discard K"}


def test_red_threes_in_the_foot_are_laid_out_and_replaced(reading: Reading) -> None:
    """At that moment, and while there is stock."""
    given = {"stock": "3r K 5", "absent": "rest"}
    board = foot(reading, "9", "J 3r", **given).play("add 9")
    assert board.hand(0) == cards("J K") and board.red_threes == [2, 0] and board.stock == "5"
    board = foot(reading, "9", "J Q 3r 3r", stock="K", absent="rest").play("discard 9")
    assert board.hand(0) == cards("J Q K") and board.red_threes == [2, 0] and board.stock == ""


def test_the_hand_is_melded_away_only_once_the_minimum_is_reached(reading: Reading) -> None:
    given = {"melds": {}, "deal": 1}
    assert foot(reading, "A A A", "J Q", **given).can("meld A A A")
    assert not foot(reading, "8 8 8", "J Q", **given).legal("meld")
    # 45 points and the last card: nothing to reach it with
    assert not foot(reading, "K K K 5 5 5", "J Q", **given).legal("meld")
    assert foot(reading, "K K K 6 6 6 6", "J Q", **given).can("meld 6 6 6")


def test_no_mask_depends_on_an_untaken_foot(reading: Reading) -> None:
    """Nor does the owner see it: the observation is the same too."""
    melds = {0: [*FOUR, "9 9 9"]}
    boards = [
        foot(reading, "9 9 5", mine, melds=melds, foot_played=[False, False, True, False])
        for mine in ("9 5", "J Q K A 2 JK", "3r 3b")
    ]
    assert boards[0].legal() == boards[1].legal() == boards[2].legal()
    if isinstance(boards[0].game, Game):
        same_size = [foot(reading, "9 9 5", mine, melds=melds) for mine in ("9 5", "JK 2")]
        first, second = [board.game.observation(0).tobytes() for board in same_size]
        assert first == second


def test_a_foot_taken_in_the_turn_lets_the_seat_go_out(reading: Reading) -> None:
    """The condition on the foot is the partner's; the seat itself may go on and out."""
    melds = {0: [*FOUR, "9 9 9"]}
    board = foot(reading, "9", "9 5", melds=melds, foot_played=[False, False, True, False])
    board.play("add 9")
    assert board.can("add 9") and board.play("add 9", "discard 5").over


# -- sequences -----------------------------------------------------------------------------------


def test_a_wild_card_in_a_sequence_keeps_its_value(reading: Reading) -> None:
    """``czech``: 4 JK 6 are 60 points, 4 5 6 are 15; both sides have a canasta."""
    given = {"rules": "czech", "phase": "meld", "stock": "", "absent": "rest"}
    given["hands"] = {0: "3b 5c", 1: "5d", 2: "5h", 3: "5s"}
    kings, queens = "Kc Kc Kd Kd Kh Kh Ks", "Qc Qc Qd Qd Qh Qh Qs"
    melds = {0: [kings, "4h JK 6h"], 1: [queens, "4d 5d 6d"]}
    board = reading.at(given, melds=melds).play("discard 3b", "pass")
    assert board.deal_scores == [70 + 600 + 60 - 10, 70 + 600 + 15 - 10]


def test_of_several_sequences_the_one_with_the_fewest_wild_cards_grows(reading: Reading) -> None:
    """Then the longest (notation.md, extend)."""
    given = {"rules": "czech", "phase": "meld", "hands": {0: "9h 5d Jc Ks"}}
    board = reading.at(given, melds={0: ["6h 2 8h", "6h 7h 8h"]}).play("extend 9h")
    assert board.melds(0) == sorted([cards("6h 2 8h"), cards("6h 7h 8h 9h")])
    board = reading.at(given, melds={0: ["6h 7h 8h", "5h 6h 7h 8h"]}).play("extend 9h")
    assert board.melds(0) == sorted([cards("6h 7h 8h"), cards("5h 6h 7h 8h 9h")])


def test_taking_with_a_sequence_at_its_next_place(reading: Reading) -> None:
    """``take extend``: not frozen, only past the high end."""
    given = {"rules": "czech", "hands": {0: "4c 5d Jc"}, "melds": {0: ["6h 7h 8h"]}}
    assert reading.at(given, pile="Kc 9h").legal() == {"draw", "take extend"}
    assert reading.at(given, pile="Kc 5h").legal() == {"draw"}
    assert reading.at(given, pile="Kc 9d").legal() == {"draw"}
    assert reading.at(given, pile="2 9h", frozen=True).legal() == {"draw"}
    board = reading.at(given, pile="Kc 9h").play("take extend")
    assert board.melds(0) == [cards("6h 7h 8h 9h")] and board.hand(0) == cards("4c 5d Jc Kc")


def test_two_cards_of_a_rank_in_different_suits_make_a_pair(reading: Reading) -> None:
    """``czech``: sets go by rank alone, and the pairs differ by suit."""
    given = {"rules": "czech", "hands": {0: "Kc Kd Kd 5h 6s"}, "melds": {0: ["Ac Ac Ad"]}}
    assert reading.at(given, pile="2 Kh", frozen=True).legal("take") == {"take Kc Kd", "take Kd Kd"}


def test_a_frozen_pile_stays_frozen_for_more_than_a_lap(reading: Reading) -> None:
    """``czech``, a reading chosen."""
    hands = {0: "4c 9d Jc", 1: "4d 9h Jd", 2: "4h 9s Jh", 3: "4s 9c Js"}
    stock = "5c 5d 5h 5s 6c 6d 6h 6s"
    given = {"rules": "czech", "hands": hands, "pile": "2 Kc", "frozen": True, "stock": stock}
    board = reading.at(given, absent="rest")
    for card in ["5c", "5d", "5h", "5s", "6c"]:
        board.play("draw", f"discard {card}")
    assert board.frozen


# -- hungarian -----------------------------------------------------------------------------------

HIGH = {"rules": "hungarian", "scores": [3000, 0]}
OTHERS = {1: "9", 2: "9", 3: "9"}


def test_a_take_that_only_a_concealed_going_out_makes_legal(reading: Reading) -> None:
    """The whole pile comes at once, its cards count for no minimum, and the seat must go out."""
    given = {**HIGH, "hands": {0: "4 4 4 4 4 4 5 5", **OTHERS}, "pile": "5 4"}
    board = reading.at(given).play("take 4 4")
    assert board.hand(0) == cards("4 4 4 4 5 5 5") and board.legal() == {"add 4", "meld 5 5 5"}
    board.play("meld 5 5 5", "add 4", "add 4", "add 4")
    assert board.legal() == {"add 4"}
    assert board.play("add 4").deal_scores[0] == 35 + 15 + 500 + 200 - 10
    # no canasta of its own: no such going out
    short = {**HIGH, "hands": {0: "4 4 4 4 4 5 5", **OTHERS}, "pile": "5 4"}
    assert reading.at(short).legal() == {"draw"}


def test_the_last_discard_of_a_going_out_after_a_take(reading: Reading) -> None:
    """Only a kind that was held before the take."""
    held = {**HIGH, "hands": {0: "4 4 4 4 4 4 5 5 8", **OTHERS}, "pile": "5 4"}
    assert reading.at(held).can("take 4 4")
    brought = {**HIGH, "hands": {0: "4 4 4 4 4 4 5 5", **OTHERS}, "pile": "8 5 4"}
    assert reading.at(brought).legal() == {"draw"}
    # the same kind as one that was held, though the card itself came with the pile
    same = {**HIGH, "hands": {0: "4 4 4 4 4 4 8 8 8 8", **OTHERS}, "pile": "8 4"}
    assert reading.at(same).can("take 4 4")


def test_where_the_minimum_can_be_reached_the_pile_stays_apart(reading: Reading) -> None:
    """And a last discard of a new kind makes the going out not concealed, but legal."""
    given = {"rules": "hungarian", "hands": {0: "K K K K K K A A A", **OTHERS}, "pile": "8 K"}
    board = reading.at(given, scores=[1500, 0]).play("take K K")
    assert board.row("turn_state")["pending"] == "8"
    board.play("add K", "add K", "add K", "add K", "meld A A A", "discard 8")
    assert board.over and board.deal_scores[0] == 70 + 60 + 500 - 10
    held = {"rules": "hungarian", "hands": {0: "K K K K K K A A A 8", **OTHERS}, "pile": "K"}
    board = reading.at(held, scores=[1500, 0]).play("take K K")
    board.play("add K", "add K", "add K", "add K", "meld A A A", "discard 8")
    assert board.deal_scores[0] == 70 + 60 + 500 + 200 - 10


def test_cannot_be_reached_is_literal(reading: Reading) -> None:
    """Black threes included: with them the minimum is reached, so the pile stays apart.

    The row K K K, Q Q Q, 3b 3b 3b is 75 of 90; with a queen more it is 85; with two, 95.
    """
    hand = "K K Q Q Q Q Q 3b 3b 3b"
    given = {"rules": "hungarian", "scores": [1500, 0], "pile": "Q Q K"}
    board = reading.at(given, hands={0: hand, **OTHERS})
    # 30 + 50 + 15 = 95: reachable, so pending; then the queens come, for a canasta and the way out
    assert board.can("take K K")
    board.play("take K K")
    assert cards(board.row("turn_state")["pending"]) == ["Q", "Q"]
    # one queen less and it is 85: not reachable, and the whole pile comes at once
    board = reading.at(given, hands={0: "K K Q Q Q Q 3b 3b 3b", **OTHERS}, pile="Q Q Q K")
    board.play("take K K")
    assert not board.row("turn_state").get("pending") and board.row("turn_state")["must_go_out"]


def test_two_players_need_two_canastas_for_a_concealed_going_out(reading: Reading) -> None:
    given = {**HIGH, "players": 2, "phase": "meld"}
    one = reading.at(given, hands={0: "4 4 4 4 4 4 4 5 5 5 9", 1: "9"})
    assert not one.legal("meld")
    two = reading.at(given, hands={0: "4 4 4 4 4 4 4 5 5 5 5 5 5 5 9", 1: "9"})
    assert two.can("meld 4 4 4")


def test_a_whole_wild_canasta_as_the_first_meld(reading: Reading) -> None:
    """Its cards count, its bonus does not: 5 deuces and 2 jokers are 200."""
    given = {**HIGH, "phase": "meld", "hands": {0: "2 2 2 2 2 JK JK 5 9", **OTHERS}}
    board = reading.at(given).play("meld 2 2 2 2 2 JK JK")
    assert board.legal() == {"discard 5", "discard 9"}

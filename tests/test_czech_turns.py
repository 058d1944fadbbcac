"""``czech``: turns in which its own rules meet each other and the common ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.readings import Board, Reading, cards

ACES = ["Ac Ac Ad"]
CANASTA = ["Qc Qc Qd Qd Qh Qh Qs"]
OTHERS: dict[int, Any] = {1: 5, 2: 5, 3: 5}


def after_draw(reading: Reading, hand: str, **given: Any) -> Board:
    position: dict[str, Any] = {"rules": "czech", "phase": "meld", "melds": {0: ACES}}
    return reading.at(position | {"hands": {0: hand, **OTHERS}}, **given)


def before_draw(reading: Reading, hand: str, pile: str, **given: Any) -> Board:
    position: dict[str, Any] = {"rules": "czech", "melds": {0: ACES}, "pile": pile}
    return reading.at(position | {"hands": {0: hand, **OTHERS}}, **given)


# -- a red three as the discard ------------------------------------------------------------------


def test_a_red_three_goes_in_the_place_of_a_card_of_the_hand(reading: Reading) -> None:
    """So three of four cards may be laid by a side without a canasta: the last one stays."""
    board = after_draw(reading, "9c 9d 9h 5s", red_threes=[1, 0])
    board.play("meld 9c 9d 9h")
    assert board.legal() == {"discard 3r"}
    assert board.play("discard 3r").hand(0) == ["5s"]
    assert after_draw(reading, "9c 9d 9h 5s").legal("meld") == set()
    # but not all: no seat ends its turn without a card, save by going out
    assert after_draw(reading, "9c 9d 9h", red_threes=[1, 0]).legal("meld") == set()


def test_a_red_three_lets_a_seat_stay_that_could_go_out(reading: Reading) -> None:
    board = after_draw(reading, "5s", melds={0: CANASTA}, red_threes=[2, 0])
    assert board.legal() == {"discard 5s", "discard 3r"}
    assert not board.play("discard 3r").over and board.red_threes == [1, 0]
    assert after_draw(reading, "5s", melds={0: CANASTA}, red_threes=[2, 0]).play("discard 5s").over


def test_no_red_three_is_discarded_below_the_minimum(reading: Reading) -> None:
    """Nor while the pile is pending; nor one of the others."""
    hand = "Kc Kd Kh 9c 9d 9h 5s 6d"
    board = after_draw(reading, hand, melds={}, red_threes=[1, 0]).play("meld Kc Kd Kh")
    assert board.legal() == {"meld 9c 9d 9h"}
    assert board.play("meld 9c 9d 9h").can("discard 3r")
    pending = before_draw(reading, hand, "4s Ks", melds={}, red_threes=[1, 0])
    assert not pending.play("take Kc Kd").can("discard 3r")
    assert not after_draw(reading, "5s 6d", red_threes=[0, 1]).can("discard 3r")


def test_a_taken_red_three_is_laid_out_by_its_taker(reading: Reading) -> None:
    """The side that discarded it has lost it; on the pile it freezes."""
    hands = {0: "4c 5d", 1: "Kc 7c 8d", 2: "4h 9d", 3: "Kd Kh 7s"}
    given = {"rules": "czech", "phase": "meld", "hands": hands, "red_threes": [1, 1]}
    given |= {"stock": "6c 6d 6h 6s", "absent": "rest", "pile": "5c", "melds": {1: ACES}}
    board = reading.at(given).play("discard 3r", "draw", "discard Kc")
    assert board.legal() == {"draw"}
    board.play("draw", "discard 6d")
    assert board.legal() == {"draw"} and board.frozen
    board.play("draw", "discard Kd", "draw", "discard 6s")
    assert board.red_threes == [0, 1]
    taking = reading.at(given, pile="5c 3r Ks", turn=3, phase="draw", red_threes=[0, 1])
    assert taking.play("take Kd Kh").red_threes == [0, 2] and taking.hand(3) == ["5c", "7s"]


# -- sequences -----------------------------------------------------------------------------------


def test_a_natural_sequence_as_a_first_meld_of_fifteen(reading: Reading) -> None:
    """Below zero: 4 5 6 of a suit are 15 points and three naturals in a row."""
    hand = "4h 5h 6h 9c Jd"
    assert after_draw(reading, hand, melds={}, scores=[-5, 0]).legal("meld") == {"meld 4h 5h 6h"}
    assert not after_draw(reading, hand, melds={}).legal("meld")
    # with a wild card in it there are more points, and no three naturals
    wild = after_draw(reading, "4h 5h 7h 2 9c Jd", melds={}, scores=[-5, 0])
    assert not wild.legal("meld")


def test_a_sequence_is_melded_from_the_ace_down_to_the_four(reading: Reading) -> None:
    """All eleven places, one after the other; then there is none."""
    ranks = ["4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    board = after_draw(reading, " ".join(f"{rank}s" for rank in ranks) + " 9c Jd 2")
    board.play("meld 4s 5s 6s", *[f"extend {rank}s" for rank in ranks[3:]])
    assert not board.legal("extend") and sorted(f"{rank}s" for rank in ranks) in board.melds(0)


def test_a_wild_card_stands_at_either_end(reading: Reading) -> None:
    board = after_draw(reading, "5h 6h 2 JK 9c Jd")
    rows = {"meld 2 5h 6h", "meld JK 5h 6h", "meld 5h 6h 2", "meld 5h 6h JK"}
    assert board.legal("meld") == rows
    assert board.play("meld 2 5h 6h").legal("extend") == {"extend 7h with JK"}


def test_three_wild_cards_at_most_in_a_sequence_that_grows(reading: Reading) -> None:
    board = after_draw(reading, "8h 2 Jd", melds={0: ["4h 2 6h JK"]})
    assert board.legal("extend") == {"extend 8h", "extend 8h with 2"}
    full = after_draw(reading, "9h 2 Jd", melds={0: ["4h 2 6h JK 2"]})
    assert full.legal("extend") == {"extend 9h"}


def test_a_card_may_join_a_set_or_a_sequence(reading: Reading) -> None:
    board = after_draw(reading, "9h 5c Jd", melds={0: ["9c 9d 9s", "6h 7h 8h"]})
    assert {"add 9h", "extend 9h"} <= board.legal()
    taking = before_draw(reading, "5c 6c Jd", "4s 9h", melds={0: ["9c 9d 9s", "6h 7h 8h"]})
    assert taking.legal() == {"draw", "take", "take extend"}
    assert taking.play("take extend").melds(0) == sorted([cards("9c 9d 9s"), cards("6h 7h 8h 9h")])


def test_a_sequence_with_the_pile_is_a_first_meld(reading: Reading) -> None:
    """The rest is pending until the minimum; the places named are the natural ones."""
    hand = "9h 10h 4c 4d 4s 4h 5d 7c"
    board = before_draw(reading, hand, "6s Jh", melds={})
    assert board.legal() == {"draw", "take into 9h 10h Jh"}
    board.play("take into 9h 10h Jh")
    assert board.row("turn_state")["pending"] == "6s"
    board.play("meld 4c 4d 4h", "add 4s")
    assert board.hand(0) == cards("5d 7c 6s") and board.row("melded")[0]


def test_equal_cards_make_one_pair(reading: Reading) -> None:
    """Two of a suit, or one of each: what is named differs, the effect on the table as well."""
    board = before_draw(reading, "Kc Kc Kd 5h 6s", "7h Kh")
    assert board.legal("take") == {"take Kc Kc", "take Kc Kd"}
    board.play("take Kc Kc")
    assert cards("Kc Kc Kh") in board.melds(0) and board.hand(0) == cards("Kd 5h 6s 7h")


# -- wild melds and canastas ---------------------------------------------------------------------


def test_a_wild_meld_in_the_first_meld(reading: Reading) -> None:
    """Its cards count, but three naturals must lie beside it."""
    board = after_draw(reading, "2 2 2 4c 4d 4h 9c Jd", melds={})
    assert {"meld 2 2 2", "meld 4c 4d 4h"} <= board.legal("meld")
    board.play("meld 2 2 2")
    assert board.legal() == {"meld 4c 4d 4h"}
    none = after_draw(reading, "2 2 JK 4c 4d 9c Jd", melds={})
    assert none.legal("meld") == set()


def test_four_naturals_in_a_mixed_canasta(reading: Reading) -> None:
    """Three wild cards at most leave four of seven."""
    board = after_draw(reading, "7h 2 9c Jd", melds={0: ["7c 7d 7s 2 2"]})
    board.play("add 2 to 7", "add 7h")
    assert board.legal() == {"discard 9c", "discard Jd"}
    assert cards("7c 7d 7h 7s 2 2 2") in board.melds(0)


def test_a_canasta_of_wild_cards_lets_a_seat_go_out(reading: Reading) -> None:
    board = after_draw(reading, "2 JK 5s", melds={0: ["2 2 2 2 JK"]})
    board.play("add 2 to wild")
    assert board.legal() == {"add JK to wild", "discard JK", "discard 5s"}
    assert board.play("add JK to wild", "discard 5s").over


@pytest.mark.parametrize(
    ("melds", "points"),
    [
        (["4c 4c 4d 4d 4h 4h 4s"], 35 + 600),
        (["4c 4c 4d 4d 4h 2 2"], 65 + 300),
        (["2 2 2 JK JK JK JK"], 260 + 2000),
        (["2 2 2 2 2 2 JK"], 170 + 1000),
    ],
)
def test_going_out_counts_for_a_side_with_a_canasta(
    reading: Reading, melds: list[str], points: int
) -> None:
    """200 for it, red threes 100 each, a black three left with the partner 100 against."""
    hands = {0: "5s", 1: "3b 5c", 2: "3b", 3: "5d"}
    given = {"hands": hands, "red_threes": [2, 1], "seat_melded": [True] * 4}
    board = after_draw(reading, "5s", melds={0: melds, 1: ["9c 9d 9h"]}, **given)
    board.play("discard 5s")
    assert board.deal_scores == [points + 200 + 200 - 100, -30 - 100 - 100 - 5 - 5]


# -- the red threes that are owed, and the end of the stock --------------------------------------


def test_what_is_owed_ends_with_the_stock(reading: Reading) -> None:
    position = {"owed": [2, 0, 0, 0], "red_threes": [2, 0], "absent": "rest"}
    board = before_draw(reading, "4c 5d", "9c", stock="Kc Kd", **position).play("draw")
    assert board.hand(0) == cards("4c 5d Kc Kd") and board.stock == ""
    assert board.row("owed") == [0, 0, 0, 0] and board.phase == "meld"
    one = before_draw(reading, "4c 5d", "9c", stock="Kc 3r", **position).play("draw")
    assert one.hand(0) == cards("4c 5d Kc") and one.red_threes == [3, 0]


def test_the_last_card_ends_nothing(reading: Reading) -> None:
    """The next seat must take where the top card fits its meld, may with a pair, else passes."""
    hands = {0: "4c 5d", 1: "9h 6c 7d", 2: "4h", 3: "4s"}
    given = {"hands": hands, "stock": "9c", "absent": "rest"}
    board = before_draw(reading, "4c 5d", "8s", **given).play("draw", "discard 9c")
    assert board.legal() == {"pass"}
    forced = before_draw(reading, "4c 5d", "8s", melds={1: ["9d 9s 9s"]}, **given)
    assert forced.play("draw", "discard 9c").legal() == {"take"}
    free = {**given, "hands": {**hands, 1: "9h 9d 6c 7d"}}
    may = before_draw(reading, "4c 5d", "8s", melds={1: ACES}, **free)
    assert may.play("draw", "discard 9c").legal() == {"pass", "take 9d 9h"}
    assert may.play("pass").over

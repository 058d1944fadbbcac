"""The paragraphs of rules.md on the deal, the cut, the offer and the draw."""

from __future__ import annotations

from collections import Counter

import pytest

from canasta_env import Game
from tests.readings import SEATS, Reading, cards, deck_with, whole_deck

every_preset = pytest.mark.parametrize("preset", list(SEATS))
FOUR_SEATS = {"hand_and_foot": 5}
"""Packs for four, where not two."""


def deck_of_rounds(first: list[str], packs: int = 2) -> list[str]:
    """These cards first, then all others in a fixed order, naturals last."""
    left = whole_deck(packs)
    left.subtract(Counter(first))
    order = ("3b", "2", "JK", "3r", *["5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "4"])
    return [*first, *(card for card in order for _ in range(left[card]))]


SIDES = {
    ("classic", 2): [0, 1],
    ("classic", 3): [0, 1, 2],
    ("classic", 4): [0, 1, 0, 1],
    ("classic", 6): [0, 1, 0, 1, 0, 1],
    ("latvian", 6): [0, 1, 0, 1, 0, 1],
    ("hand_and_foot", 3): [0, 1, 2],
    ("czech", 4): [0, 1, 0, 1],
    ("czech", 5): [0, 1, 2, 3, 4],
    ("czech", 6): [0, 1, 2, 0, 1, 2],
}
"""Before the table: the side of each seat."""


@pytest.mark.parametrize(("preset", "players"), SIDES)
def test_the_sides_of_the_seats(reading: Reading, preset: str, players: int) -> None:
    """Whose red three it is shows whose side a seat is on."""
    sides = SIDES[preset, players]
    given = {"rules": preset, "players": players, "hands": dict.fromkeys(range(players), "4 5")}
    for seat, side in enumerate(sides):
        board = reading.at(given, turn=seat, stock="3r 6 7", absent="rest").play("draw")
        assert board.red_threes == [int(other == side) for other in range(max(sides) + 1)]
        assert board.turn == seat


@pytest.mark.parametrize("preset", ["classic", "latvian"])
def test_six_play_as_three_pairs_where_the_rules_say_so(reading: Reading, preset: str) -> None:
    rules = {"preset": preset, "sides": 3}
    hands = dict.fromkeys(range(6), "4 5")
    given = {"rules": rules, "players": 6, "hands": hands, "stock": "3r 6 7", "absent": "rest"}
    assert reading.at(given, turn=4).play("draw").red_threes == [0, 1, 0]


ROUND = ["K", "Q", "J", "10", "9", "8", "7", "6"]


@every_preset
def test_cards_are_dealt_one_at_a_time_from_the_dealers_left(reading: Reading, preset: str) -> None:
    """Two rounds of different cards; all other cards of the hands are fives and up."""
    for dealer in range(4):
        deck = deck_with(FOUR_SEATS.get(preset, 2), 0, " ".join(ROUND))
        board = reading.deal(preset, 4, deck, dealer)
        for i in range(4):
            hand = board.hand((dealer + 1 + i) % 4)
            assert ROUND[i] in hand and ROUND[i + 4] in hand
        assert board.turn == (dealer + 1) % 4


def test_all_hands_are_dealt_before_all_feet(reading: Reading) -> None:
    hands = ["4"] * 20 + ["5"] * 20 + ["6"] * 12
    feet = ["7"] * 20 + ["8"] * 20 + ["9"] * 12
    board = reading.deal("hand_and_foot", 4, [*deck_of_rounds([*hands, *feet], 5)], dealer=2)
    for seat in range(4):
        assert board.hand(seat) == cards("4 " * 5 + "5 " * 5 + "6 " * 3)
        assert board.foot(seat) == cards("7 " * 5 + "8 " * 5 + "9 " * 3)


def test_red_threes_are_replaced_in_order_of_play(reading: Reading) -> None:
    """After the upcard is turned, from the dealer's left, and replacements too."""
    hands = ["4", "3r", "3r", "4", *["5"] * 8, *["6"] * 8, *["7"] * 8, *["8"] * 8, *["9"] * 8]
    deck = deck_of_rounds([*hands, "K", "3r", "A", "Q", "J"])
    board = reading.deal("classic", 4, deck, dealer=3)
    assert board.pile == "K" and board.red_threes == [1, 2]
    # seat 1 lays out two and gets the ace; then seat 2 gets the queen
    assert "A" in board.hand(1) and "Q" in board.hand(2)
    assert board.stock.startswith("J") and [len(board.hand(seat)) for seat in range(4)] == [11] * 4


@pytest.mark.parametrize("preset", ["classic", "hand_and_foot"])
def test_the_first_dealer_comes_from_the_seed(preset: str) -> None:
    dealers = [Game(preset, seed=seed).dealer for seed in range(60)]
    assert dealers == [Game(preset, seed=seed).dealer for seed in range(60)]
    assert set(dealers) == {0, 1, 2, 3}


# -- czech: the red threes that are owed ---------------------------------------------------------


def test_a_dealt_red_three_is_owed_until_the_seat_buys(reading: Reading) -> None:
    """``czech``: laid out at the start, replaced right after the first buy of any kind."""
    hands = "4 3r 4 4 " + "5 6 7 8 9 10 " * 8
    board = reading.deal("czech", 4, deck_with(2, 0, f"{hands} K Q J A 4"), dealer=0)
    assert board.red_threes == [1, 0] and board.row("owed") == [0, 0, 1, 0]
    assert [len(board.hand(seat)) for seat in range(4)] == [13, 13, 12, 13]
    board.play("accept", "discard 4", "draw")
    # seat 2 draws the queen, and the jack replaces the red three
    assert {"Q", "J"} <= set(board.hand(2)) and board.row("owed") == [0, 0, 0, 0]
    assert len(board.hand(2)) == 14 and board.stock.startswith("A")


def test_the_first_seats_owed_red_three_comes_with_the_offer(reading: Reading) -> None:
    """Accepted, or refused and another drawn; a red three among the replacements counts too."""
    given = {"rules": "czech", "phase": "offer", "owed": [1, 0, 0, 0], "red_threes": [1, 0]}
    given |= {"hands": {0: "4 5 6", 1: 5, 2: 5, 3: 5}, "absent": "rest"}
    accepted = reading.at(given, stock="K 3r Q J A").play("accept")
    assert accepted.hand(0) == cards("4 5 6 K Q") and accepted.red_threes == [2, 0]
    refused = reading.at(given, stock="K Q 3r J A").play("refuse")
    assert refused.hand(0) == cards("4 5 6 Q J") and refused.pile == "K"
    assert refused.stock == "A" and refused.row("owed") == [0, 0, 0, 0]


def test_the_owed_red_three_comes_with_a_take(reading: Reading) -> None:
    """Right after it, also while the rest of the pile is pending."""
    given = {"rules": "czech", "owed": [1, 0, 0, 0], "red_threes": [1, 0], "pile": "5 9 K"}
    given |= {"hands": {0: "K K Q Q 2 6"}, "stock": "J 8 7", "absent": "rest"}
    board = reading.at(given).play("take K K")
    assert board.hand(0) == cards("Q Q 2 6 J") and board.stock == "8 7"
    assert board.row("turn_state")["pending"]
    board.play("meld Q Q 2")
    assert board.hand(0) == cards("5 6 9 J")


def test_the_owed_red_three_comes_before_the_hand_is_judged_empty(reading: Reading) -> None:
    """The pair is all: with a canasta the take would go out, but a card replaces the red three."""
    given = {"rules": "czech", "owed": [1, 0, 0, 0], "red_threes": [1, 0], "pile": "K"}
    given |= {"hands": {0: "K K"}, "stock": "J 8 7", "absent": "rest"}
    board = reading.at(given, melds={0: ["Q Q Q Q Q Q Q"]}).play("take K K")
    assert (
        not board.over and board.hand(0) == ["J"] and board.legal() == {"discard J", "discard 3r"}
    )


def test_the_mask_of_a_take_counts_no_owed_red_three(reading: Reading) -> None:
    """Without a canasta: what would be left does not count the cards that are owed.

    The partner has discarded the red threes and the others have them: none is left to discard.
    """
    given = {"rules": "czech", "owed": [2, 0, 0, 0], "red_threes": [0, 2]}
    given |= {"hands": {0: "K K"}, "melds": {0: ["Q Q Q"]}, "stock": "J 8 7 5", "absent": "rest"}
    # nothing, and one card, are left: neither is enough
    assert reading.at(given, pile="K").legal() == {"draw"}
    assert reading.at(given, pile="6 K").legal() == {"draw"}
    board = reading.at(given, pile="6 9 K")
    assert board.legal() == {"draw", "take K K"}
    assert board.play("take K K").hand(0) == cards("6 9 J 8")


# -- czech: the cut and the offer ----------------------------------------------------------------


def cut_deck(back: str) -> list[str]:
    return deck_with(2, 52, "K Q J", back)


@pytest.mark.parametrize(
    ("back", "taken", "red"),
    [("2 K 3r", "2", 1), ("K 2 JK", "2 JK", 0), ("9 10 9", "", 0), ("3r JK 3r", "JK", 2)],
)
def test_the_cut(reading: Reading, back: str, taken: str, red: int) -> None:
    """The player at the dealer's right: jokers, deuces and red threes are his; the rest stay."""
    for dealer in range(4):
        board = reading.deal("czech", 4, cut_deck(back), dealer)
        right, side = (dealer + 3) % 4, (dealer + 3) % 2
        hand = board.hand(right)
        assert [card for card in hand if card in ("2", "JK")] == sorted(taken.split())
        assert len(hand) == 13 - red and board.red_threes[side] == red
        assert board.row("owed")[right] == red
        stay = [card for card in back.split() if card not in ("2", "JK", "3r")]
        assert board.stock.split()[len(board.stock.split()) - len(stay) :] == stay
        others = [len(board.hand(seat)) for seat in range(4) if seat != right]
        assert others == [13] * 3
        # what he took, he was dealt fewer
        assert len(board.stock.split()) == 108 - 52


def test_the_cut_is_written_in_the_position() -> None:
    """How many were taken is public; what stayed is the player's to know."""
    position = Reading("engine").deal("czech", 4, cut_deck("2 K 3r"), 0).position
    cut = position["cut"]
    assert (cut["seat"], cut["taken"]) == (3, 2) and cut["bottom"][0] == "K"


def test_an_offered_red_three(reading: Reading) -> None:
    """Accepted it is laid out and replaced; refused it starts the pile, frozen."""
    given = {"rules": "czech", "phase": "offer", "hands": {0: "4 5", 1: "9 9 9"}}
    given |= {"stock": "3r K Q J", "absent": "rest"}
    accepted = reading.at(given, hands={0: "4 5", 1: 3, 2: 3, 3: 3}).play("accept")
    assert accepted.hand(0) == cards("4 5 K") and accepted.red_threes == [1, 0]
    assert accepted.pile == "" and accepted.stock == "Q J"
    refused = reading.at(given, hands={0: "4 5", 1: 3, 2: 3, 3: 3}).play("refuse")
    assert (refused.pile, refused.frozen, refused.red_threes) == ("3r", True, [0, 0])
    assert refused.hand(0) == cards("4 5 K")


# -- the draw ------------------------------------------------------------------------------------


@every_preset
def test_a_drawn_red_three_is_laid_out_and_replaced(reading: Reading, preset: str) -> None:
    """Likewise its replacement."""
    given = {"rules": preset, "hands": {0: "4 5", 1: 3, 2: 3, 3: 3}, "pile": "9"}
    board = reading.at(given, stock="3r 3r K Q J", absent="rest").play("draw")
    two = preset == "hand_and_foot"
    assert board.hand(0) == cards("4 5 K Q" if two else "4 5 K")
    assert board.red_threes == [2, 0] and board.stock == ("J" if two else "Q J")


@every_preset
def test_a_drawn_red_three_is_replaced_while_there_is_stock(reading: Reading, preset: str) -> None:
    """hand_and_foot draws what there is; a king and no more."""
    given = {"rules": preset, "hands": {0: "4 5", 1: 3, 2: 3, 3: 3}, "pile": "9"}
    board = reading.at(given, stock="3r K", absent="rest").play("draw")
    assert board.hand(0) == cards("4 5 K") and board.stock == "" and board.phase == "meld"


@pytest.mark.parametrize(("preset", "players"), [("hand_and_foot", 4), ("classic", 2)])
def test_a_draw_of_two_from_a_stock_of_one(reading: Reading, preset: str, players: int) -> None:
    hands = {0: "4 5"} | dict.fromkeys(range(1, players), 3)
    given = {"rules": preset, "players": players, "hands": hands, "pile": "9"}
    board = reading.at(given, stock="K", absent="rest").play("draw")
    assert board.hand(0) == cards("4 5 K") and board.phase == "meld"


@every_preset
def test_a_red_three_in_a_taken_pile_is_laid_out_and_not_replaced(
    reading: Reading, preset: str
) -> None:
    given = {"rules": preset, "hands": {0: "K K 5 6"}, "melds": {0: ["Q Q Q"]}}
    board = reading.at(given, pile="3r 9 K", stock="J J J", absent="rest").play("take K K")
    assert board.hand(0) == cards("5 6 9") and board.red_threes == [1, 0]
    assert board.stock == "J J J"

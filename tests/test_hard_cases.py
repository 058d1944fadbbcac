"""The hard cases of rules.md, each by the presets that it concerns."""

from __future__ import annotations

import pytest

from tests.readings import FEET, FOUR, SEATS, Reading, cards, deck_with, per_preset

QUEENS = {0: ["Q Q Q"]}
"""An open side without a canasta."""
every_preset = pytest.mark.parametrize("preset", list(SEATS))


@every_preset
def test_a_natural_card_is_discarded_on_a_frozen_pile(reading: Reading, preset: str) -> None:
    """It stays frozen until taken."""
    hands = {0: "9 4 5", 1: "K K 6 7", 2: "8 8", 3: "5 6"}
    given = {"rules": preset, "phase": "meld", "hands": hands, "melds": {1: ["Q Q Q"]}}
    board = reading.at(given, pile="2 7", frozen=True).play("discard 9")
    assert board.frozen and board.legal() == {"draw"}
    board.play("draw", "discard K", "draw")
    assert board.frozen
    given = {"rules": preset, "hands": {0: "K K 6 7"}, "melds": QUEENS, "pile": "2 9 K"}
    assert not reading.at(given, frozen=True).play("take K K").frozen


@per_preset(True, standard=False, hand_and_foot=False)
def test_unfrozen_pile_own_meld_of_the_top_rank_no_such_card_in_hand(
    reading: Reading, preset: str, players: int, value: bool
) -> None:
    board = reading.at(rules=preset, hands={0: "5 6 9 9"}, melds={0: ["K K K"]}, pile="7 K")
    assert board.can("take") is value


@every_preset
def test_frozen_pile_own_qqq_hand_holds_one_q_and_a_joker_top_q(
    reading: Reading, preset: str
) -> None:
    board = reading.at(rules=preset, hands={0: "Q JK 5 6"}, melds=QUEENS, pile="2 7 Q", frozen=True)
    assert board.legal() == {"draw"}


@every_preset
def test_two_melds_of_25_and_25_for_a_minimum_of_50(reading: Reading, preset: str) -> None:
    """They add up; in czech a third card of one rank makes the group of naturals."""
    hand = "6 6 6 6 6 7 7 7 7 7 9 J"
    board = reading.at(rules=preset, phase="meld", hands={0: hand})
    assert board.legal("meld") == {"meld 6 6 6", "meld 7 7 7"}
    for rank in ("6", "7"):
        board.play(f"meld {rank} {rank} {rank}", f"add {rank}", f"add {rank}")
    assert board.can("discard 9") and board.row("melded")[0]
    # one card less and it is 45
    assert not reading.at(rules=preset, phase="meld", hands={0: hand[2:]}).legal("meld")


@per_preset((0, 1500), hand_and_foot=(1, 2))
def test_kk_qq_2_6_in_hand(
    reading: Reading, preset: str, players: int, value: tuple[int, int]
) -> None:
    """KKK and QQ2 make 70: enough for 50, by score or deal, not for 90.

    The buried queen comes with the minimum and does not count for it.
    """
    given = {"rules": preset, "hands": {0: "K K Q Q 2 6"}, "pile": "Q 9 K"}
    key = "deal" if preset == "hand_and_foot" else "scores"
    enough, short = [[one, 0] if key == "scores" else one for one in value]
    board = reading.at(given, **{key: enough}).play("take K K")
    assert board.row("turn_state").get("pending", "") and board.hand(0) == cards("Q Q 2 6")
    board.play("meld Q Q 2")
    assert board.hand(0) == cards("6 9 Q") and board.can("add Q")
    assert not reading.at(given, **{key: short}).legal("take")


@per_preset("draws", hungarian=None)
def test_open_side_without_a_canasta_empty_stock_hand_jk_k_10_top_k(
    reading: Reading, preset: str, players: int, value: str | None
) -> None:
    """After K and JK one card is left, which could not be discarded and leave one."""
    given = {"rules": preset, "hands": {0: "JK K 10", 1: 5, 2: 5, 3: 5}, "melds": QUEENS}
    if value is None:  # with an empty stock the deal is over there
        assert reading.at(given, pile="K", stock=1, absent="rest").legal() == {"draw"}
        return
    board = reading.at(given, pile="K", stock="", absent="rest")
    assert board.legal() == {"pass"}
    # with a canasta it may go out
    melds = {0: FOUR}
    given["hands"] = {0: "JK 9 10", 1: 5, 2: 5, 3: 5}
    board = reading.at(given, melds=melds, pile="9", stock="", absent="rest", **FEET)
    wild = set() if preset == "hand_and_foot" else {"take 9 JK"}
    assert board.legal() == {"pass", *wild}


@per_preset("draws", hungarian=None)
def test_the_same_side_hand_10_10_pile_3b_10(
    reading: Reading, preset: str, players: int, value: str | None
) -> None:
    """The pair is spent and only one card comes back; with one more it is enough."""
    given = {"rules": preset, "hands": {0: "10 10", 1: 5, 2: 5, 3: 5}, "melds": QUEENS}
    stock = {"stock": "" if value else 1, "absent": "rest"}
    last = "pass" if value else "draw"
    assert reading.at(given, pile="3b 10", frozen=False, **stock).legal() == {last}
    more = reading.at(given, pile="3b 9 10", frozen=False, **stock)
    assert more.legal() == {last, "take 10 10"}


@per_preset(True, standard=False, hand_and_foot=False)
def test_one_card_in_hand_a_pile_of_one_card(
    reading: Reading, preset: str, players: int, value: bool
) -> None:
    """No take, though there is a canasta; with one more card under it there is."""
    given = {"rules": preset, "hands": {0: "9"}, "melds": {0: FOUR}}
    given |= {"melds": {0: [*FOUR, "4 4 4"]}, **FEET}
    assert reading.at(given, pile="4").legal() == {"draw"}
    assert reading.at(given, pile="J 4").can("take") is value


BARE = "10 10 K K K J J J Q Q Q"


@per_preset([3035, 0], czech=[2535, 0], hand_and_foot=3)
def test_score_3035_and_a_pile_of_one_10(
    reading: Reading, preset: str, players: int, value: list[int] | int
) -> None:
    """120 only with every card laid; two cards more, in the hand or under the ten, are enough."""
    key = "deal" if preset == "hand_and_foot" else "scores"
    given = {"rules": preset, key: value}
    assert reading.at(given, hands={0: BARE}, pile="10").legal() == {"draw"}
    assert reading.at(given, hands={0: f"{BARE} 5"}, pile="10").legal() == {"draw"}
    assert reading.at(given, hands={0: f"{BARE} 5 6"}, pile="10").can("take 10 10")
    assert reading.at(given, hands={0: BARE}, pile="5 6 10").can("take 10 10")
    # one card under it cannot both be discarded and stay
    assert reading.at(given, hands={0: BARE}, pile="5 10").legal() == {"draw"}


@per_preset(True, standard=False, hand_and_foot=False, latvian=False, hungarian=False)
def test_7_7_2_2_2(reading: Reading, preset: str, players: int, value: bool) -> None:
    given = {
        "rules": preset,
        "phase": "meld",
        "hands": {0: "7 7 2 2 2 9 J"},
        "melds": {0: FOUR[:1]},
    }
    board = reading.at(given)
    assert board.can_play("meld 7 7 2", "add 2 to 7", "add 2 to 7") is value
    # by adding only
    assert board.legal("meld") == {"meld 7 7 2"} | ({"meld 2 2 2"} if preset == "czech" else set())


@per_preset({"take"}, standard=set(), hand_and_foot=set())
def test_a_take_with_a_natural_and_a_wild_onto_a_rank_whose_own_meld_has_three_wilds(
    reading: Reading, preset: str, players: int, value: set[str]
) -> None:
    """Four wild cards; the top card alone may be added."""
    meld = "K K K K 2 2" if preset == "hand_and_foot" else "K K K K 2 2 2"
    given = {"rules": preset, "hands": {0: "K 2 5 6"}, "pile": "9 K"}
    assert reading.at(given, melds={0: [meld]}).legal() == {"draw", *value}
    if preset != "hand_and_foot":  # with two wild cards in the meld it is legal
        assert reading.at(given, melds={0: ["K K K K 2 2"]}).can("take K 2")


@per_preset(True, hand_and_foot=False)
def test_own_meld_of_seven_kings_a_joker_added(
    reading: Reading, preset: str, players: int, value: bool
) -> None:
    """Legal up to three wild cards; the canasta becomes mixed (test_mixed_canasta: its score)."""
    given = {"rules": preset, "phase": "meld", "hands": {0: "JK JK JK 2 5 6"}}
    board = reading.at(given, melds={0: ["K K K K K K K"]})
    assert board.can("add JK to K") is value
    if value:
        board.play("add JK to K", "add JK to K", "add JK to K")
        assert not board.can("add 2 to K")


@every_preset
def test_two_black_threes_and_a_canasta(reading: Reading, preset: str) -> None:
    """Cannot go out with both: one is discarded, one stays."""
    given = {"rules": preset, "phase": "meld", "hands": {0: "3b 3b"}, "melds": {0: FOUR}, **FEET}
    board = reading.at(given)
    assert board.legal() == {"discard 3b"}
    board.play("discard 3b")
    assert not board.over and board.hand(0) == ["3b"] and board.turn == 1


@pytest.mark.parametrize("preset", [name for name in SEATS if name != "czech"])
def test_partner_said_no(reading: Reading, preset: str) -> None:
    """The seat may not go out this turn; in its next it may, without asking."""
    hands = {0: "9 9 5", 1: "4 4", 2: "4 4", 3: "4 4"}
    given = {"rules": preset, "phase": "meld", "hands": hands, "melds": {0: [*FOUR, "9 9 9"]}}
    given |= {"stock": "6 6 6 6 6 6 6 6", "absent": "rest", **FEET}
    board = reading.at(given).play("ask", "no")
    assert board.legal() == {"add 9", "discard 9", "discard 5"}
    board.play("add 9")
    assert board.legal() == {"discard 9", "discard 5"}
    board.play("discard 5")
    if preset != "hand_and_foot":  # two sixes are drawn there, and both could not go
        for _ in range(3):
            board.play("draw", "discard 6")
        board.play("draw")
        assert board.can("ask") and board.play("add 9", "discard 6").over


@every_preset
def test_hand_k_k_5_own_canasta_of_queens_pile_k_take_k_k_and_then_ask(
    reading: Reading, preset: str
) -> None:
    """After ``no`` the five could not be discarded."""
    queens = ["Q Q Q Q Q Q Q", "J J J J J J J", "10 10 10 10 10 2 2", "8 8 8 8 8 2 2"]
    given = {"rules": preset, "hands": {0: "K K 5"}, "melds": {0: queens}, "pile": "K", **FEET}
    board = reading.at(given).play("take K K")
    assert board.legal() == {"discard 5"}
    assert board.play("discard 5").over


@every_preset
def test_the_last_card_is_discarded_with_the_canastas_made(reading: Reading, preset: str) -> None:
    """The deal ends, the bonus is paid (test_going_out: how much)."""
    hands = {0: "9 5", 1: "4", 2: "4", 3: "4"}
    melds = {0: [*FOUR, "9 9 9"]}
    given = {"rules": preset, "phase": "meld", "hands": hands, "melds": melds, **FEET}
    board = reading.at(given, seat_melded=[True] * 4).play("add 9", "discard 5")
    assert board.over
    out = {"czech": 200, "hungarian": 0}.get(preset, 100)
    bonuses = 1800 if preset == "czech" else 1600
    score = 320 + bonuses + 40 + out - 5
    assert board.deal_scores[0] == (2100 if preset == "russian" else score)


@pytest.mark.parametrize("preset", ["classic", "standard", "russian", "latvian"])
def test_the_start_pile_has_a_wild_card_under_a_black_three(reading: Reading, preset: str) -> None:
    """It is frozen all the same; in the other presets no two cards start a pile."""
    board = reading.deal(preset, 4, deck_with(2, 44, "2 3b K"))
    assert board.frozen
    assert board.pile == ("2 3b" if preset in ("classic", "standard") else "2 3b K")

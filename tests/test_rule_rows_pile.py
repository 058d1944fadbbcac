"""The rows of rules.md about taking the pile, each by preset."""

from __future__ import annotations

from tests.readings import FEET, FOUR, Reading, cards, per_preset

OPEN = {0: ["Q Q Q"]}
"""The side of the seat to act has melded."""


@per_preset(
    "frozen", russian="open", hungarian="open", hand_and_foot="always a pair"
)  # latvian and standard as classic, czech says so itself
def test_frozen_for_a_side_that_has_not_melded(
    reading: Reading, preset: str, players: int, value: str
) -> None:
    """A A JK would make 90; a pair of aces makes 60, and does everywhere."""
    board = reading.at(rules=preset, hands={0: "A JK 5 6 9 J"}, pile="7 A")
    assert board.legal() == ({"draw", "take A JK"} if value == "open" else {"draw"})
    pair = reading.at(rules=preset, hands={0: "A A 5 6 9 J"}, pile="7 A")
    assert pair.legal() == {"draw", "take A A"}
    # once the side has melded, the same card and wild card take it, save where a pair is needed
    after = reading.at(rules=preset, hands={0: "A JK 5 6 9 J"}, pile="7 A", melds=OPEN)
    assert after.can("take A JK") is (value != "always a pair")


@per_preset(
    {4: {"take K K", "take K 2", "take"}},
    standard={4: {"take K K", "take K 2"}},
    hand_and_foot={4: {"take K K"}},
)
def test_take_with_a_natural_pair(
    reading: Reading, preset: str, players: int, value: set[str]
) -> None:
    """Always; on a frozen pile nothing else, and in hand_and_foot never anything else."""
    melds = {0: ["Q Q Q", "K K K"]}
    frozen = reading.at(rules=preset, hands={0: "K K 2 5 6"}, melds=melds, pile="2 5 K")
    assert frozen.legal() == {"draw", "take K K"}
    board = reading.at(rules=preset, hands={0: "K K 2 5 6"}, melds=melds, pile="5 9 K")
    assert board.legal() == {"draw", *value}
    board.play("take K K")
    assert board.hand(0) == cards("2 5 5 6 9") and board.pile == ""
    assert board.melds(0) == [["K"] * 6, ["Q"] * 3]
    new = reading.at(rules=preset, hands={0: "K K 5 6"}, melds=OPEN, pile="2 7 K")
    new.play("take K K")
    assert new.melds(0) == [["K"] * 3, ["Q"] * 3] and new.hand(0) == cards("2 5 6 7")


@per_preset(True, hand_and_foot=False)
def test_take_with_one_natural_and_one_wild(
    reading: Reading, preset: str, players: int, value: bool
) -> None:
    """Not from a frozen pile, and never with two wild cards or without a natural."""
    hands = {0: "K 2 JK 5 6"}
    board = reading.at(rules=preset, hands=hands, melds=OPEN, pile="5 9 K")
    assert board.legal() == {"draw", *(("take K 2", "take K JK") if value else ())}
    frozen = reading.at(rules=preset, hands=hands, melds=OPEN, pile="2 9 K")
    assert frozen.legal() == {"draw"}
    wilds = reading.at(rules=preset, hands={0: "2 JK JK 5 6"}, melds=OPEN, pile="5 9 K")
    assert wilds.legal() == {"draw"}
    if value:
        board.play("take K JK")
        assert board.melds(0) == [["JK", "K", "K"], ["Q"] * 3]
        assert board.hand(0) == cards("2 5 5 6 9")


@per_preset(True, standard=False, hand_and_foot=False)
def test_take_onto_an_own_meld(reading: Reading, preset: str, players: int, value: bool) -> None:
    """No card from the hand is needed; not from a frozen pile, not onto the others' meld."""
    melds = {0: ["K K K"], 1: ["J J J"]}
    board = reading.at(rules=preset, hands={0: "5 6 9 9"}, melds=melds, pile="7 K")
    assert board.legal() == ({"draw", "take"} if value else {"draw"})
    frozen = reading.at(rules=preset, hands={0: "5 6 9 9"}, melds=melds, pile="2 K")
    assert frozen.legal() == {"draw"}
    theirs = reading.at(rules=preset, hands={0: "5 6 9 9"}, melds=melds, pile="7 J")
    assert theirs.legal() == {"draw"}
    if value:
        board.play("take")
        assert board.hand(0) == cards("5 6 7 9 9") and board.melds(0) == [["K"] * 4]


@per_preset(False, czech=True)
def test_take_into_a_new_sequence(reading: Reading, preset: str, players: int, value: bool) -> None:
    """Two cards from the hand that make one with the top card, one of them perhaps wild."""
    if not value:
        board = reading.at(rules=preset, hands={0: "7 9 10 4 5 2"}, melds=OPEN, pile="K 8")
        assert board.legal() == {"draw"}
        return
    given = {"rules": "czech", "hands": {0: "7h 9h 10h 4c 5d 2"}, "pile": "Kc 8h"}
    melds = {0: ["Ac Ac Ad"]}
    natural = {"take into 7h 8h 9h", "take into 8h 9h 10h"}
    wild = {"7h 8h 2", "2 8h 9h", "8h 9h 2", "8h 2 10h", "2 7h 8h"}
    board = reading.at(given, melds=melds)
    assert board.legal("take") == natural | {f"take into {row}" for row in wild}
    # both natural if the pile is frozen
    assert reading.at(given, melds=melds, pile="2 8h").legal("take") == natural
    board.play("take into 8h 2 10h")
    assert board.hand(0) == cards("7h 9h 4c 5d Kc")
    assert board.melds(0) == [cards("8h 2 10h"), cards("Ac Ac Ad")]


def test_take_into_a_new_sequence_as_the_first_meld(reading: Reading) -> None:
    """``czech``: both from the hand natural where the side has not melded."""
    hands = {0: "8h 10h 2 Ac Ad Ah Kc 4d 6s"}
    board = reading.at(rules="czech", hands=hands, pile="5c 9h")
    assert board.legal("take") == {"take into 8h 9h 10h"}
    board.play("take into 8h 9h 10h", "meld Ac Ad Ah")
    assert board.hand(0) == cards("2 Kc 4d 6s 5c")


PILE = "4 4 4 5 6 7 8 9 10 K"


@per_preset("all", hand_and_foot="the top 7")
def test_cards_taken(reading: Reading, preset: str, players: int, value: str) -> None:
    board = reading.at(rules=preset, hands={0: "K K 5 6"}, melds=OPEN, pile=PILE)
    board.play("take K K")
    taken, left = ("5 6 7 8 9 10", "4 4 4") if value != "all" else (PILE[:-2], "")
    assert board.hand(0) == cards(f"5 6 {taken}") and board.pile == left
    assert not board.frozen


@per_preset("all", hand_and_foot="the top 7")
def test_cards_taken_of_a_pile_of_seven(
    reading: Reading, preset: str, players: int, value: str
) -> None:
    board = reading.at(rules=preset, hands={0: "K K 5 6"}, melds=OPEN, pile="5 6 7 8 9 10 K")
    board.play("take K K")
    assert board.hand(0) == cards("5 6 5 6 7 8 9 10") and board.pile == ""


@per_preset(False, hungarian=True)
def test_a_black_three_on_top_may_be_taken(
    reading: Reading, preset: str, players: int, value: bool
) -> None:
    """With two black threes from the hand, by a seat that goes out this turn."""
    given = {"rules": preset, "melds": {0: FOUR}, **FEET}
    hands = {0: "3b 3b 9", 1: 5, 2: 5, 3: 5}
    board = reading.at(given, hands=hands, pile="8 9 9 3b")
    frozen = reading.at(given, hands=hands, pile="2 9 9 3b")
    takes = {"take 3b 3b"} if value else set()
    assert board.legal() == {"draw", *takes}
    # frozen or not: it is only the going out that counts, with the deuce onto a meld
    assert frozen.legal() == {"draw", *takes}
    if value:
        board.play("take 3b 3b")
        assert ["3b"] * 3 in board.melds(0) and board.legal() == {"meld 9 9 9"}
        board.play("meld 9 9 9", "discard 8")
        assert board.over


def test_a_black_three_on_top_may_be_taken_only_in_going_out(reading: Reading) -> None:
    """``hungarian``: two cards that fit nowhere cannot both be discarded."""
    given = {"rules": "hungarian", "melds": {0: FOUR[:1]}}
    assert reading.at(given, hands={0: "3b 3b 9"}, pile="8 3b").legal() == {"draw"}
    assert reading.at(given, hands={0: "3b 3b 9"}, pile="3b").can("take 3b 3b")
    # no canasta, no going out
    no_canasta = {"rules": "hungarian", "melds": {0: ["K K K"]}, "hands": {0: "3b 3b 9"}}
    assert reading.at(no_canasta, pile="3b").legal() == {"draw"}
    # one black three in the hand is not enough
    assert reading.at(given, hands={0: "3b 2 9"}, pile="3b").legal() == {"draw"}


def test_a_black_three_on_top_may_be_taken_and_a_fourth_is_added(reading: Reading) -> None:
    """``hungarian``."""
    given = {"rules": "hungarian", "melds": {0: FOUR[:1]}, "hands": {0: "3b 3b 3b 9"}}
    board = reading.at(given, pile="K 3b").play("take 3b 3b")
    assert board.legal() == {"add 3b", "add K"}
    board.play("add 3b", "add K", "discard 9")
    assert board.over and ["3b"] * 4 in board.melds(0)

"""The rows of rules.md about the deal, the match and the starting pile, each by preset."""

from __future__ import annotations

from typing import Any

import pytest

from tests.readings import (
    FOUR,
    Board,
    Reading,
    cards,
    deck_with,
    end_of_deal,
    per_preset,
    sides_of,
)

BY_SEATS = {2: 2, 3: 2, 4: 2, 5: 2, 6: 2}
PACKS: dict[str, dict[int, int]] = {
    "classic": {2: 2, 3: 2, 4: 2, 6: 3},
    "latvian": {2: 2, 3: 2, 4: 2, 6: 3},
    "hand_and_foot": {2: 3, 3: 4, 4: 5},
}
HANDS: dict[str, dict[int, int]] = {
    "classic": {2: 15, 3: 13, 4: 11, 6: 13},
    "latvian": {2: 15, 3: 13, 4: 11, 6: 13},
    "russian": {4: 11},
    "czech": {2: 15, 3: 15, 4: 13, 5: 13, 6: 13},
    "standard": {2: 15, 3: 13, 4: 11},
    "hand_and_foot": {2: 26, 3: 26, 4: 26},
    "hungarian": {2: 15, 4: 11},
}
"""The cards that a seat is dealt, its foot among them."""


def dealt(
    reading: Reading, preset: str, players: int = 4, after: str = "", dealer: int = 0
) -> Board:
    """A deal in which nobody has a red three; then come the cards named."""
    packs = PACKS.get(preset, BY_SEATS)[players]
    deck = deck_with(packs, players * HANDS[preset][players], after)
    return reading.deal(preset, players, deck, dealer)


DRAWN = ["6", "7", "8", "9"]


def sizes(board: Board, key: str) -> list[int]:
    return [len(row.split()) for _, row in sorted(board.position.get(key, {}).items())]


@per_preset(
    {2: 2, 3: 2, 4: 2, 6: 3},
    russian={4: 2},
    czech={2: 2, 3: 2, 4: 2, 5: 2, 6: 2},
    standard={2: 2, 3: 2, 4: 2},
    hand_and_foot={2: 3, 3: 4, 4: 5},
    hungarian={2: 2, 4: 2},
)
def test_packs_of_54(reading: Reading, preset: str, players: int, value: int) -> None:
    """A deck of so many packs is taken; none of another size."""
    board = reading.deal(preset, players, deck_with(value, 0))
    placed = sum(sizes(board, "hands")) + sum(sizes(board, "feet")) + sum(board.red_threes)
    assert placed + len(board.pile.split()) + len(board.stock.split()) == 54 * value
    with pytest.raises(ValueError):
        reading.deal(preset, players, deck_with(value + 1, 0))


@per_preset(
    {2: 15, 3: 13, 4: 11, 6: 13},
    russian=11,
    czech={2: 15, 3: 15, 4: 13, 5: 13, 6: 13},
    standard={2: 15, 3: 13, 4: 11},
    hand_and_foot={2: 13, 3: 13, 4: 13},
    hungarian={2: 15, 4: 11},
)
def test_hand(reading: Reading, preset: str, players: int, value: int) -> None:
    assert sizes(dealt(reading, preset, players), "hands") == [value] * players


@per_preset([], hand_and_foot={2: [13] * 2, 3: [13] * 3, 4: [13] * 4})
def test_foot(reading: Reading, preset: str, players: int, value: list[int]) -> None:
    assert sizes(dealt(reading, preset, players), "feet") == value


@per_preset(
    {2: 2, 3: 1, 4: 1, 6: 1},
    russian=1,
    czech={2: 1, 3: 1, 4: 1, 5: 1, 6: 1},
    standard={2: 2, 3: 2, 4: 1},
    hand_and_foot={2: 2, 3: 2, 4: 2},
    hungarian={2: 1, 4: 1},
)
def test_drawn_in_a_turn(reading: Reading, preset: str, players: int, value: int) -> None:
    hands = dict.fromkeys(range(players), "4 5")
    board = reading.at(
        rules=preset, players=players, hands=hands, stock=" ".join(DRAWN), absent="rest", pile="K"
    )
    board.play("draw")
    assert board.hand(0) == sorted(["4", "5", *DRAWN[:value]])
    assert board.stock.split() == DRAWN[value:]


def last_deal(reading: Reading, preset: str, players: int, **given: Any) -> Board:
    """The end of a deal in which every side but the first has only a few points in hand."""
    return end_of_deal(reading, preset, players, melds={0: FOUR[:1]}, **given)


def reaching(
    reading: Reading, preset: str, players: int, totals: list[int], rules: Any = None
) -> Board:
    """The same end of a deal, from scores that bring the sides to these totals."""
    rules = rules or preset
    worth = last_deal(reading, preset, players, rules=rules).deal_scores
    scores = [total - deal for total, deal in zip(totals, worth, strict=True)]
    board = last_deal(reading, preset, players, rules=rules, scores=scores)
    assert board.scores == totals
    return board


@per_preset(
    {2: 5000, 3: 7500, 4: 5000, 6: 10000},
    russian=5000,
    czech={2: 10000, 3: 10000, 4: 10000, 5: 10000, 6: 10000},
    standard={2: 5000, 3: 7500, 4: 5000},
    hand_and_foot={2: "4 deals", 3: "4 deals", 4: "4 deals"},
    hungarian={2: 5000, 4: 5000},
)
def test_match(reading: Reading, preset: str, players: int, value: int | str) -> None:
    """The match is over at exactly the target, and not five points below it."""
    rest = [0] * (sides_of(preset, players) - 1)
    if value == "4 deals":
        high = {"scores": [100_000, *rest]}
        assert not last_deal(reading, preset, players, deal=3, **high).match_over
        assert last_deal(reading, preset, players, deal=4).match_over
        return
    assert isinstance(value, int)
    assert reaching(reading, preset, players, [value, *rest]).match_over
    assert not reaching(reading, preset, players, [value - 5, *rest]).match_over


@pytest.mark.parametrize("preset", ["classic", "latvian"])
def test_match_with_three_pairs(reading: Reading, preset: str) -> None:
    """Before the table: with ``sides`` at 3 the six play to 7,500."""
    rules = {"preset": preset, "sides": 3}
    for total, over in ((7500, True), (7495, False)):
        assert reaching(reading, preset, 6, [total, 0, 0], rules).match_over is over


@per_preset("another deal", hand_and_foot="a draw")
def test_tie_at_the_end(reading: Reading, preset: str, players: int, value: str) -> None:
    deal = 4 if value == "a draw" else 1
    worth = last_deal(reading, preset, players).deal_scores
    scores = [12_000 - one for one in worth]
    board = last_deal(reading, preset, players, deal=deal, scores=scores)
    assert board.scores == [12_000, 12_000]
    assert board.match_over is (value == "a draw")


HIGHER = [(0, 0, 2), (0, 1, 1), (1, 0, 2), (1, 1, 3), (3, 0, 0), (3, 1, 1)]
"""The old dealer, the side with the higher score, and the next dealer where that side deals."""


@per_preset("next seat", russian="higher")
def test_next_dealer(reading: Reading, preset: str, players: int, value: str) -> None:
    for dealer, side, higher in HIGHER:
        board = end_of_deal(reading, preset, melds={side: FOUR[:1]}, dealer=dealer)
        wanted = higher if value == "higher" else (dealer + 1) % 4
        assert board.next_dealer == wanted, (dealer, side)


@per_preset("next seat", russian="next seat")
def test_next_dealer_on_a_tie(reading: Reading, preset: str, players: int, value: str) -> None:
    """``russian``: the scores as rounded; 40 and 20 are both none."""
    melds = {0: ["K K K K K"], 1: ["Q Q Q"]}
    board = end_of_deal(reading, preset, melds=melds, dealer=0)
    if preset == "russian":
        assert board.deal_scores == [0, 0]
    assert board.next_dealer == 1


@per_preset("no", russian="hundred")
def test_deal_score_rounded(reading: Reading, preset: str, players: int, value: str) -> None:
    """Raw scores of a side that has nothing but hands, and what they are rounded to."""
    aces = "A A A A A A 4"
    for hand, raw, to in (("A 4", -50, 0), ("A 4 4", -55, -100), (aces, -150, -100)):
        found = end_of_deal(reading, preset, hands={1: hand, 3: "A 4"}).deal_scores[1]
        assert found == (to if value == "hundred" else raw), hand


@per_preset("no", russian="hundred")
def test_deal_score_rounded_above_zero(
    reading: Reading, preset: str, players: int, value: str
) -> None:
    """A natural canasta of 570 or 670, less the hands: halves go up."""
    bonus = 100 if preset == "czech" else 0
    for hand, raw, to in (("5 10", 550, 600), ("A", 545, 500), ("4", 560, 600)):
        board = end_of_deal(reading, preset, melds={0: FOUR[:1]}, hands={2: hand})
        assert board.deal_scores[0] == (to if value == "hundred" else raw + bonus), hand


def start(reading: Reading, preset: str, first: str) -> Board:
    """The deal whose stock begins with these cards; the last of them is a king."""
    return dealt(reading, preset, after=first)


COVERED = [("K", "K"), ("3b K", "3b"), ("2 K", "2 K"), ("JK 3r K", "JK 3r K"), ("2 3b K", "2 3b")]
TO_A_NATURAL = [("K", "K"), ("3b K", "3b K"), ("2 JK 3r K", "2 JK 3r K"), ("2 3b K", "2 3b K")]


@per_preset(
    COVERED,
    russian=TO_A_NATURAL,
    latvian=TO_A_NATURAL,
    czech=[("K", ""), ("2 K", "")],
    hand_and_foot=[("K", "K"), ("3b K", "3b"), ("2 K", "K"), ("3r JK K", "K")],
    hungarian=[("K", "K"), ("3b K", "3b"), ("2 K", "2"), ("JK K", "JK"), ("3r K", "3r")],
)
def test_upcard(reading: Reading, preset: str, players: int, value: list[tuple[str, str]]) -> None:
    for first, pile in value:
        board = start(reading, preset, first)
        assert board.pile == pile, first
        rest = first.removeprefix(pile).split()
        if preset == "hand_and_foot":
            buried = [card for card in rest if card != "K"]
            assert board.stock.split()[-len(buried) :] == buried or not buried
        else:
            assert board.stock.split()[: len(rest)] == rest


def test_upcard_offered_to_the_first_player(reading: Reading) -> None:
    """``czech``: he accepts it as his draw or refuses it; refused, he draws another."""
    board = start(reading, "czech", "K Q J")
    assert (board.phase, board.turn, board.legal()) == ("offer", 1, {"accept", "refuse"})
    accepted = start(reading, "czech", "K Q J").play("accept")
    assert (accepted.phase, accepted.pile) == ("meld", "")
    assert "K" in accepted.hand(1) and accepted.stock.startswith("Q J")
    board.play("refuse")
    assert (board.phase, board.turn, board.pile) == ("meld", 1, "K")
    assert "Q" in board.hand(1) and "K" not in board.hand(1) and board.stock.startswith("J")


@per_preset(
    {4: {"2 K": True, "JK K": True, "3r K": True, "K": False, "3b K": False}},
    russian={4: {"2 K": True, "JK K": True, "3r K": True, "K": False}},
    czech={4: {"2 K": True, "JK K": True, "3r K": True, "K Q": False, "3b K": False}},
    hand_and_foot={4: {"2 K": False, "JK K": False, "3r K": False, "K": False}},
    latvian={4: {"2 K": True, "JK K": True, "3r K": False, "K": False, "3b K": False}},
)
def test_a_wild_or_red_three_in_the_starting_pile(
    reading: Reading, preset: str, players: int, value: dict[str, bool]
) -> None:
    for first, frozen in value.items():
        board = start(reading, preset, first)
        if preset == "czech":
            board.play("refuse")
        assert board.frozen is frozen, first


OPEN = {0: ["A A A"], 1: ["Q Q Q"]}


@per_preset("freezes", hand_and_foot="no freeze")
def test_discarding_a_wild(reading: Reading, preset: str, players: int, value: str) -> None:
    """It freezes until the pile is taken; a natural card on it changes nothing."""
    for wild in ("2", "JK"):
        hands = {0: f"{wild} 4 5", 1: "K 6 7", 2: "K K 8 9", 3: "5 6"}
        board = reading.at(
            rules=preset, phase="meld", hands=hands, melds=OPEN, pile="9", stock=20, absent="rest"
        )
        freezes = value == "freezes"
        assert not board.frozen
        assert board.play(f"discard {wild}").frozen is freezes
        assert board.legal() == {"draw"}
        board.play("draw", "discard K")
        assert board.frozen is freezes and board.can("take K K")
        board.play("take K K")
        assert not board.frozen


@per_preset("blocks", russian="freezes")
def test_a_black_three_in_the_pile(reading: Reading, preset: str, players: int, value: str) -> None:
    """On top it blocks the next player; under a card it does nothing, or freezes."""
    hands = {0: "3b 4 5", 1: "9 9 K", 2: "K K 8 9", 3: "5 6"}
    board = reading.at(
        rules=preset, phase="meld", hands=hands, melds=OPEN, pile="9", stock=20, absent="rest"
    )
    board.play("discard 3b")
    assert board.legal() == {"draw"}
    assert board.frozen is (value == "freezes")
    board.play("draw", "discard K")
    assert board.frozen is (value == "freezes") and board.can("take K K")
    assert not board.play("take K K").frozen


@per_preset("no", czech="allowed")
def test_discarding_an_own_laid_out_red_three(
    reading: Reading, preset: str, players: int, value: str
) -> None:
    """It freezes, nobody can take it from the top, and the side has one less to count."""
    hands = {0: "4 5", 1: "K K 6", 2: "7 8", 3: "9 10"}
    board = reading.at(
        rules=preset, phase="meld", hands=hands, melds=OPEN, red_threes=[2, 1], pile="K", stock=9,
        absent="rest",
    )  # fmt: skip
    assert board.can("discard 3r") is (value == "allowed")
    if value == "allowed":
        board.play("discard 3r")
        assert (board.red_threes, board.pile, board.frozen) == ([1, 1], "K 3r", True)
        assert board.hand(0) == cards("4 5") and (board.turn, board.phase) == (1, "draw")
        assert board.legal() == {"draw"}

"""The rows of rules.md about going out and the end of the stock, each by preset."""

from __future__ import annotations

from tests.readings import (
    FEET,
    FOUR,
    Reading,
    at_the_edges,
    four_bonuses,
    per_preset,
    rounded,
)

SEVENS = ["K K K K K K K", "Q Q Q Q Q Q Q", "J J J J J J J", "10 10 10 10 10 10 10"]
MIXED = ["8 8 8 8 8 2 2", "7 7 7 7 7 2 2", "6 6 6 6 6 2 2"]
NINES = "9 9 9"


def may_go_out(reading: Reading, preset: str, players: int, canastas: list[str]) -> bool:
    """With a nine and a five in hand and a meld of nines: only who may go out may add the nine."""
    hands = dict.fromkeys(range(players), "4") | {0: "9 5"}
    given = {"rules": preset, "players": players, "phase": "meld", "hands": hands}
    given |= {"melds": {0: [*canastas, NINES]}, "foot_played": [True] * players}
    return reading.at(given).can("add 9")


@per_preset(
    {2: 2, 3: 1, 4: 1, 6: 2},
    russian=1,
    czech={2: 1, 3: 1, 4: 1, 5: 1, 6: 1},
    standard={2: 2, 3: 1, 4: 1},
    hungarian={2: 2, 4: 1},
    hand_and_foot={2: "2 + 2", 3: "2 + 2", 4: "2 + 2"},
)
def test_canastas_to_go_out(reading: Reading, preset: str, players: int, value: int | str) -> None:
    """Natural, mixed and (where there are any) of wild cards alike, save in hand_and_foot."""
    if value == "2 + 2":
        found = {
            (naturals, mixed): may_go_out(
                reading, preset, players, [*SEVENS[:naturals], *MIXED[:mixed]]
            )
            for naturals, mixed in ((2, 2), (3, 1), (1, 3), (4, 0), (2, 1), (3, 2))
        }
        assert [pair for pair, may in found.items() if may] == [(2, 2), (3, 2)]
        return
    assert isinstance(value, int)
    assert may_go_out(reading, preset, players, SEVENS[:value])
    assert may_go_out(reading, preset, players, MIXED[:value])
    assert not may_go_out(reading, preset, players, SEVENS[: value - 1])


def test_canastas_to_go_out_of_wild_cards(reading: Reading) -> None:
    """A canasta of wild cards counts; six of them are none yet."""
    for preset in ("czech", "hungarian"):
        assert may_go_out(reading, preset, 4, ["2 2 2 2 2 JK JK"])
    assert not may_go_out(reading, "czech", 4, ["2 2 2 2 JK JK"])


def test_canastas_to_go_out_and_the_foot(reading: Reading) -> None:
    """``hand_and_foot``: the seat plays from its foot, and the partner has played from his."""
    hands = {0: "9 5", 1: "4", 2: "4", 3: "4"}
    given = {
        "rules": "hand_and_foot",
        "phase": "meld",
        "hands": hands,
        "melds": {0: [*FOUR, NINES]},
    }
    assert not reading.at(given, foot_played=[True, True, False, True]).can("add 9")
    assert reading.at(given, foot_played=[False, False, True, False]).can("add 9")
    # the foot still lies there: the last card brings it, and the deal goes on
    board = reading.at(given, feet={0: "J A"}, foot_played=[False, True, True, True])
    board.play("add 9", "discard 5")
    assert not board.over and board.hand(0) == ["A", "J"]


def test_canastas_to_go_out_counting_those_of_this_turn(reading: Reading) -> None:
    for preset in ("classic", "russian", "standard", "latvian", "hungarian", "czech"):
        given = {"rules": preset, "phase": "meld", "hands": {0: "9 5"}}
        assert reading.at(given, melds={0: ["9 9 9 9 9 9"]}).can("add 9")
        assert not reading.at(given, melds={0: ["9 9 9 9 9"]}).can("add 9")


@per_preset(True, czech=False)
def test_asking_the_partner(reading: Reading, preset: str, players: int, value: bool) -> None:
    given = {"rules": preset, "phase": "meld", "hands": {0: "9 5"}, **FEET}
    given["melds"] = {0: [*FOUR, NINES]}
    assert reading.at(given).can("ask") is value
    if not value:
        return
    board = reading.at(given).play("ask")
    assert (board.phase, board.turn, board.legal()) == ("answer", 2, {"yes", "no"})
    assert board.play("yes").legal() == {"add 9"} and board.turn == 0
    refused = reading.at(given).play("ask", "no")
    assert refused.legal() == {"discard 9", "discard 5"}


def test_asking_the_partner_needs_one(reading: Reading) -> None:
    """With 2, 3 and 5 each plays alone."""
    for preset, players in (("classic", 2), ("classic", 3), ("hand_and_foot", 3)):
        given = {"rules": preset, "players": players, "phase": "meld", "melds": {0: [*FOUR, NINES]}}
        board = reading.at(given, hands={0: "9 5"}, foot_played=[True] * players)
        assert board.can("add 9") and not board.can("ask")


@per_preset("optional")
def test_last_discard_when_going_out(
    reading: Reading, preset: str, players: int, value: str
) -> None:
    """With a last discard or without one."""
    given = {"rules": preset, "phase": "meld", "melds": {0: [*FOUR, NINES]}, **FEET}
    assert reading.at(given, hands={0: "9 9"}).play("add 9", "add 9").over
    assert reading.at(given, hands={0: "9 9"}).play("add 9", "discard 9").over


def waives(reading: Reading, preset: str) -> tuple[bool, bool]:
    """Whether a hand that falls short of 120 may be laid down whole: drawn, and with the pile.

    Where bonuses count toward the minimum it is a canasta of wild cards that lacks three naturals;
    no take there can lack them.
    """
    if preset == "czech":
        drawn = reading.at(rules=preset, phase="meld", hands={0: "2 2 2 2 2 JK JK 9"})
        return bool(drawn.legal("meld")), False
    given = {"rules": preset, "scores": [3000, 0], "deal": 3}
    drawn = reading.at(given, phase="meld", hands={0: "4 4 4 4 4 4 4 5 5 5 9"})
    taken = reading.at(given, hands={0: "4 4 4 4 4 4 5 5 9"}, pile="5 4")
    return bool(drawn.legal("meld")), bool(taken.legal("take"))


@per_preset(
    (True, False),
    russian=(False, False),
    czech=(False, False),
    hand_and_foot=(False, False),
    hungarian=(True, True),
)
def test_concealed_waives_the_first_minimum(
    reading: Reading, preset: str, players: int, value: tuple[bool, bool]
) -> None:
    """(after a draw from the stock, after taking the pile)."""
    assert waives(reading, preset) == value


def concealed(
    reading: Reading, preset: str, hand: str, actions: str, partner: list[str], held: str = "4"
) -> int:
    """What the first side scores when a seat that has melded nothing lays all its cards.

    The partner has melds, perhaps, and holds cards.
    """
    hands = {0: hand, 1: "4", 2: held, 3: "4"}
    given = {"rules": preset, "phase": "meld", "hands": hands, "melds": {0: partner}, **FEET}
    given["seat_melded"] = [False, False, bool(partner), False]
    board = reading.at(given).play(*actions.split(", "))
    assert board.over
    return board.deal_scores[0]


KINGS = "meld K K K, add K, add K, add K, add K"
CASES = {
    "the side has one, the player none": ("9 9 9 5", "meld 9 9 9, discard 5", FOUR, 30 + 320),
    "of the player's own": (
        "K K K K K K K 5", f"{KINGS}, discard 5", ["Q Q Q"], 70 + 500 + 30,
    ),
    "of the player's own, but something was added": (
        "K K K K K K K Q 5", f"{KINGS}, add Q, discard 5", ["Q Q Q"], 70 + 500 + 40,
    ),
    "of the player's own, and the side is new": (
        "K K K K K K K 5", f"{KINGS}, discard 5", [], 70 + 500,
    ),
}  # fmt: skip
"""Hand, actions, the partner's melds, and what the cards and canastas of 500 and 300 are worth."""

OUT = {"czech": 200, "hungarian": 0}
IN_ADDITION = {"czech": 0, "hand_and_foot": 0, "hungarian": 200}
"""Rows "going out" and "concealed, in addition", where not 100."""
OWN = (False, True, False, True)


def expected(preset: str, case: str, is_concealed: bool) -> int:
    worth = CASES[case][3] + OUT.get(preset, 100) - 5
    if CASES[case][2] == FOUR:
        worth += four_bonuses(preset)
    else:
        worth += 100 if preset in ("czech", "latvian") else 0  # 600; a concealed canasta
    return rounded(preset, worth + (IN_ADDITION.get(preset, 100) if is_concealed else 0))


@per_preset(
    OWN,
    russian=(True, True, True, True),
    standard=(True, True, True, True),
    czech=None,
    hand_and_foot=None,
    hungarian=(False, False, False, True),
)
def test_concealed_needs_a_canasta(
    reading: Reading, preset: str, players: int, value: tuple[bool, ...] | None
) -> None:
    """Each case pays the bonus or not; where there is none, no case differs."""
    for case, is_concealed in zip(CASES, value or [False] * 4, strict=True):
        hand, actions, partner, _ = CASES[case]
        if preset == "hand_and_foot" and partner != FOUR:
            continue  # a seat needs more canastas than it could lay
        found = concealed(reading, preset, hand, actions, partner)
        assert found == expected(preset, case, is_concealed), case


@per_preset(100, czech=0, hand_and_foot=0, hungarian=200)
def test_concealed_in_addition(reading: Reading, preset: str, players: int, value: int) -> None:
    """A seat that has melded nothing lays all; against the same cards with a seat that has."""
    hand, partner = "K K K K K K K 5", []
    worth = 70 + 500 + OUT.get(preset, 100) - 5
    worth += 100 if preset in ("czech", "latvian") else 0
    if preset == "hand_and_foot":  # three of the four canastas are the partner's
        partner = FOUR[1:]
        worth += 250 + 500 + 2 * 300
    for more, points in at_the_edges(preset, worth + value):
        found = concealed(reading, preset, hand, f"{KINGS}, discard 5", partner, f"4 {more}")
        assert found == rounded(preset, worth + value - points)


@per_preset("must", russian="may", standard="no", hand_and_foot="no", hungarian="ends")
def test_empty_stock(reading: Reading, preset: str, players: int, value: str) -> None:
    """A king on top of an unfrozen pile and a meld of kings: who takes, must, or cannot."""
    hands = {0: "5 6 9 9", 1: "4 4", 2: "4 4", 3: "4 4"}
    given = {"rules": preset, "hands": hands, "absent": "rest", "melds": {0: ["K K K"]}}
    if value == "ends":
        board = reading.at(given, pile="7 K", stock="8").play("draw", "discard 8")
        assert board.over
        return
    board = reading.at(given, pile="7 K", stock="")
    assert board.legal() == {"must": {"take"}, "may": {"take", "pass"}, "no": {"pass"}}[value]
    if value != "must":
        assert board.play("pass").over


@per_preset("may", hungarian="ends")
def test_empty_stock_and_a_pair(reading: Reading, preset: str, players: int, value: str) -> None:
    """Only a card that the meld takes alone forces; a pair may be kept."""
    hands = {0: "J J 5 6", 1: "4 4", 2: "4 4", 3: "4 4"}
    given = {"rules": preset, "hands": hands, "absent": "rest", "melds": {0: ["K K K"]}}
    if value == "ends":
        given["melds"] = {0: ["K K K"], 1: ["Q Q Q"]}
        board = reading.at(given, pile="7", stock="8").play("draw", "discard J")
        assert board.over
        return
    board = reading.at(given, pile="7 J", stock="")
    assert board.legal() == {"take J J", "pass"}
    board.play("take J J", "discard 7")
    assert not board.over and board.legal() == {"pass"}


def test_empty_stock_and_a_frozen_pile_that_forces_nobody(reading: Reading) -> None:
    hands = {0: "K 5 6", 1: "4 4", 2: "4 4", 3: "4 4"}
    given = {"hands": hands, "absent": "rest", "stock": "", "melds": {0: ["K K K"]}}
    for preset in ("classic", "latvian", "czech"):
        assert reading.at(given, rules=preset, pile="2 7 K").legal() == {"pass"}

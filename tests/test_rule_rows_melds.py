"""The rows of rules.md about melds, each by preset."""

from __future__ import annotations

from tests.readings import FEET, FOUR, Board, Reading, cards, per_preset

OPEN = {0: ["A A A"]}
"""The side of the seat to act has melded."""


def melding(reading: Reading, preset: str, hand: str, **given: object) -> Board:
    """A seat of a side that has melded, after its draw."""
    return reading.at(
        {"rules": preset, "phase": "meld", "melds": OPEN, "hands": {0: hand}}, **given
    )


@per_preset(3)
def test_smallest_meld(reading: Reading, preset: str, players: int, value: int) -> None:
    """Two cards are no meld, nor two wild cards or two of a suit; three are one."""
    assert not melding(reading, preset, "K K 4 5 9").legal("meld")
    assert not melding(reading, preset, "2 2 4 9 J").legal("meld")
    board = melding(reading, preset, "K K K 4 5 9")
    assert board.legal("meld") == {"meld K K K"}
    board.play("meld K K K")
    assert board.melds(0) == [["A"] * 3, ["K"] * value] and board.hand(0) == cards("4 5 9")


def test_smallest_meld_of_a_suit_and_of_wild_cards(reading: Reading) -> None:
    """``czech``: three there too."""
    given = {"rules": "czech", "phase": "meld", "melds": {0: ["Ac Ac Ad"]}}
    assert not reading.at(given, hands={0: "7h 8h 9c Jd 4s"}).legal("meld")
    assert reading.at(given, hands={0: "7h 8h 9h Jd 4s"}).legal("meld") == {"meld 7h 8h 9h"}
    assert not reading.at(given, hands={0: "2 JK 9c Jd 4s"}).legal("meld")
    assert reading.at(given, hands={0: "2 2 JK 9c Jd 4s"}).legal("meld") == {"meld 2 2 JK"}


@per_preset(2)
def test_fewest_naturals(reading: Reading, preset: str, players: int, value: int) -> None:
    """One natural and two wild cards are no meld, laid from the hand or with the pile."""
    assert not melding(reading, preset, "K 2 JK 4 9").legal("meld")
    assert melding(reading, preset, "K K 2 4 9").legal("meld") == {"meld K K 2"}
    hands = {0: "2 JK 5 6"}
    taking = reading.at(rules=preset, melds=OPEN, hands=hands, pile="9 K")
    assert taking.legal() == {"draw"}


@per_preset(3, hand_and_foot=2)
def test_most_wilds(reading: Reading, preset: str, players: int, value: int) -> None:
    """Beside seven naturals, or five where the meld closes at seven."""
    row = "K K K K K" if preset == "hand_and_foot" else "K K K K K K K"
    board = melding(reading, preset, "2 2 2 2 JK 5 9", melds={0: [row]})
    for _ in range(value):
        board.play("add 2 to K")
    assert not board.can("add 2 to K") and not board.can("add JK to K")
    assert board.melds(0) == [cards(f"{row} " + "2 " * value)]


def wilds_beside(reading: Reading, preset: str, naturals: int) -> int:
    """How many wild cards can be laid beside so many naturals."""
    row = "7 " * naturals
    board = melding(reading, preset, f"{row} 2 2 2 2 4 9")
    board.play("meld 7 7 2" if naturals == 2 else "meld 7 7 7")
    for _ in range(naturals - 3):
        board.play("add 7")
    while board.can("add 2 to 7"):
        board.play("add 2 to 7")
    return board.melds(0)[0].count("2")


@per_preset(
    (3, 3, 3), standard=(1, 2, 3), hand_and_foot=(1, 1, 2), latvian=(2, 3, 3), hungarian=(2, 3, 3)
)
def test_wilds_against_naturals(
    reading: Reading, preset: str, players: int, value: tuple[int, ...]
) -> None:
    """The most wild cards beside two, three and four naturals."""
    found = tuple(wilds_beside(reading, preset, naturals) for naturals in (2, 3, 4))
    assert found == value


@per_preset("one", hand_and_foot="one, closing at seven")
def test_melds_of_one_rank_for_a_side(
    reading: Reading, preset: str, players: int, value: str
) -> None:
    second = melding(reading, preset, "K K K 4 9", melds={0: ["K K K"]})
    assert second.can("add K") and not second.legal("meld")
    full = melding(reading, preset, "K K K 4 9", melds={0: ["K K K K K"]})
    full.play("add K", "add K")
    closes = value != "one"
    assert full.can("add K") is not closes
    another = melding(reading, preset, "K K 2 4 9", melds={0: ["K K K K K 2 2"]})
    assert another.can("meld K K 2") is closes and another.can("add K") is not closes
    assert not another.can("add 2 to K") or not closes


@per_preset("one", hand_and_foot="one, closing at seven")
def test_melds_of_one_rank_for_a_side_with_the_pile(
    reading: Reading, preset: str, players: int, value: str
) -> None:
    """No take may bring a meld above seven where it closes there; a closed one is left alone."""
    given = {"rules": preset, "hands": {0: "K K 4 9"}, "pile": "5 K"}
    closes = value != "one"
    assert reading.at(given, melds={0: ["K K K K"]}).can("take K K")
    assert reading.at(given, melds={0: ["K K K K 2"]}).can("take K K") is not closes
    board = reading.at(given, melds={0: ["K K K K K 2 2"]}).play("take K K")
    kings = [row for row in board.melds(0) if "K" in row]
    assert len(kings) == (2 if closes else 1)


WILD_MELDS: dict[str, set[str]] = {
    "no": set(),
    "from three": {"meld 2 2 2", "meld 2 2 JK", "meld 2 JK JK", "meld JK JK JK"},
    "whole": {"meld 2 2 2 2 2 JK JK", "meld 2 2 2 2 JK JK JK"},
}


@per_preset("no", czech="from three", hungarian="whole")
def test_melds_of_wild_cards_only(reading: Reading, preset: str, players: int, value: str) -> None:
    board = melding(reading, preset, "2 2 2 2 2 JK JK JK 5 6 9")
    assert board.legal("meld") == WILD_MELDS[value]
    # six are enough to begin one, and none where it must be whole
    six = melding(reading, preset, "2 2 2 JK JK JK 5 6 9")
    assert six.legal("meld") == (WILD_MELDS[value] if value == "from three" else set())
    if value == "whole":
        board.play("meld 2 2 2 2 2 JK JK")
        assert ["2"] * 5 + ["JK"] * 2 in board.melds(0)
        assert not board.can("add JK to wild")


def test_melds_of_wild_cards_only_one_to_seven(reading: Reading) -> None:
    """``czech``: it grows to seven, and there is one for a side."""
    board = melding(reading, "czech", "2 2 2 2 2 2 JK JK JK 5 9")
    board.play("meld 2 2 JK")
    assert not board.legal("meld")
    board.play("add 2 to wild", "add JK to wild", "add 2 to wild", "add JK to wild")
    assert cards("2 2 2 2 JK JK JK") in board.melds(0)
    assert not board.can("add 2 to wild") and board.can("add 2 to A")


@per_preset(False, czech=True)
def test_sequences(reading: Reading, preset: str, players: int, value: bool) -> None:
    if not value:
        assert not melding(reading, preset, "6 7 8 9 10 2 K J 4").legal("meld")
        return
    given = {"rules": "czech", "phase": "meld", "melds": {0: ["Ac Ac Ad"]}}
    board = reading.at(given, hands={0: "6h 7h 8h 9h 10c 2 Kd Js 4s"})
    wild = {"2 7h 8h", "6h 2 8h", "6h 7h 2", "2 8h 9h", "7h 2 9h", "7h 8h 2", "8h 9h 2"}
    wild |= {"2 6h 7h"}
    natural = {"6h 7h 8h", "7h 8h 9h"}
    assert board.legal("meld") == {f"meld {row}" for row in natural | wild}
    board.play("meld 6h 7h 8h")
    # only at the high end
    assert board.legal("extend") == {"extend 9h", "extend 9h with 2"}


def test_sequences_go_from_four_up_to_the_ace(reading: Reading) -> None:
    given = {"rules": "czech", "phase": "meld", "melds": {0: ["Kc Kc Kd"]}}
    board = reading.at(given, hands={0: "4s 5s Qs As 2 9c 7d"})
    # the ace is high: there is no place under the four or above the ace
    assert board.legal("meld") == {"meld 4s 5s 2", "meld Qs 2 As"}
    board.play("meld Qs 2 As")
    assert not board.legal("extend")


def test_sequences_of_two_naturals_at_least_and_three_wilds_at_most(reading: Reading) -> None:
    given = {"rules": "czech", "phase": "meld", "melds": {0: ["Ac Ac Ad"]}}
    board = reading.at(given, hands={0: "7h 8h 2 2 JK JK 4d Jc"})
    assert not any(text.count("2") + text.count("JK") > 1 and "h" in text for text in board.legal())
    board.play("meld 7h 8h 2", "extend 10h with 2", "extend Jh with JK")
    assert not board.legal("extend")
    # a natural card still goes on it, in its own place
    more = reading.at(given, hands={0: "Qh Kd 4d"}, melds={0: ["7h 8h 2 2 JK"]})
    assert more.legal("extend") == {"extend Qh"}


def test_sequences_several_in_a_suit_and_never_a_canasta(reading: Reading) -> None:
    long = "4h 5h 6h 7h 8h 9h 10h"
    given = {"rules": "czech", "phase": "meld", "melds": {0: [long]}}
    board = reading.at(given, hands={0: "4h 5h 6h Jh 9c"})
    assert {"meld 4h 5h 6h", "extend Jh"} <= board.legal()
    # seven in a row do not let the seat go out
    last = reading.at(given, hands={0: "Jh 9c"})
    assert last.legal() == {"discard Jh", "discard 9c"}
    assert board.play("meld 4h 5h 6h").melds(0) == sorted([cards(long), cards("4h 5h 6h")])


@per_preset("going out", czech="never", hand_and_foot="never")
def test_black_threes_melded(reading: Reading, preset: str, players: int, value: str) -> None:
    """Three or four, without wild cards, only in going out; other melds may follow."""
    given = {"melds": {0: FOUR}, **FEET}
    yes = value == "going out"
    three = melding(reading, preset, "3b 3b 3b 5", **given)
    assert three.legal("meld") == ({"meld 3b 3b 3b"} if yes else set())
    four = melding(reading, preset, "3b 3b 3b 3b", **given)
    whole = {"meld 3b 3b 3b", "meld 3b 3b 3b 3b"} if yes else set()
    assert four.legal("meld") == whole
    # five and six could not both be discarded
    assert not melding(reading, preset, "3b 3b 3b 5 6", **given).legal("meld")
    # two and a wild card are no meld, and a side without a canasta does not go out
    assert not melding(reading, preset, "3b 3b 2", **given).legal("meld")
    assert not melding(reading, preset, "3b 3b 3b 5").legal("meld")
    if yes:
        more = melding(reading, preset, "3b 3b 3b 2 9 9 9 5", **given).play("meld 3b 3b 3b")
        assert not more.can("add 2 to 3b")
        assert more.play("meld 9 9 9", "add 2 to 9", "discard 5").over


def test_black_threes_melded_of_three_packs(reading: Reading) -> None:
    """Six are in the game with six players: five can go, one as the discard; six cannot."""
    given = {"rules": "classic", "players": 6, "phase": "meld", "melds": {0: FOUR}}
    five = reading.at(given, hands={0: "3b 3b 3b 3b 3b"})
    assert five.legal() == {"meld 3b 3b 3b", "meld 3b 3b 3b 3b", "discard 3b", "ask"}
    five.play("meld 3b 3b 3b")
    assert five.legal() == {"add 3b"}
    assert five.play("add 3b", "discard 3b").over
    six = reading.at(given, hands={0: "3b 3b 3b 3b 3b 3b"})
    assert six.legal() == {"discard 3b"}


REACHES = {
    15: "4 4 4",
    45: "4 4 4 K K K",
    50: "4 4 4 4 K K K",
    85: "K K K Q Q Q 5 5 5 5 5",
    90: "K K K Q Q Q 5 5 5 5 5 5",
    115: "A A A K K K 5 5 5 5 5",
    120: "A A A A K K K K",
    145: "A A A A A A 5 5 5 5 5",
    150: "A A A A A A K K K",
}
"""Melds worth exactly so much, none of them a canasta; with two cards more they are a hand."""

SCORES = ((-5, 15), (0, 50), (1495, 50), (1500, 90), (2995, 90), (3000, 120), (9000, 120))
SIX = (*SCORES[:-1], (7495, 120), (7500, 150))
CZECH = (*SCORES[:4], (2495, 90), (2500, 120), (4995, 120), (5000, 150))


@per_preset(
    {2: SCORES, 3: SCORES, 4: SCORES, 6: SIX},
    czech=CZECH,
    hand_and_foot=((1, 50), (2, 90), (3, 120), (4, 150)),
)
def test_first_meld_by_score(
    reading: Reading, preset: str, players: int, value: tuple[tuple[int, int], ...]
) -> None:
    """At each boundary: exactly as much is enough, five points less are not."""
    by_deal = preset == "hand_and_foot"
    for at, needed in value:
        for worth in (needed, needed - 5):
            if worth not in REACHES:
                continue
            given = {"rules": preset, "players": players, "phase": "meld"}
            given |= {"hands": {0: f"{REACHES[worth]} 7 9"}}
            if by_deal:  # whatever the score
                found = [reading.at(given, deal=at, scores=[s, 0]) for s in (-500, 0, 9000)]
            else:
                sides = 3 if players == 3 else 2
                found = [reading.at(given, scores=[at, *[0] * (sides - 1)])]
            for board in found:
                assert bool(board.legal("meld")) is (worth == needed), (at, worth)


@per_preset(False, czech=True)
def test_canasta_bonuses_count_toward_it(
    reading: Reading, preset: str, players: int, value: bool
) -> None:
    """Seven fours are 35 points, and 635 with the bonus; six fours are 30 wherever."""
    given = {"rules": preset, "phase": "meld", "scores": [9000, 0], "deal": 4}
    seven = reading.at(given, hands={0: "4 4 4 4 4 4 4 9 J"})
    assert seven.can("meld 4 4 4") is value
    assert not reading.at(given, hands={0: "4 4 4 4 4 4 9 J"}).can("meld 4 4 4")


def test_canasta_bonuses_count_toward_it_of_this_turn(reading: Reading) -> None:
    """``czech``: a mixed one and one of wild cards too, beside the three naturals."""
    given = {"rules": "czech", "phase": "meld", "scores": [5000, 0]}
    mixed = reading.at(given, hands={0: "4 4 4 4 4 2 2 9 J"})
    assert mixed.can_play("meld 4 4 4", "add 4", "add 4", "add 2 to 4", "add 2 to 4", "discard 9")
    wild = reading.at(given, hands={0: "2 2 2 2 2 2 2 4 4 4 9 J"})
    assert wild.can("meld 2 2 2") and wild.can("meld 4 4 4")
    assert not reading.at(given, hands={0: "2 2 2 2 2 2 2 4 4 9 J"}).legal("meld")


@per_preset(False, czech=True)
def test_it_needs_a_group_of_three_naturals(
    reading: Reading, preset: str, players: int, value: bool
) -> None:
    """A A JK is 90 and K K 2 is 40, with no three naturals among them."""
    given = {"rules": preset, "phase": "meld"}
    board = reading.at(given, hands={0: "A A JK K K 2 5 7"})
    assert bool(board.legal("meld")) is not value
    group = reading.at(given, hands={0: "K K K A A JK 5 7"})
    assert {"meld K K K", "meld A A JK"} <= group.legal()


def test_it_needs_a_group_of_three_naturals_in_a_row(reading: Reading) -> None:
    """``czech``: a natural sequence serves; wild cards may be added to the group."""
    given = {"rules": "czech", "phase": "meld"}
    run = reading.at(given, hands={0: "10h Jh Qh Ah Ad 2 4c 7d 9c"})
    assert {"meld 10h Jh Qh", "meld Ad Ah 2"} <= run.legal()
    # two naturals, a wild card and a natural are not three naturals in a row
    gap = reading.at(given, hands={0: "10h Jh Kh Ah 2 2 4c 7d 9c"})
    assert not gap.legal("meld")
    later = reading.at(given, hands={0: "10h Qh Kh Ah 2 4c 7d 9c"})
    assert later.can_play("meld 10h 2 Qh", "extend Kh", "extend Ah", "discard 9c")
    added = reading.at(given, hands={0: "10h 10d 10c 2 5c 7d 9c"})
    assert added.can_play("meld 10c 10d 10h", "add 2 to 10", "discard 9c")

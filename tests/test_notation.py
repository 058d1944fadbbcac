"""Positions: read, written and read back; defaults; and errors that name the key or the card."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from canasta_env.cards import parse_cards, write_cards
from canasta_env.engine import state
from canasta_env.notation import (
    PositionError,
    load_position,
    read_position,
    write_position,
)
from canasta_env.rules import Rules, RulesError

SCENARIOS = sorted((Path(__file__).parent / "scenarios").glob("*.yaml"))
CASES = [
    pytest.param(case, id=f"{path.stem}-{case['id']}")
    for path in SCENARIOS
    for case in yaml.safe_load(path.read_text(encoding="utf-8"))
]


@pytest.fixture(autouse=True)
def suited_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records of suited games keep the suits of cards in sets, in a field ``meld_cards``."""
    kinds = 48
    dtype = state.game_dtype(kinds)
    if "meld_cards" in (dtype.names or ()):
        return
    fields = [(name, dtype[name].base, dtype[name].shape) for name in dtype.names or ()]
    wider = np.dtype([*fields, ("meld_cards", "i1", (state.MAX_SIDES, kinds))])

    def new_games(count: int, given_kinds: int) -> Any:
        if given_kinds == kinds:
            return np.zeros(count, wider).view(np.recarray)
        return state.new_games(count, given_kinds)

    monkeypatch.setattr("canasta_env.positions.reader.new_games", new_games)


def read(**position: Any) -> Any:
    """The record of a position."""
    return read_position(position).games[0]


def written(mapping: dict[str, Any]) -> dict[str, Any]:
    """A position, read and written whole."""
    position = read_position(mapping)
    return write_position(position.games, 0, position.rules)


def assert_reads_back(mapping: dict[str, Any]) -> dict[str, Any]:
    """The whole form reads back as the same bytes, also through JSON and YAML."""
    position = read_position(mapping)
    whole = write_position(position.games, 0, position.rules)
    for text in (json.dumps(whole), yaml.safe_dump(whole)):
        again = read_position(load_position(text))
        assert again.games.tobytes() == position.games.tobytes()
        assert (again.rules, again.players) == (position.rules, position.players)
        assert write_position(again.games, 0, again.rules) == whole
    return whole


@pytest.mark.parametrize("case", CASES)
def test_scenarios_read_back(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(PositionError, match=case["error"]):
            read_position(case["given"])
        return
    whole = assert_reads_back(case["given"])
    table = Rules.preset(whole["rules"]).at(whole["players"])
    suited = table.sequences
    lying = [*whole["hands"].values(), *whole["feet"].values(), whole["pile"], whole["stock"]]
    lying += [whole["absent"], *(text for side in whole["melds"].values() for text in side)]
    cards = Counter(parse_cards(" ".join(lying), suited=suited))
    cards[2] += sum(whole["red_threes"])
    deck = table.card_counts(whole["players"])
    assert [cards[kind] for kind in range(len(deck))] == list(deck)


def test_the_whole_form_has_every_key_of_the_notation() -> None:
    whole = written({"phase": "over"})
    assert " ".join(whole) == (
        "rules players scores deal dealer turn phase turns hands feet melds red_threes pile frozen "
        "stock absent melded seat_melded foot_played turn_state owed concealed_canastas discards "
        "known cut seed match_seed deal_scores ended"
    )
    assert " ".join(whole["turn_state"]) == (
        "drew before top pending begun staged added acted asked asker must_go_out"
    )


def test_an_empty_mapping_is_a_game_of_four() -> None:
    position = read_position({})
    game = position.games[0]
    assert (position.rules, position.players) == (Rules.preset("classic"), 4)
    assert position.table.rules == position.rules
    assert (game.dealer, game.turn, game.phase, game.deal) == (3, 0, state.Phase.DRAW, 1)
    assert list(game.hand_sizes) == [11, 11, 11, 11, 0, 0]
    assert game.stock_size == 108 - 44 and not game.hands[:, 2].any()
    assert (game.top, game.out_seat, game.cut_seat, game.asker) == (-1, -1, -1, -1)


def test_the_seed_orders_what_is_filled_in() -> None:
    one, two = written({"seed": 1}), written({"seed": 2})
    assert one == written({"seed": 1}) != two
    named = written({"seed": 1, "hands": {0: "K K 2"}, "stock": 20, "absent": "rest"})
    assert named["hands"][0] == "K K 2" and len(named["stock"].split()) == 20


def test_filled_hands_hold_what_they_are_known_to_hold() -> None:
    whole = written({"known": {1: "K K K 2"}, "hands": {1: 5}})
    assert Counter(whole["hands"][1].split()) >= Counter(["K", "K", "K", "2"])
    assert whole["known"] == {1: "K K K 2"}


def test_hands_as_a_list_and_cards_as_lists() -> None:
    game = read(hands=["K K", 2, ["5", "6"], 4], pile=["5", "9"], stock=3, absent="rest")
    assert list(game.hand_sizes[:4]) == [2, 2, 2, 4] and game.pile_size == 2


@pytest.mark.parametrize(
    ("rules", "pile", "frozen"),
    [
        ("classic", "5 9 K", False),
        ("classic", "2 3b K", True),
        ("classic", "3r 9 K", True),
        ("classic", "9 3b K", False),
        ("russian", "9 3b K", True),
        ("latvian", "3r 9 K", False),
        ("latvian", "2 9 K", True),
        ("hand_and_foot", "5 2 K", False),
        ("classic(start_wild_freezes=False)", "JK 2 9 K", False),
        ("classic(start_wild_freezes=False)", "JK 9 2 K", True),
        ("classic(discarded_wild_freezes=False)", "9 2 K", False),
        ("hungarian(discarded_wild_freezes=False)", "2 9", True),
        ("hungarian(discarded_wild_freezes=False)", "9 2", False),
    ],
)
def test_the_pile_is_frozen_by_what_its_cards_say(rules: str, pile: str, frozen: bool) -> None:
    assert read(rules=rules, pile=pile).frozen == frozen
    assert read(rules=rules, pile=pile, frozen=not frozen).frozen != frozen


def test_a_turn_in_the_middle_of_a_first_meld() -> None:
    game = read(phase="meld", melds={0: ["A A 2", "4 4 4"]}, turn_state={"begun": [0, 1]})
    assert game.begun == 1 << 14 | 1 << 4 and game.staged == 60 + 15
    assert not game.melded[0] and game.acted and not game.added
    assert list(game.before) == list(game.hands[0]) and game.drew == state.Drew.STOCK
    game = read(phase="meld", melds={0: ["A A 2", "4 4 4"]}, turn_state={"begun": [1]})
    assert game.melded[0] and game.staged == 0 and game.begun == 1 << 4


def test_staged_counts_canasta_bonuses_where_they_count() -> None:
    melds = {0: ["Ac Ac Ad Ad Ah Ah As", "JK JK JK JK 2 2 2", "7h 8h 2"]}
    game = read(rules="czech", phase="meld", melds=melds, turn_state={"begun": [0, 1, 2]})
    assert game.staged == (140 + 600) + (260 + 2000) + (5 + 10 + 20)
    assert game.begun_sequences == 1


def test_begun_means_the_order_given_and_is_written_in_the_order_of_ranks() -> None:
    given_melds = ["K K K", "7 7 7 7 7 7 7", "7 7 7", "7 7 7 7 7 2 2"]
    mapping = {
        "rules": "hand_and_foot", "phase": "meld", "melds": {0: given_melds},
        "turn_state": {"begun": [0, 1]},
    }  # fmt: skip
    whole = assert_reads_back(mapping)
    assert whole["melds"][0] == ["7 7 7 7 7 2 2", "7 7 7 7 7 7 7", "7 7 7", "K K K"]
    assert whole["turn_state"]["begun"] == [1, 3]


def test_the_written_order_of_melds() -> None:
    melds = ["7h 8h 9h", "JK JK 2", "Kc Kd Kh", "9c 9c 2"]
    whole = assert_reads_back({"rules": "czech", "melds": {1: melds}})
    assert whole["melds"][1] == ["9c 9c 2", "Kc Kd Kh", "2 JK JK",
                                 "7h 8h 9h"]  # fmt: skip


def test_the_question_and_its_answer() -> None:
    game = read(phase="answer", turn=2)
    assert (game.asked, game.asker) == (state.Asked.OPEN, 0)
    assert list(game.before) == list(game.hands[0])
    assert read(phase="meld", turn_state={"asked": True}).asked == state.Asked.YES
    assert read(phase="meld", turn_state={"asked": "no"}).asked == state.Asked.NO
    game = read(players=6, phase="answer", turn=1)
    assert game.asker == 5


def test_a_pile_that_lies_apart() -> None:
    whole = assert_reads_back({
        "phase": "meld", "pile": "", "melds": {0: ["K K K"]},
        "turn_state": {"drew": "pile", "top": "K", "pending": "5 3r 9", "begun": [0],
                       "before": "K K 5", "acted": False},
    })  # fmt: skip
    assert whole["turn_state"]["pending"] == "5 3r 9" and whole["turn_state"]["staged"] == 30
    assert whole["turn_state"]["top"] == "K" and whole["turn_state"]["before"] == "5 K K"


def test_streams_by_seat() -> None:
    streams = {0: "K 5", 1: "9", 3: 4}
    whole = assert_reads_back({"stock": streams, "absent": "rest"})
    assert whole["stock"][0] == "K 5" and whole["stock"][2] == ""
    assert len(whole["stock"][3].split()) == 4


def test_the_cut() -> None:
    cut = {"seat": 3, "taken": 1, "bottom": "7h 9c"}
    whole = assert_reads_back({"rules": "czech", "phase": "offer", "cut": cut})
    assert whole["cut"] == cut and whole["stock"].endswith(" 7h 9c")
    drawn = written({"rules": "czech", "cut": cut, "stock": 1, "absent": "rest"})
    assert drawn["stock"] == "9c"
    with pytest.raises(PositionError, match="cut: the stock does not end"):
        read(rules="czech", cut=cut, stock="7h 8h", absent="rest")


def test_discards_interleave_in_the_order_of_play() -> None:
    game = read(dealer=3, turn=1, discards={0: "5 9 K", 1: "K 4", 2: "7 2", 3: "8 A"})
    order = [divmod(int(one), 64) for one in game.discards[: game.discard_count]]
    assert [seat for seat, _ in order] == [0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert write_cards([kind for _, kind in order]) == "5 K 7 8 9 4 2 A K"
    assert game.turns == 9


def test_the_end_of_a_deal() -> None:
    whole = assert_reads_back({
        "phase": "over", "hands": {0: ""}, "deal_scores": [670, -25],
        "ended": {"how": "concealed", "seat": 0},
    })  # fmt: skip
    assert whole["deal_scores"] == [670, -25] and whole["ended"] == {"how": "concealed", "seat": 0}


def test_changed_rules_are_written_as_a_mapping() -> None:
    whole = assert_reads_back({"rules": {"preset": "classic", "sides": 3}, "players": 6})
    assert whole["rules"] == {"preset": "classic", "sides": 3} and len(whole["scores"]) == 3
    assert read(rules="classic(target=3000)").players == 4


ERRORS = [
    ({"hands": {0: "K K K K K"}, "pile": "K K K K"}, "K: 9 placed, the deck has 8"),
    ({"stock": "K"}, r"JK: \d placed, the deck has 4.*absent: rest leaves cards out"),
    ({"rules": "czech", "hands": {0: "7h 7h 7h"}}, "7h: 3 placed, the deck has 2"),
    ({"red_threes": [3, 2]}, "3r: 5 placed, the deck has 4"),
    ({"hand": {}}, "hand: the position has no such key; keys are rules"),
    ({"turn_state": {"foo": 1}}, "foo: turn_state has no such key"),
    ({"hands": {7: "K"}}, "hands: there is no seat 7; seats are 0 to 3"),
    ({"hands": {0: "K", "0": "Q"}}, "hands: seat 0 is given twice"),
    ({"hands": 11}, "hands: a mapping by seat is needed, not 11"),
    ({"hands": {0: "K 3r"}}, "hands: seat 0 cannot hold 3r"),
    ({"hands": {0: "K 1"}}, "hands: '1' is not a card"),
    ({"hands": {0: "Kh"}}, "hands: 'Kh' is not a card"),
    ({"rules": "czech", "hands": {0: "K"}}, "hands: 'K' is not a card; cards are 7h"),
    ({"hands": {0: ""}}, "hands: seat 0 has no card, but the deal is not over"),
    ({"hands": {0: 110}}, "hands: 110 cards are to be filled in, 104 are left"),
    ({"hands": {0: -1}}, "hands: -1 is not a whole number"),
    ({"pile": 9}, "pile: cards are a text, like '5 9 K', not 9"),
    ({"scores": [1, 2, 3]}, "scores: 3 values given, there are 2 sides"),
    ({"scores": ["a", 0]}, "scores: 'a' is not a whole number"),
    ({"melded": [1, 0]}, "melded: 1 is neither true nor false"),
    ({"frozen": "yes"}, "frozen: 'yes' is neither true nor false"),
    ({"phase": "play"}, "phase: 'play' is not one of offer, draw, meld, answer, over"),
    ({"phase": "offer"}, "phase: classic offers no card"),
    ({"rules": "czech", "phase": "offer", "stock": "", "absent": "rest"}, "the stock is empty"),
    ({"rules": "czech", "phase": "offer", "pile": "Kc"}, "pile: while the first card is offered"),
    ({"phase": "answer", "players": 2}, "phase: there is no partner who may be asked"),
    ({"turn": 4}, "turn: 4 is not a whole number from 0 to 3"),
    ({"melds": {2: ["K K K"]}}, "melds: there is no side 2; sides are 0 to 1"),
    ({"melds": {0: "K K K"}}, "melds: side 0 has a list of melds"),
    ({"melds": {0: ["K K"]}}, "melds: side 0: 'K K': a meld has 3 cards at least"),
    ({"melds": {0: ["K 2 2"]}}, "'K 2 2': 1 naturals, 2 are needed"),
    ({"melds": {0: ["K K 2 2 2 2"]}}, "4 wild cards, 3 may lie beside 2 naturals"),
    ({"melds": {0: ["K K Q"]}}, "'K K Q': the cards are of different ranks"),
    ({"melds": {0: ["K K 3b"]}}, "threes cannot be melded with other cards"),
    ({"melds": {0: ["2 2 2"]}}, "these rules have no melds of wild cards only"),
    ({"melds": {0: ["2 2 3b"]}}, "these cards are no meld"),
    ({"melds": {0: ["K K K", "K K K"]}}, "side 0 has two melds of K, only one may be open"),
    ({"melds": {0: ["3b 3b 3b 3b 3b"]}}, "black threes are melded by three or four"),
    ({"rules": "czech", "melds": {0: ["3b 3b 3b"]}}, "black threes are melded by three or four"),
    ({"rules": "czech", "melds": {0: ["7h 9h 8h"]}}, "neither of one rank nor a sequence"),
    ({"rules": "czech", "melds": {0: ["7h 8d 9h"]}}, "neither of one rank nor a sequence"),
    ({"rules": "czech", "melds": {0: ["Kh Ah 2"]}}, "a sequence lies between 4 and A"),
    ({"rules": "czech", "melds": {0: ["7h 2 9h 2 2 2"]}}, "3 wild cards at most"),
    ({"rules": "czech", "melds": {0: ["2 2 2 JK JK JK JK 2"]}}, "has at most 7 cards"),
    ({"rules": "hungarian", "melds": {0: ["2 2 2"]}}, "a meld of wild cards has 7 cards"),
    ({"rules": "hand_and_foot", "melds": {0: ["K K K K K K K K"]}}, "a meld closes at 7 cards"),
    ({"feet": {0: ""}}, "feet: the foot of seat 0 is empty"),
    ({"known": {0: "K"}, "hands": {0: "Q"}}, "known: seat 0 does not hold so many K"),
    ({"known": {0: "K K"}, "hands": {0: 1}}, "known: seat 0 has 1 cards, 2 are known"),
    ({"cut": {"seat": 0}}, r"cut: classic has no cut \(cut_bonus\)"),
    ({"turn_state": {"begun": [0]}}, "a turn in the phase draw has done nothing yet"),
    ({"phase": "meld", "turn_state": {"begun": [0]}}, "begun: the side has no melds"),
    ({"phase": "meld", "turn_state": {"top": "X"}}, "top: 'X' is not a card"),
    ({"phase": "meld", "turn_state": {"asked": "open"}}, "asked: 'open' does not belong"),
    ({"phase": "answer", "turn_state": {"asker": 1}}, "asker: seat 1 is no partner of seat 0"),
    ({"ended": {"how": "passed"}}, "ended: the deal is not over"),
    ({"rules": 3}, "rules: 3 is neither a preset's name nor a mapping"),
]  # fmt: skip


@pytest.mark.parametrize(("mapping", "message"), ERRORS)
def test_errors_name_the_key_or_the_card(mapping: dict[str, Any], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        read_position(mapping)


def test_wrong_rules_and_players() -> None:
    with pytest.raises(RulesError, match="did you mean classic"):
        read(rules="clasic")
    with pytest.raises(RulesError, match="players: 5 cannot play classic"):
        read(players=5)


def test_loading_text() -> None:
    assert load_position('{"pile": "5 9"}') == {"pile": "5 9"}
    assert load_position("pile: '5 9'\nhands: {0: K K}") == {"pile": "5 9", "hands": {0: "K K"}}
    with pytest.raises(PositionError, match="a position is a mapping, not 3"):
        load_position("3")
    with pytest.raises(PositionError, match="neither JSON nor YAML"):
        load_position("{: ]")


@st.composite
def positions(draw: st.DrawFn) -> dict[str, Any]:
    """A position with random cards at random places."""
    rules = draw(st.sampled_from(["classic", "hand_and_foot", "hungarian", "czech", "russian"]))
    players = draw(st.sampled_from(Rules.preset(rules).players))
    table = Rules.preset(rules).at(players)
    suited, sides = table.sequences, Rules.preset(rules).sides_of(players)
    counts = list(table.card_counts(players))
    red = [draw(st.integers(0, 1)) for _ in range(sides)]
    red[0] -= int(sum(red) > counts[2])  # five sides, and four red threes
    counts[2] = 0
    deck = [kind for kind, count in enumerate(counts) for _ in range(count)]
    draw(st.randoms(use_true_random=False)).shuffle(deck)

    def cards(least: int, most: int) -> str:
        count = draw(st.integers(least, most))
        taken = [deck.pop() for _ in range(min(count, len(deck)))]
        return write_cards(taken, suited=suited)

    seats, flag = range(players), st.booleans()
    position: dict[str, Any] = {
        "rules": rules,
        "players": players,
        "scores": [draw(st.integers(-2000, 9000)) for _ in range(sides)],
        "turn": draw(st.sampled_from(seats)),
        "phase": draw(st.sampled_from(["draw", "meld", "over"])),
        "hands": {s: draw(st.just(cards(1, 5)) | st.integers(1, 5)) for s in seats},
        "pile": cards(0, 6),
        "red_threes": red,
        "melded": [draw(flag) for _ in range(sides)],
        "seat_melded": [draw(flag) for _ in seats],
        "frozen": draw(flag),
        "discards": {s: cards(0, 2) for s in seats},
        "seed": draw(st.integers(0, 2**63 - 1)),
    }
    deck += parse_cards(" ".join(position["discards"].values()), suited=suited)
    if table.foot:
        position["feet"] = {s: cards(1, 4) for s in seats if draw(flag)}
    if draw(flag):
        position |= {"stock": draw(st.just(cards(0, 9)) | st.integers(0, 9)), "absent": "rest"}
    elif draw(flag):
        position |= {"stock": {s: cards(0, 3) for s in seats}, "absent": "rest"}
    return position


@settings(max_examples=60, deadline=None)
@given(positions())
def test_any_position_reads_back(position: dict[str, Any]) -> None:
    assert_reads_back(position)

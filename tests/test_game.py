"""Game: played by text, with reasons, errors that name what is wrong, and matches to their end."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from canasta_env import Action, Game, Rules
from canasta_env.actions import ActionError
from canasta_env.batch import IllegalActionError
from canasta_env.engine.reasons import Reason, Rule
from tests.playing import TABLES, pick, play_some, random_states
from tests.readings import SMALL


def at(hand: str, **keys: Any) -> Game:
    """Seat 0 to act in a classic game of four, with eight cards in each other hand."""
    given: dict[str, Any] = {"hands": {0: hand, 1: 8, 2: 8, 3: 8}, "turn": 0, "pile": "9"}
    if "stock" in keys:
        given["absent"] = "rest"
    return Game.from_position(given | keys)


def test_actions_are_texts_values_or_ids() -> None:
    game, by_value, by_id = Game(seed=7), Game(seed=7), Game(seed=7)
    assert [str(action) for action in game.legal()] == ["draw"]
    game.play("draw")
    by_value.play(Action.parse("draw"))
    by_id.play(0)
    assert game.record.tobytes() == by_value.record.tobytes() == by_id.record.tobytes()
    assert game.phase == "meld" and game.turn == (game.dealer + 1) % 4
    assert game.mask().sum() == len(game.legal()) and game.mask().dtype == np.int8


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_every_illegal_action_has_a_reason_and_no_legal_one(rules: str, players: int) -> None:
    asked = 0
    found = set()
    every = 40 if rules == "czech" else 2  # it has ten times as many actions
    for game, _ in random_states(rules, players, 8, every=every, seed=7):
        mask = game.mask()
        for number, text in enumerate(game.table.texts):
            reason = game.why_not(number)
            if mask[number]:
                assert reason is None, text
                continue
            assert isinstance(reason, Reason) and isinstance(reason.rule, Rule), text
            assert len(str(reason)) > 15 and str(reason)[0].islower() | str(reason)[0].isdigit()
            found.add(reason.rule)
            asked += 1
    assert asked > (800 if rules in SMALL else 20_000)  # with few actions and short deals
    assert {Rule.OVER, Rule.PHASE, Rule.CARDS, Rule.TOP_CARD} <= found
    assert found & {Rule.MINIMUM, Rule.NATURAL_GROUP}
    assert {Rule.NO_MELD, Rule.STOCK_LEFT} <= found
    assert rules in ("czech", *SMALL) or Rule.MELD_EXISTS in found
    assert rules == "hand_and_foot" or Rule.FROZEN in found


def after(game: Game, *actions: str) -> Game:
    for action in actions:
        game.play(action)
    return game


OPEN = {"melds": {0: ["Q Q Q"]}}
SITUATIONS: list[tuple[Callable[[], Game], str, Rule, str]] = [
    (
        lambda: at("K K 5 6"),
        "discard 5",
        Rule.PHASE,
        "seat 0 must draw or take the pile first",
    ),
    (lambda: at("K K 5 6"), "yes", Rule.PHASE, "only to a partner's question"),
    (lambda: at("K K 5 6"), "pass", Rule.STOCK_LEFT, "only with an empty stock"),
    (lambda: at("K K 5 6", pile="Q"), "take K K", Rule.TOP_CARD, "the top card is a queen"),
    (
        lambda: at("K K 5 6", pile="Q JK"),
        "take K K",
        Rule.TOP_CARD,
        "a joker on top cannot",
    ),
    (lambda: at("K K 5 6", pile="3b"), "take K K", Rule.TOP_CARD, "a black three on top"),
    (lambda: at("K K 5 6", pile=""), "take K K", Rule.EMPTY_PILE, "the pile is empty"),
    (lambda: at("Q 5 6", pile="Q"), "take Q Q", Rule.CARDS, "2 × Q needed, the hand has 1"),
    (
        lambda: at("Q 2 6", pile="Q"),
        "take Q 2",
        Rule.FROZEN,
        "frozen to a side without a meld",
    ),
    (
        lambda: at("K 2 6", pile="2 K", frozen=True, **OPEN),
        "take K 2",
        Rule.FROZEN,
        "the pile is frozen: two natural kings from the hand are needed, the hand has 1",
    ),
    (lambda: at("4 5", pile="K", **OPEN), "take", Rule.NO_MELD, "no meld of kings"),
    (
        lambda: at("Q", pile="Q", **OPEN),
        "take",
        Rule.ONE_CARD,
        "one card may not take a pile",
    ),
    (
        lambda: at("2 4 5 6", pile="4 Q", melds={0: ["Q Q Q 2 2 2"]}),
        "take Q 2",
        Rule.CARDS,
        "1 × Q needed",
    ),
    (
        lambda: at("Q 2 5 6", pile="4 Q", melds={0: ["Q Q Q 2 2 2"]}),
        "take Q 2",
        Rule.WILDS,
        "4 wild cards beside 5 naturals; at most 3",
    ),
    (
        lambda: at("K K 5 6", stock="", pile="9"),
        "draw",
        Rule.EMPTY_STOCK,
        "the stock is empty",
    ),
    (
        lambda: at("K K 5 6", stock="", pile="9 Q", **OPEN),
        "pass",
        Rule.FORCED_TAKE,
        "the pile must be taken",
    ),
    (
        lambda: at("4 4 4 5 6", phase="meld"),
        "meld 4 4 4",
        Rule.MINIMUM,
        "the first meld needs 50 points (0 are laid)",
    ),
    (
        lambda: at("4 4 4 5 6", phase="meld", scores=[1500, 0]),
        "meld 4 4 4",
        Rule.MINIMUM,
        "needs 90 points",
    ),
    (
        lambda: at("Q Q Q 5", phase="meld", **OPEN),
        "meld Q Q Q",
        Rule.MELD_EXISTS,
        "add to it",
    ),
    (lambda: at("K 4 5", phase="meld", **OPEN), "add K", Rule.NO_MELD, "no meld of kings"),
    (lambda: at("K 4 5", phase="meld", **OPEN), "add 2 to Q", Rule.CARDS, "1 × 2 needed"),
    (
        lambda: at("2 4 5", phase="meld", melds={0: ["Q Q 2 2 2"]}),
        "add 2 to Q",
        Rule.WILDS,
        "4 wild cards beside 2 naturals; at most 3 are allowed",
    ),
    (
        lambda: at("K K K 5", phase="meld", **OPEN),
        "meld K K K",
        Rule.CANASTAS,
        "needs 1 canasta(s) to go out; after this meld the seat could not discard and keep a card",
    ),
    (
        lambda: at("3b 3b 3b 5 6", phase="meld", melds={0: ["Q Q Q Q Q Q Q"]}),
        "meld 3b 3b 3b",
        Rule.KEEP_CARDS,
        "neither go out nor discard and keep a card",
    ),
    (
        lambda: after(at("Q Q 4 5", phase="meld", melds={0: ["K K K K K K K", "Q Q Q"]}), "add Q"),
        "ask",
        Rule.ASKING,
        "only as the first action after the draw or the take",
    ),
    (
        lambda: at("4 5 6", phase="meld", **OPEN),
        "ask",
        Rule.ASKING,
        "only if the turn could end both by going out and without",
    ),
    (
        lambda: after(at("Q 5", phase="meld", melds={0: ["Q Q Q Q Q Q Q"]}), "ask"),
        "discard 5",
        Rule.PHASE,
        "must answer its partner's question",
    ),
    (
        lambda: after(at("Q 5", phase="meld", melds={0: ["Q Q Q Q Q Q Q"]}), "ask", "no"),
        "add Q",
        Rule.MUST_NOT_GO_OUT,
        "the partner said no",
    ),
    (
        lambda: after(at("Q 5", phase="meld", melds={0: ["Q Q Q Q Q Q Q"]}), "ask", "yes"),
        "discard 5",
        Rule.MUST_GO_OUT,
        "the partner said yes",
    ),
    (
        lambda: after(at("Q 5", phase="meld", melds={0: ["Q Q Q Q Q Q Q"]}), "ask", "no"),
        "ask",
        Rule.ASKING,
        "answered already",
    ),
    (
        lambda: after(at("Q", phase="meld", melds={0: ["Q Q Q Q Q Q Q"]}), "add Q"),
        "draw",
        Rule.OVER,
        "the deal is over",
    ),
]


LAID = {"melds": {0: ["Ac Ac Ad", "7h 8h 9h", "Js Qs Ks As"]}}
SUITED_SITUATIONS: list[tuple[dict[str, Any], str, Rule, str]] = [
    ({"phase": "offer"}, "draw", Rule.PHASE, "must accept or refuse the offered card first"),
    ({"phase": "offer", "stock": "Kh", "absent": "rest"}, "refuse", Rule.OFFER, "no other card"),
    ({}, "accept", Rule.PHASE, "only the first card of the stock is offered"),
    (
        {"pile": "Kd", "frozen": True, **LAID},
        "take Kh 2",
        Rule.FROZEN,
        "two natural kings from the hand are needed, the hand has 1",
    ),
    ({"pile": "5d Jh", "frozen": True, **LAID}, "take into 10h Jh 2", Rule.FROZEN, "natural"),
    ({"pile": "5d Jh", **LAID}, "take extend", Rule.SEQUENCE, "of hearts is 10h, not Jh"),
    ({"pile": "5d Jh", **LAID}, "take into 10h 2 Qh", Rule.SEQUENCE, "takes its own place"),
    ({"pile": "5d Jh", **LAID}, "take into 9h 10h Jh", Rule.CARDS, "1 × 9h needed"),
    ({"pile": "5d Jh", **LAID}, "take into 7h 8h 9h", Rule.TOP_CARD, "the top card is Jh"),
    ({"phase": "meld", **LAID}, "extend 10d with 2", Rule.NO_MELD, "no sequence of diamonds"),
    ({"phase": "meld", **LAID}, "extend As with 2", Rule.SEQUENCE, "ends with the ace"),
    (
        {"phase": "meld", "melds": {0: ["7h 2 9h 2 2 Qh"]}},
        "extend Kh with 2",
        Rule.WILDS,
        "3 wild cards; at most 3",
    ),
    ({"phase": "meld"}, "meld 10c 10h 2", Rule.NATURAL_GROUP, "three natural cards"),
    ({"phase": "meld", **LAID}, "discard 3r", Rule.RED_THREES, "no red three on the table"),
    ({"phase": "meld", **LAID}, "discard 7h", Rule.CARDS, "1 × 7h needed"),
]


@pytest.mark.parametrize(("given", "action", "rule", "text"), SUITED_SITUATIONS)
def test_reasons_with_suits(given: dict[str, Any], action: str, rule: Rule, text: str) -> None:
    hand = "10c 10h Jc Kh 2 2 5c 4c"
    start = {"rules": "czech", "phase": "draw", "hands": {0: hand, 1: 5, 2: 5, 3: 5}}
    start |= {"frozen": False} if "pile" in given else {}
    reason = Game.from_position(start | given).why_not(action)
    assert reason is not None
    assert text in str(reason) and reason.rule == rule


@pytest.mark.parametrize(("make", "action", "rule", "text"), SITUATIONS)
def test_reasons_are_those_of_a_player(
    make: Callable[[], Game], action: str, rule: Rule, text: str
) -> None:
    reason = make().why_not(action)
    assert reason is not None
    assert text in str(reason) and reason.rule == rule


def test_an_illegal_play_raises_its_reason_and_changes_nothing() -> None:
    game = at("K K 5 6")
    before = game.record.tobytes()
    with pytest.raises(IllegalActionError, match="discard 5: seat 0 must draw"):
        game.play("discard 5")
    for unknown in ("discard 1", "fly", "meld K K", 122, -1):
        with pytest.raises(ActionError):
            game.play(unknown)
        with pytest.raises(ActionError):
            game.why_not(unknown)
    assert game.record.tobytes() == before


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"rules": "clasic"}, "clasic"),
        ({"rules": "classic(target=many)"}, "target"),
        ({"rules": "czech", "players": 7}, "players: 7 cannot play czech"),
        ({"players": 5}, "players: 5"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": 2**63}, "seed="),
        ({"deck": "K K 2"}, "deck: JK is there 0 times; the deck has 4"),
        ({"deck": [0] * 108}, "deck: JK is there 108 times; the deck has 4"),
        ({"deck": [20] * 108}, "deck: JK"),
        ({"deck": "K Q x"}, "'x' is not a card"),
        ({"dealer": 4}, "dealer=4"),
        ({"dealer": -1}, "dealer=-1"),
        ({"scores": [0]}, "scores has 1"),
        ({"scores": [0, 0, 0]}, "scores has 3"),
        ({"stock": "deep"}, "stock='deep'"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what.replace("(", r"\(")):
        Game(**arguments)


@pytest.mark.parametrize("seat", [-1, 4, 6])
def test_a_wrong_seat_is_named(seat: int) -> None:
    game = Game()
    for call in (game.view, game.observation, game.hand, lambda seat: game.determinize(seat, 0)):
        with pytest.raises(ValueError, match=f"seat={seat}"):
            call(seat)


def test_a_deck_is_dealt_in_its_order() -> None:
    deck = np.random.default_rng(0).permutation(Game().deck)
    from_kinds = Game(deck=deck.tolist(), dealer=1, scores=[5, 10])
    tokens = ["JK", "2", "3r", "3b", *map(str, range(4, 11)), "J", "Q", "K", "A"]
    text = " ".join(tokens[kind] for kind in deck)
    for other in (Game(deck=text, dealer=1), Game(deck=text.split(), dealer=1)):
        assert other.record.hands.tobytes() == from_kinds.record.hands.tobytes()
    assert from_kinds.turn == 2 and from_kinds.scores == [5, 10]
    for seat in range(4):
        # one card at a time from the dealer's left; red threes are laid out and replaced
        dealt = deck[(seat - 2) % 4 : 44 : 4]
        held = np.bincount(dealt, minlength=15) * (np.arange(15) != 2)
        assert (from_kinds.record.hands[seat] >= held).all()


def test_the_seed_decides_deck_and_dealer() -> None:
    one, same, other = Game(seed=5), Game(seed=5), Game(seed=6)
    assert one.record.tobytes() == same.record.tobytes() != other.record.tobytes()
    assert len({Game(seed=seed).dealer for seed in range(30)}) == 4


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_a_match_goes_from_deal_to_deal_to_its_end(rules: str, players: int) -> None:
    game = Game(Rules.parse(rules).replace(target=700), players=players, seed=3)
    rng = np.random.default_rng(0)
    scores, decks = game.scores, set()
    for deal in range(1, 200):
        assert game.deal == deal and not game.match_over
        decks.add(game.deck.tobytes())
        with pytest.raises(ValueError, match="not over"):
            game.next_deal()
        assert game.deal_scores == [0] * game.sides
        play_some(game, 10_000, rng)
        sheets = game.breakdown()
        assert [sum(sheet.values()) for sheet in sheets] == game.deal_scores
        scores = [old + new for old, new in zip(scores, game.deal_scores, strict=True)]
        assert game.scores == scores and game.phase == "over" and game.legal() == []
        leads = scores.count(max(scores))
        if game.match_over:
            break
        assert max(scores) < 700 or leads > 1 or game.rules.deals
        dealer, turn = game.dealer, game.turn
        game.next_deal()
        if rules != "russian":
            assert game.dealer == (dealer + 1) % players
        assert game.turn == (game.dealer + 1) % players and turn >= 0
        if rules == "czech" and deal > 8:
            return  # without canastas random players never get there
    assert game.match_over
    if deals := game.rules.deals:
        assert game.deal >= deals  # more only after a tie
    else:
        assert max(game.scores) >= 700
    assert len(decks) == game.deal
    with pytest.raises(ValueError, match="match is over"):
        game.next_deal()


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_cards_are_never_lost(rules: str, players: int) -> None:
    for game, _ in random_states(rules, players, 3, every=3, seed=8):
        record, counts = game.record, game._packed[0].counts
        kinds = len(counts)
        lying = np.bincount(record.pile[: record.pile_size + record.pending], minlength=kinds)
        stock = record.stock[record.stock_next[0] : record.stock_end[0]]
        lying += np.bincount(stock, minlength=kinds)
        lying += record.hands.sum(axis=0) + record.feet.sum(axis=0)
        lying += record.shown if rules == "czech" else shown_cards(record)
        assert (lying == counts).all()
        assert (record.hands.sum(axis=1) == record.hand_sizes).all()


def shown_cards(record: Any) -> Any:
    """The cards in melds and the red threes, by kind."""
    lying = record.meld_naturals.sum(axis=0) + closed_cards(record)
    lying[1] += record.meld_deuces.sum()
    lying[0] += record.meld_jokers.sum()
    lying[2] += record.red_threes.sum()
    return lying


def closed_cards(record: Any) -> Any:
    """What lies in closed melds of seven, by kind."""
    cards = np.zeros(15, np.int64)
    for side, rank in zip(*np.nonzero(record.closed_melds), strict=True):
        for wilds in record.closed_wilds[side, rank, : record.closed_melds[side, rank]]:
            deuces, jokers = int(wilds) % 16, int(wilds) // 16
            cards[[rank, 1, 0]] += 7 - deuces - jokers, deuces, jokers
    return cards


def test_copies_are_independent() -> None:
    game = play_some(Game(seed=1), 31, np.random.default_rng(0))
    before = game.record.tobytes()
    duplicates = [game.copy(), copy.deepcopy(game), pickle.loads(pickle.dumps(game))]
    for other in duplicates:
        assert other.record.tobytes() == before and (other.mask() == game.mask()).all()
    ends = set()
    for other in duplicates:
        rng = np.random.default_rng(4)
        while not other.over:
            other.play(pick(other, rng))
        other.next_deal()
        ends.add((other.record.tobytes(), other.deck.tobytes(), tuple(other.scores)))
    assert len(ends) == 1 and game.record.tobytes() == before


def test_a_game_describes_itself() -> None:
    game = Game("standard(target=3000)", players=3, seed=2)
    assert "standard(target=3000)" in repr(game) and "players=3" in repr(game)
    held = game.hand(0).split()
    assert len(held) == game.record.hand_sizes[0]
    assert sum(game.view(0)[0].hand) == len(held)

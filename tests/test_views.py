"""A seat sees what it may know and nothing else; the observation holds what its pieces say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env import Game, kernels
from canasta_env.cards import CARD_VALUES, parse_cards, write_cards
from canasta_env.engine.state import Asked, Phase
from canasta_env.observation import observation_scale, observation_size, pieces
from tests.playing import TABLES, random_states
from tests.readings import SMALL

RANKS = range(4, 15)
KINDS = range(15)


@pytest.mark.parametrize(("rules", "players"), TABLES)
@pytest.mark.parametrize("recall", [True, False])
@pytest.mark.parametrize("stock", ["shared", "seat_streams"])
def test_a_seat_cannot_tell_possible_worlds_apart(
    rules: str, players: int, recall: bool, stock: Any
) -> None:
    compared = 0
    for game, rng in random_states(rules, players, 4, every=5, recall=recall, stock=stock):
        if game.over:
            continue  # what is left of a deal that is over has no influence any more
        for seat in range(players):
            world = game.determinize(seat, int(rng.integers(2**63)))
            assert world.view(seat).tobytes() == game.view(seat).tobytes()
            assert (world.observation(seat) == game.observation(seat)).all()
            if seat == game.turn:
                assert (world.mask() == game.mask()).all()
            compared += world.record.hands.tobytes() != game.record.hands.tobytes()
    assert compared > (4 if rules in SMALL else 50)


def swapped(game: Game, seat: int, rng: np.random.Generator) -> Game | None:
    """The game with a card of another hand, hidden from ``seat``, changed for one of the stock."""
    position = game.to_position()
    record = game.record
    actor = record.asker if game.phase == "answer" else record.turn
    others = [other for other in range(game.players) if other not in (seat, actor)]
    other = int(rng.choice(others)) if others else -1
    stock = position["stock"].split()
    hidden = np.array(record.hands[other]) - record.known[other]
    held = [card for kind in KINDS for card in [write_cards([kind])] * int(hidden[kind])]
    places = [i for i, card in enumerate(stock) if card != "3r"]
    if not others or not held or not places:
        return None
    place, card = int(rng.choice(places)), str(rng.choice(held))
    hand = position["hands"][other].split()
    hand.remove(card)
    position["hands"][other] = " ".join([*hand, stock[place]])
    stock[place] = card
    position["stock"] = " ".join(stock)
    return Game.from_position(position, recall=game.recall)


@pytest.mark.parametrize(("rules", "players"), [("classic", 3), ("classic", 4), ("russian", 4)])
@pytest.mark.parametrize("recall", [True, False])
def test_a_hidden_card_changes_no_view(rules: str, players: int, recall: bool) -> None:
    compared = 0
    for game, rng in random_states(rules, players, 2, every=7, seed=1, recall=recall):
        for seat in range(players):
            other = None if game.over else swapped(game, seat, rng)
            if other is None:
                continue
            assert other.view(seat).tobytes() == game.view(seat).tobytes()
            assert (other.observation(seat) == game.observation(seat)).all()
            if seat == game.turn:
                assert (other.mask() == game.mask()).all()
            compared += 1
    assert compared > (4 if rules in SMALL else 50)


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_what_is_unseen_lies_in_hands_feet_and_stock(rules: str, players: int) -> None:
    for game, _ in random_states(rules, players, 2, every=9, seed=2):
        record = game.record
        stock = record.stock[record.stock_next[0] : record.stock_end[0]]
        stock = np.bincount(stock, minlength=record.hands.shape[-1])
        for seat in range(players):
            hidden = record.hands.sum(axis=0) - record.hands[seat]
            hidden = hidden + record.feet.sum(axis=0) + stock
            assert (game.view(seat)[0].unseen == hidden).all()


def test_without_recall_only_what_lies_open_is_known() -> None:
    for game, _ in random_states("classic", 4, 3, every=9, seed=3, recall=False):
        for seat in range(4):
            view = game.view(seat)[0]
            assert not view.known.any() and not view.discards.any()
            assert (view.last_discard[:4] == -1).all()
            assert view.pile.sum() == min(int(view.pile_size), 1)


def test_a_taken_pile_is_remembered_until_it_is_played() -> None:
    game = Game.from_position(
        {
            "hands": {0: "K K 4 5 6 7 8 9", 1: 11, 2: 11, 3: 11},
            "melds": {0: ["A A A"]},
            "pile": "5 9 Q K",
            "frozen": False,
            "turn": 0,
        }
    )
    game.play("take K K")
    assert write_known(game, 1, 0) == "5 9 Q"
    game.play("discard 9")
    assert write_known(game, 1, 0) == "5 Q"
    assert write_known(game, 0, 0) == "5 Q"  # what others know of it is known to the seat too
    assert game.view(1)[0].discards[0].tolist() == [int(kind == 9) for kind in KINDS]
    assert game.view(1)[0].last_discard.tolist()[:4] == [9, -1, -1, -1]


def write_known(game: Game, looks: int, seat: int) -> str:
    counts = game.view(looks)[0].known[seat]
    return write_cards(np.repeat(np.arange(15), counts))


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_the_encoder_fills_the_pieces_and_no_more(rules: str, players: int) -> None:
    game = Game(rules, players=players)
    size = observation_size(game.rules, players)
    assert len(observation_scale(game.rules, players)) == size
    out = np.full(size + 40, 7, np.uint8)
    for state, _ in random_states(rules, players, 2, every=11, seed=4):
        packed = kernels.plain(state.table.pack(players))
        view = state.view(1)
        encode = kernels.kernels_for(state.rules).encode_view
        encode(kernels.plain(view), 0, packed, out)
        assert not out[size:].any()
        assert (out[:size] == state.observation(1)).all()


def one_hot(size: int, index: int) -> list[int]:
    return [int(i == index) for i in range(size)]


def bounded(values: Any, bound: int) -> list[int]:
    return [min(max(int(value), 0), bound) for value in np.asarray(values).reshape(-1)]


def side_pieces(view: Any, i: int, canasta: int = 7) -> dict[str, list[int]]:
    """What the pieces of side +i should be."""
    side = (int(view.side) + i) % int(view.sides)
    naturals = view.meld_naturals[side, 4:]
    wilds = view.meld_deuces[side, 4:] + view.meld_jokers[side, 4:]
    canastas = naturals + wilds >= canasta
    return {
        f"naturals[{i}]": bounded(naturals, 8),
        f"wilds[{i}]": bounded(wilds, 4),
        f"canasta[{i}]": bounded(canastas, 1),
        f"natural_canasta[{i}]": bounded(canastas & (wilds == 0), 1),
        f"black_threes[{i}]": bounded(view.meld_naturals[side, 3], 4),
        f"red_threes[{i}]": bounded(view.red_threes[side], 8),
        f"melded[{i}]": bounded(view.melded[side], 1),
        f"canastas[{i}]": bounded(canastas.sum(), 8),
        f"minimum[{i}]": bounded(view.minimum[side] // 5, 30),
        f"score[{i}]": bounded((view.scores[side] + 2000) // 50, 250),
    }


def seat_pieces(view: Any) -> dict[str, list[int]]:
    """What the pieces that go by seat should be."""
    players, seat = int(view.players), int(view.seat)
    seats = [(seat + i) % players for i in range(players)]
    lasts = [one_hot(15, int(view.last_discard[other])) for other in seats]
    asks = view.asked != Asked.NO_QUESTION
    copies = 12 if players == 6 else 8  # of a rank, in three packs and in two
    return {
        "hand_sizes": bounded(view.hand_sizes[seats], 30),
        "discards": bounded(view.discards[seats], copies),
        "last_discard": [value for last in lasts for value in last],
        "known": bounded(view.known[seats[1:]], copies),
        "seat_melded": bounded(view.seat_melded[seats], 1),
        "to_act": one_hot(players, seats.index(int(view.turn))),
        "asker": one_hot(players, seats.index(int(view.asker)) if asks else -1),
    }


def table_pieces(view: Any, values: Any) -> dict[str, list[int]]:
    """What all other pieces should be."""
    side = int(view.side)
    hand = [int(view.hand[kind]) for kind in KINDS if kind != 2]
    to_side = view.frozen or not view.melded[side]
    return {
        "hand": bounded(view.hand, 8),
        "hand_at_least": [int(held >= n) for held in hand for n in (1, 2, 3, 4)],
        "pile": bounded(view.pile, 8),
        "pile_top": one_hot(15, int(view.pile_top)),
        "pile_size": bounded(view.pile_size, 54),
        "pile_points": bounded((view.pile * values).sum() // 5, 100),
        "frozen": [int(view.frozen), int(to_side)],
        "stock_size": bounded(view.stock_size, 108),
        "unseen": bounded(view.unseen, 12),
        "phase": one_hot(5, int(view.phase)),
        "drew": one_hot(4, int(view.drew)),
        "staged": bounded(view.staged // 5, 30),
        "pending": bounded(view.pending, 8),
        "begun": [int(view.begun) >> rank & 1 for rank in RANKS],
        "asked": one_hot(3, int(view.asked) - 1),
        "turn_flags": bounded([view.added, view.acted, view.must_go_out], 1),
    }


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_each_piece_holds_what_it_says(players: int) -> None:
    reached = set()
    for game, rng in random_states("classic", players, 12, every=4, seed=5):
        seat = int(rng.integers(players))
        view = game.view(seat)[0]
        expected = table_pieces(view, np.array(CARD_VALUES)) | seat_pieces(view)
        for i in range(game.sides):
            expected |= side_pieces(view, i)
        observation, at = game.observation(seat), 0
        for piece in pieces(game.rules, players):
            features = observation[at : at + piece.size].tolist()
            assert features == expected[piece.name], piece.name
            assert max(features) <= piece.bound
            reached |= {piece.name} if any(features) else set()
            at += piece.size
        assert at == len(observation)
    seldom = {"pending", "known", "black_threes[0]", "black_threes[1]", "black_threes[2]"}
    seldom |= {"asked", "asker", "natural_canasta[0]", "natural_canasta[1]", "natural_canasta[2]"}
    names = {piece.name for piece in pieces(game.rules, players)}
    assert names - reached <= seldom, "these pieces were never other than zero"


def test_a_card_discarded_again_and_again_stays_within_the_bound() -> None:
    game = Game.from_position({"rules": "classic", "discards": {1: "4 4 4 4 4 4 4 4 4 4"}})
    observation, at = game.observation(0), 0
    for piece in pieces(game.rules, 4):
        if piece.name == "discards":
            assert game.view(0)[0].discards[1, 4] == 10
            assert observation[at + 15 + 4] == piece.bound
        at += piece.size


def test_the_seldom_pieces_too() -> None:
    game = Game.from_position(
        {
            "hands": {0: "K K 2 2 JK A A 5 5 6 3b", 1: 9, 2: 9, 3: 9},
            "pile": "5 9 7 K",
            "turn": 0,
            "scores": [1600, 0],
            "known": {1: "Q Q"},
            "melds": {1: ["8 8 8 8 8 8 8"]},
        }
    )
    game.play("take K K")
    assert game.phase == "meld"
    view = game.view(2)[0]
    assert write_cards(np.repeat(np.arange(15), view.pending)) == "5 7 9"
    observation, at = game.observation(2), 0
    expected = table_pieces(view, np.array(CARD_VALUES)) | seat_pieces(view)
    expected |= side_pieces(view, 0) | side_pieces(view, 1)
    for piece in pieces(game.rules, 4):
        assert observation[at : at + piece.size].tolist() == expected[piece.name], piece.name
        at += piece.size
    assert expected["natural_canasta[1]"] == one_hot(11, 4)
    assert sum(expected["known"]) == 2 and sum(expected["pending"]) == 3
    assert view.phase == Phase.MELD and parse_cards("K K K") == [13] * int(
        view.meld_naturals[0, 13]
    )

"""Events tell a seat what it may know: equal streams mean equal views, masks and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env import Game
from canasta_env.events import Event, Happening, events
from canasta_env.record import RecordWriter, read_record
from canasta_env.render.ansi import draw
from tests.playing import TABLES, pick, play_some
from tests.readings import SMALL

OWN_CHANCE = {Happening.DRAW, Happening.FOOT}
BY_ITSELF = {*OWN_CHANCE, Happening.END}
"""What may differ for a seat between two worlds, of what it does itself."""
HIDDEN_CAUSE = {Happening.DRAW, Happening.FOOT, Happening.CONCEALED_CANASTAS, Happening.END}
HIDDEN_CAUSE |= {Happening.TAKE, Happening.PILE}
"""What may differ for others: red threes that come, and what follows from hands nobody sees."""


def texts(stream: list[Event]) -> list[str]:
    return [str(event) for event in stream]


def follow(game: Game, world: Game, seat: int, rng: np.random.Generator) -> int:
    """Play the same actions in two worlds while the seat cannot tell them apart; how many times
    they were compared."""
    start = len(game.events(seat))
    for compared in range(60):
        ours, theirs = game.events(seat)[start:], world.events(seat)[1:]
        if ours != theirs:
            told = next((a, b) for a, b in zip(ours, theirs, strict=False) if a != b)
            for event in told:
                assert event.what in (BY_ITSELF if event.seat == seat else HIDDEN_CAUSE)
            return compared
        assert texts(ours) == texts(theirs)
        assert world.view(seat).tobytes() == game.view(seat).tobytes()
        assert (world.observation(seat) == game.observation(seat)).all()
        assert draw(world.view(seat)[0]) == draw(game.view(seat)[0])
        assert game.turn == world.turn and game.phase == world.phase
        if game.turn == seat:
            assert (world.mask() == game.mask()).all()
        both = np.flatnonzero(game.mask() & world.mask())
        if not both.size:
            return compared
        action = int(rng.choice(both))
        game.play(action)
        world.play(action)
    return 60


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_equal_streams_mean_equal_views(rules: str, players: int) -> None:
    rng = np.random.default_rng(5)
    compared = 0
    for deal in range(12):
        game = Game(rules, players=players, seed=deal, deal=1 + deal % 3)
        play_some(game, int(rng.integers(120)) if deal else 0, rng)
        for seat in range(players if not game.over else 0):
            world = game.determinize(seat, int(rng.integers(2**63)))
            assert [event.what for event in world.events(seat)] == [Happening.POSITION]
            compared += follow(game.copy(), world, seat, rng)
    assert compared > (15 if rules in SMALL else 40)  # a deal of these is soon over


def whole_deal(rules: str, players: int, seed: int) -> Game:
    rng = np.random.default_rng(seed)
    game = Game(rules, players=players, seed=seed)
    while not game.over:
        game.play(pick(game, rng))
    return game


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_a_seat_can_keep_its_own_books(rules: str, players: int) -> None:
    """The own hand follows from the stream, and so do the sizes of the others' hands."""
    for seed in range(3):
        game = whole_deal(rules, players, seed)
        for seat in range(players):
            hand: list[str] = []
            sizes = {other: int(game.rules.at(players).hand) for other in range(players)}
            for event in game.events(seat):
                book(event, seat, hand, sizes)
            assert sorted(hand) == sorted(game.hand(seat).split())
            assert [sizes[s] for s in range(players)] == game.record.hand_sizes[:players].tolist()


def book(event: Event, seat: int, hand: list[str], sizes: dict[int, int]) -> None:
    """Keep the books of one event."""
    gained = list(event.cards) if event.what in (*OWN_CHANCE, Happening.PILE) else []
    lost: list[str] = []
    if event.what is Happening.HAND:
        hand[:] = event.cards
        return
    if event.what is Happening.TAKE:
        *below, top = event.cards
        gained = [] if "apart" in event.detail else below
        lost = named(event.detail.removesuffix(" (apart)"), top)
        assert top not in ("2", "JK", "3r")
    elif event.what in (Happening.MELD, Happening.ADD, Happening.DISCARD):
        lost = named(event.detail)
    elif event.what is Happening.OFFER:
        gained = list(event.cards) if event.detail == "accept" else []
    elif event.what is Happening.RED_THREES and event.seat >= 0:
        sizes[event.seat] -= event.count  # of the deal; they are replaced later
    gained = [card for card in gained if card != "3r"]
    if event.seat >= 0 and event.what is not Happening.END:
        change = len(gained) + (event.count if event.what in OWN_CHANCE else 0) - len(lost)
        sizes[event.seat] += change
    if event.seat == seat and event.what is not Happening.END:
        for card in lost:
            hand.remove(card)
        hand += gained


def named(text: str, top: str = "") -> list[str]:
    """The cards that left the hand with an action; ``top`` lay on the pile that it took."""
    words = text.split(" to ")[0].split()[1:]
    if "with" in words:
        return words[-1:]
    if words[:1] == ["into"]:
        words.remove(top)
        return words[1:]
    return [] if words in (["3r"], ["extend"]) else words


@pytest.mark.parametrize("rules", ["standard", "czech"])
def test_a_record_tells_what_its_game_tells(rules: str) -> None:
    game = whole_deal(rules, 4, 1)
    if not game.match_over:
        game.next_deal()
        play_some(game, 40, np.random.default_rng(0))
    record = read_record(RecordWriter(game).text())
    for seat in range(4):
        stream = events(record, seat)
        assert stream == game.events(seat)
        assert sum(event.what is Happening.DEAL for event in stream) == 2


def told(position: dict[str, Any], seat: int, *actions: str) -> list[str]:
    game = Game.from_position(position)
    for action in actions:
        game.play(action)
    return texts(game.events(seat))[1:]


PILE: dict[str, Any] = {
    "hands": {0: "K K 4 5 6 7 8 9", 1: "Q Q 4", 2: 11, 3: 11},
    "melds": {0: ["A A A"]},
    "pile": "5 3r 9 K",
    "frozen": False,
    "turn": 0,
}


def test_a_take_names_what_comes_in() -> None:
    line = "player_0: take K K, with the K on top and under it 5 3r 9"
    assert told(PILE, 1, "take K K", "discard 9") == [line, "player_0: discard 9"]
    assert told(PILE, 0, "take K K")[0].startswith("you: take K K, with the K")


def test_a_pile_that_lies_apart_comes_in_with_the_minimum() -> None:
    position = PILE | {"melds": {}, "hands": {0: "K K A A A 4", 1: 9, 2: 9, 3: 9}}
    position["scores"] = [1500, 0]
    assert told(position, 2, "take K K", "meld A A A") == [
        "player_0: take K K, with the K on top and under it 5 3r 9, which lie apart",
        "player_0: meld A A A",
        "player_0: the pile comes in, 5 3r 9",
    ]


def test_draws_are_seen_by_their_owner_alone() -> None:
    position = {"hands": {0: "K K 4", 1: 3, 2: 3, 3: 3}, "pile": "9", "turn": 0}
    position |= {"stock": "3r Q 5 5", "absent": "rest"}
    assert told(position, 0, "draw") == ["you: draw Q, and lay out a red three"]
    assert told(position, 1, "draw") == ["player_0: draw 1 card, and lay out a red three"]


def test_question_answer_and_end() -> None:
    position = {
        "hands": {0: "Q 5", 1: 5, 2: 5, 3: 5},
        "melds": {0: ["Q Q Q Q Q Q Q"]},
        "phase": "meld",
        "turn": 0,
    }
    lines = told(position, 2, "ask", "yes", "add Q", "discard 5")
    assert lines[:4] == [
        "player_0: may I go out?", "you: yes", "player_0: add Q", "player_0: discard 5",
    ]  # fmt: skip
    assert lines[4].startswith("the deal is over (went out): ")


def test_a_foot_is_seen_by_its_owner_alone() -> None:
    position = {
        "rules": "hand_and_foot",
        "players": 2,
        "hands": {0: "K K K", 1: 5},
        "feet": {0: "3r 4 5 6", 1: 13},
        "melds": {0: ["A A A A A"]},
        "stock": "7 8 9",
        "absent": "rest",
        "phase": "meld",
        "turn": 0,
    }
    laid = ", and lay out a red three"
    assert told(position, 0, "meld K K K")[1] == f"you: the foot, 4 5 6 7{laid}"
    assert told(position, 1, "meld K K K")[1] == f"player_0: the foot, 4 cards{laid}"


def test_a_deal_begins_with_all_that_lies_open() -> None:
    for seed in range(40):
        game = Game("russian", seed=seed)
        stream = game.events(1)
        assert [event.what for event in stream[:2]] == [Happening.DEAL, Happening.UPCARDS]
        record = game.record
        assert len(stream[1].cards) == record.pile_size
        assert bool(stream[1].detail) == bool(record.frozen)
        red = [event for event in stream if event.what is Happening.RED_THREES]
        assert sum(event.count for event in red) == record.red_threes.sum()
        assert stream[-1].what is Happening.HAND
        assert " ".join(stream[-1].cards) == game.hand(1)


def test_the_offered_card_is_seen_by_all_and_the_cut_by_one() -> None:
    position: dict[str, Any] = {
        "rules": "czech",
        "phase": "offer",
        "owed": [1, 0, 0, 0],
        "red_threes": [1, 0],
        "hands": {0: "Kh 4c", 1: 3, 2: 3, 3: 3},
        "stock": "7h Qs 5c 5d",
        "absent": "rest",
        "turn": 0,
    }
    assert told(position, 0, "accept") == [
        "you: accept 7h",
        "you: draw Qs, also for a red three",
    ]
    assert told(position, 1, "refuse") == [
        "player_0: refuse 7h, which starts the pile",
        "player_0: draw 2 cards, also for a red three",
    ]


def test_a_deal_begins_with_the_cut_and_the_offer() -> None:
    wilds = 0
    for seed in range(12):
        game = Game("czech", seed=seed)
        cutter = (game.dealer - 1) % 4
        deck = game.deck[-3:].tolist()
        for seat in range(4):
            stream = game.events(seat)
            cut, offer = stream[1], stream[-1]
            assert (cut.what, cut.seat) == (Happening.CUT, cutter)
            assert cut.numbers == (sum(card < 3 for card in deck), sum(card == 2 for card in deck))
            assert (offer.what, offer.seat) == (Happening.OFFER, (game.dealer + 1) % 4)
            assert len(offer.cards) == 1
            if seat == cutter:
                assert len(cut.cards) + len(cut.detail.split()) == 3 and not cut.count
                wilds += cut.numbers[0]
            else:
                assert not cut.cards and not cut.detail
    assert wilds > 0


def test_a_take_into_a_sequence_and_a_red_three_from_the_table() -> None:
    position: dict[str, Any] = {
        "rules": "czech",
        "hands": {0: "7h 8h 4c Kc", 1: 5, 2: 5, 3: 5},
        "melds": {0: ["Ac Ac Ad"]},
        "red_threes": [1, 0],
        "pile": "5s 9h",
        "frozen": False,
        "turn": 0,
    }
    assert told(position, 1, "take into 7h 8h 9h", "discard 3r") == [
        "player_0: take into 7h 8h 9h, with the 9h on top and under it 5s",
        "player_0: discard 3r from the table",
    ]


def test_a_wrong_seat_is_named() -> None:
    with pytest.raises(ValueError, match="seat=4"):
        Game().events(4)

"""Hands of 20 to 45 cards, as after a big pile: too many for the reference, so properties instead.

Every legal action must be the start of a row that ends the turn, what a greedy player could lay
must be legal, and names of ranks of equal value and of seats must not matter.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from canasta_env import Game
from canasta_env.cards import CARD_VALUES, RANK_TOKENS, card_counts

RANKS = RANK_TOKENS[4:]
VALUE = dict(zip(RANK_TOKENS, CARD_VALUES, strict=True))
SCORES = (-100, 0, 1500, 3000)
MINIMUM = {-100: 15, 0: 50, 1500: 90, 3000: 120}
Position = dict[str, Any]


def draw_cards(left: Counter[str], size: int, rng: random.Random) -> list[str]:
    """So many of the cards that are left, no red three; they are taken out."""
    rest = sorted(card for card in left.elements() if card != "3r")
    found = rng.sample(rest, min(size, len(rest)))
    left.subtract(found)
    return found


def lay_melds(
    left: Counter[str], rng: random.Random, ranks: list[str], any_wilds: bool
) -> list[str]:
    """A meld of each of the ranks as far as cards are left; with few wild cards unless any do."""
    rows = []
    for rank in ranks:
        wilds = rng.choice((0, 0, 1, 2, 3))
        naturals = max(2, min(rng.choice((2, 3, 3, 4, 5, 6)), left[rank]))
        if not any_wilds:
            wilds = min(wilds, naturals // 2, 7 - naturals)
        row = [rank] * naturals + ["2"] * wilds
        if len(row) >= 3 and not Counter(row) - left:
            left.subtract(row)
            rows.append(" ".join(row))
    return rows


def large(players: int, rng: random.Random, preset: str = "classic") -> Position:
    """A position whose seat to act holds 20 to 45 cards; the others few."""
    packs = players + 1 if preset == "hand_and_foot" else 3 if players == 6 else 2
    left = Counter(dict(zip(RANK_TOKENS, card_counts(packs), strict=True)))
    sides = 3 if players == 3 else 2
    seat = rng.randrange(players)
    melds: dict[int, list[str]] = {side: [] for side in range(sides)}
    for side in range(sides):
        if rng.random() < 0.6:
            ranks = rng.sample(RANKS, rng.randint(1, 5))
            melds[side] = lay_melds(left, rng, ranks, preset in ("classic", "russian"))
    hands = {seat: draw_cards(left, rng.randint(20, 45), rng)}
    for other in range(players):
        if other != seat:
            hands[other] = draw_cards(left, rng.randint(1, 4), rng)
    pile = draw_cards(left, rng.choice((1, 2, 5, 12)), rng)
    return {
        "rules": preset,
        "players": players,
        "scores": [rng.choice(SCORES) for _ in range(sides)],
        "turn": seat,
        "dealer": rng.randrange(players),
        "phase": rng.choice(("draw", "meld", "meld")),
        "hands": {number: " ".join(hands[number]) for number in range(players)},
        "melds": melds,
        "pile": " ".join(pile),
        "stock": " ".join(draw_cards(left, rng.choice((0, 1, 3, 30)), rng)),
        "absent": "rest",
        "seat_melded": [bool(melds[number % sides]) for number in range(players)],
    }


def states(players: int, seed: int, count: int, preset: str = "classic") -> Iterator[Game]:
    """Games at large positions, some of them a few random actions into the turn."""
    rng = random.Random(f"{preset} {players} {seed}")
    for _ in range(count):
        game = Game.from_position(large(players, rng, preset))
        seat = game.turn
        for _ in range(rng.choice((0, 0, 1, 3, 6))):
            going_on = [text for text in texts(game) if not text.startswith(("discard", "pass"))]
            if going_on and seat == game.turn:
                game.play(rng.choice(going_on))
        if not game.over:
            yield game


def texts(game: Game) -> list[str]:
    return [str(action) for action in game.legal()]


def ends_turn(text: str) -> bool:
    return text.startswith("discard") or text == "pass"


def witness(game: Game, first: str, rng: random.Random) -> list[str]:
    """A row of legal actions from `first` to the end of the turn, mostly the shortest way."""
    trial, row, turns = game.copy(), [first], int(game.record.turns)
    trial.play(first)
    while not trial.over and int(trial.record.turns) == turns:
        legal = texts(trial)
        assert legal, (game.to_position(), row)
        ending = [text for text in legal if ends_turn(text)]
        row.append(rng.choice(ending if ending and rng.random() < 0.7 else legal))
        trial.play(row[-1])
        assert len(row) < 120, row
    return row


PRESETS = [
    ("classic", 4),
    ("classic", 2),
    ("classic", 3),
    ("classic", 6),
    ("russian", 4),
    ("standard", 2),
    ("latvian", 4),
    ("hungarian", 2),
    ("hand_and_foot", 4),
]


def check_witnesses(preset: str, players: int, seed: int, count: int) -> int:
    """Each legal action of each state has a witness, and the witness replays; returns how many."""
    rng, found = random.Random(seed), 0
    for game in states(players, seed, count, preset):
        turns = int(game.record.turns)
        for first in texts(game):
            row = witness(game, first, rng)
            replay = Game.from_position(game.to_position())
            for text in row:
                assert not replay.over and int(replay.record.turns) == turns
                replay.play(text)
            assert replay.over or int(replay.record.turns) == turns + 1
            found += 1
    return found


@pytest.mark.parametrize(("preset", "players"), PRESETS)
def test_every_legal_action_is_the_start_of_a_row_that_ends_the_turn(
    preset: str, players: int
) -> None:
    assert check_witnesses(preset, players, 1, 12) > 60


@pytest.mark.long
@pytest.mark.parametrize(("preset", "players"), PRESETS)
def test_hundreds_of_large_hands_end_every_turn(preset: str, players: int) -> None:
    assert check_witnesses(preset, players, 2, 400) > 4000


def new_melds(hand: Counter[str], lying: dict[str, Counter[str]]) -> list[list[str]]:
    """Melds of three cards that could be laid by shape, of ranks that the side has not."""
    rows = []
    for rank in RANKS:
        if rank in lying:
            continue
        if hand[rank] >= 3:
            rows.append([rank] * 3)
        rows += [[rank, rank, wild] for wild in ("2", "JK") if hand[rank] >= 2 and hand[wild]]
    return rows


def additions(hand: Counter[str], lying: dict[str, Counter[str]]) -> list[str]:
    """Single cards that a side's melds can take by shape."""
    found = []
    for rank, meld in lying.items():
        found += [f"add {rank}"] if hand[rank] else []
        if meld["2"] + meld["JK"] < 3:
            found += [f"add {wild} to {rank}" for wild in ("2", "JK") if hand[wild]]
    return found


def greedy_points(hand: Counter[str], laid: str) -> int:
    """Points of natural melds of the other ranks, whole ranks at a time."""
    points = 0
    for rank in RANKS:
        if rank != laid and hand[rank] >= 3:
            points += hand[rank] * VALUE[rank]
    return points


def surely_legal(position: Position) -> list[str]:
    """Melds and additions that a greedy player can follow up: enough points, and cards to spare."""
    seat, sides = position["turn"], len(position["scores"])
    hand = Counter(position["hands"][seat].split())
    rows = [Counter(row.split()) for row in position["melds"][seat % sides]]
    lying = {next(card for card in row if card in RANKS): row for row in rows}
    opened = position["melded"][seat % sides]
    minimum = 0 if opened else MINIMUM[position["scores"][seat % sides]]
    found = additions(hand, lying) if opened else []
    for row in new_melds(hand, lying):
        left = hand - Counter(row)
        points = sum(VALUE[card] for card in row) + greedy_points(left, row[0])
        triples = sum(left[rank] for rank in RANKS if left[rank] >= 3 and rank != row[0])
        if points >= minimum and (opened or left.total() - triples >= 2):
            found.append("meld " + " ".join(row))
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_what_a_greedy_player_could_lay_is_legal(players: int) -> None:
    checked = unopened = 0
    for game in states(players, 3, 150):
        position = game.to_position()
        turn = position["turn_state"]
        fresh = game.phase == "meld" and turn["asked"] is None and not turn["begun"]
        if not fresh or turn["pending"] or game.record.hand_sizes[game.turn] < 10:
            continue
        wanted = surely_legal(position)
        assert set(wanted) <= set(texts(game)), (position, set(wanted) - set(texts(game)))
        checked += len(wanted)
        unopened += not position["melded"][game.turn % game.sides] and bool(wanted)
    assert checked > 300 and unopened > 5


Renaming = Callable[[str], str]


def renaming(rng: random.Random) -> Renaming:
    """A random renaming of 4 to 7 among themselves, and of 8 to K: cards of the same value."""
    names: dict[str, str] = {}
    for group in (RANKS[:4], RANKS[4:10]):
        names.update(zip(group, rng.sample(group, len(group)), strict=True))
    return lambda text: re.sub(r"\w+", lambda word: names.get(word[0], word[0]), text)


def renamed(value: Any, rename: Renaming) -> Any:
    """A position with other names of its cards; keys and the names of its state stay."""
    if isinstance(value, str):
        return rename(value)
    if isinstance(value, list):
        return [renamed(item, rename) for item in value]
    if isinstance(value, dict):
        return {key: renamed(item, rename) for key, item in value.items()}
    return value


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_ranks_of_equal_value_can_be_renamed(players: int) -> None:
    rng, different = random.Random(players), 0
    for game in states(players, 4, 60):
        rename, legal = renaming(rng), texts(game)
        other = Game.from_position(renamed(game.to_position(), rename))
        assert sorted(texts(other)) == sorted(map(rename, legal))
        different += sorted(map(rename, legal)) != sorted(legal)
    assert different > 20


def rotated(position: Position, by: int) -> Position:
    """The same position with every seat `by` places on: seats, sides, dealer and all."""
    seats, sides = position["players"], len(position["scores"])

    def turn_list(row: list[Any]) -> list[Any]:
        return [row[(i - by) % len(row)] for i in range(len(row))]

    def turn_keys(rows: dict[int, Any], count: int) -> dict[int, Any]:
        return {(key + by) % count: row for key, row in rows.items()}

    found = dict(position)
    for key in ("scores", "red_threes", "melded", "concealed_canastas", "deal_scores"):
        if key in found:
            found[key] = turn_list(found[key])
    for key in ("seat_melded", "foot_played", "owed"):
        found[key] = turn_list(found[key])
    for key in ("hands", "feet", "discards", "known"):
        found[key] = turn_keys(found[key], seats)
    found["melds"] = turn_keys(found["melds"], sides)
    found["turn"], found["dealer"] = ((found[key] + by) % seats for key in ("turn", "dealer"))
    state = dict(found["turn_state"])
    if state.get("asker", -1) >= 0:
        state["asker"] = (state["asker"] + by) % seats
    return found | {"turn_state": state}


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_seats_can_be_rotated(players: int) -> None:
    rng = random.Random(players)
    turned = 0
    for game in states(players, 5, 60):
        by = rng.randrange(1, players)
        other = Game.from_position(rotated(game.to_position(), by))
        assert other.turn == (game.turn + by) % players
        assert (other.mask() == game.mask()).all()
        for seat in range(players):
            seen = other.observation((seat + by) % players)
            assert (seen == game.observation(seat)).all()
        turned += 1
    assert turned > 50


@pytest.mark.parametrize(("preset", "players"), PRESETS)
def test_random_play_from_large_hands_never_gets_stuck(preset: str, players: int) -> None:
    rng, ended = random.Random(9), 0
    for game in states(players, 6, 15, preset):
        for _ in range(400):
            if game.over:
                break
            legal = texts(game)
            assert legal, game.to_position()
            game.play(rng.choice(legal))
        ended += game.over
    assert ended >= 12

"""What holds in every state of every deal, over random deals of every preset that is played."""

from __future__ import annotations

import itertools
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canasta_env import Game, kernels
from canasta_env.cards import kind_token, write_cards
from canasta_env.game_log import Deal
from tests.comparing import GAMES, by_number, plain, same_state
from tests.playing import pick
from tests.reference import Table, deal, next_dealer, recount, totals, winners
from tests.reference.generate import SCORES

SEEDS = st.integers(0, 2**63 - 1)
PLAYS = st.integers(0, 2**32 - 1)
"""Random draws: seeds of a match, and of random play."""
every_table = pytest.mark.parametrize(("rules", "players"), GAMES)


@st.composite
def new_games(draw: st.DrawFn, rules: str, players: int) -> Game:
    """A game at the start of a deal, from scores of any band."""
    sides = Game(rules, players=players).sides
    scores = draw(st.lists(st.sampled_from(SCORES), min_size=sides, max_size=sides))
    streams = draw(st.booleans())
    return Game(
        rules,
        players=players,
        seed=draw(SEEDS),
        scores=scores,
        stock="seat_streams" if streams else "shared",
    )


def deck_of(game: Game) -> dict[str, int]:
    """How many of each card the deck has."""
    suited, counts = game.rules.sequences, game.rules.card_counts(game.players)
    return {kind_token(kind, suited=suited): count for kind, count in enumerate(counts)}


def stock_of(game: Game) -> list[int]:
    """The cards of all streams, as kinds."""
    record = game.record
    streams = range(int(record.streams))
    parts = [record.stock[record.stock_next[i] : record.stock_end[i]] for i in streams]
    return [int(card) for part in parts for card in part]


def all_places(position: dict[str, Any]) -> Counter[str]:
    """Every card that a position names, wherever it lies."""
    stock = position["stock"]
    rows = [*position["hands"].values(), *position["feet"].values()]
    rows += [row for side in position["melds"].values() for row in side]
    rows += [position["pile"], *(stock.values() if isinstance(stock, dict) else [stock])]
    rows.append(position["turn_state"].get("pending") or "")
    cards = Counter(card for row in rows for card in row.split())
    cards["3r"] += sum(position["red_threes"])
    return cards


def check_cards(game: Game) -> None:
    """No card is lost or made, no red three is in a hand, and the counts say what lies there."""
    record = game.record
    position = game.to_position()
    assert position["absent"] == ""
    assert all_places(position) == deck_of(game)
    assert not record.hands[:, 2].any() and not record.before[2]
    assert (record.hands.sum(axis=1) == record.hand_sizes).all()
    assert (np.minimum(record.known, record.hands) == record.known).all()
    assert int(record.stock_size) == len(stock_of(game))
    assert not record.has_foot[: game.players].any() or game.rules.foot
    for seat in range(game.players):
        assert bool(record.has_foot[seat]) == bool(record.feet[seat].any())


def check_counts(game: Game) -> None:
    """The counts kept beside the cards are those that a fresh count gives."""
    games = Deal(game.record.tobytes(), b"").games()
    games[0].shown[:] = 99
    games[0].pile_counts[:] = 99
    games[0].discarded[:] = 99
    games[0].last_discard[:] = 99
    packed = kernels.plain(game.table.pack(game.players))
    kernels.kernels_for(game.rules).derive_game(kernels.plain(games), 0, packed)
    assert games[0].tobytes() == game.record.tobytes()


def check_end(game: Game) -> None:
    """The reference, given the cards as they lie, comes to the same scores and the same dealer."""
    position = game.to_position()
    table = Table.from_position(shared_stock(position))
    ended = position["ended"]
    table.out = ended["seat"] if ended["seat"] >= 0 else None
    table.out_concealed = ended["how"] == "concealed"
    sides = [table.side_cards(side) for side in range(game.sides)]
    assert recount(table.rules, sides) == game.deal_scores
    assert [sum(sheet.values()) for sheet in game.breakdown()] == game.deal_scores
    assert game.scores == totals(table)
    assert game.match_over == bool(winners(table))
    if table.out is not None:
        assert table.out == game.turn and not table.hands[game.turn]
        assert not game.record.has_foot[game.turn]


def shared_stock(position: dict[str, Any]) -> dict[str, Any]:
    """The position as the reference reads it, which knows one stock only."""
    stock = position["stock"]
    if isinstance(stock, dict):
        stock = " ".join(row for row in stock.values() if row)
    return position | {"stock": stock}


@every_table
@settings(max_examples=4)
@given(data=st.data(), play=PLAYS)
def test_every_state_of_a_deal_is_sound(
    rules: str, players: int, data: st.DataObject, play: int
) -> None:
    game = data.draw(new_games(rules, players))
    rng, before = np.random.default_rng(play), game.scores
    for _ in range(5000):
        check_cards(game)
        check_counts(game)
        if game.over:
            break
        assert game.mask().any() and game.scores == before and game.deal_scores == [0] * game.sides
        game.play(pick(game, rng))
    assert game.over and not game.mask().any()
    check_end(game)


@every_table
@settings(max_examples=8)
@given(data=st.data(), play=PLAYS, steps=st.integers(0, 250), recall=st.booleans())
def test_a_view_is_the_same_in_every_world_that_it_allows(
    rules: str, players: int, data: st.DataObject, play: int, steps: int, recall: bool
) -> None:
    game = data.draw(new_games(rules, players))
    rng = np.random.default_rng(play)
    game.recall = recall
    for _ in range(steps):
        if not game.over:
            game.play(pick(game, rng))
    if game.over:
        return
    for seat in range(game.players):
        world = game.determinize(seat, play)
        check_cards(world)
        assert world.view(seat).tobytes() == game.view(seat).tobytes()
        assert (world.observation(seat) == game.observation(seat)).all()
        assert seat != game.turn or (world.mask() == game.mask()).all()


@every_table
@settings(max_examples=5)
@given(seed=SEEDS, play=PLAYS)
def test_scores_and_dealers_go_on_through_a_match(
    rules: str, players: int, seed: int, play: int
) -> None:
    game = Game(rules, players=players, seed=seed)
    rng, scores = np.random.default_rng(play), [0] * game.sides
    wins = "czech" not in rules  # where no canasta turns all against a side, few score anything
    for number in range(1, 60 if wins else 4):
        assert game.deal == number and game.scores == scores
        assert game.turn == (game.dealer + 1) % players
        while not game.over:
            game.play(pick(game, rng))
        scores = [old + new for old, new in zip(scores, game.deal_scores, strict=True)]
        assert game.scores == scores
        finished = Table.from_position(game.to_position())
        assert game.match_over == bool(winners(finished))
        if game.match_over:
            break
        game.next_deal()
        assert game.dealer == next_dealer(finished)
    assert game.deal == 4 if rules == "hand_and_foot" else game.match_over or not wins


def literal_deal(game: Game, hand: int, foot: int) -> tuple[list[list[int]], list[list[int]]]:
    """Hands and feet by slices of the deck, with the red threes that were in them."""
    seats = [(game.dealer + 1 + i) % game.players for i in range(game.players)]
    split = game.players * hand
    end = split + game.players * foot
    hands: list[list[int]] = [[] for _ in seats]
    feet: list[list[int]] = [[] for _ in seats]
    if game.rules.cut_bonus:
        return cut_deal(game, hand, seats), feet
    for place, seat in enumerate(seats):
        hands[seat] = game.deck[place : split : game.players].tolist()
        feet[seat] = game.deck[split + place : end : game.players].tolist()
    return hands, feet


def cut_deal(game: Game, hand: int, seats: list[int]) -> list[list[int]]:
    """Hands where the player at the dealer's right has some of the deck's last three cards."""
    hands: list[list[int]] = [[] for _ in seats]
    hands[seats[-2]] = [card for card in game.deck[-3:].tolist() if card < 3]
    deck = iter(game.deck.tolist())
    for _ in range(hand):
        for seat in seats:
            if len(hands[seat]) < hand:
                hands[seat].append(next(deck))
    return hands


@every_table
@settings(max_examples=5)
@given(shuffler=st.randoms(use_true_random=False), data=st.data())
def test_a_deck_is_dealt_one_card_at_a_time(
    rules: str, players: int, shuffler: Random, data: st.DataObject
) -> None:
    game = Game(rules, players=players)
    deck = sorted(game.deck.tolist())
    shuffler.shuffle(deck)
    dealer = data.draw(st.integers(0, players - 1))
    game = Game(rules, players=players, deck=deck, dealer=dealer)
    fields = game.rules.at(players)
    assert isinstance(fields.hand, int) and isinstance(fields.foot, int)
    hands, feet = literal_deal(game, fields.hand, fields.foot)
    lying = by_number(game.to_position()["feet"])
    for seat in range(players):
        dealt = Counter(kind for kind in hands[seat] if kind != 2)
        held = Counter(dict(enumerate(map(int, game.record.hands[seat]))))
        assert dealt <= held  # red threes are laid out and replaced
        owed = int(game.record.owed[seat])
        assert game.record.hand_sizes[seat] == fields.hand - owed
        assert owed == (hands[seat].count(2) if fields.owed_red_threes else 0)
        assert sorted(write_cards(feet[seat]).split()) == lying.get(seat, [])
    same_state(game, deal(rules, players, tokens(game, deck), dealer))


def tokens(game: Game, deck: Any) -> list[str]:
    """A deck as the reference reads it."""
    return write_cards(deck, suited=game.rules.sequences).split()


UPCARDS = list(itertools.product(("JK", "2", "3r", "3b", "K"), repeat=2))


@every_table
def test_every_upcard_is_covered_buried_or_left(rules: str, players: int) -> None:
    fields = Game(rules, players=players).rules.at(players)
    assert isinstance(fields.hand, int) and isinstance(fields.foot, int)
    first, sizes = players * (fields.hand + fields.foot), set()
    for number, pair in enumerate(UPCARDS):
        fresh = Game(rules, players=players, seed=number)
        deck = tokens(fresh, fresh.deck)
        turned = [f"{card}h" if card == "K" and fields.sequences else card for card in pair]
        for card in turned:
            deck.remove(card)
        deck[first:first] = turned
        game = Game(rules, players=players, deck=deck, dealer=number % players)
        same_state(game, deal(rules, players, deck, number % players))
        sizes.add(int(game.record.pile_size))
    usual = {"offer": {0}, "as_is": {1}, "bury": {1}}.get(str(fields.upcard), {1, 2, 3})
    assert sizes >= usual


@every_table
@settings(max_examples=4)
@given(seed=SEEDS)
def test_streams_share_out_the_stock_card_by_card(rules: str, players: int, seed: int) -> None:
    shared = Game(rules, players=players, seed=seed)
    streams = Game(rules, players=players, seed=seed, stock="seat_streams")
    stock = shared.to_position()["stock"].split()
    for seat, row in streams.to_position()["stock"].items():
        assert row.split() == stock[(seat - shared.turn) % players :: players]
    one, other = plain(shared.to_position()), plain(streams.to_position())
    one.pop("stock")
    other.pop("stock")
    assert one == other


@pytest.mark.long
@every_table
@settings(max_examples=300)
@given(data=st.data(), play=PLAYS)
def test_thousands_of_deals_are_sound(
    rules: str, players: int, data: st.DataObject, play: int
) -> None:
    game = data.draw(new_games(rules, players))
    rng = np.random.default_rng(play)
    while not game.over:
        assert game.mask().any()
        game.play(pick(game, rng))
    check_cards(game)
    check_counts(game)
    check_end(game)

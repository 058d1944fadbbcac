"""A batch in a wider view: the games stay the same, and each suit is somewhere exactly once."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from agents import registry
from canasta_env.batch import Batch, IllegalActionError
from canasta_env.channels import ShownBatch
from canasta_env.channels_suits import lots
from train.evaluate import duplicate

NATURAL = slice(4, 15)
TABLES = [
    *(("mini", 2), ("mini", 4), ("tiny", 2)),
    *(("classic", 2), ("classic", 3), ("classic", 4), ("classic", 6)),
    *(("hand_and_foot", 4), ("latvian", 4), ("hungarian", 4), ("russian", 4), ("standard", 4)),
]
"""Feet, offers, piles taken in part and melds that close are among them."""


def drawn(batch: Any, rng: np.random.Generator) -> Any:
    """A legal action of each game, by lot."""
    return (rng.random(batch.mask.shape) * batch.mask).argmax(axis=1)


def played(rules: str, steps: int, n: int = 24, **options: Any) -> ShownBatch:
    """Games some random moves along."""
    batch = ShownBatch(rules, n, **{"seed": 3, "autoreset": "same_step", **options})
    rng = np.random.default_rng(5)
    for _ in range(steps):
        batch.step(drawn(batch, rng))
    return batch


def on_pile(suits: Any) -> Any:
    """Natural cards on each pile and apart, (n, ranks, suits)."""
    counts = np.zeros((len(suits.pile), 44), np.int64)
    rows, places = np.nonzero(suits.pile >= 0)
    np.add.at(counts, (rows, suits.pile[rows, places]), 1)
    return counts.reshape(-1, 11, 4)


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_every_card_is_somewhere_and_every_hand_has_its_suits(rules: str, players: int) -> None:
    """After each random step: hands sum to the engine's by kind, the pile's cards are the
    engine's at their places, no suit is out more often than the packs have it, and what is missing
    is what lies on the table.
    """
    batch = played(rules, 0, players=players)
    suits, rng = batch._suits, np.random.default_rng(6)
    assert suits is not None
    packs = batch.rules.card_counts(players)[NATURAL]
    np.testing.assert_array_equal(suits.pack.sum(axis=1), packs)
    places = np.arange(suits.pile.shape[1])
    for _ in range(150):
        batch.step(drawn(batch, rng))
        games = batch.games
        np.testing.assert_array_equal(suits.hands.sum(axis=3), games.hands[:, :players, NATURAL])
        lies = places < (games.pile_size + games.pending)[:, None]
        ranks = games.pile[:, : len(places)].astype(int) - 4
        expected = np.where(lies & (ranks >= 0), ranks, -1)
        np.testing.assert_array_equal(np.where(suits.pile >= 0, suits.pile // 4, -1), expected)
        table = suits.pack - suits.rest - suits.hands.sum(axis=1) - on_pile(suits)
        assert min(table.min(), suits.rest.min(), suits.hands.min()) >= 0
        np.testing.assert_array_equal(table.sum(axis=2), games.shown[:, NATURAL])


@pytest.mark.parametrize("autoreset", ["off", "next_step", "same_step"])
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_the_games_are_those_of_the_batch(autoreset: Any, episode: Any) -> None:
    """The same moves without suits give the same games, and the first features are theirs; with
    nothing shown all bytes are.
    """
    options: dict[str, Any] = {
        "seed": 8, "players": 4, "autoreset": autoreset, "episode": episode, "max_deals": 2,
    }  # fmt: skip
    shown, bare = (ShownBatch("mini", 16, shown=s, **options) for s in (("suits", "order"), ()))
    plain, rng = Batch("mini", 16, **options), np.random.default_rng(1)
    ended = named = 0
    for _ in range(250):
        actions = drawn(shown, rng)
        named += int((actions >= len(plain.table)).sum())
        shown.step(actions)
        for one in (plain, bare):
            one.step(shown.table.plain[actions])
        assert shown.games.tobytes() == plain.games.tobytes() == bare.games.tobytes()
        own = shown.observation[:, : plain.observation_size]
        np.testing.assert_array_equal(own, plain.observation)
        np.testing.assert_array_equal(bare.observation, plain.observation)
        np.testing.assert_array_equal(bare.mask, plain.mask)
        ended += int(plain.deal_over.sum())
    assert named > 100
    assert ended >= 16
    assert (bare.table.hash, bare.observation_hash) == (plain.table.hash, plain.observation_hash)
    np.testing.assert_array_equal(bare.scale, plain.scale)


def test_a_view_does_not_tell_hidden_suits() -> None:
    """The cards of the others and of the stock get other suits: features and mask stay equal. A
    card of the own hand with another suit changes them.
    """
    batch = played("classic", 50, players=4)
    suits, games = batch._suits, np.arange(batch.n)
    assert suits is not None
    seen, legal = batch.observation.copy(), batch.mask.copy()
    moved = suits.hands.copy()
    for seat in range(1, 4):
        other = (batch.seat + seat) % 4
        moved[games, other] = np.roll(moved[games, other], seat, axis=-1)
    assert (moved != suits.hands).any(axis=(1, 2, 3)).all()
    suits.hands[:] = moved
    suits.rest[:] = np.roll(suits.rest, 1, axis=-1)
    batch._write()
    np.testing.assert_array_equal(batch.observation, seen)
    np.testing.assert_array_equal(batch.mask, legal)
    suits.hands[games, batch.seat] = np.roll(suits.hands[games, batch.seat], 1, axis=-1)
    batch._write()
    assert (batch.observation != seen).any(axis=1).all()
    assert (batch.mask != legal).any()


def test_the_chosen_suit_is_on_the_pile_and_all_see_it() -> None:
    """Own hand, top card and last discard, read from the features by their names."""
    batch = played("mini", 30, shown=("suits",), players=4)
    rng, checked = np.random.default_rng(2), 0
    for _ in range(60):
        actions, seats, before = drawn(batch, rng), batch.seat.copy(), _pieces(batch)
        hand = batch.games.hands[np.arange(batch.n), seats][:, NATURAL]
        np.testing.assert_array_equal(before["hand_suits"].reshape(-1, 11, 4).sum(2), hand)
        batch.step(actions)
        after = _pieces(batch)
        for row in np.flatnonzero((batch.table.suits[actions] >= 0) & ~batch.deal_over):
            suit = "cdhs".index(batch.table.texts[actions[row]][-1])
            thrower = (seats[row] - batch.seat[row]) % 4
            assert after["last_discard_suit"][row].reshape(4, 4)[thrower].argmax() == suit
            assert after["pile_top_suit"][row].tolist() == [int(s == suit) for s in range(4)]
            rank = batch.games.last_discard[row, seats[row]] - 4
            assert before["hand_suits"][row].reshape(11, 4)[rank, suit] > 0
            checked += 1
    assert checked > 100


def _pieces(batch: ShownBatch) -> dict[str, Any]:
    """The shown features by the names of their pieces."""
    ends = np.cumsum([piece.size for piece in batch.pieces])[:-1]
    shown = batch.observation[:, batch.base.observation_size :].copy()
    names = [piece.name for piece in batch.pieces]
    return dict(zip(names, np.split(shown, ends, axis=1), strict=True))


def test_the_order_of_melds_is_the_order_of_the_actions() -> None:
    """Against a record of every melding action, by what it says, kept in plain Python."""
    batch = ShownBatch("mini", 32, shown=("order",), players=4, seed=1, autoreset="same_step")
    basic = registry.make("basic")
    expected, turns = np.zeros((32, 4, 11), int), np.full((32, 4), -1)
    several = 0
    for _ in range(400):
        actions = basic.act(batch, np.arange(32))
        seats, turn = batch.seat.copy(), batch.games.turns.copy()
        ranks = [_melded(batch, row, int(action)) for row, action in enumerate(actions)]
        batch.step(actions)
        for row, rank in enumerate(ranks):
            at = row, seats[row]
            if rank >= 0 and turns[at] != turn[row]:
                expected[at], turns[at] = 0, turn[row]
            if rank >= 0 and not expected[at][rank]:
                expected[at][rank] = expected[at].max() + 1
        expected[batch.deal_over], turns[batch.deal_over] = 0, -1
        found = batch.observation[:, batch.base.observation_size :].reshape(32, 4, 11)
        for row in range(32):
            relative = np.roll(expected[row], -batch.seat[row], axis=0)
            np.testing.assert_array_equal(found[row], relative)
        several += int((expected.max(axis=2) > 1).any())
    assert several > 50


def _melded(batch: ShownBatch, row: int, action: int) -> int:
    """The rank that an action lays or adds to, 0 for a 4; -1 for another action."""
    family, number, _ = batch.base.table.rows[action]
    if family == "take":  # the top card, onto the side's meld
        number = int(batch.games.pile[row, batch.games.pile_size[row] - 1])
    melds = family.startswith(("take", "meld", "add"))
    return number - 4 if melds and number >= 4 else -1


def test_bots_play_without_knowing_of_suits() -> None:
    """What they win is what they win in the plain batch."""
    agents = [registry.make("expert"), registry.make("basic")]
    options: dict[str, Any] = {"players": 4, "autoreset": "off"}
    plain = duplicate(*agents, lambda n, seed: Batch("mini", n, seed=seed, **options),
                      decks=32, games=64)  # fmt: skip
    agents = [registry.make("expert"), registry.make("basic")]
    shown = duplicate(*agents, lambda n, seed: ShownBatch("mini", n, seed=seed, **options),
                      decks=32, games=64)  # fmt: skip
    np.testing.assert_array_equal(plain, shown)


@pytest.mark.parametrize("copied", ["state", "pickle"])
def test_a_batch_goes_on_from_its_state(copied: str) -> None:
    batch = played("mini", 70, players=4)
    if copied == "state":
        other = played("mini", 3, players=4, seed=9)
        other.load_state_dict(batch.state_dict())
    else:
        other = pickle.loads(pickle.dumps(batch))
    rng = np.random.default_rng(1)
    for _ in range(60):
        actions = drawn(batch, rng)
        for one in (batch, other):
            one.step(actions)
        np.testing.assert_array_equal(batch.observation, other.observation)
        np.testing.assert_array_equal(batch.mask, other.mask)


def test_a_reset_with_a_seed_begins_as_a_new_batch_does() -> None:
    again, new = played("mini", 50, players=4, seed=1), played("mini", 0, players=4, seed=7)
    again.reset(seed=7)
    np.testing.assert_array_equal(again.observation, new.observation)
    new.reset()
    assert (again.observation != new.observation).any()


def test_lots_are_fair_and_without_return() -> None:
    """Of two, one and three cards of three suits: 4 of the 6 leave on average 1/3 of each."""
    counts = np.tile([2, 1, 3], (6000, 1))
    found = lots(np.random.default_rng(1), counts, np.full(6000, 4))
    assert (found.sum(axis=1) == 4).all()
    assert ((found >= 0) & (found <= counts)).all()
    np.testing.assert_allclose(found.mean(axis=0), [4 / 3, 2 / 3, 2], atol=0.03)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="'hands' is none of order, suits"):
        ShownBatch("mini", 1, shown=("hands",))
    with pytest.raises(ValueError, match="suits matter and are seen by all"):
        ShownBatch("czech", 1)
    batch = played("mini", 20, players=4)
    kept = batch.state_dict()
    actions = drawn(batch, np.random.default_rng(1))
    for wrong in (batch.actions, -1, int(np.flatnonzero(~batch.mask[3])[-1])):
        actions[3] = wrong
        with pytest.raises(IllegalActionError, match="game 3: "):
            batch.step(actions)
    with pytest.raises(ValueError, match="whole numbers needed"):
        batch.step(actions[:-1])
    for name, array in batch.state_dict().items():
        np.testing.assert_array_equal(array, kept[name])

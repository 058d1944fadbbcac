"""Chance: the published vectors, fair numbers, and decks that never change."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from canasta_env import Game, kernels
from canasta_env.engine.rng import below, derive, shuffle, threefry

ROOT = Path(__file__).parent.parent
WORD = 0xFFFFFFFF
STREAM = 77
"""A stream that the engine has no use for."""

# Threefry-2x32, 20 rounds, from the known-answer file of the authors' library Random123:
# counter, key, result, each low word first
KNOWN_ANSWERS = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((WORD, WORD), (WORD, WORD), (0x1CB996FC, 0xBB002BE7)),
    ((0x243F6A88, 0x85A308D3), (0x13198A2E, 0x03707344), (0xC4923A9C, 0x483DF7A0)),
]

DECKS = {
    ("classic", 4): "474d7d21bd2f5f8f",
    ("classic", 6): "307e9f8e811a89ea",
    ("hand_and_foot", 4): "05101a65930c05c2",
}
"""The first 16 digits of the sha256 of the decks of deals 1 to 3 of the match with seed 7."""


def as_seed(low: int, high: int) -> int:
    """The signed 64-bit number with these halves, as the kernels take a seed."""
    word = low | high << 32
    return word - (1 << 64) if word >> 63 else word


@pytest.mark.parametrize(("counter", "key", "result"), KNOWN_ANSWERS)
def test_the_published_vectors(
    counter: tuple[int, int], key: tuple[int, int], result: tuple[int, int]
) -> None:
    index, stream = counter
    assert threefry(as_seed(*key), stream, index) == result


def spread(values: Iterable[int], kinds: int, draws: int) -> float:
    """How far counts are from equal, in standard deviations of their chi-square."""
    counts = Counter(values)
    assert set(counts) <= set(range(kinds)) and counts.total() == draws
    expected = draws / kinds
    square = sum((counts[kind] - expected) ** 2 / expected for kind in range(kinds))
    return float((square - (kinds - 1)) / (2 * (kinds - 1)) ** 0.5)


@pytest.mark.parametrize("bound", [2, 3, 7, 52, 108])
def test_numbers_below_a_bound_are_equally_frequent(bound: int) -> None:
    numbers = [below(5, STREAM, i, bound) for i in range(20_000)]
    assert abs(spread(numbers, bound, 20_000)) < 4
    pairs = [a * bound + b for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
    if bound < 10:  # neighbours are independent
        assert abs(spread(pairs, bound * bound, 10_000)) < 4


def test_only_one_number_is_below_one() -> None:
    assert {below(5, STREAM, i, 1) for i in range(100)} == {0}


def test_words_that_would_favour_some_numbers_are_rejected() -> None:
    # without rejection, of each three numbers below 3 * 2**29 the last would be a third too seldom
    bound = 3 << 29
    numbers = [below(5, STREAM, i, bound) for i in range(20_000)]
    assert all(0 <= number < bound for number in numbers)
    assert abs(spread((number % 3 for number in numbers), 3, 20_000)) < 4
    naive = [(threefry(5, STREAM, i)[0] * bound) >> 32 for i in range(20_000)]
    assert spread((number % 3 for number in naive), 3, 20_000) > 50
    # both words of a call are rejected in one of sixteen, and the next call serves
    first = {(word * bound) >> 32 for i in range(20_000) for word in threefry(5, STREAM, i)}
    assert 900 < sum(number not in first for number in numbers) < 1600


def test_numbers_depend_on_seed_stream_and_index() -> None:
    words = {
        threefry(seed, stream, index)
        for seed in (0, 1, 1 << 32, 1 << 62)
        for stream in range(10)
        for index in range(50)
    }
    assert len(words) == 4 * 10 * 50


def test_derived_seeds_have_63_bits() -> None:
    seeds = [derive(3, STREAM, index) for index in range(2000)]
    assert len(set(seeds)) == 2000
    assert all(0 <= seed < 1 << 63 for seed in seeds)
    for bit in range(63):
        assert 800 < sum(seed >> bit & 1 for seed in seeds) < 1200


def test_all_orders_are_equally_frequent() -> None:
    orders = []
    for seed in range(12_000):
        cards = np.arange(4, dtype=np.uint8)
        shuffle(cards, 4, seed, STREAM)
        orders.append(sum(int(card) << (2 * i) for i, card in enumerate(cards)))
    names = {order: i for i, order in enumerate(sorted(set(orders)))}
    assert len(names) == 24
    assert abs(spread((names[order] for order in orders), 24, 12_000)) < 4


def test_a_shuffle_leaves_the_rest_and_loses_nothing() -> None:
    cards = np.arange(108, dtype=np.uint8)
    shuffle(cards, 100, 1, STREAM)
    assert sorted(cards[:100].tolist()) == list(range(100))
    assert cards[100:].tolist() == list(range(100, 108))
    assert sum(int(card) == i for i, card in enumerate(cards[:100])) < 10


def plain_threefry(seed: int, stream: int, index: int) -> list[int]:
    """The generator once more, written apart: add, rotate, xor; a key every four rounds."""
    key = [seed & WORD, seed >> 32 & WORD]
    key.append(key[0] ^ key[1] ^ 0x1BD11BDA)
    x, y = (index + key[0]) & WORD, (stream + key[1]) & WORD
    for number in range(20):
        turn = (13, 15, 26, 6, 17, 29, 16, 24)[number % 8]
        x = (x + y) & WORD
        y = (y << turn & WORD | y >> (32 - turn)) ^ x
        if number % 4 == 3:
            block = number // 4 + 1
            x, y = (x + key[block % 3]) & WORD, (y + key[(block + 1) % 3] + block) & WORD
    return [x, y]


def plain_below(seed: int, stream: int, index: int, bound: int) -> int:
    """The first word that is not one too many gives the number."""
    for retry in range(100):
        for word in plain_threefry(seed, stream + 256 * retry, index):
            if word * bound % (1 << 32) >= (1 << 32) % bound:
                return word * bound >> 32
    raise AssertionError("a hundred retries")


@pytest.mark.parametrize("seed", [0, 7, (1 << 63) - 1])
def test_a_second_writing_of_it_gives_the_same_numbers(seed: int) -> None:
    for index in range(200):
        for bound in (1, 2, 5, 108, 3 << 29):
            assert below(seed, STREAM, index, bound) == plain_below(seed, STREAM, index, bound)
    cards = np.arange(108, dtype=np.uint8)
    shuffle(cards, 108, seed, STREAM)
    plain = list(range(108))
    for i in range(107, 0, -1):
        j = plain_below(seed, STREAM, i, i + 1)
        plain[i], plain[j] = plain[j], plain[i]
    assert cards.tolist() == plain


def deck_hash(rules: str, players: int) -> str:
    digest = hashlib.sha256()
    game = Game(rules, players=players, seed=7)
    for deal in (1, 2, 3):
        digest.update(deck_of(game, deal))
    return digest.hexdigest()[:16]


def deck_of(game: Game, deal: int) -> bytes:
    """The deck of a deal of the game's match."""
    deck = np.zeros(len(game.deck), np.uint8)
    packed = kernels.plain(game.table.pack(game.players))
    kernels.make_deck(packed, int(game.record.match_seed), deal, deck)
    assert deal > 1 or (deck == game.deck).all()
    return deck.tobytes()


@pytest.mark.parametrize(("rules", "players"), list(DECKS))
def test_the_decks_of_a_seed_never_change(rules: str, players: int) -> None:
    assert deck_hash(rules, players) == DECKS[rules, players]


def test_uncompiled_code_shuffles_the_same() -> None:
    code = "from tests.test_rng import DECKS, deck_hash; print({k: deck_hash(*k) for k in DECKS})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == str(DECKS)

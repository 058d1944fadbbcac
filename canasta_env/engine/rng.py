"""Chance: one counter-based generator, the same on every platform, compiled or not.

Threefry-2x32 with 20 rounds (Salmon et al., *Parallel random numbers: as easy as 1, 2, 3*, 2011): a
random word is a function of a key (the seed) and a counter (stream and index), so there is no state
to keep, copy or share. All arithmetic is on 32-bit words in Python integers or int64, which never
overflow differently.
"""

from __future__ import annotations

from typing import Any, Final

from canasta_env.jit import helper

WORD: Final = 0xFFFFFFFF
PARITY: Final = 0x1BD11BDA
ROTATIONS: Final = (13, 15, 26, 6, 17, 29, 16, 24)

# streams: what a random word is for
DECK: Final = 1
DEALER: Final = 2
SCORES: Final = 3
EPISODE: Final = 4
BOT: Final = 5
WORLD: Final = 6
FILL: Final = 7


@helper
def threefry(seed: int, stream: int, index: int) -> tuple[int, int]:
    """Two random 32-bit words for ``seed`` (64 bits), ``stream`` and ``index`` (32 bits each)."""
    key0 = int(seed) & WORD
    key1 = (int(seed) >> 32) & WORD
    key2 = PARITY ^ key0 ^ key1
    x0 = ((int(index) & WORD) + key0) & WORD
    x1 = ((int(stream) & WORD) + key1) & WORD
    for block in range(5):
        for i in range(4):
            turn = ROTATIONS[4 * (block % 2) + i]
            x0 = (x0 + x1) & WORD
            x1 = ((x1 << turn) & WORD) | (x1 >> (32 - turn))
            x1 ^= x0
        key0, key1, key2 = key1, key2, key0  # the schedule k1 k2, k2 k0, k0 k1, …
        x0 = (x0 + key0) & WORD
        x1 = (x1 + key1 + block + 1) & WORD
    return x0, x1


@helper
def below(seed: int, stream: int, index: int, bound: int) -> int:
    """An unbiased random number in ``0 … bound - 1``, 1 <= bound <= 2**31 (Lemire's rejection)."""
    excess = (WORD + 1) % bound  # words whose product's low half is smaller are one too many
    retry = 0
    while True:
        x0, x1 = threefry(seed, stream + (retry << 8), index)
        if ((x0 * bound) & WORD) >= excess:
            return (x0 * bound) >> 32
        if ((x1 * bound) & WORD) >= excess:
            return (x1 * bound) >> 32
        retry += 1


@helper
def derive(seed: int, stream: int, index: int) -> int:
    """A new seed of 63 bits from a seed, for another purpose or another game."""
    x0, x1 = threefry(seed, stream, index)
    return ((x1 & 0x7FFFFFFF) << 32) | x0


@helper
def shuffle(cards: Any, count: int, seed: int, stream: int) -> None:
    """Shuffle the first ``count`` elements of an array in place (Fisher and Yates)."""
    for i in range(count - 1, 0, -1):
        j = below(seed, stream, i, i + 1)
        card = cards[i]
        cards[i] = cards[j]
        cards[j] = card

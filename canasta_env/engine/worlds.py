"""Determinization: a world that a seat cannot tell from the true one (design: Determinization).

Drawn uniformly over orders of the physical cards, given all public cards, the looking seat's own
hand, the cards that other seats are known to hold, that no red three is in a hand, and that a turn
under way can still end. Past voluntary choices are not weighed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.engine.going_out import goes_out
from canasta_env.engine.lookahead import can_end
from canasta_env.engine.rng import WORLD, below
from canasta_env.engine.scratch import FACT, SIZE, fill_scratch
from canasta_env.engine.state import MAX_CARDS, RANKS, Phase
from canasta_env.jit import helper

TRIES = 4_000_000


@helper
def gather(g: Any, seat: int, pool: Any) -> int:
    """Put the naturals and wild cards that ``seat`` cannot place into ``pool``; returns how many
    there are."""
    size = 0
    for other in range(int(g.players)):
        for k in range(RANKS):
            hidden = int(g.feet[other, k])
            if other != seat:
                hidden += int(g.hands[other, k]) - int(g.known[other, k])
            for _ in range(hidden if k != 2 else 0):
                pool[size] = k
                size += 1
    for stream in range(int(g.streams)):
        for i in range(int(g.stock_next[stream]), int(g.stock_end[stream])):
            if g.stock[i] != 2:
                pool[size] = g.stock[i]
                size += 1
    return size


@helper
def hidden_red_threes(g: Any) -> int:
    """Red threes in feet and stock."""
    count = 0
    for other in range(int(g.players)):
        count += int(g.feet[other, 2])
    for stream in range(int(g.streams)):
        for i in range(int(g.stock_next[stream]), int(g.stock_end[stream])):
            if g.stock[i] == 2:
                count += 1
    return count


@helper
def pick(pool: Any, first: int, size: int, seed: int, counter: int) -> int:
    """Swap a random one of the cards from ``first`` on to the place ``first`` and return it."""
    j = first + below(seed, WORLD, counter, size - first)
    card = int(pool[j])
    pool[j] = pool[first]
    pool[first] = card
    return card


@helper
def turn_possible(g: Any, r: Any, actor: int, s: Any) -> bool:
    """Could the turn under way have come to this point with the actor's hand?"""
    fill_scratch(g, r, actor, s)
    if g.phase == Phase.ANSWER:
        return s[FACT, SIZE] >= 2 and goes_out(s, r)
    return can_end(s, r)


@helper
def refill_hand(
    g: Any, other: int, pool: Any, first: int, size: int, seed: int, counter: int
) -> int:
    """Give ``other`` its known cards and random ones of the pool; returns how many were used."""
    used = 0
    for k in range(RANKS):
        g.hands[other, k] = g.known[other, k]
        used += int(g.known[other, k])
    drawn = int(g.hand_sizes[other]) - used
    for i in range(drawn):
        g.hands[other, pick(pool, first + i, size, seed, counter + i)] += 1
    return drawn


@helper
def resample(g: Any, r: Any, seat: int, seed: int, s: Any) -> bool:
    """Replace all that ``seat`` cannot know by a random possible world; False if none was found."""
    pool = np.zeros(MAX_CARDS, np.uint8)
    size = gather(g, seat, pool)
    threes = hidden_red_threes(g)
    actor = int(g.asker) if g.phase == Phase.ANSWER else int(g.turn)
    under_way = g.phase == Phase.MELD or g.phase == Phase.ANSWER
    counter = 0
    first = 0
    if actor != seat and under_way:
        laid = np.zeros(RANKS, np.int64)
        for k in range(RANKS):
            laid[k] = int(g.before[k]) - int(g.hands[actor, k])
        found = False
        for _ in range(TRIES):
            first = refill_hand(g, actor, pool, 0, size, seed, counter)
            counter += first + 1
            found = turn_possible(g, r, actor, s)
            if found or first == 0:
                break
        if not found:
            return False
        for k in range(RANKS):
            g.before[k] = int(g.hands[actor, k]) + laid[k]
    for other in range(int(g.players)):
        if other != seat and not (other == actor and under_way):
            drawn = refill_hand(g, other, pool, first, size, seed, counter)
            first += drawn
            counter += drawn
    for _ in range(threes):
        pool[size] = 2
        size += 1
    refill_rest(g, pool, first, size, seed, counter)
    return True


@helper
def refill_rest(g: Any, pool: Any, first: int, size: int, seed: int, counter: int) -> None:
    """Deal what is left of the pool, red threes too, to the feet and the stock."""
    for other in range(int(g.players)):
        cards = 0
        for k in range(RANKS):
            cards += int(g.feet[other, k])
            g.feet[other, k] = 0
        for _ in range(cards):
            g.feet[other, pick(pool, first, size, seed, counter)] += 1
            first += 1
            counter += 1
    for stream in range(int(g.streams)):
        for i in range(int(g.stock_next[stream]), int(g.stock_end[stream])):
            g.stock[i] = pick(pool, first, size, seed, counter)
            first += 1
            counter += 1

"""Determinization: a world that a seat cannot tell from the true one (design: Determinization).

Drawn uniformly over orders of the physical cards, given all public cards, the looking seat's own
hand, the cards that other seats are known to hold, that no red three is in a hand, what the cut
showed, and that a turn under way can still end. Past voluntary choices are not weighed.

The cut shows its player which cards stayed last; the others know of each of these that it is
neither wild nor a red three, and of so many cards of his that they are wild.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.engine.deal import CUT_CARDS
from canasta_env.engine.draw import next_stream
from canasta_env.engine.layout import by_layout, kinds_of
from canasta_env.engine.lookahead import can_end
from canasta_env.engine.rng import WORLD, below
from canasta_env.engine.scratch import FACT, MODE, MUST, SIZE, fill_scratch
from canasta_env.engine.sequences import can_end_suited
from canasta_env.engine.state import MAX_CARDS, Phase
from canasta_env.jit import helper, inlined

TRIES = 4_000_000


@helper
def is_bottom(g: Any, place: int) -> bool:
    """Does a card that stayed last in the cut lie at this place of the stock?"""
    for i in range(CUT_CARDS):
        if g.cut_places[i] == place:
            return True
    return False


@helper
def is_offered(g: Any, place: int) -> bool:
    """Does the card at this place of the stock lie open, since it is offered?"""
    if g.phase != Phase.OFFER:
        return False
    return bool(g.stock_next[next_stream(g, int(g.turn))] == place)


@helper
def is_seen(g: Any, place: int, seat: int) -> bool:
    """Does the seat know which card lies at this place of the stock?"""
    return bool((g.cut_seat == seat and is_bottom(g, place)) or is_offered(g, place))


@helper
def gather(g: Any, seat: int, pool: Any) -> int:
    """Put the naturals and wild cards that ``seat`` cannot place into ``pool``; returns how many
    there are."""
    size = 0
    for other in range(int(g.players)):
        for k in range(kinds_of(g)):
            hidden = int(g.feet[other, k])
            if other != seat:
                hidden += int(g.hands[other, k]) - int(g.known[other, k])
            for _ in range(hidden if k != 2 else 0):
                pool[size] = k
                size += 1
    for stream in range(int(g.streams)):
        for i in range(int(g.stock_next[stream]), int(g.stock_end[stream])):
            if g.stock[i] != 2 and not is_seen(g, i, seat):
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
            if g.stock[i] == 2 and not is_offered(g, i):
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
def ends_plain(g: Any, s: Any, r: Any) -> bool:
    """Can the turn end, where suits do not matter?"""
    return bool(can_end(s, r))


@helper
def ends_suited(g: Any, s: Any, r: Any) -> bool:
    """The same where they do."""
    return bool(can_end_suited(s, r))


may_end = by_layout(ends_plain, ends_suited)


@inlined
def turn_possible(g: Any, r: Any, actor: int, s: Any) -> bool:
    """Could the turn under way have come to this point with the actor's hand?"""
    fill_scratch(g, r, actor, s)
    if g.phase == Phase.ANSWER:
        s[FACT, MODE] = MUST
        return bool(s[FACT, SIZE] >= 2 and may_end(g, s, r))
    return bool(may_end(g, s, r))


@helper
def pick_kind(pool: Any, first: int, size: int, seed: int, counter: int, wild: bool) -> int:
    """Like :func:`pick`, but among the wild cards, or among the others, alone."""
    fitting = 0
    for i in range(first, size):
        if (pool[i] < 2) == wild:
            fitting += 1
    left = below(seed, WORLD, counter, fitting)
    for i in range(first, size):
        if (pool[i] < 2) == wild:
            if left == 0:
                card = int(pool[i])
                pool[i] = pool[first]
                pool[first] = card
                return card
            left -= 1
    return -1


@helper
def cut_wilds_of(g: Any, other: int, seat: int) -> int:
    """How many wild cards of the cut are in a hand that ``seat`` cannot see."""
    return int(g.cut_wilds) if g.cut_seat == other and other != seat else 0


@helper
def refill_cut(g: Any, pool: Any, size: int, seat: int, seed: int, counter: int) -> int:
    """Choose the cards that the cut tells something of, to the front of the pool: the wild ones of
    who cut, then those that stayed last, which are put there; returns how many there are.

    They come before all others, so that every world that fits has the same chance.
    """
    used = 0
    for _ in range(cut_wilds_of(g, int(g.cut_seat), seat)):
        pick_kind(pool, used, size, seed, counter + used, True)
        used += 1
    for stream in range(int(g.streams)):
        for i in range(int(g.stock_next[stream]), int(g.stock_end[stream])):
            if is_bottom(g, i) and not is_seen(g, i, seat):
                card = pick_kind(pool, used, size, seed, counter + used, False)
                g.stock[i] = card
                used += 1
                for j in range(CUT_CARDS):
                    if g.cut_places[j] == i:
                        g.cut_bottom[j] = card
    return used


@helper
def refill_hand(
    g: Any, other: int, seat: int, pool: Any, first: int, size: int, seed: int, counter: int
) -> int:
    """Give ``other`` its known cards, those of the cut, and random ones of the pool; returns how
    many of these were used."""
    used = 0
    for k in range(kinds_of(g)):
        g.hands[other, k] = g.known[other, k]
        used += int(g.known[other, k])
    for i in range(cut_wilds_of(g, other, seat)):
        g.hands[other, pool[i]] += 1
        used += 1
    drawn = int(g.hand_sizes[other]) - used
    for i in range(drawn):
        g.hands[other, pick(pool, first + i, size, seed, counter + i)] += 1
    return drawn


@helper
def resample(g: Any, r: Any, seat: int, seed: int, s: Any) -> bool:
    """Replace all that ``seat`` cannot know by a random possible world; False if none was found."""
    kinds = kinds_of(g)
    pool = np.zeros(MAX_CARDS, np.uint8)
    size = gather(g, seat, pool)
    threes = hidden_red_threes(g)
    actor = int(g.asker) if g.phase == Phase.ANSWER else int(g.turn)
    under_way = g.phase == Phase.MELD or g.phase == Phase.ANSWER
    first = refill_cut(g, pool, size, seat, seed, 0)
    counter = first
    if actor != seat and under_way:
        laid = np.zeros(kinds, np.int64)
        for k in range(kinds):
            laid[k] = int(g.before[k]) - int(g.hands[actor, k])
        found = False
        for _ in range(TRIES):
            start = refill_cut(g, pool, size, seat, seed, counter)
            counter += start
            drawn = refill_hand(g, actor, seat, pool, start, size, seed, counter)
            first = start + drawn
            counter += drawn + 1
            found = turn_possible(g, r, actor, s)
            if found or drawn + cut_wilds_of(g, actor, seat) == 0:
                break
        if not found:
            return False
        for k in range(kinds):
            g.before[k] = int(g.hands[actor, k]) + laid[k]
    for other in range(int(g.players)):
        if other != seat and not (other == actor and under_way):
            drawn = refill_hand(g, other, seat, pool, first, size, seed, counter)
            first += drawn
            counter += drawn
    for _ in range(threes):
        pool[size] = 2
        size += 1
    refill_rest(g, pool, first, size, seed, counter)
    return True


@helper
def refill_rest(g: Any, pool: Any, first: int, size: int, seed: int, counter: int) -> None:
    """Deal what is left of the pool, red threes too, to the feet and the stock, except for the
    cards that stayed last in the cut."""
    for other in range(int(g.players)):
        cards = 0
        for k in range(kinds_of(g)):
            cards += int(g.feet[other, k])
            g.feet[other, k] = 0
        for _ in range(cards):
            g.feet[other, pick(pool, first, size, seed, counter)] += 1
            first += 1
            counter += 1
    for stream in range(int(g.streams)):
        for i in range(int(g.stock_next[stream]), int(g.stock_end[stream])):
            if not is_bottom(g, i) and not is_offered(g, i):
                g.stock[i] = pick(pool, first, size, seed, counter)
                first += 1
                counter += 1

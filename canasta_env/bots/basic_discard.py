"""The basic bot's discard: what the hand needs least, and what the next opponent can use least."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.rng import BOT, below
from canasta_env.engine.state import RANKS
from canasta_env.jit import helper

FIRST_NATURAL = 4


@helper
def choose_discard(v: Any, mask: Any, r: Any, w: Any, seed: int, index: int) -> int:
    """The legal discard that costs least; of equal ones a random one. -1 if none is legal."""
    at = int(r.at_discard)
    places = RANKS - 1
    start = below(seed, BOT, index, places)
    best, lowest = -1, 0
    worth = int(w.pile_base) + int(w.pile_card) * int(v.pile_size)
    hidden = 0
    for kind in range(RANKS):
        hidden += int(v.unseen[kind])
    for i in range(places):
        place = (start + i) % places
        if not mask[at + place]:
            continue
        kind = place if place < 2 else place + 1
        cost = keep_worth(v, r, w, kind)
        if kind >= FIRST_NATURAL:
            cost += worth * take_chance(v, r, w, kind, hidden) // 1000
        if best < 0 or cost < lowest:
            best, lowest = at + place, cost
    return best


@helper
def keep_worth(v: Any, r: Any, w: Any, kind: int) -> int:
    """What a card of this kind is worth in the hand."""
    if kind < 2:
        cost = int(w.keep_joker) if kind == 0 else int(w.keep_deuce)
        if frozen_for(v, r, (int(v.seat) + 1) % int(v.players)):
            cost += int(w.keep_wild_frozen)  # it would freeze nothing
        return cost
    if kind == 3:
        return int(w.keep_black_three)
    held = int(v.hand[kind])
    cost = int(w.keep_value) * int(r.values[kind]) // 10
    if v.meld_naturals[v.side, kind] > 0:
        return cost + int(w.keep_melded)
    if held == 1:
        return cost - int(w.keep_single_unseen) * int(v.unseen[kind])
    if held == 2:
        return cost + (int(w.keep_pair_frozen) if v.frozen else int(w.keep_pair))
    return cost + int(w.keep_more)


@helper
def frozen_for(v: Any, r: Any, seat: int) -> bool:
    """Does the seat need a natural pair to take the pile?"""
    unmelded = not v.melded[seat % int(v.sides)]
    return bool(v.frozen or r.always_pair or (r.frozen_to_unmelded and unmelded))


@helper
def take_chance(v: Any, r: Any, w: Any, kind: int, hidden: int) -> int:
    """Chance in permille that the next seat takes the pile with this card on top.

    The chances grow with the number of cards of the kind that the seat may be thought to hold.
    """
    left = (int(v.seat) + 1) % int(v.players)
    side = left % int(v.sides)
    frozen = frozen_for(v, r, left)
    if not frozen and v.meld_naturals[side, kind] > 0 and r.take_onto:
        return 1000
    known = int(v.known[left, kind])
    if known >= 2:
        return 1000
    hand = int(v.hand_sizes[left])
    held = 1000 * (int(v.unseen[kind]) - known) * hand // max(1, hidden)
    if known == 1:
        chance = int(w.chance_known) + held // 2
    elif frozen:
        chance = int(w.chance_pair) * held // 1000 * held // 1000
    else:
        chance = int(w.chance_any) * held // 1000
    if not v.melded[side]:
        chance = chance * int(w.chance_unmelded) // 1000
    if known == 0:
        if v.discards[left, kind] > 0:
            chance = chance * int(w.chance_thrown) // 1000
        if v.discards[int(v.seat), kind] > 0:
            chance = chance * int(w.chance_declined) // 1000
    return min(1000, chance)

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
    worth = w.pile_base + w.pile_card * (int(v.pile_size) + 1)
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
    if kind == 0:
        return w.keep_joker
    if kind == 1:
        return w.keep_deuce
    if kind == 3:
        return w.keep_black_three
    held = int(v.hand[kind])
    value = int(r.values[kind]) // 5
    if v.meld_naturals[v.side, kind] > 0:
        return w.keep_melded + value
    if held == 1:
        return w.keep_single + value
    if held == 2:
        return w.keep_pair + value
    return w.keep_more + value


@helper
def take_chance(v: Any, r: Any, w: Any, kind: int, hidden: int) -> int:
    """Chance in permille that the next seat takes the pile with this card on top."""
    left = (int(v.seat) + 1) % int(v.players)
    side = left % int(v.sides)
    melded = bool(v.melded[side])
    frozen = bool(v.frozen or r.always_pair or (r.frozen_to_unmelded and not melded))
    if not frozen and v.meld_naturals[side, kind] > 0 and r.take_onto:
        return 1000
    known = int(v.known[left, kind])
    out = int(v.unseen[kind]) - known
    hand = int(v.hand_sizes[left])
    one = 1000 * out * hand // max(1, hidden)  # expected further cards of the kind, permille
    chance = one * one // 2000
    if known == 1:
        chance = one
    elif known >= 2:
        chance = 1000
    if not frozen:
        chance = max(chance, (one + 1000 * known) * 2 // 3)
    chance = min(1000, chance)
    if not melded:
        chance = chance * w.unmelded_take // 1000
    if known == 0:
        if v.discards[left, kind] > 0:
            chance = chance * w.thrown // 1000
        elif v.discards[int(v.seat), kind] > 0:
            chance = chance * w.declined // 1000
    return chance

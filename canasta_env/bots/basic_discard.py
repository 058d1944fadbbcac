"""The basic bot's discard: what the hand needs least, and what the next opponent can use least."""

from __future__ import annotations

from typing import Any

from canasta_env.bots.basic_meld import has_canastas
from canasta_env.bots.discards import is_open
from canasta_env.engine.layout import side_of
from canasta_env.engine.rng import BOT, below
from canasta_env.engine.state import RANKS
from canasta_env.jit import helper

FIRST_NATURAL = 4
BIG_PILE = 8
SMALL_PILE = 3


@helper
def choose_discard(v: Any, mask: Any, r: Any, w: Any, hurry: bool, seed: int, index: int) -> int:
    """The legal discard that costs least; of equal ones a random one. -1 if none is legal."""
    at = int(r.at_discard)
    places = RANKS - 1
    start = below(seed, BOT, index, places)
    best, lowest = -1, 0
    size = int(v.pile_size)
    worth = int(w.pile_base) + int(w.pile_card) * size
    worth += int(w.pile_big) * max(0, size - BIG_PILE)
    hidden = 1
    for kind in range(RANKS):
        hidden += int(v.unseen[kind])
    left = (int(v.seat) + 1) % int(v.players)
    made = needs_canastas(w) and has_canastas(v, r, int(v.side), 0)
    unmelded = not v.melded[side_of(v, left)]
    frozen = bool(v.frozen or r.always_pair or (r.frozen_to_unmelded and unmelded))
    for i in range(places):
        place = (start + i) % places
        if not is_open(mask, r, at + place):
            continue
        kind = place if place < 2 else place + 1
        if kind < FIRST_NATURAL:
            cost = special_worth(v, w, kind, frozen, unmelded, made)
        else:
            cost = natural_worth(v, r, w, kind, frozen, made)
            cost += worth * take_chance(v, r, w, kind, left, frozen, hidden) // 1000
        if hurry:
            cost -= int(w.value_hurry) * int(r.values[kind]) // 10
        if best < 0 or cost < lowest:
            best, lowest = at + place, cost
    return best


@helper
def needs_canastas(w: Any) -> bool:
    """Does a worth depend on the own canastas? Else they need not be counted."""
    return bool(w.made_single != 0 or w.made_pair != 0 or w.made_stopper != 0)


@helper
def special_worth(v: Any, w: Any, kind: int, frozen: bool, unmelded: bool, made: bool) -> int:
    """What a wild card or black three is worth in the hand.

    ``frozen``, ``unmelded``: the next seat; ``made``: the own side has its canastas.
    """
    if kind == 3:
        cost = int(w.keep_stopper) - int(w.keep_stopper_pile) * int(v.pile_size)
        cost -= int(w.made_stopper) if made else 0
        return cost - (0 if frozen else int(w.keep_stopper_open))
    cost = int(w.keep_joker) if kind == 0 else int(w.keep_deuce)
    if unmelded:
        cost += int(w.keep_wild_unmelded)
    elif frozen:
        cost += int(w.keep_wild_frozen)
    else:
        cost -= int(w.freeze_base) + int(w.freeze_card) * int(v.pile_size)
        cost -= 0 if v.melded[v.side] else int(w.freeze_unmelded)
    return cost


@helper
def natural_worth(v: Any, r: Any, w: Any, kind: int, frozen: bool, made: bool) -> int:
    """What a natural card is worth in the hand.

    ``frozen``: the next seat needs a pair; ``made``: the own side has its canastas.
    """
    held, side = int(v.hand[kind]), int(v.side)
    out = int(v.unseen[kind])
    melded = v.melded[side]
    cost = int(w.value_melded) if melded else int(w.value_unmelded)
    cost = cost * int(r.values[kind]) // 10
    if v.meld_naturals[side, kind] > 0:
        return cost + int(w.keep_melded)
    if frozen and v.meld_naturals[(side + 1) % int(v.sides), kind] > 0:
        cost -= int(w.useless)
    if v.pile_size < SMALL_PILE and v.discards[(int(v.seat) + 1) % int(v.players), kind] > 0:
        cost += int(w.safe_small)
    before = int(v.discards[(int(v.seat) + int(v.players) - 1) % int(v.players), kind])
    if held == 1:
        cost -= int(w.made_single) if made else 0
        return cost + int(w.single_out) * out + int(w.single_thrown) * before
    if held == 2:
        cost += int(w.made_pair) if made else 0
        cost += int(w.keep_pair) + int(w.pair_out) * out + int(w.pair_thrown) * before
        cost += int(w.pair_frozen) if frozen else 0
        return cost + (0 if melded else int(w.pair_unmelded))
    cost += int(w.keep_more) + (int(w.more_frozen) if frozen else 0)
    return cost + (0 if melded else int(w.more_unmelded))


@helper
def take_chance(v: Any, r: Any, w: Any, kind: int, left: int, frozen: bool, hidden: int) -> int:
    """Chance in permille that the seat ``left`` takes the pile with this card on top.

    It grows with the number of cards of the kind that the seat may be thought to hold.
    """
    side = side_of(v, left)
    small = v.pile_size < SMALL_PILE
    if not frozen and v.meld_naturals[side, kind] > 0 and r.take_onto:
        return int(w.chance_onto_small) if small else 1000
    known = int(v.known[left, kind])
    if known >= 2:
        return 1000
    out = max(1, int(v.unseen[kind]) - known)
    held = 1000 * out * int(v.hand_sizes[left]) // hidden
    if known == 1:
        chance = int(w.chance_known) + held // 2 + (int(w.pair_known) if frozen else 0)
    elif frozen:
        chance = int(w.chance_pair) * held // 1000 * held // 1000 * (out - 1) // out
        if v.discards[(int(v.seat) + int(v.players) - 1) % int(v.players), kind] > 0:
            chance = chance * (1000 + int(w.pair_thrown_before)) // 1000
    else:
        chance = (int(w.chance_any_small) if small else int(w.chance_any)) * held // 1000
    if not v.melded[side]:
        chance = chance * int(w.chance_unmelded) // 1000
    rounds = int(v.turns) // int(v.players)
    chance = chance * (1000 + int(w.chance_round) * rounds) // 1000
    if known == 0:
        if v.discards[left, kind] > 0:
            chance = chance * thrown_factor(v, w, kind, left, frozen, rounds) // 1000
        if v.discards[int(v.seat), kind] > 0:
            chance = chance * declined_factor(v, w, kind, frozen) // 1000
    return max(0, min(1000, chance))


@helper
def thrown_factor(v: Any, w: Any, kind: int, left: int, frozen: bool, rounds: int) -> int:
    """By what the chance changes, in permille, since the next seat threw the rank away itself.

    A single one is thrown late, but early also one of three: the other two are then a pair.
    """
    if not frozen:
        return int(w.chance_thrown)
    early = int(w.pair_thrown_early) - int(w.pair_thrown_round) * rounds
    if v.last_discard[left] == kind:
        early -= int(w.pair_thrown_last)
    return max(0, int(w.chance_thrown) + early)


@helper
def declined_factor(v: Any, w: Any, kind: int, frozen: bool) -> int:
    """By what the chance changes, in permille, since the next seat did not take the rank before."""
    if not frozen:
        return int(w.chance_declined)
    factor = int(w.chance_declined) + int(w.pair_declined)
    if v.last_discard[int(v.seat)] == kind:
        factor -= int(w.pair_declined_last)
    return factor

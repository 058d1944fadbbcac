"""The basic bot's melds once its side has melded: what to lay now, what to hold, when to go out."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.state import RANKS
from canasta_env.jit import helper

FIRST_NATURAL = 4
NORMAL, DUMP, OUT = 0, 1, 2


@helper
def meld_more(v: Any, mask: Any, r: Any, w: Any) -> int:
    """The best meld or addition now, -1 if the turn should end with a discard."""
    goal = aim(v, r, w)
    side = int(v.side)
    size = int(v.hand_sizes[v.seat])
    if v.has_foot[v.seat]:
        goal = max(goal, DUMP)
    best, best_score = -1, 0
    wilds = int(v.hand[0]) + int(v.hand[1])
    must = not discards_legal(mask, r)
    if must:
        best_score = -(10**6)
    catching = bool(v.frozen or r.always_pair) and v.pile_size >= w.catch_pile
    for rank in range(FIRST_NATURAL, RANKS):
        place = rank - FIRST_NATURAL
        held = int(v.hand[rank])
        naturals = int(v.meld_naturals[side, rank])
        if naturals == 0 and held < 2:
            continue
        lying = int(v.meld_deuces[side, rank]) + int(v.meld_jokers[side, rank])
        if naturals > 0:
            total = naturals + lying + held
            if held > 0 and mask[int(r.at_add) + place]:
                score = 100 + 10 * (naturals + lying)
                if goal == NORMAL and total < r.canasta_size:
                    if size - 1 < w.keep or (catching and held == 2):
                        score = 0
                if score > best_score:
                    best, best_score = int(r.at_add) + place, score
            score = wild_score(r, goal, naturals + held, lying, wilds)
            if score > best_score:
                if mask[int(r.at_add_deuce) + place]:
                    best, best_score = int(r.at_add_deuce) + place, score
                elif mask[int(r.at_add_joker) + place]:
                    best, best_score = int(r.at_add_joker) + place, score - 1
            continue
        if mask[int(r.at_meld) + place]:
            score = 90
            if goal == NORMAL and size - 3 < w.keep:
                score = 0
            if score > best_score:
                best, best_score = int(r.at_meld) + place, score
        elif held == 2:
            score = 30 if goal == OUT else (20 if goal == DUMP else -1000)
            if goal == OUT:
                score = 95
            if score > best_score:
                if mask[int(r.at_meld_deuce) + place]:
                    best, best_score = int(r.at_meld_deuce) + place, score
                elif mask[int(r.at_meld_joker) + place]:
                    best, best_score = int(r.at_meld_joker) + place, score - 1
    if r.at_meld_threes >= 0 and goal == OUT and best_score <= 0:
        if mask[int(r.at_meld_four_threes)]:
            best = int(r.at_meld_four_threes)
        elif mask[int(r.at_meld_threes)]:
            best = int(r.at_meld_threes)
        elif mask[int(r.at_add_three)]:
            best = int(r.at_add_three)
    if r.at_meld_wild >= 0:
        for action in range(int(r.at_meld_wild), int(r.at_add)):
            if mask[action] and r.wild_melds == 2:
                return action
    return best


@helper
def wild_score(r: Any, goal: int, naturals: int, lying: int, wilds: int) -> int:
    """How good a wild card is on a meld that will have so many naturals; positive: lay it now."""
    size = naturals + lying
    full = int(r.canasta_size)
    if size < full <= size + wilds and lying + full - size <= r.wild_capacity[naturals]:
        return 80
    if goal == OUT:
        return 50 if lying > 0 or size < full else 40
    if goal == DUMP:
        return 10 if lying > 0 or size < full else -10
    return -100 + size


@helper
def discards_legal(mask: Any, r: Any) -> bool:
    """Is any discard legal?"""
    for action in range(int(r.at_discard), int(r.at_discard) + RANKS - 1):
        if mask[action]:
            return True
    return False


@helper
def aim(v: Any, r: Any, w: Any) -> int:
    """OUT if the whole hand can go now and should, DUMP if the deal may end soon, else NORMAL."""
    if goes_out_now(v, r):
        return OUT
    if v.stock_size <= w.danger_stock:
        return DUMP
    for seat in range(int(v.players)):
        side = seat % int(v.sides)
        if side != v.side and v.hand_sizes[seat] <= w.danger_hand and has_canastas(v, r, side, 0):
            return DUMP
    return NORMAL


@helper
def has_canastas(v: Any, r: Any, side: int, more: int) -> bool:
    """Has the side the canastas that going out needs, counting ``more`` mixed ones?"""
    natural, mixed = 0, more
    for rank in range(FIRST_NATURAL, RANKS):
        wilds = int(v.meld_deuces[side, rank]) + int(v.meld_jokers[side, rank])
        if int(v.meld_naturals[side, rank]) + wilds >= r.canasta_size:
            if wilds > 0:
                mixed += 1
            else:
                natural += 1
        for i in range(int(v.closed_melds[side, rank])):
            if v.closed_wilds[side, rank, i] > 0:
                mixed += 1
            else:
                natural += 1
    return bool(
        natural + mixed >= r.canastas_out
        and natural >= r.natural_canastas_out
        and mixed >= r.mixed_canastas_out
    )


@helper
def goes_out_now(v: Any, r: Any) -> bool:
    """Can the whole hand, all but one card, be laid with the canastas that going out needs?

    Nearly exact: it looks for the ways that matter, and a wrong yes only lays more than was meant.
    """
    if v.has_foot[v.seat] or v.asked == 3:
        return False
    side = int(v.side)
    wilds = int(v.hand[0]) + int(v.hand[1])
    stuck, pairs, room, made = 0, 0, 0, 0
    nearest = 100
    for rank in range(FIRST_NATURAL, RANKS):
        held, naturals = int(v.hand[rank]), int(v.meld_naturals[side, rank])
        lying = int(v.meld_deuces[side, rank]) + int(v.meld_jokers[side, rank])
        total = held + naturals
        if total == 0:
            continue
        if naturals == 0 and held == 1:
            stuck += 1
            continue
        if naturals == 0 and held == 2:
            pairs += 1
        capacity = int(r.wild_capacity[total]) - lying
        room += capacity
        size = total + lying
        if size >= r.canasta_size:
            if naturals + lying < r.canasta_size:
                made += 1
        elif r.canasta_size - size <= capacity:
            nearest = min(nearest, int(r.canasta_size) - size)
    threes = int(v.hand[3])
    if threes > 0 and (not r.black_three_melds or threes < 3):
        stuck += threes
    spare = wilds - pairs
    if stuck > 1 or spare < 0 or wilds > room + (1 - stuck):
        return False
    if has_canastas(v, r, side, made):
        return True
    return spare >= nearest and has_canastas(v, r, side, made + 1)

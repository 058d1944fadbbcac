"""The basic bot's melds once its side has melded: what to lay now, what to hold, how to go out."""

from __future__ import annotations

from typing import Any

from canasta_env.bots.discards import may_discard
from canasta_env.engine.layout import side_of
from canasta_env.engine.state import RANKS
from canasta_env.jit import helper

FIRST_NATURAL = 4
NORMAL, DUMP, OUT = 0, 1, 2
NEVER = -(10**6)


@helper
def meld_more(v: Any, mask: Any, r: Any, w: Any, hurry: bool) -> int:
    """The best meld or addition now, -1 if the turn should end with a discard."""
    if r.at_meld_wild >= 0 and r.wild_melds == 2:  # a whole canasta of wild cards
        for action in range(int(r.at_meld_wild), int(r.at_add)):
            if mask[action] and r.family[action] == r.family[int(r.at_meld_wild)]:
                return action
    side = int(v.side)
    made = has_canastas(v, r, side, 0)
    goal = aim(v, r, w, hurry, made)
    if goal == OUT and asks(v, mask, r, w):
        return int(r.at_ask)
    wilds = int(v.hand[0]) + int(v.hand[1])
    best, best_score = -1, 0
    if not may_discard(mask, r):
        best_score = NEVER - 1
    for rank in range(FIRST_NATURAL, RANKS):
        place = rank - FIRST_NATURAL
        held, naturals = int(v.hand[rank]), int(v.meld_naturals[side, rank])
        if naturals == 0 and held < 2:
            continue
        lying = int(v.meld_deuces[side, rank]) + int(v.meld_jokers[side, rank])
        plain, deuce, joker = int(r.at_meld), int(r.at_meld_deuce), int(r.at_meld_joker)
        if naturals > 0:
            plain, deuce, joker = int(r.at_add), int(r.at_add_deuce), int(r.at_add_joker)
            score = add_score(v, r, w, goal, made, held, naturals + lying)
            wild = wild_score(r, w, goal, made, naturals + held, lying, wilds)
        else:
            score = new_score(v, w, goal, made, held)
            wild = pair_score(v, w, goal, made) if held == 2 else NEVER
        if score > best_score and mask[plain + place]:
            best, best_score = plain + place, score
        if wild > best_score:
            if mask[deuce + place]:
                best, best_score = deuce + place, wild
            elif mask[joker + place] and wild - 1 > best_score:
                best, best_score = joker + place, wild - 1
    if best < 0 and goal == OUT and r.at_meld_threes >= 0:
        for action in (int(r.at_meld_four_threes), int(r.at_meld_threes), int(r.at_add_three)):
            if mask[action]:
                return action
    return best


@helper
def holding(v: Any, w: Any, made: bool) -> bool:
    """Is the pile worth keeping naturals in the hand, to take it with?"""
    if made and w.hold_made_off > 0:
        return False
    if v.hand_sizes[v.seat] >= w.hold_hand:
        return False
    return bool(v.pile_size >= (w.hold_frozen if v.frozen else w.hold_open))


@helper
def add_score(v: Any, r: Any, w: Any, goal: int, made: bool, held: int, size: int) -> int:
    """How good it is to add a natural to a meld of ``size``; positive: do it now."""
    if goal == NORMAL and size + held + int(w.hold_near) < r.canasta_size:
        if held >= 2 and holding(v, w, made):
            return -1
        if v.hand_sizes[v.seat] <= w.keep_add:
            return -1
    return 100 + size


@helper
def new_score(v: Any, w: Any, goal: int, made: bool, held: int) -> int:
    """How good it is to meld three naturals; positive: do it now."""
    if goal == NORMAL:
        if not made and holding(v, w, made):
            return -1
        if v.hand_sizes[v.seat] - 3 < w.keep_new:
            return -1
    return 80 + held


@helper
def pair_score(v: Any, w: Any, goal: int, made: bool) -> int:
    """How good it is to meld a pair with a wild card; positive: do it now."""
    if goal == OUT:
        return 95
    if goal == DUMP:
        return 20
    if made and not holding(v, w, made) and v.hand_sizes[v.seat] >= w.pair_hand:
        return 10
    return NEVER


@helper
def wild_score(r: Any, w: Any, goal: int, made: bool, naturals: int, lying: int, wilds: int) -> int:
    """How good a wild card is on a meld that will have so many naturals; positive: do it now."""
    size, full = naturals + lying, int(r.canasta_size)
    if size < full <= size + wilds and lying + full - size <= r.wild_capacity[naturals]:
        return 60 + size
    if goal == OUT:
        return 40 + (10 if lying > 0 or size < full else 0)
    if goal == DUMP:
        return 10 if lying > 0 or size < full else -10
    if lying == 0 and 0 < w.natural_from <= naturals:
        return NEVER + size
    least = int(w.wild_from)
    if made:
        least = int(w.wild_from_made) if wilds == 1 else int(w.wild_from_rich)
    if least <= size < full:
        return 30 + size
    return NEVER + size


@helper
def aim(v: Any, r: Any, w: Any, hurry: bool, made: bool) -> int:
    """OUT if the whole hand is to go now, DUMP if all that can is to be laid, else NORMAL."""
    if v.has_foot[v.seat]:
        return DUMP  # the foot waits
    if goes_out_now(v, r) and (hurry or not waits(v, r, w)):
        return OUT
    if made and v.hand_sizes[v.seat] <= w.rush_hand:
        return DUMP
    if w.rush_round > 0 and v.turns >= int(w.rush_round) * int(v.players):
        return DUMP
    return DUMP if hurry else NORMAL


@helper
def waits(v: Any, r: Any, w: Any) -> bool:
    """Is going out put off, since the opponents hold few cards?"""
    if w.out_cards == 0:
        return False
    cards = 0
    for seat in range(int(v.players)):
        if side_of(v, seat) != v.side:
            cards += int(v.hand_sizes[seat])
    if w.out_open > 0:
        for side in range(int(v.sides)):
            if side != v.side and has_canastas(v, r, side, 0):
                return False
    return bool(cards < w.out_cards)


@helper
def asks(v: Any, mask: Any, r: Any, w: Any) -> bool:
    """Is the partner, who holds many cards, asked before the own side goes out?"""
    if w.ask_hand == 0 or r.at_ask < 0 or not mask[int(r.at_ask)]:
        return False
    partner = (int(v.seat) + int(v.sides)) % int(v.players)
    return bool(v.hand_sizes[partner] >= w.ask_hand)


@helper
def ends_soon(v: Any, r: Any, w: Any) -> bool:
    """May another seat or the stock end the deal before the next turn?"""
    if v.stock_size <= w.danger_stock:
        return True
    for seat in range(int(v.players)):
        side = side_of(v, seat)
        few = int(w.danger_partner) if side == v.side else int(w.danger_hand)
        if seat != v.seat and v.hand_sizes[seat] <= few and not v.has_foot[seat]:
            if has_canastas(v, r, side, 0):
                return True
    return False


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
    if v.asked == 3:
        return False
    side = int(v.side)
    wilds = int(v.hand[0]) + int(v.hand[1])
    stuck, pairs, room, made = 0, 0, 0, 0
    nearest = 100
    for rank in range(FIRST_NATURAL, RANKS):
        held, naturals = int(v.hand[rank]), int(v.meld_naturals[side, rank])
        total = held + naturals
        if total == 0:
            continue
        if total == 1:
            stuck += 1
            continue
        lying = int(v.meld_deuces[side, rank]) + int(v.meld_jokers[side, rank])
        if total + lying == 2:
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

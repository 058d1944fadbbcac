"""The basic bot's first meld: the cheapest set of melds that reaches the minimum."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.state import RANKS
from canasta_env.jit import helper

FIRST_NATURAL = 4
MOST_RANKS = 7  # ranks that a plan looks at: the sets are all tried
NO_PLAN = 10**6


@helper
def first_meld(v: Any, mask: Any, r: Any, w: Any) -> int:
    """The next action of the cheapest plan that reaches the minimum; -1 if there is none.

    Each action is planned anew; what is already laid counts, so that the rest of a plan stays the
    cheapest.
    """
    early = v.turns < int(w.open_rounds) * int(v.players)
    if not any_meld(mask, r) or (early and may_discard(mask, r)):
        return -1
    side = int(v.side)
    lacking = int(v.minimum[side]) - int(v.staged)
    chosen, deuces, jokers, extra = plan(v, r, w, lacking)
    action = -1
    if chosen >= 0:
        action = next_of_plan(v, mask, r, w, chosen, deuces, jokers, extra)
    if action < 0 and not may_discard(mask, r):
        action = any_meld_action(mask, r)
    return action


@helper
def any_meld(mask: Any, r: Any) -> bool:
    """Is any action legal between the takes and the discards?"""
    for action in range(int(r.at_meld), int(r.at_discard)):
        if mask[action] and action != r.at_ask:
            return True
    return False


@helper
def any_meld_action(mask: Any, r: Any) -> int:
    """The first legal meld or addition."""
    for action in range(int(r.at_meld), int(r.at_discard)):
        if mask[action] and action != r.at_ask:
            return action
    return -1


@helper
def may_discard(mask: Any, r: Any) -> bool:
    """Is any discard legal?"""
    for action in range(int(r.at_discard), int(r.at_discard) + RANKS - 1):
        if mask[action]:
            return True
    return False


@helper
def plan(v: Any, r: Any, w: Any, lacking: int) -> tuple[int, int, int, int]:
    """The cheapest new melds (a bit set of ranks), deuces and jokers that bring ``lacking`` points.

    The last value is 1 if further naturals are to be added to reach it. The set is -1 if nothing
    reaches it.
    """
    side = int(v.side)
    have_deuces, have_jokers = int(v.hand[1]), int(v.hand[0])
    begun_room, begun_extra = 0, 0
    ranks = 0
    count = 0
    for rank in range(RANKS - 1, FIRST_NATURAL - 1, -1):
        lying = int(v.meld_naturals[side, rank])
        if lying > 0:
            wilds = int(v.meld_deuces[side, rank]) + int(v.meld_jokers[side, rank])
            begun_room += int(r.wild_capacity[lying]) - wilds
            begun_extra += int(v.hand[rank]) * int(r.values[rank])
        elif v.hand[rank] >= 2 and count < MOST_RANKS:
            ranks |= 1 << rank
            count += 1
    best, best_cost, best_deuces, best_jokers, best_extra = -1, NO_PLAN, 0, 0, 0
    chosen = ranks
    while True:
        points, cards, pairs, room = 0, 0, 0, begun_room
        extra = begun_extra
        for rank in range(FIRST_NATURAL, RANKS):
            if (chosen >> rank) & 1:
                held, value = int(v.hand[rank]), int(r.values[rank])
                naturals = min(held, 3)
                points += naturals * value
                cards += naturals
                extra += (held - naturals) * value
                room += int(r.wild_capacity[naturals])
                if naturals == 2:
                    pairs += 1
        if pairs <= have_deuces + have_jokers:
            for deuces in range(have_deuces + 1):
                for jokers in range(have_jokers + 1):
                    wilds = deuces + jokers
                    if wilds < pairs or wilds > room:
                        continue
                    total = points + deuces * int(r.values[1]) + jokers * int(r.values[0])
                    cost = cards * w.cost_card + deuces * w.cost_deuce + jokers * w.cost_joker
                    adds = 0
                    if total < lacking:
                        cost += w.cost_card
                        adds = 1
                        total += extra
                    if total >= lacking and cost < best_cost:
                        best, best_cost, best_extra = chosen, cost, adds
                        best_deuces, best_jokers = deuces, jokers
        if chosen == 0:
            break
        chosen = (chosen - 1) & ranks
    return best, best_deuces, best_jokers, best_extra


@helper
def next_of_plan(
    v: Any, mask: Any, r: Any, w: Any, chosen: int, deuces: int, jokers: int, extra: int
) -> int:
    """The next action of a plan: whole melds first, then pairs with wild cards, then additions."""
    for rank in range(RANKS - 1, FIRST_NATURAL - 1, -1):
        place = rank - FIRST_NATURAL
        if (chosen >> rank) & 1 and mask[int(r.at_meld) + place]:
            return int(r.at_meld) + place
    for rank in range(RANKS - 1, FIRST_NATURAL - 1, -1):
        place = rank - FIRST_NATURAL
        if (chosen >> rank) & 1:
            if deuces > 0 and mask[int(r.at_meld_deuce) + place]:
                return int(r.at_meld_deuce) + place
            if jokers > 0 and mask[int(r.at_meld_joker) + place]:
                return int(r.at_meld_joker) + place
    for rank in range(RANKS - 1, FIRST_NATURAL - 1, -1):
        place = rank - FIRST_NATURAL
        if extra > 0 and mask[int(r.at_add) + place]:
            return int(r.at_add) + place
        if deuces > 0 and mask[int(r.at_add_deuce) + place]:
            return int(r.at_add_deuce) + place
        if jokers > 0 and mask[int(r.at_add_joker) + place]:
            return int(r.at_add_joker) + place
    return -1

"""The basic bot's first meld: the cheapest set of melds that reaches the minimum."""

from __future__ import annotations

from typing import Any

from canasta_env.bots.basic_meld import has_canastas
from canasta_env.bots.discards import may_discard
from canasta_env.engine.layout import side_of
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
    early = v.turns < rounds_of_waiting(v, r, w) * int(v.players)
    if any_meld(mask, r) < 0 or (early and may_discard(mask, r)):
        return -1
    side = int(v.side)
    lacking = int(v.minimum[side]) - int(v.staged)
    chosen, deuces, jokers, extra = plan(v, r, w, lacking)
    action = -1
    if chosen >= 0:
        action = next_of_plan(v, mask, r, w, chosen, deuces, jokers, extra)
    if action < 0 and not may_discard(mask, r):
        action = any_meld(mask, r)
    return action


@helper
def rounds_of_waiting(v: Any, r: Any, w: Any) -> int:
    """Rounds of the table in which the first meld is made only by taking the pile."""
    rounds = int(w.open_rounds)
    if w.open_sooner == 0 and w.open_made == 0 and w.open_few == 0:
        return rounds
    for seat in range(int(v.players)):
        side = side_of(v, seat)
        if side != v.side and v.melded[side] and v.hand_sizes[seat] <= w.open_few:
            return 0
    for side in range(int(v.sides)):
        if side != v.side and v.melded[side]:
            rounds -= int(w.open_sooner)
            rounds -= int(w.open_made) if has_canastas(v, r, side, 0) else 0
    return rounds


@helper
def any_meld(mask: Any, r: Any) -> int:
    """The first legal meld or addition, -1 if there is none."""
    for action in range(int(r.at_meld), int(r.at_discard)):
        if mask[action] and action != r.at_ask:
            return action
    return -1


@helper
def plan(v: Any, r: Any, w: Any, lacking: int) -> tuple[int, int, int, int]:
    """The cheapest new melds (a bit set of ranks), deuces and jokers that bring ``lacking`` points.

    The last value is 1 if further naturals are to be added to reach it. The set is -1 if nothing
    reaches it.
    """
    ranks, count = 0, 0
    for rank in range(RANKS - 1, FIRST_NATURAL - 1, -1):
        if v.hand[rank] >= 2 and v.meld_naturals[v.side, rank] == 0 and count < MOST_RANKS:
            ranks |= 1 << rank
            count += 1
    best, least, deuces, jokers, adds = -1, NO_PLAN, 0, 0, 0
    chosen = ranks
    while True:
        cost, with_deuces, with_jokers, with_adds = cheapest_wilds(v, r, w, chosen, lacking)
        if cost < least:
            best, least = chosen, cost
            deuces, jokers, adds = with_deuces, with_jokers, with_adds
        if chosen == 0:
            break
        chosen = (chosen - 1) & ranks
    return best, deuces, jokers, adds


@helper
def cheapest_wilds(v: Any, r: Any, w: Any, chosen: int, lacking: int) -> tuple[int, int, int, int]:
    """The least cost at which new melds of the ranks ``chosen`` bring ``lacking`` points.

    With it the deuces, the jokers, and whether further naturals are added. NO_PLAN if they can't.
    """
    points, cards, pairs, room, more = 0, 0, 0, 0, 0
    for rank in range(FIRST_NATURAL, RANKS):
        held, value = int(v.hand[rank]), int(r.values[rank])
        lying = int(v.meld_naturals[v.side, rank])
        if lying > 0:  # begun this turn
            wilds = int(v.meld_deuces[v.side, rank]) + int(v.meld_jokers[v.side, rank])
            room += int(r.wild_capacity[lying]) - wilds
            more += held * value
        elif (chosen >> rank) & 1:
            laid = min(held, 3)
            points += laid * value
            cards += laid
            more += (held - laid) * value
            room += int(r.wild_capacity[laid])
            pairs += 1 if laid == 2 else 0
    best, least_deuces, least_jokers, adds = NO_PLAN, 0, 0, 0
    for deuces in range(int(v.hand[1]) + 1):
        for jokers in range(int(v.hand[0]) + 1):
            if not pairs <= deuces + jokers <= room:
                continue
            total = points + deuces * int(r.values[1]) + jokers * int(r.values[0])
            cost = cards * int(w.cost_card) + deuces * int(w.cost_deuce)
            cost += jokers * int(w.cost_joker)
            short = total < lacking
            if short:
                cost += int(w.cost_card)
                total += more
            if total >= lacking and cost < best:
                best, least_deuces, least_jokers = cost, deuces, jokers
                adds = 1 if short else 0
    return best, least_deuces, least_jokers, adds


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

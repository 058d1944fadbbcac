"""Can the seat go out in this turn? Cheap bounds first, then exact searches over ranks.

The searches are small dynamic programs: rank by rank, over the number of wild cards used and the
canastas made, so that a hand of forty cards costs microseconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.engine.capacity import fits, grows_freely, lays_alone, mixed_range
from canasta_env.engine.first_meld import bonus_in_reach, meld_points, wild_points
from canasta_env.engine.laying import bonus_now, bring_in, counted_bonus, wild_bonus
from canasta_env.engine.scratch import (
    APART,
    BEFORE,
    CLOSED_MIXED,
    CLOSED_NATURAL,
    DISCARDED,
    FACT,
    FOOT,
    GROUP,
    HAND,
    LIMITED,
    MELDED,
    MINIMUM,
    NATURALS,
    NO_OUT,
    NONE,
    OUT_ALLOWED,
    PILE,
    STAGED,
    WAIVED,
    WILDS,
)
from canasta_env.engine.state import BLACK_THREES, FIRST_NATURAL, RANKS, WILD_RANK
from canasta_env.jit import helper, inlined


@inlined
def goes_out(s: Any, r: Any) -> bool:
    """Can the seat lay its whole hand, but for a last discard, so that its side may go out?"""
    if s[FACT, NO_OUT] == 1 or s[FACT, FOOT] == 1 or s[FACT, OUT_ALLOWED] == 0:
        return False
    if s[FACT, MELDED] == 0 and s[FACT, WAIVED] == 0:
        if s[FACT, STAGED] + first_points_in_reach(s, r) < s[FACT, MINIMUM]:
            return False
    apart = s[FACT, MELDED] == 0 and s[FACT, APART] > 0
    if apart:
        bring_in(s, 1)
    found = lays_hand(s, r, apart)
    if apart:
        bring_in(s, -1)
    return found


@helper
def lays_hand(s: Any, r: Any, apart: bool) -> bool:
    """:func:`goes_out` for the cards of the scratch's hand; ``apart``: those of the pile, that are
    in it, come in only when the minimum is reached."""
    stuck, kind = stuck_cards(s, r)
    if stuck > 1 or canastas_in_reach(s, r) < r.canastas_out:
        return False
    for discard in range(-1, RANKS):
        if stuck == 1 and discard != kind:  # no other discard helps
            continue
        if discard >= 0:
            if s[HAND, discard] == 0 or s[FACT, DISCARDED] > 0:
                continue
            s[HAND, discard] -= 1
        elif r.discard_required and s[FACT, DISCARDED] == 0:
            continue
        found = stuck_cards(s, r)[0] == 0 and goes_out_keeping(s, r, discard, apart)
        if discard >= 0:
            s[HAND, discard] += 1
        if found:
            return True
    return False


@helper
def first_points_in_reach(s: Any, r: Any) -> int:
    """Points toward the first meld of what the scratch's hand could lay in going out, at most;
    the cards that lie apart bring none. (A pair is the least that a wild card joins: rules have
    ``fewest_naturals`` of two or more.)"""
    wilds = s[HAND, 0] + s[HAND, 1]
    points = meld_points(s, r, wilds)[0] + wild_points(s, r, wilds) + bonus_in_reach(s, r, wilds)
    threes = s[HAND, BLACK_THREES]
    if r.black_three_melds and threes + s[NATURALS, BLACK_THREES] >= 3:
        points += threes * r.values[BLACK_THREES]
    return int(points)


@helper
def canastas_in_reach(s: Any, r: Any) -> int:
    """Canastas that the side could have after this turn, at most: each rank with all wild cards."""
    wilds = s[HAND, 0] + s[HAND, 1]
    count = s[FACT, CLOSED_NATURAL] + s[FACT, CLOSED_MIXED]
    for rank in range(FIRST_NATURAL, RANKS):
        naturals = s[HAND, rank] + s[NATURALS, rank]
        if naturals < r.fewest_naturals:
            continue
        size = naturals + s[WILDS, rank] + wilds
        if r.melds_close:
            count += size // r.canasta_size
        elif min(size, naturals + r.wild_capacity[naturals]) >= r.canasta_size:
            count += 1
    if r.wild_melds > 0 and s[WILDS, WILD_RANK] + wilds >= r.canasta_size:
        count += 1
    return int(count)


@helper
def stuck_cards(s: Any, r: Any) -> tuple[int, int]:
    """Cards of the hand that no meld can take, at least; with two, going out is impossible. And the
    kind of the card, where it is one."""
    stuck, kind = 0, 0
    pairs = 0
    for rank in range(FIRST_NATURAL, RANKS):
        held = s[HAND, rank]
        if held == 0:
            continue
        naturals = held + s[NATURALS, rank]
        if naturals < r.fewest_naturals:
            stuck += held
            kind = rank
            if stuck > 1:
                return stuck, kind
        elif naturals + s[WILDS, rank] < 3:
            pairs += 1
    threes = s[HAND, BLACK_THREES]
    if threes > 0:
        together = threes + s[NATURALS, BLACK_THREES]
        if not r.black_three_melds or together < 3:
            stuck += threes
            kind = BLACK_THREES
        elif together > 4:
            stuck += together - 4
            kind = BLACK_THREES
    wilds = s[HAND, 0] + s[HAND, 1]
    return stuck + 2 * max(0, pairs - wilds), kind


@inlined
def goes_out_keeping(s: Any, r: Any, discard: int, apart: bool) -> bool:
    """With ``discard`` out of the hand (-1: none), may the rest be laid and the seat go out?"""
    if not (lays_plainly(s, r) if r.plain_out else lays_all(s, r)):
        return False
    if s[FACT, MELDED] == 1:
        return True
    last = discard if discard >= 0 else s[FACT, DISCARDED] - 1
    if s[FACT, WAIVED] == 1 and (last < 0 or s[FACT, LIMITED] == 0 or s[BEFORE, last] > 0):
        return True
    if apart or r.bonus_counts:
        return minimum_then_all(s, r, discard)
    points = s[FACT, STAGED]
    group = s[FACT, GROUP] > 0
    for kind in range(RANKS):
        points += s[HAND, kind] * r.values[kind]
        group = group or (kind >= FIRST_NATURAL and s[HAND, kind] + s[NATURALS, kind] >= 3)
    return bool(group and points >= s[FACT, MINIMUM])


@helper
def wilds_between(s: Any, r: Any, rank: int) -> tuple[int, int]:
    """The fewest and the most wild cards of the hand that the meld of a rank can take with all
    naturals of the hand, where melds do not close; fewest above most: the naturals can't be laid.
    """
    naturals = s[HAND, rank] + s[NATURALS, rank]
    lying = s[WILDS, rank]
    if naturals < r.fewest_naturals:
        return 1, 0
    if not (r.free_growth or s[NATURALS, rank] == 0 or grows_freely(s, r, rank, naturals)):
        return 1, 0
    return max(0, 3 - naturals - lying), r.wild_capacity[naturals] - lying


@helper
def lays_plainly(s: Any, r: Any) -> bool:
    """:func:`lays_all` where melds do not close, wild cards make none of their own, and canastas of
    either kind are as good.

    Then a rank takes any number of wild cards between a fewest and a most, and with some number it
    becomes a canasta: those that need the fewest more are made first.
    """
    wilds = s[HAND, 0] + s[HAND, 1]
    canastas, fewest, most = 0, 0, 0
    for rank in range(FIRST_NATURAL, RANKS):
        naturals = s[HAND, rank] + s[NATURALS, rank]
        if naturals == 0:
            continue
        low, high = wilds_between(s, r, rank)
        if low > high:
            return False
        fewest += low
        most += high
        if naturals + s[WILDS, rank] + low >= r.canasta_size:
            canastas += 1
    if not fewest <= wilds <= most:
        return False
    made = 0  # bit set of ranks
    while canastas < r.canastas_out:
        cheapest, chosen = wilds - fewest + 1, 0
        for rank in range(FIRST_NATURAL, RANKS):
            naturals = s[HAND, rank] + s[NATURALS, rank]
            if naturals == 0 or (made >> rank) & 1 == 1:
                continue
            low, high = wilds_between(s, r, rank)
            wanted = r.canasta_size - naturals - s[WILDS, rank]
            if low < wanted <= high and wanted - low < cheapest:
                cheapest, chosen = wanted - low, rank
        if chosen == 0:
            return False
        made |= 1 << chosen
        fewest += cheapest
        canastas += 1
    return True


@helper
def lays_all(s: Any, r: Any) -> bool:
    """Can every card of the scratch's hand be laid with the canastas that going out needs?

    For each pair of (natural, other) canasta counts a bit set says which numbers of wild cards the
    ranks so far can have taken.
    """
    wilds = s[HAND, 0] + s[HAND, 1]
    most_natural = max(r.natural_canastas_out, r.canastas_out)
    most_mixed = max(r.mixed_canastas_out, r.canastas_out)
    width = most_mixed + 1
    reach = np.zeros((most_natural + 1) * width, np.int64)
    first = min(most_natural, s[FACT, CLOSED_NATURAL]) * width
    first += min(most_mixed, s[FACT, CLOSED_MIXED])
    for alone in range(wilds + 1):
        if lays_alone(s, r, alone):
            canasta = s[WILDS, WILD_RANK] + alone >= r.canasta_size
            state = more(first, 0, 1, most_natural, most_mixed) if canasta else first
            reach[state] |= 1 << alone
    for rank in range(FIRST_NATURAL, RANKS):
        naturals = s[HAND, rank] + s[NATURALS, rank]
        if naturals == 0:
            continue
        after = np.zeros_like(reach)
        for extra in range(wilds + 1):
            if not fits(s, r, rank, naturals, extra):
                continue
            full, fewest, most = mixed_range(s, r, rank, naturals, extra)
            for mixed in range(fewest, most + 1):
                for state in range(len(reach)):
                    if reach[state] != 0:
                        target = more(state, full - mixed, mixed, most_natural, most_mixed)
                        after[target] |= reach[state] << extra
        reach = after
    for state in range(len(reach)):
        if (reach[state] >> wilds) & 1 and enough_canastas(r, state // width, state % width):
            return True
    return False


@helper
def more(state: int, natural: int, mixed: int, most_natural: int, most_mixed: int) -> int:
    """The index of the canasta counts after more canastas, counts capped at what is asked."""
    width = most_mixed + 1
    naturals = min(most_natural, state // width + natural)
    return naturals * width + min(most_mixed, state % width + mixed)


@helper
def enough_canastas(r: Any, natural: int, mixed: int) -> bool:
    """Do these canastas allow going out (rules.md, canastas to go out)?"""
    return bool(
        natural + mixed >= r.canastas_out
        and natural >= r.natural_canastas_out
        and mixed >= r.mixed_canastas_out
    )


@helper
def own_cards(s: Any, kind: int, discard: int) -> int:
    """Cards of a kind that the hand held before the pile came in, of those that will be laid."""
    kept = 1 if discard == kind else 0
    return int(min(s[HAND, kind], s[HAND, kind] + kept - s[PILE, kind]))


@helper
def minimum_then_all(s: Any, r: Any, discard: int) -> bool:
    """The minimum from hand and top card alone first, then everything, the pile's cards too, in
    going out.

    The scratch's hand holds hand and pile together, without the discard. For every rank a first
    stage (cards of the hand alone) and the final meld are chosen together; kept are the most points
    of first stages for each number of wild cards used in the first stage and in all, and for the
    canastas.
    """
    all_wilds = s[HAND, 0] + s[HAND, 1]
    own_jokers, own_deuces = own_cards(s, 0, discard), own_cards(s, 1, discard)
    own_wilds = own_jokers + own_deuces
    most_natural = max(r.natural_canastas_out, r.canastas_out)
    most_mixed = max(r.mixed_canastas_out, r.canastas_out)
    width = most_mixed + 1
    states = (most_natural + 1) * width
    blocks = 1 if s[FACT, GROUP] > 0 else 2  # the canastas twice: without and with a group
    best = np.full((own_wilds + 1, all_wilds + 1, blocks * states), NONE, np.int64)
    first = min(most_natural, s[FACT, CLOSED_NATURAL]) * width
    first += min(most_mixed, s[FACT, CLOSED_MIXED])
    for early in range(own_wilds + 1):
        for alone in range(early, all_wilds + 1):
            if lays_alone(s, r, early) and lays_alone(s, r, alone):
                canasta = s[WILDS, WILD_RANK] + alone >= r.canasta_size
                state = more(first, 0, 1, most_natural, most_mixed) if canasta else first
                best[early, alone, state] = 0
                if r.bonus_counts and early > 0:
                    gained = wild_bonus(s, r, early, min(early, own_jokers))
                    best[early, alone, state] = gained - bonus_now(s, r, WILD_RANK)
    for rank in range(FIRST_NATURAL, RANKS):
        if s[HAND, rank] + s[NATURALS, rank] > 0:
            best = add_two_stages(s, r, rank, own_cards(s, rank, discard), best, states)
    threes = own_cards(s, BLACK_THREES, discard)
    three_points = 0
    if threes + s[NATURALS, BLACK_THREES] >= 3:
        three_points = threes * r.values[BLACK_THREES]
    last = (blocks - 1) * states
    for early in range(own_wilds + 1):
        jokers = min(early, own_jokers)
        points = three_points + jokers * r.values[0] + (early - jokers) * r.values[1]
        for state in range(states):
            reached = best[early, all_wilds, last + state]
            if reached == NONE or not enough_canastas(r, state // width, state % width):
                continue
            if s[FACT, STAGED] + points + reached >= s[FACT, MINIMUM]:
                return True
    return False


@inlined
def add_two_stages(s: Any, r: Any, rank: int, own: int, best: Any, states: int) -> Any:
    """One step of :func:`minimum_then_all`: a rank's first stage and final melds together."""
    own_wilds, all_wilds = best.shape[0] - 1, best.shape[1] - 1
    most_natural = max(r.natural_canastas_out, r.canastas_out)
    most_mixed = max(r.mixed_canastas_out, r.canastas_out)
    naturals = s[HAND, rank] + s[NATURALS, rank]
    last = best.shape[2] - states
    after = np.full_like(best, NONE)
    for extra in range(all_wilds + 1):
        if not fits(s, r, rank, naturals, extra):
            continue
        full, fewest, most = mixed_range(s, r, rank, naturals, extra)
        for early in range(own + 1):
            lying = s[NATURALS, rank] + early
            for wild in range(min(extra, own_wilds) + 1):
                if (lying == 0 and wild > 0) or not fits(s, r, rank, lying, wild):
                    continue
                gained = early * r.values[rank]
                if r.bonus_counts:
                    gained += counted_bonus(s, r, rank, lying, wild) - bonus_now(s, r, rank)
                for a in range(own_wilds + 1 - wild):
                    for b in range(all_wilds + 1 - extra):
                        for state in range(best.shape[2]):
                            if best[a, b, state] == NONE:
                                continue
                            points = best[a, b, state] + gained
                            block = last if lying >= 3 else state - state % states
                            for mixed in range(fewest, most + 1):
                                made = state % states
                                made = more(made, full - mixed, mixed, most_natural, most_mixed)
                                to = block + made
                                if points > after[a + wild, b + extra, to]:
                                    after[a + wild, b + extra, to] = points
    return after

"""Can the minimum of the first meld be reached?

A cheap bound first, then an exact search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.engine.capacity import fits, lays_alone, wilds_alone
from canasta_env.engine.laying import bonus_now, counted_bonus, wild_bonus
from canasta_env.engine.scratch import (
    FACT,
    GROUP,
    HAND,
    MINIMUM,
    NATURALS,
    NONE,
    SIZE,
    STAGED,
    WILDS,
)
from canasta_env.engine.state import BLACK_THREES, FIRST_NATURAL, RANKS, WILD_RANK
from canasta_env.jit import helper, inlined


@helper
def reaches_minimum(s: Any, r: Any, keep: int) -> bool:
    """Can melds from the hand bring the points that lack, at least ``keep`` cards staying?

    The greedy bound lays every natural that can be laid, one wild on each of the dearest pairs, and
    the other wild cards where there is room: nothing brings more points but the bonuses of
    canastas, where they count. Where it lays something possible and leaves enough cards it is the
    answer; else the exact search decides.
    """
    lacking = s[FACT, MINIMUM] - s[FACT, STAGED]
    wilds = s[HAND, 0] + s[HAND, 1]
    alone = wilds_alone(s, r, wilds)
    points, used, room = meld_points(s, r, wilds)
    room += alone
    laid = min(wilds, room)
    points += wild_points(s, r, laid)
    if not r.plain_first_meld:
        if s[FACT, GROUP] == 0 and not holds_group(s):
            return False
        if points < lacking:
            lacking -= bonus_in_reach(s, r, wilds)
    if points < lacking:
        return False
    if alone == 0 and not r.melds_close and s[FACT, SIZE] - used - laid >= keep:
        if r.free_growth and points >= s[FACT, MINIMUM] - s[FACT, STAGED]:
            return True
    return search_minimum(s, r, s[FACT, MINIMUM] - s[FACT, STAGED], keep)


@helper
def meld_points(s: Any, r: Any, wilds: int) -> tuple[int, int, int]:
    """The most points that naturals of the hand can bring with so many wild cards; how many
    naturals that lays; and how many wild cards at most their melds then have room for.

    Every natural that can be laid is, those of the dearest pairs with a wild card each.
    """
    points, used, room = 0, 0, 0
    pairs_left = wilds
    for rank in range(RANKS - 1, FIRST_NATURAL - 1, -1):  # dearest first
        held = s[HAND, rank]
        naturals = held + s[NATURALS, rank]
        if naturals < r.fewest_naturals:
            continue
        if naturals + s[WILDS, rank] < 3:
            if pairs_left == 0 or r.wild_capacity[naturals] == 0:
                continue
            pairs_left -= 1
        points += held * r.values[rank]
        used += held
        room += r.wild_capacity[naturals] - s[WILDS, rank]
        if r.melds_close:
            room += naturals  # several melds of a rank have more room
    return points, used, room


@helper
def holds_group(s: Any) -> bool:
    """Are there three naturals of a rank, on the table or in the hand?"""
    for rank in range(FIRST_NATURAL, RANKS):
        if s[HAND, rank] + s[NATURALS, rank] >= 3:
            return True
    return False


@helper
def bonus_in_reach(s: Any, r: Any, wilds: int) -> int:
    """Bonuses that canastas could count toward the first meld, at most."""
    bonus = 0
    if not r.bonus_counts:
        return 0
    for rank in range(FIRST_NATURAL, RANKS):
        size = s[HAND, rank] + s[NATURALS, rank] + s[WILDS, rank] + wilds
        bonus += most_bonus(s, r, size)
    if r.wild_melds > 0 and s[WILDS, WILD_RANK] + wilds >= r.canasta_size:
        bonus += max(r.wild_canasta, r.wild_canasta_jokers)
    return int(bonus)


@helper
def most_bonus(s: Any, r: Any, size: int) -> int:
    """What the canastas of one rank bring at most, with so many cards."""
    count = size // r.canasta_size if r.melds_close else (1 if size >= r.canasta_size else 0)
    return int(count * max(r.natural_canasta, r.mixed_canasta))


@helper
def wild_points(s: Any, r: Any, count: int) -> int:
    """Points of the dearest ``count`` wild cards of the hand: jokers first."""
    jokers = min(count, s[HAND, 0])
    return int(jokers * r.values[0] + (count - jokers) * r.values[1])


@helper
def search_minimum(s: Any, r: Any, lacking: int, keep: int) -> bool:
    """The exact search, rank by rank: the most points by wild cards used and cards held back.

    While a group of three naturals is missing, a second block of rows stands for those ways to lay
    that have one.
    """
    wilds = s[HAND, 0] + s[HAND, 1]
    blocks = 1 if s[FACT, GROUP] > 0 else 2
    best = np.full((blocks * (wilds + 1), keep + 1), NONE, np.int64)
    held = min(keep, s[HAND, BLACK_THREES])
    for alone in range(wilds + 1):
        if lays_alone(s, r, alone):
            best[alone, held] = 0
            if r.bonus_counts and alone > 0:
                jokers = min(alone, s[HAND, 0])
                best[alone, held] = wild_bonus(s, r, alone, jokers) - bonus_now(s, r, WILD_RANK)
    for rank in range(FIRST_NATURAL, RANKS):
        if s[HAND, rank] + s[NATURALS, rank] > 0:
            best = add_rank(s, r, rank, best, wilds, keep)
    last = (blocks - 1) * (wilds + 1)
    for used in range(wilds + 1):
        for held in range(keep + 1):
            kept = held + wilds - used
            if kept >= keep and best[last + used, held] + wild_points(s, r, used) >= lacking:
                return True
    return False


@inlined
def add_rank(s: Any, r: Any, rank: int, best: Any, wilds: int, keep: int) -> Any:
    """One step of :func:`search_minimum`: every way to lay naturals and wilds of one rank."""
    rows = wilds + 1
    after = np.full_like(best, NONE)
    for laid in range(s[HAND, rank] + 1):
        naturals = s[NATURALS, rank] + laid
        for extra in range(rows if naturals > 0 else 1):
            if not fits(s, r, rank, naturals, extra):
                continue
            gained = laid * r.values[rank]
            if r.bonus_counts:
                gained += counted_bonus(s, r, rank, naturals, extra) - bonus_now(s, r, rank)
            for block in range(0, len(best), rows):
                to = len(best) - rows if naturals >= 3 else block
                for used in range(rows - extra):
                    for held in range(keep + 1):
                        if best[block + used, held] == NONE:
                            continue
                        kept = min(keep, held + s[HAND, rank] - laid)
                        points = best[block + used, held] + gained
                        row = to + used + extra
                        after[row, kept] = max(after[row, kept], points)
    return after

"""Can the turn under way still end? The exact test behind every mask (rules.md, Masks).

A candidate is tried by laying its cards in the scratch, asking :func:`can_end`, and taking them
back. Candidates are listed first and tried in one loop, since the compiler optimises a function
anew at every place that calls it.
"""

from __future__ import annotations

from typing import Any

from canasta_env.engine.first_meld import reaches_minimum
from canasta_env.engine.going_out import goes_out
from canasta_env.engine.laying import bring_in, lay, lay_any, unlay, unlay_any
from canasta_env.engine.scratch import (
    ACTION,
    APART,
    BELOW,
    COUNT,
    DISCARDED,
    FACT,
    FOOT,
    HAND,
    KEEP,
    LAID_DEUCES,
    LAID_JOKERS,
    LAID_NATURALS,
    LAST,
    MELDED,
    MINIMUM,
    MODE,
    MOVES,
    MUST,
    MUST_NOT,
    NATURALS,
    NO_OUT,
    OUT_OF_REACH,
    PILE,
    RANK,
    SIZE,
    STAGED,
    SURE,
    UNDER,
    drop_last,
)
from canasta_env.engine.state import BLACK_THREES, RANKS
from canasta_env.jit import helper, inlined


@helper
def can_end(s: Any, r: Any) -> bool:
    """Can some row of actions of the seat end the turn from the scratch's state?"""
    mode = s[FACT, MODE]
    if mode != MUST:
        if s[FACT, MELDED] == 1 or s[FACT, BELOW] == 0:
            if s[FACT, SIZE] >= s[FACT, KEEP] or s[FACT, FOOT] == 1:
                return True
        else:
            keep = 0 if s[FACT, FOOT] == 1 else max(0, s[FACT, KEEP] - s[FACT, APART])
            if reaches_minimum(s, r, keep):
                return True
        if mode == MUST_NOT:
            return False
    return goes_out(s, r)


@inlined
def mark_possible(s: Any, r: Any, mask: Any) -> int:
    """Mark the candidates after which the turn can end; returns how many there are."""
    count = 0
    mode = s[FACT, MODE]
    hopeless = False
    for i in range(MOVES, MOVES + s[FACT, COUNT]):
        under = s[i, UNDER]
        if under == SURE:
            mask[s[i, ACTION]] = True
            count += 1
            continue
        if hopeless and under != LAST:
            continue
        rank, naturals = s[i, RANK], s[i, LAID_NATURALS]
        deuces, jokers = s[i, LAID_DEUCES], s[i, LAID_JOKERS]
        s[FACT, MODE] = MUST if under == LAST else under
        reached = False
        if under == LAST:
            drop_last(s, rank, -1)
            s[FACT, DISCARDED] = rank + 1
        elif r.plain_first_meld:
            reached = lay(s, r, rank, naturals, deuces, jokers)
        else:
            reached = lay_any(s, r, rank, naturals, deuces, jokers)
        possible = can_end(s, r)
        if under == LAST:
            drop_last(s, rank, 1)
            s[FACT, DISCARDED] = 0
        elif r.plain_first_meld:
            unlay(s, r, rank, naturals, deuces, jokers, reached)
        else:
            unlay_any(s, r, rank, naturals, deuces, jokers, reached)
        s[FACT, MODE] = mode
        if possible and s[i, ACTION] >= 0:
            mask[s[i, ACTION]] = True
            count += 1
        if not possible and naturals + deuces + jokers == 0:  # a question, not a move
            if under == MUST:
                s[FACT, NO_OUT] = 1
            elif under != LAST:
                hopeless = True
    return count


@helper
def minimum_reachable(s: Any, r: Any) -> bool:
    """Can any row that begins with one of the listed takes reach the minimum, black threes
    included?

    "Cannot be reached" is literal (rules.md, *hungarian*): whether such a row could end the turn
    does not matter.
    """
    for i in range(MOVES, MOVES + s[FACT, COUNT]):
        rank, naturals = s[i, RANK], s[i, LAID_NATURALS]
        deuces, jokers = s[i, LAID_DEUCES], s[i, LAID_JOKERS]
        reached = lay_any(s, r, rank, naturals, deuces, jokers)
        possible = reached
        if not reached:
            threes = 0
            lying = s[NATURALS, BLACK_THREES]
            if r.black_three_melds and s[HAND, BLACK_THREES] + lying >= 3:
                threes = min(s[HAND, BLACK_THREES], 4 - lying) * r.values[BLACK_THREES]
            s[FACT, STAGED] += threes
            possible = reaches_minimum(s, r, 0)
            s[FACT, STAGED] -= threes
        unlay_any(s, r, rank, naturals, deuces, jokers, reached)
        if possible:
            return True
    return False


@helper
def take_whole_pile(s: Any) -> None:
    """Change the listed takes: the whole pile comes at once, for a concealed going out."""
    bring_in(s, 1)
    s[FACT, APART] = 0
    for k in range(RANKS):
        s[PILE, k] = 0
    s[FACT, MINIMUM] = OUT_OF_REACH
    for i in range(MOVES, MOVES + s[FACT, COUNT]):
        s[i, UNDER] = MUST

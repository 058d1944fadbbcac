"""Melding: new melds, additions, black threes, and what follows when the hand runs out."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.discard import legal_discards
from canasta_env.engine.draw import minimum_reached, take_rest
from canasta_env.engine.lookahead import (
    APART,
    BELOW,
    FACT,
    FIRST_NATURAL,
    FOOT,
    FREE,
    HAND,
    MELDED,
    MODE,
    MUST,
    MUST_NOT,
    NATURALS,
    NO_OUT,
    SIZE,
    WILDS,
    can_end,
    fill_scratch,
    goes_out,
    lay,
    reaches_minimum,
    unlay,
)
from canasta_env.engine.state import BLACK_THREES, RANKS, Asked
from canasta_env.jit import helper


@helper
def try_lay(s: Any, r: Any, rank: int, naturals: int, deuces: int, jokers: int) -> bool:
    """Would the turn be able to end after these cards are laid?"""
    if (
        s[FACT, MELDED] == 1
        and s[FACT, MODE] != MUST
        and s[FACT, SIZE] - naturals - deuces - jokers >= 2
    ):
        return True
    reached = lay(s, r, rank, naturals, deuces, jokers)
    possible = can_end(s, r)
    unlay(s, r, rank, naturals, deuces, jokers, reached)
    return possible


@helper
def may_ask(g: Any, r: Any, s: Any, seat: int) -> bool:
    """May the seat ask "may I go out?" now (rules.md, Asking)? Both answers must leave a legal end of the turn."""
    if not r.asking or g.asked != Asked.NO_QUESTION or g.acted or g.players == g.sides:
        return False
    if s[FACT, BELOW] != 0 or s[FACT, FOOT] == 1 or s[FACT, MODE] != FREE:
        return False
    return bool(s[FACT, SIZE] >= 2 and s[FACT, NO_OUT] == 0)


@helper
def melds_possible(s: Any, r: Any) -> bool:
    """Is any meld worth trying: has the side melded, or can its first meld still succeed?"""
    if s[FACT, MELDED] == 1 or s[FACT, NO_OUT] == 0:
        return True
    if s[FACT, MODE] == MUST:
        return False
    keep = 0 if s[FACT, FOOT] == 1 else max(0, 2 - s[FACT, APART])
    return reaches_minimum(s, r, keep)


@helper
def legal_meld(g: Any, r: Any, s: Any, mask: Any) -> None:
    """Mark the legal actions of the phase ``meld``."""
    seat = int(g.turn)
    fill_scratch(g, r, seat, s)
    if not goes_out(s, r):
        s[FACT, NO_OUT] = 1
    if may_ask(g, r, s, seat):
        mask[int(r.at_ask)] = True
    if melds_possible(s, r):
        for rank in range(FIRST_NATURAL, RANKS):
            if s[NATURALS, rank] > 0:
                legal_additions(r, s, rank, mask)
            elif s[HAND, rank] >= 2:
                legal_new_melds(r, s, rank, mask)
        if r.black_three_melds and s[HAND, BLACK_THREES] > 0 and s[FACT, MODE] != MUST_NOT:
            legal_black_threes(r, s, mask)
    legal_discards(g, r, s, mask)


@helper
def legal_new_melds(r: Any, s: Any, rank: int, mask: Any) -> None:
    """Mark new melds of a rank: three cards, at least two of them natural."""
    at = rank - FIRST_NATURAL
    if s[HAND, rank] >= 3 and try_lay(s, r, rank, 3, 0, 0):
        mask[int(r.at_meld) + at] = True
    if r.wild_capacity[2] < 1 or r.new_meld_most_wilds < 1:
        return
    if s[HAND, 1] > 0 and try_lay(s, r, rank, 2, 1, 0):
        mask[int(r.at_meld_deuce) + at] = True
    if s[HAND, 0] > 0 and try_lay(s, r, rank, 2, 0, 1):
        mask[int(r.at_meld_joker) + at] = True


@helper
def legal_additions(r: Any, s: Any, rank: int, mask: Any) -> None:
    """Mark single cards that may join the side's open meld of a rank."""
    at = rank - FIRST_NATURAL
    naturals, wilds = s[NATURALS, rank], s[WILDS, rank]
    if r.melds_close and naturals + wilds >= r.canasta_size:
        return
    if s[HAND, rank] > 0 and try_lay(s, r, rank, 1, 0, 0):
        mask[int(r.at_add) + at] = True
    if wilds + 1 > r.wild_capacity[naturals]:
        return
    if naturals + wilds + 1 >= r.canasta_size and naturals < r.canasta_fewest_naturals:
        return
    if s[HAND, 1] > 0 and try_lay(s, r, rank, 0, 1, 0):
        mask[int(r.at_add_deuce) + at] = True
    if s[HAND, 0] > 0 and try_lay(s, r, rank, 0, 0, 1):
        mask[int(r.at_add_joker) + at] = True


@helper
def legal_black_threes(r: Any, s: Any, mask: Any) -> None:
    """Mark melds of black threes: only in a turn that goes out (rules.md, black threes melded)."""
    mode = s[FACT, MODE]
    s[FACT, MODE] = MUST
    held, lying = s[HAND, BLACK_THREES], s[NATURALS, BLACK_THREES]
    if lying == 0 and held >= 3 and try_lay(s, r, BLACK_THREES, 3, 0, 0):
        mask[int(r.at_meld_threes)] = True
    if lying == 0 and held >= 4 and try_lay(s, r, BLACK_THREES, 4, 0, 0):
        mask[int(r.at_meld_four_threes)] = True
    if lying == 3 and try_lay(s, r, BLACK_THREES, 1, 0, 0):
        mask[int(r.at_add_three)] = True
    s[FACT, MODE] = mode


@helper
def leave_hand(g: Any, seat: int, kind: int, count: int) -> None:
    """Remove cards from a hand; what the seat is known to hold shrinks with them."""
    g.hands[seat, kind] -= count
    g.hand_sizes[seat] -= count
    g.known[seat, kind] = max(0, int(g.known[seat, kind]) - count)


@helper
def lay_cards(g: Any, r: Any, seat: int, rank: int, naturals: int, deuces: int, jokers: int) -> None:
    """Lay cards of the hand on the side's meld of ``rank``, begun by this if there is none."""
    side = seat % int(g.sides)
    lying = int(g.meld_naturals[side, rank]) + int(g.meld_deuces[side, rank])
    if lying + int(g.meld_jokers[side, rank]) == 0:
        g.begun = int(g.begun) | (1 << rank)
    elif (int(g.begun) >> rank) & 1 == 0:
        g.added = True
    leave_hand(g, seat, rank, naturals)
    leave_hand(g, seat, 1, deuces)
    leave_hand(g, seat, 0, jokers)
    g.meld_naturals[side, rank] += naturals
    g.meld_deuces[side, rank] += deuces
    g.meld_jokers[side, rank] += jokers
    if g.melded[side]:
        if g.pending > 0:
            take_rest(g, seat)
        return
    points = naturals * int(r.values[rank])
    g.staged += points + deuces * int(r.values[1]) + jokers * int(r.values[0])
    if minimum_reached(g, r, side):
        g.melded[side] = True
        take_rest(g, seat)

"""Melding: new melds, additions, black threes, and what follows when the hand runs out."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.capacity import may_hold
from canasta_env.engine.draw import minimum_reached, take_rest
from canasta_env.engine.layout import side_of
from canasta_env.engine.scoring import rank_bonus
from canasta_env.engine.scratch import (
    BELOW,
    FACT,
    FOOT,
    FREE,
    HAND,
    MELDED,
    MODE,
    MUST,
    MUST_NOT,
    NATURALS,
    SIZE,
    WILDS,
    propose,
)
from canasta_env.engine.state import (
    ADD,
    ADD_DEUCE,
    ADD_JOKER,
    ADD_THREE,
    BLACK_THREES,
    FIRST_NATURAL,
    MELD,
    MELD_DEUCE,
    MELD_FOUR_THREES,
    MELD_JOKER,
    MELD_THREES,
    MELD_WILD,
    RANKS,
    WILD_DEUCE,
    WILD_JOKER,
    WILD_RANK,
    Asked,
)
from canasta_env.jit import helper


@helper
def may_ask(g: Any, r: Any, s: Any) -> bool:
    """May the seat ask "may I go out?" now, if going out is possible (rules.md, Asking)?"""
    if not r.asking or g.asked != Asked.NO_QUESTION or g.acted or g.players == g.sides:
        return False
    if s[FACT, BELOW] != 0 or s[FACT, FOOT] == 1 or s[FACT, MODE] != FREE:
        return False
    return bool(s[FACT, SIZE] >= 2)  # so that after "no" a discard keeps a card


@helper
def propose_melds(g: Any, r: Any, s: Any) -> None:
    """List the question and all melds and additions that the cards allow in the phase ``meld``."""
    asks = may_ask(g, r, s)
    if asks or s[FACT, MELDED] == 0 or s[FACT, MODE] != FREE or s[FACT, SIZE] < 6:
        # if going out is impossible, later candidates need not look for it; with many cards few do
        propose(s, int(r.at_ask) if asks else -1, 0, 0, 0, 0, MUST)
    if s[FACT, MELDED] == 0 and s[FACT, MODE] != MUST:
        propose(s, -1, 0, 0, 0, 0, s[FACT, MODE])  # can the first meld succeed at all?
    for rank in range(FIRST_NATURAL, RANKS):
        if s[NATURALS, rank] > 0:
            propose_additions(r, s, rank)
        elif s[HAND, rank] >= 2:
            propose_new_melds(r, s, rank)
    if r.black_three_melds and s[HAND, BLACK_THREES] > 0 and s[FACT, MODE] != MUST_NOT:
        propose_black_threes(r, s)
    if r.wild_melds > 0:
        propose_wild_melds(r, s)


@helper
def propose_new_melds(r: Any, s: Any, rank: int) -> None:
    """List new melds of a rank: three cards, at least two of them natural."""
    at = rank - FIRST_NATURAL
    mode = s[FACT, MODE]
    if s[HAND, rank] >= 3:
        propose(s, int(r.at_meld) + at, rank, 3, 0, 0, mode)
    if r.wild_capacity[2] < 1:
        return
    if s[HAND, 1] > 0:
        propose(s, int(r.at_meld_deuce) + at, rank, 2, 1, 0, mode)
    if s[HAND, 0] > 0:
        propose(s, int(r.at_meld_joker) + at, rank, 2, 0, 1, mode)


@helper
def propose_additions(r: Any, s: Any, rank: int) -> None:
    """List single cards that may join the side's open meld of a rank."""
    at = rank - FIRST_NATURAL
    mode = s[FACT, MODE]
    naturals, wilds = s[NATURALS, rank], s[WILDS, rank]
    if r.melds_close and naturals + wilds >= r.canasta_size:
        return
    if s[HAND, rank] > 0 and may_hold(r, naturals + 1, wilds):
        propose(s, int(r.at_add) + at, rank, 1, 0, 0, mode)
    if wilds + 1 > r.wild_capacity[naturals]:
        return
    if s[HAND, 1] > 0:
        propose(s, int(r.at_add_deuce) + at, rank, 0, 1, 0, mode)
    if s[HAND, 0] > 0:
        propose(s, int(r.at_add_joker) + at, rank, 0, 0, 1, mode)


@helper
def propose_black_threes(r: Any, s: Any) -> None:
    """List melds of black threes: only in a turn that goes out (rules.md, black threes melded)."""
    held, lying = s[HAND, BLACK_THREES], s[NATURALS, BLACK_THREES]
    if lying == 0 and held >= 3:
        propose(s, int(r.at_meld_threes), BLACK_THREES, 3, 0, 0, MUST)
    if lying == 0 and held >= 4:
        propose(s, int(r.at_meld_four_threes), BLACK_THREES, 4, 0, 0, MUST)
    if lying == 3:
        propose(s, int(r.at_add_three), BLACK_THREES, 1, 0, 0, MUST)


@helper
def propose_wild_melds(r: Any, s: Any) -> None:
    """List melds of wild cards and additions to one (rules.md, melds of wild cards only)."""
    mode = s[FACT, MODE]
    lying = s[WILDS, WILD_RANK]
    size = int(r.canasta_size) if r.wild_melds == 2 else 3
    action = int(r.at_meld_wild)
    while lying == 0 and r.family[action] == MELD_WILD:
        jokers = int(r.rank[action])
        if s[HAND, 0] >= jokers and s[HAND, 1] >= size - jokers:
            propose(s, action, WILD_RANK, 0, size - jokers, jokers, mode)
        action += 1
    if r.wild_melds == 1 and 0 < lying < r.canasta_size:
        if s[HAND, 1] > 0:
            propose(s, int(r.at_wild_deuce), WILD_RANK, 0, 1, 0, mode)
        if s[HAND, 0] > 0:
            propose(s, int(r.at_wild_joker), WILD_RANK, 0, 0, 1, mode)


@helper
def close_meld(g: Any, r: Any, side: int, rank: int) -> None:
    """A meld of seven closes, where the rules say so, and another of its rank may start."""
    deuces, jokers = int(g.meld_deuces[side, rank]), int(g.meld_jokers[side, rank])
    if int(g.meld_naturals[side, rank]) + deuces + jokers < r.canasta_size:
        return
    index = int(g.closed_melds[side, rank])
    g.closed_wilds[side, rank, index] = deuces + 16 * jokers
    g.closed_melds[side, rank] = index + 1
    g.meld_naturals[side, rank] = 0
    g.meld_deuces[side, rank] = 0
    g.meld_jokers[side, rank] = 0
    if (int(g.begun) >> rank) & 1 == 1:
        g.begun = int(g.begun) & ~(1 << rank)
        g.begun_closed[rank] += 1


@helper
def leave_hand(g: Any, seat: int, kind: int, count: int) -> None:
    """Remove cards from a hand; what the seat is known to hold shrinks with them."""
    g.hands[seat, kind] -= count
    g.hand_sizes[seat] -= count
    known = int(g.known[seat, kind])
    g.known[seat, kind] = max(0, known - count)
    if kind < 2 and g.cut_wilds > 0 and g.cut_seat == seat and count > known:
        g.cut_wilds = max(0, int(g.cut_wilds) - (count - known))


@helper
def lay_cards(
    g: Any, r: Any, seat: int, rank: int, naturals: int, deuces: int, jokers: int
) -> None:
    """Lay cards of the hand on the side's meld of ``rank``, begun by this if there is none."""
    leave_hand(g, seat, rank, naturals)
    g.shown[rank] += naturals
    join_meld(g, r, seat, rank, naturals, deuces, jokers)


@helper
def join_meld(
    g: Any, r: Any, seat: int, rank: int, naturals: int, deuces: int, jokers: int
) -> None:
    """Put cards on the side's meld of ``rank``; its naturals have left the hand, the wild cards
    leave it now."""
    side = side_of(g, seat)
    lying = int(g.meld_naturals[side, rank]) + int(g.meld_deuces[side, rank])
    if lying + int(g.meld_jokers[side, rank]) == 0:
        g.begun = int(g.begun) | (1 << rank)
    elif (int(g.begun) >> rank) & 1 == 0:
        g.added = True
    leave_hand(g, seat, 1, deuces)
    leave_hand(g, seat, 0, jokers)
    g.shown[1] += deuces
    g.shown[0] += jokers
    points = naturals * int(r.values[rank]) + deuces * int(r.values[1]) + jokers * int(r.values[0])
    if r.bonus_counts:
        points -= rank_bonus(g, r, side, rank)
    g.meld_naturals[side, rank] += naturals
    g.meld_deuces[side, rank] += deuces
    g.meld_jokers[side, rank] += jokers
    if r.melds_close:
        close_meld(g, r, side, rank)
    if r.bonus_counts:
        points += rank_bonus(g, r, side, rank)
    count_laid(g, r, seat, points)


@helper
def count_laid(g: Any, r: Any, seat: int, points: int) -> None:
    """Count points toward the first meld; with the minimum the pile that lies apart comes in."""
    side = side_of(g, seat)
    if g.melded[side]:
        if g.pending > 0:
            take_rest(g, seat)
        return
    g.staged += points
    if minimum_reached(g, r, seat):
        g.melded[side] = True
        take_rest(g, seat)


@helper
def plain_meld(g: Any, r: Any, action: int) -> None:
    """Lay a new meld or add to one, with cards that have no suits."""
    seat, family, rank = int(g.turn), int(r.family[action]), int(r.rank[action])
    naturals, deuces, jokers = 0, 0, 0
    if family in (MELD, MELD_THREES):
        naturals = 3
    elif family == MELD_FOUR_THREES:
        naturals = 4
    elif family in (ADD, ADD_THREE):
        naturals = 1
    elif family == MELD_DEUCE:
        naturals, deuces = 2, 1
    elif family == MELD_JOKER:
        naturals, jokers = 2, 1
    elif family == ADD_DEUCE:
        deuces = 1
    elif family == ADD_JOKER:
        jokers = 1
    elif family == MELD_WILD:
        jokers = rank
        deuces = (int(r.canasta_size) if r.wild_melds == 2 else 3) - jokers
        rank = WILD_RANK
    elif family == WILD_DEUCE:
        deuces = 1
    elif family == WILD_JOKER:
        jokers = 1
    lay_cards(g, r, seat, rank, naturals, deuces, jokers)

"""The score of a deal, the end of a match and the next dealer (rules.md, Scores)."""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.engine.layout import by_layout, kinds_of, rank_of, side_of
from canasta_env.engine.state import (
    BLACK_THREES,
    FIRST_NATURAL,
    RANKS,
    SUITS,
    WILD_RANK,
    Drew,
    End,
    Phase,
)
from canasta_env.jit import helper

MELDED_CARDS = 0
CANASTAS = 1
GOING_OUT = 2
CONCEALED = 3
RED_THREES = 4
CONCEALED_CANASTAS = 5
IN_HAND = 6
ROUNDING = 7
ITEMS = 8


@helper
def meld_values(g: Any, r: Any, side: int) -> int:
    """Values of the side's melded cards, black threes 5 each."""
    points = sequence_values(g, r, side)
    deuce, joker = int(r.values[1]), int(r.values[0])
    for rank in range(RANKS):
        points += int(g.meld_naturals[side, rank]) * int(r.values[rank])
        points += int(g.meld_deuces[side, rank]) * deuce + int(g.meld_jokers[side, rank]) * joker
        for i in range(int(g.closed_melds[side, rank])):
            wilds = int(g.closed_wilds[side, rank, i])
            deuces, jokers = wilds % 16, wilds // 16
            points += (int(r.canasta_size) - deuces - jokers) * int(r.values[rank])
            points += deuces * deuce + jokers * joker
    return points


@helper
def sequence_values(g: Any, r: Any, side: int) -> int:
    """Values of the cards in the side's sequences; a wild card keeps its own."""
    points = 0
    for i in range(int(g.sequence_count[side])):
        for place in range(int(g.sequence_length[side, i])):
            if (int(g.sequence_deuces[side, i]) >> place) & 1 == 1:
                points += int(r.values[1])
            elif (int(g.sequence_jokers[side, i]) >> place) & 1 == 1:
                points += int(r.values[0])
            else:
                points += int(r.values[int(g.sequence_low[side, i]) + place])
    return points


@helper
def canasta_values(g: Any, r: Any, side: int) -> tuple[int, int]:
    """Bonuses of the side's canastas, and how many there are."""
    points = 0
    count = 0
    for rank in range(FIRST_NATURAL, RANKS):
        points += rank_bonus(g, r, side, rank)
        wilds = int(g.meld_deuces[side, rank]) + int(g.meld_jokers[side, rank])
        count += 1 if int(g.meld_naturals[side, rank]) + wilds >= r.canasta_size else 0
        count += int(g.closed_melds[side, rank])
    wilds = int(g.meld_deuces[side, WILD_RANK]) + int(g.meld_jokers[side, WILD_RANK])
    count += 1 if wilds >= r.canasta_size else 0
    return points + rank_bonus(g, r, side, WILD_RANK), count


@helper
def rank_bonus(g: Any, r: Any, side: int, rank: int) -> int:
    """Bonuses of the side's canastas of one rank, or of wild cards."""
    wilds = int(g.meld_deuces[side, rank]) + int(g.meld_jokers[side, rank])
    is_full = int(g.meld_naturals[side, rank]) + wilds >= r.canasta_size
    if rank == WILD_RANK:
        many = g.meld_jokers[side, WILD_RANK] >= 4
        return (int(r.wild_canasta_jokers) if many else int(r.wild_canasta)) if is_full else 0
    if rank == BLACK_THREES:
        return 0
    points = (int(r.natural_canasta) if wilds == 0 else int(r.mixed_canasta)) if is_full else 0
    for i in range(int(g.closed_melds[side, rank])):
        mixed = g.closed_wilds[side, rank, i] > 0
        points += int(r.mixed_canasta) if mixed else int(r.natural_canasta)
    return points


@helper
def hand_values(g: Any, r: Any, side: int) -> int:
    """Values of the cards left in the side's hands and untaken feet, as a positive number."""
    points = 0
    for seat in range(side, int(g.players), int(g.sides)):
        for kind in range(kinds_of(g)):
            value = int(r.values[rank_of(kinds_of(g), kind)])
            if kind == BLACK_THREES:
                value = int(r.black_three_in_hand)
            points += (int(g.hands[seat, kind]) + int(g.feet[seat, kind])) * value
    return points


@helper
def score_side(g: Any, r: Any, side: int, items: Any) -> int:
    """Write the side's score sheet into ``items`` (int64, ITEMS) and return the total."""
    items[:] = 0
    canastas, count = canasta_values(g, r, side)
    items[MELDED_CARDS] = meld_values(g, r, side)
    items[CANASTAS] = canastas
    out = g.out_seat >= 0 and side_of(g, int(g.out_seat)) == side
    if out:
        items[GOING_OUT] = r.going_out_bonus
        if g.end == End.CONCEALED:
            items[CONCEALED] = r.concealed_bonus
    red = int(r.red_three_values[int(g.red_threes[side])])
    items[RED_THREES] = red if g.melded[side] or r.red_threes_for_unmelded else -red
    for seat in range(side, int(g.players), int(g.sides)):
        items[RED_THREES] -= int(g.feet[seat, 2]) * int(r.foot_red_threes)
    items[CONCEALED_CANASTAS] = int(g.concealed_canastas[side]) * int(r.concealed_canasta_bonus)
    items[IN_HAND] = -hand_values(g, r, side)
    if r.no_canasta_against and count == 0:
        items[MELDED_CARDS] = -items[MELDED_CARDS]
        items[RED_THREES] = -abs(items[RED_THREES])
    total = items.sum()
    if r.round_to > 1:
        rounded = (total + r.round_to // 2) // r.round_to * r.round_to
        items[ROUNDING] = rounded - total
    return int(items.sum())


@helper
def is_concealed(g: Any, r: Any, seat: int, discard: int) -> bool:
    """Did this seat, which has just run out of cards, go out concealed (rules.md, Concealed going
    out)?

    ``discard`` is the kind of its last discard, -1 if it melded its last card.
    """
    if g.seat_melded[seat]:
        return False
    limited = r.concealed_waives == 2 and g.drew == Drew.PILE  # hungarian
    if limited and discard >= 0 and g.before[discard] == 0:
        return False
    if r.concealed_canasta == 1:
        return True
    if g.added:
        return False
    side = side_of(g, seat)
    own = False
    for i in range(int(g.sequence_count[side])):
        if (int(g.begun_sequences) >> i) & 1 == 0 and r.concealed_canasta == 2:
            return False
    for rank in range(RANKS):
        size = int(g.meld_naturals[side, rank]) + int(g.meld_deuces[side, rank])
        size += int(g.meld_jokers[side, rank])
        begun = (int(g.begun) >> rank) & 1 == 1
        if size > 0 and not begun and r.concealed_canasta == 2:
            return False
        if begun and rank != BLACK_THREES and size >= r.canasta_size:
            own = True
        if g.begun_closed[rank] > 0:
            own = True
    return own


@helper
def rank_before(g: Any, side: int, rank: int) -> int:
    """Naturals of the side's meld of a rank that the seat held before the draw or got with the top
    card, counted by kind; where suits do not matter."""
    held = int(g.before[rank]) + (1 if g.top == rank else 0)
    return min(int(g.meld_naturals[side, rank]), held)


@helper
def suits_before(g: Any, side: int, rank: int) -> int:
    """The same where suits matter."""
    count = 0
    for suit in range(SUITS):
        kind = FIRST_NATURAL + SUITS * (rank - FIRST_NATURAL) + suit
        held = int(g.before[kind]) + (1 if g.top == kind else 0)
        count += min(int(g.meld_cards[side, kind]), held)
    return count


held_before = by_layout(rank_before, suits_before)


@helper
def count_concealed_canastas(g: Any, r: Any, seat: int) -> int:
    """Concealed canastas of the turn that ends (rules.md, A concealed canasta).

    Which cards were held is counted by kind; a wild card serves one canasta only, so all choices of
    canastas are tried.
    """
    side = side_of(g, seat)
    low, high, needed = (
        np.zeros(RANKS, np.int64),
        np.zeros(RANKS, np.int64),
        np.zeros(RANKS, np.int64),
    )
    melds = 0
    for rank in range(FIRST_NATURAL, RANKS):
        naturals = int(g.meld_naturals[side, rank])
        deuces, jokers = int(g.meld_deuces[side, rank]), int(g.meld_jokers[side, rank])
        size = naturals + deuces + jokers
        if (int(g.begun) >> rank) & 1 == 0 or size < r.canasta_size:
            continue
        wilds = max(0, int(r.canasta_size) - held_before(g, side, rank))
        if wilds <= deuces + jokers:
            needed[melds] = wilds
            low[melds] = max(0, wilds - jokers)
            high[melds] = min(deuces, wilds)
            melds += 1
    most = 0
    for chosen in range(1 << melds):
        count, fewest, deuces, wilds = 0, 0, 0, 0
        for i in range(melds):
            if (chosen >> i) & 1 == 1:
                count += 1
                fewest += low[i]
                deuces += high[i]
                wilds += needed[i]
        fewest = max(fewest, wilds - int(g.before[0]))
        if fewest <= min(deuces, int(g.before[1])):
            most = max(most, count)
    return most


@helper
def settle_canastas(g: Any, r: Any, seat: int) -> None:
    """Credit the concealed canastas of the turn that ends, where the rules pay for them."""
    if r.concealed_canasta_bonus != 0:
        g.concealed_canastas[side_of(g, seat)] += count_concealed_canastas(g, r, seat)


@helper
def finish(g: Any, r: Any, end: int, discard: int) -> None:
    """End the deal; ``discard`` is the last card of a seat that went out by it, or -1."""
    if end == End.WENT_OUT:
        seat = int(g.turn)
        g.out_seat = seat
        settle_canastas(g, r, seat)
        if is_concealed(g, r, seat, discard):
            end = End.CONCEALED
        g.melded[side_of(g, seat)] = True  # a waived minimum counts as reached
    g.end = end
    items = np.zeros(ITEMS, np.int64)
    for side in range(int(g.sides)):
        g.deal_scores[side] = score_side(g, r, side, items)
        g.scores[side] += g.deal_scores[side]
    g.phase = Phase.OVER


@helper
def match_over(g: Any, r: Any) -> bool:
    """Is the match decided after this deal (rules.md: match; tie at the end)?"""
    if r.deals > 0:
        if g.deal < r.deals:
            return False
    else:
        reached = False
        for side in range(int(g.sides)):
            reached = reached or g.scores[side] >= r.target
        if not reached:
            return False
    if r.tie_is_draw:
        return True
    best = int(g.scores[0])
    for side in range(int(g.sides)):
        best = max(best, int(g.scores[side]))
    leaders = 0
    for side in range(int(g.sides)):
        if g.scores[side] == best:
            leaders += 1
    return leaders == 1


@helper
def next_dealer(g: Any, r: Any) -> int:
    """Who deals next: the next seat, or a member of the side with the higher score (russian)."""
    players, sides = int(g.players), int(g.sides)
    following = (int(g.dealer) + 1) % players
    if not r.dealer_by_score:
        return following
    best = int(g.deal_scores[0])
    for side in range(sides):
        best = max(best, int(g.deal_scores[side]))
    leaders = 0
    winner = 0
    for side in range(sides):
        if g.deal_scores[side] == best:
            leaders += 1
            winner = side
    if leaders > 1:
        return following
    while following % sides != winner:
        following = (following + 1) % players
    return following

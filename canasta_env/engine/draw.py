"""The first decision of a turn: draw from the stock, take the pile, or pass with an empty stock."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.capacity import may_hold
from canasta_env.engine.lanes import copy_row, row_of
from canasta_env.engine.laying import bring_all
from canasta_env.engine.layout import kinds_of, rank_of, side_of
from canasta_env.engine.lookahead import minimum_reachable, take_whole_pile
from canasta_env.engine.scratch import (
    APART,
    BEFORE,
    COUNT,
    FACT,
    FREE,
    HAND,
    KEEP,
    LIMITED,
    MELDED,
    MUST,
    NATURALS,
    PILE,
    RED_THREES,
    SIZE,
    WAIVED,
    WILDS,
    minimum_now,
    natural_groups,
    propose,
)
from canasta_env.engine.state import BLACK_THREES, FIRST_NATURAL, RANKS, SUITS, Drew, Phase
from canasta_env.jit import helper


@helper
def next_stream(g: Any, seat: int) -> int:
    """The stream that a seat draws from: its own, and when that is dry the longest other one."""
    stream = 0 if g.streams == 1 else seat
    if g.stock_next[stream] >= g.stock_end[stream]:
        longest = 0
        for other in range(int(g.streams)):
            left = int(g.stock_end[other]) - int(g.stock_next[other])
            if left > longest:
                longest = left
                stream = other
    return stream


@helper
def next_card(g: Any, seat: int) -> int:
    """Take the next card of the stock."""
    stream = next_stream(g, seat)
    card = int(g.stock[int(g.stock_next[stream])])
    g.stock_next[stream] += 1
    g.stock_size -= 1
    return card


@helper
def receive(g: Any, seat: int) -> bool:
    """Draw one card, laying out and replacing red threes; False if the stock ran out first."""
    while g.stock_size > 0:
        card = next_card(g, seat)
        if card != 2:
            g.hands[seat, card] += 1
            g.hand_sizes[seat] += 1
            return True
        g.red_threes[side_of(g, seat)] += 1
        g.shown[2] += 1
    return False


@helper
def pay_owed(g: Any, seat: int) -> None:
    """Replace the seat's dealt red threes, right after its first buy (rules.md, The deal)."""
    for _ in range(int(g.owed[seat])):
        receive(g, seat)
    g.owed[seat] = 0


@helper
def apply_draw(g: Any, r: Any, drew: int) -> bool:
    """Draw from the stock.

    Returns False if only red threes came and the stock is empty: the deal ends.
    """
    seat = int(g.turn)
    drawn = 0
    for _ in range(int(r.draw)):
        if receive(g, seat):
            drawn += 1
    pay_owed(g, seat)
    g.drew = drew
    g.phase = Phase.MELD
    copy_row(row_of(g, "hands", seat), row_of(g, "before", 0), kinds_of(g))
    return drawn > 0


@helper
def accept_offer(g: Any, r: Any) -> bool:
    """The offered card is the seat's draw, and everybody has seen it (rules.md, *The offer*)."""
    seat = int(g.turn)
    card = int(g.stock[int(g.stock_next[next_stream(g, seat)])])
    if card != RED_THREES:
        g.known[seat, card] += 1
    return apply_draw(g, r, Drew.OFFER)


@helper
def refuse_offer(g: Any, r: Any) -> bool:
    """The offered card starts the pile, and the seat draws another."""
    card = next_card(g, int(g.turn))
    g.pile[0] = card
    g.pile_counts[card] += 1
    g.pile_size = 1
    g.frozen = freezes_at_start(r, card)
    return apply_draw(g, r, Drew.STOCK)


@helper
def freezes_at_start(r: Any, card: int) -> bool:
    """Does this card freeze the starting pile (rules.md, a wild or red three in it)?"""
    if card == RED_THREES:
        return bool(r.start_red_three_freezes)
    if card == BLACK_THREES:
        return bool(r.black_three_freezes)
    return bool(card < RED_THREES and r.start_wild_freezes)


@helper
def frozen_for(g: Any, r: Any, side: int) -> bool:
    """Is the pile frozen to this side (rules.md, frozen for a side that has not melded)?"""
    return bool(g.frozen or r.always_pair or (r.frozen_to_unmelded and not g.melded[side]))


@helper
def top_fits(g: Any, r: Any, side: int) -> bool:
    """May the top card alone be added to a meld of the side (rules.md, End of the stock)?"""
    top = int(g.pile[int(g.pile_size) - 1])
    if top < FIRST_NATURAL or not r.take_onto or frozen_for(g, r, side):
        return False
    rank = rank_of(kinds_of(g), top)
    suit = (top - FIRST_NATURAL) % SUITS
    for i in range(int(g.sequence_count[side])):
        following = int(g.sequence_low[side, i]) + int(g.sequence_length[side, i])
        if following == rank and g.sequence_suit[side, i] == suit:
            return True
    if g.meld_naturals[side, rank] == 0 or not room_for(g, r, side, rank, 1):
        return False
    wilds = int(g.meld_deuces[side, rank]) + int(g.meld_jokers[side, rank])
    return may_hold(r, int(g.meld_naturals[side, rank]) + 1, wilds)


@helper
def room_for(g: Any, r: Any, side: int, rank: int, cards: int) -> bool:
    """Would the side's open meld stay within seven cards, where melds close at seven?"""
    if not r.melds_close:
        return True
    size = int(g.meld_naturals[side, rank]) + int(g.meld_deuces[side, rank])
    return bool(size + int(g.meld_jokers[side, rank]) + cards <= r.canasta_size)


@helper
def fill_take(g: Any, r: Any, seat: int, top: int, s: Any) -> None:
    """Prepare the scratch for a take: the top card in the hand, the rest apart or in hand."""
    below = int(g.pile_size) - 1
    red = 0
    for i in range(max(0, below - int(r.pile_taken) + 1), below):
        card = int(g.pile[i])
        if card != RED_THREES:
            s[PILE, card] += 1
        else:
            red += 1
    s[HAND, top] += 1
    start_take(r, s, below - max(0, below - int(r.pile_taken) + 1), red)


@helper
def start_take(r: Any, s: Any, cards: int, red: int) -> None:
    """What a take changes whatever the cards; ``cards`` lie below the top, ``red`` are red threes.

    The top card is in the scratch's hand, and was not when ``BEFORE`` was written.
    """
    s[FACT, APART] = cards - red
    if r.red_three_discard and red > 0:
        s[FACT, KEEP] = 1
    s[FACT, SIZE] += 1
    s[FACT, LIMITED] = 1
    if r.concealed_waives != 2:
        s[FACT, WAIVED] = 0
    if s[FACT, MELDED] == 1:
        bring_all(s, 1)


@helper
def propose_takes(g: Any, r: Any, s: Any) -> None:
    """List the takes of the pile that the cards allow (rules.md, Taking the pile)."""
    seat = int(g.turn)
    side = side_of(g, seat)
    pile_size = int(g.pile_size)
    if pile_size == 0 or (pile_size == 1 and g.hand_sizes[seat] == 1):
        return
    top = int(g.pile[pile_size - 1])
    held = int(g.hands[seat, top])
    if top == BLACK_THREES and r.black_three_take and held >= 2:
        for k in range(RANKS):
            s[BEFORE, k] = s[HAND, k]
        fill_take(g, r, seat, top, s)
        propose(s, int(r.at_take_threes), top, 3, 0, 0, MUST)
    if top < FIRST_NATURAL:
        return
    joins = g.meld_naturals[side, top] > 0
    frozen = frozen_for(g, r, side)
    if held == 0 and (frozen or not joins):
        return
    for k in range(RANKS):
        s[BEFORE, k] = s[HAND, k]
    fill_take(g, r, seat, top, s)
    at = top - FIRST_NATURAL
    wilds, naturals = s[WILDS, top], s[NATURALS, top]
    if held >= 2 and room_for(g, r, side, top, 3) and may_hold(r, naturals + 3, wilds):
        propose(s, int(r.at_take_pair) + at, top, 3, 0, 0, FREE)
    if not frozen:
        fits_alone = room_for(g, r, side, top, 1) and may_hold(r, naturals + 1, wilds)
        if joins and r.take_onto and fits_alone:
            propose(s, int(r.at_take), top, 1, 0, 0, FREE)
        if held >= 1 and r.take_natural_wild and wild_fits_take(s, r, top):
            if room_for(g, r, side, top, 3) and g.hands[seat, 1] > 0:
                propose(s, int(r.at_take_deuce) + at, top, 2, 1, 0, FREE)
            if room_for(g, r, side, top, 3) and g.hands[seat, 0] > 0:
                propose(s, int(r.at_take_joker) + at, top, 2, 0, 1, FREE)


@helper
def waives_without_minimum(g: Any, r: Any, s: Any) -> bool:
    """Is taking the pile possible only for a concealed going out (rules.md, *hungarian*)? After the
    takes are listed.

    If so the listed takes are changed into such; if the minimum can be reached, going out without
    it stays possible where the pile has nothing to lie apart.
    """
    if r.concealed_waives != 2 or s[FACT, COUNT] == 0 or s[FACT, MELDED] == 1:
        return False
    if minimum_reachable(s, r):
        if g.pile_size > 1:
            s[FACT, WAIVED] = 0
        return False
    take_whole_pile(s)
    return True


@helper
def wild_fits_take(s: Any, r: Any, top: int) -> bool:
    """Does the meld of the top card bear one more wild card beside two more naturals?"""
    return bool(s[WILDS, top] + 1 <= r.wild_capacity[s[NATURALS, top] + 2])


@helper
def mark_draw(g: Any, r: Any, takes: int, mask: Any) -> None:
    """Mark draw or pass, ``takes`` takes being legal (rules.md, A turn; End of the stock)."""
    if g.stock_size > 0:
        mask[int(r.at_draw)] = True
    elif not (takes > 0 and r.stock_end == 0 and top_fits(g, r, side_of(g, int(g.turn)))):
        mask[int(r.at_pass)] = True


@helper
def take_rest(g: Any, seat: int) -> None:
    """Bring the cards that lie apart into the hand; everybody has seen them."""
    start = int(g.pile_size)
    for i in range(start, start + int(g.pending)):
        card = int(g.pile[i])
        if card == 2:
            g.red_threes[side_of(g, seat)] += 1
            g.shown[2] += 1
        else:
            g.hands[seat, card] += 1
            g.hand_sizes[seat] += 1
            g.known[seat, card] += 1
    g.pending = 0


@helper
def lift_pile(g: Any, r: Any, seat: int) -> None:
    """Take the top card for a meld and set the rest of the pile apart."""
    for k in range(kinds_of(g)):
        g.before[k] = g.hands[seat, k]
    g.pile_size -= 1
    top = int(g.pile[int(g.pile_size)])
    g.top = top
    g.pile_counts[top] -= 1
    rest = min(int(g.pile_size), int(r.pile_taken) - 1)
    g.pile_size -= rest
    for i in range(int(g.pile_size), int(g.pile_size) + rest):
        g.pile_counts[int(g.pile[i])] -= 1
    g.pending = rest
    g.hands[seat, top] += 1  # for a moment: the meld takes it from there
    g.hand_sizes[seat] += 1
    g.known[seat, top] += 1
    g.frozen = False
    g.drew = Drew.PILE
    g.phase = Phase.MELD


@helper
def minimum_reached(g: Any, r: Any, seat: int) -> bool:
    """Has the turn laid the points of the first meld?"""
    if int(g.staged) < minimum_now(g, r, seat):
        return False
    return natural_groups(g, r, side_of(g, seat)) > 0


@helper
def take_foot(g: Any, seat: int) -> None:
    """The foot comes into the hand; its red threes are laid out and replaced (rules.md, Foot)."""
    g.has_foot[seat] = 0
    threes = 0
    for k in range(kinds_of(g)):
        cards = int(g.feet[seat, k])
        g.feet[seat, k] = 0
        if k == 2:
            threes = cards
        else:
            g.hands[seat, k] += cards
            g.hand_sizes[seat] += cards
    g.red_threes[side_of(g, seat)] += threes
    g.shown[2] += threes
    for _ in range(threes):
        receive(g, seat)

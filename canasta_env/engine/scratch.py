"""The scratch: what the acting seat's turn depends on, as a small int64 array.

====================  ==================================================================
``s[HAND, kind]``     cards in the hand
``s[NATURALS, rank]`` natural cards of the side's open meld of a rank
``s[WILDS, rank]``    wild cards of it
``s[PILE, kind]``     the rest of a taken pile that lies apart (pending)
``s[FACT, …]``        the scalars below
``s[BEFORE, kind]``   cards in the hand before the turn's draw or take
``s[MOVES + i]``      candidate actions, see :func:`propose`
====================  ==================================================================

Counts go by rank. Where suits matter, further rows hold the same cards by suit and rank, the side's
sequences (columns ``SUIT``, ``NEXT``, …) and a longer list of candidates.

The lookahead lays cards in the scratch, asks whether the turn can still end, and takes them back;
the game itself stays untouched.
"""

from __future__ import annotations

from typing import Any

from canasta_env.cards import SUITED_KIND_COUNT
from canasta_env.engine.lanes import LANES, row_of, widen, widen_sum
from canasta_env.engine.layout import by_layout, kinds_of, rank_of, side_of
from canasta_env.engine.state import (
    BLACK_THREES,
    FIRST_NATURAL,
    MAX_SEQUENCES,
    MAX_SUITED_ACTIONS,
    RANKS,
    SUITS,
    WILD_RANK,
    Asked,
    Drew,
)
from canasta_env.jit import helper

HAND, NATURALS, WILDS, PILE, FACT, BEFORE, MOVES = 0, 1, 2, 3, 4, 5, 6
ROWS = MOVES + 64
COLUMNS = 24

# rows that only rules with suits have, behind a longer list of candidates
SUITED_HAND = MOVES + MAX_SUITED_ACTIONS  # four rows, one a suit, by rank
SUITED_PILE = SUITED_HAND + SUITS  # the same of the pile that lies apart
SEQUENCES = SUITED_PILE + SUITS  # one row a sequence of the side
LEVELS = SEQUENCES + MAX_SEQUENCES + 1  # of the search for sequences, one row each
SUITED_ROWS = LEVELS + 3 * MAX_SEQUENCES + 2  # every level but one lays a card or more

SIZE = 0  # cards in the hand
APART = 1  # cards of the pile that come in when the minimum is reached (red threes not counted)
STAGED = 2  # points laid toward the first meld
MINIMUM = 3  # points that the first meld needs
MELDED = 4  # 1 once the side has melded
BELOW = 5  # 1 if something is laid while the minimum is not reached
MODE = 6  # FREE, MUST or MUST_NOT go out
FOOT = 7  # 1 if the seat has a foot that it has not taken
WAIVED = 8  # 1 if going out concealed waives the minimum
NO_OUT = 9  # 1 if it is known that going out is impossible from here
CLOSED_NATURAL = 10  # natural canastas that the melds above do not show
CLOSED_MIXED = 11
OUT_ALLOWED = 12  # 0 where the partner's foot forbids going out
COUNT = 13  # of the candidates
DISCARDED = 14  # 1 + kind of the last card while its discard is tried, else 0
LIMITED = 15  # 1 if a waived minimum allows a last discard only of a kind held before the take
GROUP = 16  # groups of three naturals laid; 1 where the first meld needs none
KEEP = 17  # cards that a discard needs: 2, or 1 where a laid-out red three may be discarded
WILD_JOKERS = 18  # jokers in the side's meld of wild cards
LAID_SEQUENCES = 19  # of the side
PILE_IN = 20  # 1 while the pile is in the hand before the minimum is reached: a second stage
SUITED = 21  # 1 where suits matter

RED_THREES = 2
FREE, MUST, MUST_NOT = 0, 1, 2  # go out
LAST = 3  # a candidate: discard the last card of the hand
SURE = 4  # a candidate that needs no trial: a side that has melded keeps cards to discard

# columns of a candidate
ACTION, RANK, LAID_NATURALS, LAID_DEUCES, LAID_JOKERS, UNDER = 0, 1, 2, 3, 4, 5
FORM = 6  # where suits matter: a set, a new sequence or a longer one
CARDS = 7  # three columns: the kinds of a set's naturals, or what a sequence needs
SET, NEW_SEQUENCE, LONGER_SEQUENCE = 0, 1, 2

NONE = -(10**6)  # points of what is impossible
OUT_OF_REACH = 10**6


@helper
def minimum_for(g: Any, r: Any, side: int) -> int:
    """Points that the side's first meld needs (rules.md, table: first meld, by score)."""
    measure = int(g.deal) if r.minimum_by_deal else int(g.scores[side])
    points = int(r.minimum_points[0])
    for i in range(1, r.minimum_count):
        if measure >= r.minimum_from[i]:
            points = int(r.minimum_points[i])
    return points


@helper
def partner_allows(g: Any, r: Any, seat: int) -> bool:
    """With pairs, has every partner ended a turn with his foot in hand, where the rules ask for
    it?"""
    if not r.partner_foot_out:
        return True
    for other in range(side_of(g, seat), g.players, g.sides):
        if other != seat and not g.foot_played[other]:
            return False
    return True


@helper
def fill_hand(g: Any, seat: int, s: Any) -> None:
    """Write the hand and the pile that lies apart by rank, where suits do not matter."""
    s[FACT, SUITED] = 0
    widen(row_of(g, "hands", seat), s, HAND)
    widen(row_of(g, "before", 0), s, BEFORE)
    for k in range(LANES):
        s[PILE, k] = 0
    for i in range(int(g.pile_size), int(g.pile_size) + int(g.pending)):
        s[PILE, int(g.pile[i])] += 1


@helper
def fill_suited_hand(g: Any, seat: int, s: Any) -> None:
    """Write the hand and the pile that lies apart, by rank and by suit; and the sequences."""
    s[FACT, SUITED] = 1
    for k in range(FIRST_NATURAL):
        s[HAND, k] = g.hands[seat, k]
        s[BEFORE, k] = g.before[k]
        s[PILE, k] = 0
    for rank in range(FIRST_NATURAL, RANKS):
        s[HAND, rank] = 0
        s[BEFORE, rank] = 0
        s[PILE, rank] = 0
        for suit in range(SUITS):
            kind = FIRST_NATURAL + SUITS * (rank - FIRST_NATURAL) + suit
            held = int(g.hands[seat, kind])
            s[SUITED_HAND + suit, rank] = held
            s[HAND, rank] += held
            s[BEFORE, rank] += g.before[kind]
            s[SUITED_PILE + suit, rank] = 0
    for i in range(int(g.pile_size), int(g.pile_size) + int(g.pending)):
        add_to_pile(s, int(g.pile[i]))
    fill_sequences(g, side_of(g, seat), s)


@helper
def add_to_pile(s: Any, kind: int) -> None:
    """Count a card of 48 kinds among those of the pile that lie apart."""
    s[PILE, rank_of(SUITED_KINDS, kind)] += 1
    if kind >= FIRST_NATURAL:
        suit = (kind - FIRST_NATURAL) % SUITS
        s[SUITED_PILE + suit, rank_of(SUITED_KINDS, kind)] += 1


# columns of a sequence
SUIT, NEXT, SEQUENCE_WILDS, LENGTH, TAIL = 0, 1, 2, 3, 4
SUITED_KINDS = SUITED_KIND_COUNT


@helper
def fill_sequences(g: Any, side: int, s: Any) -> None:
    """Write the side's sequences: suit, rank of the next place, wild cards, length, and the length
    of the row of naturals at the high end."""
    count = int(g.sequence_count[side])
    s[FACT, LAID_SEQUENCES] = count
    for i in range(count):
        wilds = int(g.sequence_deuces[side, i]) | int(g.sequence_jokers[side, i])
        length = int(g.sequence_length[side, i])
        row = SEQUENCES + i
        s[row, SUIT] = g.sequence_suit[side, i]
        s[row, NEXT] = int(g.sequence_low[side, i]) + length
        s[row, LENGTH] = length
        s[row, SEQUENCE_WILDS] = 0
        s[row, TAIL] = 0
        for place in range(length):
            if (wilds >> place) & 1 == 1:
                s[row, SEQUENCE_WILDS] += 1
                s[row, TAIL] = 0
            else:
                s[row, TAIL] += 1


fill_cards = by_layout(fill_hand, fill_suited_hand)


@helper
def no_natural_runs(g: Any, side: int) -> int:
    """Where suits do not matter there are no sequences."""
    return 0


@helper
def natural_runs(g: Any, side: int) -> int:
    """How many of the side's sequences begun this turn have three naturals in a row."""
    count = 0
    for i in range(int(g.sequence_count[side])):
        if (int(g.begun_sequences) >> i) & 1 == 0:
            continue
        wilds = int(g.sequence_deuces[side, i]) | int(g.sequence_jokers[side, i])
        row = 0
        for place in range(int(g.sequence_length[side, i])):
            row = row + 1 if (wilds >> place) & 1 == 0 else 0
            if row == 3:
                count += 1
                break
    return count


natural_sequences = by_layout(no_natural_runs, natural_runs)


@helper
def is_below(g: Any, side: int) -> bool:
    """Has the turn begun a first meld that has not reached its minimum?"""
    if g.melded[side]:
        return False
    return bool(g.begun != 0 or g.begun_sequences != 0 or g.staged != 0 or g.drew == Drew.PILE)


@helper
def natural_groups(g: Any, r: Any, side: int) -> int:
    """How many melds begun this turn have a group of three naturals (rules.md, table: it needs a
    group of three naturals); 1 where the rules ask for none."""
    if not r.natural_group:
        return 1
    count = natural_sequences(g, side)
    for rank in range(FIRST_NATURAL, RANKS):
        if (int(g.begun) >> rank) & 1 == 1 and g.meld_naturals[side, rank] >= 3:
            count += 1
        closed = int(g.closed_melds[side, rank])
        for i in range(closed - int(g.begun_closed[rank]), closed):
            wilds = int(g.closed_wilds[side, rank, i])
            if int(r.canasta_size) - wilds % 16 - wilds // 16 >= 3:
                count += 1
    return int(count)


@helper
def fill_scratch(g: Any, r: Any, seat: int, s: Any) -> None:
    """Describe the acting seat's turn, as it stands, in the scratch."""
    side = side_of(g, seat)
    fill_cards(g, seat, s)
    widen(row_of(g, "meld_naturals", side), s, NATURALS)
    widen_sum(row_of(g, "meld_deuces", side), row_of(g, "meld_jokers", side), s, WILDS)
    red = s[PILE, RED_THREES]  # these are laid out when the pile comes in
    s[PILE, RED_THREES] = 0
    s[FACT, APART] = int(g.pending) - red
    s[FACT, KEEP] = 2
    if r.red_three_discard and int(g.red_threes[side]) + red > 0:
        s[FACT, KEEP] = 1
    s[FACT, SIZE] = g.hand_sizes[seat]
    s[FACT, STAGED] = g.staged
    s[FACT, MINIMUM] = minimum_now(g, r, seat)
    s[FACT, MELDED] = 1 if g.melded[side] else 0
    s[FACT, BELOW] = 1 if is_below(g, side) else 0
    s[FACT, GROUP] = 1
    if r.natural_group and not g.melded[side]:
        s[FACT, GROUP] = natural_groups(g, r, side)
    s[FACT, WILD_JOKERS] = g.meld_jokers[side, WILD_RANK]
    mode = FREE
    if g.must_go_out or g.asked == Asked.YES or g.meld_naturals[side, BLACK_THREES] > 0:
        mode = MUST
    elif g.asked == Asked.NO:
        mode = MUST_NOT
    s[FACT, MODE] = mode
    s[FACT, FOOT] = 1 if g.has_foot[seat] else 0
    s[FACT, WAIVED] = 1 if minimum_waived(g, r, seat) else 0
    s[FACT, LIMITED] = 1 if g.drew == Drew.PILE else 0
    s[FACT, NO_OUT] = 0
    s[FACT, COUNT] = 0
    s[FACT, DISCARDED] = 0
    s[FACT, PILE_IN] = 0
    s[FACT, CLOSED_NATURAL] = 0
    s[FACT, CLOSED_MIXED] = 0
    if r.melds_close:
        count_closed(g, side, s)
    s[FACT, OUT_ALLOWED] = 1 if partner_allows(g, r, seat) else 0


@helper
def count_closed(g: Any, side: int, s: Any) -> None:
    """Count the side's closed melds, which are canastas, as natural or mixed."""
    for rank in range(RANKS):
        for i in range(int(g.closed_melds[side, rank])):
            if g.closed_wilds[side, rank, i] == 0:
                s[FACT, CLOSED_NATURAL] += 1
            else:
                s[FACT, CLOSED_MIXED] += 1


@helper
def has_whole_pile(g: Any, r: Any, seat: int) -> bool:
    """Did this turn take the whole pile into the hand for a concealed going out without the
    minimum?

    (rules.md, *hungarian*.) A take of a black three is for going out in any case; there the hand
    tells whether the rest of the pile has come into it.
    """
    side = side_of(g, seat)
    if r.concealed_waives != 2 or not g.must_go_out or g.drew != Drew.PILE or g.melded[side]:
        return False
    if g.top != BLACK_THREES:
        return True
    cards = int(g.hand_sizes[seat])
    for kind in range(kinds_of(g)):
        cards -= int(g.before[kind])
    for i in range(int(g.sequence_count[side])):
        if (int(g.begun_sequences) >> i) & 1 == 1:
            cards += int(g.sequence_length[side, i])
    for rank in range(RANKS):
        if (int(g.begun) >> rank) & 1 == 1:
            cards += int(g.meld_naturals[side, rank]) + int(g.meld_deuces[side, rank])
            cards += int(g.meld_jokers[side, rank])
    return cards > 1


@helper
def minimum_now(g: Any, r: Any, seat: int) -> int:
    """Points that the acting seat must lay; out of reach where only a concealed going out may
    follow."""
    if has_whole_pile(g, r, seat):
        return OUT_OF_REACH
    return minimum_for(g, r, side_of(g, seat))


@helper
def minimum_waived(g: Any, r: Any, seat: int) -> bool:
    """May this seat go out concealed without the first minimum (rules.md, concealed waives …)?"""
    if r.concealed_waives == 0 or g.melded[side_of(g, seat)] or g.seat_melded[seat] or g.added:
        return False
    return bool(g.drew != Drew.PILE or (r.concealed_waives == 2 and g.pending == 0))


@helper
def propose(
    s: Any, action: int, rank: int, naturals: int, deuces: int, jokers: int, under: int
) -> None:
    """List a candidate: the cards it lays, and the mode (FREE, MUST, MUST_NOT, LAST) in which the
    turn would go on.

    Where the side has melded and two cards stay, the turn can end whatever is laid: the candidate
    is SURE, and its other columns hold nothing.

    ``action`` is its id; -1 with no cards for the question whether going out (MUST) or a first meld
    (FREE, MUST_NOT) is possible at all. With LAST,
    ``rank`` is the kind of the card that is discarded.
    """
    i = MOVES + s[FACT, COUNT]
    s[FACT, COUNT] += 1
    s[i, ACTION] = action
    if s[FACT, MELDED] == 1 and under in (FREE, MUST_NOT):
        if s[FACT, SIZE] - naturals - deuces - jokers >= 2:
            s[i, UNDER] = SURE
            return
    s[i, RANK] = rank
    s[i, LAID_NATURALS] = naturals
    s[i, LAID_DEUCES] = deuces
    s[i, LAID_JOKERS] = jokers
    s[i, UNDER] = under


@helper
def drop_last(s: Any, kind: int, sign: int) -> None:
    """Discard the last card of the scratch's hand (sign -1), or take it back (1)."""
    s[HAND, kind] += sign
    s[FACT, SIZE] += sign

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

The lookahead lays cards in the scratch, asks whether the turn can still end, and takes them back;
the game itself stays untouched.
"""

from __future__ import annotations

from typing import Any

from canasta_env.engine.state import BLACK_THREES, RANKS, Asked, Drew
from canasta_env.jit import helper

HAND, NATURALS, WILDS, PILE, FACT, BEFORE, MOVES = 0, 1, 2, 3, 4, 5, 6
ROWS = MOVES + 64
COLUMNS = 16

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

FREE, MUST, MUST_NOT = 0, 1, 2  # go out
LAST = 3  # a candidate: discard the last card of the hand

# columns of a candidate
ACTION, RANK, LAID_NATURALS, LAID_DEUCES, LAID_JOKERS, UNDER = 0, 1, 2, 3, 4, 5

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
    for other in range(seat % g.sides, g.players, g.sides):
        if other != seat and not g.foot_played[other]:
            return False
    return True


@helper
def fill_scratch(g: Any, r: Any, seat: int, s: Any) -> None:
    """Describe the acting seat's turn, as it stands, in the scratch."""
    side = seat % int(g.sides)
    for k in range(RANKS):
        s[HAND, k] = g.hands[seat, k]
        s[NATURALS, k] = g.meld_naturals[side, k]
        s[WILDS, k] = int(g.meld_deuces[side, k]) + int(g.meld_jokers[side, k])
        s[PILE, k] = 0
        s[BEFORE, k] = g.before[k]
    apart = 0
    for i in range(int(g.pile_size), int(g.pile_size) + int(g.pending)):
        card = int(g.pile[i])
        if card != 2:
            s[PILE, card] += 1
            apart += 1
    s[FACT, SIZE] = g.hand_sizes[seat]
    s[FACT, APART] = apart
    s[FACT, STAGED] = g.staged
    s[FACT, MINIMUM] = minimum_now(g, r, seat)
    s[FACT, MELDED] = 1 if g.melded[side] else 0
    started = g.begun != 0 or g.pending > 0 or g.drew == Drew.PILE
    s[FACT, BELOW] = 1 if started and not g.melded[side] else 0
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
    side = seat % int(g.sides)
    if r.concealed_waives != 2 or not g.must_go_out or g.drew != Drew.PILE or g.melded[side]:
        return False
    if g.top != BLACK_THREES:
        return True
    cards = int(g.hand_sizes[seat])
    for rank in range(RANKS):
        cards -= int(g.before[rank])
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
    return minimum_for(g, r, seat % int(g.sides))


@helper
def minimum_waived(g: Any, r: Any, seat: int) -> bool:
    """May this seat go out concealed without the first minimum (rules.md, concealed waives …)?"""
    if r.concealed_waives == 0 or g.melded[seat % int(g.sides)] or g.seat_melded[seat] or g.added:
        return False
    return bool(g.drew != Drew.PILE or (r.concealed_waives == 2 and g.pending == 0))


@helper
def lay(s: Any, r: Any, rank: int, naturals: int, deuces: int, jokers: int) -> bool:
    """Move cards from the scratch's hand onto the meld of ``rank``.

    Returns whether the minimum was reached by it, so that the pile came in; :func:`unlay` needs to
    know.
    """
    s[HAND, rank] -= naturals
    s[HAND, 1] -= deuces
    s[HAND, 0] -= jokers
    s[NATURALS, rank] += naturals
    s[WILDS, rank] += deuces + jokers
    s[FACT, SIZE] -= naturals + deuces + jokers
    if s[FACT, MELDED] == 1:
        return False
    s[FACT, STAGED] += naturals * r.values[rank] + deuces * r.values[1] + jokers * r.values[0]
    if s[FACT, STAGED] < s[FACT, MINIMUM]:
        s[FACT, BELOW] += 2
        return False
    bring_in(s, 1)
    s[FACT, MELDED] = 1
    return True


@helper
def bring_in(s: Any, sign: int) -> None:
    """Take the cards that lie apart into the scratch's hand (sign 1), or back (-1)."""
    for k in range(RANKS):
        s[HAND, k] += sign * s[PILE, k]
    s[FACT, SIZE] += sign * s[FACT, APART]


@helper
def unlay(
    s: Any, r: Any, rank: int, naturals: int, deuces: int, jokers: int, reached: bool
) -> None:
    """Undo :func:`lay`."""
    if reached:
        bring_in(s, -1)
        s[FACT, MELDED] = 0
    if s[FACT, MELDED] == 0:
        s[FACT, STAGED] -= naturals * r.values[rank] + deuces * r.values[1] + jokers * r.values[0]
        if not reached:
            s[FACT, BELOW] -= 2
    s[HAND, rank] += naturals
    s[HAND, 1] += deuces
    s[HAND, 0] += jokers
    s[NATURALS, rank] -= naturals
    s[WILDS, rank] -= deuces + jokers
    s[FACT, SIZE] += naturals + deuces + jokers


@helper
def propose(
    s: Any, action: int, rank: int, naturals: int, deuces: int, jokers: int, under: int
) -> None:
    """List a candidate: the cards it lays, and the mode (FREE, MUST, MUST_NOT, LAST) in which the
    turn would go on.

    ``action`` is its id; -1 with no cards for the question whether going out (MUST) or a first meld
    (FREE, MUST_NOT) is possible at all. With LAST,
    ``rank`` is the kind of the card that is discarded.
    """
    i = MOVES + s[FACT, COUNT]
    s[FACT, COUNT] += 1
    s[i, ACTION] = action
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

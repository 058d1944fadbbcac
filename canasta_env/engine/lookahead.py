"""Can the turn under way still end? The exact test behind every mask (rules.md, Masks).

The test works on a *scratch*, a small int64 array with what the acting seat's turn depends on:

====================  =====================================================
``s[HAND, kind]``     cards in the hand
``s[NATURALS, rank]`` natural cards of the side's open meld of a rank
``s[WILDS, rank]``    wild cards of it
``s[PILE, kind]``     the rest of a taken pile that lies apart (pending)
``s[FACT, …]``        the scalars below
``s[MOVES + i]``       candidate actions, see :func:`propose`
====================  =====================================================

A candidate is tried by laying its cards in the scratch, asking :func:`can_end`, and taking them back. Cheap bounds answer
first; the searches are small dynamic programs over ranks and the number of wild cards used. Candidates are listed first and tried
in one loop, since the compiler optimises a function anew at every place that calls it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.engine.state import BLACK_THREES, RANKS, Asked, Drew
from canasta_env.jit import helper

HAND, NATURALS, WILDS, PILE, FACT, MOVES = 0, 1, 2, 3, 4, 5
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
DISCARDED = 14  # 1 while the discard of the last card is tried

FREE, MUST, MUST_NOT = 0, 1, 2  # go out
LAST = 3  # a candidate: discard the last card of the hand

# columns of a candidate
ACTION, RANK, LAID_NATURALS, LAID_DEUCES, LAID_JOKERS, UNDER = 0, 1, 2, 3, 4, 5

FIRST_NATURAL = 4
NONE = -(10**6)

MODE_OF_ANSWER = (FREE, FREE, MUST, MUST_NOT)


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
    """With pairs, has every partner ended a turn with his foot in hand, where the rules ask for it?"""
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
    apart = 0
    for i in range(int(g.pile_size), int(g.pile_size) + int(g.pending)):
        card = int(g.pile[i])
        if card != 2:
            s[PILE, card] += 1
            apart += 1
    s[FACT, SIZE] = g.hand_sizes[seat]
    s[FACT, APART] = apart
    s[FACT, STAGED] = g.staged
    s[FACT, MINIMUM] = minimum_for(g, r, side)
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
def minimum_waived(g: Any, r: Any, seat: int) -> bool:
    """May this seat go out concealed without the first minimum (rules.md, concealed waives …)?"""
    if r.concealed_waives == 0 or g.melded[seat % int(g.sides)] or g.seat_melded[seat] or g.added:
        return False
    return bool(r.concealed_waives == 2 or g.drew != Drew.PILE)


@helper
def lay(s: Any, r: Any, rank: int, naturals: int, deuces: int, jokers: int) -> bool:
    """Move cards from the scratch's hand onto the meld of ``rank``.

    Returns whether the minimum was reached by it, so that the pile came in; :func:`unlay` needs to know.
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
    """List a candidate: the cards it lays, and the mode (FREE, MUST, MUST_NOT, LAST) in which the turn would go on.

    ``action`` is its id; -1 for the question whether going out is possible at all. With LAST, ``rank`` is the kind of the card
    that is discarded.
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
def mark_possible(s: Any, r: Any, mask: Any) -> int:
    """Mark the candidates after which the turn can end; returns how many there are."""
    count = 0
    mode = s[FACT, MODE]
    for i in range(MOVES, MOVES + s[FACT, COUNT]):
        rank, naturals = s[i, RANK], s[i, LAID_NATURALS]
        deuces, jokers = s[i, LAID_DEUCES], s[i, LAID_JOKERS]
        under = s[i, UNDER]
        left = s[FACT, SIZE] - naturals - deuces - jokers
        possible = s[FACT, MELDED] == 1 and left >= 2 and under != MUST and under != LAST
        if not possible:
            s[FACT, MODE] = MUST if under == LAST else under
            reached = False
            if under == LAST:
                drop_last(s, rank, -1)
            else:
                reached = lay(s, r, rank, naturals, deuces, jokers)
            possible = can_end(s, r)
            if under == LAST:
                drop_last(s, rank, 1)
            else:
                unlay(s, r, rank, naturals, deuces, jokers, reached)
            s[FACT, MODE] = mode
        if possible and s[i, ACTION] >= 0:
            mask[s[i, ACTION]] = True
            count += 1
        if not possible and naturals + deuces + jokers == 0 and under == MUST:
            s[FACT, NO_OUT] = 1
    return count


@helper
def drop_last(s: Any, kind: int, sign: int) -> None:
    """Discard the last card of the scratch's hand (sign -1), or take it back (1)."""
    s[HAND, kind] += sign
    s[FACT, SIZE] += sign
    s[FACT, DISCARDED] -= sign


@helper
def can_end(s: Any, r: Any) -> bool:
    """Can some row of actions of the seat end the turn from the scratch's state?"""
    mode = s[FACT, MODE]
    if mode != MUST:
        if s[FACT, MELDED] == 1 or s[FACT, BELOW] == 0:
            if s[FACT, SIZE] >= 2 or s[FACT, FOOT] == 1:
                return True
        else:
            keep = 0 if s[FACT, FOOT] == 1 else max(0, 2 - s[FACT, APART])
            if reaches_minimum(s, r, keep):
                return True
        if mode == MUST_NOT:
            return False
    return goes_out(s, r)


@helper
def reaches_minimum(s: Any, r: Any, keep: int) -> bool:
    """Can melds from the hand bring the points that lack, at least ``keep`` cards staying?

    The greedy bound lays every natural that can be laid, one wild on each of the dearest pairs, and the other wild
    cards where there is room: nothing brings more points. Only if it leaves too few cards the exact search decides.
    """
    lacking = s[FACT, MINIMUM] - s[FACT, STAGED]
    wilds = s[HAND, 0] + s[HAND, 1]
    points = 0
    used = 0
    room = 0
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
    laid = min(wilds, room)
    points += wild_points(s, r, laid)
    if points < lacking:
        return False
    if s[FACT, SIZE] - used - laid >= keep:
        return True
    return search_minimum(s, r, lacking, keep)


@helper
def wild_points(s: Any, r: Any, count: int) -> int:
    """Points of the dearest ``count`` wild cards of the hand: jokers first."""
    jokers = min(count, s[HAND, 0])
    return int(jokers * r.values[0] + (count - jokers) * r.values[1])


@helper
def search_minimum(s: Any, r: Any, lacking: int, keep: int) -> bool:
    """Exact: the most points for every number of wild cards used and of cards held back, rank by rank."""
    wilds = s[HAND, 0] + s[HAND, 1]
    best = np.full((wilds + 1, keep + 1), NONE, np.int64)
    best[0, min(keep, s[HAND, BLACK_THREES])] = 0
    for rank in range(FIRST_NATURAL, RANKS):
        if s[HAND, rank] + s[NATURALS, rank] > 0:
            best = add_rank(s, r, rank, best, keep)
    for used in range(wilds + 1):
        for held in range(keep + 1):
            kept = held + wilds - used
            if kept >= keep and best[used, held] + wild_points(s, r, used) >= lacking:
                return True
    return False


@helper
def add_rank(s: Any, r: Any, rank: int, best: Any, keep: int) -> Any:
    """One step of :func:`search_minimum`: every way to lay naturals and wilds of one rank."""
    wilds = best.shape[0] - 1
    after = np.full((wilds + 1, keep + 1), NONE, np.int64)
    for laid in range(s[HAND, rank] + 1):
        naturals = s[NATURALS, rank] + laid
        fewest, most = wilds_beside(s, r, rank, naturals, wilds)
        for used in range(wilds + 1):
            for held in range(keep + 1):
                if best[used, held] == NONE:
                    continue
                kept = min(keep, held + s[HAND, rank] - laid)
                points = best[used, held] + laid * r.values[rank]
                for extra in range(fewest, min(most, wilds - used) + 1):
                    after[used + extra, kept] = max(after[used + extra, kept], points)
    return after


@helper
def wilds_beside(s: Any, r: Any, rank: int, naturals: int, wilds: int) -> tuple[int, int]:
    """Fewest and most further wild cards beside ``naturals`` of a rank; an empty range if impossible."""
    if naturals == 0:
        return 0, 0
    if naturals < r.fewest_naturals:
        return 1, 0
    lying = s[WILDS, rank]
    return max(0, 3 - naturals - lying), min(wilds, r.wild_capacity[naturals] - lying)


@helper
def goes_out(s: Any, r: Any) -> bool:
    """Can the seat lay its whole hand, all but a last discard at the most, so that its side may go out?"""
    if s[FACT, NO_OUT] == 1 or s[FACT, FOOT] == 1 or s[FACT, OUT_ALLOWED] == 0:
        return False
    apart = s[FACT, MELDED] == 0 and s[FACT, APART] > 0
    if apart:
        bring_in(s, 1)
    found = False
    for discard in range(-1 if stuck_cards(s, r) <= 1 else RANKS, RANKS):
        if discard >= 0:
            if s[HAND, discard] == 0 or s[FACT, DISCARDED] == 1:
                continue
            s[HAND, discard] -= 1
        elif r.discard_required and s[FACT, DISCARDED] == 0:
            continue
        if stuck_cards(s, r) == 0:
            found = goes_out_keeping(s, r, discard, apart)
        if discard >= 0:
            s[HAND, discard] += 1
        if found:
            break
    if apart:
        bring_in(s, -1)
    return found


@helper
def stuck_cards(s: Any, r: Any) -> int:
    """A lower bound of the hand's cards that no meld can take; beyond one, going out is impossible."""
    stuck = 0
    pairs = 0
    for rank in range(FIRST_NATURAL, RANKS):
        held = s[HAND, rank]
        if held == 0:
            continue
        naturals = held + s[NATURALS, rank]
        if naturals < r.fewest_naturals:
            stuck += held
        elif naturals + s[WILDS, rank] < 3:
            pairs += 1
    threes = s[HAND, BLACK_THREES]
    if threes > 0:
        together = threes + s[NATURALS, BLACK_THREES]
        if not r.black_three_melds or together < 3:
            stuck += threes
        elif together > 4:
            stuck += together - 4
    wilds = s[HAND, 0] + s[HAND, 1]
    return int(stuck + 2 * max(0, pairs - wilds))


@helper
def goes_out_keeping(s: Any, r: Any, discard: int, apart: bool) -> bool:
    """With ``discard`` already out of the hand (-1: none): may the rest be laid, and the seat go out?"""
    if not lays_all(s, r):
        return False
    if s[FACT, MELDED] == 1 or s[FACT, WAIVED] == 1:
        return True
    if apart:
        return minimum_then_all(s, r, discard)
    points = s[FACT, STAGED]
    for kind in range(RANKS):
        points += s[HAND, kind] * r.values[kind]
    return bool(points >= s[FACT, MINIMUM])


@helper
def lays_all(s: Any, r: Any) -> bool:
    """Can every card of the scratch's hand be laid with the canastas that going out needs?

    For each pair of (natural, other) canasta counts a bit set says which numbers of wild cards the ranks so far
    can have taken.
    """
    wilds = s[HAND, 0] + s[HAND, 1]
    most_natural = max(r.natural_canastas_out, r.canastas_out)
    most_mixed = max(r.mixed_canastas_out, r.canastas_out)
    width = most_mixed + 1
    reach = np.zeros((most_natural + 1) * width, np.int64)
    first_natural = min(most_natural, s[FACT, CLOSED_NATURAL])
    reach[first_natural * width + min(most_mixed, s[FACT, CLOSED_MIXED])] = 1
    for rank in range(FIRST_NATURAL, RANKS):
        naturals = s[HAND, rank] + s[NATURALS, rank]
        if naturals == 0:
            continue
        fewest, most = wilds_beside(s, r, rank, naturals, wilds)
        after = np.zeros_like(reach)
        for extra in range(fewest, most + 1):
            lying = s[WILDS, rank] + extra
            size = naturals + lying
            if size >= r.canasta_size and naturals < r.canasta_fewest_naturals:
                continue
            for state in range(len(reach)):
                if reach[state] == 0:
                    continue
                target = state
                if size >= r.canasta_size:
                    target = one_more(state, lying == 0, most_natural, most_mixed)
                after[target] |= reach[state] << extra
        reach = after
    for state in range(len(reach)):
        if (reach[state] >> wilds) & 1 and enough_canastas(r, state // width, state % width):
            return True
    return False


@helper
def one_more(state: int, natural: bool, most_natural: int, most_mixed: int) -> int:
    """The index of the canasta counts after one more canasta, counts capped at what is asked."""
    width = most_mixed + 1
    naturals, mixed = state // width, state % width
    if natural:
        naturals = min(most_natural, naturals + 1)
    else:
        mixed = min(most_mixed, mixed + 1)
    return naturals * width + mixed


@helper
def enough_canastas(r: Any, natural: int, mixed: int) -> bool:
    """Do these canastas allow going out (rules.md, canastas to go out)?"""
    return bool(
        natural + mixed >= r.canastas_out
        and natural >= r.natural_canastas_out
        and mixed >= r.mixed_canastas_out
    )


@helper
def minimum_then_all(s: Any, r: Any, discard: int) -> bool:
    """The minimum from hand and top card alone first, then everything, the pile's cards too, in going out.

    The scratch's hand holds hand and pile together, without the discard. For every rank a first stage (cards of the
    hand alone) and the final meld are chosen together; kept are the most points of first stages for each number of
    wild cards used in the first stage and in all, and for the canastas.
    """
    all_wilds = s[HAND, 0] + s[HAND, 1]
    own_jokers = min(s[HAND, 0], s[HAND, 0] + (discard == 0) - s[PILE, 0])
    own_deuces = min(s[HAND, 1], s[HAND, 1] + (discard == 1) - s[PILE, 1])
    own_wilds = own_jokers + own_deuces
    most_natural = max(r.natural_canastas_out, r.canastas_out)
    most_mixed = max(r.mixed_canastas_out, r.canastas_out)
    states = (most_natural + 1) * (most_mixed + 1)
    best = np.full((own_wilds + 1, all_wilds + 1, states), NONE, np.int64)
    best[0, 0, 0] = 0
    for rank in range(FIRST_NATURAL, RANKS):
        naturals = s[HAND, rank] + s[NATURALS, rank]
        if naturals == 0:
            continue
        own = min(s[HAND, rank], s[HAND, rank] + (discard == rank) - s[PILE, rank])
        after = np.full_like(best, NONE)
        fewest, most = wilds_beside(s, r, rank, naturals, all_wilds)
        for extra in range(fewest, most + 1):
            lying = s[WILDS, rank] + extra
            canasta = naturals + lying >= r.canasta_size
            if canasta and naturals < r.canasta_fewest_naturals:
                continue
            for early in range(own + 1):
                first = s[NATURALS, rank] + early
                low, high = wilds_beside(s, r, rank, first, extra)
                for wild in range(low, min(high, own_wilds) + 1):
                    for a in range(own_wilds + 1 - wild):
                        for b in range(all_wilds + 1 - extra):
                            for c in range(states):
                                points = best[a, b, c]
                                if points == NONE:
                                    continue
                                points += early * r.values[rank]
                                d = c
                                if canasta:
                                    d = one_more(c, lying == 0, most_natural, most_mixed)
                                if points > after[a + wild, b + extra, d]:
                                    after[a + wild, b + extra, d] = points
        best = after
    threes = min(
        s[HAND, BLACK_THREES],
        s[HAND, BLACK_THREES] + (discard == BLACK_THREES) - s[PILE, BLACK_THREES],
    )
    three_points = 0
    if threes + s[NATURALS, BLACK_THREES] >= 3:
        three_points = threes * r.values[BLACK_THREES]
    for a in range(own_wilds + 1):
        jokers = min(a, own_jokers)
        points = three_points + jokers * r.values[0] + (a - jokers) * r.values[1]
        for c in range(states):
            natural, mixed = c // (most_mixed + 1), c % (most_mixed + 1)
            if not enough_canastas(r, natural, mixed) or best[a, all_wilds, c] == NONE:
                continue
            if s[FACT, STAGED] + points + best[a, all_wilds, c] >= s[FACT, MINIMUM]:
                return True
    return False

"""Can the turn under way still end? The exact test behind every mask (rules.md, Masks).

The test works on a *scratch*, a small int64 array with what the acting seat's turn depends on:

====================  =====================================================
``s[HAND, kind]``     cards in the hand
``s[NATURALS, rank]`` natural cards of the side's open meld of a rank
``s[WILDS, rank]``    wild cards of it
``s[PILE, kind]``     the rest of a taken pile that lies apart (pending)
``s[FACT, …]``        the scalars below
``s[BEFORE, kind]``   cards in the hand before the turn's draw or take
``s[MOVES + i]``       candidate actions, see :func:`propose`
====================  =====================================================

A candidate is tried by laying its cards in the scratch, asking :func:`can_end`, and taking them back. Cheap bounds answer
first; the searches are small dynamic programs over ranks and the number of wild cards used. Candidates are listed first and tried
in one loop, since the compiler optimises a function anew at every place that calls it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.engine.state import BLACK_THREES, RANKS, WILD_RANK, Asked, Drew
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

FIRST_NATURAL = 4
NONE = -(10**6)
OUT_OF_REACH = 10**6

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
    """Did this turn take the whole pile into the hand for a concealed going out without the minimum?

    (rules.md, *hungarian*.) A take of a black three is for going out in any case; there the hand tells whether the rest of
    the pile has come into it.
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
    """Points that the acting seat must lay; out of reach where only a concealed going out may follow."""
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
                s[FACT, DISCARDED] = rank + 1
            else:
                reached = lay(s, r, rank, naturals, deuces, jokers)
            possible = can_end(s, r)
            if under == LAST:
                drop_last(s, rank, 1)
                s[FACT, DISCARDED] = 0
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
def minimum_reachable(s: Any, r: Any) -> bool:
    """Can any row that begins with one of the listed takes reach the minimum, black threes included?

    "Cannot be reached" is literal (rules.md, *hungarian*): whether such a row could end the turn does not matter.
    """
    for i in range(MOVES, MOVES + s[FACT, COUNT]):
        rank, naturals = s[i, RANK], s[i, LAID_NATURALS]
        deuces, jokers = s[i, LAID_DEUCES], s[i, LAID_JOKERS]
        reached = lay(s, r, rank, naturals, deuces, jokers)
        possible = reached
        if not reached:
            threes = 0
            lying = s[NATURALS, BLACK_THREES]
            if r.black_three_melds and s[HAND, BLACK_THREES] + lying >= 3:
                threes = min(s[HAND, BLACK_THREES], 4 - lying) * r.values[BLACK_THREES]
            s[FACT, STAGED] += threes
            possible = reaches_minimum(s, r, 0)
            s[FACT, STAGED] -= threes
        unlay(s, r, rank, naturals, deuces, jokers, reached)
        if possible:
            return True
    return False


@helper
def take_whole_pile(s: Any) -> None:
    """Change the listed takes into ones that bring the whole pile at once, for a concealed going out."""
    bring_in(s, 1)
    s[FACT, APART] = 0
    for k in range(RANKS):
        s[PILE, k] = 0
    s[FACT, MINIMUM] = OUT_OF_REACH
    for i in range(MOVES, MOVES + s[FACT, COUNT]):
        s[i, UNDER] = MUST


@helper
def drop_last(s: Any, kind: int, sign: int) -> None:
    """Discard the last card of the scratch's hand (sign -1), or take it back (1)."""
    s[HAND, kind] += sign
    s[FACT, SIZE] += sign


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
    cards where there is room: nothing brings more points. Where it lays something possible and leaves enough cards it is
    the answer; else the exact search decides.
    """
    lacking = s[FACT, MINIMUM] - s[FACT, STAGED]
    wilds = s[HAND, 0] + s[HAND, 1]
    points = 0
    used = 0
    alone = wilds_alone(s, r, wilds)
    room = alone
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
    laid = min(wilds, room)
    points += wild_points(s, r, laid)
    if points < lacking:
        return False
    if alone == 0 and not r.melds_close and s[FACT, SIZE] - used - laid >= keep:
        return True
    return search_minimum(s, r, lacking, keep)


@helper
def wilds_alone(s: Any, r: Any, wilds: int) -> int:
    """The most wild cards of the hand that a meld of wild cards can take."""
    lying = s[WILDS, WILD_RANK]
    if r.wild_melds == 0 or (r.wild_melds == 2 and (lying > 0 or wilds < r.canasta_size)):
        return 0
    if lying == 0 and wilds < 3:
        return 0
    return max(0, min(wilds, r.canasta_size - lying))


@helper
def lays_alone(s: Any, r: Any, extra: int) -> bool:
    """May exactly ``extra`` wild cards join the side's meld of wild cards, or be a new one?"""
    if extra == 0:
        return True
    lying = s[WILDS, WILD_RANK]
    if r.wild_melds == 2:
        return lying == 0 and extra == r.canasta_size
    return bool(r.wild_melds == 1 and 3 <= lying + extra <= r.canasta_size)


@helper
def fits(s: Any, r: Any, rank: int, naturals: int, extra: int) -> bool:
    """Can melds of ``rank`` hold ``naturals`` in all and ``extra`` more wild cards (one meld, or closing ones)?"""
    lying = s[WILDS, rank]
    wilds = lying + extra
    size = naturals + wilds
    if size == 0:
        return True
    if not r.melds_close or size <= r.canasta_size:
        if naturals < r.fewest_naturals or size < 3 or wilds > r.wild_capacity[naturals]:
            return False
        return not (size >= r.canasta_size and naturals < r.canasta_fewest_naturals)
    rest = size % r.canasta_size
    if 0 < rest < 3:
        return False
    return wilds <= (size // r.canasta_size) * most_wilds_in(r, r.canasta_size) + most_wilds_in(r, rest)


@helper
def most_wilds_in(r: Any, size: int) -> int:
    """The most wild cards in a meld of so many cards."""
    most = 0
    for wilds in range(1, size - int(r.fewest_naturals) + 1):
        if wilds <= r.wild_capacity[size - wilds]:
            most = wilds
    return most


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
    held = min(keep, s[HAND, BLACK_THREES])
    for alone in range(wilds + 1):
        if lays_alone(s, r, alone):
            best[alone, held] = 0
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
        for extra in range(wilds + 1 if naturals > 0 else 1):
            if not fits(s, r, rank, naturals, extra):
                continue
            for used in range(wilds + 1 - extra):
                for held in range(keep + 1):
                    if best[used, held] == NONE:
                        continue
                    kept = min(keep, held + s[HAND, rank] - laid)
                    points = best[used, held] + laid * r.values[rank]
                    after[used + extra, kept] = max(after[used + extra, kept], points)
    return after


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
            if s[HAND, discard] == 0 or s[FACT, DISCARDED] > 0:
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
    if s[FACT, MELDED] == 1:
        return True
    last = discard if discard >= 0 else s[FACT, DISCARDED] - 1
    if s[FACT, WAIVED] == 1 and (last < 0 or s[FACT, LIMITED] == 0 or s[BEFORE, last] > 0):
        return True
    if apart:
        return minimum_then_all(s, r, discard)
    points = s[FACT, STAGED]
    for kind in range(RANKS):
        points += s[HAND, kind] * r.values[kind]
    return bool(points >= s[FACT, MINIMUM])


@helper
def mixed_range(s: Any, r: Any, rank: int, naturals: int, extra: int) -> tuple[int, int, int]:
    """Canastas of a rank once so many cards lie: how many, and the fewest and most of them that are mixed."""
    wilds = s[WILDS, rank] + extra
    size = naturals + wilds
    if not r.melds_close or size <= r.canasta_size:
        mixed = 1 if wilds > 0 else 0
        return (1, mixed, mixed) if size >= r.canasta_size else (0, 0, 0)
    full = size // r.canasta_size
    each = max(1, most_wilds_in(r, r.canasta_size))
    spare = max(0, wilds - most_wilds_in(r, size % r.canasta_size))
    fewest = max((spare + each - 1) // each, 1 if s[WILDS, rank] > 0 else 0)
    return full, fewest, min(full, wilds)


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
    """The minimum from hand and top card alone first, then everything, the pile's cards too, in going out.

    The scratch's hand holds hand and pile together, without the discard. For every rank a first stage (cards of the
    hand alone) and the final meld are chosen together; kept are the most points of first stages for each number of
    wild cards used in the first stage and in all, and for the canastas.
    """
    all_wilds = s[HAND, 0] + s[HAND, 1]
    own_jokers, own_deuces = own_cards(s, 0, discard), own_cards(s, 1, discard)
    own_wilds = own_jokers + own_deuces
    most_natural = max(r.natural_canastas_out, r.canastas_out)
    most_mixed = max(r.mixed_canastas_out, r.canastas_out)
    width = most_mixed + 1
    best = np.full((own_wilds + 1, all_wilds + 1, (most_natural + 1) * width), NONE, np.int64)
    first = min(most_natural, s[FACT, CLOSED_NATURAL]) * width
    first += min(most_mixed, s[FACT, CLOSED_MIXED])
    for early in range(own_wilds + 1):
        for alone in range(early, all_wilds + 1):
            if lays_alone(s, r, early) and lays_alone(s, r, alone):
                canasta = s[WILDS, WILD_RANK] + alone >= r.canasta_size
                state = more(first, 0, 1, most_natural, most_mixed) if canasta else first
                best[early, alone, state] = 0
    for rank in range(FIRST_NATURAL, RANKS):
        if s[HAND, rank] + s[NATURALS, rank] > 0:
            best = add_two_stages(s, r, rank, own_cards(s, rank, discard), best)
    threes = own_cards(s, BLACK_THREES, discard)
    three_points = 0
    if threes + s[NATURALS, BLACK_THREES] >= 3:
        three_points = threes * r.values[BLACK_THREES]
    for early in range(own_wilds + 1):
        jokers = min(early, own_jokers)
        points = three_points + jokers * r.values[0] + (early - jokers) * r.values[1]
        for state in range(best.shape[2]):
            reached = best[early, all_wilds, state]
            if reached == NONE or not enough_canastas(r, state // width, state % width):
                continue
            if s[FACT, STAGED] + points + reached >= s[FACT, MINIMUM]:
                return True
    return False


@helper
def add_two_stages(s: Any, r: Any, rank: int, own: int, best: Any) -> Any:
    """One step of :func:`minimum_then_all`: a rank's first stage and final melds together."""
    own_wilds, all_wilds = best.shape[0] - 1, best.shape[1] - 1
    most_natural = max(r.natural_canastas_out, r.canastas_out)
    most_mixed = max(r.mixed_canastas_out, r.canastas_out)
    naturals = s[HAND, rank] + s[NATURALS, rank]
    after = np.full_like(best, NONE)
    for extra in range(all_wilds + 1):
        if not fits(s, r, rank, naturals, extra):
            continue
        full, fewest, most = mixed_range(s, r, rank, naturals, extra)
        for early in range(own + 1):
            for wild in range(min(extra, own_wilds) + 1):
                if s[NATURALS, rank] + early == 0 and wild > 0:
                    continue
                if not fits(s, r, rank, s[NATURALS, rank] + early, wild):
                    continue
                for a in range(own_wilds + 1 - wild):
                    for b in range(all_wilds + 1 - extra):
                        for state in range(best.shape[2]):
                            if best[a, b, state] == NONE:
                                continue
                            points = best[a, b, state] + early * r.values[rank]
                            for mixed in range(fewest, most + 1):
                                to = more(state, full - mixed, mixed, most_natural, most_mixed)
                                if points > after[a + wild, b + extra, to]:
                                    after[a + wild, b + extra, to] = points
    return after

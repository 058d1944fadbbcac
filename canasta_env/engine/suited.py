"""Which actions are legal where suits matter, and what they do: sets by suit, and sequences."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.capacity import may_hold
from canasta_env.engine.discard import KEEPING, NONE, open_discards
from canasta_env.engine.draw import (
    frozen_for,
    lift_pile,
    mark_draw,
    room_for,
    start_take,
    wild_fits_take,
)
from canasta_env.engine.laying import lay_any, unlay_any
from canasta_env.engine.layout import rank_of, side_of
from canasta_env.engine.meld import (
    count_laid,
    join_meld,
    leave_hand,
    plain_meld,
    propose_wild_melds,
)
from canasta_env.engine.scratch import (
    ACTION,
    BEFORE,
    CARDS,
    COUNT,
    DISCARDED,
    FACT,
    FORM,
    FREE,
    HAND,
    LAID_DEUCES,
    LAID_JOKERS,
    LAID_NATURALS,
    LAID_SEQUENCES,
    LAST,
    LONGER_SEQUENCE,
    MELDED,
    MODE,
    MOVES,
    MUST,
    NATURALS,
    NEW_SEQUENCE,
    NEXT,
    NO_OUT,
    RANK,
    RED_THREES,
    SEQUENCES,
    SET,
    SUIT,
    SUITED_HAND,
    SUITED_KINDS,
    SURE,
    TAIL,
    UNDER,
    WILDS,
    add_to_pile,
    drop_last,
    fill_scratch,
    propose,
)
from canasta_env.engine.sequences import (
    WHOLE,
    can_end_suited,
    can_extend,
    can_start,
    extend_sequence,
    sequence_for,
    start_sequence,
    undo_extend,
    undo_start,
    wilds_start,
)
from canasta_env.engine.state import (
    ADD,
    ADD_DEUCE,
    ADD_JOKER,
    EXTEND,
    EXTEND_JOKER,
    FIRST_NATURAL,
    MELD,
    MELD_DEUCE,
    MELD_JOKER,
    MELD_SEQUENCE,
    RANKS,
    SUITS,
    TAKE_EXTEND,
    TAKE_INTO,
    Phase,
)
from canasta_env.jit import helper, inlined

NATURAL_RANKS = RANKS - FIRST_NATURAL
LOWS = NATURAL_RANKS - 2  # ranks that a sequence can begin with
RUN_CHOICES = 7  # ways to fill its first three places
FIRST_EXTENSION = FIRST_NATURAL + 3

# what a candidate needs of a sequence
A, B, C = CARDS, CARDS + 1, CARDS + 2


@helper
def suited(rank: int, suit: int) -> int:
    """The kind of a natural card."""
    return FIRST_NATURAL + SUITS * (rank - FIRST_NATURAL) + suit


@helper
def suit_of(kind: int) -> int:
    """The suit of a kind of natural cards."""
    return (kind - FIRST_NATURAL) % SUITS


# -- candidates --------------------------------------------------------------------------------


@helper
def propose_set(
    s: Any,
    r: Any,
    action: int,
    rank: int,
    naturals: int,
    deuces: int,
    jokers: int,
    under: int,
    top: int,
) -> None:
    """List an action that lays the natural cards it names, and ``top`` if that is not -1."""
    i = MOVES + s[FACT, COUNT]
    propose(s, action, rank, naturals, deuces, jokers, under)
    s[i, FORM] = SET
    for j in range(3):
        s[i, CARDS + j] = r.named[action, j]
    if top >= FIRST_NATURAL:
        s[i, C] = top


@helper
def propose_start(
    s: Any, action: int, suit: int, low: int, gap: int, wild: int, under: int
) -> None:
    """List an action that begins a sequence."""
    i = MOVES + s[FACT, COUNT]
    propose(s, action, low, 3 if gap == WHOLE else 2, 0, 0 if gap == WHOLE else 1, under)
    s[i, FORM] = NEW_SEQUENCE
    s[i, A] = suit
    s[i, B] = gap
    s[i, C] = wild


@helper
def propose_longer(s: Any, action: int, row: int, wild: int, under: int) -> None:
    """List an action that extends a sequence."""
    i = MOVES + s[FACT, COUNT]
    propose(s, action, s[row, NEXT], 1, 0, 0, under)
    s[i, FORM] = LONGER_SEQUENCE
    s[i, A] = row
    s[i, B] = wild


@helper
def without_suits(s: Any, first: int) -> None:
    """Note that the candidates from number ``first`` on name no natural cards."""
    for i in range(MOVES + first, MOVES + s[FACT, COUNT]):
        s[i, FORM] = SET
        for j in range(CARDS, CARDS + 3):
            s[i, j] = -1


@helper
def choices_of_two(r: Any) -> int:
    """How many pairs of suited cards of one rank there are."""
    return (int(r.at_meld_joker) - int(r.at_meld_deuce)) // NATURAL_RANKS


@helper
def choices_of_three(r: Any) -> int:
    """How many triples of suited cards of one rank there are."""
    return (int(r.at_meld_deuce) - int(r.at_meld)) // NATURAL_RANKS


@helper
def holds_named(s: Any, r: Any, action: int, count: int) -> bool:
    """Does the scratch's hand hold the ``count`` natural cards that an action names first?"""
    for j in range(count):
        kind = int(r.named[action, j])
        needed = 1
        for k in range(j):
            needed += 1 if r.named[action, k] == kind else 0
        if s[SUITED_HAND + suit_of(kind), rank_of(SUITED_KINDS, kind)] < needed:
            return False
    return True


@helper
def propose_suited_melds(r: Any, s: Any) -> None:
    """List all melds and additions that the cards allow in the phase ``meld``.

    With sequences no partner is asked and no black three melded (rules_check.py), so no turn has to
    go out or must not.
    """
    mode = s[FACT, MODE]
    if s[FACT, MELDED] == 0:
        propose(s, -1, 0, 0, 0, 0, mode)  # can the first meld succeed at all?
    if r.wild_melds > 0:
        propose_wild_melds(r, s)
    without_suits(s, 0)
    for rank in range(FIRST_NATURAL, RANKS):
        if s[NATURALS, rank] > 0:
            propose_suited_additions(r, s, rank)
        elif s[HAND, rank] >= 2:
            propose_new_sets(r, s, rank)
    propose_new_sequences(r, s)
    propose_extensions(r, s)


@helper
def propose_new_sets(r: Any, s: Any, rank: int) -> None:
    """List new melds of a rank: three cards, at least two of them natural."""
    place, mode = rank - FIRST_NATURAL, s[FACT, MODE]
    if s[HAND, rank] >= 3:
        first = int(r.at_meld) + place * choices_of_three(r)
        for action in range(first, first + choices_of_three(r)):
            if holds_named(s, r, action, 3):
                propose_set(s, r, action, rank, 3, 0, 0, mode, -1)
    if r.wild_capacity[2] < 1:
        return
    for wild in range(2):
        if s[HAND, wild] == 0:
            continue
        first = int(r.at_meld_deuce) if wild == 1 else int(r.at_meld_joker)
        first += place * choices_of_two(r)
        for action in range(first, first + choices_of_two(r)):
            if holds_named(s, r, action, 2):
                propose_set(s, r, action, rank, 2, wild, 1 - wild, mode, -1)


@helper
def propose_suited_additions(r: Any, s: Any, rank: int) -> None:
    """List single cards that may join the side's open meld of a rank."""
    place, mode = rank - FIRST_NATURAL, s[FACT, MODE]
    naturals, wilds = s[NATURALS, rank], s[WILDS, rank]
    if r.melds_close and naturals + wilds >= r.canasta_size:
        return
    if s[HAND, rank] > 0 and may_hold(r, naturals + 1, wilds):
        for suit in range(SUITS):
            if s[SUITED_HAND + suit, rank] > 0:
                action = int(r.at_add) + place * SUITS + suit
                propose_set(s, r, action, rank, 1, 0, 0, mode, -1)
    if wilds + 1 > r.wild_capacity[naturals]:
        return
    if s[HAND, 1] > 0:
        propose_set(s, r, int(r.at_add_deuce) + place, rank, 0, 1, 0, mode, -1)
    if s[HAND, 0] > 0:
        propose_set(s, r, int(r.at_add_joker) + place, rank, 0, 0, 1, mode, -1)


@helper
def propose_new_sequences(r: Any, s: Any) -> None:
    """List new sequences of three cards of the hand (rules.md, table: sequences)."""
    for suit in range(SUITS):
        for low in range(FIRST_NATURAL, FIRST_NATURAL + LOWS):
            first = int(r.at_meld_sequence) + sequence_block(suit, low)
            for choice in range(RUN_CHOICES):
                gap, wild = gap_of(choice), wild_of(choice)
                if can_start(s, r, suit, low, gap, wild):
                    propose_start(s, first + choice, suit, low, gap, wild, s[FACT, MODE])


@helper
def sequence_block(suit: int, low: int) -> int:
    """Where the sequences from ``low`` on stand among those of the action table."""
    return (suit * LOWS + low - FIRST_NATURAL) * RUN_CHOICES


@helper
def gap_of(choice: int) -> int:
    """The place of the wild card: none; then each place with a deuce, then with a joker."""
    return WHOLE if choice == 0 else (choice - 1) % 3


@helper
def wild_of(choice: int) -> int:
    """The kind of that wild card."""
    return 1 if choice <= 3 else 0


@helper
def propose_extensions(r: Any, s: Any) -> None:
    """List single cards that may join a sequence of the side at its high end."""
    for i in range(s[FACT, LAID_SEQUENCES]):
        row = SEQUENCES + i
        suit, rank = s[row, SUIT], s[row, NEXT]
        if rank >= RANKS or sequence_for(s, suit, rank) != row:
            continue
        place = suit * (RANKS - FIRST_EXTENSION) + rank - FIRST_EXTENSION
        for wild in range(-1, 2):
            if can_extend(s, r, row, wild):
                first = int(r.at_extend)
                if wild >= 0:
                    first = int(r.at_extend_deuce) if wild == 1 else int(r.at_extend_joker)
                propose_longer(s, first + place, row, wild, s[FACT, MODE])


@helper
def propose_suited_takes(g: Any, r: Any, s: Any) -> None:
    """List the takes of the pile that the cards allow (rules.md, Taking the pile)."""
    seat = int(g.turn)
    side = side_of(g, seat)
    pile_size = int(g.pile_size)
    if pile_size == 0 or (pile_size == 1 and g.hand_sizes[seat] == 1):
        return
    top = int(g.pile[pile_size - 1])
    for k in range(RANKS):
        s[BEFORE, k] = s[HAND, k]
    if top < FIRST_NATURAL:
        return
    rank, suit = rank_of(SUITED_KINDS, top), suit_of(top)
    if not might_take(s, suit, rank):
        return
    frozen = frozen_for(g, r, side)
    list_pair_takes(g, r, s, top, frozen)
    if not frozen:
        list_single_takes(g, r, s, top)
    if r.take_into_sequence:
        list_sequence_takes(r, s, rank, suit, frozen)
    fill_suited_take(g, r, top, s)


@helper
def might_take(s: Any, suit: int, rank: int) -> bool:
    """Is there a card or meld that could go with the top card of the pile?"""
    if s[HAND, rank] > 0 or s[NATURALS, rank] > 0 or sequence_for(s, suit, rank) >= 0:
        return True
    for near in range(max(FIRST_NATURAL, rank - 2), min(RANKS, rank + 3)):
        if s[SUITED_HAND + suit, near] > 0:
            return True
    return False


@helper
def fill_suited_take(g: Any, r: Any, top: int, s: Any) -> None:
    """Prepare the scratch for a take: the top card in the hand, the rest apart or in hand."""
    below = int(g.pile_size) - 1
    first = max(0, below - int(r.pile_taken) + 1)
    red = 0
    for i in range(first, below):
        if g.pile[i] == RED_THREES:
            red += 1
        else:
            add_to_pile(s, int(g.pile[i]))
    rank = rank_of(SUITED_KINDS, top)
    s[SUITED_HAND + suit_of(top), rank] += 1
    s[HAND, rank] += 1
    start_take(r, s, below - first, red)


@helper
def list_pair_takes(g: Any, r: Any, s: Any, top: int, frozen: bool) -> None:
    """List takes with two cards of the rank from the hand, or not frozen with one and a wild."""
    side, rank = side_of(g, int(g.turn)), rank_of(SUITED_KINDS, top)
    place = rank - FIRST_NATURAL
    naturals, wilds = s[NATURALS, rank], s[WILDS, rank]
    if s[HAND, rank] == 0 or not room_for(g, r, side, rank, 3):
        return
    if may_hold(r, naturals + 3, wilds):
        first = int(r.at_take_pair) + place * choices_of_two(r)
        for action in range(first, first + choices_of_two(r)):
            if holds_named(s, r, action, 2):
                propose_set(s, r, action, rank, 3, 0, 0, FREE, top)
    if frozen or not r.take_natural_wild or not wild_fits_take(s, r, rank):
        return
    for wild in range(2):
        first = int(r.at_take_deuce) if wild == 1 else int(r.at_take_joker)
        for suit in range(SUITS):
            if s[HAND, wild] > 0 and s[SUITED_HAND + suit, rank] > 0:
                action = first + place * SUITS + suit
                propose_set(s, r, action, rank, 2, wild, 1 - wild, FREE, top)


@helper
def list_single_takes(g: Any, r: Any, s: Any, top: int) -> None:
    """List takes of the top card alone onto a set or a sequence of the side."""
    if not r.take_onto:
        return
    rank, suit = rank_of(SUITED_KINDS, top), suit_of(top)
    side = side_of(g, int(g.turn))
    naturals, wilds = s[NATURALS, rank], s[WILDS, rank]
    if naturals > 0 and room_for(g, r, side, rank, 1) and may_hold(r, naturals + 1, wilds):
        propose_set(s, r, int(r.at_take), rank, 1, 0, 0, FREE, top)
    row = sequence_for(s, suit, rank)
    if row >= 0:
        propose_longer(s, int(r.at_take_extend), row, -1, FREE)


@helper
def list_sequence_takes(r: Any, s: Any, rank: int, suit: int, frozen: bool) -> None:
    """List takes with two cards that make a new sequence with the top card, both of them natural
    where the pile is frozen (rules.md, table: take into a new sequence)."""
    for low in range(max(FIRST_NATURAL, rank - 2), min(rank, RANKS - 3) + 1):
        first = int(r.at_take_into) + sequence_block(suit, low)
        for choice in range(RUN_CHOICES):
            gap, wild = gap_of(choice), wild_of(choice)
            if low + gap == rank and gap != WHOLE:
                continue  # the top card is there
            if gap != WHOLE and (frozen or s[HAND, wild] == 0 or not wilds_start(r)):
                continue
            held = True
            for i in range(3):
                if i != gap and low + i != rank and s[SUITED_HAND + suit, low + i] == 0:
                    held = False
            if held:
                propose_start(s, first + choice, suit, low, gap, wild, FREE)


# -- the mask ----------------------------------------------------------------------------------


@helper
def move_named(s: Any, i: int, sign: int) -> None:
    """Move the suited cards of a candidate set out of the hand by suit (sign -1), or back."""
    left = s[i, LAID_NATURALS]
    for j in range(CARDS, CARDS + 3):
        kind = s[i, j]
        if kind >= FIRST_NATURAL and left > 0:
            s[SUITED_HAND + suit_of(kind), rank_of(SUITED_KINDS, kind)] += sign
            left -= 1


@helper
def propose_suited_discards(r: Any, s: Any, mask: Any) -> None:
    """Mark the discards that keep a card, by suit, or list that of the last card."""
    kind_of = open_discards(r, s, mask)
    if kind_of == NONE:
        return
    first, listed = int(r.at_discard), s[FACT, COUNT]
    for kind in range(SUITED_KINDS):
        rank = rank_of(SUITED_KINDS, kind)
        row = SUITED_HAND + suit_of(kind) if kind >= FIRST_NATURAL else HAND
        if s[row, rank] == 0:
            continue
        action = first + (kind if kind < 2 else kind - 1)
        if kind_of == KEEPING:
            mask[action] = True
        else:
            propose(s, action, rank, 0, 0, 0, LAST)
    without_suits(s, listed)


@helper
def do_move(s: Any, r: Any, i: int) -> int:
    """Lay what the candidate in row ``i`` lays; returns what :func:`undo_move` needs."""
    if s[i, UNDER] == LAST:
        drop_last(s, s[i, RANK], -1)
        s[FACT, DISCARDED] = s[i, RANK] + 1
        return 0
    if s[i, FORM] == NEW_SEQUENCE:
        return start_sequence(s, r, s[i, A], s[i, RANK], s[i, B], s[i, C])
    if s[i, FORM] == LONGER_SEQUENCE:
        return extend_sequence(s, r, s[i, A], s[i, B])
    move_named(s, i, -1)
    reached = lay_any(s, r, s[i, RANK], s[i, LAID_NATURALS], s[i, LAID_DEUCES], s[i, LAID_JOKERS])
    return 1 if reached else 0


@helper
def undo_move(s: Any, r: Any, i: int, code: int, tail: int) -> None:
    """Undo :func:`do_move`; ``tail`` is that of the sequence before it grew."""
    if s[i, UNDER] == LAST:
        drop_last(s, s[i, RANK], 1)
        s[FACT, DISCARDED] = 0
    elif s[i, FORM] == NEW_SEQUENCE:
        undo_start(s, r, s[i, A], s[i, RANK], s[i, B], s[i, C], code)
    elif s[i, FORM] == LONGER_SEQUENCE:
        undo_extend(s, r, s[i, A], s[i, B], tail, code)
    else:
        naturals, deuces, jokers = s[i, LAID_NATURALS], s[i, LAID_DEUCES], s[i, LAID_JOKERS]
        unlay_any(s, r, s[i, RANK], naturals, deuces, jokers, code == 1)
        move_named(s, i, 1)


@inlined
def mark_suited(s: Any, r: Any, mask: Any) -> int:
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
        laid = s[i, LAID_NATURALS] + s[i, LAID_DEUCES] + s[i, LAID_JOKERS]
        s[FACT, MODE] = MUST if under == LAST else under
        tail = s[s[i, A], TAIL] if s[i, FORM] == LONGER_SEQUENCE else 0
        code = do_move(s, r, i)
        possible = can_end_suited(s, r)
        undo_move(s, r, i, code, tail)
        s[FACT, MODE] = mode
        if possible and s[i, ACTION] >= 0:
            mask[s[i, ACTION]] = True
            count += 1
        if not possible and laid == 0:  # a question, not a move
            if under == MUST:
                s[FACT, NO_OUT] = 1
            elif under != LAST:
                hopeless = True
    return count


@helper
def mark_suited_turn(g: Any, r: Any, s: Any, mask: Any) -> None:
    """Mark the legal actions of the phases ``draw`` and ``meld``."""
    fill_scratch(g, r, int(g.turn), s)
    if g.phase == Phase.DRAW:
        propose_suited_takes(g, r, s)
    else:
        propose_suited_melds(r, s)
        propose_suited_discards(r, s, mask)
    count = mark_suited(s, r, mask)
    if g.phase == Phase.DRAW:
        mark_draw(g, r, count, mask)


# -- what actions do ---------------------------------------------------------------------------


@helper
def game_sequence(g: Any, side: int, kind: int) -> int:
    """The sequence of the side whose next place is this card, as :func:`sequence_for`."""
    best, fewest, longest = -1, 0, 0
    for i in range(int(g.sequence_count[side])):
        length = int(g.sequence_length[side, i])
        following = suited(int(g.sequence_low[side, i]) + length, int(g.sequence_suit[side, i]))
        if following != kind:
            continue
        filled = int(g.sequence_deuces[side, i]) | int(g.sequence_jokers[side, i])
        wilds = 0
        for place in range(length):
            wilds += (filled >> place) & 1
        if best < 0 or wilds < fewest or (wilds == fewest and length > longest):
            best, fewest, longest = i, wilds, length
    return best


@helper
def begin_sequence(g: Any, r: Any, seat: int, action: int) -> None:
    """Lay the sequence that an action names, low to high."""
    side = side_of(g, seat)
    i = int(g.sequence_count[side])
    lowest = int(r.rank[action])
    g.sequence_count[side] = i + 1
    g.sequence_low[side, i] = rank_of(SUITED_KINDS, lowest)
    g.sequence_suit[side, i] = suit_of(lowest)
    g.sequence_length[side, i] = 3
    g.sequence_deuces[side, i] = 0
    g.sequence_jokers[side, i] = 0
    g.begun_sequences = int(g.begun_sequences) | (1 << i)
    points = 0
    for place in range(3):
        points += fill_place(g, r, seat, i, place, int(r.named[action, place]))
    count_laid(g, r, seat, points)


@helper
def fill_place(g: Any, r: Any, seat: int, i: int, place: int, kind: int) -> int:
    """Move a card of the hand to a place of the side's sequence; returns its points."""
    side = side_of(g, seat)
    leave_hand(g, seat, kind, 1)
    g.shown[kind] += 1
    if kind == 1:
        g.sequence_deuces[side, i] = int(g.sequence_deuces[side, i]) | (1 << place)
    elif kind == 0:
        g.sequence_jokers[side, i] = int(g.sequence_jokers[side, i]) | (1 << place)
    return int(r.values[rank_of(SUITED_KINDS, kind)])


@helper
def lengthen_sequence(g: Any, r: Any, seat: int, i: int, kind: int) -> None:
    """Put a card of the hand on the high end of the side's sequence."""
    side = side_of(g, seat)
    length = int(g.sequence_length[side, i])
    g.sequence_length[side, i] = length + 1
    if (int(g.begun_sequences) >> i) & 1 == 0:
        g.added = True
    count_laid(g, r, seat, fill_place(g, r, seat, i, length, kind))


@helper
def leave_for_set(g: Any, seat: int, kind: int) -> None:
    """A natural card leaves the hand for a set."""
    leave_hand(g, seat, kind, 1)
    g.shown[kind] += 1
    g.meld_cards[side_of(g, seat), kind] += 1


@helper
def lay_set(g: Any, r: Any, seat: int, action: int, rank: int, top: int) -> None:
    """Lay what an action names on the meld of its rank, with the top card of a taken pile."""
    naturals, deuces, jokers = 0, 0, 0
    for j in range(3):
        kind = int(r.named[action, j])
        if kind >= FIRST_NATURAL:
            leave_for_set(g, seat, kind)
            naturals += 1
        elif kind == 1:
            deuces += 1
        elif kind == 0:
            jokers += 1
    if top >= 0:
        leave_for_set(g, seat, top)
        naturals += 1
    join_meld(g, r, seat, rank, naturals, deuces, jokers)


@helper
def suited_take(g: Any, r: Any, action: int, s: Any) -> None:
    """Take the pile: the top card is melded at once with what the action names."""
    seat, family = int(g.turn), int(r.family[action])
    side = side_of(g, seat)
    lift_pile(g, r, seat)
    top = int(g.top)
    if family == TAKE_EXTEND:
        lengthen_sequence(g, r, seat, game_sequence(g, side, top), top)
    elif family == TAKE_INTO:
        begin_sequence(g, r, seat, action)
    else:
        lay_set(g, r, seat, action, rank_of(SUITED_KINDS, top), top)


@helper
def suited_meld(g: Any, r: Any, action: int) -> None:
    """Lay a new meld or add to one."""
    seat, family, rank = int(g.turn), int(r.family[action]), int(r.rank[action])
    side = side_of(g, seat)
    if family == MELD_SEQUENCE:
        begin_sequence(g, r, seat, action)
    elif EXTEND <= family <= EXTEND_JOKER:
        kind = rank if family == EXTEND else int(r.named[action, 0])
        lengthen_sequence(g, r, seat, game_sequence(g, side, rank), kind)
    elif family in (MELD, MELD_DEUCE, MELD_JOKER, ADD, ADD_DEUCE, ADD_JOKER):
        lay_set(g, r, seat, action, rank, -1)
    else:
        plain_meld(g, r, action)

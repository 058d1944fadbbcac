"""Sequences in the scratch: laying them, and whether the turn can end with the help of new ones.

What sets can do is decided by rank, as where suits do not matter
(:mod:`~canasta_env.engine.lookahead`). Sequences come on top: the search tries the ways to lay
them, each once, and asks about the rest of the hand. A sequence is never a canasta, so all that it
changes is which cards are left, the points of the first meld and the group of three naturals.
"""

from __future__ import annotations

from typing import Any

from canasta_env.engine.first_meld import reaches_minimum
from canasta_env.engine.going_out import canastas_in_reach, lays_hand
from canasta_env.engine.laying import bring_all, stage, unstage
from canasta_env.engine.scratch import (
    APART,
    BELOW,
    FACT,
    FOOT,
    GROUP,
    HAND,
    KEEP,
    LAID_SEQUENCES,
    LENGTH,
    LEVELS,
    MELDED,
    MINIMUM,
    MODE,
    MUST,
    MUST_NOT,
    NATURALS,
    NEXT,
    NO_OUT,
    OUT_ALLOWED,
    PILE,
    PILE_IN,
    SEQUENCE_WILDS,
    SEQUENCES,
    SIZE,
    STAGED,
    SUIT,
    SUITED_HAND,
    SUITED_PILE,
    TAIL,
    WAIVED,
    WILDS,
)
from canasta_env.engine.state import BLACK_THREES, FIRST_NATURAL, RANKS, SUITS, WILD_RANK
from canasta_env.jit import helper, inlined

WHOLE = -1  # the place of the wild card in a new sequence that has none
CHOICES = 10  # of a place: grow by a natural, joker, deuce; begin without, with a wild card in …
BEGIN = 3
GROUPED, REACHED = 4, 8


@helper
def sequence_for(s: Any, suit: int, rank: int) -> int:
    """The sequence of the side whose next place is this card; of several the one with the fewest
    wild cards, then the longest (notation.md, Actions). -1 if there is none."""
    best = -1
    for i in range(s[FACT, LAID_SEQUENCES]):
        row = SEQUENCES + i
        if s[row, SUIT] != suit or s[row, NEXT] != rank:
            continue
        if best >= 0:
            wilds, length = s[best, SEQUENCE_WILDS], s[best, LENGTH]
            if s[row, SEQUENCE_WILDS] > wilds:
                continue
            if s[row, SEQUENCE_WILDS] == wilds and s[row, LENGTH] <= length:
                continue
        best = row
    return best


@helper
def play(s: Any, suit: int, rank: int) -> int:
    """Move a card out of the scratch's hand; ``suit`` -1 for a wild card, whose rank is its kind.

    In the second stage one of the pile's goes first, so that those of the hand stay to count toward
    the minimum; the answer, 1 if it was the pile's, is what :func:`unplay` needs.
    """
    s[HAND, rank] -= 1
    s[FACT, SIZE] -= 1
    of_pile = 0
    if s[FACT, PILE_IN] == 1:
        lying = s[PILE, rank] if suit < 0 else s[SUITED_PILE + suit, rank]
        of_pile = 1 if lying > 0 else 0
        s[PILE, rank] -= of_pile
    if suit >= 0:
        s[SUITED_HAND + suit, rank] -= 1
        s[SUITED_PILE + suit, rank] -= of_pile
    return of_pile


@helper
def unplay(s: Any, suit: int, rank: int, of_pile: int) -> None:
    """Undo :func:`play`."""
    s[HAND, rank] += 1
    s[FACT, SIZE] += 1
    s[PILE, rank] += of_pile
    if suit >= 0:
        s[SUITED_HAND + suit, rank] += 1
        s[SUITED_PILE + suit, rank] += of_pile


@helper
def wilds_start(r: Any) -> bool:
    """May a new sequence have a wild card among its first three?"""
    return bool(r.fewest_naturals < 3 and r.new_meld_most_wilds > 0 and r.most_wilds > 0)


@helper
def can_start(s: Any, r: Any, suit: int, low: int, gap: int, wild: int) -> bool:
    """Does the hand hold the cards of a new sequence from ``low`` on, with a wild card in the place
    ``gap`` (WHOLE: in none)?"""
    if gap != WHOLE and (s[HAND, wild] == 0 or not wilds_start(r)):
        return False
    for i in range(3):
        if i != gap and s[SUITED_HAND + suit, low + i] == 0:
            return False
    return True


@helper
def start_sequence(s: Any, r: Any, suit: int, low: int, gap: int, wild: int) -> int:
    """Lay a new sequence of three.

    Returns what :func:`undo_start` needs: bit 3 tells whether the minimum was reached by it.
    """
    row = SEQUENCES + s[FACT, LAID_SEQUENCES]
    s[FACT, LAID_SEQUENCES] += 1
    s[row, SUIT] = suit
    s[row, NEXT] = low + 3
    s[row, LENGTH] = 3
    s[row, SEQUENCE_WILDS] = 0 if gap == WHOLE else 1
    s[row, TAIL] = 3 if gap == WHOLE else 2 - gap
    code = 0
    points = 0
    for i in range(3):
        rank = wild if i == gap else low + i
        code |= play(s, -1 if i == gap else suit, rank) << i
        points += r.values[rank]
    if s[FACT, PILE_IN] == 0:
        if gap == WHOLE:
            s[FACT, GROUP] += 1
        if stage(s, points):
            code |= REACHED
    return code


@helper
def undo_start(s: Any, r: Any, suit: int, low: int, gap: int, wild: int, code: int) -> None:
    """Undo :func:`start_sequence`."""
    points = 0
    for i in range(3):
        points += r.values[wild if i == gap else low + i]
    if s[FACT, PILE_IN] == 0:
        unstage(s, points, code & REACHED != 0)
        if gap == WHOLE:
            s[FACT, GROUP] -= 1
    for i in range(3):
        rank = wild if i == gap else low + i
        unplay(s, -1 if i == gap else suit, rank, (code >> i) & 1)
    s[FACT, LAID_SEQUENCES] -= 1


@helper
def can_extend(s: Any, r: Any, row: int, wild: int) -> bool:
    """May a natural (``wild`` -1), joker (0) or deuce (1) of the hand join the sequence in
    ``row``?"""
    if s[row, NEXT] >= RANKS:
        return False
    if wild < 0:
        return bool(s[SUITED_HAND + s[row, SUIT], s[row, NEXT]] > 0)
    return bool(s[HAND, wild] > 0 and s[row, SEQUENCE_WILDS] < r.most_wilds)


@helper
def extend_sequence(s: Any, r: Any, row: int, wild: int) -> int:
    """Put a card on the high end of the sequence in ``row``; for the answer see
    :func:`start_sequence`."""
    rank = s[row, NEXT]
    s[row, NEXT] += 1
    s[row, LENGTH] += 1
    code = 0
    if wild < 0:
        code = play(s, s[row, SUIT], rank)
        s[row, TAIL] += 1
        code |= GROUPED if s[row, TAIL] == 3 and s[FACT, PILE_IN] == 0 else 0
    else:
        code = play(s, -1, wild)
        s[row, SEQUENCE_WILDS] += 1
        s[row, TAIL] = 0
    if code & GROUPED != 0:
        s[FACT, GROUP] += 1
    if s[FACT, PILE_IN] == 0 and stage(s, r.values[rank if wild < 0 else wild]):
        code |= REACHED
    return code


@helper
def undo_extend(s: Any, r: Any, row: int, wild: int, tail: int, code: int) -> None:
    """Undo :func:`extend_sequence`; ``tail`` is the row of naturals at the end before it."""
    rank = s[row, NEXT] - 1
    if s[FACT, PILE_IN] == 0:
        unstage(s, r.values[rank if wild < 0 else wild], code & REACHED != 0)
    if code & GROUPED != 0:
        s[FACT, GROUP] -= 1
    s[row, NEXT] = rank
    s[row, LENGTH] -= 1
    s[row, TAIL] = tail
    if wild < 0:
        unplay(s, s[row, SUIT], rank, code & 1)
    else:
        unplay(s, -1, wild, code & 1)
        s[row, SEQUENCE_WILDS] -= 1


STAY, OUT = 0, 1  # what a search is for: a discard after which a card stays, or going out


@helper
def ends_so(s: Any, r: Any, goal: int) -> bool:
    """Can the turn end as wanted if no more sequences are laid?"""
    if goal == OUT:
        if s[FACT, NO_OUT] == 1 or s[FACT, FOOT] == 1 or s[FACT, OUT_ALLOWED] == 0:
            return False
        # with a pile that lies apart going out is tried when it has come in
        return not has_second_stage(s) and lays_hand(s, r, s[FACT, PILE_IN] == 1)
    if s[FACT, MELDED] == 1 or s[FACT, BELOW] == 0:
        return bool(s[FACT, SIZE] >= s[FACT, KEEP] or s[FACT, FOOT] == 1)
    return reaches_minimum(s, r, kept_cards(s))


@helper
def kept_cards(s: Any) -> int:
    """Cards of the hand that must stay when the minimum is reached, so that a discard is left."""
    return 0 if s[FACT, FOOT] == 1 else int(max(0, s[FACT, KEEP] - s[FACT, APART]))


@helper
def is_hopeless(s: Any, r: Any, goal: int, place: int) -> bool:
    """Is the goal out of reach, whatever sequences are laid from ``place`` on? A cheap bound."""
    if goal == OUT:
        if s[FACT, NO_OUT] == 1 or s[FACT, FOOT] == 1 or s[FACT, OUT_ALLOWED] == 0:
            return True
        if has_second_stage(s):
            return False
        return bool(canastas_in_reach(s, r) < r.canastas_out or lonely_cards(s, r, place) > 1)
    if s[FACT, MELDED] == 1 or s[FACT, BELOW] == 0:
        return True  # what is left to discard only becomes less
    return points_in_reach(s, r) < s[FACT, MINIMUM] or not group_in_reach(s)


@helper
def has_second_stage(s: Any) -> bool:
    """Does a pile lie apart that comes in with the minimum?"""
    return bool(s[FACT, MELDED] == 0 and s[FACT, APART] > 0 and s[FACT, PILE_IN] == 0)


@helper
def lonely_cards(s: Any, r: Any, place: int) -> int:
    """Cards of the hand that neither a set nor a sequence from ``place`` on can take, at least."""
    wilds = s[HAND, 0] + s[HAND, 1]
    lonely = s[HAND, BLACK_THREES]  # never melded beside sequences
    for suit in range(SUITS):
        bits = held_bits(s, suit)
        alone = bits & ~sequence_bits(r, bits, wilds)
        for i in range(s[FACT, LAID_SEQUENCES] if alone != 0 else 0):
            if s[SEQUENCES + i, SUIT] == suit:
                alone = 0
        passed = place - RANKS * suit  # cards of these ranks are in no later sequence
        alone |= bits & ((1 << max(0, min(passed, RANKS))) - 1)
        for rank in range(FIRST_NATURAL, RANKS):
            if (alone >> rank) & 1 == 1 and s[HAND, rank] + s[NATURALS, rank] < 2:
                lonely += s[SUITED_HAND + suit, rank]
    return int(lonely)


@helper
def points_in_reach(s: Any, r: Any) -> int:
    """Points of the first meld if every card that a set or a sequence can take were laid."""
    points = s[FACT, STAGED]
    wilds = s[HAND, 0] + s[HAND, 1]
    settable = 0
    bonus = 0
    for rank in range(FIRST_NATURAL, RANKS):
        held = s[HAND, rank]
        if held > 0 and s[NATURALS, rank] + held >= (2 if wilds + s[WILDS, rank] > 0 else 3):
            settable |= 1 << rank
            points += held * r.values[rank]
            if r.bonus_counts and s[NATURALS, rank] + held + s[WILDS, rank] + wilds >= (
                r.canasta_size
            ):
                count = 1 + held // r.canasta_size if r.melds_close else 1
                bonus += count * max(r.natural_canasta, r.mixed_canasta)
    points += s[HAND, 0] * r.values[0] + s[HAND, 1] * r.values[1]
    points += bonus
    if r.bonus_counts and r.wild_melds > 0 and s[WILDS, WILD_RANK] + wilds >= r.canasta_size:
        points += max(r.wild_canasta, r.wild_canasta_jokers)
    if points >= s[FACT, MINIMUM]:
        return int(points)
    open_suits = 0
    for i in range(s[FACT, LAID_SEQUENCES]):
        open_suits |= 1 << s[SEQUENCES + i, SUIT]
    for suit in range(SUITS):
        bits = held_bits(s, suit)
        near = bits if (open_suits >> suit) & 1 == 1 else sequence_bits(r, bits, wilds)
        near &= ~settable
        for rank in range(FIRST_NATURAL, RANKS):
            if (near >> rank) & 1 == 1:
                points += s[SUITED_HAND + suit, rank] * r.values[rank]
    return int(points)


@helper
def held_bits(s: Any, suit: int) -> int:
    """The ranks of a suit in the hand, as a bit set."""
    bits = 0
    for rank in range(FIRST_NATURAL, RANKS):
        if s[SUITED_HAND + suit, rank] > 0:
            bits |= 1 << rank
    return bits


@helper
def sequence_bits(r: Any, bits: int, wilds: int) -> int:
    """Which of these ranks of one suit can be in a sequence at all, with so many wild cards."""
    wilds = min(wilds, int(r.most_wilds))
    if wilds == 0:
        lows = bits & (bits >> 1) & (bits >> 2)
        return lows | (lows << 1) | (lows << 2)
    near = 0
    for distance in range(1, wilds + 2):
        pairs = bits & (bits >> distance)
        near |= pairs | (pairs << distance)
    return near


@helper
def group_in_reach(s: Any) -> bool:
    """Is a group of three naturals laid, or in the hand?"""
    if s[FACT, GROUP] > 0:
        return True
    for rank in range(FIRST_NATURAL, RANKS):
        if s[HAND, rank] + s[NATURALS, rank] >= 3:
            return True
    for suit in range(SUITS):
        bits = held_bits(s, suit)
        if bits & (bits >> 1) & (bits >> 2) != 0:
            return True
    for i in range(s[FACT, LAID_SEQUENCES]):
        row = SEQUENCES + i
        if s[row, NEXT] < RANKS and s[SUITED_HAND + s[row, SUIT], s[row, NEXT]] > 0:
            return True
    return False


@helper
def may_start(s: Any, suit: int, low: int, wilds: int) -> bool:
    """Has the hand the naturals for a new sequence from ``low`` on, two with a wild card?"""
    if low > RANKS - 3:
        return False
    naturals = 0
    for i in range(3):
        naturals += 1 if s[SUITED_HAND + suit, low + i] > 0 else 0
    return bool(naturals == 3 or (naturals == 2 and wilds > 0))


# columns of a level: what is tried next, and the move that led to it
PLACE, CHOICE, BRINGS, ROW, GAP, WILD, TAIL_BEFORE, CODE = 0, 1, 2, 3, 4, 5, 6, 7
NEW, BROUGHT = -1, -2  # in the place of the row of a sequence: a new one, or the pile came in
END = SUITS * RANKS


@helper
def open_level(s: Any, r: Any, goal: int, depth: int, place: int, choice: int) -> None:
    """Begin a level of the search, at a place and a choice for it."""
    row = LEVELS + depth
    s[row, PLACE] = END if is_hopeless(s, r, goal, place) else place
    s[row, CHOICE] = choice
    s[row, BRINGS] = 1 if goal == OUT and has_second_stage(s) else 0


@helper
def low_wild_helps(s: Any, r: Any, suit: int, low: int) -> bool:
    """Can a wild card in the lowest place lead to a row of cards that no other way lays?

    It could as well lie at the high end, unless the sequence goes up to the ace; or unless the pile
    comes in between.
    """
    if s[FACT, MELDED] == 0 and s[FACT, APART] > 0:
        return True
    missing = 0
    for rank in range(low + 3, RANKS):
        missing += 1 if s[SUITED_HAND + suit, rank] == 0 else 0
    return bool(missing < min(s[HAND, 0] + s[HAND, 1], r.most_wilds))


@helper
def try_choice(s: Any, r: Any, place: int, choice: int, both: bool, level: int) -> bool:
    """Play the move of a place and a choice, if the cards allow it, and note it for its undoing.

    ``both``: it matters which wild card is used; else a joker always serves better than a deuce.
    """
    suit, rank = place // RANKS, place % RANKS
    grows = choice < BEGIN
    wild = choice - 1 if grows else (choice - BEGIN - 1) % 2
    gap = WHOLE if choice <= BEGIN else (choice - BEGIN - 1) // 2
    if wild == 1 and choice != BEGIN and s[HAND, 0] > 0 and not both:
        return False
    if gap == 0 and not low_wild_helps(s, r, suit, rank):
        return False
    s[level, GAP] = gap
    s[level, WILD] = wild
    if not grows:
        if not can_start(s, r, suit, rank, gap, wild):
            return False
        s[level, ROW] = NEW
        s[level, CODE] = start_sequence(s, r, suit, rank, gap, wild)
        return True
    row = sequence_for(s, suit, rank)
    if row < 0 or not can_extend(s, r, row, wild):
        return False
    s[level, ROW] = row
    s[level, TAIL_BEFORE] = s[row, TAIL]
    s[level, CODE] = extend_sequence(s, r, row, wild)
    return True


@helper
def undo_choice(s: Any, r: Any, place: int, level: int) -> None:
    """Undo the move that led to a level; ``place`` is where it was made."""
    row = s[level, ROW]
    if row == BROUGHT:
        s[FACT, PILE_IN] = 0
        bring_all(s, -1)
    elif row == NEW:
        suit, rank = place // RANKS, place % RANKS
        undo_start(s, r, suit, rank, s[level, GAP], s[level, WILD], s[level, CODE])
    else:
        undo_extend(s, r, row, s[level, WILD], s[level, TAIL_BEFORE], s[level, CODE])


@helper
def next_move(s: Any, r: Any, level: int, both: bool) -> bool:
    """Play the next move of a level; False if there is none left.

    Places are gone through suit by suit and upward: at each the sequences that end before it may
    grow, then new ones may begin there. So no way to lay sequences is tried twice.
    """
    if s[level, BRINGS] == 1:
        s[level, BRINGS] = 0
        bring_all(s, 1)
        s[FACT, PILE_IN] = 1
        s[level + 1, ROW] = BROUGHT
        return True
    wilds = s[HAND, 0] + s[HAND, 1]
    place, choice = s[level, PLACE], s[level, CHOICE]
    while place < END:
        suit, rank = place // RANKS, place % RANKS
        if rank >= FIRST_NATURAL:
            if s[FACT, LAID_SEQUENCES] == 0:
                choice = max(choice, BEGIN)
            last = CHOICES if may_start(s, suit, rank, wilds) else BEGIN
            while choice < last:
                if try_choice(s, r, place, choice, both, level + 1):
                    s[level, PLACE] = place
                    s[level, CHOICE] = choice + 1
                    return True
                choice += 1
        place += 1
        choice = 0
    s[level, PLACE] = END
    return False


@helper
def follow_up(s: Any, r: Any, goal: int, depth: int) -> None:
    """Open the level after a move: it goes on at the same place, or from the first one where cards
    of the pile have come in."""
    level = LEVELS + depth
    place, choice = s[level, PLACE], s[level, CHOICE] - 1
    if s[level + 1, ROW] == BROUGHT or s[level + 1, CODE] & REACHED != 0:
        open_level(s, r, goal, depth + 1, 0, 0)
    else:
        open_level(s, r, goal, depth + 1, place, 0 if choice < BEGIN else choice)


@helper
def search_sequences(s: Any, r: Any, goal: int) -> bool:
    """Can the turn end as wanted, with or without sequences that are begun or extended?

    The search goes deep first, with its levels in the scratch: a function that calls itself cannot
    be kept in numba's cache inside of others.
    """
    wilds = s[WILDS, WILD_RANK] + s[HAND, 0] + s[HAND, 1]
    both = r.bonus_counts and r.wild_melds > 0 and wilds >= r.canasta_size
    both = both or (s[FACT, MELDED] == 0 and s[FACT, APART] > 0)
    depth = -1
    while True:
        if ends_so(s, r, goal):
            break
        if depth < 0:
            open_level(s, r, goal, 0, 0, 0)
        else:
            follow_up(s, r, goal, depth)
        depth += 1
        while depth >= 0 and not next_move(s, r, LEVELS + depth, both):
            if depth > 0:
                undo_choice(s, r, s[LEVELS + depth - 1, PLACE], LEVELS + depth)
            depth -= 1
        if depth < 0:
            return False
    for level in range(depth, -1, -1):
        undo_choice(s, r, s[LEVELS + level, PLACE], LEVELS + level + 1)
    return True


@inlined
def can_end_suited(s: Any, r: Any) -> bool:
    """Can some row of actions of the seat end the turn, sequences among them?"""
    mode = s[FACT, MODE]
    last = OUT
    if mode == MUST_NOT:
        last = STAY
    elif mode != MUST and s[FACT, WAIVED] == 0 and s[FACT, APART] >= s[FACT, KEEP]:
        if s[FACT, MELDED] == 0 and s[FACT, BELOW] != 0:
            last = STAY  # with the minimum comes a pile that is enough for a discard
    for goal in range(STAY if mode != MUST else OUT, last + 1):
        if search_sequences(s, r, goal):
            return True
    return False

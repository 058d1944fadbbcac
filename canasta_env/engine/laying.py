"""Laying cards in the scratch and taking them back; the points toward the first meld go along."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.capacity import mixed_range
from canasta_env.engine.scratch import (
    APART,
    BELOW,
    FACT,
    GROUP,
    HAND,
    MELDED,
    MINIMUM,
    NATURALS,
    PILE,
    SIZE,
    STAGED,
    SUITED,
    SUITED_HAND,
    SUITED_PILE,
    WILD_JOKERS,
    WILDS,
)
from canasta_env.engine.state import BLACK_THREES, FIRST_NATURAL, RANKS, SUITS, WILD_RANK
from canasta_env.jit import helper


@helper
def counted_bonus(s: Any, r: Any, rank: int, naturals: int, extra: int) -> int:
    """The canasta bonuses that a rank's melds count toward the first meld with ``naturals`` in all
    and ``extra`` more wild cards (rules.md, table: canasta bonuses count toward it)."""
    full, fewest, most = mixed_range(s, r, rank, naturals, extra)
    least = (full - fewest) * r.natural_canasta + fewest * r.mixed_canasta
    return int(max(least, (full - most) * r.natural_canasta + most * r.mixed_canasta))


@helper
def wild_bonus(s: Any, r: Any, extra: int, jokers: int) -> int:
    """The same of the meld of wild cards, with ``extra`` more of them, ``jokers`` being jokers."""
    if s[WILDS, WILD_RANK] + extra < r.canasta_size:
        return 0
    many = s[FACT, WILD_JOKERS] + jokers >= 4
    return int(r.wild_canasta_jokers) if many else int(r.wild_canasta)


@helper
def bonus_now(s: Any, r: Any, rank: int) -> int:
    """The bonus of a rank's meld as it lies."""
    if rank == WILD_RANK:
        return wild_bonus(s, r, 0, 0)
    if rank == BLACK_THREES:
        return 0
    return counted_bonus(s, r, rank, s[NATURALS, rank], 0)


@helper
def note_extras(s: Any, r: Any, rank: int, sign: int) -> int:
    """What a rank's meld counts beyond its cards, with ``sign``: its bonus, as points; and whether
    it is a group of three naturals, which is written into the scratch."""
    if r.natural_group and rank >= FIRST_NATURAL and s[NATURALS, rank] >= 3:
        s[FACT, GROUP] += sign
    return sign * bonus_now(s, r, rank) if r.bonus_counts else 0


@helper
def shift_cards(s: Any, r: Any, rank: int, naturals: int, deuces: int, jokers: int) -> int:
    """Move cards from the scratch's hand onto a meld, or back (negative counts), where more than
    the cards counts toward the first meld; returns the points by which that changes."""
    points = naturals * r.values[rank] + deuces * r.values[1] + jokers * r.values[0]
    points += note_extras(s, r, rank, -1)
    s[HAND, rank] -= naturals
    s[HAND, 1] -= deuces
    s[HAND, 0] -= jokers
    s[NATURALS, rank] += naturals
    s[WILDS, rank] += deuces + jokers
    s[FACT, SIZE] -= naturals + deuces + jokers
    s[FACT, WILD_JOKERS] += jokers if rank == WILD_RANK else 0
    return int(points + note_extras(s, r, rank, 1))


@helper
def reaches(s: Any) -> bool:
    """Is what is staged enough for the first meld?"""
    return bool(s[FACT, STAGED] >= s[FACT, MINIMUM] and s[FACT, GROUP] > 0)


@helper
def stage(s: Any, points: int) -> bool:
    """Count points toward the first meld; tells whether the minimum was reached by it, so that the
    pile came in. :func:`unstage` needs to know."""
    if s[FACT, MELDED] == 1:
        return False
    s[FACT, STAGED] += points
    if not reaches(s):
        s[FACT, BELOW] += 2
        return False
    bring_all(s, 1)
    s[FACT, MELDED] = 1
    return True


@helper
def unstage(s: Any, points: int, reached: bool) -> None:
    """Undo :func:`stage`; ``points`` are those that were staged."""
    if reached:
        bring_all(s, -1)
        s[FACT, MELDED] = 0
    if s[FACT, MELDED] == 0:
        s[FACT, STAGED] -= points
        if not reached:
            s[FACT, BELOW] -= 2


@helper
def lay(s: Any, r: Any, rank: int, naturals: int, deuces: int, jokers: int) -> bool:
    """Move cards from the scratch's hand onto the meld of ``rank``, where suits do not matter and
    card values are all that counts toward the first meld.

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
def bring_all(s: Any, sign: int) -> None:
    """:func:`bring_in`, also by suit where suits matter."""
    bring_in(s, sign)
    for row in range(SUITS if s[FACT, SUITED] == 1 else 0):
        for rank in range(FIRST_NATURAL, RANKS):
            s[SUITED_HAND + row, rank] += sign * s[SUITED_PILE + row, rank]


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
def lay_any(s: Any, r: Any, rank: int, naturals: int, deuces: int, jokers: int) -> bool:
    """:func:`lay` under all rules."""
    return stage(s, shift_cards(s, r, rank, naturals, deuces, jokers))


@helper
def unlay_any(
    s: Any, r: Any, rank: int, naturals: int, deuces: int, jokers: int, reached: bool
) -> None:
    """Undo :func:`lay_any`."""
    unstage(s, -shift_cards(s, r, rank, -naturals, -deuces, -jokers), reached)

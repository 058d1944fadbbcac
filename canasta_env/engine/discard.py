"""The discard, which ends a turn, and the passage to the next seat."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.layout import following, kinds_of
from canasta_env.engine.scratch import (
    BELOW,
    FACT,
    FOOT,
    HAND,
    KEEP,
    LAST,
    MELDED,
    MODE,
    MUST,
    MUST_NOT,
    SIZE,
    propose,
)
from canasta_env.engine.state import RANKS, Asked, Drew, Phase
from canasta_env.jit import helper

NONE, KEEPING, GOING = 0, 1, 2  # discards: none, some that keep a card, the last card


@helper
def open_discards(r: Any, s: Any, mask: Any) -> int:
    """Which discards from the hand there are; marks the one of a laid-out red three.

    Those that keep a card are all legal or none; that of the last card is judged as going out
    (rules.md, A turn; Going out; Masks).
    """
    mode = s[FACT, MODE]
    may_stay = mode != MUST and (s[FACT, MELDED] == 1 or s[FACT, BELOW] == 0)
    if may_stay and s[FACT, KEEP] == 1:
        mask[int(r.at_discard_red_three)] = True
    if s[FACT, SIZE] >= 2 or s[FACT, FOOT] == 1:
        return KEEPING if may_stay else NONE
    return NONE if mode == MUST_NOT else GOING


@helper
def propose_discards(r: Any, s: Any, mask: Any) -> None:
    """Mark the discards that keep a card, or list that of the last card, where suits do not matter.

    Red threes are never in a hand.
    """
    kind_of = open_discards(r, s, mask)
    if kind_of == NONE:
        return
    first = int(r.at_discard)
    for kind in range(RANKS):
        if s[HAND, kind] == 0:
            continue
        action = first + (kind if kind < 2 else kind - 1)
        if kind_of == KEEPING:
            mask[action] = True
        else:
            propose(s, action, kind, 0, 0, 0, LAST)


@helper
def put_on_pile(g: Any, r: Any, seat: int, kind: int) -> None:
    """Discard a card: it lies on top, freezes the pile if the rules say so, and is remembered."""
    size = int(g.pile_size)
    g.pile[size] = kind
    g.pile_size = size + 1
    if (kind < 2 and r.discarded_wild_freezes) or (kind == 3 and r.black_three_freezes):
        g.frozen = True
    if kind == 2:
        g.frozen = True
    g.pile_counts[kind] += 1
    g.discarded[seat, kind] += 1
    g.last_discard[seat] = kind
    count = int(g.discard_count)
    g.discards[count] = 64 * seat + kind
    g.discard_count = count + 1


@helper
def clear_turn(g: Any) -> None:
    """Forget what the turn has done; the next one starts."""
    g.drew = Drew.NOTHING
    g.top = -1
    g.begun = 0
    g.begun_sequences = 0
    g.staged = 0
    g.added = False
    g.acted = False
    g.asked = Asked.NO_QUESTION
    g.asker = -1
    g.must_go_out = False
    for k in range(RANKS):
        g.begun_closed[k] = 0
    for k in range(kinds_of(g)):
        g.before[k] = 0


@helper
def remember_turn(g: Any, r: Any, seat: int) -> None:
    """Note at the end of a turn whether its seat has melded, and has played from its foot."""
    melded = g.begun != 0 or g.added or g.begun_sequences != 0 or g.drew == Drew.PILE
    for k in range(RANKS if r.melds_close else 0):
        melded = melded or g.begun_closed[k] > 0
    if melded:
        g.seat_melded[seat] = 1
    if r.foot > 0 and not g.has_foot[seat]:
        g.foot_played[seat] = 1


@helper
def next_turn(g: Any) -> None:
    """Pass the turn to the next seat."""
    seat = int(g.turn)
    clear_turn(g)
    g.turn = following(seat, 1, int(g.players))
    g.phase = Phase.DRAW
    g.turns += 1

"""The discard, which ends a turn, and the passage to the next seat."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.lookahead import (
    BELOW,
    FACT,
    FOOT,
    HAND,
    MELDED,
    MODE,
    MUST,
    MUST_NOT,
    OUT_ALLOWED,
    SIZE,
    goes_out_keeping,
)
from canasta_env.engine.state import RANKS, Asked, Drew, Phase
from canasta_env.jit import helper


@helper
def may_discard(s: Any, r: Any) -> bool:
    """May the seat discard now? All cards of its hand alike (rules.md, Going out; Masks)."""
    if s[FACT, SIZE] >= 2 or s[FACT, FOOT] == 1:
        open_or_nothing = s[FACT, MELDED] == 1 or s[FACT, BELOW] == 0
        return bool(open_or_nothing and s[FACT, MODE] != MUST)
    if s[FACT, MODE] == MUST_NOT or s[FACT, OUT_ALLOWED] == 0:
        return False
    for kind in range(RANKS):
        if s[HAND, kind] > 0:
            s[HAND, kind] -= 1
            out = goes_out_keeping(s, r, kind, False)
            s[HAND, kind] += 1
            return out
    return False


@helper
def legal_discards(g: Any, r: Any, s: Any, mask: Any) -> None:
    """Mark the legal discards; red threes are never in a hand."""
    if not may_discard(s, r):
        return
    first = int(r.at_discard)
    if s[HAND, 0] > 0:
        mask[first] = True
    if s[HAND, 1] > 0:
        mask[first + 1] = True
    for kind in range(3, RANKS):
        if s[HAND, kind] > 0:
            mask[first + kind - 1] = True


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
        g.before[k] = 0


@helper
def next_turn(g: Any) -> None:
    """Pass the turn to the next seat."""
    seat = int(g.turn)
    if g.begun != 0 or g.added or g.begun_sequences != 0 or g.drew == Drew.PILE:
        g.seat_melded[seat] = True
    for k in range(RANKS):
        if g.begun_closed[k] > 0:
            g.seat_melded[seat] = True
    clear_turn(g)
    g.turn = (seat + 1) % int(g.players)
    g.phase = Phase.DRAW
    g.turns += 1

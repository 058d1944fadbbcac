"""Dispatch: which actions are legal, and what an action does."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.discard import (
    next_turn,
    propose_discards,
    put_on_pile,
    remember_turn,
)
from canasta_env.engine.draw import (
    apply_draw,
    lift_pile,
    mark_draw,
    propose_takes,
    take_foot,
    take_rest,
    waives_without_minimum,
)
from canasta_env.engine.lookahead import mark_possible
from canasta_env.engine.meld import lay_cards, leave_hand, propose_melds
from canasta_env.engine.scoring import finish, settle_canastas
from canasta_env.engine.scratch import fill_scratch
from canasta_env.engine.state import (
    ADD,
    ADD_DEUCE,
    ADD_JOKER,
    ADD_THREE,
    ASK,
    DISCARD,
    DRAW,
    MELD,
    MELD_DEUCE,
    MELD_FOUR_THREES,
    MELD_JOKER,
    MELD_THREES,
    MELD_WILD,
    PASS,
    TAKE,
    TAKE_DEUCE,
    TAKE_JOKER,
    TAKE_THREES,
    WILD_DEUCE,
    WILD_JOKER,
    WILD_RANK,
    YES,
    Asked,
    End,
    Phase,
)
from canasta_env.jit import helper


@helper
def legal_actions(g: Any, r: Any, s: Any, mask: Any) -> None:
    """Write the mask of the seat to act: ``mask`` (bool, one an action) is cleared first; all False
    if over."""
    for i in range(len(mask)):
        mask[i] = False
    phase = int(g.phase)
    if phase == Phase.ANSWER:
        mask[int(r.at_yes)] = True
        mask[int(r.at_no)] = True
    elif phase == Phase.DRAW or phase == Phase.MELD:
        fill_scratch(g, r, int(g.turn), s)
        if phase == Phase.DRAW:
            propose_takes(g, r, s)
            waives_without_minimum(g, r, s)
        else:
            propose_melds(g, r, s)
            propose_discards(r, s, mask)
        count = mark_possible(s, r, mask)
        if phase == Phase.DRAW:
            mark_draw(g, r, count, mask)


@helper
def after_laying(g: Any, r: Any, seat: int) -> None:
    """A hand that has run out brings the foot, or ends the deal (rules.md, Foot; Going out)."""
    if g.hand_sizes[seat] > 0:
        return
    if g.has_foot[seat]:
        take_foot(g, seat)
    else:
        finish(g, r, End.WENT_OUT, -1)


@helper
def apply_take(g: Any, r: Any, family: int, rank: int, s: Any) -> None:
    """Take the pile: the top card is melded at once with what the action names."""
    seat = int(g.turn)
    whole = False
    if r.concealed_waives == 2:
        fill_scratch(g, r, seat, s)
        propose_takes(g, r, s)
        whole = waives_without_minimum(g, r, s)
    naturals, deuces, jokers = 3, 0, 0
    if family == TAKE:
        rank = int(g.pile[int(g.pile_size) - 1])
        naturals = 1
    elif family == TAKE_DEUCE:
        naturals, deuces = 2, 1
    elif family == TAKE_JOKER:
        naturals, jokers = 2, 1
    lift_pile(g, r, seat)
    g.must_go_out = whole or family == TAKE_THREES
    lay_cards(g, r, seat, rank, naturals, deuces, jokers)
    if whole:  # after the two cards, which were held before: what the pile brings stays known
        take_rest(g, seat)
    after_laying(g, r, seat)


@helper
def apply_meld(g: Any, r: Any, family: int, rank: int) -> None:
    """Lay a new meld or add to one."""
    seat = int(g.turn)
    naturals, deuces, jokers = 0, 0, 0
    if family in (MELD, MELD_THREES):
        naturals = 3
    elif family == MELD_FOUR_THREES:
        naturals = 4
    elif family in (ADD, ADD_THREE):
        naturals = 1
    elif family == MELD_DEUCE:
        naturals, deuces = 2, 1
    elif family == MELD_JOKER:
        naturals, jokers = 2, 1
    elif family == ADD_DEUCE:
        deuces = 1
    elif family == ADD_JOKER:
        jokers = 1
    elif family == MELD_WILD:
        jokers = rank
        deuces = (int(r.canasta_size) if r.wild_melds == 2 else 3) - jokers
        rank = WILD_RANK
    elif family == WILD_DEUCE:
        deuces = 1
    elif family == WILD_JOKER:
        jokers = 1
    lay_cards(g, r, seat, rank, naturals, deuces, jokers)
    g.acted = True
    after_laying(g, r, seat)


@helper
def apply_discard(g: Any, r: Any, kind: int) -> None:
    """Discard a card of the hand: the turn ends, or the deal if it was the last card."""
    seat = int(g.turn)
    leave_hand(g, seat, kind, 1)
    put_on_pile(g, r, seat, kind)
    if g.hand_sizes[seat] == 0 and not g.has_foot[seat]:
        finish(g, r, End.WENT_OUT, kind)
        return
    settle_canastas(g, r, seat)
    remember_turn(g, r, seat)
    if g.hand_sizes[seat] == 0:
        take_foot(g, seat)
    if r.stock_end == 2 and g.stock_size == 0:
        finish(g, r, End.STOCK_ENDED, kind)
    else:
        next_turn(g)


@helper
def apply_action(g: Any, r: Any, action: int, s: Any) -> None:
    """Carry out a legal action; the caller has checked it against the mask.

    ``s`` is a scratch.
    """
    family, rank = int(r.family[action]), int(r.rank[action])
    if family == DISCARD:
        apply_discard(g, r, rank)
    elif family == DRAW:
        if not apply_draw(g, r):
            finish(g, r, End.ONLY_RED_THREES, -1)
    elif family == PASS:
        finish(g, r, End.PASSED, -1)
    elif TAKE <= family <= TAKE_THREES:
        apply_take(g, r, family, rank, s)
    elif family == ASK:
        g.asked = Asked.OPEN
        g.asker = g.turn
        g.turn = (int(g.turn) + int(g.sides)) % int(g.players)
        g.phase = Phase.ANSWER
    elif g.phase == Phase.ANSWER:
        g.asked = Asked.YES if family == YES else Asked.NO
        g.turn = g.asker
        g.phase = Phase.MELD
    else:
        apply_meld(g, r, family, rank)

"""Dispatch: which actions are legal, and what an action does."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.bare import bare
from canasta_env.engine.discard import (
    next_turn,
    propose_discards,
    put_on_pile,
    remember_turn,
)
from canasta_env.engine.draw import (
    accept_offer,
    apply_draw,
    lift_pile,
    mark_draw,
    pay_owed,
    propose_takes,
    refuse_offer,
    take_foot,
    take_rest,
    waives_without_minimum,
)
from canasta_env.engine.layout import by_layout, following, kinds_of, side_of
from canasta_env.engine.lookahead import mark_possible
from canasta_env.engine.meld import lay_cards, leave_hand, plain_meld, propose_melds
from canasta_env.engine.scoring import finish, settle_canastas
from canasta_env.engine.scratch import RED_THREES, fill_scratch
from canasta_env.engine.state import (
    ACCEPT,
    ASK,
    DISCARD,
    DISCARD_RED_THREE,
    DRAW,
    PASS,
    REFUSE,
    TAKE,
    TAKE_DEUCE,
    TAKE_JOKER,
    TAKE_THREES,
    YES,
    Asked,
    Drew,
    End,
    Phase,
)
from canasta_env.engine.suited import mark_suited_turn, suited_meld, suited_take
from canasta_env.jit import helper, inlined


@helper
def mark_plain_turn(g: Any, r: Any, s: Any, mask: Any) -> None:
    """Mark the legal actions of the phases ``draw`` and ``meld``, where suits do not matter."""
    fill_scratch(g, r, int(g.turn), s)
    phase = int(g.phase)
    if phase == Phase.DRAW:
        propose_takes(g, r, s)
        waives_without_minimum(g, r, s)
    else:
        propose_melds(g, r, s)
        propose_discards(r, s, mask)
    count = mark_possible(s, r, mask)
    if phase == Phase.DRAW:
        mark_draw(g, r, count, mask)


mark_turn = by_layout(mark_plain_turn, mark_suited_turn)


@inlined
def legal_actions(g: Any, r: Any, s: Any, mask: Any) -> None:
    """Write the mask of the seat to act: ``mask`` (bool, one an action) is cleared first; all False
    if over."""
    mask = bare(mask, 0)
    for i in range(int(r.actions)):
        mask[i] = False
    phase = int(g.phase)
    if phase == Phase.ANSWER:
        mask[int(r.at_yes)] = True
        mask[int(r.at_no)] = True
    elif phase == Phase.OFFER and r.at_accept >= 0:  # not in a game that has not been dealt
        mask[int(r.at_accept)] = True
        if g.stock_size > 1:  # another card to draw
            mask[int(r.at_refuse)] = True
    elif phase in (Phase.DRAW, Phase.MELD):
        mark_turn(g, r, s, mask)


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
def plain_take(g: Any, r: Any, action: int, s: Any) -> None:
    """Lay the top card of the pile with what the action names, where suits do not matter."""
    seat, family, rank = int(g.turn), int(r.family[action]), int(r.rank[action])
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


lay_taken = by_layout(plain_take, suited_take)
lay_melded = by_layout(plain_meld, suited_meld)


@helper
def apply_take(g: Any, r: Any, action: int, s: Any) -> None:
    """Take the pile: the top card is melded at once with what the action names."""
    seat = int(g.turn)
    lay_taken(g, r, action, s)
    if g.owed[seat] > 0:
        for k in range(kinds_of(g)):
            g.before[k] -= g.hands[seat, k]
        pay_owed(g, seat)
        for k in range(kinds_of(g)):  # what the stock brought was in the hand before the take
            g.before[k] += g.hands[seat, k]
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
    end_turn(g, r, kind)


@helper
def discard_red_three(g: Any, r: Any) -> None:
    """Discard a laid-out red three of the side: it freezes the pile, and its bonus is lost."""
    seat = int(g.turn)
    g.red_threes[side_of(g, seat)] -= 1
    g.shown[RED_THREES] -= 1
    put_on_pile(g, r, seat, RED_THREES)
    end_turn(g, r, RED_THREES)


@helper
def end_turn(g: Any, r: Any, kind: int) -> None:
    """What follows the discard of a seat that has not gone out."""
    seat = int(g.turn)
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
    family = int(r.family[action])
    if family == DISCARD:
        apply_discard(g, r, int(r.rank[action]))
    elif family == DRAW:
        if not apply_draw(g, r, Drew.STOCK):
            finish(g, r, End.ONLY_RED_THREES, -1)
    elif family == PASS:
        finish(g, r, End.PASSED, -1)
    elif family <= REFUSE:
        drawn = accept_offer(g, r) if family == ACCEPT else refuse_offer(g, r)
        if not drawn:
            finish(g, r, End.ONLY_RED_THREES, -1)
    elif family <= TAKE_THREES:
        apply_take(g, r, action, s)
    elif family == DISCARD_RED_THREE:
        discard_red_three(g, r)
    elif family == ASK:
        g.asked = Asked.OPEN
        g.asker = g.turn
        g.turn = following(int(g.turn), int(g.sides), int(g.players))
        g.phase = Phase.ANSWER
    elif g.phase == Phase.ANSWER:
        g.asked = Asked.YES if family == YES else Asked.NO
        g.turn = g.asker
        g.phase = Phase.MELD
    else:
        seat = int(g.turn)
        lay_melded(g, r, action)
        g.acted = True
        after_laying(g, r, seat)

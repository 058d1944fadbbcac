"""Why an action is not legal, in words a player understands.

The mask decides what is legal (:mod:`canasta_env.engine.step`); here the first rule is named that
forbids what is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canasta_env.engine.reason import Reason, Rule
from canasta_env.engine.reasons_end import no_end
from canasta_env.engine.reasons_meld import missing_cards, no_meld
from canasta_env.engine.reasons_take import no_take
from canasta_env.engine.scratch import is_below
from canasta_env.engine.state import (
    ACCEPT,
    ASK,
    DISCARD,
    DISCARD_RED_THREE,
    DRAW,
    MELD,
    NO,
    PASS,
    REFUSE,
    TAKE,
    YES,
    Asked,
    Phase,
)

if TYPE_CHECKING:
    from canasta_env.actions import Action

__all__ = ["Reason", "Rule", "explain"]


def explain(g: Any, r: Any, action: Action, number: int) -> Reason:
    """The reason why ``action``, which the mask forbids, is not legal in the game ``g``."""
    family, rank = int(r.family[number]), int(r.rank[number])
    if g.phase == Phase.OVER:
        return Reason(Rule.OVER, "the deal is over")
    wrong = _wrong_phase(g, family)
    if wrong is not None:
        return wrong
    if g.phase == Phase.OFFER:  # accepting is always possible
        return Reason(Rule.OFFER, "there is no other card to draw: the offered one is accepted")
    if g.phase == Phase.DRAW:
        return _no_draw(g, r, action, family, rank)
    if family == ASK:
        return _no_ask(g, r)
    if family == DISCARD_RED_THREE and g.red_threes[int(g.turn) % int(g.sides)] == 0:
        return Reason(Rule.RED_THREES, "the side has no red three on the table")
    if family in (DISCARD, DISCARD_RED_THREE):
        missing = missing_cards(g, action.cards) if family == DISCARD else None
        return missing or no_end(g, r, "this discard")
    return no_meld(g, r, action, family, rank)


def _wrong_phase(g: Any, family: int) -> Reason | None:
    """The action belongs to another phase of the turn."""
    seat = int(g.turn)
    if family in (YES, NO):
        needed, when = Phase.ANSWER, "answers are given only to a partner's question"
    elif family in (ACCEPT, REFUSE):
        needed, when = Phase.OFFER, "only the first card of the stock is offered, and it was"
    elif family <= PASS or TAKE <= family < MELD:
        needed, when = Phase.DRAW, f"seat {seat} has drawn already"
    else:
        needed, when = Phase.MELD, f"seat {seat} must draw or take the pile first"
    if g.phase == needed:
        return None
    if g.phase == Phase.ANSWER:
        when = f"seat {seat} must answer its partner's question: yes or no"
    elif g.phase == Phase.OFFER:
        when = f"seat {seat} must accept or refuse the offered card first"
    return Reason(Rule.PHASE, when)


def _no_draw(g: Any, r: Any, action: Action, family: int, rank: int) -> Reason:
    if family == DRAW:
        return Reason(Rule.EMPTY_STOCK, "the stock is empty")
    if family == PASS and g.stock_size > 0:
        return Reason(Rule.STOCK_LEFT, "passing is possible only with an empty stock")
    if family == PASS:
        return Reason(
            Rule.FORCED_TAKE,
            "the stock is empty and the top card fits an own meld: the pile must be taken",
        )
    return no_take(g, r, action, family, rank)


def _no_ask(g: Any, r: Any) -> Reason:
    if g.players == g.sides:
        text = "there is no partner to ask"
    elif g.asked != Asked.NO_QUESTION:
        text = "the partner has answered already"
    elif g.acted or g.pending > 0 or is_below(g, int(g.turn) % int(g.sides)):
        text = "asking is possible only as the first action after the draw or the take"
    else:
        text = "asking is possible only if the turn could end both by going out and without"
    return Reason(Rule.ASKING, text)

"""Why the pile cannot be taken (rules.md, Taking the pile)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canasta_env.cards import kind_token
from canasta_env.engine.capacity import may_hold
from canasta_env.engine.draw import frozen_for, room_for
from canasta_env.engine.layout import kinds_of, rank_of
from canasta_env.engine.reason import (
    Reason,
    Rule,
    held_of,
    is_wild,
    name,
    plural,
    side_of,
    too_many_wilds,
)
from canasta_env.engine.reasons_end import no_end
from canasta_env.engine.reasons_meld import (
    few_naturals,
    missing_cards,
    no_extension,
    no_wild_to_start,
)
from canasta_env.engine.state import (
    BLACK_THREES,
    FIRST_NATURAL,
    TAKE,
    TAKE_EXTEND,
    TAKE_INTO,
    TAKE_PAIR,
    TAKE_THREES,
)

if TYPE_CHECKING:
    from canasta_env.actions import Action

__all__ = ["no_take"]


def no_take(g: Any, r: Any, action: Action, family: int, rank: int) -> Reason:
    """Why this take is not legal; ``rank`` is that of the two cards, or a sequence's lowest."""
    size, seat = int(g.pile_size), int(g.turn)
    if size == 0:
        return Reason(Rule.EMPTY_PILE, "the pile is empty")
    top = int(g.pile[size - 1])
    wrong = _wrong_top(g, r, action, family, rank, top)
    if wrong is not None:
        return wrong
    if size == 1 and g.hand_sizes[seat] == 1:
        return Reason(Rule.ONE_CARD, "a seat with one card may not take a pile of one card")
    if family == TAKE_THREES:
        missing = missing_cards(g, action.cards)
        return missing or Reason(
            Rule.BLACK_THREES,
            "black threes are taken only by a seat that goes out in this turn; it could not",
        )
    frozen = _is_frozen(g, r, action, family, top)
    if frozen is not None:
        return frozen
    if family in (TAKE_INTO, TAKE_EXTEND):
        return _no_sequence(g, r, action, family, top) or no_end(g, r, "this take")
    return _no_set(g, r, action, family, top) or no_end(g, r, "this take")


def _wrong_top(g: Any, r: Any, action: Action, family: int, rank: int, top: int) -> Reason | None:
    """The top card cannot be taken, or not with these cards."""
    if top == BLACK_THREES and family == TAKE_THREES:
        return None
    if top < FIRST_NATURAL:
        return Reason(Rule.TOP_CARD, f"a pile with {name(g, top)} on top cannot be taken")
    if family == TAKE_INTO:
        token = kind_token(top, suited=True)
        if token in action.cards:
            return None
        steps, rest = divmod(top - rank, 4)
        if rest == 0 and 0 <= steps < len(action.cards):
            text = f"the top card, {token}, takes its own place in the sequence"
            return Reason(Rule.SEQUENCE, text)
        return Reason(Rule.TOP_CARD, f"the top card is {token}; it has no place in {_row(action)}")
    if family not in (TAKE, TAKE_EXTEND) and rank_of(kinds_of(g), top) != rank:
        return Reason(Rule.TOP_CARD, f"the top card is {name(g, top)}")
    return None


def _row(action: Action) -> str:
    return " ".join(action.cards)


def _is_frozen(g: Any, r: Any, action: Action, family: int, top: int) -> Reason | None:
    """The pile is frozen, so that two natural cards from the hand are needed."""
    wilds = any(map(is_wild, action.cards))
    two_naturals = family in (TAKE_PAIR, TAKE_INTO) and not wilds
    if two_naturals or not frozen_for(g, r, side_of(g)):
        return None
    rank = rank_of(kinds_of(g), top)
    if g.frozen:
        why = "the pile is frozen"
    elif r.always_pair:
        why = "the pile is always taken with a pair"
    else:
        why = "the pile is frozen to a side without a meld"
    if family == TAKE_INTO:
        return Reason(Rule.FROZEN, f"{why}: both cards from the hand must be natural")
    text = f"{why}: two natural {plural(rank)} from the hand are needed, the hand has "
    text += str(held_of(g, rank))
    if r.take_into_sequence:
        text += f", or two natural cards that make a sequence with {name(g, top)}"
    return Reason(Rule.FROZEN, text)


def _no_sequence(g: Any, r: Any, action: Action, family: int, top: int) -> Reason | None:
    """The top card goes into no sequence, or the cards for it are missing."""
    token = kind_token(top, suited=True)
    if family == TAKE_EXTEND:
        return no_extension(g, r, token, "")
    others = list(action.cards)
    others.remove(token)
    return no_wild_to_start(r, action) or missing_cards(g, tuple(others))


def _no_set(g: Any, r: Any, action: Action, family: int, top: int) -> Reason | None:
    """The meld of the top card's rank is missing, or the cards of the hand, or it is full."""
    side, rank = side_of(g), rank_of(kinds_of(g), top)
    lying = int(g.meld_naturals[side, rank])
    if family == TAKE and lying == 0:
        return Reason(Rule.NO_MELD, f"the side has no meld of {plural(rank)}")
    missing = missing_cards(g, action.cards)
    if missing is not None:
        return missing
    laid = 1 + sum(not is_wild(token) for token in action.cards)
    added = 1 if any(map(is_wild, action.cards)) else 0
    wilds = int(g.meld_deuces[side, rank]) + int(g.meld_jokers[side, rank])
    if added and wilds + 1 > r.wild_capacity[lying + 2]:
        return too_many_wilds(r, wilds + 1, lying + 2)
    if not room_for(g, r, side, rank, laid + added):
        size = lying + wilds + laid + added
        text = f"a meld closes at {int(r.canasta_size)} cards; with these it would have {size}"
        return Reason(Rule.FULL, text)
    if not may_hold(r, lying + laid, wilds + added):
        return few_naturals(r, lying + laid)
    return None

"""Why an action that the cards allow is not legal: after it the turn could not end."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.layout import kinds_of, rank_of
from canasta_env.engine.reason import Reason, Rule, held_of, side_of
from canasta_env.engine.scratch import minimum_for, natural_groups
from canasta_env.engine.sequences import sequence_bits
from canasta_env.engine.state import (
    BLACK_THREES,
    FIRST_NATURAL,
    RANKS,
    SUITS,
    WILD_RANK,
    Asked,
    Phase,
)

__all__ = ["no_end"]

_GROUP = 3


def no_end(g: Any, r: Any, what: str) -> Reason:
    """After the action the turn could not end: which rule stands in the way."""
    side = side_of(g)
    bound = _bound(g, side, what)
    if bound is not None:
        return bound
    if not g.melded[side]:
        return _no_first_meld(g, r, side, what)
    if _canastas(g, r, side) < r.canastas_out:
        text = (
            f"the side needs {int(r.canastas_out)} canasta(s) to go out; after {what} the seat "
            "could not discard and keep a card"
        )
        return Reason(Rule.CANASTAS, text)
    text = f"after {what} the seat could neither go out nor discard and keep a card"
    return Reason(Rule.KEEP_CARDS, text)


def _bound(g: Any, side: int, what: str) -> Reason | None:
    """What the seat has done, or its partner said, binds it to go out or not to."""
    if g.asked == Asked.YES:
        text = f"the partner said yes, so the seat must go out; after {what} it could not"
        return Reason(Rule.MUST_GO_OUT, text)
    if g.must_go_out:
        text = f"the pile was taken for going out, so the seat must; after {what} it could not"
        return Reason(Rule.MUST_GO_OUT, text)
    if g.meld_naturals[side, BLACK_THREES] > 0:
        text = f"black threes were melded, so the seat must go out; after {what} it could not"
        return Reason(Rule.MUST_GO_OUT, text)
    if g.asked == Asked.NO:
        text = f"the partner said no: the seat may not go out and must keep a card after {what}"
        return Reason(Rule.MUST_NOT_GO_OUT, text)
    return None


def _no_first_meld(g: Any, r: Any, side: int, what: str) -> Reason:
    """The first meld could not succeed: its points, or its group of three naturals."""
    minimum, staged = minimum_for(g, r, side), int(g.staged)
    if r.natural_group and natural_groups(g, r, side) == 0:
        if staged >= minimum or not _group_in_hand(g, r, side):
            text = (
                "the first meld needs a group of three natural cards of one rank"
                f"{', or in a row' if r.sequences else ''}; with {what} the turn could not lay "
                "one and still end"
            )
            return Reason(Rule.NATURAL_GROUP, text)
    text = (
        f"the first meld needs {minimum} points ({staged} are laid); with {what} "
        "the turn could not reach them and still end"
    )
    return Reason(Rule.MINIMUM, text)


def _group_in_hand(g: Any, r: Any, side: int) -> bool:
    """Could the hand, with what it has begun and the top of the pile, make a group of three?"""
    kinds, top = kinds_of(g), -1
    if g.phase == Phase.DRAW and g.pile_size > 0:
        top = int(g.pile[int(g.pile_size) - 1])
    for rank in range(FIRST_NATURAL, RANKS):
        more = 1 if top >= FIRST_NATURAL and rank_of(kinds, top) == rank else 0
        if held_of(g, rank) + int(g.meld_naturals[side, rank]) + more >= _GROUP:
            return True
    return kinds != RANKS and (g.begun_sequences != 0 or _row_in_hand(g, r, top))


def _row_in_hand(g: Any, r: Any, top: int) -> bool:
    """Are there three natural cards of a suit in a row?"""
    hand = g.hands[int(g.turn)]
    for suit in range(SUITS):
        bits = 0
        for rank in range(FIRST_NATURAL, RANKS):
            kind = FIRST_NATURAL + SUITS * (rank - FIRST_NATURAL) + suit
            bits |= 1 << rank if hand[kind] > 0 or kind == top else 0
        if sequence_bits(r, bits, 0):
            return True
    return False


def _canastas(g: Any, r: Any, side: int) -> int:
    """The canastas of a side."""
    ranks = (WILD_RANK, *range(FIRST_NATURAL, RANKS))
    sizes = (
        int(g.meld_naturals[side, k]) + int(g.meld_deuces[side, k]) + int(g.meld_jokers[side, k])
        for k in ranks
    )
    size = int(r.canasta_size)
    return sum(cards >= size for cards in sizes) + int(g.closed_melds[side].sum())

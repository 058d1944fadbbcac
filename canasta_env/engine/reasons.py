"""Why an action is not legal, in words a player understands.

The mask decides what is legal (:mod:`canasta_env.engine.step`); here the first rule is named that
forbids what is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from canasta_env.cards import RANK_TOKENS, parse_kind
from canasta_env.engine.draw import frozen_for
from canasta_env.engine.scratch import minimum_for
from canasta_env.engine.state import (
    ASK,
    BLACK_THREES,
    DISCARD,
    DRAW,
    FIRST_NATURAL,
    MELD,
    MELD_FOUR_THREES,
    MELD_THREES,
    MELD_WILD,
    NO,
    PASS,
    TAKE,
    WILD_DEUCE,
    WILD_JOKER,
    WILD_RANK,
    YES,
    Asked,
    Drew,
    Phase,
)

if TYPE_CHECKING:
    from canasta_env.actions import Action

__all__ = ["Reason", "Rule", "explain"]


class Rule(StrEnum):
    """The rule that forbids an action; the section or row of rules.md is in its comment."""

    OVER = "over"  # A turn
    PHASE = "phase"  # A turn
    EMPTY_STOCK = "empty_stock"  # End of the stock
    STOCK_LEFT = "stock_left"  # End of the stock
    FORCED_TAKE = "forced_take"  # End of the stock
    EMPTY_PILE = "empty_pile"  # Taking the pile
    TOP_CARD = "top_card"  # Taking the pile
    ONE_CARD = "one_card"  # Taking the pile
    FROZEN = "frozen"  # Taking the pile; a wild or red three in the pile
    CARDS = "cards"  # A turn: cards of the own hand
    NO_MELD = "no_meld"  # A turn: additions to the side's own melds
    MELD_EXISTS = "meld_exists"  # melds of one rank for a side
    WILDS = "wilds"  # most wilds; wilds against naturals
    MINIMUM = "minimum"  # First meld
    KEEP_CARDS = "keep_cards"  # Going out: a seat that may not go out keeps a card
    CANASTAS = "canastas"  # canastas to go out
    MUST_GO_OUT = "must_go_out"  # Asking: yes; black threes
    MUST_NOT_GO_OUT = "must_not_go_out"  # Asking: no
    BLACK_THREES = "black_threes"  # black threes melded
    ASKING = "asking"  # Asking


@dataclass(frozen=True)
class Reason:
    """Why an action is not legal: the rule as a value, and a sentence."""

    rule: Rule
    text: str

    def __str__(self) -> str:
        return self.text


def explain(g: Any, r: Any, action: Action, number: int) -> Reason:
    """The reason why ``action``, which the mask forbids, is not legal in the game ``g``."""
    family, rank = int(r.family[number]), int(r.rank[number])
    if g.phase == Phase.OVER:
        return Reason(Rule.OVER, "the deal is over")
    wrong = _wrong_phase(g, family)
    if wrong is not None:
        return wrong
    if g.phase == Phase.DRAW:
        return _no_draw(g, r, action, family, rank)
    if family == ASK:
        return _no_ask(g, r)
    missing = _missing_cards(g, action)
    if missing is not None:
        return missing
    if family == DISCARD:
        return _no_end(g, r, "this discard")
    return _no_meld(g, r, action, family, rank) or _no_end(g, r, "this meld")


def _wrong_phase(g: Any, family: int) -> Reason | None:
    """The action belongs to another phase of the turn."""
    seat = int(g.turn)
    if family in (YES, NO):
        needed, when = Phase.ANSWER, "answers are given only to a partner's question"
    elif family <= PASS or TAKE <= family < MELD:
        needed, when = Phase.DRAW, f"seat {seat} has drawn already"
    else:
        needed, when = Phase.MELD, f"seat {seat} must draw or take the pile first"
    if g.phase == needed:
        return None
    if g.phase == Phase.ANSWER:
        when = f"seat {seat} must answer its partner's question: yes or no"
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
    return _no_take(g, r, action, family, rank)


def _no_take(g: Any, r: Any, action: Action, family: int, rank: int) -> Reason:
    size, seat = int(g.pile_size), int(g.turn)
    side = seat % int(g.sides)
    if size == 0:
        return Reason(Rule.EMPTY_PILE, "the pile is empty")
    top = int(g.pile[size - 1])
    if top < FIRST_NATURAL:
        return Reason(Rule.TOP_CARD, f"a pile with {_name(top)} on top cannot be taken")
    if family != TAKE and top != rank:
        return Reason(Rule.TOP_CARD, f"the top card is {_name(top)}")
    if size == 1 and g.hand_sizes[seat] == 1:
        return Reason(Rule.ONE_CARD, "a seat with one card may not take a pile of one card")
    natural_pair = len(action.cards) == 2 and action.cards[0] == action.cards[1]
    if not natural_pair and frozen_for(g, r, side):
        held = int(g.hands[seat, top])
        why = "the pile is frozen" if g.frozen else "the pile is frozen to a side without a meld"
        return Reason(
            Rule.FROZEN,
            f"{why}: two natural {_plural(top)} from the hand are needed, the hand has {held}",
        )
    if family == TAKE and g.meld_naturals[side, top] == 0:
        return Reason(Rule.NO_MELD, f"the side has no meld of {_plural(top)}")
    missing = _missing_cards(g, action)
    if missing is not None:
        return missing
    wilds = int(g.meld_deuces[side, top]) + int(g.meld_jokers[side, top])
    naturals = int(g.meld_naturals[side, top]) + 2
    if family != TAKE and not natural_pair and wilds + 1 > r.wild_capacity[naturals]:
        return _too_many_wilds(r, wilds + 1, naturals)
    return _no_end(g, r, "this take")


def _no_ask(g: Any, r: Any) -> Reason:
    if g.players == g.sides:
        text = "there is no partner to ask"
    elif g.asked != Asked.NO_QUESTION:
        text = "the partner has answered already"
    elif g.acted or g.pending > 0 or _below_minimum(g):
        text = "asking is possible only as the first action after the draw or the take"
    else:
        text = "asking is possible only if the turn could end both by going out and without"
    return Reason(Rule.ASKING, text)


def _missing_cards(g: Any, action: Action) -> Reason | None:
    """The hand does not hold what the action names."""
    seat = int(g.turn)
    for token in dict.fromkeys(action.cards):
        kind = parse_kind(token)
        needed, held = action.cards.count(token), int(g.hands[seat, kind])
        if held < needed:
            return Reason(Rule.CARDS, f"{needed} × {token} needed, the hand has {held}")
    return None


def _no_meld(g: Any, r: Any, action: Action, family: int, rank: int) -> Reason | None:
    side = int(g.turn) % int(g.sides)
    naturals = int(g.meld_naturals[side, rank])
    if family in (MELD_THREES, MELD_FOUR_THREES):
        rank = BLACK_THREES
        if g.meld_naturals[side, rank] > 0:
            return Reason(Rule.MELD_EXISTS, "the black threes lie already; add 3b adds to them")
        return None
    if family in (MELD_WILD, WILD_DEUCE, WILD_JOKER):
        return _no_wild_meld(g, r, family)
    if str(action).startswith("meld"):
        if naturals > 0:
            return Reason(Rule.MELD_EXISTS, f"the side has a meld of {_plural(rank)}: add to it")
        return None
    if naturals == 0:
        return Reason(Rule.NO_MELD, f"the side has no meld of {_plural(rank)}")
    wilds = int(g.meld_deuces[side, rank]) + int(g.meld_jokers[side, rank])
    if action.cards[0] in ("2", "JK") and wilds + 1 > r.wild_capacity[naturals]:
        return _too_many_wilds(r, wilds + 1, naturals)
    return None


def _no_wild_meld(g: Any, r: Any, family: int) -> Reason | None:
    side = int(g.turn) % int(g.sides)
    lying = int(g.meld_deuces[side, WILD_RANK]) + int(g.meld_jokers[side, WILD_RANK])
    if family == MELD_WILD and lying > 0:
        return Reason(Rule.MELD_EXISTS, "the side has a meld of wild cards already")
    if family != MELD_WILD and lying == 0:
        return Reason(Rule.NO_MELD, "the side has no meld of wild cards")
    if family != MELD_WILD and lying >= r.canasta_size:
        return Reason(Rule.WILDS, f"a meld of wild cards has {int(r.canasta_size)} cards at most")
    return None


def _too_many_wilds(r: Any, wilds: int, naturals: int) -> Reason:
    most = int(r.wild_capacity[naturals])
    text = f"{wilds} wild cards beside {naturals} naturals; at most {most} are allowed"
    return Reason(Rule.WILDS, text)


def _below_minimum(g: Any) -> bool:
    side = int(g.turn) % int(g.sides)
    return not g.melded[side] and (g.begun != 0 or g.drew == Drew.PILE)


def _no_end(g: Any, r: Any, what: str) -> Reason:
    """After the action the turn could not end: which rule stands in the way."""
    seat = int(g.turn)
    side = seat % int(g.sides)
    if g.must_go_out or g.asked == Asked.YES:
        text = f"the partner said yes, so the seat must go out; after {what} it could not"
        return Reason(Rule.MUST_GO_OUT, text)
    if g.meld_naturals[side, BLACK_THREES] > 0:
        text = f"black threes were melded, so the seat must go out; after {what} it could not"
        return Reason(Rule.MUST_GO_OUT, text)
    if g.asked == Asked.NO:
        text = f"the partner said no: the seat may not go out and must keep a card after {what}"
        return Reason(Rule.MUST_NOT_GO_OUT, text)
    if not g.melded[side]:
        minimum = minimum_for(g, r, side)
        text = (
            f"the first meld needs {minimum} points ({int(g.staged)} are laid); with {what} "
            "the turn could not reach them and still end"
        )
        return Reason(Rule.MINIMUM, text)
    if _canastas(g, r, side) < r.canastas_out:
        text = (
            f"the side needs {int(r.canastas_out)} canasta(s) to go out; after {what} the seat "
            "could not discard and keep a card"
        )
        return Reason(Rule.CANASTAS, text)
    text = f"after {what} the seat could neither go out nor discard and keep a card"
    return Reason(Rule.KEEP_CARDS, text)


def _canastas(g: Any, r: Any, side: int) -> int:
    sizes = (
        int(g.meld_naturals[side, k]) + int(g.meld_deuces[side, k]) + int(g.meld_jokers[side, k])
        for k in range(FIRST_NATURAL, len(RANK_TOKENS))
    )
    return sum(size >= r.canasta_size for size in sizes)


def _name(kind: int) -> str:
    names = ("a joker", "a deuce", "a red three", "a black three")
    return names[kind] if kind < FIRST_NATURAL else _words(kind)[0]


def _plural(rank: int) -> str:
    return _words(rank)[1]


def _words(rank: int) -> tuple[str, str]:
    """A rank in words: singular with its article, plural."""
    named = {11: ("a jack", "jacks"), 12: ("a queen", "queens"), 13: ("a king", "kings")}
    named[14] = ("an ace", "aces")
    token = RANK_TOKENS[rank]
    article = "an" if rank == 8 else "a"
    return named.get(rank, (f"{article} {token}", f"{token}s"))

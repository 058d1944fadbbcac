"""Why cards cannot be laid: new melds, additions, sequences (rules.md, A turn and Sequences)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from canasta_env.cards import SUITS as SUIT_TOKENS
from canasta_env.cards import kind_token, parse_kind, suited_kind
from canasta_env.engine.capacity import may_hold
from canasta_env.engine.layout import kinds_of
from canasta_env.engine.reason import Reason, Rule, is_wild, plural, side_of, too_many_wilds
from canasta_env.engine.reasons_end import no_end
from canasta_env.engine.sequences import wilds_start
from canasta_env.engine.state import (
    ADD_THREE,
    BLACK_THREES,
    EXTEND,
    EXTEND_JOKER,
    MELD_FOUR_THREES,
    MELD_SEQUENCE,
    MELD_THREES,
    MELD_WILD,
    RANKS,
    WILD_DEUCE,
    WILD_JOKER,
    WILD_RANK,
)

if TYPE_CHECKING:
    from canasta_env.actions import Action

__all__ = ["few_naturals", "missing_cards", "no_extension", "no_meld", "no_wild_to_start"]

_SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
_NEW_NATURALS = 2


def no_meld(g: Any, r: Any, action: Action, family: int, rank: int) -> Reason:
    """Why this meld or addition is not legal in the phase ``meld``."""
    natural = (action.onto,) if family == EXTEND else action.cards
    missing = missing_cards(g, natural)
    if missing is not None:
        return missing
    return _no_place(g, r, action, family, rank) or no_end(g, r, "this meld")


def missing_cards(g: Any, cards: tuple[str, ...]) -> Reason | None:
    """The hand does not hold what the action names."""
    hand = g.hands[int(g.turn)]
    for token in dict.fromkeys(cards):
        kind = parse_kind(token, suited=kinds_of(g) != RANKS)
        needed, held = cards.count(token), int(hand[kind])
        if held < needed:
            return Reason(Rule.CARDS, f"{needed} × {token} needed, the hand has {held}")
    return None


def _no_place(g: Any, r: Any, action: Action, family: int, rank: int) -> Reason | None:
    """The cards are there, but they cannot lie as the action says."""
    if family in (MELD_THREES, MELD_FOUR_THREES, ADD_THREE):
        return _no_black_threes(g, family)
    if family in (MELD_WILD, WILD_DEUCE, WILD_JOKER):
        return _no_wild_meld(g, r, family)
    if family == MELD_SEQUENCE:
        return no_wild_to_start(r, action)
    if EXTEND <= family <= EXTEND_JOKER:
        return no_extension(g, r, action.onto, "".join(action.cards))
    return _no_set(g, r, action, rank)


def _no_black_threes(g: Any, family: int) -> Reason | None:
    """Black threes lie already, or do not yet."""
    lying = int(g.meld_naturals[side_of(g), BLACK_THREES])
    if family == ADD_THREE and lying == 0:
        return Reason(Rule.NO_MELD, "the side has no meld of black threes")
    if family == ADD_THREE and lying > 3:
        return Reason(Rule.MELD_EXISTS, "four black threes lie already; that is all they can be")
    if family != ADD_THREE and lying > 0:
        return Reason(Rule.MELD_EXISTS, "the black threes lie already; add 3b adds to them")
    return None


def _no_wild_meld(g: Any, r: Any, family: int) -> Reason | None:
    side = side_of(g)
    lying = int(g.meld_deuces[side, WILD_RANK]) + int(g.meld_jokers[side, WILD_RANK])
    if family == MELD_WILD and lying > 0:
        return Reason(Rule.MELD_EXISTS, "the side has a meld of wild cards already")
    if family != MELD_WILD and lying == 0:
        return Reason(Rule.NO_MELD, "the side has no meld of wild cards")
    if family != MELD_WILD and lying >= r.canasta_size:
        return Reason(Rule.WILDS, f"a meld of wild cards has {int(r.canasta_size)} cards at most")
    return None


def _no_set(g: Any, r: Any, action: Action, rank: int) -> Reason | None:
    """Cards of one rank: a meld is there already, or missing, or has too few naturals."""
    side = side_of(g)
    naturals = int(g.meld_naturals[side, rank])
    wilds = int(g.meld_deuces[side, rank]) + int(g.meld_jokers[side, rank])
    if str(action).startswith("meld"):
        if naturals > 0:
            return Reason(Rule.MELD_EXISTS, f"the side has a meld of {plural(rank)}: add to it")
        if is_wild(action.cards[-1]) and r.wild_capacity[_NEW_NATURALS] < 1:
            return too_many_wilds(r, 1, _NEW_NATURALS)
        return None
    if naturals == 0:
        return Reason(Rule.NO_MELD, f"the side has no meld of {plural(rank)}")
    if is_wild(action.cards[0]):
        too_many = wilds + 1 > r.wild_capacity[naturals]
        return too_many_wilds(r, wilds + 1, naturals) if too_many else None
    return None if may_hold(r, naturals + 1, wilds) else few_naturals(r, naturals + 1)


def few_naturals(r: Any, naturals: int) -> Reason:
    """A meld would become a canasta with too few natural cards."""
    text = f"a canasta needs {int(r.canasta_fewest_naturals)} natural cards; it would have "
    return Reason(Rule.WILDS, f"{text}{naturals}")


def no_wild_to_start(r: Any, action: Action) -> Reason | None:
    """A new sequence has a wild card, where the rules want three naturals."""
    if not any(map(is_wild, action.cards)) or wilds_start(r):
        return None
    return Reason(Rule.WILDS, "the first three cards of a sequence must be natural")


def no_extension(g: Any, r: Any, place: str, wild: str) -> Reason | None:
    """No sequence of the side goes on with this place, or it has its wild cards already.

    ``wild`` is the wild card for the place, empty for the natural card itself.
    """
    side, suit = side_of(g), SUIT_TOKENS.index(place[-1])
    rows = [i for i in range(int(g.sequence_count[side])) if g.sequence_suit[side, i] == suit]
    if not rows:
        return Reason(Rule.NO_MELD, f"the side has no sequence of {_SUIT_NAMES[suit]}")
    ends = [int(g.sequence_low[side, i]) + int(g.sequence_length[side, i]) for i in rows]
    fitting = [i for i, end in zip(rows, ends, strict=True) if _token(end, suit) == place]
    if not fitting:
        open_ends = sorted({end for end in ends if end < RANKS})
        if not open_ends:
            text = f"the sequence of {_SUIT_NAMES[suit]} ends with the ace, so nothing can follow"
        else:
            named = " or ".join(_token(end, suit) for end in open_ends)
            text = f"the next card of the sequence of {_SUIT_NAMES[suit]} is {named}, not {place}"
        return Reason(Rule.SEQUENCE, text)
    wilds = min(_wilds(g, side, i) for i in fitting)
    if wild and wilds >= r.most_wilds:
        text = f"the sequence has {wilds} wild cards; at most {int(r.most_wilds)} are allowed"
        return Reason(Rule.WILDS, text)
    return None


def _token(rank: int, suit: int) -> str:
    """The token of a place in a sequence; empty past the ace."""
    return kind_token(suited_kind(rank, suit), suited=True) if rank < RANKS else ""


def _wilds(g: Any, side: int, i: int) -> int:
    """The wild cards of a sequence."""
    filled = int(g.sequence_deuces[side, i]) | int(g.sequence_jokers[side, i])
    return filled.bit_count()

"""The table as text, as one seat sees it: stock and pile, each side's melds, what all know of each
seat, whose turn it is, and the hand of the seat that looks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from canasta_env.cards import (
    KIND_COUNT,
    RANK_TOKENS,
    SUITED_KIND_COUNT,
    SUITS,
    kind_token,
    suited_kind,
    write_cards,
)
from canasta_env.engine.state import BLACK_THREES, RANKS, WILD_RANK, Asked, End, Phase

__all__ = ["draw"]

_CANASTA: Final = 7
_ORDERS: Final = {
    count: (3, *range(4, count), 1, 0, 2) for count in (KIND_COUNT, SUITED_KIND_COUNT)
}
"""The order of the kinds in a hand: the wild cards last."""
_ENDS: Final = {
    End.WENT_OUT: "went out",
    End.CONCEALED: "went out concealed",
    End.PASSED: "the deal ended with a pass",
    End.ONLY_RED_THREES: "the last draw brought only red threes",
    End.STOCK_ENDED: "the stock has run out",
}


def draw(view: Any, rules: str = "") -> str:
    """The picture of a view, one record of ``state.VIEW_DTYPE`` or ``state.SUITED_VIEW_DTYPE``; it
    ends without a line break."""
    return "\n".join(
        [
            _heading(view, rules),
            _supply(view),
            "",
            *(line for side in range(int(view.sides)) for line in _side(view, side)),
            "",
            *(_seat(view, seat) for seat in range(int(view.players))),
            *_turn(view),
            "",
            f"hand of player_{int(view.seat)}: {_cards(view.hand) or 'no cards'}",
        ]
    )


def _cards(counts: Any) -> str:
    """Counts by kind as tokens."""
    suited = len(counts) > KIND_COUNT
    kinds = (kind for kind in _ORDERS[len(counts)] for _ in range(int(counts[kind])))
    return write_cards(kinds, suited=suited)


def _suited(view: Any) -> bool:
    """Do the cards of a view have suits?"""
    return len(view.hand) > KIND_COUNT


def _token(view: Any, kind: Any) -> str:
    return kind_token(int(kind), suited=_suited(view))


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _joined(parts: Iterable[str]) -> str:
    return " · ".join(part for part in parts if part)


def _heading(view: Any, rules: str) -> str:
    scores = " : ".join(str(int(score)) for score in view.scores[: int(view.sides)])
    return _joined(
        [rules, f"deal {int(view.deal)}", f"turn {int(view.turns) + 1}", f"scores {scores}"]
    )


def _supply(view: Any) -> str:
    """Stock and pile."""
    if view.pile_size == 0:
        pile = "no pile"
    else:
        known = _cards(view.pile) if int(np.sum(view.pile)) == int(view.pile_size) else ""
        pile = f"pile {int(view.pile_size)}, top {_token(view, view.pile_top)}"
        pile += f", cards {known}" if known and view.pile_size > 1 else ""
    parts = [f"stock {int(view.stock_size)}", pile, "frozen" if view.frozen else ""]
    if view.offered >= 0:
        parts.append(f"offered {_token(view, view.offered)}")
    if np.any(view.pending):
        parts.append(f"apart until the first meld: {_cards(view.pending)}")
    return _joined(parts)


def _side(view: Any, side: int) -> list[str]:
    """A side's heading and its melds."""
    sides, players = int(view.sides), int(view.players)
    names = ", ".join(f"player_{seat}" for seat in range(side, players, sides))
    red = int(view.red_threes[side])
    parts = [
        f"side {side} ({names})" if players > sides else names,
        "" if view.melded[side] else f"first meld needs {int(view.minimum[side])}",
        _count(red, "red three", "red threes") if red else "",
    ]
    if view.phase == Phase.OVER:
        parts.append(f"{int(view.deal_scores[side]):+d} in this deal")
    melds = [meld for rank in range(RANKS) for meld in _melds(view, side, rank)]
    melds += [_sequence(view, side, i) for i in range(int(view.sequence_count[side]))]
    return [_joined(parts), *(["  " + _joined(melds)] if melds else [])]


def _melds(view: Any, side: int, rank: int) -> list[str]:
    """A side's open meld of a rank, and the closed ones."""
    found = []
    for i in range(int(view.closed_melds[side, rank])):
        deuces, jokers = (int(view.closed_wilds[side, rank, i]) >> shift & 15 for shift in (0, 4))
        found.append(_meld(rank, _CANASTA - deuces - jokers, deuces, jokers) + ", closed")
    naturals = int(view.meld_naturals[side, rank])
    deuces, jokers = int(view.meld_deuces[side, rank]), int(view.meld_jokers[side, rank])
    if naturals + deuces + jokers:
        suits = _suits(view, side, rank) if naturals else ()
        found.append(_meld(rank, naturals, deuces, jokers, suits))
    return found


def _suits(view: Any, side: int, rank: int) -> tuple[str, ...]:
    """The naturals of the side's meld of a rank with their suits; none where these do not matter,
    or where closed melds of the rank have some of them."""
    if not _suited(view) or rank == BLACK_THREES or view.closed_melds[side, rank]:
        return ()
    kinds = [suited_kind(rank, suit) for suit in range(len(SUITS))]
    cards = view.meld_cards[side]
    return tuple(_token(view, kind) for kind in kinds for _ in range(int(cards[kind])))


def _sequence(view: Any, side: int, i: int) -> str:
    """A sequence as a row of cards, a wild card at the place that it fills."""
    low, suit = int(view.sequence_low[side, i]), int(view.sequence_suit[side, i])
    deuces, jokers = int(view.sequence_deuces[side, i]), int(view.sequence_jokers[side, i])
    cards = []
    for place in range(int(view.sequence_length[side, i])):
        if (deuces | jokers) >> place & 1:
            cards.append("2" if deuces >> place & 1 else "JK")
        else:
            cards.append(kind_token(suited_kind(low + place, suit), suited=True))
    return " ".join(cards)


def _meld(rank: int, naturals: int, deuces: int, jokers: int, suits: tuple[str, ...] = ()) -> str:
    cards = [*suits] if suits else [RANK_TOKENS[rank]] * naturals
    cards += ["2"] * deuces + ["JK"] * jokers
    if len(cards) < _CANASTA or rank == BLACK_THREES:
        return " ".join(cards)
    kind = "wild" if rank == WILD_RANK else "mixed" if deuces + jokers else "natural"
    return f"{' '.join(cards)} ({kind} canasta)"


def _seat(view: Any, seat: int) -> str:
    """What all know of a seat."""
    known = _cards(view.known[seat]) if seat != view.seat else ""
    last = int(view.last_discard[seat])
    foot = int(view.foot_sizes[seat])
    parts = [
        f"player_{seat}  {_count(int(view.hand_sizes[seat]), 'card', 'cards'):>8}",
        f"foot of {foot}" if foot else "",
        f"last discard {_token(view, last)}" if last >= 0 else "",
        f"known to hold {known}" if known else "",
        _count(int(view.owed[seat]), "card", "cards") + " owed" if view.owed[seat] else "",
        _cut(view) if seat == view.cut_seat else "",
        "dealer" if seat == view.dealer else "",
    ]
    acts = seat == view.turn and view.phase != Phase.OVER
    return f"{'>' if acts else ' '} {_joined(parts)}"


def _cut(view: Any) -> str:
    """What the cut brought its seat; what stayed last only for itself."""
    taken, wilds = int(view.cut_taken), int(view.cut_wilds)
    text = f"took {_count(taken, 'card', 'cards')} at the cut" if taken else "cut"
    text += f", {_count(wilds, 'wild card', 'wild cards')} of them held" if wilds else ""
    stayed = " ".join(_token(view, kind) for kind in view.cut_bottom if kind >= 0)
    return f"{text}, saw {stayed} stay last" if stayed else text


def _turn(view: Any) -> list[str]:
    """What the seat to act decides, or how the deal ended."""
    if view.phase == Phase.OVER:
        who = f"player_{int(view.out_seat)} " if view.out_seat >= 0 else ""
        return ["", f"the deal is over: {who}{_ENDS.get(End(int(view.end)), '')}"]
    does = {
        Phase.OFFER: "accepts or refuses the offered card",
        Phase.DRAW: "draws or takes the pile",
        Phase.MELD: "melds or discards",
        Phase.ANSWER: f"answers player_{int(view.asker)}: may I go out?",
    }[Phase(int(view.phase))]
    parts = [f"player_{int(view.turn)} {does}"]
    if view.staged and not view.melded[int(view.turn) % int(view.sides)]:
        parts.append(f"{int(view.staged)} points of its first meld are laid")
    if view.asked in (Asked.YES, Asked.NO):
        word = "must" if view.asked == Asked.YES else "may not"
        parts.append(f"its partner's answer: it {word} go out")
    return ["", _joined(parts)]

"""What pictures of the table say in words, as text and drawn alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from canasta_env.cards import (
    KIND_COUNT,
    SUITED_KIND_COUNT,
    SUITS,
    kind_token,
    suited_kind,
    write_cards,
)
from canasta_env.engine.state import BLACK_THREES, RANKS, WILD_RANK, Asked, End, Phase
from canasta_env.rules import Rules

__all__ = [
    "Meld", "canasta_size", "cards", "count", "is_suited", "joined", "kinds_in_order", "melds_of",
    "players_of", "seat_remarks", "side_remarks", "side_title", "supply_remarks", "token",
    "turn_words",
]  # fmt: skip

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


def is_suited(view: Any) -> bool:
    """Do the cards of a view have suits?"""
    return len(view.hand) > KIND_COUNT


def token(view: Any, kind: Any) -> str:
    """The token of a kind of a view's cards."""
    return kind_token(int(kind), suited=is_suited(view))


def kinds_in_order(counts: Any) -> list[int]:
    """Counts by kind as a row of kinds, the wild ones last."""
    return [kind for kind in _ORDERS[len(counts)] for _ in range(int(counts[kind]))]


def cards(counts: Any) -> str:
    """Counts by kind as tokens."""
    return write_cards(kinds_in_order(counts), suited=len(counts) > KIND_COUNT)


def count(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many}"


def joined(parts: Iterable[str]) -> str:
    """What there is of some parts, in one line."""
    return " · ".join(part for part in parts if part)


def canasta_size(rules: str | Rules) -> int:
    """How many cards make a canasta; seven where the rules are not told."""
    if not rules:
        rules = "classic"
    return (Rules.parse(rules) if isinstance(rules, str) else rules).canasta_size


# -- melds -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Meld:
    """A meld as it lies on the table.

    Attributes:
        rank: 0..14; 1 is the meld of wild cards, -1 a sequence.
        number: that of a sequence or of a closed meld among those of its rank, else -1.
        kinds: the cards, wild ones last; in a sequence at the place that they fill.
        canasta: ``natural``, ``mixed`` or ``wild`` if it is one, else empty.
    """

    rank: int
    number: int
    kinds: tuple[int, ...]
    canasta: str

    @property
    def closed(self) -> bool:
        """Is it a closed canasta?"""
        return self.rank >= 0 and self.number >= 0

    def words(self) -> str:
        """What there is to say of a canasta; empty for other melds."""
        text = f"{self.canasta} canasta" if self.canasta else ""
        return f"{text}, closed" if self.closed else text


def melds_of(view: Any, side: int, size: int) -> list[Meld]:
    """All melds of a side by rank, then its sequences; ``size`` cards make a canasta."""
    found = [meld for rank in range(RANKS) for meld in _of_rank(view, side, rank, size)]
    return found + [_sequence(view, side, i, size) for i in range(int(view.sequence_count[side]))]


def _of_rank(view: Any, side: int, rank: int, size: int) -> list[Meld]:
    """A side's closed melds of a rank, and the open one."""
    found = []
    for i in range(int(view.closed_melds[side, rank])):
        jokers, deuces = divmod(int(view.closed_wilds[side, rank, i]), 16)
        naturals = [_natural(view, rank)] * (size - deuces - jokers)
        found.append(_set(rank, i, naturals, deuces, jokers, size))
    count = int(view.meld_naturals[side, rank])
    deuces, jokers = int(view.meld_deuces[side, rank]), int(view.meld_jokers[side, rank])
    if count + deuces + jokers:
        naturals = _suited_cards(view, side, rank) or [_natural(view, rank)] * count
        found.append(_set(rank, -1, naturals, deuces, jokers, size))
    return found


def _natural(view: Any, rank: int) -> int:
    """The kind of a rank's naturals; where suits matter but are not known, the first one."""
    return suited_kind(rank, 0) if is_suited(view) and rank > BLACK_THREES else rank


def _set(rank: int, number: int, naturals: list[int], deuces: int, jokers: int, size: int) -> Meld:
    kinds = (*naturals, *(1,) * deuces, *(0,) * jokers)
    kind = ""
    if len(kinds) >= size and rank != BLACK_THREES:
        kind = "wild" if rank == WILD_RANK else "mixed" if deuces + jokers else "natural"
    return Meld(rank, number, kinds, kind)


def _suited_cards(view: Any, side: int, rank: int) -> list[int]:
    """The naturals of the side's meld of a rank with their suits; none where these do not matter,
    or where closed melds of the rank have some of them."""
    if not is_suited(view) or rank <= BLACK_THREES or view.closed_melds[side, rank]:
        return []
    held = view.meld_cards[side]
    kinds = [suited_kind(rank, suit) for suit in range(len(SUITS))]
    return [kind for kind in kinds for _ in range(int(held[kind]))]


def _sequence(view: Any, side: int, i: int, size: int) -> Meld:
    """A sequence as a row of cards."""
    low, suit = int(view.sequence_low[side, i]), int(view.sequence_suit[side, i])
    deuces, jokers = int(view.sequence_deuces[side, i]), int(view.sequence_jokers[side, i])
    kinds = []
    for place in range(int(view.sequence_length[side, i])):
        is_wild = (deuces | jokers) >> place & 1
        kinds.append((deuces >> place & 1) if is_wild else suited_kind(low + place, suit))
    kind = ("mixed" if deuces | jokers else "natural") if len(kinds) >= size else ""
    return Meld(-1, i, tuple(kinds), kind)


# -- sides, seats and the turn ---------------------------------------------------------------------


def players_of(view: Any, side: int) -> list[int]:
    """The seats of a side."""
    return list(range(side, int(view.players), int(view.sides)))


def side_title(view: Any, side: int) -> str:
    """A side by its number and players."""
    names = ", ".join(f"player_{seat}" for seat in players_of(view, side))
    return f"side {side} ({names})" if view.players > view.sides else names


def side_remarks(view: Any, side: int) -> list[str]:
    """What there is to say of a side besides its melds."""
    red = int(view.red_threes[side])
    remarks = [
        "" if view.melded[side] else f"first meld needs {int(view.minimum[side])}",
        count(red, "red three", "red threes") if red else "",
    ]
    if view.phase == Phase.OVER:
        remarks.append(f"{int(view.deal_scores[side]):+d} in this deal")
    return [remark for remark in remarks if remark]


def supply_remarks(view: Any) -> list[str]:
    """What there is to say of the pile besides its cards."""
    remarks = ["frozen"] if view.frozen and view.pile_size else []
    if view.offered >= 0:
        remarks.append(f"offered {token(view, view.offered)}")
    if np.any(view.pending):
        remarks.append(f"apart until the first meld: {cards(view.pending)}")
    return remarks


def seat_remarks(view: Any, seat: int) -> list[str]:
    """What all know of a seat besides its cards."""
    remarks = [
        count(int(view.owed[seat]), "card", "cards") + " owed" if view.owed[seat] else "",
        _cut(view) if seat == view.cut_seat else "",
        "dealer" if seat == view.dealer else "",
    ]
    return [remark for remark in remarks if remark]


def _cut(view: Any) -> str:
    """What the cut brought its seat; what stayed last only for itself."""
    taken, wilds = int(view.cut_taken), int(view.cut_wilds)
    text = f"took {count(taken, 'card', 'cards')} at the cut" if taken else "cut"
    text += f", {count(wilds, 'wild card', 'wild cards')} of them held" if wilds else ""
    stayed = " ".join(token(view, kind) for kind in view.cut_bottom if kind >= 0)
    return f"{text}, saw {stayed} stay last" if stayed else text


def turn_words(view: Any) -> str:
    """What the seat to act decides, or how the deal ended."""
    if view.phase == Phase.OVER:
        who = f"player_{int(view.out_seat)} " if view.out_seat >= 0 else ""
        return f"the deal is over: {who}{_ENDS.get(End(int(view.end)), '')}"
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
    return joined(parts)

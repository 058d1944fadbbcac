"""Suits folded away: how the basic bot sees a game with sequences, and what its choice means there.

The bot decides as if suits did not matter: it gets the view and the legal actions by rank. Of the
suited actions that its choice stands for, the one is played that spoils least for sequences. Beyond
that it only lengthens sequences, and begins natural ones of cards that are good for nothing else.
"""

from __future__ import annotations

from typing import Any, Final

from canasta_env.action_text import suit_of
from canasta_env.actions import ActionTable
from canasta_env.bots.basic import choose_basic
from canasta_env.cards import SUITED_KIND_COUNT
from canasta_env.engine.layout import rank_of
from canasta_env.engine.state import (
    DISCARD,
    EXTEND,
    FIRST_NATURAL,
    MELD_SEQUENCE,
    RANKS,
    SUITED_VIEW_DTYPE,
    SUITS,
    VIEW_DTYPE,
    Phase,
)
from canasta_env.jit import helper
from canasta_env.rules import Rules

PLAIN_FROM, SUITED_FROM = (
    dtype.fields["meld_naturals"][1]  # type: ignore[index]
    for dtype in (VIEW_DTYPE, SUITED_VIEW_DTYPE)
)
ALIKE: Final[int] = VIEW_DTYPE.fields["shown"][1] - PLAIN_FROM  # type: ignore[index]
"""How many bytes of a view are alike in both layouts, from there on: until counts go by kind."""
SPARE = 4  # cards that the hand keeps when a sequence is laid


def folded_rules(rules: Rules) -> Rules:
    """The rules without what needs suits."""
    return rules.replace(sequences=False, take_into_sequence=False)


def folded_actions(rules: Rules) -> list[int]:
    """For each action of rules with suits the action without them, -1 where there is none."""
    table = ActionTable(folded_rules(rules))
    ids = {text: i for i, text in enumerate(table.texts)}
    return [ids.get(_without_suits(text), -1) for text in ActionTable(rules).texts]


def _without_suits(text: str) -> str:
    return " ".join(word[:-1] if suit_of(word) >= 0 else word for word in text.split())


@helper
def fold_view(v: Any, view_bytes: Any, plain: Any, plain_bytes: Any) -> None:
    """Write the view without suits."""
    for i in range(ALIKE):
        plain_bytes[PLAIN_FROM + i] = view_bytes[SUITED_FROM + i]
    plain.seat = v.seat
    plain.side = v.side
    plain.offered = -1
    for i in range(len(v.minimum)):
        plain.minimum[i] = v.minimum[i]
    for i in range(len(v.foot_sizes)):
        plain.foot_sizes[i] = v.foot_sizes[i]
        plain.last_discard[i] = v.last_discard[i]
        if v.last_discard[i] >= 0:
            plain.last_discard[i] = rank_of(SUITED_KIND_COUNT, int(v.last_discard[i]))
    for side in range(len(v.melded)):
        for rank in range(RANKS):
            plain.closed_melds[side, rank] = v.closed_melds[side, rank]
            for i in range(int(v.closed_melds[side, rank])):
                plain.closed_wilds[side, rank, i] = v.closed_wilds[side, rank, i]
    plain.pile_top = v.pile_top
    if v.pile_top >= 0:
        plain.pile_top = rank_of(SUITED_KIND_COUNT, int(v.pile_top))
    fold_counts(v, plain)


@helper
def fold_counts(v: Any, plain: Any) -> None:
    """Add up the counts by kind over the suits."""
    for rank in range(RANKS):
        plain.hand[rank] = 0
        plain.pile[rank] = 0
        plain.pending[rank] = 0
        plain.shown[rank] = 0
        plain.unseen[rank] = 0
        for seat in range(int(v.players)):
            plain.known[seat, rank] = 0
            plain.discards[seat, rank] = 0
    for kind in range(SUITED_KIND_COUNT):
        rank = rank_of(SUITED_KIND_COUNT, kind)
        plain.hand[rank] += v.hand[kind]
        plain.pile[rank] += v.pile[kind]
        plain.pending[rank] += v.pending[kind]
        plain.shown[rank] += v.shown[kind]
        plain.unseen[rank] += v.unseen[kind]
        for seat in range(int(v.players)):
            plain.known[seat, rank] += v.known[seat, kind]
            plain.discards[seat, rank] += v.discards[seat, kind]


@helper
def loneliness(v: Any, kind: int) -> int:
    """How little a card of the hand is good for in a sequence: less for each near card of its
    suit."""
    if kind < FIRST_NATURAL:
        return 0
    alone = 0
    suit = (kind - FIRST_NATURAL) % SUITS
    rank = rank_of(SUITED_KIND_COUNT, kind)
    for near in range(max(FIRST_NATURAL, rank - 2), min(RANKS, rank + 3)):
        other = FIRST_NATURAL + SUITS * (near - FIRST_NATURAL) + suit
        if near != rank and v.hand[other] > 0:
            alone -= 2 if abs(near - rank) == 1 else 1
    return alone + int(v.hand[kind]) - 1


@helper
def unfold(v: Any, mask: Any, r: Any, plain_of: Any, choice: int) -> int:
    """The legal action with suits for a choice without: that of the least useful cards."""
    best, most = -1, 0
    for action in range(len(mask)):
        if not mask[action] or plain_of[action] != choice:
            continue
        alone = 0
        for j in range(3):
            if r.named[action, j] >= 0:
                alone += loneliness(v, int(r.named[action, j]))
        if best < 0 or alone > most:
            best, most = action, alone
    return best


@helper
def sequence_move(v: Any, mask: Any, r: Any) -> int:
    """A natural that lengthens a sequence, or three single ones that begin one; -1 if none."""
    for action in range(len(mask)):
        family = int(r.family[action])
        if not mask[action]:
            continue
        if family == EXTEND:
            return action
        if family == MELD_SEQUENCE:
            single = True
            for j in range(3):
                kind = int(r.named[action, j])
                single = single and kind >= FIRST_NATURAL and ranks_held(v, kind) == 1
            if single:
                return action
    return -1


@helper
def ranks_held(v: Any, kind: int) -> int:
    """Cards of the kind's rank in the hand."""
    first = kind - (kind - FIRST_NATURAL) % SUITS
    count = 0
    for suit in range(SUITS):
        count += int(v.hand[first + suit])
    return count


@helper
def choose_folded(
    v: Any,
    view_bytes: Any,
    mask: Any,
    r: Any,
    w: Any,
    plain: Any,
    plain_bytes: Any,
    plain_rules: Any,
    plain_of: Any,
    folded: Any,
    seed: int,
    index: int,
) -> int:
    """What the bot with the weights ``w`` does where suits matter; ``plain`` and ``folded`` are
    workspace."""
    fold_view(v, view_bytes, plain, plain_bytes)
    for i in range(len(folded)):
        folded[i] = False
    for action in range(len(mask)):
        if mask[action] and plain_of[action] >= 0:
            folded[plain_of[action]] = True
    choice = choose_basic(plain, folded, plain_rules, w, seed, index)
    discards = choice >= 0 and plain_rules.family[choice] == DISCARD
    if v.phase == Phase.MELD and v.melded[v.side] and (choice < 0 or discards):
        if v.hand_sizes[v.seat] > SPARE:
            action = sequence_move(v, mask, r)
            if action >= 0:
                return action
    return unfold(v, mask, r, plain_of, choice) if choice >= 0 else -1

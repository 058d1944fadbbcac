"""The observation: a vector of small whole numbers made from a view by a named list of pieces.

Every feature is a uint8; ``feature * scale`` lies in [0, 1] (counts above their bound are clipped),
which is the float32 observation of the AEC environment. Seats and sides are relative to the seat
that looks: seat 0 is itself, then in the order of play; side 0 is its own, then in the order of
play. :func:`pieces` is the list; ``docs/observation.md`` is printed from it. The encoder reads a
view, never a game, so it cannot tell what the seat may not know.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from canasta_env.cards import KIND_COUNT, SUITED_KIND_COUNT
from canasta_env.engine.bare import bare
from canasta_env.engine.draw import frozen_for
from canasta_env.engine.lanes import (
    LANES,
    STEPS,
    bits_block,
    clip_row,
    melds_block,
    row_of,
    steps_block,
)
from canasta_env.engine.layout import by_layout, following, kinds_of, rank_of
from canasta_env.engine.scratch import RED_THREES
from canasta_env.engine.state import (
    BLACK_THREES,
    FIRST_NATURAL,
    MAX_CLOSED,
    RANKS,
    SUITS,
    WILD_RANK,
    Asked,
)
from canasta_env.jit import helper

if TYPE_CHECKING:
    from canasta_env.rules import Rules

__all__ = ["Piece", "observation_hash", "observation_scale", "observation_size", "pieces"]

NATURALS = RANKS - FIRST_NATURAL
PLACES = SUITS * NATURALS  # of a sequence: suit by suit, upward
OFFER = 2


@dataclass(frozen=True)
class Piece:
    """A named run of features.

    Attributes:
        name: what it is.
        size: how many features.
        bound: the value that becomes 1.0 in the float observation; larger ones are clipped.
        meaning: one line for the docs.
    """

    name: str
    size: int
    bound: int
    meaning: str


def _side_pieces(index: int, rules: Rules) -> list[Piece]:
    whose = "own side" if index == 0 else f"side +{index}"
    found = [
        Piece(f"naturals[{index}]", NATURALS, 8, f"{whose}: naturals in its open meld of 4 … A"),
        Piece(f"wilds[{index}]", NATURALS, 4, f"{whose}: wild cards in it"),
        Piece(f"canasta[{index}]", NATURALS, 1, f"{whose}: the meld is a canasta"),
        Piece(f"natural_canasta[{index}]", NATURALS, 1, f"{whose}: … without wild cards"),
        Piece(f"black_threes[{index}]", 1, 4, f"{whose}: melded black threes"),
        Piece(f"red_threes[{index}]", 1, 8, f"{whose}: red threes laid out"),
        Piece(f"melded[{index}]", 1, 1, f"{whose}: has made its first meld"),
        Piece(f"canastas[{index}]", 1, 8, f"{whose}: number of canastas"),
        Piece(
            f"minimum[{index}]",
            1,
            30,
            f"{whose}: points its first meld needs, in fives; 0 after it",
        ),
        Piece(f"score[{index}]", 1, 250, f"{whose}: score + 2,000, in fifties"),
    ]
    if rules.wild_melds != "none":
        found.append(
            Piece(f"wild_meld[{index}]", 2, 7, f"{whose}: jokers, deuces of the wild meld")
        )
    if rules.melds_close:
        text = f"{whose}: closed natural, mixed melds"
        found.append(Piece(f"closed[{index}]", 2 * NATURALS, MAX_CLOSED, text))
    if rules.sequences:
        where = f"{whose}: for each card 4c … Ac, 4d … As:"
        found += [
            Piece(f"sequences[{index}]", PLACES, 4, f"{where} sequences with that place"),
            Piece(f"sequence_wilds[{index}]", PLACES, 4, f"{where} wild cards in that place"),
            Piece(f"sequence_next[{index}]", PLACES, 4, f"{where} sequences that it extends"),
        ]
    return found


def pieces(rules: Rules, players: int) -> tuple[Piece, ...]:
    """The pieces of the observation, in order, for rules and a number of players."""
    plain = rules.at(players)
    suited = bool(plain.sequences)
    kinds = SUITED_KIND_COUNT if suited else KIND_COUNT
    copies = max(rules.card_counts(players))
    most = 4 if suited else 8  # of one kind in a hand, as a rule
    found = [
        Piece("hand", kinds, most, "cards of each kind in the own hand"),
        Piece(
            "hand_at_least", 4 * (kinds - 1), 1, "of each kind but red threes: at least 1, 2, 3, 4"
        ),
    ]
    for side in range(rules.sides_of(players)):
        found += _side_pieces(side, plain)
    found += [
        Piece("pile", kinds, most, "cards of each kind in the pile"),
        Piece("pile_top", kinds, 1, "kind of the top card, one-hot; all 0 if the pile is empty"),
        Piece("pile_size", 1, 54, "cards in the pile"),
        Piece("pile_points", 1, 100, "value of the pile's cards, in fives"),
        Piece("frozen", 2, 1, "the pile is frozen; it is frozen to the own side"),
        Piece("stock_size", 1, 108, "cards left in the stock"),
        Piece("hand_sizes", players, 30, "cards in each hand"),
        Piece("discards", players * kinds, copies, "what each seat has discarded, by kind"),
        Piece("last_discard", players * kinds, 1, "each seat's last discard, one-hot"),
        Piece(
            "known", (players - 1) * kinds, copies, "cards that each other seat is known to hold"
        ),
        Piece("unseen", kinds, 12, "cards of each kind that lie unseen"),
        Piece("seat_melded", players, 1, "seats that melded in an earlier turn of the deal"),
        Piece("to_act", players, 1, "whose turn it is, one-hot"),
        Piece("phase", 5, 1, "offer, draw, meld, answer, over: one-hot"),
        Piece("drew", 4, 1, "nothing, stock, pile, offer: one-hot"),
        Piece("staged", 1, 30, "points laid toward the first meld this turn, in fives"),
        Piece("pending", kinds, most, "cards of a taken pile that lie apart"),
        Piece("begun", NATURALS, 1, "melds begun this turn"),
        Piece("asked", 3, 1, "asked and not answered, yes, no"),
        Piece("asker", players, 1, "who asked, one-hot"),
        Piece("turn_flags", 3, 1, "added to older melds, acted, must go out"),
    ]
    return (*found, *_rare_pieces(plain, players, kinds))


def _rare_pieces(rules: Rules, players: int, kinds: int) -> list[Piece]:
    """The pieces at the end, that only some rules have."""
    found = []
    if rules.foot:
        found.append(Piece("feet", players, 15, "cards in each foot that is not taken"))
        found.append(Piece("foot_played", players, 1, "seats that ended a turn with their foot"))
    if rules.minimum_by == "deal":
        found.append(Piece("deal", 4, 1, "number of the deal, 1 to 4, one-hot"))
    if rules.upcard == "offer":
        found.append(Piece("offered", kinds, 1, "the card that is offered, one-hot"))
    if rules.owed_red_threes:
        found.append(Piece("owed", players, 8, "red threes that each seat has not replaced yet"))
    if rules.cut_bonus:
        found += [
            Piece("cutter", players, 1, "who cut, one-hot"),
            Piece("cut_taken", 1, 3, "cards that he got by it"),
            Piece("cut_wilds", 1, 3, "wild cards of these that he still holds for all to know"),
            Piece("cut_bottom", kinds, 3, "cards that he saw stay last; his alone"),
        ]
    if rules.sequences:
        found.append(Piece("begun_sequences", 1, 8, "sequences begun this turn"))
    return found


def observation_size(rules: Rules, players: int) -> int:
    """How many features an observation has."""
    return sum(piece.size for piece in pieces(rules, players))


def observation_scale(rules: Rules, players: int) -> npt.NDArray[np.float32]:
    """float32 (size,): what each feature is multiplied with to lie in [0, 1]."""
    runs = [np.full(piece.size, 1.0 / piece.bound, np.float32) for piece in pieces(rules, players)]
    return np.concatenate(runs)


def observation_hash(rules: Rules, players: int) -> str:
    """A sha256 in hex over names, sizes and bounds; stored with every checkpoint."""
    text = "\n".join(f"{p.name} {p.size} {p.bound}" for p in pieces(rules, players))
    return hashlib.sha256(text.encode()).hexdigest()


@helper
def clip(value: int, bound: int) -> int:
    """``value`` in 0 … bound."""
    return min(max(int(value), 0), bound)


@helper
def encode_side(v: Any, r: Any, side: int, out: Any, at: int) -> int:
    """Encode one side's melds; returns the next free index."""
    naturals, deuces = row_of(v, "meld_naturals", side), row_of(v, "meld_deuces", side)
    canastas = melds_block(
        naturals, deuces, row_of(v, "meld_jokers", side), FIRST_NATURAL, int(r.canasta_size),
        out, at, NATURALS,
    )  # fmt: skip
    if r.melds_close:
        for rank in range(FIRST_NATURAL, RANKS):
            canastas += int(v.closed_melds[side, rank])
    wild_jokers, wild_deuces = int(v.meld_jokers[side, WILD_RANK]), int(deuces[WILD_RANK])
    if wild_jokers + wild_deuces >= r.canasta_size:
        canastas += 1
    at += 4 * NATURALS
    out[at] = clip(naturals[BLACK_THREES], 4)
    out[at + 1] = clip(v.red_threes[side], 8)
    out[at + 2] = 1 if v.melded[side] else 0
    out[at + 3] = clip(canastas, 8)
    out[at + 4] = clip(int(v.minimum[side]) // 5, 30)
    out[at + 5] = clip((int(v.scores[side]) + 2000) // 50, 250)
    at += 6
    if r.wild_melds > 0:
        out[at] = clip(wild_jokers, 7)
        out[at + 1] = clip(wild_deuces, 7)
        at += 2
    if r.melds_close:
        for rank in range(FIRST_NATURAL, RANKS):
            for i in range(int(v.closed_melds[side, rank])):
                row = NATURALS if v.closed_wilds[side, rank, i] > 0 else 0
                out[at + row + rank - FIRST_NATURAL] += 1
        at += 2 * NATURALS
    return int(encode_sequences(v, side, out, at))


@helper
def no_sequences(v: Any, side: int, out: Any, at: int) -> int:
    """Where suits do not matter there are no sequences."""
    return at


@helper
def encode_places(v: Any, side: int, out: Any, at: int) -> int:
    """Encode one side's sequences; returns the next free index."""
    wilds, following = at + PLACES, at + 2 * PLACES
    for i in range(int(v.sequence_count[side])):
        first = NATURALS * int(v.sequence_suit[side, i])
        first += int(v.sequence_low[side, i]) - FIRST_NATURAL
        length = int(v.sequence_length[side, i])
        filled = int(v.sequence_deuces[side, i]) | int(v.sequence_jokers[side, i])
        for place in range(length):
            out[at + first + place] = min(4, int(out[at + first + place]) + 1)
            if (filled >> place) & 1 == 1:
                out[wilds + first + place] = min(4, int(out[wilds + first + place]) + 1)
        if int(v.sequence_low[side, i]) + length < RANKS:
            out[following + first + length] = min(4, int(out[following + first + length]) + 1)
    return at + 3 * PLACES


encode_sequences = by_layout(no_sequences, encode_places)


@helper
def encode_pile(v: Any, r: Any, out: Any, at: int) -> int:
    """Encode pile and stock; returns the next free index."""
    points = 0
    kinds = kinds_of(v)
    most = 8 if kinds == RANKS else 4
    clip_row(row_of(v, "pile", 0), out, at, most, kinds)
    for k in range(kinds):
        points += int(v.pile[k]) * int(r.values[rank_of(kinds, k)])
    at += kinds
    out[at] = 0
    if v.pile_top >= 0:
        out[at + int(v.pile_top)] = 1
    at += kinds
    out[at] = clip(v.pile_size, 54)
    out[at + 1] = clip(points // 5, 100)
    out[at + 2] = 1 if v.frozen else 0
    out[at + 3] = 1 if frozen_for(v, r, int(v.side)) else 0
    out[at + 4] = clip(v.stock_size, 108)
    return at + 5


@helper
def encode_seats(v: Any, copies: int, out: Any, at: int) -> int:
    """Encode what is known of each seat, from the one that looks on; returns the next free
    index."""
    players, seat = int(v.players), int(v.seat)
    kinds = kinds_of(v)
    discards = at + players
    last = discards + players * kinds
    known = last + players * kinds
    unseen = known + (players - 1) * kinds
    # a card that comes back with the pile can be discarded again: more often than there are copies
    for i in range(players):
        row = row_of(v, "discards", following(seat, i, players))
        clip_row(row, out, discards + i * kinds, copies, kinds)
    out[last] = 0
    for i in range(1, players):
        row = row_of(v, "known", following(seat, i, players))
        clip_row(row, out, known + (i - 1) * kinds, copies, kinds)
    clip_row(row_of(v, "unseen", 0), out, unseen, 12, kinds)
    for i in range(players):
        other = following(seat, i, players)
        out[at + i] = clip(v.hand_sizes[other], 30)
        if v.last_discard[other] >= 0:
            out[last + i * kinds + int(v.last_discard[other])] = 1
        out[unseen + kinds + i] = 1 if v.seat_melded[other] else 0
    return unseen + kinds + players


@helper
def encode_turn(v: Any, out: Any, at: int) -> int:
    """Encode the turn under way; returns the next free index."""
    players, seat = int(v.players), int(v.seat)
    out[at + following(int(v.turn), players - seat, players)] = 1
    at += players
    out[at + int(v.phase)] = 1
    out[at + 5 + int(v.drew)] = 1
    out[at + 9] = clip(int(v.staged) // 5, 30)
    at += 10
    kinds = kinds_of(v)
    clip_row(row_of(v, "pending", 0), out, at, 8 if kinds == RANKS else 4, kinds)
    at += kinds
    bits_block(int(v.begun) >> FIRST_NATURAL, out, at)
    at += NATURALS
    for i in range(3 + players):  # five at least, as many as the bits wrote too far
        out[at + i] = 0
    if v.asked != Asked.NO_QUESTION:
        out[at + int(v.asked) - 1] = 1
        out[at + 3 + following(int(v.asker), players - seat, players)] = 1
    at += 3 + players
    out[at] = 1 if v.added else 0
    out[at + 1] = 1 if v.acted else 0
    out[at + 2] = 1 if v.must_go_out else 0
    return at + 3


@helper
def encode(v: Any, r: Any, row: Any) -> None:
    """Write the observation of a view into ``row`` (uint8, observation_size)."""
    for i in range(len(row)):
        row[i] = 0
    out = bare(row, 0)
    kinds = kinds_of(v)
    hand = row_of(v, "hand", 0)
    clip_row(hand, out, 0, 8 if kinds == RANKS else 4, kinds)
    steps_block(hand, 0, out, kinds, RED_THREES)
    for start in range(LANES, kinds, LANES):
        steps_block(hand, start, out, kinds + STEPS * (start - 1), -1)
    at = kinds + STEPS * (kinds - 1)
    sides = int(v.sides)
    for i in range(sides):
        at = encode_side(v, r, following(int(v.side), i, sides), out, at)
    at = encode_pile(v, r, out, at)
    at = encode_seats(v, int(r.copies), out, at)
    at = encode_turn(v, out, at)
    if r.foot > 0:
        players = int(v.players)
        for i in range(players):
            other = following(int(v.seat), i, players)
            out[at + i] = clip(v.foot_sizes[other], 15)
            out[at + players + i] = 1 if v.foot_played[other] else 0
        at += 2 * players
    if r.minimum_by_deal:
        out[at + clip(int(v.deal) - 1, 3)] = 1
        at += 4
    if r.upcard == OFFER or r.owed_red_threes or r.cut_bonus:
        at = encode_opening(v, r, out, at)
    if r.sequences:
        for i in range(64):
            out[at] += (int(v.begun_sequences) >> i) & 1
        out[at] = min(8, out[at])


@helper
def encode_opening(v: Any, r: Any, out: Any, at: int) -> int:
    """Encode the offer, owed red threes and the cut; returns the next free index."""
    players, seat, kinds = int(v.players), int(v.seat), kinds_of(v)
    if r.upcard == OFFER:
        if v.offered >= 0:
            out[at + int(v.offered)] = 1
        at += kinds
    if r.owed_red_threes:
        for i in range(players):
            out[at + i] = clip(v.owed[(seat + i) % players], 8)
        at += players
    if r.cut_bonus:
        if v.cut_seat >= 0:
            out[at + (int(v.cut_seat) - seat) % players] = 1
        out[at + players] = clip(v.cut_taken, 3)
        out[at + players + 1] = clip(v.cut_wilds, 3)
        at += players + 2
        for i in range(3):
            if v.cut_bottom[i] >= 0:
                out[at + int(v.cut_bottom[i])] += 1
        at += kinds
    return at

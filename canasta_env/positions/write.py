"""Writing a game as a whole position: every card and every key (notation.md, Positions)."""

from __future__ import annotations

from typing import Any

import numpy as np

from canasta_env.cards import kind_token, parse_cards, write_cards
from canasta_env.engine.state import Asked, Games, Phase
from canasta_env.positions.melds import written_melds
from canasta_env.positions.reader import ASKED, DREW, ENDS, PHASES
from canasta_env.positions.values import write_counts
from canasta_env.rules import Rules

__all__ = ["write_position"]


def write_position(games: Games, index: int, rules: Rules) -> dict[str, Any]:
    """The position of ``games[index]``, in types that YAML and JSON know; read back, the same game.

    ``rules`` are those that the game was started with, not those of its table.
    """
    game: Any = games[index]
    players, sides = int(game.players), int(game.sides)
    melds = [written_melds(game, side, rules) for side in range(sides)]
    position: dict[str, Any] = {
        "rules": rules.to_mapping() if rules.changes() else rules.name,
        "players": players,
        "scores": _integers(_scores_before(game), sides),
        "deal": int(game.deal),
        "dealer": int(game.dealer),
        "turn": int(game.turn),
        "phase": PHASES[game.phase],
        "turns": int(game.turns),
        **_write_cards(game, rules, melds),
        "melded": _flags(game.melded, sides),
        "seat_melded": _flags(game.seat_melded, players),
        "foot_played": _flags(game.foot_played, players),
        "turn_state": _write_turn(game, rules, melds),
        "owed": _integers(game.owed, players),
        "concealed_canastas": _integers(game.concealed_canastas, sides),
        "discards": _write_discards(game, rules),
        "known": _write_rows(game.known, players, rules),
        "cut": _write_cut(game, rules),
        "seed": 0,
        "match_seed": int(game.match_seed),
    }
    if game.phase == Phase.OVER:
        position["deal_scores"] = _integers(game.deal_scores, sides)
        position["ended"] = {"how": ENDS[game.end], "seat": int(game.out_seat)}
    return position


def _scores_before(game: Any) -> Any:
    """The scores before this deal: a game adds those of a deal when it is over."""
    return game.scores - game.deal_scores if game.phase == Phase.OVER else game.scores


def _integers(values: Any, count: int) -> list[int]:
    return [int(value) for value in values[:count]]


def _flags(values: Any, count: int) -> list[bool]:
    return [bool(value) for value in values[:count]]


def _write_rows(rows: Any, players: int, rules: Rules) -> dict[int, str]:
    """The seats that have such cards, with the cards."""
    written = {seat: write_counts(rows[seat], rules.sequences) for seat in range(players)}
    return {seat: cards for seat, cards in written.items() if cards}


def _write_cards(game: Any, rules: Rules, melds: list[list[tuple[str, bool]]]) -> dict[str, Any]:
    """Hands, feet, melds, red threes, pile, stock, and what is out of the game."""
    players, sides, suited = int(game.players), int(game.sides), rules.sequences
    pile = game.pile[: game.pile_size].tolist()
    streams = [
        game.stock[game.stock_next[i] : game.stock_end[i]].tolist() for i in range(game.streams)
    ]
    stock = [write_cards(cards, suited=suited) for cards in streams]
    return {
        "hands": {seat: write_counts(game.hands[seat], suited) for seat in range(players)},
        "feet": _write_rows(game.feet, players, rules),
        "melds": {side: [text for text, _ in melds[side]] for side in range(sides)},
        "red_threes": _integers(game.red_threes, sides),
        "pile": write_cards(pile, suited=suited),
        "frozen": bool(game.frozen),
        "stock": stock[0] if game.streams == 1 else dict(enumerate(stock)),
        "absent": write_counts(_absent(game, rules, melds), suited),
    }


def _absent(game: Any, rules: Rules, melds: list[list[tuple[str, bool]]]) -> Any:
    """The cards of the deck that lie nowhere, as counts by kind."""
    counts = np.array(rules.card_counts(int(game.players)))
    counts -= game.hands.sum(axis=0)
    counts -= game.feet.sum(axis=0)
    lying = game.pile[: game.pile_size + game.pending].tolist()
    for i in range(int(game.streams)):
        lying += game.stock[game.stock_next[i] : game.stock_end[i]].tolist()
    for side in melds:
        for text, _ in side:
            lying += parse_cards(text, suited=rules.sequences)
    counts -= np.bincount(lying, minlength=len(counts))
    counts[2] -= game.red_threes.sum()
    return counts


def _write_turn(game: Any, rules: Rules, melds: list[list[tuple[str, bool]]]) -> dict[str, Any]:
    """What the turn under way has done so far; nothing before its draw."""
    if game.phase in (Phase.OFFER, Phase.DRAW):
        return {}
    suited, rest = rules.sequences, slice(game.pile_size, game.pile_size + game.pending)
    side = melds[int(game.turn) % int(game.sides)]
    return {
        "drew": DREW[game.drew],
        "before": write_counts(game.before, suited),
        "top": kind_token(int(game.top), suited=suited) if game.top >= 0 else None,
        "pending": write_cards(game.pile[rest].tolist(), suited=suited),
        "begun": [i for i, (_, begun) in enumerate(side) if begun],
        "staged": int(game.staged),
        "added": bool(game.added),
        "acted": bool(game.acted),
        "asked": ASKED[game.asked] if game.asked != Asked.NO_QUESTION else None,
        "asker": int(game.asker),
        "must_go_out": bool(game.must_go_out),
    }


def _write_discards(game: Any, rules: Rules) -> dict[int, str]:
    rows: dict[int, list[int]] = {}
    for discard in game.discards[: game.discard_count].tolist():
        seat, kind = divmod(discard, 64)
        rows.setdefault(seat, []).append(kind)
    return {seat: write_cards(rows[seat], suited=rules.sequences) for seat in sorted(rows)}


def _write_cut(game: Any, rules: Rules) -> dict[str, Any] | None:
    """The cut; where the cards that stayed last lie is written if that is not the stock's end."""
    if game.cut_seat < 0:
        return None
    bottom = [kind for kind in game.cut_bottom.tolist() if kind >= 0]
    written: dict[str, Any] = {
        "seat": int(game.cut_seat),
        "taken": int(game.cut_taken),
        "bottom": write_cards(bottom, suited=rules.sequences),
    }
    if game.cut_wilds:
        written["wilds"] = int(game.cut_wilds)
    places = [_write_place(game, int(game.cut_places[i])) for i in range(len(bottom))]
    left = [[0, after] for after in reversed(range(len(bottom))) if after < game.stock_size]
    if game.streams > 1 or [place for place in places if place is not None] != left:
        written["places"] = places
    return written


def _write_place(game: Any, place: int) -> list[int] | None:
    """``[stream, cards after it]`` of an index in the stock; None for a card that is drawn."""
    for stream in range(int(game.streams)):
        if game.stock_next[stream] <= place < game.stock_end[stream]:
            return [stream, int(game.stock_end[stream]) - 1 - place]
    return None

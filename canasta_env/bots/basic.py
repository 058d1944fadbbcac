"""How the rule bots from ``basic`` on decide: one procedure, in which weights make the style."""

from __future__ import annotations

from typing import Any

from canasta_env.bots.basic_discard import choose_discard
from canasta_env.bots.basic_first import first_meld
from canasta_env.bots.basic_meld import ends_soon, meld_more
from canasta_env.engine.state import RANKS, Phase
from canasta_env.jit import helper

FIRST_NATURAL = 4


@helper
def choose_basic(v: Any, mask: Any, r: Any, w: Any, seed: int, index: int) -> int:
    """What the bot does with the weights ``w``: each action is decided anew from the view alone."""
    if v.phase == Phase.DRAW:
        return draw_or_take(v, mask, r, w)
    if v.phase == Phase.ANSWER:
        return answer(v, r, w)
    if v.phase == Phase.OFFER:
        return int(r.at_accept)
    hurry = ends_soon(v, r, w)
    action = meld_more(v, mask, r, w, hurry) if v.melded[v.side] else first_meld(v, mask, r, w)
    if action < 0:
        action = choose_discard(v, mask, r, w, hurry, seed, index)
    return action


@helper
def draw_or_take(v: Any, mask: Any, r: Any, w: Any) -> int:
    """Take the pile if it is worth it: onto a meld, else with a pair, else with a wild card."""
    top, cards = int(v.pile_top), int(v.pile_size)
    draw = int(r.at_draw)
    if not mask[draw]:
        draw = int(r.at_pass) if mask[int(r.at_pass)] else -1
        cards = 1000  # take it rather than end the deal
    elif w.take_hurry != 0 and ends_soon(v, r, w):
        cards += int(w.take_hurry)
    if top < FIRST_NATURAL:
        return draw
    place, side = top - FIRST_NATURAL, int(v.side)
    size = int(v.meld_naturals[side, top])
    size += int(v.meld_deuces[side, top]) + int(v.meld_jokers[side, top])
    least = int(w.take_pair) if v.melded[side] else int(w.take_first)
    if r.at_take >= 0 and mask[int(r.at_take)]:
        if cards >= w.take_onto or size + 1 == r.canasta_size:
            return int(r.at_take)
    elif cards >= least and mask[int(r.at_take_pair) + place]:
        return int(r.at_take_pair) + place
    if r.at_take_deuce >= 0:
        if cards >= w.take_deuce and mask[int(r.at_take_deuce) + place]:
            return int(r.at_take_deuce) + place
        if cards >= w.take_joker and mask[int(r.at_take_joker) + place]:
            return int(r.at_take_joker) + place
    return draw


@helper
def answer(v: Any, r: Any, w: Any) -> int:
    """Let the partner go out, unless much is left in the own hand and nothing hurries."""
    points = 0
    for kind in range(RANKS):
        points += int(v.hand[kind]) * int(r.values[kind])
    if points <= w.answer_no_above or ends_soon(v, r, w):
        return int(r.at_yes)
    return int(r.at_no)

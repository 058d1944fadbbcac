"""The rule bot that plays sensible Canasta: the opponent that others are measured against."""

from __future__ import annotations

from typing import Any

from canasta_env.bots.basic_discard import choose_discard
from canasta_env.bots.basic_first import first_meld
from canasta_env.bots.basic_meld import meld_more
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
    action = -1
    if v.melded[v.side]:
        action = meld_more(v, mask, r, w)
    else:
        action = first_meld(v, mask, r, w)
    if action < 0:
        action = choose_discard(v, mask, r, w, seed, index)
    return action


@helper
def draw_or_take(v: Any, mask: Any, r: Any, w: Any) -> int:
    """Take the pile if it is worth it: onto a meld, else with a pair, else with a wild card."""
    top, size = int(v.pile_top), int(v.pile_size)
    draw = int(r.at_draw)
    if not mask[draw]:
        draw = int(r.at_pass) if mask[int(r.at_pass)] else -1
        size = 1000  # take it rather than end the deal
    if top < FIRST_NATURAL:
        return draw
    place = top - FIRST_NATURAL
    if not v.melded[v.side] and size < w.take_first:
        return draw
    if r.at_take >= 0 and mask[int(r.at_take)]:
        if size >= w.take_onto:
            return int(r.at_take)
    elif size >= w.take_pair and mask[int(r.at_take_pair) + place]:
        return int(r.at_take_pair) + place
    if r.at_take_deuce >= 0:
        if size >= w.take_deuce and mask[int(r.at_take_deuce) + place]:
            return int(r.at_take_deuce) + place
        if size >= w.take_joker and mask[int(r.at_take_joker) + place]:
            return int(r.at_take_joker) + place
    return draw


@helper
def answer(v: Any, r: Any, w: Any) -> int:
    """Let the partner go out unless too much is left in the own hand."""
    points = 0
    for kind in range(RANKS):
        points += int(v.hand[kind]) * int(r.values[kind])
    return int(r.at_yes) if points <= w.answer_no_above else int(r.at_no)

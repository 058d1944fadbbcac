"""The bot that takes whenever it may and lays whatever it may at once."""

from __future__ import annotations

from typing import Any

from canasta_env.bots.discards import is_open
from canasta_env.engine.layout import kinds_of, rank_of
from canasta_env.engine.state import RANKS, Phase
from canasta_env.jit import helper


@helper
def choose_greedy(v: Any, mask: Any, r: Any) -> int:
    """Take before drawing, meld before discarding, by the order of the action table.

    Discards the natural card of which the hand holds fewest, of these the cheapest, of these the
    lowest rank; without a natural card a black three, a deuce, a joker. Never asks, answers yes.
    """
    first = -1
    if v.phase == Phase.ANSWER:
        return int(r.at_yes)
    for action in range(len(mask)):
        if not mask[action] or action == r.at_ask:
            continue
        if v.phase == Phase.DRAW and (action == r.at_draw or action == r.at_pass):
            first = action
            continue
        if action >= r.at_discard:
            break
        return action
    if first >= 0:
        return first
    return cheapest_discard(v, mask, r)


@helper
def cheapest_discard(v: Any, mask: Any, r: Any) -> int:
    """The legal discard that greedy's definition names, -1 if there is none."""
    best, lowest = -1, 0
    at, kinds = int(r.at_discard), kinds_of(v)
    for place in range(kinds - 1):
        if not is_open(mask, r, at + place):
            continue
        kind = place if place < 2 else place + 1
        rank = rank_of(kinds, kind)
        cost = 100 * rank_held(v, kinds, kind) + int(r.values[rank])
        if kind < 4:
            cost += 10_000 * (4 - kind)  # only if there is no natural card
        if best < 0 or cost < lowest:
            best, lowest = at + place, cost
    return best


@helper
def rank_held(v: Any, kinds: int, kind: int) -> int:
    """Cards of the kind's rank in the hand."""
    if kinds == RANKS or kind < 4:
        return int(v.hand[kind])
    first = kind - (kind - 4) % 4
    count = 0
    for suit in range(4):
        count += int(v.hand[first + suit])
    return count

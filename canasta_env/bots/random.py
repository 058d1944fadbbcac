"""The bot that plays any legal action, each with the same chance."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.rng import BOT, below
from canasta_env.jit import helper


@helper
def choose_random(mask: Any, seed: int, index: int) -> int:
    """One of the actions that ``mask`` (bool, one an action) allows, or -1 if it allows none."""
    count = 0
    for action in range(len(mask)):
        if mask[action]:
            count += 1
    if count == 0:
        return -1
    left = below(seed, BOT, index, count)
    for action in range(len(mask)):
        if mask[action]:
            if left == 0:
                return action
            left -= 1
    return -1

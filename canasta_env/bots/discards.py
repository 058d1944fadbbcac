"""The discards among a table's actions: decks with fewer ranks have fewer of them."""

from __future__ import annotations

from typing import Any

from canasta_env.engine.state import DISCARD, RANKS
from canasta_env.jit import helper


@helper
def is_open(mask: Any, r: Any, action: int) -> bool:
    """Is this id, which may lie behind the table's end, a discard that is legal?"""
    return bool(r.family[action] == DISCARD and mask[action])


@helper
def may_discard(mask: Any, r: Any) -> bool:
    """Is any discard legal?"""
    for action in range(int(r.at_discard), int(r.at_discard) + RANKS - 1):
        if is_open(mask, r, action):
            return True
    return False

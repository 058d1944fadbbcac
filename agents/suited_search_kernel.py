"""The rollouts of :mod:`agents.search_kernel` once more, for rules with sequences."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np

from agents import search_kernel
from canasta_env import kernels
from canasta_env.actions import ActionTable
from canasta_env.bots import suited_choose
from canasta_env.bots.folded import choose_folded, folded_actions, folded_rules
from canasta_env.bots.random import choose_random
from canasta_env.engine.state import SUITED_GAME_DTYPE, SUITED_RULES_DTYPE, SUITED_VIEW_DTYPE
from canasta_env.jit import helper, kernel, mark_complete, rebound
from canasta_env.rules import Rules

__all__ = ["choosing", "roll_out"]

FOLDED: Final = (
    suited_choose.PLAIN_VIEWS,
    suited_choose.BYTES,
    suited_choose.PLAIN_RULES,
    suited_choose.INTS,
    suited_choose.FLAGS,
)
"""The types of what :func:`choosing` gives."""


def choosing(rules: Rules, players: int) -> tuple[Any, ...]:
    """The part of the workspace in which the bot chooses: what it sees where suits don't count."""
    table = ActionTable(folded_rules(rules))
    views, view_bytes, _, _ = kernels.workspace()
    return (
        views,
        view_bytes,
        kernels.plain(table.pack(players)),
        np.array(folded_actions(rules), np.int64),
        np.zeros(len(table), np.bool_),
    )


@helper
def choose_one(
    v: Any, view_bytes: Any, mask: Any, r: Any, w: Any, space: Any, seed: int, index: int
) -> int:
    """What the bot does in a rollout."""
    _, _, _, _, _, _, plain_views, plain_bytes, plain_rules, plain_of, folded = space
    action = choose_folded(
        v, view_bytes, mask, r, w, plain_views[0], plain_bytes[0], plain_rules[0], plain_of, folded,
        seed, index,
    )  # fmt: skip
    if action < 0 or not mask[action]:
        action = choose_random(mask, seed, index)
    return action


roll_out = kernel(
    search_kernel.signature(SUITED_GAME_DTYPE, SUITED_VIEW_DTYPE, SUITED_RULES_DTYPE, *FOLDED),
    home=__name__,
)(rebound(search_kernel.roll_out, choose_one=choose_one))
mark_complete(Path(__file__), __name__)

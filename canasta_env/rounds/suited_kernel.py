"""The kernels of :mod:`canasta_env.rounds.kernel` once more, for rules with sequences."""

from __future__ import annotations

import sys
from typing import Any, Final

import numpy as np

from canasta_env import batch_threads, kernels, suited_kernels
from canasta_env.actions import ActionTable
from canasta_env.bots import suited_choose
from canasta_env.bots.folded import folded_actions, folded_rules
from canasta_env.jit import helper, kernel, rebound
from canasta_env.rounds import kernel as rounds
from canasta_env.rules import Rules

__all__ = ["choosing", "play_games", "share_rows"]

FOLDED: Final = (
    suited_choose.PLAIN_VIEWS,
    suited_choose.BYTES,
    suited_choose.PLAIN_RULES,
    suited_choose.INTS,
    suited_choose.FLAGS,
)
"""The types of what :func:`choosing` gives beside what that of other rules does."""


def choosing(rules: Rules, players: int) -> tuple[Any, ...]:
    """The part of a workspace in which a bot chooses: also what it sees where suits don't count."""
    table = ActionTable(folded_rules(rules))
    views, view_bytes, _, _ = kernels.workspace()
    return (
        *rounds.choosing(rules, players),
        views,
        view_bytes,
        kernels.plain(table.pack(players)),
        np.array(folded_actions(rules), np.int64),
        np.zeros(len(table), np.bool_),
    )


@helper
def choose_one(
    games: Any,
    game_bytes: Any,
    rules: Any,
    masks: Any,
    views: Any,
    view_bytes: Any,
    space: Any,
    recall: bool,
    row: int,
    bot: int,
    lane: Any,
) -> int:
    """What a bot does for the seat to act in one row."""
    _, styles, rows, bots, out, plain_views, plain_bytes, plain_rules, plain_of, folded = space
    rows[0], bots[0] = row, bot
    suited_choose.choose_games(
        games, game_bytes, rules, rows, bots, styles, masks, views, view_bytes, plain_views,
        plain_bytes, plain_rules, plain_of, folded, recall, int(lane.lots), int(lane.choices), out,
    )  # fmt: skip
    lane.choices += 1
    return int(out[0])


play_games = kernel(rounds.signature(suited_kernels.play_games, *FOLDED), home=__name__)(
    rebound(rounds.play_games, kernels=suited_kernels, choose_one=choose_one)
)
share_rows = kernel(batch_threads.signature(play_games), home=__name__)(
    rebound(batch_threads.share_rows, kernels=sys.modules[__name__])
)

"""The entry of all bots for rules with sequences: compiled at its first use."""

from __future__ import annotations

from typing import Any, Final

from numba import types

from canasta_env.bots import Bot
from canasta_env.bots.folded import choose_folded
from canasta_env.bots.greedy import choose_greedy
from canasta_env.bots.random import choose_random
from canasta_env.bots.weights import WEIGHTS_DTYPE
from canasta_env.engine.state import (
    RULES_DTYPE,
    SUITED_GAME_DTYPE,
    SUITED_RULES_DTYPE,
    SUITED_VIEW_DTYPE,
    VIEW_DTYPE,
)
from canasta_env.engine.view import fill_view
from canasta_env.jit import kernel, records

GAMES: Final = records(SUITED_GAME_DTYPE)
RULES: Final = records(SUITED_RULES_DTYPE)
VIEWS: Final = records(SUITED_VIEW_DTYPE)
STYLES: Final = records(WEIGHTS_DTYPE)
PLAIN_VIEWS: Final = records(VIEW_DTYPE)
PLAIN_RULES: Final = records(RULES_DTYPE)
INT: Final = types.int64
INTS: Final = types.int64[::1]
BOOL: Final = types.boolean
FLAGS: Final = types.boolean[::1]
BYTES: Final = types.uint8[:, ::1]
MASKS: Final = types.boolean[:, ::1]


@kernel(
    types.void(
        GAMES,
        BYTES,
        RULES,
        INTS,
        INTS,
        STYLES,
        MASKS,
        VIEWS,
        BYTES,
        PLAIN_VIEWS,
        BYTES,
        PLAIN_RULES,
        INTS,
        FLAGS,
        BOOL,
        INT,
        INT,
        INTS,
    )
)
def choose_games(
    games: Any,
    game_bytes: Any,
    rules: Any,
    rows: Any,
    bots: Any,
    styles: Any,
    masks: Any,
    views: Any,
    view_bytes: Any,
    plain_views: Any,
    plain_bytes: Any,
    plain_rules: Any,
    plain_of: Any,
    folded: Any,
    recall: bool,
    seed: int,
    first: int,
    out: Any,
) -> None:
    """As :func:`canasta_env.bots.choose.choose_games`, for games with suits.

    ``plain_views`` (1) and ``folded`` (one flag an action of ``plain_rules``) are workspace;
    ``plain_of`` are the actions without suits (:func:`~canasta_env.bots.folded.folded_actions`).
    """
    r, v = rules[0], views[0]
    for j in range(len(rows)):
        i = rows[j]
        mask = masks[i]
        action = -1
        if bots[j] != Bot.RANDOM:
            seat = int(games[i].turn)
            fill_view(games[i], game_bytes[i], r, seat, recall, v, view_bytes[0])
            if bots[j] == Bot.GREEDY:
                action = choose_greedy(v, mask, r)
            else:
                action = choose_folded(
                    v,
                    view_bytes[0],
                    mask,
                    r,
                    styles[bots[j] - Bot.BASIC],
                    plain_views[0],
                    plain_bytes[0],
                    plain_rules[0],
                    plain_of,
                    folded,
                    seed,
                    first + j,
                )
        if action < 0 or not mask[action]:
            action = choose_random(mask, seed, first + j)
        out[j] = action

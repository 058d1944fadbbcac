"""The entry of all bots: one compiled function that chooses an action in each of many games."""

from __future__ import annotations

from typing import Any, Final

from numba import types

from canasta_env.bots import Bot
from canasta_env.bots.basic import choose_basic
from canasta_env.bots.greedy import choose_greedy
from canasta_env.bots.random import choose_random
from canasta_env.bots.weights import WEIGHTS_DTYPE
from canasta_env.engine.state import GAME_DTYPE, RULES_DTYPE, VIEW_DTYPE
from canasta_env.engine.view import fill_view
from canasta_env.jit import helper, kernel, records

GAMES: Final = records(GAME_DTYPE)
RULES: Final = records(RULES_DTYPE)
VIEWS: Final = records(VIEW_DTYPE)
STYLES: Final = records(WEIGHTS_DTYPE)
INT: Final = types.int64
INTS: Final = types.int64[::1]
BOOL: Final = types.boolean
BYTES: Final = types.uint8[:, ::1]
MASKS: Final = types.boolean[:, ::1]


@helper
def choose(v: Any, mask: Any, r: Any, styles: Any, bot: int, seed: int, index: int) -> int:
    """A legal action of ``bot`` for the seat that looks in the view ``v``; -1 if ``mask`` is empty.

    It depends on the view, the mask, the rules and the bot's row of ``styles``, and on ``seed`` and
    ``index`` where a bot draws lots. A bot that finds nothing by its own rules plays any legal
    action.
    """
    action = -1
    if bot == Bot.GREEDY:
        action = choose_greedy(v, mask, r)
    elif bot >= Bot.BASIC:
        action = choose_basic(v, mask, r, styles[bot - Bot.BASIC], seed, index)
    if action < 0 or not mask[action]:
        action = choose_random(mask, seed, index)
    return action


@kernel(
    types.void(GAMES, BYTES, RULES, INTS, INTS, STYLES, MASKS, VIEWS, BYTES, BOOL, INT, INT, INTS)
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
    recall: bool,
    seed: int,
    first: int,
    out: Any,
) -> None:
    """Write into ``out[j]`` what bot ``bots[j]`` does for the seat to act in ``games[rows[j]]``.

    ``styles`` are the weights of the bots from ``BASIC`` on, a row each; ``masks`` (bool, rows as
    ``games``) are the legal actions, ``views`` (1) is workspace;
    ``game_bytes`` and ``view_bytes`` are the same memory as ``games`` and ``views``, as rows of
    uint8. The choice of place ``j`` draws its lots from ``seed`` and the counter ``first + j``.
    """
    r, v = rules[0], views[0]
    for j in range(len(rows)):
        i = rows[j]
        if bots[j] != Bot.RANDOM:
            seat = int(games[i].turn)
            fill_view(games[i], game_bytes[i], r, seat, recall, v, view_bytes[0])
        out[j] = choose(v, masks[i], r, styles, bots[j], seed, first + j)

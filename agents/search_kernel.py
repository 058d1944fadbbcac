"""Rollouts of the search: worlds drawn for a seat, in each an action, then play by a rule bot.

A *job* is one action in one world. All actions of a decision meet the same worlds and the same lots
of the bot, so their results are compared in pairs. :mod:`agents.suited_search_kernel` compiles the
same for rules with sequences.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numba import types

from canasta_env.bots.basic import choose_basic
from canasta_env.bots.random import choose_random
from canasta_env.bots.weights import WEIGHTS_DTYPE
from canasta_env.engine.bare import bare
from canasta_env.engine.borrow import borrowed
from canasta_env.engine.layout import kinds_of
from canasta_env.engine.rng import derive
from canasta_env.engine.scratch import COLUMNS
from canasta_env.engine.state import GAME_DTYPE, MAX_CARDS, RULES_DTYPE, VIEW_DTYPE, Phase
from canasta_env.engine.step import apply_action, legal_actions
from canasta_env.engine.view import fill_view
from canasta_env.engine.worlds import gather, hidden_red_threes, is_seen, resample
from canasta_env.jit import helper, kernel, mark_complete, records
from canasta_env.observation import encode
from canasta_env.rules import Rules

__all__ = ["JOB_DTYPE", "PLACES", "choosing", "roll_out", "signature"]

JOB_DTYPE: Final = np.dtype(
    [
        ("row", "i8"),  # of the batch
        ("decision", "i8"),  # its number: with the world's it gives the lots
        ("world", "i8"),
        ("action", "i8"),
        ("points", "f8"),  # result: of the seat's side above the others' mean; nan: no world
        ("cut", "?"),  # result: stopped before the end, so a network has to say what it's worth
    ]
)
"""One rollout. Jobs of a decision lie together, those of a world too."""

SEARCH: Final = 10
"""The stream of random words, after those of the engine and of the rounds."""
HIDDEN, WORLD, BRANCH = range(3)
PLACES: Final = 3
"""Games of the workspace: with what is hidden in order, a world, and a world being played."""

JOBS: Final = records(JOB_DTYPE)
WEIGHTS: Final = records(WEIGHTS_DTYPE)
INT: Final = types.int64
ROWS: Final = types.uint8[:, ::1]
SCRATCH: Final = types.int64[:, ::1]
FLAGS: Final = types.boolean[::1]


def signature(game: Any, view: Any, rules: Any, *choosing: Any) -> Any:
    """That of :func:`roll_out` for records of these dtypes; ``choosing`` are the types of the last
    part of its workspace."""
    games, views = records(game), records(view)
    space = types.Tuple((games, ROWS, views, ROWS, SCRATCH, FLAGS, *choosing))
    return types.void(ROWS, records(rules), WEIGHTS, JOBS, INT, INT, ROWS, space)


def choosing(rules: Rules, players: int) -> tuple[Any, ...]:
    """The part of the workspace in which the bot chooses: here it needs none."""
    return ()


@helper
def copy_bytes(source: Any, target: Any) -> None:
    """Copy a record, given as uint8."""
    for i in range(len(source)):
        target[i] = source[i]


@helper
def put_in_order(g: Any, seat: int) -> None:
    """Lay all cards that ``seat`` cannot place in the order of kinds: first in the hands, then in
    feet and stock, red threes last.

    The worlds drawn from this game then depend on what the seat knows alone, not by chance on where
    the cards truly lie.
    """
    kinds = kinds_of(g)
    pool = np.zeros(MAX_CARDS, np.uint8)
    counts = np.zeros(kinds, np.int64)
    for i in range(gather(g, seat, pool)):
        counts[pool[i]] += 1
    threes = hidden_red_threes(g)
    size = 0
    for k in range(kinds):
        for _ in range(counts[k]):
            pool[size] = k
            size += 1
    for _ in range(threes):
        pool[size] = 2
        size += 1
    taken = 0
    for other in range(int(g.players)):
        if other != seat:
            taken = order_hand(g, other, pool, taken)
    for other in range(int(g.players)):
        cards = 0
        for k in range(kinds):
            cards += int(g.feet[other, k])
            g.feet[other, k] = 0
        for _ in range(cards):
            g.feet[other, pool[taken]] += 1
            taken += 1
    for stream in range(int(g.streams)):
        for i in range(int(g.stock_next[stream]), int(g.stock_end[stream])):
            if not is_seen(g, i, seat):
                g.stock[i] = pool[taken]
                taken += 1


@helper
def order_hand(g: Any, other: int, pool: Any, taken: int) -> int:
    """Give a hand its known cards and the next ones of the pool; how many of it are used then."""
    asks = g.phase == Phase.ANSWER and other == g.asker
    hidden = int(g.hand_sizes[other])
    for k in range(kinds_of(g)):
        if asks:  # what the asker has laid in this turn is known, and is before less now
            g.before[k] += g.known[other, k] - g.hands[other, k]
        g.hands[other, k] = g.known[other, k]
        hidden -= int(g.known[other, k])
    for _ in range(hidden):
        card = int(pool[taken])
        g.hands[other, card] += 1
        if asks:
            g.before[card] += 1
        taken += 1
    return taken


@helper
def lead(g: Any, seat: int) -> float:
    """What the seat's side scored in the deal, above the mean of the others."""
    sides = int(g.sides)
    own, total = 0, 0
    for side in range(sides):
        total += int(g.deal_scores[side])
        if side == seat % sides:
            own = int(g.deal_scores[side])
    return own - (total - own) / (sides - 1)


@helper
def choose_one(
    v: Any, view_bytes: Any, mask: Any, r: Any, w: Any, space: Any, seed: int, index: int
) -> int:
    """What the bot does in a rollout."""
    action = choose_basic(v, mask, r, w, seed, index)
    if action < 0 or not mask[action]:
        action = choose_random(mask, seed, index)
    return action


@kernel(signature(GAME_DTYPE, VIEW_DTYPE, RULES_DTYPE))
def roll_out(
    game_bytes: Any,
    rules: Any,
    weights: Any,
    jobs: Any,
    seed: int,
    turns: int,
    leaves: Any,
    space: Any,
) -> None:
    """Do all jobs: write ``points`` and ``cut`` into each.

    ``game_bytes`` are games as rows of uint8, which stay as they are; ``weights`` (1) those of the
    bot that plays all seats. With ``turns`` above 0 a rollout stops when the seat begins so many
    turns later; ``leaves[j]`` (uint8, of an observation's size; 0 columns if ``turns`` is 0) is
    then what it sees there. ``space`` is workspace: games (:data:`PLACES`) and their bytes, views
    (1) and their bytes, a scratch, a mask and what :func:`choosing` gives.
    """
    game_bytes, jobs, leaves = borrowed(game_bytes), borrowed(jobs), borrowed(leaves)
    places, place_bytes = borrowed(space[0]), borrowed(space[1])
    views, view_bytes = borrowed(space[2]), borrowed(space[3])
    scratch, mask = bare(space[4], COLUMNS), borrowed(space[5])
    r, w, v = borrowed(rules)[0], borrowed(weights)[0], views[0]
    possible, seat, lots = False, 0, 0
    for j in range(len(jobs)):
        job = jobs[j]
        anew = j == 0 or job.decision != jobs[j - 1].decision
        if anew:
            copy_bytes(game_bytes[job.row], place_bytes[HIDDEN])
            seat = int(places[HIDDEN].turn)
            put_in_order(places[HIDDEN], seat)
        if anew or job.world != jobs[j - 1].world:
            copy_bytes(place_bytes[HIDDEN], place_bytes[WORLD])
            lots = derive(derive(seed, SEARCH, job.decision), SEARCH, job.world)
            possible = resample(places[WORLD], r, seat, lots, scratch)
        job.cut = False
        job.points = np.nan
        if not possible:
            continue
        copy_bytes(place_bytes[WORLD], place_bytes[BRANCH])
        g = places[BRANCH]
        action, begun, away = int(job.action), 0, False
        while True:
            apply_action(g, r, action, scratch)
            if g.phase == Phase.OVER:
                job.points = lead(g, seat)
                break
            turn = int(g.turn)
            fill_view(g, place_bytes[BRANCH], r, turn, True, v, view_bytes[0])
            if turn != seat:
                away = True
            elif away and g.phase == Phase.DRAW:
                away = False
                begun += 1
                if begun == turns:
                    job.cut = True
                    encode(v, r, leaves[j])
                    break
            legal_actions(g, r, scratch, mask)
            # by turn, not by choice: in each world the lots of a turn are the same for all actions
            index = int(g.discard_count)
            action = choose_one(v, view_bytes[0], mask, r, w, space, lots, index)


mark_complete(Path(__file__), __name__)  # else each import waits while others compile

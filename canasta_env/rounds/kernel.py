"""A round in one call: the learner's action, and whatever the others do until it must act again.

Where all others are rule bots, nothing else is needed. A row in which an agent of Python's must act
stops there, with that seat's view, and goes on when it is told what the agent does.
"""

from __future__ import annotations

import sys
from typing import Any, Final

import numba.core.config
import numpy as np
from numba import types

from canasta_env import batch_threads, kernels
from canasta_env.bots import Bot
from canasta_env.bots.choose import STYLES, choose_games
from canasta_env.bots.random import choose_random
from canasta_env.engine.borrow import borrowed
from canasta_env.engine.rng import below, derive
from canasta_env.engine.state import MAX_SEATS
from canasta_env.jit import helper, kernel, rebound, records
from canasta_env.rules import Rules

__all__ = ["LANE_DTYPE", "OPTIONS_DTYPE", "choosing", "play_games", "share_rows", "signature"]

LANE_DTYPE: Final = np.dtype(
    [
        ("order", "i8"),  # what to do in this row: one of those below
        ("seat", "i8"),  # the learner's
        ("owners", "i8", (MAX_SEATS,)),  # who plays the seats, in the order of play from its own
        ("following", "i8", (MAX_SEATS,)),  # who will from the next episode on
        ("waits", "i8"),  # result: the owner who must act; LEARNER too where the episode is over
        ("lots", "i8"),  # the seed of this episode's lots
        ("choices", "i8"),  # how many were drawn
        ("acted", "?"),  # the learner has acted in this episode
        ("given", "?"),  # the episode began with a given deal
        ("owed", "f8"),  # what the learner was paid and not yet told
        ("reward", "f8"),  # results of the round: what it is told
        ("deals", "i8"),  # how many deals ended
        ("points", "i8"),  # and what its side scored in them
        ("illegal", "?"),  # its action was not legal
    ]
)
"""What a row has beside the slot of its game."""

OPTIONS_DTYPE: Final = np.dtype(
    [
        ("seat", "i8"),  # the learner's; ROTATES: another one each episode
        ("illegal", "i8"),  # what becomes of an illegal action
        ("penalty", "f8"),  # what it is paid where it ends the episode
        ("win", "?"),  # pay won matches instead of points
    ]
)

HOLD, PLAY, RESUME, BEGIN, START = range(5)
"""Orders: nothing; the learner's action; that of an agent; the next episode; a given deal."""
LEARNER: Final = -1
AGENTS: Final = len(Bot)
"""Owners from here on are agents of Python's; those before are rule bots."""
ROTATES: Final = -1
RAISE, END, REPLACE = range(3)
SEAT: Final = 8  # streams of random words, after those of the engine
LOTS: Final = 9

LANES: Final = records(LANE_DTYPE)
OPTIONS: Final = records(OPTIONS_DTYPE)
INTS: Final = types.int64[::1]
FLOATS: Final = types.float32[::1]
FLOATS_OF_ROWS: Final = types.float32[:, ::1]


def signature(play_games: Any, *choosing: Any) -> Any:
    """That of :func:`play_games`, from that of the kernel which it calls and the types of what its
    workspace holds beside a scratch, the styles, and a row, a bot and an action."""
    if numba.core.config.DISABLE_JIT:
        return None
    games, game_bytes, slots, rules, settings, *rest = play_games.nopython_signatures[0].args
    views, view_bytes, scratch, deck, start, stop, observations, masks = rest
    rows = types.Tuple((slots, LANES))
    words = types.Tuple((settings, settings, OPTIONS))
    space = types.Tuple((scratch, STYLES, INTS, INTS, INTS, *choosing))
    seen = types.Tuple((observations, FLOATS, FLOATS_OF_ROWS))
    first = games, game_bytes, rows, rules, words, views, view_bytes, space
    return types.void(*first, deck, start, stop, seen, masks)


def choosing(rules: Rules, players: int) -> tuple[Any, ...]:
    """The part of a workspace in which a bot chooses: a row, the bot, and its action."""
    return np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)


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
    lots, first = int(lane.lots), int(lane.choices)
    lane.choices += 1
    if bot == Bot.RANDOM:  # as the call would, and faster
        return choose_random(masks[row], lots, first)
    styles = borrowed(space[1])
    rows, bots, out = borrowed(space[2]), borrowed(space[3]), borrowed(space[4])
    rows[0], bots[0] = row, bot
    choose_games(
        games, game_bytes, rules, rows, bots, styles, masks, views, view_bytes, recall,
        lots, first, out,
    )  # fmt: skip
    return int(out[0])


@helper
def sit_down(lane: Any, slot: Any, options: Any, seed: int, players: int, row: int) -> None:
    """Begin the learner's part of an episode: its seat, the others' and the lots."""
    episode = int(slot.episode)
    lane.seat = options.seat
    if options.seat == ROTATES:
        lane.seat = (below(seed, SEAT, 0, players) + row + episode) % players
    for place in range(players):
        lane.owners[place] = lane.following[place]
    lane.lots = derive(derive(seed, LOTS, row), LOTS, episode)
    lane.choices = 0
    lane.acted = False
    lane.owed = 0.0
    slot.action = kernels.WATCH


@helper
def clear(lane: Any) -> None:
    """Forget the results of the round before."""
    lane.reward = 0.0
    lane.deals = 0
    lane.points = 0
    lane.illegal = False


@helper
def win_share(g: Any, side: int) -> float:
    """1 for the winner of a match, a part of it for one of several, and for the others so much less
    that the sides add up to zero."""
    sides = int(g.sides)
    winners = 0
    best = g.scores[0]
    for other in range(1, sides):
        best = max(best, g.scores[other])
    for other in range(sides):
        winners += g.scores[other] == best
    share = 1.0 / winners if g.scores[side] == best else 0.0
    return (share * sides - 1.0) / (sides - 1)


@helper
def note(g: Any, lane: Any, slot: Any, options: Any) -> None:
    """Keep what a move has paid to the learner."""
    if not slot.deal_over:
        return
    side = int(lane.seat % g.sides)
    lane.deals += 1
    lane.points += slot.deal_scores[side]
    if not options.win:
        lane.owed += slot.reward[lane.seat]
    elif slot.terminated:
        lane.owed += win_share(g, side)


@helper
def pay(lane: Any) -> None:
    """Tell the learner what it was paid since its action; what comes before its first one waits."""
    if lane.acted:
        # the engine's float32 has seven digits; rounded they are whole points again
        lane.reward = np.round(1e6 * lane.owed) / 1e6
        lane.owed = 0.0


@helper
def end_illegally(lane: Any, slot: Any, options: Any) -> None:
    """End the episode, since the learner's action is not legal."""
    slot.over = True
    slot.terminated = True
    lane.owed += options.penalty


@helper
def owner_of(lane: Any, slot: Any, players: int) -> int:
    """Who must act now; the learner where nobody can."""
    if slot.over:
        return LEARNER
    return int(lane.owners[(slot.seat - lane.seat) % players])


@kernel(signature(kernels.play_games))
def play_games(
    games: Any,
    game_bytes: Any,
    rows: Any,
    rules: Any,
    words: Any,
    views: Any,
    view_bytes: Any,
    space: Any,
    deck: Any,
    start: int,
    stop: int,
    seen: Any,
    masks: Any,
) -> None:
    """Do in each row what its lane orders, and play on until it's not a bot's turn.

    The arguments are those of ``kernels.play_games``, with more in some places: ``rows`` are slots
    and lanes, ``words`` the settings, the same without observations, and the options, ``space`` a
    scratch, the styles of the bots and what :func:`choosing` gives, ``seen`` the observations,
    their scale, and where the learner's are written as floats. Then observation and mask are those
    of who must act, or at the end of an episode the learner's own, with a mask that allows action 0
    alone.
    """
    games, game_bytes, masks = borrowed(games), borrowed(game_bytes), borrowed(masks)
    views, view_bytes, deck = borrowed(views), borrowed(view_bytes), borrowed(deck)
    slots, lanes, scratch = borrowed(rows[0]), borrowed(rows[1]), borrowed(space[0])
    settings, quiet, option = borrowed(words[0]), borrowed(words[1]), borrowed(words[2])[0]
    observations, scale, floats = borrowed(seen[0]), borrowed(seen[1]), borrowed(seen[2])
    rules = borrowed(rules)
    players, recall = int(rules[0].players), settings[0].recall
    seed = int(settings[0].seed)
    for i in range(start, stop):
        slot, lane = slots[i], lanes[i]
        order = lane.order
        if order == HOLD:
            continue
        lane.order = HOLD
        if order != RESUME:
            clear(lane)
        if order == PLAY:
            lane.acted = True
            action = slot.action
            if action < 0 or action >= masks.shape[1] or not masks[i, action]:
                lane.illegal = True
                if option.illegal == REPLACE:
                    slot.action = choose_one(
                        games, game_bytes, rules, masks, views, view_bytes, space, recall, i,
                        Bot.RANDOM, lane,
                    )  # fmt: skip
                else:
                    end_illegally(lane, slot, option)
        elif order == START:
            lane.given = True
            sit_down(lane, slot, option, seed, players, i)
        begins = order == BEGIN
        while True:
            if begins:
                kernels.reset_games(games, slots, rules, settings, deck, i, i + 1)
                lane.given = False
                sit_down(lane, slot, option, seed, players, i)
            if not slot.over:
                kernels.play_games(
                    games, game_bytes, slots, rules, quiet, views, view_bytes, scratch, deck,
                    i, i + 1, observations, masks,
                )  # fmt: skip
                note(games[i], lane, slot, option)
            # an episode in which the learner had nothing to decide is none
            begins = slot.over and not lane.acted and not lane.given
            if begins:
                continue
            owner = owner_of(lane, slot, players)
            if owner == LEARNER or owner >= AGENTS:
                break
            slot.action = choose_one(
                games, game_bytes, rules, masks, views, view_bytes, space, recall, i, owner, lane
            )
        lane.waits = owner
        looks = slot.seat if owner != LEARNER else lane.seat
        kernels.view_game(games, game_bytes, i, rules, looks, recall, views, view_bytes, 0)
        kernels.encode_view(views, 0, rules, observations[i])
        if owner == LEARNER:
            for feature in range(len(scale)):
                floats[i, feature] = observations[i, feature] * scale[feature]
            pay(lane)
        if slot.over:
            for action in range(masks.shape[1]):
                masks[i, action] = action == 0


share_rows = kernel(batch_threads.signature(play_games), home=__name__)(
    rebound(batch_threads.share_rows, kernels=sys.modules[__name__])
)

"""What the entry points do: the functions that :mod:`canasta_env.kernels` compiles.

Each takes record arrays and works on the rows ``start`` to ``stop``, without the GIL, so that
slices of a batch can run on threads. What happens inside one game is decided in
:mod:`canasta_env.engine`; what a view looks like to a network in :mod:`canasta_env.observation`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from canasta_env.engine.bare import bare, prefetch
from canasta_env.engine.borrow import borrowed
from canasta_env.engine.deal import deal_cards, first_dealer, shuffled_deck
from canasta_env.engine.rng import EPISODE, SCORES, below, derive
from canasta_env.engine.scoring import match_over, next_dealer, score_side
from canasta_env.engine.scratch import COLUMNS
from canasta_env.engine.state import COMMON_FROM, HOT_TO, MAX_SEATS, MAX_SIDES, Phase
from canasta_env.engine.step import apply_action, legal_actions
from canasta_env.engine.view import derive_counts, fill_view
from canasta_env.engine.worlds import resample
from canasta_env.jit import helper
from canasta_env.observation import encode

SLOT_DTYPE: Final = np.dtype(
    [
        ("action", "i8"),  # to apply; WATCH: apply none, only observe
        ("who", "i8"),  # the seat that looks; TO_ACT: the one whose turn it is
        ("seat", "i8"),  # result: the seat to act
        ("episode", "i8"),  # how many episodes the row has begun
        ("reward", "f4", (MAX_SEATS,)),
        ("terminated", "?"),
        ("truncated", "?"),
        ("over", "?"),  # the episode has ended and waits for a reset
        ("deal_over", "?"),  # a deal ended with this step
        ("deal_scores", "i4", (MAX_SIDES,)),  # of the last deal that ended
    ]
)
"""What one row of a batch exchanges with Python beside its game, observation and mask."""

SETTINGS_DTYPE: Final = np.dtype(
    [
        ("seed", "i8"),
        ("autoreset", "i8"),
        ("episode", "i8"),
        ("max_deals", "i8"),
        ("spread", "?"),
        ("seat_streams", "?"),
        ("recall", "?"),
        ("observe", "?"),
    ]
)

WATCH: Final = -1
TO_ACT: Final = -1
OFF, NEXT_STEP, SAME_STEP = 0, 1, 2
DEAL, MATCH = 0, 1
LOWEST_SCORE: Final = -600  # of the spread: the band below zero starts here


@helper
def spread_scores(g: Any, r: Any, seed: int) -> None:
    """Starting scores from all bands of the first meld, so that training and matches meet each
    minimum."""
    for side in range(int(r.sides)):
        g.scores[side] = 0
        if r.minimum_by_deal:
            continue
        band = below(seed, SCORES, 2 * side, int(r.minimum_count))
        low = LOWEST_SCORE if band == 0 else int(r.minimum_from[band])
        high = int(r.target)
        if band + 1 < r.minimum_count:
            high = int(r.minimum_from[band + 1])
        steps = max(1, (high - low) // 5)
        g.scores[side] = low + 5 * below(seed, SCORES, 2 * side + 1, steps)
    if r.minimum_by_deal:
        g.deal = 1 + below(seed, SCORES, 0, max(1, int(r.deals)))


@helper
def begin_deal(g: Any, r: Any, dealer: int, seat_streams: bool, deck: Any) -> None:
    """Deal the deal that the game's match seed and deal number name."""
    shuffled_deck(r, int(g.match_seed), int(g.deal), deck)
    deal_cards(g, r, deck, dealer, seat_streams)


@helper
def begin_episode(g: Any, r: Any, slot: Any, settings: Any, row: int, deck: Any) -> None:
    """Start the row's next episode; it depends on the batch's seed, the row and the episode's
    number alone."""
    seed = derive(derive(int(settings.seed), EPISODE, row), EPISODE, int(slot.episode))
    slot.episode += 1
    slot.over = False
    g.match_seed = seed
    g.deal = 1
    for side in range(MAX_SIDES):
        g.scores[side] = 0
    if settings.spread:
        spread_scores(g, r, seed)
    begin_deal(g, r, first_dealer(r, seed), settings.seat_streams, deck)


@helper
def end_deal(g: Any, r: Any, slot: Any, settings: Any, deck: Any) -> None:
    """Pay the deal's rewards; then the episode ends, or the match's next deal begins."""
    sides, players = int(g.sides), int(g.players)
    slot.deal_over = True
    total = 0
    for side in range(sides):
        slot.deal_scores[side] = g.deal_scores[side]
        total += int(g.deal_scores[side])
    for seat in range(players):
        own = int(g.deal_scores[seat % sides])
        slot.reward[seat] = (own - (total - own) / (sides - 1)) / 1000.0
    if settings.episode == DEAL or match_over(g, r):
        slot.terminated = True
    elif settings.max_deals > 0 and g.deal >= settings.max_deals:
        slot.truncated = True
    else:
        dealer = next_dealer(g, r)
        g.deal += 1
        begin_deal(g, r, dealer, settings.seat_streams, deck)
    slot.over = slot.terminated or slot.truncated


@helper
def step_row(g: Any, r: Any, slot: Any, settings: Any, row: int, scratch: Any, deck: Any) -> None:
    """Apply the row's action, or reset it where the episode has ended and the mode says so."""
    for seat in range(MAX_SEATS):
        slot.reward[seat] = 0.0
    slot.terminated = False
    slot.truncated = False
    slot.deal_over = False
    if slot.over:
        if settings.autoreset == NEXT_STEP:
            begin_episode(g, r, slot, settings, row, deck)
        return
    apply_action(g, r, int(slot.action), scratch)
    if g.phase == Phase.OVER:
        end_deal(g, r, slot, settings, deck)
        if slot.over and settings.autoreset == SAME_STEP:
            begin_episode(g, r, slot, settings, row, deck)


def play_games(
    games: Any,
    game_bytes: Any,
    slots: Any,
    rules: Any,
    settings: Any,
    views: Any,
    view_bytes: Any,
    scratch: Any,
    deck: Any,
    start: int,
    stop: int,
    observations: Any,
    masks: Any,
) -> None:
    """Apply each row's action (unless it is WATCH), then write seat to act, observation and mask.

    ``game_bytes`` and ``view_bytes`` are the same memory as ``games`` and ``views``, as rows of
    uint8. ``views`` (1), ``scratch`` and ``deck`` are workspace. A seat that looks and is not to
    act gets an empty mask. In an episode that waits for its reset (autoreset next step) the mask
    allows action 0, which is ignored.
    """
    games, game_bytes, slots = borrowed(games), borrowed(game_bytes), borrowed(slots)
    views, view_bytes = borrowed(views), borrowed(view_bytes)
    deck, pointer = borrowed(deck), bare(scratch, COLUMNS)
    observations, masks = borrowed(observations), borrowed(masks)
    r, s, v = borrowed(rules)[0], borrowed(settings)[0], views[0]
    for i in range(start, stop):
        prefetch(game_bytes, i + 1, COMMON_FROM, HOT_TO)
        g = games[i]
        slot = slots[i]
        if slot.action != WATCH:
            step_row(g, r, slot, s, i, pointer, deck)
        seat = int(g.turn)
        slot.seat = seat
        looks = seat if slot.who == TO_ACT else int(slot.who)
        if s.observe:
            fill_view(g, game_bytes[i], r, looks, s.recall, v, view_bytes[0])
            encode(v, r, observations[i])
        if looks == seat:
            legal_actions(g, r, pointer, masks[i])
            if slot.over and s.autoreset == NEXT_STEP:
                masks[i, 0] = True
        else:
            for action in range(masks.shape[1]):
                masks[i, action] = False


def reset_games(
    games: Any, slots: Any, rules: Any, settings: Any, deck: Any, start: int, stop: int
) -> None:
    """Start the next episode of each row."""
    for i in range(start, stop):
        slot = slots[i]
        slot.terminated = False
        slot.truncated = False
        slot.deal_over = False
        for seat in range(MAX_SEATS):
            slot.reward[seat] = 0.0
        begin_episode(games[i], rules[0], slot, settings[0], i, deck)


def deal_game(games: Any, i: int, rules: Any, deck: Any, dealer: int, seat_streams: bool) -> None:
    """Deal a given deck to one game; its scores, deal number and match seed stay."""
    deal_cards(games[i], rules[0], deck, dealer, seat_streams)


def make_deck(rules: Any, match_seed: int, deal: int, deck: Any) -> None:
    """Write the shuffled deck of a match's deal into ``deck``."""
    shuffled_deck(rules[0], match_seed, deal, deck)


def view_game(
    games: Any,
    game_bytes: Any,
    i: int,
    rules: Any,
    seat: int,
    recall: bool,
    views: Any,
    view_bytes: Any,
    j: int,
) -> None:
    """Write the view of a seat of ``games[i]`` into ``views[j]``."""
    fill_view(games[i], game_bytes[i], rules[0], seat, recall, views[j], view_bytes[j])


def derive_game(games: Any, i: int, rules: Any) -> None:
    """Compute the counts that a game keeps beside its cards, after it was set up from outside."""
    derive_counts(games[i], rules[0])


def encode_view(views: Any, i: int, rules: Any, observation: Any) -> None:
    """Write the observation of a view."""
    encode(views[i], rules[0], observation)


def score_sheet(games: Any, i: int, rules: Any, items: Any) -> None:
    """Write the score sheet of each side as it stands: int64 (sides, ITEMS)."""
    for side in range(int(games[i].sides)):
        score_side(games[i], rules[0], side, items[side])


def following_dealer(games: Any, i: int, rules: Any) -> int:
    """After a deal: who deals the next one, -1 if the match is over."""
    if match_over(games[i], rules[0]):
        return -1
    return next_dealer(games[i], rules[0])


def opening_dealer(rules: Any, match_seed: int) -> int:
    """Who deals the first deal of a match with this seed."""
    return first_dealer(rules[0], match_seed)


def determinize_game(games: Any, i: int, rules: Any, seat: int, seed: int, scratch: Any) -> bool:
    """Resample all that ``seat`` cannot know, in place, the deals that follow included.

    False if no possible world was found.
    """
    games[i].match_seed = derive(seed, EPISODE, 0)
    return bool(resample(games[i], rules[0], seat, seed, bare(scratch, COLUMNS)))


def first_illegal(masks: Any, slots: Any, start: int, stop: int) -> int:
    """The first row whose action is not legal, -1 if none; rows that wait for a reset may hold
    any."""
    actions = masks.shape[1]
    for i in range(start, stop):
        action = slots[i].action
        if slots[i].over:
            continue
        if action < 0 or action >= actions or not masks[i, action]:
            return i
    return -1

"""Random play for the tests: games in the middle, whatever rules and players."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from canasta_env import Game, Rules

TABLES = [
    ("classic", 2),
    ("classic", 3),
    ("classic", 4),
    ("classic", 6),
    ("russian", 4),
    ("standard", 4),
    ("latvian", 4),
    ("hungarian", 2),
    ("hungarian", 4),
    ("hand_and_foot", 2),
    ("hand_and_foot", 4),
    *(("czech", players) for players in (2, 3, 4, 5, 6)),
    *(("mini", players) for players in (2, 4)),
    ("tiny", 2),
    ("classic(upcard=offer, cut_bonus=True, owed_red_threes=True)", 3),
    ("classic(red_three_discard=True, wild_melds=from_three, natural_group=True)", 4),
]
"""Rules and players that between them reach every branch of the engine."""


def pick(game: Game, rng: np.random.Generator) -> int:
    """A random legal action; one in a family first, so that melds are as likely as discards."""
    ids = np.flatnonzero(game.mask())
    families = [game.table.rows[i][0] for i in ids]
    family = rng.choice(sorted(set(families)))
    return int(rng.choice([i for i, name in zip(ids, families, strict=True) if name == family]))


def play_some(game: Game, steps: int, rng: np.random.Generator) -> Game:
    """Play so many random actions, or to the end of the deal."""
    for _ in range(steps):
        if game.over:
            break
        game.play(pick(game, rng))
    return game


def random_states(
    rules: str, players: int, deals: int, every: int = 1, seed: int = 0, **arguments: Any
) -> Iterator[tuple[Game, np.random.Generator]]:
    """One state in ``every`` of random deals, from any scores; the same object each time."""
    rng = np.random.default_rng(seed)
    for deal in range(deals):
        sides = Rules.parse(rules).sides_of(players)
        scores = [int(score) for score in rng.integers(-100, 800, sides) * 5]
        game = Game(rules, players=players, seed=seed * 1000 + deal, scores=scores, **arguments)
        step = int(rng.integers(every))
        while True:
            if step % every == 0 or game.over:
                yield game, rng
            if game.over:
                break
            game.play(pick(game, rng))
            step += 1

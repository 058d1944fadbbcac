"""A match between two rule bots, for who has the environment alone: ``python -m canasta_env match
basic greedy``.

Every deck is dealt at as many tables as there are sides, and the first bot sits on another side at
each, so luck is much the same for both. (From a checkout ``experiments.match`` plays any agents and
says more.)
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from canasta_env.batch import Batch
from canasta_env.bots.agent import BotAgent
from canasta_env.rules import Rules

__all__ = ["main", "play"]


def play(
    bots: tuple[str, str],
    rules: str | Rules = "classic",
    *,
    players: int = 4,
    decks: int = 1000,
    seed: int = 0,
) -> npt.NDArray[np.float64]:
    """The first bot's lead in points, (decks, tables): its score above the mean of the other sides.

    Args:
        bots: names, as :class:`~canasta_env.bots.agent.BotAgent` takes them; the second one plays
            on all other sides.
        rules: a preset's name, a text like ``classic(target=3000)``, or :class:`Rules`.
        players: how many players each table has.
        decks: how many are dealt, from scores spread over all bands of the first meld.
        seed: of the cards and of the bots' lots.

    Raises:
        ValueError: a bot, the rules or a number are not possible.
    """
    agents = [BotAgent(name, seed) for name in bots]
    batch = Batch(
        rules, decks, players=players, seed=seed, stock="seat_streams", autoreset="off",
        observe=False,
    )  # fmt: skip
    leads = np.zeros((decks, batch.sides))
    for table in range(batch.sides):
        batch.reset(seed=seed)
        _play_table(batch, agents, table)
        own = batch.deal_scores[:, table]
        leads[:, table] = own - (batch.deal_scores.sum(axis=1) - own) / (batch.sides - 1)
    return leads


def _play_table(batch: Batch, agents: list[BotAgent], side: int) -> None:
    """Play all games to their end, the first agent on ``side`` and the second on the others."""
    actions = np.zeros(batch.n, np.int64)
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        other = (batch.seat[rows] % batch.sides != side).astype(np.int64)
        for number, agent in enumerate(agents):
            mine = rows[other == number]
            if mine.size:
                actions[mine] = agent.act(batch, mine)
        batch.step(actions)


def main(bots: list[str], **options: Any) -> int:
    """``python -m canasta_env match``: play, and print the lead with an interval of 95 %."""
    first, second = bots
    try:
        leads = play((first, second), **options)
    except ValueError as error:
        print(f"canasta_env match: {error}", file=sys.stderr)
        return 2
    means = leads.mean(axis=1)
    margin = f"± {1.96 * means.std(ddof=1) / np.sqrt(len(means)):.0f} " if len(means) > 1 else ""
    won = (leads > 0).mean() + (leads == 0).mean() / 2
    print(
        f"{first} against {second}: {means.mean():+.0f} {margin}points a deal, "
        f"{100 * won:.1f} % of {leads.size:,} deals won"
    )
    return 0

"""What agents do in every information state of a tree, as strategies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from agents.bots import BotAgent
from canasta_env.batch import Batch
from canasta_env.bots import Bot
from experiments.exact.deals import DEALER, PLAYERS
from experiments.exact.strategy import uniform
from experiments.exact.tree import Tree
from experiments.exact.walk import Floats, Ints

__all__ = ["ASKS", "moves_of", "strategy_of", "tables"]

ASKS: Final = 32
_ROWS: Final = 4096


def strategy_of(tree: Tree, agent: Any, asks: int = ASKS) -> Floats:
    """The strategy of an agent in both seats.

    An agent with a method ``policy(batch, rows)`` gives the probabilities of its actions, (rows,
    actions). The random bot has those of its definition. Any other agent is asked ``asks`` times in
    each information state, and the shares of its answers are its strategy: exact for one that
    always answers the same, else an estimate.
    """
    if isinstance(agent, BotAgent) and agent.bot is Bot.RANDOM:
        return uniform(tree)
    found = np.zeros(len(tree.action))
    for infos, batch in tables(tree, observe=not isinstance(agent, BotAgent)):
        rows = np.arange(batch.n)
        if hasattr(agent, "policy"):
            some = slice(tree.first[infos[0]], tree.first[infos[-1] + 1])
            found[some] = agent.policy(batch, rows)[batch.mask]
            continue
        for _ in range(asks):
            found[moves_of(tree, infos, batch, agent.act(batch, rows))] += 1 / asks
    return found


def moves_of(tree: Tree, infos: Ints, batch: Batch, actions: Ints) -> Ints:
    """The moves that actions are at tables in information states."""
    places = np.cumsum(batch.mask, axis=1)[np.arange(len(infos)), actions] - 1
    return tree.first[infos] + places


def tables(tree: Tree, observe: bool) -> Iterator[tuple[Ints, Batch]]:
    """Batches whose rows stand in all information states, one in each, with the numbers of these,
    which go up by one.
    """
    deals, moves = tree.paths()
    for depth in range(len(tree.levels)):
        level = tree.infos(depth)
        for first in range(level.start, level.stop, _ROWS):
            infos = np.arange(first, min(first + _ROWS, level.stop))
            batch = Batch(tree.rules, len(infos), players=PLAYERS, autoreset="off", observe=observe)
            dealers = np.full(len(infos), DEALER)
            batch.start_deal(np.arange(len(infos)), tree.deals.decks[deals[infos]], dealers)
            for step in range(depth):
                batch.step(tree.action[moves[infos, step]])
            yield infos, batch

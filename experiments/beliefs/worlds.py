"""Is a hidden hand hypergeometric among worlds? ``python -m experiments.beliefs.worlds AGENT``.

``determinize`` draws worlds that a seat cannot tell from the true one, and weighs one thing beside
the cards: a turn under way must be able to end. So of the seat to act its law of another hand is
the hypergeometric one, except while it answers "may I go out?", when its partner's turn is under
way. The agent plays with itself; in some states of each phase worlds are drawn, and the shares in
which a hand has a card of a kind are compared with the hypergeometric chances.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
from rich.console import Console

from agents import registry
from canasta_env.batch import Batch
from canasta_env.engine.state import Phase, copy_records
from canasta_env.kernels import determinize_game, plain, workspace
from canasta_env.rules import Rules
from experiments.beliefs.counting import (
    Certain,
    certain,
    hidden_cards,
    look,
    most_copies,
    refuse_unfit,
)
from experiments.beliefs.laws import condition, hypergeometric
from experiments.beliefs.report import new_table
from experiments.command import carry_out, positive
from experiments.deals import agent_seed, unit_seeds

__all__ = ["chances", "main", "parser", "shares"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def shares(batch: Batch, row: int, draws: int, seed: int) -> Floats:
    """(H, K): the share of ``draws`` worlds of the seat to act in a row in which each other hand
    has a hidden card of each kind.

    Raises:
        ValueError: no world is possible.
    """
    rows = np.array([row])
    known = certain(look(batch, rows)).known
    kept, found = batch.games[rows], np.zeros(known.shape[1:])
    scratch = workspace()[2]
    for draw in range(draws):
        worlds = copy_records(kept)
        seat = int(batch.seat[row])
        if not determinize_game(plain(worlds), 0, plain(batch.packed), seat, seed + draw, scratch):
            raise ValueError("no possible world was found for the turn under way")
        batch.games[rows] = worlds
        found += hidden_cards(batch, rows, known)[0] > 0
    batch.games[rows] = kept
    return found / draws


def chances(sure: Certain, most: int) -> Floats:
    """(n, H, K): the hypergeometric chance of a hidden card of each kind in each hand."""
    n, hands = sure.hidden.shape
    hidden = sure.hidden.reshape(-1)
    pool = np.repeat(sure.pool, hands, axis=0)
    _, found = condition(hypergeometric(pool, hidden, most), hidden)
    some: Floats = found[..., 1:].sum(axis=2).reshape(n, hands, -1)
    return some


def distances(options: argparse.Namespace) -> dict[str, Floats]:
    """By phase, a row for each state: the mean distance of shares and chances, over hands and kinds
    that are in the pool; and what the draws alone would make it.
    """
    rules, players = Rules.parse(options.rules), options.players
    refuse_unfit(rules)
    agent = registry.make(options.agent, str(rules), players, agent_seed(options.seed, 0, 0))
    seed = int(unit_seeds(options.seed, np.zeros(1, np.int64))[0])
    batch = Batch(rules, options.deals, players=players, seed=seed, autoreset="off")
    most = most_copies(rules, players)
    found: dict[str, list[Floats]] = {}
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        for row in rows.tolist():
            of = found.setdefault(Phase(batch.games.phase[row]).name.lower(), [])
            if len(of) < options.states and batch.games.stock_size[row] % 3 == 0:
                of.append(_distance(batch, row, most, options.draws, len(of) * options.draws))
        actions = batch.mask.argmax(axis=1)
        actions[rows] = agent.act(batch, rows)
        batch.step(actions)
    return {phase: np.array(of) for phase, of in found.items() if of}


def _distance(batch: Batch, row: int, most: int, draws: int, seed: int) -> Floats:
    sure = certain(look(batch, np.array([row])))
    expected = chances(sure, most)[0][:, sure.pool[0] > 0]
    drawn = shares(batch, row, draws, seed)[:, sure.pool[0] > 0]
    chance = np.sqrt(2 / np.pi * expected * (1 - expected) / draws)
    return np.array([np.abs(drawn - expected).mean(), chance.mean()])


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(
        prog="python -m experiments.beliefs.worlds", description=__doc__
    )
    parse.add_argument("agent", metavar="AGENT", help="whose play it is")
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--deals", type=positive, default=50)
    parse.add_argument("--states", type=positive, default=100, help="of each phase, at the most")
    parse.add_argument("--draws", type=positive, default=400, help="worlds of each state")
    parse.add_argument("--seed", type=int, default=0)
    return parse


def run(options: argparse.Namespace, console: Console) -> None:
    """Plays, draws and shows; raises ValueError with one clear line."""
    caption = (
        f"{options.rules}, {options.players} players, play of {options.agent}; {options.draws} "
        "worlds a state.\nfrom draws alone: what the distance would be if the law were the same."
    )
    table = new_table(
        "shares of worlds less hypergeometric chances of a card of a kind", "phase",
        ["states", "mean distance", "from draws alone"], caption,
    )  # fmt: skip
    for phase, of in distances(options).items():
        distance, chance = of.mean(axis=0)
        table.add_row(phase, str(len(of)), f"{distance:.4f}", f"{chance:.4f}")
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    return carry_out("experiments.beliefs.worlds", partial(run, options, Console()))


if __name__ == "__main__":
    sys.exit(main())

"""Solves a small game: ``python -m experiments.solve``, or with agents ``… random greedy basic``.

Walks through every deal and every play of the rules, finds an equilibrium by CFR+ and says how many
points the best answer to each agent wins. An agent is what :mod:`experiments.match` takes: a bot's
name or the path of a checkpoint or run. Seat 1 deals, seat 0 begins; values are its points in a
deal less the other's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

from agents import registry
from canasta_env.rules import Rules
from experiments.command import carry_out
from experiments.exact.cfr import CfrPlus
from experiments.exact.deals import PLAYERS
from experiments.exact.policies import ASKS, strategy_of
from experiments.exact.strategy import best_response, exploitability, join, value
from experiments.exact.tree import Tree, grow
from experiments.exact.walk import Floats

__all__ = ["main", "parser"]


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    found = argparse.ArgumentParser(prog="python -m experiments.solve", description=__doc__)
    found.add_argument("agents", nargs="*", metavar="AGENT", help="whose exploitability to find")
    found.add_argument("--rules", default="tiny", help="a small game for two (default: tiny)")
    found.add_argument("--iterations", type=int, default=500, help="of CFR+ (default: 500)")
    found.add_argument(
        "--asks", type=int, default=ASKS,
        help=f"times that an agent with random ties is asked in each state (default: {ASKS})",
    )  # fmt: skip
    return found


def describe(tree: Tree, console: Console) -> None:
    """How large the game is."""
    states = np.bincount(tree.seat, minlength=PLAYERS)
    console.print(
        f"{tree.rules}: {len(tree.deals.decks):,} deals, {tree.histories:,} histories, "
        f"{states.sum():,} information states ({states[0]:,} of the seat that begins, "
        f"{states[1]:,} of the other) with {len(tree.action):,} moves, "
        f"at most {len(tree.levels) - 1} actions in a deal"
    )


def solve(tree: Tree, iterations: int, console: Console) -> Floats:
    """An equilibrium, near enough; says what it is worth."""
    search = CfrPlus(tree)
    search.run(iterations)
    found = search.average()
    most, least = best_response(tree, found, 0)[0], -best_response(tree, found, 1)[0]
    console.print(
        f"value of the game: between {least:.4f} and {most:.4f} points for the seat that begins "
        f"({iterations} iterations of CFR+)"
    )
    return found


def compare(tree: Tree, strategies: dict[str, Floats], equilibrium: Floats) -> Table:
    """A row for each strategy."""
    table = Table(title="points a deal, exact", title_justify="left")
    table.add_column("agent")
    for head in ("against itself", "against equilibrium", "exploitability"):
        table.add_column(head, justify="right")
    for name, strategy in strategies.items():
        both = (join(tree, strategy, equilibrium), join(tree, equilibrium, strategy))
        against = (value(tree, both[0]) - value(tree, both[1])) / 2
        cells = (value(tree, strategy), against, exploitability(tree, strategy))
        table.add_row(name, *(f"{cell:.4f}" for cell in cells))
    return table


def run(options: argparse.Namespace, console: Console) -> None:
    """Walks, solves and shows; raises ValueError with one clear line."""
    for name in ("iterations", "asks"):
        if getattr(options, name) < 1:
            raise ValueError(f"--{name}: {getattr(options, name)} is not possible; 1 or more")
    rules = Rules.parse(options.rules)
    agents = {name: registry.make(name, options.rules, PLAYERS) for name in options.agents}
    tree = grow(rules)
    describe(tree, console)
    equilibrium = solve(tree, options.iterations, console)
    strategies = {name: strategy_of(tree, one, options.asks) for name, one in agents.items()}
    console.print(compare(tree, strategies | {"equilibrium": equilibrium}, equilibrium))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    return carry_out("experiments.solve", partial(run, options, Console()))


if __name__ == "__main__":
    sys.exit(main())

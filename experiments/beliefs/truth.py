"""Beliefs beside the exact one in a small game: ``python -m experiments.beliefs.truth AGENT …``.

Walks through every history of the game, as :mod:`experiments.solve` does; an agent becomes a
strategy in the same way. A network is trained on states of deals that the agent plays with itself,
and all beliefs are compared by their expected bits a card, over the very same play. Those are
exact: only the training is drawn. Beside them stands what the network's bits are on other deals,
with the interval that :mod:`experiments.beliefs` would give it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial

from rich.console import Console
from rich.table import Table

from agents import registry
from canasta_env.rules import Rules
from experiments.beliefs.counting import most_copies
from experiments.beliefs.measures import Rate, rate
from experiments.beliefs.model import Training, judge, train
from experiments.beliefs.posterior import Bits, States, bits, posterior, states
from experiments.beliefs.report import (
    add_arguments,
    interval,
    new_table,
    refuse,
    settings_of,
    write,
)
from experiments.beliefs.samples import Play, gather
from experiments.command import carry_out, positive
from experiments.exact.deals import PLAYERS
from experiments.exact.policies import ASKS, strategy_of
from experiments.exact.tree import Tree, grow

__all__ = ["Compared", "compare", "main", "parser"]


@dataclass(frozen=True)
class Compared:
    """The beliefs about the play of an agent: their expected bits, and the learned one's on deals
    that were drawn.
    """

    expected: Bits
    drawn: Rate


def compare(name: str, tree: Tree, seen: States, options: argparse.Namespace) -> Compared:
    """Trains on the play of the agent called ``name`` and compares; raises ValueError for a name
    that is no agent's.
    """
    rules, most = tree.rules, most_copies(tree.rules, PLAYERS)
    agent = registry.make(name, str(rules), PLAYERS)
    given = posterior(tree, strategy_of(tree, agent, options.asks), seen)
    plays = (
        Play(rules, PLAYERS, deals, 1, "zero", options.seed, part)
        for part, deals in enumerate((options.test_deals, options.deals))
    )
    tested, learned = (gather(name, play) for play in plays)
    training = Training(epochs=options.epochs, seed=options.seed)
    network = train(learned, rules, PLAYERS, training)
    of_tested = judge(tested, most, network).bits
    drawn = rate(of_tested, tested, tested.certain.hidden > 0, options.level)
    return Compared(bits(given, seen, most, network), drawn)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.beliefs.truth", description=__doc__)
    parse.add_argument("agents", nargs="+", metavar="AGENT", help="a bot, or a checkpoint's path")
    parse.add_argument("--rules", default="tiny", help="a game for two that can be walked through")
    parse.add_argument("--deals", type=positive, default=5_000, help="to train on")
    parse.add_argument("--test-deals", type=positive, default=2_000, help="to test on")
    parse.add_argument("--epochs", type=positive, default=Training.epochs)
    parse.add_argument("--asks", type=positive, default=ASKS, help="of an agent, in each state")
    add_arguments(parse)
    return parse


def _table(found: dict[str, Compared], options: argparse.Namespace) -> Table:
    """A row for each belief, a column for each agent."""
    caption = (
        f"{options.deals:,} deals to train on, {options.test_deals:,} to test on, seed "
        f"{options.seed};\nall but the last row are exact expectations."
    )
    title = f"{options.rules}: bits a hidden card in the play of"
    table = new_table(title, "belief", list(found), caption)
    for belief in (field.name for field in fields(Bits)):
        cells = (f"{getattr(one.expected, belief):.4f}" for one in found.values())
        table.add_row(belief.replace("_", " "), *cells)
    drawn = (interval(one.drawn, ".4f") for one in found.values())
    table.add_row("learned, on drawn deals", *drawn)
    return table


def run(options: argparse.Namespace, console: Console) -> None:
    """Walks, trains, compares and shows; raises ValueError or OSError with one clear line."""
    refuse(options, [options.json])
    rules = Rules.parse(options.rules)
    tree = grow(rules)
    seen = states(tree)
    found = {name: compare(name, tree, seen, options) for name in options.agents}
    console.print(_table(found, options))
    if options.json:
        whole = settings_of(options, rules, PLAYERS, options.agents)
        write(options.json, whole | {"bits": {name: asdict(of) for name, of in found.items()}})
        console.print(f"wrote {options.json}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    work = partial(run, options, Console())
    return carry_out("experiments.beliefs.truth", work, "interrupted; nothing was written")


if __name__ == "__main__":
    sys.exit(main())

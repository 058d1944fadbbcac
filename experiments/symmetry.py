"""How far agents are from symmetric: ``python -m experiments.symmetry AGENT …``.

The rules do not tell a four from a five (:mod:`canasta_env.symmetry`), but an agent may. Each agent
plays deals with itself in all seats; in one of ``--every`` steps each state, if there is a choice,
is shown to it again with its cards relabelled, by another symmetry each time, and its answer is
relabelled back. An agent is what :mod:`experiments.match` takes.

Of networks the measure is the Kullback-Leibler divergence from the policy to the relabelled one, in
nats, at the temperature that the agent draws with (1 for one that plays greedily). Of every agent
it is the share of choices that become others; since ties are drawn by lot, beside it stands the
share that become others when the same state is asked again. A symmetric network that plays greedily
has changed choices too: of two that it holds exactly equal it takes the one with the lower number.
The unit of the intervals is the deal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from rich import box
from rich.console import Console
from rich.table import Table

from canasta_env.batch import Batch
from canasta_env.rules import Rules
from canasta_env.symmetry import Relabelling, Symmetries, symmetries
from canasta_env.symmetry_records import relabel_games
from experiments.command import carry_out, check_level, positive
from experiments.deals import unit_seeds
from experiments.policies import divergence, has_policy, policy_of, twins
from experiments.stats import mean_interval

__all__ = ["Distance", "Probe", "distance", "main", "of_name", "parser"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ROUNDING: Final = 1e-9
"""Nats below this are those of networks' sums in another order."""


@dataclass(frozen=True)
class Probe:
    """What is asked: the table, how many deals are played, and once in how many steps."""

    rules: Rules
    players: int
    deals: int
    every: int
    seed: int


@dataclass(frozen=True)
class Distance:
    """How far an agent is from symmetric; one number for each deal in which it had a choice.

    Attributes:
        states: how many states were asked about, in all deals.
        nats: mean divergence, None for an agent that has no probabilities.
        changed: share of choices that become others when the cards are relabelled.
        again: share that become others when the same state is asked again.
    """

    states: int
    nats: Floats | None
    changed: Floats
    again: Floats


def distance(playing: Any, asked: Any, probe: Probe) -> Distance:
    """Lets an agent play with itself and asks it about relabelled states.

    ``playing`` and ``asked`` are the same agent, made twice, so that its lots in play do not depend
    on what it is asked.

    Raises:
        ValueError: the rules have no symmetries, or no state with a choice was reached.
    """
    group = symmetries(probe.rules, probe.players)
    if group.order == 1:
        raise ValueError(f"{probe.rules} with {probe.players} players has no symmetries to test")
    seed = int(unit_seeds(probe.seed, np.zeros(1, np.int64))[0])
    batch, shown = (
        Batch(probe.rules, probe.deals, players=probe.players, seed=seed, autoreset="off")
        for _ in range(2)
    )
    rng, found, step = np.random.default_rng(probe.seed), _Sums(probe.deals), 0
    first = int(rng.integers(probe.every))
    while not batch.over.all():
        if step % probe.every == first:
            _ask(asked, batch, shown, group, rng, found)
        rows = np.flatnonzero(~batch.over)
        actions = batch.mask.argmax(axis=1)
        actions[rows] = playing.act(batch, rows)
        batch.step(actions)
        step += 1
    return found.means()


def of_name(name: str, probe: Probe) -> Distance:
    """The distance of the agent called ``name``; raises ValueError as :func:`distance` does, or if
    it is no agent's name."""
    return distance(*twins(name, probe.rules, probe.players, probe.seed), probe)


def _ask(
    agent: Any,
    batch: Batch,
    shown: Batch,
    group: Symmetries,
    rng: np.random.Generator,
    found: _Sums,
) -> None:
    """Asks about the batch's states in which there is a choice, twice as they are and once with
    relabelled cards, which ``shown`` is used for."""
    rows = np.flatnonzero(~batch.over & (np.count_nonzero(batch.mask, axis=1) > 1))
    if not rows.size:
        return
    change = _some(group, rng, batch.n)
    shown.games.view(np.ndarray)[:] = relabel_games(change, batch.games)
    shown.refresh()
    back = change[rows].inverse()
    one, two = agent.act(batch, rows), agent.act(batch, rows)
    relabelled = group.action_ids(back, agent.act(shown, rows))
    nats = None
    if has_policy(agent):
        policies = group.masks(back, policy_of(agent, shown, rows))
        nats = divergence(policy_of(agent, batch, rows), policies)
    found.add(rows, nats, one != relabelled, one != two)


def _some(group: Symmetries, rng: np.random.Generator, n: int) -> Relabelling:
    """``n`` relabellings drawn uniformly from all but the identity."""
    drawn, one = group.sample(rng, n), group.identity()
    while True:
        idle = (drawn.ranks == one.ranks).all(1) & (drawn.suits == one.suits).all(1)
        if not idle.any():
            return drawn
        others = group.sample(rng, int(idle.sum()))
        drawn.ranks[idle], drawn.suits[idle] = others.ranks, others.suits


class _Sums:
    """Sums over the states of each deal."""

    def __init__(self, deals: int) -> None:
        self.states = np.zeros(deals, np.int64)
        self.changed, self.again, self.nats = (np.zeros(deals) for _ in range(3))
        self.has_nats = False

    def add(self, rows: Ints, nats: Floats | None, changed: Any, again: Any) -> None:
        """One state of each of ``rows``."""
        self.states[rows] += 1
        self.changed[rows] += changed
        self.again[rows] += again
        if nats is not None:
            self.has_nats = True
            self.nats[rows] += nats

    def means(self) -> Distance:
        """The means of the deals that have a state; raises ValueError if none has."""
        there = self.states > 0
        if not there.any():
            raise ValueError("no state with a choice was reached; ask about more deals")
        sums = (self.nats, self.changed, self.again)
        nats, changed, again = (of[there] / self.states[there] for of in sums)
        states = int(self.states.sum())
        return Distance(states, nats if self.has_nats else None, changed, again)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.symmetry", description=__doc__)
    parse.add_argument("agents", nargs="+", metavar="AGENT", help="a bot, or a checkpoint's path")
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--deals", type=positive, default=200, help="that each agent plays")
    parse.add_argument("--every", type=positive, default=5, help="ask once in so many steps")
    parse.add_argument("--seed", type=int, default=0, help="of deals, relabellings and agents")
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    return parse


def _cell(values: Floats | None, level: float, form: str) -> str:
    """A mean with its interval as text, each number in a format, and as 0 what only rounding made;
    a dash where there is none."""
    if values is None:
        return "–"
    found = mean_interval(values, level=level)
    numbers = (float(values.mean()), found.low, found.high)
    mean, low, high = (format(x if abs(x) > _ROUNDING else 0.0, form) for x in numbers)
    return f"{mean} [{low}, {high}]"


def run(options: argparse.Namespace, console: Console) -> None:
    """Plays, asks and shows; raises ValueError or OSError with one clear line."""
    check_level(options.level)
    if options.seed < 0:
        raise ValueError(f"--seed {options.seed} is not possible; a whole number from 0 on")
    rules = Rules.parse(options.rules)
    probe = Probe(rules, options.players, options.deals, options.every, options.seed)
    found = {name: of_name(name, probe) for name in options.agents}
    console.print(_table(probe, found, options.level))


def _table(probe: Probe, found: dict[str, Distance], level: float) -> Table:
    """A row for each agent."""
    order = symmetries(probe.rules, probe.players).order
    table = Table(
        title=f"{probe.rules}, {probe.players} players, {probe.deals} deals: "
        f"distance from {order:,} symmetries",
        title_justify="left",
        box=box.SIMPLE,
    )
    table.add_column("agent", overflow="fold")
    for head in ("states", "nats", "% changed", "% again"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, one in found.items():
        cells = (
            _cell(one.nats, level, ".2g"),
            _cell(100 * one.changed, level, ".1f"),
            format(100 * one.again.mean(), ".1f"),
        )
        table.add_row(name, f"{one.states:,}", *cells)
    return table


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    return carry_out("experiments.symmetry", partial(run, options, Console()))


if __name__ == "__main__":
    sys.exit(main())

"""How unlike the agents of a population are: ``python -m experiments.diversity AGENT AGENT …``.

Agents that differ in name or seed may play alike. Each agent plays deals with itself in all seats,
all of them the same decks; in one of ``--every`` steps every agent is asked for its probabilities
in the states that were reached, so all are asked about the same states, which come from all of them
alike. An agent must have probabilities: a network at the temperature that it draws with (``runs/x``
at 1, as ``runs/x@1``).

In nats, means over states:

- the entropy of the mean policy, which a maximum-entropy population is trained to raise;
- the mean entropy of the members' own policies;
- their difference, the Jensen-Shannon divergence: 0 if all play alike, at most the logarithm of the
  number of agents. It says how much the choice betrays who made it.

The first two rise where members play at random, without being unlike; the third does not. The unit
of the intervals is the deck, over the deals that all agents played with it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from rich import box
from rich.console import Console
from rich.table import Table

from canasta_env.batch import Batch
from canasta_env.rules import Rules
from experiments.command import carry_out, check_level, positive
from experiments.deals import unit_seeds
from experiments.policies import has_policy, policy_of, twins
from experiments.stats import mean_interval

__all__ = ["Diversity", "Probe", "diversity", "entropies", "main", "of_names", "parser"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Probe:
    """What is asked: the table, the decks that each agent plays, and once in how many steps."""

    rules: Rules
    players: int
    decks: int
    every: int
    seed: int


@dataclass(frozen=True)
class Diversity:
    """How unlike agents are, in nats; means of each deck in which there was a choice.

    Attributes:
        states: how many states all agents were asked about.
        mean: entropy of the mean policy, (decks,).
        own: mean entropy of the agents' policies, (decks,).
        pairs: Jensen-Shannon divergence of each two agents, its mean over states (agents, agents).
    """

    states: int
    mean: Floats
    own: Floats
    pairs: Floats

    @property
    def divergence(self) -> Floats:
        """The Jensen-Shannon divergence of all agents, (decks,)."""
        return self.mean - self.own


def entropies(policies: Floats) -> Floats:
    """The entropy in nats of each policy along the last axis, zeros allowed: (..., A) to (...)."""
    logarithms = np.log(policies, out=np.zeros_like(policies), where=policies > 0)
    found: Floats = -(policies * logarithms).sum(-1)
    return found


def diversity(playing: Sequence[Any], asked: Sequence[Any], probe: Probe) -> Diversity:
    """Lets each agent play with itself, and asks all of them about the states.

    ``playing`` and ``asked`` are the same agents, made twice, so that lots in play do not depend on
    the questions.

    Raises:
        ValueError: fewer than two agents, one without probabilities, or no state with a choice.
    """
    if len(playing) < 2:
        raise ValueError("name two agents or more; one alone has nothing to be unlike")
    for agent in asked:
        if not has_policy(agent):
            raise ValueError(f"{agent.name}: has no probabilities that can be asked for")
    found = _Sums(len(asked), probe.decks)
    for agent in playing:
        _play(agent, asked, probe, found)
    return found.means()


def _play(agent: Any, asked: Sequence[Any], probe: Probe, found: _Sums) -> None:
    """The deals of one agent with itself, and what all say of their states."""
    seed = int(unit_seeds(probe.seed, np.zeros(1, np.int64))[0])
    batch = Batch(probe.rules, probe.decks, players=probe.players, seed=seed, autoreset="off")
    first, step = int(np.random.default_rng(probe.seed).integers(probe.every)), 0
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        free = rows[np.count_nonzero(batch.mask[rows], axis=1) > 1]
        if step % probe.every == first and free.size:
            found.add(free, np.stack([policy_of(one, batch, free) for one in asked]))
        actions = batch.mask.argmax(axis=1)
        actions[rows] = agent.act(batch, rows)
        batch.step(actions)
        step += 1


class _Sums:
    """Sums over the states of each deck, and over all states for each two agents."""

    def __init__(self, agents: int, decks: int) -> None:
        self.states = np.zeros(decks, np.int64)
        self.mean, self.own = np.zeros(decks), np.zeros(decks)
        self.pairs = np.zeros((agents, agents))

    def add(self, rows: npt.NDArray[np.int64], policies: Floats) -> None:
        """What all agents say, (agents, rows, A), of one state of each of ``rows``."""
        own = entropies(policies)
        self.states[rows] += 1
        self.mean[rows] += entropies(policies.mean(0))
        self.own[rows] += own.mean(0)
        for i in range(len(policies)):
            both = entropies((policies[i] + policies) / 2) - (own[i] + own) / 2
            self.pairs[i] += both.sum(1)

    def means(self) -> Diversity:
        """The means of the decks that have a state; raises ValueError if none has."""
        there = self.states > 0
        if not there.any():
            raise ValueError("no state with a choice was reached; ask about more decks")
        count, total = self.states[there], int(self.states.sum())
        mean, own = self.mean[there] / count, self.own[there] / count
        return Diversity(total, mean, own, self.pairs / total)


def of_names(names: Sequence[str], probe: Probe) -> Diversity:
    """The diversity of the agents called so; raises ValueError as :func:`diversity` does, or if a
    name is no agent's."""
    made = [twins(name, probe.rules, probe.players, probe.seed) for name in names]
    playing, asked = zip(*made, strict=True)
    return diversity(playing, asked, probe)


# --- command ------------------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.diversity", description=__doc__)
    parse.formatter_class = argparse.RawDescriptionHelpFormatter
    parse.add_argument("agents", nargs="+", metavar="AGENT", help="a checkpoint's path, or others")
    parse.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--decks", type=positive, default=50, help="that each agent plays")
    parse.add_argument("--every", type=positive, default=5, help="ask once in so many steps")
    parse.add_argument("--seed", type=int, default=0, help="of decks and agents")
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parse.add_argument("--pairs", action="store_true", help="show each two agents, too")
    return parse


def _cell(values: Floats, level: float) -> str:
    """A mean with its interval."""
    found = mean_interval(values, level=level)
    return f"{values.mean():.3f} [{found.low:.3f}, {found.high:.3f}]"


def summary(found: Diversity, names: Sequence[str], probe: Probe, level: float) -> Table:
    """The three measures."""
    table = Table(
        title=f"{len(names)} agents, {probe.rules}, {found.states:,} states of {probe.decks} decks "
        "each: nats",
        title_justify="left", box=box.SIMPLE,
    )  # fmt: skip
    table.add_column("")
    table.add_column(f"{level:.0%}", justify="right", no_wrap=True)
    table.add_row("entropy of the mean policy", _cell(found.mean, level))
    table.add_row("mean entropy of their own", _cell(found.own, level))
    table.add_row("Jensen-Shannon divergence", _cell(found.divergence, level))
    count = len(names)
    table.add_row("of two agents, mean", f"{found.pairs.sum() / (count * (count - 1)):.3f}")
    return table


def matrix(found: Diversity, names: Sequence[str]) -> Table:
    """The divergence of each two agents."""
    table = Table(title="Jensen-Shannon divergence: nats", title_justify="left", box=box.SIMPLE)
    table.add_column("agent", overflow="fold")
    for place in range(len(names)):
        table.add_column(str(place), justify="right", no_wrap=True)
    for place, (name, row) in enumerate(zip(names, found.pairs, strict=True)):
        table.add_row(f"{place} {name}", *(f"{value:.3f}" for value in row))
    return table


def run(options: argparse.Namespace, console: Console) -> None:
    """Plays, asks and shows; raises ValueError or OSError with one clear line."""
    check_level(options.level)
    if options.seed < 0:
        raise ValueError(f"--seed {options.seed} is not possible; a whole number from 0 on")
    rules = Rules.parse(options.rules)
    probe = Probe(rules, options.players, options.decks, options.every, options.seed)
    found = of_names(options.agents, probe)
    console.print(summary(found, options.agents, probe, options.level))
    if options.pairs:
        console.print(matrix(found, options.agents))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    return carry_out("experiments.diversity", partial(run, options, Console()))


if __name__ == "__main__":
    sys.exit(main())

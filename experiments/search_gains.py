"""What a search could gain in one decision, and how much noise it has to see through:
``python -m experiments.search_gains``.

The rollout bot plays deals. In a share of its decisions every legal action is rolled out in the
same many worlds: one half of them chooses the best action, the other half says what it gains over
the bot's own. All figures are points of the deal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

from agents.search import Decision, Options, SearchAgent
from canasta_env.batch import Batch
from canasta_env.engine.state import FAMILIES
from experiments.command import carry_out, positive

__all__ = ["Found", "decisions", "main"]

_KINDS: Final = {"draw": "draw or take", "take": "draw or take", "discard": "discard"}
"""Families of the bot's action by their first word; all others are melds."""


@dataclass(frozen=True)
class Found:
    """One decision.

    ``gain``: of the best action over the bot's, in worlds that did not choose it. ``noise``: the
    standard deviation over worlds of a difference of two actions, the mean over actions;
    ``spread``: that of the bot's action alone. ``better``: whether the best was another than the
    bot's.
    """

    kind: str
    stock: int
    actions: int
    gain: float
    noise: float
    spread: float
    better: bool


def decisions(
    rules: str, players: int, deals: int, share: float, worlds: int, seed: int
) -> Iterator[Found]:
    """Plays deals by the rollout bot and looks into a share of its decisions."""
    batch = Batch(
        rules, deals, players=players, seed=seed, stock="seat_streams", autoreset="off",
        observe=False,
    )  # fmt: skip
    agent, rng, number = SearchAgent(Options(), seed=seed), np.random.default_rng(seed), 0
    families = batch.packed[0].family
    while not batch.over.all():
        rows = np.flatnonzero(~batch.over)
        actions = np.zeros(deals, np.int64)
        actions[rows] = agent.bot.act(batch, rows)
        free = rows[batch.mask[rows].sum(axis=1) > 1]
        for row in free[rng.random(len(free)) < share]:
            family = FAMILIES[int(families[actions[row]])]
            points, own = roll_out(agent, batch, int(row), number, int(actions[row]), worlds)
            yield judge(family, int(batch.games.stock_size[row]), points, own)
            number += 1
        batch.step(actions)


def roll_out(
    agent: SearchAgent, batch: Batch, row: int, number: int, own: int, worlds: int
) -> tuple[Any, int]:
    """The points (worlds, actions) of all legal actions, and which of them is the bot's."""
    legal = np.flatnonzero(batch.mask[row])
    decision = Decision(row, number, legal, own, 0)
    decision.rounds = [(len(legal), worlds)]
    decision.take(agent.evaluate(batch, decision.jobs()))
    return decision.points, decision.own


def judge(family: str, stock: int, points: Any, own: int) -> Found:
    """What the points say, half of the worlds against the other."""
    differences = points - points[:, [own]]
    half = len(points) // 2
    best = int(differences[:half].mean(axis=0).argmax())
    noise = np.delete(differences, own, axis=1).std(axis=0).mean()
    return Found(
        _KINDS.get(family.partition("_")[0], "meld"), stock, points.shape[1],
        float(differences[half:, best].mean()), float(noise), float(points[:, own].std()),
        best != own,
    )  # fmt: skip


def table(found: Sequence[Found], late: int) -> Table:
    """A row for all decisions, for each half of the deal and for each kind of decision."""
    shown = Table(title="what one decision could gain, in points", box=box.SIMPLE)
    shown.title_justify = shown.caption_justify = "left"
    shown.caption = f"late: {late} cards in the stock or fewer"
    heads = ("decisions", "actions", "another is best", "gain", "±", "noise", "spread")
    shown.add_column("")
    for head in heads:
        shown.add_column(head, justify="right")
    groups: dict[str, list[Found]] = {"all": list(found), "late": [], "early": []}
    for one in found:
        groups["late" if one.stock <= late else "early"].append(one)
        groups.setdefault(one.kind, []).append(one)
    for name, group in groups.items():
        if len(group) > 1:
            gains = np.array([one.gain for one in group])
            error = 1.96 * gains.std(ddof=1) / len(gains) ** 0.5
            means = [
                float(np.mean([getattr(one, field) for one in group]))
                for field in ("actions", "better", "noise", "spread")
            ]
            shown.add_row(
                name, str(len(group)), f"{means[0]:.1f}", f"{100 * means[1]:.0f} %",
                f"{gains.mean():+.0f}", f"{error:.0f}", f"{means[2]:.0f}", f"{means[3]:.0f}",
            )  # fmt: skip
    return shown


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.search_gains", description=__doc__)
    parse.add_argument("--rules", default="classic")
    parse.add_argument("--players", type=int, default=4)
    parse.add_argument("--deals", type=positive, default=64)
    parse.add_argument("--share", type=float, default=0.03, help="of the decisions")
    parse.add_argument("--worlds", type=positive, default=300)
    parse.add_argument("--late", type=positive, default=40, help="cards in the stock at the most")
    parse.add_argument("--seed", type=int, default=0)
    return parse


def run(options: argparse.Namespace, console: Console) -> None:
    """Looks and shows; raises ValueError with one clear line."""
    if options.worlds < 4:
        raise ValueError(f"--worlds {options.worlds} is too few; each half needs two")
    found = list(
        decisions(options.rules, options.players, options.deals, options.share, options.worlds,
                  options.seed)
    )  # fmt: skip
    console.print(table(found, options.late))


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    return carry_out("experiments.search_gains", partial(run, options, Console()))


if __name__ == "__main__":
    sys.exit(main())

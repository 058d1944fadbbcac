"""What the PPO trainer makes of the machine: ``python -m experiments.bench_ppo``.

The trainer's own arithmetic bound is ``1 / (1 / forward + epochs / training)`` decisions a second:
``forward`` is the network alone on as many rows as it decides for in one step, ``training`` its
forward and backward pass with a plain square loss and Adam on a minibatch. Bound and trainer take
turns in one run, so that other work on the machine falls on both; the ratio is the median over the
rounds. A *decision* is a move with a choice (it is trained on), a *move* is any step of a game.

With sb3-contrib installed, its MaskablePPO plays the same batch with the same network, minibatch
and epochs; it has no forced moves, so it is compared by moves.
"""

from __future__ import annotations

import copy
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import tyro

from train import ppo


@dataclass(frozen=True)
class Args:
    """Settings of the benchmark."""

    trainer: ppo.Args = field(default_factory=ppo.Args)
    rounds: int = 5
    """rounds of bound and trainer, after one to warm up"""
    sb3: bool = True
    """compare with sb3-contrib's MaskablePPO"""
    sb3_games: tuple[int, ...] = (256, 1024)
    """numbers of games tried for MaskablePPO; the fastest counts"""


def rate(work: Callable[[], Any], rows: int, seconds: float = 0.5) -> float:
    """Rows a second, over at least ``seconds``."""
    work()
    began = time.perf_counter()
    count = 0
    while time.perf_counter() - began < seconds:
        work()
        count += 1
    return count * rows / (time.perf_counter() - began)


class Bound:
    """The network of a trainer, alone: how fast it decides and how fast it can be trained."""

    def __init__(self, trainer: ppo.Trainer) -> None:
        self.args = trainer.args
        self.network = copy.deepcopy(trainer.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), fused=True)
        rows = trainer.rollout.observation.flatten(0, 1)
        decided = torch.from_numpy(np.flatnonzero(trainer.rollout.mask.flatten(0, 1).sum(1) > 1))
        share = len(decided) / (len(rows) - trainer.batch.players * trainer.batch.n)
        self.few = rows[decided[: max(1, round(share * trainer.batch.n))]]
        self.many = rows[decided[: self.args.minibatch]]

    def forward(self) -> None:
        """One step's decisions."""
        with torch.inference_mode():
            self.network(self.few)

    def training(self) -> None:
        """One minibatch."""
        logits, value = self.network(self.many)
        self.optimizer.zero_grad(set_to_none=True)
        (logits.square().mean() + value.square().mean()).backward()
        self.optimizer.step()

    def measure(self) -> tuple[float, float, float]:
        """Forward, training and bound, in decisions a second, with torch's own threads."""
        torch.set_num_threads(self.args.threads)
        forward = rate(self.forward, len(self.few))
        training = rate(self.training, len(self.many))
        torch.set_num_threads(1)
        return forward, training, 1 / (1 / forward + self.args.epochs / training)


def bench_trainer(args: Args) -> float:
    """Prints the rounds; the median of moves a second."""
    trainer = ppo.Trainer(args.trainer)
    trainer.update()
    bound = Bound(trainer)
    rows = []
    for _ in range(args.rounds):
        forward, training, limit = bound.measure()
        numbers = trainer.update()
        decisions, moves = numbers["decisions_per_second"], numbers["steps_per_second"]
        rows.append((forward, training, limit, decisions, moves, decisions / limit))
        print("  ".join(f"{x:>9,.0f}" for x in rows[-1][:-1]), f"{rows[-1][-1]:8.0%}", flush=True)
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    names = ("forward", "training", "bound", "decisions", "moves")
    print("medians:", ", ".join(f"{n} {x:,.0f}/s" for n, x in zip(names, medians, strict=False)))
    print(f"the trainer reaches {medians[-1]:.0%} of its bound")
    return float(medians[4])


def bench_sb3(args: Args) -> float:
    """Moves a second of MaskablePPO at the best of ``sb3_games``."""
    from experiments.sb3_batch import maskable_ppo

    best = 0.0
    for games in args.sb3_games:
        steps = max(1, args.trainer.num_games * args.trainer.rollout // games)
        model = maskable_ppo(args.trainer, games, steps)
        model.learn(1)
        began = time.perf_counter()
        model.learn(2 * games * steps)
        moves = 2 * games * steps / (time.perf_counter() - began)
        print(f"MaskablePPO, {games} games: {moves:,.0f} moves/s", flush=True)
        best = max(best, moves)
    return best


def main() -> None:
    """The command."""
    args = tyro.cli(Args, description=__doc__)
    print("  ".join(f"{n:>9}" for n in ("forward", "training", "bound", "decisions", "moves")))
    ours = bench_trainer(args)
    if args.sb3:
        theirs = bench_sb3(args)
        print(f"the trainer makes {ours / theirs:.1f} times the moves of MaskablePPO")


if __name__ == "__main__":
    main()

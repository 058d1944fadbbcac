"""What the trainer of Monte-Carlo values makes of the machine: ``python -m experiments.bench_dmc``.

Its arithmetic bound is ``1 / (1 / forward + reuse / training)`` decisions a second: ``forward`` is
the network alone on as many rows as it decides for in one step, ``training`` its forward and
backward pass with a plain square loss and Adam on a minibatch, both with the trainer's threads. A
*decision* is a move with a choice; it is trained on ``reuse`` times.

Bound and trainer take turns, so that other work on the machine falls on both; the ratio is the
median over the rounds.
"""

from __future__ import annotations

import copy
import statistics
from dataclasses import dataclass, field
from typing import Any

import torch
import tyro
from torch import Tensor

from experiments.bench_ppo import rate
from train import dmc
from train.workers import Descent

NAMES = ("forward", "training", "bound", "decisions", "of bound")


@dataclass(frozen=True)
class Args:
    """Settings of the benchmark."""

    trainer: dmc.Args = field(default_factory=dmc.Args)
    warm: int = 8
    """updates before the first round; in the first ones no deal ends"""
    updates: int = 5
    """updates of the trainer in a round: the deals that end differ from one to the next"""
    rounds: int = 5
    seconds: float = 0.5
    """shortest time in which a part of the bound is measured"""


class Bound:
    """The network of a trainer, alone: how fast it decides and how fast it can be trained.

    Args:
        trainer: one that has finished deals already.
        seconds: as in the settings.
    """

    def __init__(self, trainer: dmc.Trainer, seconds: float) -> None:
        self.args, self.workers, self.seconds = trainer.args, trainer.workers, seconds
        self.network = copy.deepcopy(trainer.network)
        self.descent = Descent(self.network, self.args.learning_rate, self.args.max_grad_norm)
        rows = trainer.finished.tensors["observation"][: len(trainer.finished)]
        share = trainer.decisions / trainer.steps
        self.few = rows[: max(1, round(share * trainer.batch.n))]
        self.many = rows[: self.args.minibatch]

    def _forward(self, rows: Tensor, _: torch.Generator) -> None:
        with torch.inference_mode():
            self.network.judge(rows)

    def _gradient(self, rows: Tensor, _: torch.Generator) -> Tensor:
        logits, value = self.network.judge(rows)
        loss = logits.square().mean() + value.square().mean()
        gradients = torch.autograd.grad(loss, tuple(self.network.parameters()))
        return torch.cat([gradient.flatten() for gradient in gradients])

    def _step(self) -> None:
        self.descent.step(self.workers.share(self._gradient, self.many))

    def measure(self) -> tuple[float, float, float]:
        """Forward, training and bound, in decisions a second."""
        few, many = len(self.few), len(self.many)
        forward = rate(lambda: self.workers.share(self._forward, self.few), few, self.seconds)
        training = rate(self._step, many, self.seconds)
        return forward, training, 1 / (1 / forward + self.args.reuse / training)


def play(trainer: Any, updates: int) -> float:
    """Decisions a second over some updates."""
    decisions, seconds = trainer.decisions, trainer.seconds
    for _ in range(updates):
        trainer.update()
    return float((trainer.decisions - decisions) / (trainer.seconds - seconds))


def bench(args: Args) -> None:
    """Prints the rounds and what follows from them."""
    trainer = dmc.Trainer(args.trainer)
    play(trainer, args.warm)
    bound = Bound(trainer, args.seconds)
    print("  ".join(f"{name:>9}" for name in NAMES))
    shares = []
    for _ in range(args.rounds):
        numbers = bound.measure()
        decisions = play(trainer, args.updates)
        shares.append(decisions / numbers[-1])
        line = [f"{number:>9,.0f}" for number in (*numbers, decisions)]
        print("  ".join([*line, f"{shares[-1]:9.0%}"]), flush=True)
    print(f"the trainer reaches {statistics.median(shares):.0%} of its bound")


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    bench(tyro.cli(Args, args=arguments, description=__doc__))


if __name__ == "__main__":
    main()

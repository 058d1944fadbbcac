"""What the PPO trainer makes of the machine: ``python -m experiments.bench_ppo``.

The trainer's own arithmetic bound is ``1 / (1 / forward + epochs / training)`` decisions a second:
``forward`` is the network alone on as many rows as it decides for in one step, ``training`` its
forward and backward pass with a plain square loss and Adam on a minibatch. Each is the faster of
two ways to use the cores: torch's own threads in every operation, or the trainer's, each with its
part of the rows. A *decision* is a move with a choice (it is trained on), a *move* is any step of a
game.

Options of the trainer need more passes, and the bound has them: a critic judges each decision once
and is trained with the network, a magnet judges each once, past selves decide for their seats. What
rule bots cost isn't in it, nor what reading hidden hands and chances to win does.

With sb3-contrib installed, its MaskablePPO plays the same batch with the same network and as many
epochs; it has no forced moves, so it is compared by moves. It is tried with several numbers of
games, minibatches and threads of torch, and the fastest two go on.

Bound, trainer and MaskablePPO take turns in one run, so that other work on the machine falls on
all; the ratios are medians over the rounds.
"""

from __future__ import annotations

import copy
import itertools
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import tyro
from torch import Tensor

from train import ppo
from train.workers import Descent


@dataclass(frozen=True)
class Args:
    """Settings of the benchmark."""

    trainer: ppo.Args = field(default_factory=ppo.Args)
    rounds: int = 5
    """rounds of bound, trainer and MaskablePPO, after one to warm up"""
    sb3: bool = True
    """compare with sb3-contrib's MaskablePPO"""
    sb3_games: tuple[int, ...] = (256, 1024)
    """numbers of games tried for MaskablePPO"""
    sb3_minibatch: tuple[int, ...] = (1024, 4096)
    """minibatches tried for MaskablePPO"""
    seconds: float = 0.5
    """shortest time in which a part of the bound is measured"""


def rate(work: Callable[[], Any], rows: int, seconds: float) -> float:
    """Rows a second, over at least ``seconds``."""
    work()
    began = time.perf_counter()
    count = 0
    while time.perf_counter() - began < seconds:
        work()
        count += 1
    return count * rows / (time.perf_counter() - began)


def past_seats(trainer: ppo.Trainer) -> float:
    """How many seats past selves have for each that learns."""
    pool = trainer.pool
    if pool is None or pool.past is None:
        return 0.0
    first = len(pool.agents) - len(pool.past.agents)
    return float((pool.chairs > first).sum() / pool.learner.sum())


class Bound:
    """The network of a trainer, alone: how fast it decides and how fast it can be trained."""

    def __init__(self, trainer: ppo.Trainer, seconds: float) -> None:
        self.args = trainer.args
        self.seconds = seconds
        self.workers = trainer.workers
        self.network = copy.deepcopy(trainer.network)
        self.critic = copy.deepcopy(trainer.learner.critic)
        self.descents = [
            Descent(trained, self.args.learning_rate, self.args.max_grad_norm)
            for trained in (self.network, self.critic)
            if trained is not None
        ]
        rows = trainer.rollout.observation.flatten(0, 1)
        decided = torch.from_numpy(np.flatnonzero(trainer.rollout.mask.flatten(0, 1).sum(1) > 1))
        hidden = trainer.rollout.hidden.flatten(0, 1)
        share = trainer.decisions / trainer.steps
        few = decided[: max(1, round(share * trainer.batch.n))]
        many = decided[: self.args.minibatch]
        self.few, self.many, self.many_hidden = rows[few], rows[many], hidden[many]
        self.past = past_seats(trainer)
        self.magnet = trainer.learner.magnet is not None

    def forward(self, rows: Tensor, _: torch.Generator | None = None) -> None:
        """Decisions."""
        with torch.inference_mode():
            self.network.judge(rows)

    def seen(self, at: Tensor) -> tuple[Tensor, Tensor]:
        """Observations and hidden hands of consecutive rows of a minibatch, without a copy."""
        part = slice(int(at[0]), int(at[-1]) + 1)
        return self.many[part], self.many_hidden[part]

    def judge(self, at: Tensor, _: torch.Generator | None = None) -> None:
        """The passes without gradient, over rows of a minibatch, of critic and magnet."""
        with torch.inference_mode():
            if self.critic is not None:
                self.critic(*self.seen(at))
            if self.magnet:
                self.network.judge(self.seen(at)[0])

    def gradients(self, at: Tensor, _: torch.Generator | None = None) -> list[Tensor]:
        """A gradient as one row for each network that is trained, over rows of a minibatch."""
        observation, hidden = self.seen(at)
        logits, value = self.network.judge(observation)
        losses = [logits.square().mean() + value.square().mean()]
        weights: list[tuple[Tensor, ...]] = [tuple(self.network.parameters())]
        if self.critic is not None:
            losses.append(self.critic(observation, hidden).square().mean())
            weights.append(self.critic.weights())
        return [ppo.gradient(*pair) for pair in zip(losses, weights, strict=True)]

    def step(self, parts: list[list[Tensor]]) -> None:
        """A step of each descent along the gradients of the parts."""
        for descent, *rows in zip(self.descents, *parts, strict=True):
            descent.step(rows)

    def ways(self, threads: int) -> tuple[Callable[[], Any], Callable[[], Any], Callable[[], Any]]:
        """A step's decisions, a minibatch, and what is judged again of a minibatch: shared among
        the trainer's threads, or left to torch's where torch has several.
        """
        whole = torch.arange(len(self.many))
        if threads > 1:
            return (
                lambda: self.forward(self.few),
                lambda: self.step([self.gradients(whole)]),
                lambda: self.judge(whole),
            )
        return (
            lambda: self.workers.share(self.forward, self.few),
            lambda: self.step(self.workers.share(self.gradients, whole)),
            lambda: self.workers.share(self.judge, whole),
        )

    def measure(self) -> tuple[float, float, float]:
        """Forward, training and bound, in decisions a second."""
        forward = training = again = 0.0
        for threads in sorted({self.args.threads, 1}, reverse=True):
            torch.set_num_threads(threads)
            decide, learn, judge = self.ways(threads)
            forward = max(forward, rate(decide, len(self.few), self.seconds))
            training = max(training, rate(learn, len(self.many), self.seconds))
            if self.magnet or self.critic is not None:
                again = max(again, rate(judge, len(self.many), self.seconds))
        seconds = (1 + self.past) / forward + self.args.epochs / training
        return forward, training, 1 / (seconds + (1 / again if again else 0))


class Sb3:
    """MaskablePPO in one setting."""

    def __init__(self, args: ppo.Args, games: int, minibatch: int, threads: int) -> None:
        from experiments.sb3_batch import maskable_ppo

        self.name = f"{games} games, minibatch {minibatch}, {threads} of torch's threads"
        self.threads = threads
        self.model = maskable_ppo(args, games, minibatch)
        self.moves = games * self.model.n_steps

    def measure(self) -> float:
        """Moves a second, over one rollout and its epochs."""
        torch.set_num_threads(self.threads)
        began = time.perf_counter()
        self.model.learn(self.moves)
        torch.set_num_threads(1)
        return self.moves / (time.perf_counter() - began)


def fastest_sb3(args: Args) -> list[Sb3]:
    """The two fastest of all settings, tried once after a rollout to warm up."""
    threads = sorted({1, args.trainer.threads})
    settings = itertools.product(args.sb3_games, args.sb3_minibatch, threads)
    tried = []
    for setting in settings:
        one = Sb3(args.trainer, *setting)
        one.measure()
        tried.append((one.measure(), one))
        print(f"MaskablePPO, {one.name}: {tried[-1][0]:,.0f} moves/s", flush=True)
    tried.sort(key=lambda pair: -pair[0])
    return [one for _, one in tried[:2]]


NAMES = ("forward", "training", "bound", "decisions", "moves", "of bound")


def bench(args: Args) -> None:
    """Prints the rounds and what follows from them."""
    others = fastest_sb3(args) if args.sb3 else []
    trainer = ppo.Trainer(args.trainer)
    trainer.update()
    bound = Bound(trainer, args.seconds)
    print("  ".join(f"{name:>9}" for name in (*NAMES, *("sb3 moves" for _ in others))))
    rows = []
    for _ in range(args.rounds):
        forward, training, limit = bound.measure()
        numbers = trainer.update()
        decisions, moves = numbers["decisions_per_second"], numbers["steps_per_second"]
        theirs = [other.measure() for other in others]
        rows.append((forward, training, limit, decisions, moves, decisions / limit, *theirs))
        line = [f"{x:>9,.0f}" for x in rows[-1]]
        line[5] = f"{rows[-1][5]:9.0%}"
        print("  ".join(line), flush=True)
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    speeds = zip(NAMES[:5], medians, strict=False)
    print("medians:", ", ".join(f"{name} {speed:,.0f}/s" for name, speed in speeds))
    print(f"the trainer reaches {medians[5]:.0%} of its bound")
    if others:
        best = max(range(len(others)), key=lambda i: medians[6 + i])
        times = statistics.median(row[4] / row[6 + best] for row in rows)
        print(f"MaskablePPO, {others[best].name}: {medians[6 + best]:,.0f} moves/s")
        print(f"the trainer makes {times:.2f} times the moves of MaskablePPO")


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    bench(tyro.cli(Args, args=arguments, description=__doc__))


if __name__ == "__main__":
    main()

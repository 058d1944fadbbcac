"""Monte-Carlo values by self-play over the batch: one network plays every seat.

    python -m train.dmc --deals 100000 --run runs/values
    python -m train.dmc --resume runs/values

Read from top to bottom: settings, acting, the update, the trainer, the run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from agents import checkpoint as checkpoints
from agents import registry
from agents.network import masked, sample
from agents.neural import (
    Network,
    NeuralAgent,
    build_network,
    fitting_kind,
    make_network,
    network_arrays,
)
from train import runs
from train.evaluate import Score, duplicate, score
from train.replay import Finished, Pending
from train.workers import Descent, Workers, make_batch


@dataclass(frozen=True)
class Args:
    run: str = ""
    resume: str = ""
    rules: str = "classic"
    players: int = 4
    deals: int = 180_000
    seed: int = 1
    num_games: int = 512
    rollout: int = 32
    replay: int = 65536
    longest: int = 256
    reuse: float = 2.0
    minibatch: int = 1024
    learning_rate: float = 2e-3
    anneal: bool = True
    form: Literal["plain", "mean", "policy"] = "policy"
    loss: Literal["mse", "huber"] = "mse"
    temperature: float = 0.05
    temperature_end: float = 0.02
    epsilon: float = 0.0
    epsilon_end: float = 0.0
    max_grad_norm: float = 0.5
    network: Literal["auto", "ranks", "mlp"] = "auto"
    hidden: tuple[int, ...] = ()
    threads: int = 2
    eval_opponent: str = "basic"
    eval_every: int = 10_000
    eval_decks: int = 256
    save_every: int = 50
    keep_every: int = 0


FREE_ON_RESUME = (
    "run", "resume", "deals", "eval_opponent", "eval_every", "eval_decks", "save_every", "keep_every",
)


def behaviour(logits, mask, temperature, epsilon):
    if temperature > 0:
        p = masked(logits / temperature, mask).softmax(-1)
    else:
        p = functional.one_hot(masked(logits, mask).argmax(-1), logits.shape[1]).float()
    if epsilon > 0:
        p = (1 - epsilon) * p + epsilon * mask / mask.sum(1, keepdim=True)
    return p


class Trainer:
    def __init__(self, args: Args, batch: Any = None) -> None:
        self.args = args = replace(args, network=fitting_kind(args.network, args.rules))
        self.workers = Workers(args.threads, args.seed)
        self.batch = batch if batch is not None else make_batch(args, args.num_games, seed=args.seed)
        torch.manual_seed(args.seed)
        identity = checkpoints.identity(self.batch)
        self.network = make_network(args.network, args.hidden, identity, self.batch.scale)
        self.descent = Descent(self.network, args.learning_rate, args.max_grad_norm)
        b = self.batch
        self.pending = Pending(args.longest, b.n, b.players, b.observation_size, b.actions)
        self.finished = Finished(args.replay, b.observation_size, b.actions)
        self.updates = self.deals = self.steps = self.decisions = 0
        self.seconds = 0.0
        self.debt = 0.0

    def schedule(self, a, b):
        done = min(1.0, self.deals / self.args.deals)
        return a + (b - a) * done

    def part(self, games, generator):
        b = self.batch
        part = slice(int(games[0]), int(games[-1]) + 1)
        mask = b.mask[part]
        actions = mask.argmax(axis=1)
        at = games.numpy()[np.count_nonzero(mask, axis=1) > 1]
        if at.size:
            with torch.inference_mode():
                observation = self.network.arrange(torch.from_numpy(b.observation[at]))
                m = torch.from_numpy(b.mask[at])
                logits, _ = self.network.judge(observation)
                p = behaviour(logits, m, self.temperature, self.epsilon)
                action = sample(p, generator).numpy()
                self.ent.append(float(-(p * p.clamp(min=1e-9).log()).sum(1).mean()))
            actions[at - part.start] = action
            self.pending.note(at, b.seat[at], (observation.numpy(), b.mask[at], action))
        return actions, len(at)

    def collect(self):
        ended = decided = new = 0
        for _ in range(self.args.rollout):
            parts = self.workers.share(self.part, torch.arange(self.batch.n))
            actions = np.concatenate([p[0] for p in parts])
            decided += sum(p[1] for p in parts)
            self.batch.step(actions)
            over = self.batch.terminated | self.batch.truncated
            got = self.pending.pay(self.batch.reward, over)
            if got is not None:
                self.finished.put(got)
                new += len(got["target"])
                ended += int(over.sum())
        return ended, decided, new

    def grads(self, size, rows, _):
        batch = self.finished.rows(rows)
        share = len(rows) / size
        args = self.args
        logits, value = self.network.judge(batch["observation"])
        taken = logits.gather(1, batch["action"][:, None])[:, 0]
        mask = batch["mask"]
        if args.form == "plain":
            q = taken
        else:
            if args.form == "mean":
                w = mask / mask.sum(1, keepdim=True)
            else:
                w = behaviour(logits.detach(), mask, self.temperature, self.epsilon)
            q = value + taken - (w * logits).sum(1)
        if args.loss == "mse":
            loss = 0.5 * functional.mse_loss(q, batch["target"])
        else:
            loss = functional.huber_loss(q, batch["target"])
        g = torch.autograd.grad(loss * share, tuple(self.network.parameters()), allow_unused=True)
        with torch.no_grad():
            e = (q - batch["target"]).square().mean()
            ev = (value - batch["target"]).square().mean()
            shown = torch.stack([loss.detach(), e, ev, batch["target"].square().mean()])
        return torch.cat([(x if x is not None else torch.zeros_like(p)).flatten() for x, p in zip(g, self.network.parameters())]), shown * share

    def update(self):
        began = time.perf_counter()
        self.temperature = self.schedule(self.args.temperature, self.args.temperature_end)
        self.epsilon = self.schedule(self.args.epsilon, self.args.epsilon_end)
        self.ent = []
        ended, decided, new = self.collect()
        self.deals += ended
        played = time.perf_counter()
        rate = self.args.learning_rate * (max(0.0, 1 - self.deals / self.args.deals) if self.args.anneal else 1)
        self.descent.set_rate(rate)
        self.debt += min(new, self.args.replay) * self.args.reuse / self.args.minibatch
        shown = torch.zeros(4)
        n = int(self.debt)
        self.debt -= n
        for _ in range(n):
            rows = self.finished.draw(self.args.minibatch, self.workers.generators[0])
            parts = self.workers.share(partial(self.grads, len(rows)), rows)
            self.descent.step([g for g, _ in parts])
            shown += torch.stack([s for _, s in parts]).sum(0)
        end = time.perf_counter()
        self.updates += 1
        self.decisions += decided
        self.steps += self.args.rollout * self.batch.n
        self.seconds += end - began
        loss, e, ev, t2 = (shown / max(1, n)).tolist()
        return {"loss": loss, "q_error": e, "v_error": ev, "t2": t2, "entropy": float(np.mean(self.ent)),
            "decisions_per_second": decided / (end - began), "share_playing": (played - began) / (end - began), "temperature": self.temperature}

    def agent(self) -> NeuralAgent:
        return NeuralAgent(self.network, checkpoints.identity(self.batch), name="training")

    def evaluate(self, opponent="basic", decks=256) -> Score:
        other = registry.make(opponent, self.args.rules, self.args.players, 0)

        def tables(n: int, *, seed: int) -> Any:
            return make_batch(self.args, n, seed=seed, autoreset="off")

        games = min(1024, decks * self.batch.sides)
        return score(duplicate(self.agent(), other, tables, decks=decks, games=games))

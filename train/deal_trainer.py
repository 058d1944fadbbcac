"""What the trainers that learn from finished deals share: the loop around their losses.

A trainer plays a rollout, puts the decisions of the deals that ended in it into a queue, and takes
steps along the gradient of its own loss on minibatches drawn from the queue.
"""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from agents import checkpoint as checkpoints
from agents import registry
from agents.neural import (
    Network,
    NeuralAgent,
    build_network,
    fitting_kind,
    make_network,
    network_arrays,
)
from train import runs
from train.evaluate import Score, against
from train.learner import Learner
from train.ppo import COUNTERS
from train.replay import Finished, Pending
from train.saved import beginning
from train.workers import Workers, make_batch

__all__ = ["FREE_ON_RESUME", "DealTrainer", "carry_out", "check"]

T = TypeVar("T", bound="DealTrainer")

FREE_ON_RESUME = (
    "run",
    "resume",
    "deals",
    "eval_opponent",
    "eval_every",
    "eval_decks",
    "save_every",
    "keep_every",
    "device",
)
"""Settings that may differ when a run goes on; the others would make it another run."""


ABOVE_ZERO = (
    "num_games",
    "rollout",
    "replay",
    "longest",
    "reuse",
    "minibatch",
    "learning_rate",
    "threads",
)
"""Settings of all trainers that must be."""


def check(args: Any, *names: str) -> None:
    """Raises ``RunError`` for a setting, of :data:`ABOVE_ZERO` or ``names``, that is not above
    zero.
    """
    for name in (*ABOVE_ZERO, *names):
        value = getattr(args, name)
        if not value > 0:
            raise runs.RunError(f"--{name.replace('_', '-')} {value} is not above 0")


class DealTrainer:
    """The whole state of a run; ``update`` brings it one rollout further, ``save`` and ``load``
    keep all of it.

    A trainer says in ``name`` what its checkpoints are called by and in ``shown`` which means over
    minibatches it shows, and has :meth:`play` and :meth:`loss`. ``args`` are its settings.
    """

    name: ClassVar[str]
    shown: ClassVar[tuple[str, ...]]

    def __init__(self, args: Any, batch: Any = None) -> None:
        check(args)
        args, first = beginning(args)
        self.args = args = replace(args, network=fitting_kind(args.network, args.rules))
        self.workers = Workers(args.threads, args.seed)
        self.batch = make_batch(args, args.num_games, seed=args.seed) if batch is None else batch
        torch.manual_seed(args.seed)
        identity = checkpoints.identity(self.batch)
        self.network = make_network(args.network, args.hidden, identity, self.batch.scale)
        if first is not None:
            checkpoints.check_identity(first, identity)
            self.network.load_state_dict(build_network(first).state_dict())
        self.learner = Learner(
            self.network,
            self.workers,
            device=args.device,
            rate=args.learning_rate,
            max_norm=args.max_grad_norm,
        )
        sizes = self.batch.observation_size, self.batch.actions
        self.pending = Pending(args.longest, self.batch.n, self.batch.players, *sizes)
        self.finished = Finished(args.replay, *sizes)
        self.updates = self.deals = self.steps = self.decisions = 0
        self.seconds = 0.0

    # -- what a trainer does in its own way ------------------------------------------------------

    def play(self) -> tuple[npt.NDArray[np.int64], int]:
        """An action for each game, and how many of them are decisions; these are noted as
        pending.
        """
        raise NotImplementedError

    def loss(self, network: Network, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """The loss of ``network`` on decisions of :meth:`Finished.rows`, and what there is to show
        of it, as ``shown``.
        """
        raise NotImplementedError

    # -- the loop --------------------------------------------------------------------------------

    def update(self) -> dict[str, float]:
        """One rollout and the minibatches after it; what there is to show of them."""
        began = time.perf_counter()
        put, decisions = self.finished.put_so_far, self.decisions
        for _ in range(self.args.rollout):
            self.step()
        played = time.perf_counter()
        rate = self.args.learning_rate * (1 - self.done() if self.args.anneal else 1.0)
        self.learner.set_rate(rate)
        means = self.learn(self.finished.put_so_far - put)
        self.updates += 1
        self.learner.follow(self.updates)
        ended = time.perf_counter()
        steps = self.args.rollout * self.batch.n
        self.steps += steps
        self.seconds += ended - began
        return {
            **means,
            "learning_rate": rate,
            "steps_per_second": steps / (ended - began),
            "decisions_per_second": (self.decisions - decisions) / (ended - began),
            "share_playing": (played - began) / (ended - began),
        }

    def done(self) -> float:
        """How much of the run is over, from 0 to 1, by its deals."""
        return min(1.0, self.deals / self.args.deals)

    def step(self) -> npt.NDArray[np.bool_]:
        """One step of all games; which deals it ended, (n,). Their decisions go to the queue."""
        actions, decisions = self.play()
        self.batch.step(actions)
        ended = self.batch.terminated | self.batch.truncated
        paid = self.pending.pay(self.batch.reward, ended, getattr(self.args, "trace", 1.0))
        if paid is not None:
            self.finished.put(paid)
        self.decisions += decisions
        self.deals += int(np.count_nonzero(ended))
        return ended

    def learn(self, fresh: int) -> dict[str, float]:
        """So many minibatches that each of ``fresh`` new decisions is drawn ``reuse`` times in the
        long run; means of ``shown``.
        """
        count = round(min(fresh, self.args.replay) * self.args.reuse / self.args.minibatch)
        total = torch.zeros(len(self.shown), device=self.learner.device)
        for _ in range(count):
            rows = self.finished.draw(self.args.minibatch, self.workers.generators[0])
            parts = self.learner.share(partial(self._gradient, len(rows)), rows)
            self.learner.descents[0].step([gradient for gradient, _ in parts])
            total += torch.stack([shown for _, shown in parts]).sum(0)
        return dict(zip(self.shown, (total / max(1, count)).tolist(), strict=True))

    def _gradient(self, size: int, rows: Tensor, _: torch.Generator) -> tuple[Tensor, Tensor]:
        """What ``rows`` add to the gradient, one row, and to the means of a minibatch of that
        ``size``.
        """
        share = len(rows) / size
        network, device = self.learner.network, self.learner.device
        decisions = self.finished.rows(rows.cpu())
        loss, shown = self.loss(network, {name: x.to(device) for name, x in decisions.items()})
        gradients = torch.autograd.grad(loss * share, tuple(network.parameters()))
        return torch.cat([gradient.flatten() for gradient in gradients]), shown * share

    # -- what it has become ----------------------------------------------------------------------

    def agent(self) -> NeuralAgent:
        """The network as it is now, playing greedily."""
        return NeuralAgent(self.network, checkpoints.identity(self.batch), name="training")

    def evaluate(self) -> Score:
        """Points a deal against ``eval_opponent``, always on the same decks."""
        args = self.args
        return against(self.agent(), args.eval_opponent, args, args.eval_decks)

    def save(self, folder: Path) -> None:
        """Writes the checkpoint of this moment, between two updates."""
        meta = {
            "trainer": self.name,
            **checkpoints.identity(self.batch),
            "network": {"kind": self.args.network, "hidden": list(self.network.hidden)},
            "counters": {name: getattr(self, name) for name in COUNTERS},
            "settings": asdict(self.args),
            "versions": checkpoints.versions(),
        }
        groups = {name: part.state_dict() for name, part in self.parts().items()}
        arrays = {"generators": self.workers.state().numpy(), **self.learner.state()}
        parts = {
            "network": network_arrays(self.network),
            "trainer": arrays | checkpoints.joined(groups),
        }
        checkpoints.write(folder, meta, parts)

    def parts(self) -> dict[str, Any]:
        """What keeps a state of its own beside the weights and Adam, by name."""
        return {"pending": self.pending, "finished": self.finished, "batch": self.batch}

    def load(self, saved: checkpoints.Checkpoint) -> None:
        """Puts back what :meth:`save` kept; raises ``CheckpointError`` if it belongs to another
        run.
        """
        checkpoints.check_identity(saved, checkpoints.identity(self.batch))
        arrays = saved.arrays("trainer")
        self.network.load_state_dict(build_network(saved).state_dict())
        self.learner.restore(arrays)
        self.workers.restore(torch.from_numpy(arrays["generators"].copy()))
        for name, part in self.parts().items():
            part.load_state_dict(checkpoints.group(arrays, name))
        for name in COUNTERS:
            setattr(self, name, saved.meta["counters"][name])


def carry_out(
    kind: type[T], settings: type[Any], arguments: list[str] | None, description: str | None
) -> T:
    """The command of a trainer, but for its last words: a run, new or gone on with, to its end.

    Ends the process with status 130 if it was interrupted, and with one line for settings, rules,
    names and checkpoints that won't do.

    Returns:
        The trainer at the end of the run.
    """
    try:
        args = runs.parse(settings, kind.name, FREE_ON_RESUME, arguments, description)
        folder = runs.folder(args, f"{kind.name}-{args.rules}-{args.players}p-seed{args.seed}")
        saved = checkpoints.read(folder) if args.resume else None
        if args.eval_every:
            registry.make(args.eval_opponent, args.rules, args.players)  # a wrong name is told now
        trainer = kind(args)
        if saved is not None:
            trainer.load(saved)
    except ValueError as error:
        sys.exit(f"train.{kind.name}: {error}")
    runs.carry_out(trainer, folder, kind.name)
    print(f"done: {trainer.deals:,} deals; the agent is {folder / checkpoints.LAST}")
    return trainer

"""What the trainers of outside frameworks share: a run whose weights are those of one network.

The framework does the learning; the run's counters, its checkpoints (ours, nothing pickled) and its
evaluation are the same whoever learns.
"""

from __future__ import annotations

import importlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Final

import torch

from agents import checkpoint as checkpoints
from agents import registry
from agents.neural import Network, NeuralAgent, build_network, fitting_kind, network_arrays
from canasta_env.batch import Batch
from train import runs
from train.evaluate import Score, against
from train.saved import optimizer_arrays, restore_optimizer

__all__ = ["FREE_ON_RESUME", "NetworkRun", "above_zero", "carry_out"]

COUNTERS: Final = ("updates", "deals", "steps", "decisions", "seconds")
FREE_ON_RESUME: Final = (
    "run", "resume", "deals", "eval_opponent", "eval_every", "eval_decks", "save_every",
    "keep_every",
)  # fmt: skip
"""Settings that may differ when a run goes on; the others would make it another run."""


class NetworkRun(ABC):
    """A run of a framework with the settings ``args``: a dataclass with rules, players, network,
    hidden, deals, learning_rate, anneal, eval_opponent and eval_decks.

    Attributes:
        trainer: the name of the module that is called from the command line.
        package: the framework, whose version is noted in checkpoints.
        batch: one game, by whose spaces all goes.
        identity: what a checkpoint is bound to.
    """

    trainer: ClassVar[str]
    package: ClassVar[str]

    def __init__(self, args: Any, saved: checkpoints.Checkpoint | None) -> None:
        self.args = replace(args, network=fitting_kind(args.network, args.rules))
        self.batch = Batch(args.rules, 1, players=args.players)
        self.identity = checkpoints.identity(self.batch)
        self.updates = self.deals = self.steps = self.decisions = 0
        self.seconds = 0.0
        if saved is not None:
            checkpoints.check_identity(saved, self.identity)
            for name in COUNTERS:
                setattr(self, name, saved.meta["counters"][name])

    @property
    @abstractmethod
    def network(self) -> Network:
        """The network that learns."""

    @property
    @abstractmethod
    def optimizer(self) -> torch.optim.Optimizer:
        """What makes its steps."""

    def set_rate(self) -> float:
        """The learning rate of the next update: in a straight line down to zero with the run's last
        deal, if annealed.
        """
        args = self.args
        left = max(0.0, 1 - self.deals / args.deals) if args.anneal else 1.0
        rate: float = args.learning_rate * left
        self.optimizer.param_groups[0]["lr"] = rate
        return rate

    def count(self, deals: int, steps: int, decisions: int, seconds: float) -> dict[str, float]:
        """Counts an update; its speeds, as they are shown."""
        self.updates += 1
        self.deals += deals
        self.steps += steps
        self.decisions += decisions
        self.seconds += seconds
        return {
            "steps_per_second": steps / seconds, "decisions_per_second": decisions / seconds,
        }  # fmt: skip

    def evaluate(self) -> Score:
        """Points a deal against ``eval_opponent``, always on the same decks; the policy plays its
        likeliest actions.
        """
        args = self.args
        ours = NeuralAgent(self.network, self.identity, name="training")
        tables = SimpleNamespace(rules=args.rules, players=args.players, threads=1)
        return against(ours, args.eval_opponent, tables, args.eval_decks)

    def save(self, folder: Path) -> None:
        """Writes the checkpoint of this moment, between two updates."""
        versions = {**checkpoints.versions(), self.package: metadata.version(self.package)}
        meta = {
            "trainer": self.trainer,
            **self.identity,
            "network": {"kind": self.args.network, "hidden": list(self.network.hidden)},
            "counters": {name: getattr(self, name) for name in COUNTERS},
            "settings": asdict(self.args),
            "versions": versions,
        }
        parts = {
            "network": network_arrays(self.network), "trainer": optimizer_arrays(self.optimizer),
        }  # fmt: skip
        checkpoints.write(folder, meta, parts)

    def load(self, saved: checkpoints.Checkpoint) -> None:
        """Puts back weights and optimizer. Games that were going on are not kept: others are
        dealt.
        """
        self.network.load_state_dict(build_network(saved).state_dict())
        restore_optimizer(self.optimizer, saved.arrays("trainer"))

    @abstractmethod
    def close(self) -> None:
        """Ends what the framework has started."""


def above_zero(args: Any, *names: str) -> None:
    """Raises ``RunError`` for a setting that is not 1 or more."""
    for name in names:
        if getattr(args, name) < 1:
            option = name.replace("_", "-")
            raise runs.RunError(f"--{option} {getattr(args, name)} is not possible; 1 or more")


def carry_out(
    settings: type[Any],
    name: str,
    home: str,
    *,
    needs: str,
    check: Callable[[Any], None],
    free: Collection[str] = FREE_ON_RESUME,
    arguments: list[str] | None = None,
    description: str | None = None,
) -> None:
    """The command ``python -m train.<name>``: a run, new or gone on with, to its end.

    Ends the process with status 130 if it was interrupted, and with one line for settings, rules,
    names and checkpoints that won't do, and if the framework is not installed.

    Args:
        settings: the class of the settings.
        name: what its checkpoints are called by.
        home: the module of its ``Trainer``, imported only now.
        needs: the package of the framework, which is also the name of the extra.
        check: raises ``RunError`` for settings that no run can be made with.
        free: settings that may differ when a run goes on.
        arguments, description: as :func:`train.runs.parse` takes them.
    """
    try:
        args = runs.parse(settings, name, free, arguments, description)
        check(args)
        folder = runs.folder(args, f"{name}-{args.rules}-{args.players}p-seed{args.seed}")
        saved = checkpoints.read(folder) if args.resume else None
        if args.eval_every:
            registry.make(args.eval_opponent, args.rules, args.players)  # a wrong name is told now
        trainer: NetworkRun = _trainer(home, needs)(args, saved)
    except ValueError as error:
        sys.exit(f"train.{name}: {error}")
    except KeyboardInterrupt:
        sys.exit(runs.INTERRUPTED)
    with closing(trainer):
        runs.carry_out(trainer, folder, name)
    print(f"done: {trainer.deals:,} deals; the agent is {folder / checkpoints.LAST}")


def _trainer(home: str, needs: str) -> type[NetworkRun]:
    """The trainer in a module; raises ``RunError`` if its framework is missing."""
    try:
        found: type[NetworkRun] = importlib.import_module(home).Trainer
    except ModuleNotFoundError as error:
        if (error.name or "").startswith(("train", "agents", "canasta_env")):
            raise
        raise runs.RunError(
            f"{error.name} is not installed; pip install -e '.[{needs}]' brings all it needs"
        ) from None
    return found

"""Best responses by PPO: a team against a frozen team, or a partner for a frozen partner.

    python -m train.best_response --against runs/x --rules mini --deals 10000 --run runs/br-x
    python -m train.best_response --partner runs/y --against basic --run runs/br-y
    python -m train.best_response --resume runs/br-x

The trainer is that of train/ppo.py with all of its settings; only who sits at the tables is
another. In every game the agent of ``--against`` has the opponents' seats. The learner has all
seats of its own side, or one of them where ``--partner`` names who has the others. Sides and seats
of the learner alternate from game to game, and nobody but the learner learns.

What is learnt is an answer to these agents as they are named: ``runs/x`` plays its likeliest
action, ``runs/x@1`` draws. A run keeps the hashes of the networks that it answers and does not go
on against others of the same name.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from agents import checkpoint as checkpoints
from agents import registry
from agents.base import Agent, Rows
from canasta_env.rules import Rules
from train import ppo, runs
from train.evaluate import Score, against
from train.pool import PAST, Pool

__all__ = ["FREE_ON_RESUME", "Args", "Partners", "Trainer", "check_frozen", "main", "start"]

FREE_ON_RESUME = ppo.FREE_ON_RESUME


@dataclass(frozen=True)
class Args(ppo.Args):
    """Settings of a run: those of train.ppo, and who is answered."""

    against: str = ""
    """the agent that has the opponents' seats in every game"""
    partner: str = ""
    """the agent that has the other seats of the learner's side; the learner has them all if
    empty"""
    eval_opponent: str = ""
    """who evaluations are against; the agent of --against if empty"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "eval_opponent", self.eval_opponent or self.against)

    @property
    def frozen(self) -> tuple[str, ...]:
        """The names of the agents that do not learn."""
        return tuple(dict.fromkeys(name for name in (self.against, self.partner) if name))


def check(args: Args) -> None:
    """Raises ``RunError`` if the settings do not say who is answered, or say it twice."""
    if not args.against:
        raise runs.RunError("--against: name the agent that has the opponents' seats")
    for option in ("pool", "partners"):
        if getattr(args, option):
            raise runs.RunError(
                f"--{option}: here --against and --partner say who plays; leave it out"
            )
    for name in args.frozen:
        if name == PAST:
            raise runs.RunError("past: the run's own snapshots are not frozen; name another agent")
    rules = Rules.parse(args.rules)
    if args.partner and rules.sides_of(args.players) == args.players:
        raise runs.RunError(
            f"--partner: with {args.players} players everybody plays alone; leave it out"
        )


def hashes(names: Iterable[str]) -> dict[str, str]:
    """The hash of the network behind each name that is the path of a checkpoint or run."""
    found = {}
    for name in names:
        path, _ = registry.split(name)
        if name not in registry.BOTS and Path(path).exists():
            found[name] = str(checkpoints.read(path).meta["files"]["network"]["sha256"])
    return found


def check_frozen(saved: checkpoints.Checkpoint) -> None:
    """Raises ``RunError`` if an agent that a run answers is not the one that it began with."""
    before = saved.meta.get("frozen", {})
    now = hashes(name for name in before if Path(registry.split(name)[0]).exists())
    for name, digest in before.items():
        if now.get(name) != digest:
            what = "has changed" if name in now else "is gone"
            raise runs.RunError(
                f"{saved.folder}: {name} {what} since this run began to answer it; start a new run"
            )


class Partners:
    """Two agents as the partners of one side: ``ego`` has one seat, ``other`` the rest. Which seat
    of the side is the ego's moves on from deck to deck of :func:`train.evaluate.duplicate`.
    """

    def __init__(self, ego: Agent, other: Agent) -> None:
        self.ego, self.other = ego, other
        self.name = f"{ego.name}+{other.name}"

    def act(self, batch: Any, rows: Rows) -> Rows:
        """One legal action id for each of ``rows``."""
        seats = batch.players // batch.sides
        is_egos = batch.seat[rows] // batch.sides == rows // batch.sides % seats
        actions = np.empty(len(rows), np.int64)
        for agent, mine in ((self.ego, is_egos), (self.other, ~is_egos)):
            if mine.any():
                actions[mine] = agent.act(batch, rows[mine])
        return actions


class Trainer(ppo.Trainer):
    """PPO with frozen agents in every game."""

    name: ClassVar[str] = "best_response"
    args: Args

    def __init__(self, args: Args, batch: Any = None) -> None:
        check(args)
        super().__init__(args, batch)
        self.hashes = hashes(args.frozen)

    def _pool(self) -> Pool:
        """The frozen agents, in all games."""
        args = self.args
        beside = (f"{args.partner}=1",) if args.partner else ()
        return Pool(
            self.batch, self.network, (f"{args.against}=1",), beside, keep=args.snapshots,
            rules=args.rules, seed=args.seed,
        )  # fmt: skip

    def evaluate(self) -> Score:
        """Points a deal of the learner's side against ``eval_opponent``, always on the same
        decks.
        """
        args = self.args
        side: Agent = self.agent()
        if args.partner:
            other = registry.make(args.partner, args.rules, args.players, args.seed)
            side = Partners(side, other)
        return against(side, args.eval_opponent, args, args.eval_decks)

    def notes(self) -> dict[str, Any]:
        """The hashes of the networks that are answered, by name."""
        return {"frozen": self.hashes}

    def load(self, saved: checkpoints.Checkpoint) -> None:
        """As that of PPO; raises ``RunError`` too if a frozen agent has changed."""
        check_frozen(saved)
        super().load(saved)


def start(args: Args) -> tuple[Trainer, Path]:
    """The trainer, new or as it was saved, and the folder of its run.

    Raises:
        ValueError: settings, names or checkpoints that won't do, in one line.
    """
    folder = runs.folder(args, f"best-response-{args.rules}-{args.players}p-seed{args.seed}")
    saved = checkpoints.read(folder) if args.resume else None
    trainer = Trainer(args)
    if args.eval_every:
        registry.make(args.eval_opponent, args.rules, args.players)  # a wrong name is told now
    if saved is not None:
        trainer.load(saved)
    return trainer, folder


def main(arguments: list[str] | None = None) -> None:
    """The command ``python -m train.best_response``; its status is 130 if it was interrupted."""
    try:
        args = runs.parse(Args, Trainer.name, FREE_ON_RESUME, arguments, __doc__)
        trainer, folder = start(args)
    except ValueError as error:
        sys.exit(f"train.{Trainer.name}: {error}")
    runs.carry_out(trainer, folder, Trainer.name)
    print(f"done: {trainer.deals:,} deals; the response is {folder / checkpoints.LAST}")


if __name__ == "__main__":
    main()

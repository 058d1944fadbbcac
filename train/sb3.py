"""sb3-contrib's MaskablePPO, one learner a game, against a pool of its earlier selves.

    python -m train.sb3 --run runs/sb3
    python -m train.sb3 --resume runs/sb3

Read from top to bottom: settings, the pool, the trainer with its checkpoints, the run.

Who plays. In each game one seat learns, another from episode to episode; the rest of the table is
dealt out anew whenever a snapshot of the policy is taken. The opponents are rule bots in some games
(``--bots``), a snapshot in others (``--older``), and the policy as it is now in the rest. Rule bots
show play that the policy would not come upon; snapshots keep it from going round in circles. The
partner is the policy as it is now, since that is whom it will play with, but in a few games a
snapshot (``--older-partner``), so that it does not rely on habits of the day. Two snapshots
of the pool are in play at a time: each costs a forward pass whenever somebody must choose.

Everybody draws actions by probability; the agent that is evaluated and saved plays the likeliest.
"""

from __future__ import annotations

import copy
import math
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger

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
from canasta_env.vector import CanastaVectorEnv
from train import runs
from train.evaluate import Score, against
from train.saved import optimizer_arrays, restore_optimizer
from train.sb3_env import LearnerVecEnv
from train.sb3_policy import NetworkPolicy, policy_settings
from train.workers import keep_memory

# --- settings -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args:
    """Settings of a run. Rewards and values are in thousands of points."""

    run: str = ""
    """folder of the run; runs/sb3-<rules>-<players>p-seed<seed> if empty"""
    resume: str = ""
    """folder of a run to continue; its own settings hold, --deals may be raised"""
    rules: str = "classic"
    players: int = 4
    deals: int = 200_000
    """finished deals after which the run ends"""
    seed: int = 1
    num_envs: int = 1024
    """games in lock step, with one learner in each"""
    rollout: int = 16
    """moves of every learner between updates"""
    epochs: int = 3
    minibatch: int = 2048
    learning_rate: float = 2e-3
    anneal: bool = True
    """bring the learning rate down to zero over the run"""
    gamma: float = 1.0
    gae_lambda: float = 0.95
    entropy: float = 0.02
    """weight of the entropy bonus"""
    clip: float = 0.2
    value_weight: float = 0.25
    max_grad_norm: float = 0.5
    network: Literal["auto", "ranks", "symmetric", "mlp"] = "auto"
    """as in train.ppo"""
    hidden: tuple[int, ...] = ()
    """widths, as in train.ppo"""
    bots: float = 0.3
    """share of the games in which the opponents are a rule bot"""
    bot_names: tuple[str, ...] = ("basic", "greedy")
    """the rule bots, in equal shares: random, greedy or basic"""
    older: float = 0.2
    """share of the games in which the opponents are a snapshot"""
    older_partner: float = 0.1
    """share of the games in which the partner is a snapshot"""
    snapshot_every: int = 20
    """updates between snapshots"""
    pool: int = 10
    """snapshots that are kept, the latest ones"""
    threads: int = 1
    """threads of torch and of the games; more than one pays only if the cores have nothing else to
    do"""
    eval_opponent: str = "basic"
    eval_every: int = 20_000
    """deals between evaluations; 0 for none"""
    eval_decks: int = 256
    final_decks: int = 1000
    """decks on which the agent plays random and basic, before and after; 0 for none"""
    save_every: int = 20
    """updates between checkpoints"""
    keep_every: int = 0
    """deals between the checkpoints that are kept, each as runs/x/at-<deals>; 0 for none"""


FREE_ON_RESUME: Final = (
    "run", "resume", "deals", "threads", "eval_opponent", "eval_every", "eval_decks", "final_decks",
    "save_every", "keep_every",
)  # fmt: skip
"""Settings that may differ when a run goes on; the others would make it another run."""

FINAL: Final = ("random", "basic")
"""Whom the agent plays before and after the run."""


def check(args: Args) -> None:
    """Raises ``RunError`` for settings that MaskablePPO or the pool would stumble over."""
    for name in ("num_envs", "rollout", "epochs", "minibatch", "snapshot_every", "pool", "threads"):
        if getattr(args, name) < 1:
            raise runs.RunError(
                f"--{name.replace('_', '-')} {getattr(args, name)} is not 1 or more"
            )
    shares = (args.bots, args.older, args.bots + args.older, args.older_partner)
    if not all(0 <= share <= 1 for share in shares):
        raise runs.RunError(
            f"--bots {args.bots}, --older {args.older} and --older-partner {args.older_partner} "
            "are shares from 0 to 1, and so is the sum of the first two"
        )
    if args.num_envs * args.rollout % args.minibatch == 1:
        raise runs.RunError(
            f"--minibatch {args.minibatch}: of {args.num_envs} x {args.rollout} moves one is left "
            "over, and the advantages of a single move have no spread; choose another"
        )
    unknown = set(args.bot_names) - set(registry.BOTS)
    if unknown or not args.bot_names:
        raise runs.RunError(
            f"--bot-names {' '.join(args.bot_names)}: choose from {', '.join(registry.BOTS)}"
        )


# --- the pool -----------------------------------------------------------------------------------


class Pool:
    """The policy as it is now and its snapshots, as agents, and who of them plays where."""

    def __init__(self, network: Network, identity: dict[str, Any], args: Args) -> None:
        self.args, self.identity = args, identity
        self.random = np.random.default_rng(args.seed)
        self.now = self._agent(network)
        self.snapshots: list[NeuralAgent] = []

    def _agent(self, network: Network) -> NeuralAgent:
        seed = int(self.random.integers(2**63))
        return NeuralAgent(network, self.identity, name="policy", temperature=1.0, seed=seed)

    def take(self) -> None:
        """One more snapshot; the oldest one goes if there are too many."""
        self.add(network_arrays(self.now.network))

    def add(self, weights: dict[str, npt.NDArray[Any]]) -> None:
        """A snapshot with these weights."""
        network = copy.deepcopy(self.now.network).requires_grad_(False)
        network.load_state_dict({n: torch.tensor(array) for n, array in weights.items()})
        self.snapshots = [*self.snapshots, self._agent(network)][-self.args.pool :]

    def deal_out(self, envs: CanastaVectorEnv) -> None:
        """Say who plays in each game from its next episode on."""
        args, n = self.args, envs.num_envs
        count = min(2, len(self.snapshots))
        drawn = self.random.choice(len(self.snapshots), count, replace=False) if count else ()
        older = [self.snapshots[i] for i in drawn] or [self.now]
        groups = ((args.bots, args.bot_names), (args.older, older))
        for player, rows in self._groups(n, groups):
            envs.set_players(opponents=player, rows=rows)
        if envs.batch.players > envs.batch.sides:
            for player, rows in self._groups(n, ((args.older_partner, older),)):
                envs.set_players(partner=player, rows=rows)

    def _groups(self, n: int, groups: Any) -> list[tuple[Any, npt.NDArray[np.int64]]]:
        """Players with the games drawn for them: of each group (share, players) in equal parts, and
        the policy as it is now in the games that are left.
        """
        rows = self.random.permutation(n)
        found = []
        for share, players in groups:
            count = round(share * n)
            parts = np.array_split(rows[:count], len(players))
            found += list(zip(players, parts, strict=True))
            rows = rows[count:]
        return [*found, (self.now, rows)]

    def state(self) -> dict[str, Any]:
        """The weights of the snapshots, by name."""
        return checkpoints.joined(
            {str(i): network_arrays(agent.network) for i, agent in enumerate(self.snapshots)}
        )

    def restore(self, state: dict[str, Any]) -> None:
        """Puts back what :meth:`state` gave."""
        self.snapshots = []
        for i in sorted({int(name.partition(".")[0]) for name in state}):
            self.add(checkpoints.group(state, str(i)))


# --- trainer ------------------------------------------------------------------------------------


class Trainer:
    """The whole state of a run; ``update`` brings it one rollout further."""

    def __init__(self, args: Args) -> None:
        self.args = args = replace(args, network=fitting_kind(args.network, args.rules))
        torch.set_num_threads(args.threads)
        keep_memory()
        envs = CanastaVectorEnv(
            args.rules, args.num_envs, players=args.players, seat="rotate", illegal="raise",
            autoreset_mode="SameStep", threads=args.threads,
        )  # fmt: skip
        self.identity = checkpoints.identity(envs.batch)
        torch.manual_seed(args.seed)
        self.network = make_network(args.network, args.hidden, self.identity, envs.batch.scale)
        self.updates = self.deals = self.steps = self.decisions = 0
        self.seconds = 0.0
        self.before: dict[str, Score] = {}
        self.env = LearnerVecEnv(envs, self.network.arrange)
        self.model = self._maskable_ppo()
        self.pool = Pool(self.network, self.identity, args)
        self.pool.deal_out(envs)

    def _maskable_ppo(self) -> MaskablePPO:
        """The algorithm, with our network as its policy; nothing is logged by itself."""
        args = self.args
        # checks of every distribution that is made, which cost more than the distributions
        torch.distributions.Distribution.set_default_validate_args(False)
        model = MaskablePPO(
            NetworkPolicy,
            self.env,
            learning_rate=self.rate,
            n_steps=args.rollout,
            batch_size=args.minibatch,
            n_epochs=args.epochs,
            gamma=args.gamma,
            gae_lambda=args.gae_lambda,
            clip_range=args.clip,
            ent_coef=args.entropy,
            vf_coef=args.value_weight,
            max_grad_norm=args.max_grad_norm,
            stats_window_size=4 * args.num_envs,
            policy_kwargs=policy_settings(self.network, self.identity["actions"]),
            device="cpu",
            seed=args.seed,
        )
        model.set_logger(Logger(None, []))
        return model

    def rate(self, _: float = 0.0) -> float:
        """The learning rate: in a straight line from the first deal to the last, if annealed."""
        left = max(0.0, 1 - self.deals / self.args.deals) if self.args.anneal else 1.0
        return self.args.learning_rate * left

    def update(self) -> dict[str, float]:
        """One rollout and the epochs over it; what there is to show of them."""
        args, model, ended = self.args, self.model, self.env.deals
        began = time.perf_counter()
        steps = args.num_envs * args.rollout
        model.learn(steps, log_interval=None, reset_num_timesteps=False)
        decisions = int((model.rollout_buffer.action_masks.sum(-1) > 1).sum())
        self.updates += 1
        if self.updates % args.snapshot_every == 0:
            self.pool.take()
            self.pool.deal_out(self.env.envs)
        took = time.perf_counter() - began
        self.deals += self.env.deals - ended
        self.steps += steps
        self.decisions += decisions
        self.seconds += took
        losses = {
            name.removeprefix("train/"): float(value)
            for name, value in model.logger.name_to_value.items()
        }
        returns = [episode["r"] for episode in model.ep_info_buffer]
        return {
            **losses,
            "points": 1000 * float(np.mean(returns)) if returns else math.nan,
            "steps_per_second": steps / took,
            "decisions_per_second": decisions / took,
        }

    def evaluate(self, opponent: str = "", decks: int = 0) -> Score:
        """Points a deal against an agent, ``eval_opponent`` if none is named, always on the same
        decks; the policy plays its likeliest actions.
        """
        ours = NeuralAgent(self.network, self.identity, name="training")
        opponent = opponent or self.args.eval_opponent
        return against(ours, opponent, self.args, decks or self.args.eval_decks)

    def final(self) -> dict[str, Score]:
        """The scores that the run shows of its start and of its end."""
        decks = self.args.final_decks
        if not decks:
            return {}
        print(f"playing {' and '.join(FINAL)} on {decks:,} decks ...")
        return {name: self.evaluate(name, decks) for name in FINAL}

    def save(self, folder: Path) -> None:
        """Writes the checkpoint of this moment, between two updates."""
        pool = checkpoints.joined({"pool": self.pool.state()})
        arrays = pool | optimizer_arrays(self.model.policy.optimizer)
        meta = {
            "trainer": "sb3",
            **self.identity,
            "network": {"kind": self.args.network, "hidden": list(self.network.hidden)},
            "counters": {name: getattr(self, name) for name in COUNTERS},
            "before": {name: asdict(found) for name, found in self.before.items()},
            "settings": asdict(self.args),
            "versions": checkpoints.versions(),
        }
        parts = {"network": network_arrays(self.network), "trainer": arrays}
        checkpoints.write(folder, meta, parts)

    def load(self, saved: checkpoints.Checkpoint) -> None:
        """Puts back what :meth:`save` kept. Games that were going on are not among it: others are
        dealt, with other random numbers than those of the start.
        """
        checkpoints.check_identity(saved, self.identity)
        arrays = saved.arrays("trainer")
        self.network.load_state_dict(build_network(saved).state_dict())
        restore_optimizer(self.model.policy.optimizer, arrays)
        for name in COUNTERS:
            setattr(self, name, saved.meta["counters"][name])
        self.before = {name: Score(**found) for name, found in saved.meta["before"].items()}
        self.pool.random = np.random.default_rng([self.args.seed, self.updates])
        self.pool.restore(checkpoints.group(arrays, "pool"))
        self.pool.deal_out(self.env.envs)
        self.model.num_timesteps = self.steps
        self.model.set_random_seed(self.args.seed + self.updates)


COUNTERS: Final = ("updates", "deals", "steps", "decisions", "seconds")

# --- run ----------------------------------------------------------------------------------------


def start(args: Args) -> tuple[Trainer, Path]:
    """The trainer, new or as it was saved, and the folder of its run."""
    check(args)
    folder = runs.folder(args, f"sb3-{args.rules}-{args.players}p-seed{args.seed}")
    saved = checkpoints.read(folder) if args.resume else None
    if args.eval_every:
        registry.make(args.eval_opponent, args.rules, args.players)  # a wrong name is told now
    trainer = Trainer(args)
    if saved is None:
        trainer.before = trainer.final()
    else:
        trainer.load(saved)
    return trainer, folder


def main(arguments: list[str] | None = None) -> None:
    """The command ``python -m train.sb3``; its status is 130 if it was interrupted."""
    try:
        trainer, folder = start(runs.parse(Args, "sb3", FREE_ON_RESUME, arguments, __doc__))
    except ValueError as error:  # settings, rules, names and checkpoints: all say what is wrong
        sys.exit(f"train.sb3: {error}")
    except KeyboardInterrupt:
        sys.exit(runs.INTERRUPTED)
    runs.carry_out(trainer, folder, "sb3")
    for name, after in trainer.final().items():
        before = f"{trainer.before[name]} before, " if name in trainer.before else ""
        print(f"against {name}: {before}{after} points a deal after {trainer.deals:,} deals")
    print(f"done: {trainer.deals:,} deals; the agent is {folder / checkpoints.LAST}")


if __name__ == "__main__":
    main()

"""Masked PPO by self-play over the batch: one network plays every seat, unless others are asked in.

    python -m train.ppo --deals 100000 --run runs/first
    python -m train.ppo --resume runs/first

Read from top to bottom: settings, the rollout and its buffers, advantages seat by seat, the update,
the trainer with its checkpoints, the run. What only some runs need has files of its own: agents in
some seats (train/pool.py), a policy unlike others (train/diversity.py), cards under other names for
each seat (train/other_play.py), a wider view (canasta_env/channels.py), a critic that sees hidden
hands (train/critic.py), a magnet (train/magnet.py), rewards in chances to win (train/reward.py),
another device (train/learner.py).

Advantages. Each seat of each game has its own trajectory. A decision of a seat earns all that the
seat is paid until its own next decision in the same deal, whoever acted meanwhile; when a deal
ends, every seat's last decision earns what that seat is paid at the end, a loss as well as a win.
Values and advantages are chained from decision to decision of the same seat and never across seats
or deals.

The end of a rollout. The last decision of a seat whose deal goes on has no successor yet. Nothing
that was seen says what the seat's next view will be worth, so it isn't guessed: such a decision is
held back, at most one for each seat of each game, with its old probability, value and what it has
earned so far. The next rollout completes it. Its value is the bootstrap for the decision before it.
It is trained one update late, and the clipped ratio is taken against the policy that made it, as
for any other.

Forced moves. A row with one legal action needs no network and is no decision: what it earns goes to
the decision before.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

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
from train.critic import Critic, CriticKind, make_critic
from train.diversity import Others, entropy_of_mean
from train.evaluate import Score, against
from train.held_out import keep_apart, met
from train.learner import Judge, Learner
from train.magnet import pull
from train.other_play import OtherPlay
from train.pool import Pool
from train.reward import Reward, WinningReward
from train.saved import beginning, check_version, like
from train.workers import Workers, make_batch

# --- settings -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args:
    """Settings of a run. Rewards and values are in thousands of points."""

    run: str = ""
    """folder of the run; runs/<rules>-<players>p-seed<seed> if empty"""
    resume: str = ""
    """folder of a run to continue; its own settings hold, --deals may be raised"""
    start: str = ""
    """checkpoint or run whose network a new run begins with"""
    rules: str = "classic"
    players: int = 4
    deals: int = 180_000
    """finished deals after which the run ends"""
    seed: int = 1
    num_games: int = 512
    """games in lock step"""
    rollout: int = 32
    """steps of every game between updates"""
    epochs: int = 3
    minibatch: int = 1024
    learning_rate: float = 2e-3
    anneal: bool = True
    """bring the learning rate down to zero over the run"""
    gamma: float = 1.0
    gae_lambda: float = 0.98
    entropy: float = 0.02
    """weight of the entropy bonus"""
    entropy_end: float | None = None
    """its weight after the last deal, on a straight line; as at the start if not given"""
    magnet: float = 0.0
    """weight of KL(policy || magnet), the magnet a slow copy of the network; 0 for none"""
    magnet_every: int = 50
    """updates after which the magnet takes the network's weights"""
    clip: float = 0.2
    value_clip: float = 0.0
    """limit of a value's change in an update; 0 for none"""
    value_weight: float = 0.5
    critic: CriticKind = "own"
    """whose values advantages are made of: the network's own, or a second network's that sees the
    same (apart), partners' hands too (team), or all hands (oracle)"""
    reward: Reward = "points"
    """what a deal pays: points in thousands, or the change of the chance of winning the match"""
    max_grad_norm: float = 0.5
    network: Literal["auto", "ranks", "symmetric", "mlp"] = "auto"
    """ranks: one set of weights for all natural ranks; symmetric: that, and exactly as symmetric as
    the rules, with suits in place of ranks where they matter; mlp: plain layers; auto: ranks, but
    mlp where suits matter"""
    hidden: tuple[int, ...] = ()
    """widths: of a rank's token and of the context (64 128), or of the layers of mlp (256 256)"""
    pool: tuple[str, ...] = ()
    """who plays the other sides in a share of the games: basic=0.1 past=0.2; past is the run's
    snapshots"""
    partners: tuple[str, ...] = ()
    """who has the partner's seats in a share of the games"""
    members: tuple[str, ...] = ()
    """a population's agents, who take turns as members in --pool and --partners: members=0.5"""
    in_play: int = 4
    """members in play at a time; others take over with the next snapshot"""
    held_out: tuple[str, ...] = ()
    """agents that the run may not meet or begin from, since it is to be tested with them"""
    diversity: float = 0.0
    """weight of the entropy of a population's mean policy: this network's and --diversity-from; 0
    for none"""
    diversity_from: tuple[str, ...] = ()
    """runs or checkpoints of the population's members so far"""
    other_play: bool = False
    """show each seat the cards of a deal under names of its own, by a symmetry of the rules"""
    shown: tuple[Literal["order", "suits"], ...] = ()
    """what a table shows besides: the order of each seat's melds, the cards' suits"""
    snapshot_every: int = 50
    """updates between snapshots, and between turns of members"""
    snapshots: int = 10
    """snapshots that are kept"""
    threads: int = 2
    device: Literal["cpu", "cuda"] = "cpu"
    """where is learnt; games and their decisions are always on the CPU"""
    eval_opponent: str = "basic"
    eval_every: int = 10_000
    """deals between evaluations; 0 for none"""
    eval_decks: int = 256
    save_every: int = 20
    """updates between checkpoints"""
    keep_every: int = 0
    """deals between the checkpoints that are kept, each as runs/x/at-<deals>; 0 for none"""


FREE_ON_RESUME = (
    "run",
    "resume",
    "deals",
    "device",
    "eval_opponent",
    "eval_every",
    "eval_decks",
    "save_every",
    "keep_every",
)
"""Settings that may differ when a run goes on; the others would make it another run."""


def check(args: Args) -> None:
    """Raises ``RunError`` for numbers that no run can be made with, and ``ValueError`` for agents
    that are held out and met.
    """
    for name in ("num_games", "rollout", "minibatch", "threads", "snapshot_every", "snapshots",
                 "magnet_every", "save_every"):  # fmt: skip
        if getattr(args, name) < 1:
            option = name.replace("_", "-")
            raise runs.RunError(f"--{option} {getattr(args, name)} is not possible; 1 or more")
    if args.other_play and args.critic in ("team", "oracle"):
        raise runs.RunError(
            f"--critic {args.critic} shows hidden hands under their real names, and --other-play "
            "the rest under others; leave one of them out"
        )
    if args.diversity_from and not args.diversity:
        raise runs.RunError("--diversity-from needs the weight, as --diversity 0.02")
    keep_apart(args.held_out, met(asdict(args)))
    if args.shown:
        check_shown(args)


def check_shown(args: Args) -> None:
    """Raises ``RunError`` for settings that a wider view does not go with."""
    if args.network not in ("auto", "mlp"):
        raise runs.RunError(
            f"--network {args.network} lays out the features that it knows, and not those of "
            f"--shown {' '.join(args.shown)}; use --network mlp"
        )
    if args.other_play:
        raise runs.RunError(
            f"--other-play renames the cards of a view, and not those of "
            f"--shown {' '.join(args.shown)}; leave one of them out"
        )


# --- rollout ------------------------------------------------------------------------------------


class Rollout:
    """The decisions of one rollout, preallocated; arrays of (rows, games, ...).

    Rows 0 to players - 1 are the decisions held back from the last rollout, row s of game n that of
    seat s; then comes a row for each step. ``decided`` says where a decision of the learner stands.
    ``pending`` (games, players) is what was earned after a decision held back, until the end of the
    last rollout. Observations stand as the network arranges them; ``hidden`` is what a critic sees
    besides. Numpy arrays share memory with the tensors.
    """

    def __init__(
        self, steps: int, games: int, players: int, features: int, actions: int, hidden: int = 0
    ) -> None:
        rows = players + steps
        self.steps, self.games, self.players = steps, games, players
        self.observation = torch.zeros((rows, games, features), dtype=torch.uint8)
        self.mask = torch.zeros((rows, games, actions), dtype=torch.bool)
        self.hidden = torch.zeros((rows, games, hidden), dtype=torch.uint8)
        self.action = torch.zeros((rows, games), dtype=torch.int64)
        self.log_probability = torch.zeros((rows, games))
        self.value = torch.zeros((rows, games))
        self.advantage = torch.zeros((rows, games))
        self.target = torch.zeros((rows, games))
        self.seat = np.zeros((rows, games), np.int64)
        self.seat[:players] = np.arange(players)[:, None]
        self.decided = np.zeros((rows, games), np.bool_)
        self.reward = np.zeros((steps, games, players), np.float32)
        self.ended = np.zeros((steps, games), np.bool_)
        self.pending = np.zeros((games, players), np.float32)

    def tensors(self) -> dict[str, Tensor]:
        """What a decision consists of, by name; :func:`decide` notes it in this order."""
        names = ["observation", "mask", "action", "log_probability", "value"]
        if self.hidden.shape[-1]:
            names.append("hidden")
        return {name: getattr(self, name) for name in names}

    def hold_back(self, ready: npt.NDArray[np.bool_]) -> None:
        """Moves the decisions without a successor to the first rows and forgets the others."""
        row, game = np.nonzero(self.decided & ~ready)
        seat = self.seat[row, game]
        for tensor in self.tensors().values():
            array = tensor.numpy()
            array[seat, game] = array[row, game]
        self.decided[:] = False
        self.decided[seat, game] = True

    def held_back(self) -> dict[str, npt.NDArray[Any]]:
        """What the next rollout needs of this one, for a checkpoint."""
        held = {name: tensor[: self.players].numpy() for name, tensor in self.tensors().items()}
        return {**held, "decided": self.decided[: self.players], "pending": self.pending}

    def restore(self, held: dict[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`held_back` gave."""
        for name, tensor in self.tensors().items():
            tensor[: self.players].numpy()[:] = held[name]
        self.decided[: self.players] = held["decided"]
        self.pending[:] = held["pending"]


@dataclass
class Player:
    """Who acts: the network, and the agents of the pool where its ``learner`` is false. ``critic``
    only notes what it will judge by.
    """

    network: Network
    workers: Workers
    pool: Pool | None = None
    critic: Critic | None = None
    other_play: OtherPlay | None = None

    def learns(self, batch: Any, part: slice) -> npt.NDArray[np.bool_]:
        """In which games of a part the seat to act is one that learns."""
        seat = batch.seat[part]
        if self.pool is None:
            return np.ones(len(seat), np.bool_)
        learns: npt.NDArray[np.bool_] = self.pool.learner[part][np.arange(len(seat)), seat]
        return learns


def collect(
    batch: Any, player: Player, rollout: Rollout, winning: WinningReward | None = None
) -> int:
    """Plays ``rollout.steps`` steps into the buffers; the number of deals that ended. Deals pay
    points, or chances to win if ``winning`` is given.
    """
    for step in range(rollout.steps):
        row = rollout.players + step
        rollout.seat[row] = batch.seat
        actions = choose(batch, player, rollout, row)
        if winning is not None:
            winning.before()
        batch.step(actions)
        rollout.reward[step] = batch.reward if winning is None else winning.paid()
        np.logical_or(batch.terminated, batch.truncated, out=rollout.ended[step])
        if player.other_play is not None:
            player.other_play.draw(np.flatnonzero(rollout.ended[step]))
        if player.pool is not None:
            player.pool.deal(np.flatnonzero(rollout.ended[step]))
    return int(rollout.ended.sum())


def choose(batch: Any, player: Player, rollout: Rollout, row: int) -> npt.NDArray[np.int64]:
    """An action for every game; the network's decisions are noted in ``row``."""
    part = partial(choose_part, batch, player, rollout, row)
    actions = np.concatenate(player.workers.share(part, torch.arange(rollout.games)))
    if player.pool is not None:
        player.pool.act(batch, actions, player.workers)
    return actions


def choose_part(
    batch: Any,
    player: Player,
    rollout: Rollout,
    row: int,
    games: Tensor,
    generator: torch.Generator,
) -> npt.NDArray[np.int64]:
    """The first legal action in each of ``games`` (consecutive ones), the network's where it
    decides.
    """
    part = slice(int(games[0]), int(games[-1]) + 1)
    mask = batch.mask[part]
    actions: npt.NDArray[np.int64] = mask.argmax(axis=1)
    decided = player.learns(batch, part) & (np.count_nonzero(mask, axis=1) > 1)
    rollout.decided[row, part] = decided
    if decided.any():
        at = games.numpy()[decided]
        actions[decided] = decide(batch, player, rollout, row, at, generator)
    return actions


def decide(
    batch: Any,
    player: Player,
    rollout: Rollout,
    row: int,
    at: npt.NDArray[np.int64],
    generator: torch.Generator,
) -> npt.NDArray[np.int64]:
    """The network's actions in the games ``at``, noted with what they were decided from."""
    other, seats = player.other_play, batch.seat[at]
    seen, legal = batch.observation[at], batch.mask[at]
    if other is not None:
        seen, legal = other.observed(seen, at, seats), other.masked(legal, at, seats)
    with torch.inference_mode():
        observation = player.network.arrange(torch.from_numpy(seen))
        mask = torch.from_numpy(legal)
        logits, value = player.network.judge(observation)
        probability = masked(logits, mask).softmax(-1)
        action = sample(probability, generator)
        log_probability = probability.gather(1, action[:, None])[:, 0].log()
        noted = [observation, mask, action, log_probability, value]
        if player.critic is not None and player.critic.size:
            noted.append(torch.from_numpy(player.critic.look(batch, at)))
        for tensor, values in zip(rollout.tensors().values(), noted, strict=True):
            tensor.numpy()[row, at] = values.numpy()
    drawn: npt.NDArray[np.int64] = action.numpy()
    return drawn if other is None else other.played(drawn, at, seats)


# --- advantages ---------------------------------------------------------------------------------


class Backward:
    """The scan from the last step to the first; for each seat of each game (games, players) what
    follows.
    """

    def __init__(self, rollout: Rollout, gamma: float, gae_lambda: float) -> None:
        shape = (rollout.games, rollout.players)
        self.rollout, self.gamma, self.decay = rollout, gamma, gamma * gae_lambda
        self.earned = np.zeros(
            shape, np.float32
        )  # since the decision that is yet to come in the scan
        self.next_value = np.zeros(shape, np.float32)
        self.next_advantage = np.zeros(shape, np.float32)
        self.known = np.zeros(
            shape, np.bool_
        )  # the next decision of the seat, or the end of its deal
        self.ready = np.zeros_like(rollout.decided)
        self.pending = np.zeros(shape, np.float32)

    def end(self, ended: npt.NDArray[np.bool_]) -> None:
        """Where a deal ended nothing of the next one counts, and all that follows is known."""
        for array in (self.earned, self.next_value, self.next_advantage):
            array[ended] = 0
        self.known[ended] = True

    def settle(self, row: int) -> None:
        """Advantages and targets of the decisions in ``row``."""
        game = np.flatnonzero(self.rollout.decided[row])
        at = game, self.rollout.seat[row, game]
        value = self.rollout.value.numpy()[row, game]
        known = self.known[at]
        surprise = self.earned[at] + self.gamma * self.next_value[at] - value
        advantage = np.where(known, surprise + self.decay * self.next_advantage[at], 0)
        self.rollout.advantage.numpy()[row, game] = advantage
        self.rollout.target.numpy()[row, game] = advantage + value
        self.ready[row, game] = known
        self.pending[at] = np.where(known, self.pending[at], self.earned[at])
        self.earned[at] = 0
        self.next_value[at] = value
        self.next_advantage[at] = advantage
        self.known[at] = True


def advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> npt.NDArray[np.bool_]:
    """Fills ``advantage`` and ``target``; where they hold: bool (rows, games), false for what is
    held back.
    """
    scan = Backward(rollout, gamma, gae_lambda)
    for step in reversed(range(rollout.steps)):
        scan.end(rollout.ended[step])
        scan.earned += rollout.reward[step]
        scan.settle(rollout.players + step)
    scan.earned += rollout.pending
    for seat in range(rollout.players):
        scan.settle(seat)
    rollout.pending[:] = scan.pending
    return scan.ready


# --- update -------------------------------------------------------------------------------------


def minibatches(ready: Tensor, size: int, generator: torch.Generator) -> Iterator[Tensor]:
    """The indices ``ready`` in random order; what does not fill a minibatch sits out this epoch."""
    shuffled = ready[torch.randperm(len(ready), generator=generator)]
    if len(ready) <= size:
        yield shuffled
    else:
        whole = len(ready) // size * size
        yield from shuffled[:whole].view(-1, size)


def judge_again(learner: Learner, critic: Critic, rollout: Rollout, size: int) -> None:
    """Puts the critic's values in place of the network's own, for the decisions of this rollout;
    those held back keep theirs.
    """
    fresh = rollout.decided.copy()
    fresh[: rollout.players] = False
    rows = torch.from_numpy(np.flatnonzero(fresh))
    observation, hidden = rollout.observation.flatten(0, 1), rollout.hidden.flatten(0, 1)

    def judge(part: Tensor) -> Tensor:
        seen = (x.index_select(0, part.cpu()).to(learner.device) for x in (observation, hidden))
        value: Tensor = critic(*seen)
        return value.cpu()

    if len(rows):
        rollout.value.flatten()[rows] = learner.each(judge, rows, size)


def learn(
    learner: Learner,
    rollout: Rollout,
    ready: npt.NDArray[np.bool_],
    args: Args,
    entropy: float,
) -> dict[str, float]:
    """The epochs of one update over the decisions that are ``ready``, with a weight of the entropy
    bonus; means of :func:`losses_shown`.
    """
    index = torch.from_numpy(np.flatnonzero(ready))
    data = lesson(learner, rollout, index, args.minibatch)
    gradients = partial(gradients_of_part, learner, data, args, entropy)
    names = losses_shown(args)
    shown = torch.zeros(len(names), device=learner.device)
    count = 0
    for _ in range(args.epochs if len(index) else 0):
        for rows in minibatches(index, args.minibatch, learner.workers.generators[0]):
            parts = learner.share(partial(gradients, len(rows)), rows)
            for descent, *rows_of in zip(learner.descents, *(g for g, _ in parts), strict=True):
                descent.step(rows_of)
            shown += torch.stack([losses for _, losses in parts]).sum(0)
            count += 1
    return dict(zip(names, (shown / max(1, count)).tolist(), strict=True))


def lesson(learner: Learner, rollout: Rollout, index: Tensor, size: int) -> dict[str, Tensor]:
    """What is learnt from, on the learner's device, a row for each place of the rollout; it holds
    in the rows of ``index``. Advantages are brought to mean 0 and variance 1.
    """
    data = {name: x.flatten(0, 1).to(learner.device) for name, x in rollout.tensors().items()}
    data["target"] = rollout.target.flatten().to(learner.device)
    advantage = rollout.advantage.flatten()
    chosen = advantage[index]
    advantage = (advantage - chosen.mean()) / (chosen.std(correction=0) + 1e-8)
    data["advantage"] = advantage.to(learner.device)
    for name, judge in learner.judges().items() if len(index) else ():

        def of_rows(rows: Tensor, judge: Judge = judge) -> Tensor:
            return judge(data["observation"].index_select(0, rows), data["mask"][rows])

        judged = learner.each(of_rows, index, size)
        data[name] = torch.zeros(data["mask"].shape, device=learner.device)
        data[name][index.to(learner.device)] = judged
    return data


def gradients_of_part(
    learner: Learner,
    data: dict[str, Tensor],
    args: Args,
    entropy: float,
    size: int,
    rows: Tensor,
    _: torch.Generator,
) -> tuple[list[Tensor], Tensor]:
    """What ``rows`` add to the gradients, one row for each descent, and to the means of a minibatch
    of ``size``.
    """
    batch = {name: tensor.index_select(0, rows) for name, tensor in data.items()}
    share = len(rows) / size
    loss, shown = loss_and_parts(learner.network, batch, args, entropy)
    gradients = [gradient(loss * share, tuple(learner.network.parameters()))]
    if learner.critic is not None:
        value = learner.critic(batch["observation"], batch.get("hidden"))
        error = value_error(value, batch, args.value_clip)
        gradients.append(gradient(args.value_weight * share * error, learner.critic.weights()))
        shown = torch.cat([shown, error.detach()[None]])
    return gradients, shown * share


def gradient(loss: Tensor, weights: tuple[Tensor, ...]) -> Tensor:
    """The gradient as one row of numbers."""
    return torch.cat([part.flatten() for part in torch.autograd.grad(loss, weights)])


LOSSES = ("policy", "value", "entropy", "clipped", "divergence")
"""Means over minibatches: the two losses, the entropy, the share of clipped ratios, and the
divergence of the new policy from the one that played."""


def losses_shown(args: Args) -> tuple[str, ...]:
    """:data:`LOSSES`, then the divergence from the magnet, the entropy of the population's mean
    policy, and the critic's loss, if there are.
    """
    more = {"magnet": args.magnet, "population": args.diversity, "critic": args.critic != "own"}
    return (*LOSSES, *(name for name, there in more.items() if there))


def loss_and_parts(
    network: Network, batch: dict[str, Tensor], args: Args, entropy_weight: float
) -> tuple[Tensor, Tensor]:
    """The clipped surrogate, the value's error, the entropy bonus, the magnet's pull and the
    population's entropy; and :data:`LOSSES`, with the last two if there are.
    """
    logits, value = network.judge(batch["observation"])
    logits = masked(logits, batch["mask"])
    log_probabilities = logits.log_softmax(-1)
    taken = log_probabilities.gather(1, batch["action"][:, None])[:, 0]
    change = taken - batch["log_probability"]
    ratio = change.exp()
    advantage = batch["advantage"]
    clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
    policy_loss = -torch.minimum(ratio * advantage, clipped * advantage).mean()
    # where a critic's values stand in the batch, the own one can't be kept near its old one
    value_loss = value_error(value, batch, args.value_clip if args.critic == "own" else 0.0)
    # softmax, not exp, which is slow where it gives zero
    probabilities = logits.softmax(-1)
    entropy = -(probabilities * log_probabilities).sum(1).mean()
    loss = policy_loss + args.value_weight * value_loss - entropy_weight * entropy
    with torch.no_grad():
        outside = (ratio - clipped).abs().gt(1e-6).float().mean()
        divergence = (ratio - 1 - change).mean()
    shown = [policy_loss, value_loss, entropy, outside, divergence]
    if "magnet" in batch:
        shown.append(pull(probabilities, entropy, batch["magnet"]))
        loss = loss + args.magnet * shown[-1]
    if "others" in batch:
        count = 1 + len(args.diversity_from)
        shown.append(entropy_of_mean(probabilities, batch["others"], count))
        loss = loss - args.diversity * count * shown[-1]
    return loss, torch.stack([x.detach() for x in shown])


def value_error(value: Tensor, batch: dict[str, Tensor], clip: float) -> Tensor:
    """Half the mean squared error; with ``clip`` the larger of that and of the value kept near its
    old one.
    """
    error = (value - batch["target"]).square()
    if clip > 0:
        near = batch["value"] + (value - batch["value"]).clamp(-clip, clip)
        error = torch.maximum(error, (near - batch["target"]).square())
    return 0.5 * error.mean()


# --- trainer ------------------------------------------------------------------------------------


class Trainer:
    """The whole state of a run; ``update`` brings it one rollout further, ``save`` and ``load``
    keep all of it.
    """

    name: ClassVar[str] = "ppo"

    def __init__(self, args: Args, batch: Any = None) -> None:
        check(args)
        args, first = beginning(args)
        kind = "mlp" if args.shown else fitting_kind(args.network, args.rules)
        self.args = args = replace(args, network=kind)
        self.workers = Workers(args.threads, args.seed)
        self.batch = (
            batch if batch is not None else make_batch(args, args.num_games, seed=args.seed)
        )
        torch.manual_seed(args.seed)
        identity = checkpoints.identity(self.batch)
        self.network = make_network(args.network, args.hidden, identity, self.batch.scale)
        if first is not None:
            checkpoints.check_identity(first, identity)
            self.network.load_state_dict(build_network(first).state_dict())
        critic = make_critic(args.critic, args.network, self.network.hidden, identity, self.batch)
        self.learner = Learner(
            self.network,
            self.workers,
            device=args.device,
            rate=args.learning_rate,
            max_norm=args.max_grad_norm,
            critic=critic,
            magnet_every=args.magnet_every if args.magnet else 0,
            others=Others(args.diversity_from, identity, args.network) if args.diversity else None,
        )
        self.rollout = Rollout(
            args.rollout,
            self.batch.n,
            self.batch.players,
            self.batch.observation_size,
            self.batch.actions,
            0 if critic is None else critic.size,
        )
        self.pool = self._pool()
        self.other_play = OtherPlay(self.batch, args.seed) if args.other_play else None
        self.player = Player(self.network, self.workers, self.pool, critic, self.other_play)
        self.winning = WinningReward(self.batch, args.rules) if args.reward == "winning" else None
        self.updates = self.deals = self.steps = self.decisions = 0
        self.seconds = 0.0

    def _pool(self) -> Pool | None:
        """Who plays besides the network, if anybody does."""
        args = self.args
        if not args.pool and not args.partners and not args.members:
            return None
        pool = Pool(
            self.batch, self.network, args.pool, args.partners, keep=args.snapshots,
            rules=args.rules, seed=args.seed, members=args.members, in_play=args.in_play,
        )  # fmt: skip
        pool.take(self.learner.weights, 0)
        return pool

    def update(self) -> dict[str, float]:
        """One rollout and the epochs over it; what there is to show of them."""
        began = time.perf_counter()
        self.deals += collect(self.batch, self.player, self.rollout, self.winning)
        played = time.perf_counter()
        if self.learner.critic is not None:
            judge_again(self.learner, self.learner.critic, self.rollout, self.args.minibatch)
        ready = advantages(self.rollout, self.args.gamma, self.args.gae_lambda)
        rate, entropy = self.set_learning_rate(), self.entropy_weight()
        losses = learn(self.learner, self.rollout, ready, self.args, entropy)
        decisions = int(self.rollout.decided[self.rollout.players :].sum())
        steps = self.rollout.steps * self.rollout.games
        explained = explained_variance(self.rollout, ready)
        self.rollout.hold_back(ready)
        self.updates += 1
        self.learner.follow(self.updates)
        if self.pool is not None and self.updates % self.args.snapshot_every == 0:
            self.pool.take(self.learner.weights, self.updates)
        ended = time.perf_counter()
        self.steps += steps
        self.decisions += decisions
        self.seconds += ended - began
        return {
            **losses,
            "explained": explained,
            "learning_rate": rate,
            "entropy_weight": entropy,
            "steps_per_second": steps / (ended - began),
            "decisions_per_second": decisions / (ended - began),
            "share_playing": (played - began) / (ended - began),
        }

    def left(self) -> float:
        """The share of the run's deals that is left."""
        return max(0.0, 1 - self.deals / self.args.deals)

    def entropy_weight(self) -> float:
        """The weight of the entropy bonus in this update."""
        first, last = self.args.entropy, self.args.entropy_end
        return first if last is None else last + (first - last) * self.left()

    def set_learning_rate(self) -> float:
        """The learning rate of this update: in a straight line from the first deal to the last, if
        annealed.
        """
        rate = self.args.learning_rate * (self.left() if self.args.anneal else 1.0)
        self.learner.set_rate(rate)
        return rate

    def agent(self) -> NeuralAgent:
        """The network as it is now, playing greedily."""
        return NeuralAgent(self.network, checkpoints.identity(self.batch), name="training")

    def evaluate(self) -> Score:
        """Points a deal against ``eval_opponent``, always on the same decks."""
        args = self.args
        return against(self.agent(), args.eval_opponent, args, args.eval_decks)

    def save(self, folder: Path) -> None:
        """Writes the checkpoint of this moment, between two updates."""
        network = {
            "kind": self.args.network,
            "hidden": list(self.network.hidden),
        }
        counters = {name: getattr(self, name) for name in COUNTERS}
        meta = {
            "trainer": self.name,
            **self.notes(),
            **checkpoints.identity(self.batch),
            "network": network,
            "counters": counters,
            "settings": asdict(self.args),
            "versions": checkpoints.versions(),
        }
        parts = {"network": network_arrays(self.network), "trainer": self._arrays()}
        checkpoints.write(folder, meta, parts)

    def notes(self) -> dict[str, Any]:
        """What a checkpoint says of the run besides, for trainers that are made of this one."""
        return {}

    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All but the weights and the counters, by name."""
        arrays = {"generators": self.workers.state().numpy(), **self.learner.state()}
        groups = {
            "rollout": self.rollout.held_back(),
            "batch": self.batch.state_dict(),
            "pool": self.pool.state() if self.pool is not None else {},
            "other_play": self.other_play.state() if self.other_play is not None else {},
        }
        return arrays | checkpoints.joined(groups)

    def load(self, saved: checkpoints.Checkpoint) -> None:
        """Puts back all that :meth:`save` kept; raises ``CheckpointError`` if it belongs to another
        run.
        """
        checkpoints.check_identity(saved, checkpoints.identity(self.batch))
        arrays = saved.arrays("trainer")
        check_version(saved, arrays)
        self.network.load_state_dict(build_network(saved).state_dict())
        self.learner.restore(arrays)
        self.workers.restore(torch.from_numpy(arrays["generators"].copy()))
        self.rollout.restore(checkpoints.group(arrays, "rollout"))
        games = checkpoints.group(arrays, "batch")
        self.batch.load_state_dict(like(games, self.batch.state_dict()))
        if self.pool is not None:
            self.pool.restore(checkpoints.group(arrays, "pool"))
        if self.other_play is not None:
            self.other_play.restore(checkpoints.group(arrays, "other_play"))
        for name in COUNTERS:
            setattr(self, name, saved.meta["counters"][name])


COUNTERS = ("updates", "deals", "steps", "decisions", "seconds")


def explained_variance(rollout: Rollout, ready: npt.NDArray[np.bool_]) -> float:
    """The share of the targets' variance that the values explained."""
    target = rollout.target.numpy()[ready]
    error = target - rollout.value.numpy()[ready]
    variance = float(target.var()) if target.size else 0.0
    return 1 - float(error.var()) / variance if variance > 0 else math.nan


# --- run ----------------------------------------------------------------------------------------


def start(args: Args) -> tuple[Trainer, Path]:
    """The trainer, new or as it was saved, and the folder of its run."""
    folder = runs.folder(args, f"{args.rules}-{args.players}p-seed{args.seed}")
    saved = checkpoints.read(folder) if args.resume else None
    if args.eval_every:
        registry.make(args.eval_opponent, args.rules, args.players)  # a wrong name is told now
    trainer = Trainer(args)
    if saved is not None:
        trainer.load(saved)
    return trainer, folder


def main(arguments: list[str] | None = None) -> None:
    """The command ``python -m train.ppo``; its status is 130 if it was interrupted."""
    try:
        trainer, folder = start(runs.parse(Args, "ppo", FREE_ON_RESUME, arguments, __doc__))
    except ValueError as error:  # settings, rules, names and checkpoints: all say what is wrong
        sys.exit(f"train.ppo: {error}")
    runs.carry_out(trainer, folder, "ppo")
    print(f"done: {trainer.deals:,} deals; the agent is {folder / checkpoints.LAST}")


if __name__ == "__main__":
    main()

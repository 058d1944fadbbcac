"""Imitation: a network learns what others choose, as an agent and as a start for PPO.

    python -m train.imitate --teacher basic --run runs/like-basic
    python -m train.imitate --records games --run runs/like-them
    python -m train.ppo --start runs/like-basic

Read from top to bottom: settings, whose choices, what is held out, the trainer, the run. The loop
around it, the queue of decisions and the checkpoints are in :mod:`train.deal_trainer` and
:mod:`train.replay`, the agents and records that are imitated in :mod:`train.teachers`.

The policy learns by cross entropy which of the legal actions the teacher took; the value learns
what the seat was paid from then on until the end of the deal, in thousands of points, so that PPO
begins with a value that fits the policy.

Agreement is the share of choices that are the network's likeliest action too. It is measured on
decks that are held out: nothing that is played with them is trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from agents import registry
from agents.network import masked
from agents.neural import Network
from canasta_env.rules import Rules
from train import runs
from train.deal_trainer import FREE_ON_RESUME as FREE_ON_RESUME  # for train.seeds
from train.deal_trainer import DealTrainer, carry_out, check
from train.evaluate import EVALUATION_SEED, Score
from train.replay import Arrays, Pending
from train.teachers import PastDeal, Script, Teachers, read_deals
from train.workers import make_batch

# --- settings -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args:
    """Settings of a run. Rewards and values are in thousands of points."""

    run: str = ""
    """folder of the run; runs/imitate-<rules>-<players>p-seed<seed> if empty"""
    resume: str = ""
    """folder of a run to continue; its own settings hold, --deals may be raised"""
    start: str = ""
    """checkpoint or run whose weights a new run begins with"""
    rules: str = "classic"
    players: int = 4
    teacher: str = ""
    """agent that is imitated, basic if empty; with --records the name of the seats that are, all
    seats if empty"""
    others: tuple[str, ...] = ()
    """agents that play one side in a share of the games; their choices are not learned"""
    others_share: float = 0.5
    records: str = ""
    """folder with records of games, which are imitated instead of an agent"""
    held_out: int = 64
    """decks on which agreement is measured; of records a tenth at the most"""
    deals: int = 20_000
    """finished deals after which the run ends; those of records come again and again"""
    seed: int = 1
    num_games: int = 512
    """games in lock step"""
    rollout: int = 32
    """steps of every game between updates"""
    replay: int = 65_536
    """decisions in the queue that minibatches are drawn from"""
    longest: int = 512
    """decisions of a deal that are kept until it ends, the first ones"""
    reuse: float = 1.0
    """how often a decision is trained on, on average"""
    minibatch: int = 1024
    learning_rate: float = 2e-3
    anneal: bool = True
    """bring the learning rate down to zero over the run"""
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    network: Literal["auto", "ranks", "symmetric", "mlp"] = "auto"
    """ranks: one set of weights for all natural ranks; mlp: plain layers; auto: ranks, but mlp
    where suits matter"""
    hidden: tuple[int, ...] = ()
    """widths: of a rank's token and of the context (64 128), or of the layers of mlp (256 256)"""
    threads: int = 2
    device: Literal["cpu", "cuda"] = "cpu"
    """where the network learns; the games are played on the CPU"""
    eval_opponent: str = "basic"
    eval_every: int = 5_000
    """deals between evaluations; 0 for none"""
    eval_decks: int = 256
    save_every: int = 50
    """updates between checkpoints"""
    keep_every: int = 0
    """deals between checkpoints that are kept for good; 0 for none"""


def check_settings(args: Args) -> None:
    """Raises ``RunError`` for settings that contradict each other or make no sense."""
    check(args, "held_out")
    if args.records and args.others:
        raise runs.RunError("--others sit at tables with a teacher; with --records nobody plays")
    if not 0 <= args.others_share <= 1:
        raise runs.RunError(f"--others-share {args.others_share} is not a share from 0 to 1")


# --- whose choices ------------------------------------------------------------------------------


def source_of(args: Args, past: Sequence[PastDeal], batch: Any) -> Teachers | Script:
    """What plays in a batch: the deals ``past`` if there are any, else the teacher and the others.

    Raises:
        ValueError: there is no such agent.
    """
    if past:
        return Script(past, batch, args.seed)
    names = (args.teacher or "basic", *args.others)
    first, *others = (registry.make(n, args.rules, args.players, args.seed) for n in names)
    return Teachers(first, others, args.others_share, batch)


def note(source: Teachers | Script, batch: Any, pending: Pending, arrange: Any) -> tuple[Any, int]:
    """An action for each game, (n,). Choices to learn from are noted; how many they are."""
    actions = source.act(batch)
    free = np.count_nonzero(batch.mask, axis=1) > 1
    at = np.flatnonzero(free & source.counts(batch))
    if at.size:
        observation = arrange(torch.from_numpy(batch.observation[at])).numpy()
        pending.note(at, batch.seat[at], (observation, batch.mask[at], actions[at]))
    return actions, len(at)


# --- what is held out ---------------------------------------------------------------------------


def split(past: Sequence[PastDeal], held_out: int) -> tuple[list[PastDeal], list[PastDeal]]:
    """The deals that are learned from and those of the last ``held_out`` decks, but of no more than
    a tenth of all decks. A deck may have been played several times.
    """
    decks = list(dict.fromkeys(deal.deck for deal in past))
    if len(decks) < 2:
        raise runs.RunError("--records: all deals are of one deck; another one is to be held out")
    apart = set(decks[-max(1, min(held_out, len(decks) // 10)) :])
    return (
        [deal for deal in past if deal.deck not in apart],
        [deal for deal in past if deal.deck in apart],
    )


def decisions_of(source: Teachers | Script, batch: Any, longest: int, arrange: Any) -> Arrays:
    """The decisions of one deal of each game, of a batch that stops where a deal ends."""
    sizes = batch.n, batch.players, batch.observation_size, batch.actions
    pending = Pending(longest, *sizes)
    parts = []
    while not batch.over.all():
        actions, _ = note(source, batch, pending, arrange)
        batch.step(actions)
        paid = pending.pay(batch.reward, batch.terminated | batch.truncated)
        parts += [paid] if paid is not None else []
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@dataclass(frozen=True)
class Likeness(Score):
    """Points a deal, and the share of choices that are the teacher's, from 0 to 1."""

    agreement: float

    def __str__(self) -> str:
        return f"{super().__str__()}, {100 * self.agreement:.0f} % agree"


# --- trainer ------------------------------------------------------------------------------------


class Trainer(DealTrainer):
    """A run: the teacher plays, or the records are played again, and the network learns the
    choices.
    """

    name: ClassVar[str] = "imitate"
    shown: ClassVar[tuple[str, ...]] = ("policy", "value", "agreement")
    """Means over minibatches: the two losses, and the agreement with what is trained on."""

    def __init__(self, args: Args) -> None:
        check_settings(args)
        past, apart = self._records(args)
        games = min(args.num_games, len(past)) if past else args.num_games
        super().__init__(args, make_batch(args, games, seed=args.seed))
        self.source = source_of(args, past, self.batch)
        tables = make_batch(
            args, len(apart) or args.held_out, seed=EVALUATION_SEED + args.seed, autoreset="off"
        )
        self.held_out = decisions_of(
            source_of(args, apart, tables), tables, args.longest, self.network.arrange
        )

    @staticmethod
    def _records(args: Args) -> tuple[list[PastDeal], list[PastDeal]]:
        """The deals of ``--records``, learned from and held out; none without."""
        if not args.records:
            return [], []
        rules = str(Rules.parse(args.rules))
        past = read_deals(Path(args.records), rules, args.players, args.teacher)
        return split(past, args.held_out)

    def play(self) -> tuple[npt.NDArray[np.int64], int]:
        """The teacher's actions, noted as pending, and how many of them are learned from."""
        return note(self.source, self.batch, self.pending, self.network.arrange)

    def step(self) -> npt.NDArray[np.bool_]:
        """One step of all games, as :meth:`DealTrainer.step`; of records the next deals begin."""
        ended = super().step()
        self.source.follow(self.batch, ended)
        return ended

    def loss(self, network: Network, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Cross entropy of the choices and half the mean squared error of the value."""
        logits, value = network.judge(batch["observation"])
        logits = masked(logits, batch["mask"])
        policy = functional.cross_entropy(logits, batch["action"])
        error = 0.5 * functional.mse_loss(value, batch["target"])
        agreement = (logits.detach().argmax(-1) == batch["action"]).float().mean()
        shown = torch.stack([policy.detach(), error.detach(), agreement])
        return policy + self.args.value_weight * error, shown

    def agreement(self) -> float:
        """The share of choices on the decks held out that are the network's likeliest too."""
        observation, mask, action = (
            torch.from_numpy(self.held_out[name]).split(4096)
            for name in ("observation", "mask", "action")
        )
        same = 0
        with torch.inference_mode():
            for part, legal, chosen in zip(observation, mask, action, strict=True):
                logits, _ = self.network.judge(part)
                same += int((masked(logits, legal).argmax(-1) == chosen).sum())
        return same / max(1, len(self.held_out["action"]))

    def evaluate(self) -> Likeness:
        """Points a deal against ``eval_opponent``, and the agreement on the decks held out."""
        return Likeness(**asdict(super().evaluate()), agreement=self.agreement())

    def parts(self) -> dict[str, Any]:
        """What keeps a state of its own, by name."""
        return {**super().parts(), "source": self.source}


# --- run ----------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> None:
    """The command ``python -m train.imitate``; its status is 130 if it was interrupted."""
    trainer = carry_out(Trainer, Args, arguments, __doc__)
    print(f"agreement on the decks held out: {100 * trainer.agreement():.1f} %")


if __name__ == "__main__":
    main()

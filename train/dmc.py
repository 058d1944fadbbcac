"""Monte-Carlo values by self-play over the batch: one network plays every seat.

    python -m train.dmc --deals 100000 --run runs/values
    python -m train.dmc --resume runs/values

Read from top to bottom: settings, values and choices, the trainer, the run. The loop around it, the
queue of decisions and the checkpoints are in :mod:`train.deal_trainer` and :mod:`train.replay`.

Values. Q(s, a) is what the seat to act is paid, in thousands of points, from an action to the end
of the deal, if everybody goes on as now. It is learned as DouZero does: every decision of every
seat is trained on what became of it, without bootstrap, from a queue of decisions whose deals are
over. The sums that are paid at the end of a deal have a standard deviation of 800 points, while the
good and the bad actions of a moment often lie 20 apart. So the network does not give a number for
each action but

    Q(s, a) = V(s) + A(s, a),   A(s, a) = temperature * (logit(a) - mean of the logits)

where the mean goes by the probabilities with which the actions are chosen. V takes up the luck that
all actions of a moment share, A has only to tell them apart. The best action is the one with the
largest logit.

Choices. Actions are drawn with the probabilities of a softmax of the logits, that is of
Q / temperature: of two that hardly differ both are tried, one that is worse by several temperatures
is left alone. No other exploration is needed.

Loss. V and A learn from the same error, what was paid less Q. That of A is divided by the
temperature, so that its gradient is of the size of V's, however small a point is beside a deal.

Forced moves. A row with one legal action needs no network and is no decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from agents.network import masked, sample
from agents.neural import Network
from train import runs
from train.deal_trainer import FREE_ON_RESUME as FREE_ON_RESUME  # for train.seeds
from train.deal_trainer import DealTrainer, carry_out, check

# --- settings -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Args:
    """Settings of a run. Rewards and values are in thousands of points."""

    run: str = ""
    """folder of the run; runs/dmc-<rules>-<players>p-seed<seed> if empty"""
    resume: str = ""
    """folder of a run to continue; its own settings hold, --deals may be raised"""
    start: str = ""
    """checkpoint or run whose weights a new run begins with"""
    rules: str = "classic"
    players: int = 4
    deals: int = 180_000
    """finished deals after which the run ends"""
    seed: int = 1
    num_games: int = 128
    """games in lock step"""
    rollout: int = 64
    """steps of every game between updates"""
    replay: int = 16_384
    """decisions in the queue that minibatches are drawn from"""
    longest: int = 512
    """decisions of a deal that are kept until it ends, the first ones"""
    reuse: float = 2.0
    """how often a decision is trained on, on average"""
    minibatch: int = 1024
    learning_rate: float = 2e-3
    anneal: bool = True
    """bring the learning rate down to zero over the run"""
    temperature: float = 0.01
    """thousands of points by which an action is worse that is chosen e times less often"""
    value_weight: float = 0.5
    trace: float = 1.0
    """1: a decision is trained on what was paid to the end of the deal; below: on a mixture of that
    and the values of the seat's later decisions, lambda of TD(lambda)"""
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
    eval_every: int = 10_000
    """deals between evaluations; 0 for none"""
    eval_decks: int = 256
    save_every: int = 50
    """updates between checkpoints"""
    keep_every: int = 0
    """deals between checkpoints that are kept for good; 0 for none"""


# --- values and choices -------------------------------------------------------------------------


def chances(logits: Tensor, mask: Tensor) -> Tensor:
    """With which probability each action is chosen, (n, A)."""
    return masked(logits, mask).softmax(-1)


def advantages(logits: Tensor, mask: Tensor, action: Tensor, temperature: float) -> Tensor:
    """A of the actions that were taken, (n,), in the unit of the temperature. The probabilities
    weigh; nothing is learned through them.
    """
    weight = chances(logits.detach(), mask)
    taken = logits.gather(1, action[:, None])[:, 0]
    return temperature * (taken - (weight * logits).sum(1))


# --- trainer ------------------------------------------------------------------------------------


class Trainer(DealTrainer):
    """A run: everybody plays by the values, and the values learn from what came of it."""

    name: ClassVar[str] = "dmc"
    shown: ClassVar[tuple[str, ...]] = ("error", "entropy")
    """Means over minibatches: the mean squared error of Q, and the entropy of the choices."""

    def __init__(self, args: Args, batch: Any = None) -> None:
        check(args, "temperature", "value_weight")
        if not 0 <= args.trace <= 1:
            raise runs.RunError(f"--trace {args.trace} is not from 0 to 1")
        super().__init__(args, batch)

    def play(self) -> tuple[npt.NDArray[np.int64], int]:
        """The network's actions, noted as pending, and how many of them are decisions."""
        parts = self.workers.share(self._play_part, torch.arange(self.batch.n))
        return np.concatenate([actions for actions, _ in parts]), sum(count for _, count in parts)

    def _play_part(
        self, games: Tensor, generator: torch.Generator
    ) -> tuple[npt.NDArray[np.int64], int]:
        """As :meth:`play`, for ``games`` (consecutive ones)."""
        batch, first = self.batch, int(games[0])
        masks = batch.mask[first : first + len(games)]
        actions: npt.NDArray[np.int64] = masks.argmax(axis=1)
        decided = np.flatnonzero(np.count_nonzero(masks, axis=1) > 1)
        if decided.size:
            at, mask = first + decided, masks[decided]
            with torch.inference_mode():
                observation = self.network.arrange(torch.from_numpy(batch.observation[at]))
                logits, value = self.network.judge(observation)
                probability = chances(logits, torch.from_numpy(mask))
                actions[decided] = sample(probability, generator).numpy()
            seen = observation.numpy(), mask, actions[decided]
            self.pending.note(at, batch.seat[at], seen, value.numpy())
        return actions, len(decided)

    def loss(self, network: Network, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Half the squared error of Q, once for V and once for A, and ``shown``."""
        args = self.args
        logits, value = network.judge(batch["observation"])
        advantage = advantages(logits, batch["mask"], batch["action"], args.temperature)
        for_value = (batch["target"] - advantage.detach() - value).square().mean()
        for_advantage = (batch["target"] - value.detach() - advantage).square().mean()
        loss = 0.5 * (args.value_weight * for_value + for_advantage / args.temperature)
        with torch.no_grad():
            entropy = torch.special.entr(chances(logits, batch["mask"])).sum(1).mean()
        return loss, torch.stack([for_value.detach(), entropy])


# --- run ----------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> None:
    """The command ``python -m train.dmc``; its status is 130 if it was interrupted."""
    carry_out(Trainer, Args, arguments, __doc__)


if __name__ == "__main__":
    main()

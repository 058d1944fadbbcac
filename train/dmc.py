"""Monte-Carlo values by self-play over the batch: one network plays every seat.

    python -m train.dmc --deals 100000 --run runs/values
    python -m train.dmc --resume runs/values

Read from top to bottom: settings, values and choices, the trainer, the run. The loop around it, the
queue of decisions and the checkpoints are in :mod:`train.learner` and :mod:`train.replay`.

Values. Q(s, a) is what the seat to act is paid, in thousands of points, from an action to the end of
the deal, when all go on as they play now. It is learned as DouZero does: every decision of every
seat is trained on what became of it, without bootstrap, from a queue of the last decisions whose
deals are over. A deal's score has a standard deviation of 800 points, while the good and the bad
actions of a moment often lie 20 apart. So Q isn't one number for each action but

    Q(s, a) = V(s) + A(s, a) - the mean of A over the actions that would be chosen at s,

with the network's value for V and its logits for A. V takes up the luck of the cards, which is the
same for all actions; A has only to tell them apart. The logits are Q but for a number that is the
same for all actions, so the likeliest action is the one of the highest value.

Choices. Actions are drawn with probabilities that grow with exp(Q / temperature): among those that
hardly differ everybody is tried, those that are clearly worse are left alone.

Forced moves. A row with one legal action needs no network and is no decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from agents.network import masked, sample
from train.learner import Learner, carry_out

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
    num_games: int = 512
    """games in lock step"""
    rollout: int = 32
    """steps of every game between updates"""
    replay: int = 65_536
    """decisions in the queue that minibatches are drawn from"""
    longest: int = 512
    """decisions of a deal that are kept until it ends, the first ones"""
    reuse: float = 2.0
    """how often a decision is trained on, on average"""
    minibatch: int = 1024
    learning_rate: float = 2e-3
    anneal: bool = True
    """bring the learning rate down to zero over the run"""
    temperature: float = 0.05
    """thousands of points by which an action may be worse and is still drawn e times less often;
    at the start, and"""
    temperature_end: float = 0.02
    """at the end of the run, in a straight line"""
    max_grad_norm: float = 0.5
    network: Literal["auto", "ranks", "mlp"] = "auto"
    """ranks: one set of weights for all natural ranks; mlp: plain layers; auto: ranks, but mlp
    where suits matter"""
    hidden: tuple[int, ...] = ()
    """widths: of a rank's token and of the context (64 128), or of the layers of mlp (256 256)"""
    threads: int = 2
    eval_opponent: str = "basic"
    eval_every: int = 10_000
    """deals between evaluations; 0 for none"""
    eval_decks: int = 256
    save_every: int = 50
    """updates between checkpoints"""
    keep_every: int = 0
    """deals between checkpoints that are kept for good; 0 for none"""


# --- values and choices -------------------------------------------------------------------------


def probabilities(logits: Tensor, mask: Tensor, temperature: float) -> Tensor:
    """With which probability each action is chosen, (n, A), from logits (n, A) in thousands of
    points.
    """
    return masked(logits / temperature, mask).softmax(-1)


def taken_values(logits: Tensor, value: Tensor, chances: Tensor, action: Tensor) -> Tensor:
    """Q of the actions taken, (n,), from the network's logits (n, A) and values (n,) and the
    probabilities of all actions; these weigh, nothing is learned through them.
    """
    taken = logits.gather(1, action[:, None])[:, 0]
    return value + taken - (chances.detach() * logits).sum(1)


# --- trainer ------------------------------------------------------------------------------------


class Trainer(Learner):
    """A run: everybody plays by the values, and the values learn from what came of it."""

    name: ClassVar[str] = "dmc"
    shown: ClassVar[tuple[str, ...]] = ("loss", "entropy")
    """Means over minibatches: the loss, and the entropy of the choices."""

    def temperature(self) -> float:
        """The temperature at this point of the run."""
        first, last = self.args.temperature, self.args.temperature_end
        return float(first + (last - first) * self.done())

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
                logits, _ = self.network.judge(observation)
                chances = probabilities(logits, torch.from_numpy(mask), self.temperature())
                actions[decided] = sample(chances, generator).numpy()
            seen = observation.numpy(), mask, actions[decided]
            self.pending.note(at, batch.seat[at], seen)
        return actions, len(decided)

    def loss(self, batch: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Half the mean squared error of the values of the actions that were taken."""
        logits, value = self.network.judge(batch["observation"])
        chances = probabilities(logits.detach(), batch["mask"], self.temperature())
        taken = taken_values(logits, value, chances, batch["action"])
        loss = 0.5 * functional.mse_loss(taken, batch["target"])
        entropy = torch.special.entr(chances).sum(1).mean()
        return loss, torch.stack([loss.detach(), entropy])


# --- run ----------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> None:
    """The command ``python -m train.dmc``; its status is 130 if it was interrupted."""
    carry_out(Trainer, Args, arguments, __doc__)


if __name__ == "__main__":
    main()

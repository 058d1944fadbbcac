"""TorchRL's PPO by self-play on the AEC environment: one network for all seats.

    python -m train.torchrl_ppo --run runs/torchrl
    python -m train.torchrl_ppo --resume runs/torchrl

It shows how the environment is used from TorchRL: its PettingZooWrapper, masks, and rewards that
come when somebody else has acted. The environments are played one after the other in Python, so
it's for small games; ``train.ppo`` and ``train.rllib`` are for large ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from train import network_run

__all__ = ["Args", "main"]


@dataclass(frozen=True)
class Args:
    """Settings of a run. Rewards and values are in thousands of points."""

    run: str = ""
    """folder of the run; runs/torchrl-<rules>-<players>p-seed<seed> if empty"""
    resume: str = ""
    """folder of a run to continue; its own settings hold, --deals may be raised"""
    rules: str = "mini"
    players: int = 4
    deals: int = 240
    """deals after which the run ends"""
    seed: int = 1
    num_deals: int = 20
    """deals between updates"""
    epochs: int = 4
    minibatch: int = 128
    learning_rate: float = 2e-3
    anneal: bool = True
    """bring the learning rate down to zero over the run"""
    gamma: float = 1.0
    gae_lambda: float = 0.98
    entropy: float = 0.02
    """weight of the entropy bonus"""
    clip: float = 0.2
    value_weight: float = 0.5
    max_grad_norm: float = 0.5
    network: Literal["auto", "ranks", "symmetric", "mlp"] = "auto"
    """as in train.ppo"""
    hidden: tuple[int, ...] = ()
    """widths, as in train.ppo"""
    eval_opponent: str = "random"
    eval_every: int = 120
    """deals between evaluations; 0 for none"""
    eval_decks: int = 256
    save_every: int = 5
    """updates between checkpoints"""
    keep_every: int = 0
    """deals between the checkpoints that are kept, each as runs/x/at-<deals>; 0 for none"""


def check(args: Args) -> None:
    """Raises ``RunError`` for numbers that no run can be made with."""
    network_run.above_zero(args, "num_deals", "epochs", "minibatch", "save_every")


def main(arguments: list[str] | None = None) -> None:
    """The command ``python -m train.torchrl_ppo``; its status is 130 if it was interrupted."""
    network_run.carry_out(
        Args, "torchrl_ppo", "train.torchrl_run", needs="torchrl", check=check,
        arguments=arguments, description=__doc__,
    )  # fmt: skip


if __name__ == "__main__":
    main()

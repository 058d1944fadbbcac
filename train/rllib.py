"""RLlib's PPO by self-play: one shared policy for all seats, on RLlib's new API stack.

    python -m train.rllib --run runs/rllib
    python -m train.rllib --run runs/rllib --env-runners 8 --address auto
    python -m train.rllib --resume runs/rllib

It starts Ray on this machine, or joins the cluster at ``--address``; learning takes place here, and
``--env-runners`` processes, wherever Ray finds room for them, play the games. The parts are
``canasta_env/rllib.py`` (the environment), ``train/rllib_module.py`` (the network and its masks),
``train/rllib_runner.py`` (many games at once) and ``train/rllib_trainer.py`` (RLlib's settings, the
run and its checkpoints).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from train import network_run, runs

__all__ = ["Args", "main"]


@dataclass(frozen=True)
class Args:
    """Settings of a run. Rewards and values are in thousands of points."""

    run: str = ""
    """folder of the run; runs/rllib-<rules>-<players>p-seed<seed> if empty"""
    resume: str = ""
    """folder of a run to continue; its own settings hold, --deals may be raised"""
    rules: str = "classic"
    players: int = 4
    deals: int = 4000
    """finished deals after which the run ends"""
    seed: int = 1
    address: str = ""
    """a running Ray cluster, as ray.init takes it: auto, HOST:6379, ray://HOST:10001; if empty, Ray
    is started on this machine"""
    env_runners: int = 0
    """processes that play; 0: this one plays, in turns with learning"""
    num_games: int = 64
    """games that a process plays at once"""
    rollout: int = 128
    """moves in each of them between updates"""
    runner: Literal["batch", "rllib"] = "batch"
    """who plays: ours, in the compiled batch, or RLlib's MultiAgentEnvRunner, game by game"""
    epochs: int = 3
    minibatch: int = 1024
    learning_rate: float = 2e-3
    anneal: bool = True
    """bring the learning rate down to zero over the run"""
    gamma: float = 1.0
    gae_lambda: float = 0.98
    entropy: float = 0.02
    """weight of the entropy bonus"""
    clip: float = 0.2
    value_weight: float = 0.25
    max_grad_norm: float = 0.5
    network: Literal["auto", "ranks", "symmetric", "mlp"] = "auto"
    """as in train.ppo"""
    hidden: tuple[int, ...] = ()
    """widths, as in train.ppo"""
    eval_opponent: str = "random"
    eval_every: int = 1000
    """deals between evaluations; 0 for none"""
    eval_decks: int = 256
    save_every: int = 10
    """updates between checkpoints"""
    keep_every: int = 0
    """deals between the checkpoints that are kept, each as runs/x/at-<deals>; 0 for none"""


FREE_ON_RESUME: Final = (*network_run.FREE_ON_RESUME, "address", "env_runners")


def check(args: Args) -> None:
    """Raises ``RunError`` for numbers that no run can be made with."""
    network_run.above_zero(args, "num_games", "rollout", "epochs", "minibatch", "save_every")
    if args.env_runners < 0:
        raise runs.RunError(f"--env-runners {args.env_runners} is not possible; 0 or more")
    moves = args.num_games * args.rollout * max(1, args.env_runners)
    if args.minibatch > moves:
        raise runs.RunError(
            f"--minibatch {args.minibatch} is more than the {moves} moves of an update "
            "(--num-games times --rollout)"
        )


def main(arguments: list[str] | None = None) -> None:
    """The command ``python -m train.rllib``; its status is 130 if it was interrupted."""
    network_run.carry_out(
        Args, "rllib", "train.rllib_trainer", needs="rllib", check=check, free=FREE_ON_RESUME,
        arguments=arguments, description=__doc__,
    )  # fmt: skip


if __name__ == "__main__":
    main()

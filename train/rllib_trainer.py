"""What ``python -m train.rllib`` runs: Ray, RLlib's settings, and a run with our checkpoints."""

from __future__ import annotations

import logging
import math
import time
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import ray
import torch
from ray.exceptions import RayError
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.utils import metrics as names

from agents import checkpoint as checkpoints
from agents.neural import Network
from canasta_env.batch import Batch
from canasta_env.rllib import CanastaMultiAgentEnv
from train import runs
from train.network_run import NetworkRun
from train.rllib_module import NetworkLearner, module_spec
from train.rllib_runner import MODULE, BatchEnvRunner
from train.workers import keep_memory

if TYPE_CHECKING:
    from train.rllib import Args

__all__ = ["Trainer", "algorithm_config"]

SHOWN: Final = {
    "policy_loss": "policy", "vf_loss": "value", "entropy": "entropy",
    "vf_explained_var": "explained",
}  # fmt: skip
"""What is shown of RLlib's results, by our names for it."""
WAIT: Final = 600.0
"""Seconds after which a process that plays counts as lost."""


def algorithm_config(args: Args, seed: int) -> PPOConfig:
    """RLlib's own settings for a run.

    Args:
        args: the settings of the run.
        seed: everything random in RLlib's processes follows from it.
    """
    env_config = {"rules": args.rules, "players": args.players, "scaled": False}
    env = CanastaMultiAgentEnv(env_config)
    batch = Batch(args.rules, 1, players=args.players)
    spec = module_spec(env, args.network, args.hidden, checkpoints.identity(batch), batch.scale)
    return (
        PPOConfig()
        .api_stack(enable_rl_module_and_learner=True, enable_env_runner_and_connector_v2=True)
        .environment(CanastaMultiAgentEnv, env_config=env_config)
        .multi_agent(policies={MODULE}, policy_mapping_fn=_shared)
        .rl_module(rl_module_spec=spec)
        .env_runners(
            env_runner_cls=BatchEnvRunner if args.runner == "batch" else None,
            num_env_runners=args.env_runners,
            num_envs_per_env_runner=args.num_games,
            rollout_fragment_length=args.rollout,
            sample_timeout_s=WAIT,
        )
        .learners(num_learners=0, learner_class=NetworkLearner)
        .training(
            train_batch_size_per_learner=args.num_games * args.rollout * max(1, args.env_runners),
            minibatch_size=args.minibatch,
            num_epochs=args.epochs,
            lr=args.learning_rate,
            grad_clip=args.max_grad_norm,
            gamma=args.gamma,
            lambda_=args.gae_lambda,
            clip_param=args.clip,
            entropy_coeff=args.entropy,
            vf_loss_coeff=args.value_weight,
            vf_clip_param=math.inf,  # of the squared error, in thousands of points
            use_kl_loss=False,
        )
        .debugging(seed=seed, log_level="ERROR")
    )


def _shared(agent: str, episode: Any, **_: Any) -> str:
    """Whatever the seat, it is played by the one module."""
    return MODULE


class Trainer(NetworkRun):
    """The whole state of a run; ``update`` is one iteration of RLlib's algorithm.

    Args:
        args: its settings.
        saved: the checkpoint that it goes on from, if it does.

    Raises:
        ValueError: a setting isn't possible, the checkpoint is of something else, or there is no
            such cluster; the text says which.
    """

    trainer = "rllib"
    package = "ray"

    def __init__(self, args: Args, saved: checkpoints.Checkpoint | None = None) -> None:
        super().__init__(args, saved)
        keep_memory()
        logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns of its own defaults
        # another one each time that a run goes on, so that it doesn't get the same cards
        seed = int(np.random.SeedSequence([args.seed, self.updates]).generate_state(1)[0]) >> 1
        config = algorithm_config(self.args, seed)
        self._has_started_ray = join(args.address, args.env_runners)
        try:
            self.algorithm: PPO = config.build_algo()
        except BaseException as error:
            self._leave()
            if isinstance(error, RayError):
                told = f"a process that plays didn't start: {_one_line(error)}"
                raise runs.RunError(told) from None
            raise
        learners = self.algorithm.learner_group.foreach_learner(lambda learner: learner)
        self.learner = next(iter(learners)).get()
        torch.set_num_threads(1)  # on a busy machine several wait for each other
        if saved is not None:
            self.load(saved)

    @property
    def network(self) -> Network:
        """The network that learns."""
        network: Network = self.learner.module[MODULE].network
        return network

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """What makes its steps."""
        optimizer: torch.optim.Optimizer = self.learner.get_optimizer(MODULE)
        return optimizer

    def update(self) -> dict[str, float]:
        """One rollout and the epochs over it; what there is to show of them."""
        began = time.perf_counter()
        rate = self.set_rate()
        result = self.algorithm.train()
        played = result[names.ENV_RUNNER_RESULTS]
        learnt = result[names.LEARNER_RESULTS][MODULE]
        speeds = self.count(
            int(played.get(names.NUM_EPISODES, 0)),
            int(played[names.NUM_ENV_STEPS_SAMPLED]),
            int(played[names.NUM_MODULE_STEPS_SAMPLED][MODULE]),
            time.perf_counter() - began,
        )
        losses = {ours: float(learnt[name]) for name, ours in SHOWN.items()}
        return {**losses, "learning_rate": rate, **speeds}

    def load(self, saved: checkpoints.Checkpoint) -> None:
        """Puts back weights and optimizer, and hands the weights to all who play."""
        super().load(saved)
        self.algorithm.env_runner_group.sync_weights(
            from_worker_or_learner_group=self.algorithm.learner_group, inference_only=True
        )

    def close(self) -> None:
        """Ends the processes that play, and Ray, if it was started here."""
        self.algorithm.stop()
        self._leave()

    def _leave(self) -> None:
        if self._has_started_ray:
            ray.shutdown()


def join(address: str, env_runners: int) -> bool:
    """Starts Ray on this machine, or joins the cluster at ``address``; whether it did either.

    Raises:
        RunError: there is no such cluster, or too small a one.
    """
    if ray.is_initialized():
        return False
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if not address:
        ray.init("local", num_cpus=env_runners + 1, include_dashboard=False, **quiet)
        return True
    try:
        ray.init(address, **quiet)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise runs.RunError(f"--address {address}: {_one_line(error)}") from None
    there = int(ray.cluster_resources().get("CPU", 0))
    if there < env_runners:
        ray.shutdown()
        raise runs.RunError(
            f"--env-runners {env_runners}: the cluster has {there} processors, and each of them "
            "takes one; ask for fewer, or add nodes"
        )
    return True


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]

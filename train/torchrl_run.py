"""What ``python -m train.torchrl_ppo`` runs: the wrapped environment, its deals as decisions, PPO.

Rewards. In the wrapper's tensordicts all seats have a row at each step, and ``mask`` tells which
one acts. A deal pays all seats at its last step: who looks only at the rows of those who act loses
the pay of all others. So :func:`decisions` makes one trajectory for each seat, out of the steps at
which it had to decide, and gives each decision all that its seat was paid until the next one, or
until the end of the deal. Forced moves are no decisions.

Masks. Where a seat is not to act the wrapper's ``action_mask`` allows everything, and after the end
nothing. Neither is learnt from: such rows are no decisions.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import torch
from tensordict import TensorDict, TensorDictBase
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from agents import checkpoint as checkpoints
from agents.neural import Network, make_network
from canasta_env import canasta_v0
from train.network_run import NetworkRun
from train.workers import keep_memory

if TYPE_CHECKING:
    from train.torchrl_ppo import Args

__all__ = ["Trainer", "actor", "critic", "decisions", "make_env"]

GROUP: Final = "agents"
"""The one group of all seats, under which the wrapper's tensordicts have them."""
LONGEST: Final = 10_000
"""Steps after which a deal is given up; none has as many."""


def make_env(rules: str, players: int, seed: int) -> PettingZooWrapper:
    """The AEC environment for TorchRL: all seats in one group, actions as numbers, with masks."""
    env = PettingZooWrapper(
        canasta_v0.raw_env(rules, players=players),
        use_mask=True,
        categorical_actions=True,
        group_map=MarlGroupMapType.ALL_IN_ONE_GROUP,
    )
    env.set_seed(seed)
    return env


class Judge(nn.Module):
    """A network for observations as the environment gives them: (…, O), float32 in [0, 1], to
    logits (…, A) and values (…, 1). Our networks read the bytes before they were scaled.
    """

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and values."""
        features = (observation / self.network.scale).round().to(torch.uint8)
        logits, value = self.network(features.flatten(0, -2))
        shape = observation.shape[:-1]
        return logits.view(*shape, -1), value.view(*shape, 1)


def actor(judge: Judge, seats: bool) -> ProbabilisticActor:
    """The policy, which draws among the legal actions by probability.

    Args:
        judge: its network.
        seats: for the wrapper's tensordicts, with all seats in one group; else for those of
            :func:`decisions`.
    """

    def key(name: str) -> Any:
        return (GROUP, name) if seats else name

    seen = (GROUP, "observation", "observation") if seats else "observation"
    outputs = [key("logits"), key("state_value")]
    return ProbabilisticActor(
        TensorDictModule(judge, in_keys=[seen], out_keys=outputs),
        in_keys={"logits": key("logits"), "mask": key("action_mask")},
        out_keys=[key("action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=key("action_log_prob"),
    )


def critic(judge: Judge) -> TensorDictModule:
    """The values of decisions, by the same network."""
    return TensorDictModule(judge, in_keys=["observation"], out_keys=["logits", "state_value"])


def decisions(deal: TensorDictBase) -> TensorDict:
    """The decisions of a whole deal, seat after seat, each seat's in order.

    Args:
        deal: a rollout of :func:`make_env` from a deal's start to its end, (T,).

    Returns:
        (n,), a trajectory a seat: observation (n, O), action_mask (n, A), action (n,),
        action_log_prob (n,), and under ``next`` reward (n, 1): what the seat was paid until its
        next decision, and done, terminated (n, 1): there is no next one in the deal.
    """
    rows = deal[GROUP]
    decides = rows["mask"] & (rows["action_mask"].sum(-1) > 1)
    seat, step = decides.T.nonzero(as_tuple=True)
    reward = deal["next", GROUP, "reward"].squeeze(-1)
    total = reward.sum(0)
    before = (reward.cumsum(0) - reward)[step, seat]
    last = torch.ones(len(seat), dtype=torch.bool)
    last[:-1] = seat[1:] != seat[:-1]
    paid = torch.where(last, total[seat], before.roll(-1)) - before
    ends = {"done": last[:, None], "terminated": last[:, None]}
    return TensorDict(
        {
            "observation": rows["observation", "observation"][step, seat],
            **{name: rows[name][step, seat] for name in ("action_mask", "action")},
            "action_log_prob": rows["action_log_prob"][step, seat],
            "next": {"reward": paid[:, None], **ends},
        },
        batch_size=[len(seat)],
    )


class Trainer(NetworkRun):
    """The whole state of a run; ``update`` plays some deals and learns from them.

    Args:
        args: its settings.
        saved: the checkpoint that it goes on from, if it does.

    Raises:
        ValueError: a setting isn't possible, or the checkpoint is of something else.
    """

    trainer = "torchrl_ppo"
    package = "torchrl"

    def __init__(self, args: Args, saved: checkpoints.Checkpoint | None = None) -> None:
        super().__init__(args, saved)
        args = self.args
        keep_memory()
        torch.set_num_threads(1)  # for rows as few as these, more only wait for each other
        torch.manual_seed(args.seed + self.updates)  # which is what TorchRL draws actions with
        scale = self.batch.scale
        self._network = make_network(args.network, args.hidden, self.identity, scale)
        judge = Judge(self._network)
        self.env = make_env(args.rules, args.players, args.seed + self.updates)
        self.player = actor(judge, seats=True)
        self.critic = critic(judge)
        self.advantage = GAE(gamma=args.gamma, lmbda=args.gae_lambda, value_network=None)
        self.loss = ClipPPOLoss(
            actor(judge, seats=False),
            self.critic,
            clip_epsilon=args.clip,
            entropy_coeff=args.entropy,
            critic_coeff=args.value_weight,
            loss_critic_type="l2",
            normalize_advantage=True,
            functional=False,
        )
        self._optimizer = torch.optim.Adam(
            self._network.parameters(), lr=args.learning_rate, eps=1e-5
        )
        if saved is not None:
            self.load(saved)

    @property
    def network(self) -> Network:
        """The network that learns."""
        return self._network

    @property
    def optimizer(self) -> torch.optim.Optimizer:
        """What makes its steps."""
        return self._optimizer

    def update(self) -> dict[str, float]:
        """Some deals and the epochs over their decisions; what there is to show of them."""
        began = time.perf_counter()
        rate = self.set_rate()
        deals = [self.play() for _ in range(self.args.num_deals)]
        data = self._judged(torch.cat([decisions(deal) for deal in deals]))
        losses = self._learn(data)
        moves = sum(len(deal) for deal in deals)
        speeds = self.count(len(deals), moves, len(data), time.perf_counter() - began)
        return {**losses, "learning_rate": rate, **speeds}

    def play(self) -> TensorDictBase:
        """A deal from its start to its end."""
        with torch.no_grad():
            deal: TensorDictBase = self.env.rollout(LONGEST, self.player)
        return deal

    def _judged(self, data: TensorDict) -> TensorDict:
        """Decisions with values, advantages and the targets of values."""
        with torch.no_grad():
            self.critic(data)
            # the next row is the seat's next decision; after its last one it counts for nothing
            data["next", "state_value"] = data["state_value"].roll(-1, 0)
            judged: TensorDict = self.advantage(data)
        return judged

    def _learn(self, data: TensorDict) -> dict[str, float]:
        """The epochs of an update; means over their minibatches."""
        shown: list[Tensor] = []
        for rows in self._minibatches(len(data)):
            found = self.loss(data[rows])
            parts = [found["loss_objective"], found["loss_critic"], found["loss_entropy"]]
            self._optimizer.zero_grad()
            torch.stack(parts).sum().backward()
            nn.utils.clip_grad_norm_(self._network.parameters(), self.args.max_grad_norm)
            self._optimizer.step()
            shown.append(torch.stack([*parts[:2], found["entropy"]]).detach())
        means = torch.stack(shown).mean(0).tolist()
        return dict(zip(("policy", "value", "entropy"), means, strict=True))

    def _minibatches(self, count: int) -> Iterator[Tensor]:
        """The rows in random order, once for each epoch, in parts of about the same size."""
        parts = max(1, round(count / self.args.minibatch))
        for _ in range(self.args.epochs):
            yield from torch.randperm(count).tensor_split(parts)

    def close(self) -> None:
        """Closes the environment."""
        self.env.close()

"""What learns in PPO, on its device: the network, and the networks that options set beside it.

On the CPU the network that learns is the very one that plays. On another device it is a copy, whose
weights are handed over after each update; critic and magnet are there only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy.typing as npt
import torch
from torch import Tensor, nn

from agents import checkpoint as checkpoints
from agents.neural import Network
from train.critic import Critic
from train.diversity import Others
from train.magnet import Magnet
from train.workers import Descent, Workers, device_of, on_device

__all__ = ["Judge", "Learner"]

Judge = Callable[[Tensor, Tensor], Tensor]
"""What another policy says of arranged observations (n, O) and masks (n, A): float32 (n, A)."""


class Learner:
    """Networks, their descents, and the threads that work on them.

    Args:
        network: the one that plays.
        workers: the threads.
        device: ``cpu`` or ``cuda``.
        rate, max_norm: as for :class:`train.workers.Descent`.
        critic: a second network for values.
        magnet_every: updates after which a magnet follows; 0 for no magnet.
        others: the other members of a population.

    Raises:
        ValueError: there is no such device.
    """

    def __init__(
        self,
        network: Network,
        workers: Workers,
        *,
        device: str,
        rate: float,
        max_norm: float,
        critic: Critic | None = None,
        magnet_every: int = 0,
        others: Others | None = None,
    ) -> None:
        self.device = device_of(device)
        self.workers = workers
        self.playing = network
        self.network: Network = on_device(network, self.device)
        self.critic = critic.to(self.device) if critic is not None else None
        self.magnet = Magnet(self.network, magnet_every) if magnet_every else None
        self.others = others.to(self.device) if others is not None else None
        self.descents = [
            Descent(trained, rate, max_norm)
            for trained in (self.network, self.critic)
            if trained is not None
        ]

    @property
    def weights(self) -> nn.Parameter:
        """The network's weights as one row of numbers."""
        return self.descents[0].weights

    def set_rate(self, rate: float) -> None:
        """The learning rate of the steps that follow."""
        for descent in self.descents:
            descent.set_rate(rate)

    def share(self, work: Callable[[Tensor, torch.Generator], Any], rows: Tensor) -> list[Any]:
        """``work`` on parts of the rows, by the threads; on another device on all of them at once.
        ``rows`` come as indices on the CPU and are given on the device.
        """
        if self.device.type == "cpu":
            return self.workers.share(work, rows)
        return [work(rows.to(self.device), self.workers.generators[0])]

    def each(self, work: Callable[[Tensor], Tensor], rows: Tensor, size: int) -> Tensor:
        """``work`` without gradients on all ``rows``, ``size`` at a time, so that the numbers on
        the way fit the cache; the results in order.
        """

        def quietly(part: Tensor, _: torch.Generator) -> Tensor:
            with torch.no_grad():
                return work(part)

        return torch.cat([x for some in torch.split(rows, size) for x in self.share(quietly, some)])

    def judges(self) -> dict[str, Judge]:
        """What is asked once about each decision of a rollout, by the name of its answer: the
        magnet for log-probabilities, the others for sums of probabilities.
        """
        found: dict[str, Judge] = {}
        if self.magnet is not None:
            found["magnet"] = self.magnet.log_probabilities
        if self.others is not None:
            found["others"] = self.others.probabilities
        return found

    def follow(self, updates: int) -> None:
        """After so many updates, whatever has the network's weights gets the new ones, if due."""
        if self.network is not self.playing:
            row = self.weights.detach().cpu().clone()
            nn.utils.vector_to_parameters(row, self.playing.parameters())
        if self.magnet is not None:
            self.magnet.follow(self.weights, updates)

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """All but the weights of the network that plays, by name."""
        groups: dict[str, dict[str, Any]] = {"optimizer": self.descents[0].state()}
        if self.critic is not None:
            second = self.descents[1]
            groups["critic"] = {"weights": second.weights.detach().cpu().numpy()}
            groups["critic_optimizer"] = second.state()
        if self.magnet is not None:
            groups["magnet"] = self.magnet.state()
        return checkpoints.joined(groups)

    def restore(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        """Puts back what :meth:`state` gave; the network that plays has its weights already."""
        self.network.load_state_dict(self.playing.state_dict())
        self.descents[0].restore(checkpoints.group(arrays, "optimizer"))
        if self.critic is not None:
            self.descents[1].weights.data.copy_(torch.from_numpy(arrays["critic.weights"]))
            self.descents[1].restore(checkpoints.group(arrays, "critic_optimizer"))
        if self.magnet is not None:
            self.magnet.restore(checkpoints.group(arrays, "magnet"))

"""A trained network as an agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from agents import checkpoint as checkpoints
from agents.base import Rows
from agents.network import ActorCritic, masked, sample
from agents.policy import PolicyAgent
from agents.rank_layout import layout
from agents.rank_network import RankNetwork
from agents.symmetric_network import SymmetricNetwork, symmetric_network
from canasta_env.rules import Rules

__all__ = [
    "NeuralAgent", "Network", "build_network", "fitting_kind", "make_network", "network_arrays",
]  # fmt: skip

Network = ActorCritic | RankNetwork | SymmetricNetwork


class NeuralAgent(PolicyAgent):
    """Plays by a network's policy, which torch computes."""

    @staticmethod
    def build(saved: checkpoints.Checkpoint) -> Network:
        """The network of a checkpoint."""
        return build_network(saved)

    def _begin(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def _choose(self, observations: Any, masks: Any) -> Rows:
        observation, mask = torch.from_numpy(observations), torch.from_numpy(masks)
        with torch.inference_mode(), one_thread():
            logits, _ = self.network(observation)
            if self.temperature > 0:
                probabilities = masked(logits / self.temperature, mask).softmax(-1)
                chosen = sample(probabilities, self.generator)
            else:
                chosen = masked(logits, mask).argmax(-1)
        drawn: Rows = chosen.numpy().astype(np.int64, copy=False)
        return drawn

    def values(self, batch: Any, observations: Any) -> Any:
        """What the network expects of positions of a batch's game, for the seat that looks: float32
        (m,), in thousands of points, for observations, uint8 (m, O).
        """
        self._check(batch)
        with torch.inference_mode(), one_thread():
            _, values = self.network(torch.from_numpy(observations))
        return values.numpy()

    def state_dict(self) -> dict[str, Any]:
        """The state of the random numbers."""
        return {"generator": self.generator.get_state().numpy()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Puts back the state of the random numbers."""
        self.generator.set_state(torch.from_numpy(np.array(state["generator"])))


def network_arrays(network: Network) -> dict[str, Any]:
    """The weights and the scale as arrays."""
    return {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch with a single thread: for small networks on a busy machine several are far slower."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def fitting_kind(kind: str, rules: str) -> str:
    """The kind of network that ``auto`` stands for: ``ranks``, or ``mlp`` where suits matter."""
    if kind != "auto":
        return kind
    return "mlp" if Rules.parse(rules).sequences else "ranks"


def make_network(
    kind: str, hidden: Sequence[int], identity: Mapping[str, Any], scale: Any
) -> Network:
    """A new network for what :func:`agents.checkpoint.identity` says; no ``hidden``: its defaults.

    Raises:
        ValueError: there is no such kind, or its number of widths is another.
    """
    if kind == "mlp":
        return ActorCritic(scale, identity["actions"], hidden or (256, 256))
    if kind == "symmetric":
        return symmetric_network(identity["rules"], identity["players"], scale, hidden)
    if kind != "ranks":
        raise ValueError(f"network: {kind!r} is not possible; choose ranks, symmetric or mlp")
    rules = Rules.parse(identity["rules"])
    if rules.sequences:
        raise ValueError(
            f"network: ranks knows no suits, and {rules.name} has; use --network symmetric or mlp"
        )
    if len(hidden) not in (0, 2):
        raise ValueError(f"hidden: {len(hidden)} widths given; the network ranks has two")
    places = layout(rules, identity["players"])
    return RankNetwork(scale, places, hidden or (64, 128))


def build_network(saved: checkpoints.Checkpoint) -> Network:
    """The network of a checkpoint; ``CheckpointError`` if its arrays have other names or shapes."""
    arrays = saved.arrays("network")
    try:
        made = saved.meta["network"]
        network = make_network(made["kind"], made["hidden"], saved.meta, arrays["scale"])
        network.load_state_dict({name: torch.from_numpy(a.copy()) for name, a in arrays.items()})
    except (KeyError, RuntimeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise checkpoints.CheckpointError(f"{saved.folder}: not this network: {reason}") from None
    return network.eval()

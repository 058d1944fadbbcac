"""What the tests of cross-play share: untrained networks, and matrices that are made up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from agents import checkpoint as checkpoints
from agents.neural import make_network, network_arrays
from canasta_env.batch import Batch
from canasta_env.rules import Rules
from experiments.block import Setup
from experiments.crossplay import Tensor


def setup(units: int = 12, seed: int = 3) -> Setup:
    """Deals of ``mini`` with four players."""
    return Setup("mini", Rules.parse("mini").at(4), 4, units, seed)


def write_network(folder: Path, seed: int, rules: str = "mini") -> str:
    """An untrained network; the name of its agent."""
    batch = Batch(rules, 1, players=4)
    identity = checkpoints.identity(batch)
    torch.manual_seed(seed)
    network = make_network("mlp", (8,), identity, batch.scale)
    meta = {**identity, "trainer": "ppo", "network": {"kind": "mlp", "hidden": [8]}}
    checkpoints.write(folder, meta, {"network": network_arrays(network)})
    return str(folder)


def names(count: int) -> tuple[str, ...]:
    """Names for so many agents: a, b, c, …"""
    return tuple("abcdefghijklmnop"[:count])


def made_up(points: np.ndarray, references: tuple[tuple[str, str], ...] = ()) -> Tensor:
    """A tensor of points (n, n, u) against one team, or (n, n, r, u) against ``references``."""
    units = points[:, :, None] if points.ndim == 3 else points
    teams = references or (("x", "x"),)
    return Tensor(names(len(points)), teams, units.astype(np.float64))


def drawn(
    rng: np.random.Generator,
    seeds: int,
    *,
    decks: int = 12,
    skill: float = 50.0,
    habit: float = 0.0,
    match: float = 0.0,
    luck: float = 100.0,
    noise: float = 100.0,
) -> Tensor:
    """A matrix of agents with drawn seeds, whose true self-play, cross-play and interaction are 0.

    Deviations in points: ``skill`` of a seed adds to all that it plays in, ``habit`` to its
    self-play alone, ``match`` to each two partners; ``luck`` of a deck is that of all cells,
    ``noise`` of a deck that of one.
    """
    own, pair = rng.normal(0, skill, seeds), rng.normal(0, match, (seeds, seeds))
    points = own[:, None] + own + np.triu(pair, 1) + np.triu(pair, 1).T
    points += np.diag(rng.normal(0, habit, seeds))
    by_deck = rng.normal(0, luck, decks) + rng.normal(0, noise, (seeds, seeds, decks))
    return made_up(points[..., None] + by_deck)

"""A trained network without the question: the same weights under the rules that lack it.

The rules without the question have the same observation and three actions fewer, so such a network
gives the other actions the very logits that it gave them before. Agents that learn to play on
without the question begin there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from agents import checkpoint as checkpoints
from agents.neural import make_network, network_arrays
from agents.rank_layout import layout
from agents.translated import rules_without
from canasta_env.actions import ActionTable
from canasta_env.batch import Batch
from canasta_env.rules import Rules

__all__ = ["forget"]

_HEADS = ("policy.weight", "policy.bias")
"""The arrays of a network of ranks with a row for each action that is no rank's."""


def forget(path: Path, folder: Path) -> None:
    """Writes the checkpoint at ``path``, without the question, into ``folder``.

    Raises:
        ValueError: it can't be read, or its network is not one of ranks; one clear line.
    """
    saved = checkpoints.read(path)
    kind, hidden = saved.meta["network"]["kind"], saved.meta["network"]["hidden"]
    if kind != "ranks":
        raise ValueError(f"{path}: a network of the kind {kind}; only one of ranks can be changed")
    rules = Rules.parse(saved.meta["rules"])
    batch = Batch(rules_without(rules), 1, players=saved.meta["players"])
    identity = checkpoints.identity(batch)
    arrays = saved.arrays("network")
    kept = _kept(rules, saved.meta["players"])
    for name in _HEADS:
        arrays[name] = arrays[name][kept]
    # what says where features and actions stand is that of the other rules
    fresh = network_arrays(make_network(kind, hidden, identity, batch.scale))
    buffers = {"order": fresh["order"]}
    meta = {**saved.meta, **identity}
    del meta["files"], meta["format"]
    checkpoints.write(folder, meta, {"network": {**arrays, **buffers}})


def _kept(rules: Rules, players: int) -> npt.NDArray[np.bool_]:
    """Which rows of a head stay: those of actions that the rules without the question have."""
    texts: Any = ActionTable(rules).texts
    left = set(ActionTable(rules_without(rules)).texts)
    return np.array([texts[i] in left for i in layout(rules, players).other_actions])

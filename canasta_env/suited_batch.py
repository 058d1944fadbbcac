"""The kernel of :mod:`canasta_env.batch_threads` once more, for rules with sequences."""

from __future__ import annotations

from canasta_env import batch_threads, suited_kernels
from canasta_env.jit import kernel, rebound

__all__ = ["share_rows"]

share_rows = kernel(batch_threads.signature(suited_kernels.play_games), home=__name__)(
    rebound(batch_threads.share_rows, kernels=suited_kernels)
)

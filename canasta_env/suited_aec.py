"""The kernel of :mod:`canasta_env.aec_kernel` once more, for rules with sequences."""

from __future__ import annotations

from numba import types

from canasta_env import aec_kernel, suited_kernels
from canasta_env.engine.scratch import SUITED_ROWS
from canasta_env.engine.state import SUITED_GAME_DTYPE, SUITED_RULES_DTYPE, SUITED_VIEW_DTYPE
from canasta_env.jit import kernel, rebound

__all__ = ["step_addresses"]

step_addresses = kernel(types.int64(types.int64[::1], types.int64), home=__name__)(
    rebound(
        aec_kernel.step_addresses,
        kernels=suited_kernels,
        GAME_DTYPE=SUITED_GAME_DTYPE,
        VIEW_DTYPE=SUITED_VIEW_DTYPE,
        RULES_DTYPE=SUITED_RULES_DTYPE,
        GAME_BYTES=SUITED_GAME_DTYPE.itemsize,
        VIEW_BYTES=SUITED_VIEW_DTYPE.itemsize,
        ROWS=SUITED_ROWS,
    )
)

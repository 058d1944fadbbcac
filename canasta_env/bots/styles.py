from __future__ import annotations
from typing import Any, Final
import numba.core.config
import numpy as np
from canasta_env.bots import Bot
from canasta_env.bots.weights import BASIC, WEIGHTS_DTYPE
STYLES: Final[dict[str, dict[str, int]]] = {"basic": {}, "closer": {}, "hoarder": {}, "freezer": {}, "pile_hunter": {}, "cautious": {}, "expert": {}}
def rows(*changes: dict[str, int]) -> Any:
    array = np.array([tuple({**BASIC, **one}.values()) for one in changes], WEIGHTS_DTYPE)
    return array.view(np.recarray) if numba.core.config.DISABLE_JIT else array
def table() -> Any:
    return rows(*STYLES.values())

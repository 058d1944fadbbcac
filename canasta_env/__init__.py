"""The reference Canasta environment: exact rules of a family of games, one compiled engine, and an
interface for each way to play it.

The names below load on first use, so that ``import canasta_env`` costs nothing and a program pays
only for what it uses: ``Game`` (one game to talk to), ``Batch`` (many games in lock step), ``env``
and ``raw_env`` (PettingZoo's AEC), ``Rules``, ``Action`` and ``ActionTable``. Gymnasium makes the
environments of one learner: ``gymnasium.make("canasta_env:Canasta-v0")``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from canasta_env.registration import register as _register

if TYPE_CHECKING:
    from canasta_env.actions import Action, ActionTable
    from canasta_env.aec import env, raw_env
    from canasta_env.batch import Batch
    from canasta_env.game import Game
    from canasta_env.rules import Rules

__all__ = ["Action", "ActionTable", "Batch", "Game", "Rules", "__version__", "env", "raw_env"]

_HOMES = {
    "Action": "canasta_env.actions",
    "ActionTable": "canasta_env.actions",
    "Batch": "canasta_env.batch",
    "Game": "canasta_env.game",
    "Rules": "canasta_env.rules",
    "env": "canasta_env.aec",
    "raw_env": "canasta_env.aec",
}
_NEED_KERNELS = ("Batch", "Game", "env", "raw_env")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib import metadata  # slow to import, and seldom asked for

        try:
            value: Any = metadata.version("canasta-env")
        except metadata.PackageNotFoundError:  # a source tree that has not been installed
            value = "0+unknown"
    elif name in _HOMES:
        if name in _NEED_KERNELS:
            importlib.import_module("canasta_env.compile").ensure_compiled()
        value = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'canasta_env' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


_register()

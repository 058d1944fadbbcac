"""Makes the environments known to Gymnasium and PettingZoo, whatever is imported first.

``gymnasium.make("canasta_env:Canasta-v0")`` imports this package and then looks into Gymnasium's
registry, so the import must register. But it must not import Gymnasium for that, which would take
longer than all else that a program needs which only plays games. And where this package was
imported first, the import within ``make`` does nothing. So what registers is left with Python's
import system and runs when a registry is loaded.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

__all__ = ["register"]


def _in_gymnasium(registration: Any) -> None:
    if "Canasta-v0" not in registration.registry:
        registration.register(
            "Canasta-v0",
            entry_point="canasta_env.single:CanastaEnv",
            vector_entry_point="canasta_env.vector:CanastaVectorEnv",
        )


def _in_pettingzoo(registration: Any) -> None:
    if "canasta-v0" not in registration.aec_registry:
        registration.register("aec", "canasta_v0", "canasta_env.aec:env")


REGISTRIES: Final[dict[str, Callable[[Any], None]]] = {
    "gymnasium.envs.registration": _in_gymnasium,
    "pettingzoo.env_registry.registration": _in_pettingzoo,
}
"""The modules that hold the registries, and what registers there. PettingZoo has one from 1.27."""


def register() -> None:
    """Register the environments where a registry is loaded, else as soon as it is."""
    for name, enter in REGISTRIES.items():
        if name in sys.modules:
            enter(sys.modules[name])
        else:
            sys.meta_path.insert(0, _Watch(name))


class _Watch:
    """A finder that finds nothing itself, but sees one module being loaded."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Of that module: what the other finders say, with a word at the end of the loading."""
        if name != self._name or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        import importlib.util  # the package's import must not wait for it

        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
        return spec


class _Loader:
    """Loads as another does, and registers then."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:  # who asks later finds what there would have been
            module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        REGISTRIES[module.__name__](module)

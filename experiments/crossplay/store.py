"""The file of a tensor: JSON, written whole or not at all, a line for each cell.

It holds all that the numbers depend on, and no times or paths of the machine: the same tensor gives
the same bytes, whatever was interrupted on the way.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents.checkpoint import identity, versions
from canasta_env import kernels
from canasta_env.batch import Batch
from canasta_env.sources import source_hash
from experiments.block import Setup
from experiments.crossplay.cells import UNITS
from experiments.crossplay.tensor import Tensor
from experiments.deals import EVALUATION
from experiments.tournament_agents import Entrant

__all__ = ["FORMAT", "Store", "StoreError", "read"]

FORMAT: Final = "canasta cross-play 1"

Floats = npt.NDArray[np.float64]


class StoreError(ValueError):
    """A file that cannot be used; the text is one line that says why."""


class Store:
    """The file of one tensor.

    Args:
        path: the file; written by the first :meth:`save`.
        setup, entrants: what is played and what all the agents are; a file of other settings,
            agents or versions is refused.
        tensor: what it is of, with nothing played.

    Raises:
        StoreError: the file is no such file or of another tensor, or its folder is missing.
    """

    def __init__(self, path: Path, setup: Setup, entrants: list[Entrant], tensor: Tensor) -> None:
        self.path, self.empty = path, tensor
        if not path.parent.is_dir():
            raise StoreError(f"{path}: there is no folder {path.parent}")
        self.head = _head(setup, entrants, tensor)
        self.found: dict[str, Any] | None = _document(path) if path.exists() else None
        if self.found is not None:
            self._check(self.found)

    def load(self) -> Tensor:
        """What was played already."""
        return self.empty if self.found is None else _tensor(self.found)

    def save(self, tensor: Tensor) -> None:
        """Writes what was played, in one step."""
        head = json.dumps(self.head, indent=1)[:-2]
        cells = ",\n".join(
            json.dumps([*map(int, place), _numbers(tensor.units[tuple(place)])])
            for place in np.argwhere(~np.isnan(tensor.units).all(axis=3))
        )
        text = f'{head},\n "cells": [\n{cells}\n ]\n}}\n'
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(self.path)
        finally:
            temporary.unlink(missing_ok=True)

    def _check(self, found: dict[str, Any]) -> None:
        """Raises StoreError if the file is of another tensor."""
        different = [
            f"{name} {_short(there.get(name))}, not {_short(here.get(name))}"
            for part in ("settings", "identity", "agents", "versions")
            for here, there in [(_named(self.head[part]), _named(found.get(part, {})))]
            for name in sorted({*here, *there})
            if here.get(name) != there.get(name)
        ]
        different += [
            f"other {part}, or in another order"
            for part in ("partners", "references")
            if self.head[part] != found.get(part)
        ]
        if different:
            raise StoreError(
                f"{self.path} was begun with {'; '.join(different)}; "
                "name another file, or remove it"
            )


def read(path: Path) -> Tensor:
    """The tensor in a file, whole or not.

    Raises:
        StoreError: it is no such file.
        OSError: it cannot be read.
    """
    return _tensor(_document(path))


def _head(setup: Setup, entrants: list[Entrant], tensor: Tensor) -> dict[str, Any]:
    """All of the file but the cells."""
    return {
        "format": FORMAT,
        "versions": versions(),
        "identity": {
            **identity(Batch(setup.text, 1, players=setup.players)),
            "engine": source_hash(Path(kernels.__file__), kernels.__name__)[:16],
        },
        "settings": {
            "pairs": setup.units,
            "seed": setup.seed,
            "stream": EVALUATION,
            "scores": setup.scores,
            "stock": setup.stock,
            "block": UNITS,
        },
        "agents": [{"name": one.name, "hash": one.hash} for one in entrants],
        "partners": list(tensor.agents),
        "references": [list(team) for team in tensor.references],
    }


def _named(part: Any) -> dict[str, Any]:
    """A part of the head by name; of agents their hashes."""
    if isinstance(part, list):
        return {f"agent {one['name']}": one["hash"] for one in part}
    return dict(part)


def _short(value: Any) -> str:
    if value is None:
        return "nothing"
    text = str(value)
    return text[:12] if len(text) == 64 else text


def _numbers(units: Floats) -> list[float | int | None]:
    """A cell's units; None where a block was not played, and whole numbers without a fraction."""
    return [
        None if np.isnan(value) else int(value) if value.is_integer() else value
        for value in units.tolist()
    ]


def _document(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] == FORMAT:
            return dict(found)
    except (ValueError, KeyError, TypeError):
        pass
    raise StoreError(f"{path}: not a file of cross-play; name another, or remove it")


def _tensor(found: dict[str, Any]) -> Tensor:
    agents = tuple(found["partners"])
    references = tuple((first, second) for first, second in found["references"])
    units = np.full((len(agents), len(agents), len(references), found["settings"]["pairs"]), np.nan)
    for first, second, reference, values in found["cells"]:
        units[first, second, reference] = values
    return Tensor(agents, references, units)

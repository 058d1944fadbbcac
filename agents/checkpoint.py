"""Checkpoints: a folder with one JSON file and the arrays it names, in safetensors.

``checkpoint.json`` says what the arrays are for: format, rules, players, the hashes of the action
table and of the observation, versions, settings, sizes. It names each file of arrays with its hash.
The arrays are written first, under names made of their hashes; the JSON file, replaced in one step,
is the moment at which a checkpoint exists. A process that dies at any time leaves the old
checkpoint or the new one. Nothing is pickled, and reading takes numpy alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from agents import tensors

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "check_identity",
    "find",
    "group",
    "identity",
    "joined",
    "read",
    "versions",
    "write",
]

FORMAT: Final = 1
INDEX: Final = "checkpoint.json"
LAST: Final = "last"
Arrays = Mapping[str, npt.NDArray[Any]]

_MEANINGS: Final = {
    "rules": "other rules",
    "players": "another number of players",
    "actions_hash": "another action table",
    "observation_hash": "another observation",
    "observation_size": "another size of observation",
}


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the text is one line that says which one and why."""


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint whose JSON has been read and whose files have not."""

    folder: Path
    meta: dict[str, Any]

    def arrays(self, part: str) -> dict[str, npt.NDArray[Any]]:
        """The arrays of a part, checked against the hash in the JSON; raises
        :class:`CheckpointError`.
        """
        entry = self.meta["files"].get(part)
        if entry is None:
            raise CheckpointError(f"{self.folder}: holds no {part!r}, only {_names(self.meta)}")
        path = self.folder / entry["file"]
        data = _read_bytes(path)
        if len(data) != entry["bytes"]:
            raise CheckpointError(
                f"{path}: truncated: {len(data)} bytes, {entry['bytes']} were written"
            )
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise CheckpointError(f"{path}: damaged: its hash is not the one in {INDEX}")
        try:
            return tensors.load(data)
        except ValueError as error:
            raise CheckpointError(f"{path}: not readable as safetensors: {error}") from None


def write(folder: Path, meta: Mapping[str, Any], parts: Mapping[str, Arrays]) -> None:
    """Writes a checkpoint into ``folder``, in place of the one that is there, in one step."""
    from safetensors.numpy import save  # needed only by who writes

    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for part, arrays in parts.items():
        data = save({name: _plain(array) for name, array in arrays.items()})
        digest = hashlib.sha256(data).hexdigest()
        name = f"{part}-{digest[:16]}.safetensors"
        _replace(folder / name, data)
        files[part] = {"file": name, "sha256": digest, "bytes": len(data)}
    index = {"format": FORMAT, **meta, "files": files}
    _replace(folder / INDEX, (json.dumps(index, indent=2) + "\n").encode())
    _remove_others(folder, {INDEX, *(str(entry["file"]) for entry in files.values())})


def read(path: str | Path) -> Checkpoint:
    """The checkpoint in a folder or in a run's folder; raises :class:`CheckpointError`."""
    folder = find(Path(path))
    index = folder / INDEX
    try:
        meta = json.loads(_read_bytes(index))
    except ValueError:
        raise CheckpointError(f"{index}: truncated or damaged: not readable as JSON") from None
    if not isinstance(meta, dict) or not isinstance(meta.get("files"), dict):
        raise CheckpointError(f"{index}: not the index of a checkpoint")
    if meta.get("format") != FORMAT:
        raise CheckpointError(
            f"{index}: format {meta.get('format')!r}; this version reads format {FORMAT}"
        )
    return Checkpoint(folder, meta)


def find(path: Path) -> Path:
    """The folder of the checkpoint at ``path``: itself, or ``last`` in the folder of a run."""
    if not path.exists():
        raise CheckpointError(f"{path}: no such file or folder")
    if path.name == INDEX:
        return path.parent
    for folder in (path, path / LAST):
        if (folder / INDEX).is_file():
            return folder
    raise CheckpointError(f"{path}: holds no checkpoint (neither {INDEX} nor {LAST}/{INDEX})")


def joined(groups: Mapping[str, Mapping[str, Any]]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of several groups under one roof: ``group.name``."""
    return {
        f"{group}.{name}": np.asarray(array)
        for group, arrays in groups.items()
        for name, array in arrays.items()
    }


def group(arrays: Arrays, prefix: str) -> dict[str, npt.NDArray[Any]]:
    """The arrays whose name begins with ``prefix`` and a dot, by the rest of it."""
    start = prefix + "."
    return {n.removeprefix(start): array for n, array in arrays.items() if n.startswith(start)}


def identity(batch: Any) -> dict[str, Any]:
    """What a network trained on ``batch`` is bound to: rules, players, actions and observation."""
    return {
        "rules": str(batch.rules),
        "players": int(batch.players),
        "actions": int(batch.actions),
        "actions_hash": str(batch.table.hash),
        "observation_size": int(batch.observation_size),
        "observation_hash": observation_hash(batch),
    }


def observation_hash(batch: Any) -> str:
    """The hash that the batch gives for the list of its features, else one of their scales."""
    given = getattr(batch, "observation_hash", None)
    return str(given) if given else hashlib.sha256(np.asarray(batch.scale).tobytes()).hexdigest()


def check_identity(checkpoint: Checkpoint, wanted: Mapping[str, Any]) -> None:
    """Raises :class:`CheckpointError` if the checkpoint is for something else than ``wanted``."""
    for key, meaning in _MEANINGS.items():
        have, want = checkpoint.meta.get(key), wanted[key]
        if have != want:
            raise CheckpointError(
                f"{checkpoint.folder}: made for {meaning}: {_short(have)}, not {_short(want)}"
                + _of_wider_view(checkpoint)
            )


def _of_wider_view(checkpoint: Checkpoint) -> str:
    """What else there is to say of a checkpoint that knows more than a table shows."""
    shown = checkpoint.meta.get("settings", {}).get("shown")
    if not shown:
        return ""
    return f"; it was trained with --shown {' '.join(shown)} and plays only where that is shown"


def versions() -> dict[str, str]:
    """The versions that a result depends on."""
    found = {"python": platform.python_version()}
    for package in ("canasta-env", "numpy", "numba", "torch", "safetensors"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _short(value: Any) -> str:
    text = str(value)
    return text[:16] + "…" if len(text) == 64 else text


def _names(meta: Mapping[str, Any]) -> str:
    return ", ".join(sorted(meta["files"])) or "nothing"


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A contiguous array of plain numbers; a record array becomes its bytes."""
    array = np.asarray(array, order="C")  # ascontiguousarray would give a number a dimension
    return array.reshape(-1).view(np.uint8) if array.dtype.names else array.view(np.ndarray)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path}: {error.strerror or error}") from None


def _replace(path: Path, data: bytes) -> None:
    """Writes a file so that, whatever happens, the name holds all of the old or all of the new."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:  # a full disk needs the room
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove_others(folder: Path, keep: set[str]) -> None:
    """Removes arrays of former checkpoints and what a killed writer left."""
    for path in folder.iterdir():
        ours = path.suffix == ".safetensors" or path.name.startswith(".")
        if path.is_file() and ours and path.name not in keep:
            path.unlink(missing_ok=True)

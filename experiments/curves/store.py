"""What was played already: a JSON file, written anew after every checkpoint."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from canasta_env import entries
from canasta_env.sources import source_hash
from experiments.block import Setup
from experiments.curves.ladder import Standing
from experiments.tournament_agents import describe

__all__ = ["Store", "StoreError"]

FORMAT: Final = "canasta learning curves 1"


class StoreError(ValueError):
    """A file that cannot be used; the text is one line that says why."""


class Store:
    """The results in a file, by all that they depend on: the network of the checkpoint, the
    opponent's network or sources, the engine's sources, the rules and the decks.

    Raises:
        StoreError: the file is no such file, or its folder is missing.
    """

    def __init__(self, path: Path, setup: Setup) -> None:
        self.path = path
        if not path.parent.is_dir():
            raise StoreError(f"{path}: there is no folder {path.parent}")
        self.played = {
            "rules": setup.text,
            "players": setup.players,
            "pairs": setup.units,
            "seed": setup.seed,
            "scores": setup.scores,
            "stock": setup.stock,
            "engine": source_hash(Path(entries.__file__), entries.__name__)[:16],
        }
        self.setup = setup
        self.results: list[dict[str, Any]] = _read(path) if path.exists() else []
        self._by_key = {_key(entry): entry for entry in self.results}

    def find(self, network: str, opponent: str) -> Standing | None:
        """How the network with this hash stands against an opponent; None if it was not played."""
        entry = self._by_key.get(_key(self._entry(network, opponent)))
        return None if entry is None else Standing(**entry["standing"])

    def add(self, network: str, standings: dict[str, Standing]) -> None:
        """Keeps results of a network, by opponent, and writes the file in one step."""
        for opponent, standing in standings.items():
            entry = self._entry(network, opponent) | {"standing": asdict(standing)}
            self._by_key[_key(entry)] = entry
        self.results = list(self._by_key.values())
        lines = ",\n".join(json.dumps(entry) for entry in self.results)
        text = f'{{"format": "{FORMAT}", "results": [\n{lines}\n]}}\n'
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(self.path)
        finally:
            temporary.unlink(missing_ok=True)

    def _entry(self, network: str, opponent: str) -> dict[str, Any]:
        rival = describe(opponent, self.setup.text, self.setup.players)
        return {
            "network": network,
            "opponent": opponent,
            "opponent_hash": rival.hash[:16],
            **self.played,
        }


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] == FORMAT:
            return list(found["results"])
    except (ValueError, KeyError, TypeError):
        pass
    raise StoreError(f"{path}: not a file of learning curves; name another, or remove it")


def _key(entry: dict[str, Any]) -> str:
    """All of an entry but its result."""
    played = {name: value for name, value in entry.items() if name != "standing"}
    return json.dumps(played, sort_keys=True)

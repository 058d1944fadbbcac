"""The trained agents that come with the project: one for each rule system and number of players.

Each has a folder in ``agents/champions``: the checkpoint of its network and ``CARD.md``, which says
how it was trained and how strong it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agents import checkpoint as checkpoints
from agents.plain_agent import PlainAgent
from agents.registry import CHAMPION
from canasta_env.rules import Rules

__all__ = ["FOLDER", "champion", "folder_of", "has_champion", "shipped"]

FOLDER: Final = Path(__file__).resolve().parent / "champions"


def shipped() -> dict[tuple[str, int], Path]:
    """The folder of each shipped agent, by its rules and players."""
    found = {}
    for index in sorted(FOLDER.glob(f"*/{checkpoints.INDEX}")):
        meta = checkpoints.read(index).meta
        found[str(meta.get("rules")), int(meta.get("players", 0))] = index.parent
    return found


def has_champion(rules: str | Rules, players: int) -> bool:
    """Is there a shipped agent for these rules?"""
    return (_text(rules), players) in shipped()


def folder_of(rules: str | Rules, players: int) -> Path:
    """The folder of the shipped agent for these rules.

    Raises:
        CheckpointError: there is none; the message lists those there are.
    """
    known = shipped()
    folder = known.get((_text(rules), players))
    if folder is None:
        names = ", ".join(f"{text} with {count}" for text, count in known) or "nothing yet"
        raise checkpoints.CheckpointError(
            f"no champion for {_text(rules)} with {players} players; there is one for {names}"
        )
    return folder


def champion(
    rules: str | Rules, players: int, *, temperature: float = 0.0, seed: int = 0
) -> PlainAgent:
    """The shipped agent for these rules; drawn actions where the temperature is above zero.

    Raises:
        CheckpointError: there is none, its files are damaged, or made for another version.
    """
    name = f"{CHAMPION}@{temperature:g}" if temperature else CHAMPION
    folder = folder_of(rules, players)
    return PlainAgent.load(folder, rules, players, name=name, temperature=temperature, seed=seed)


def _text(rules: str | Rules) -> str:
    """Rules as checkpoints write them."""
    return str(Rules.parse(rules) if isinstance(rules, str) else rules)

"""The trained agents that come with the project: one for each rule system and number of players.

Each has a folder in ``agents/champions``: the checkpoint of its network and ``CARD.md``, which says
how it was trained and how strong it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from agents import checkpoint as checkpoints
from agents.plain_agent import PlainAgent
from agents.registry import CHAMPION
from canasta_env.rules import Rules

__all__ = ["FOLDER", "champion", "has_champion", "shipped"]

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


def champion(
    rules: str | Rules, players: int, *, temperature: float = 0.0, seed: int = 0
) -> PlainAgent:
    """The shipped agent for these rules; drawn actions where the temperature is above zero.

    Raises:
        CheckpointError: there is none, and the message lists those there are; or its files are
            damaged, or made for another version.
    """
    known = shipped()
    folder = known.get((_text(rules), players))
    if folder is None:
        names = ", ".join(f"{text} with {count}" for text, count in known) or "nothing yet"
        raise checkpoints.CheckpointError(
            f"no champion for {_text(rules)} with {players} players; there is one for {names}"
        )
    name = f"{CHAMPION}@{temperature:g}" if temperature else CHAMPION
    return PlainAgent.load(folder, rules, players, name=name, temperature=temperature, seed=seed)


def _text(rules: Any) -> str:
    """Rules as checkpoints write them."""
    return str(Rules.parse(rules) if isinstance(rules, str) else rules)

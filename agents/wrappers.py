"""The names of wrapped agents: ``mute(NAME)``, ``answering(NAME,SHARE)``, ``translated(PATH)``."""

from __future__ import annotations

from typing import Any

from agents import registry
from agents.answering import Answering, share_of
from agents.base import Agent
from agents.mute import Mute
from agents.translated import Translated, rules_without

__all__ = ["inside", "make"]


def inside(name: str, rules: Any) -> tuple[str, Any]:
    """The name of the agent inside, and the rules that it plays by.

    Raises:
        ValueError: nothing is inside, or ``answering`` has no share.
    """
    inner, word = _given(name)[0], _word(name)
    return inner, rules_without(rules) if word == "translated" else rules


def make(name: str, rules: Any, players: int, seed: int) -> Agent:
    """The agent of a wrapper's name; the agent inside gets the ``seed``.

    Raises:
        ValueError: as :func:`inside`, as :func:`agents.registry.make` for the agent inside, and
            where nobody can ask in these rules; one clear line.
    """
    inner, rules_inside = inside(name, rules)
    agent = registry.make(inner, str(rules_inside), players, seed)
    if _word(name) == "mute":
        return Mute(agent, rules, players, name)
    if _word(name) == "translated":
        return Translated(agent, rules, players, name)
    return Answering(agent, share_of(_given(name)[1]), rules, players, seed, name)


def _word(name: str) -> str:
    return name.partition("(")[0]


def _given(name: str) -> tuple[str, str]:
    """The name inside, and what stands after the last comma where the wrapper takes a share."""
    text = name.partition("(")[2][:-1]
    inner, _, share = text.rpartition(",") if _word(name) == "answering" else (text, "", "")
    if not inner:
        example = {"answering": "answering(basic,0.5)"}.get(_word(name), f"{_word(name)}(basic)")
        raise ValueError(f"{name}: not a wrapped agent; write it as {example}")
    return inner.strip(), share.strip()

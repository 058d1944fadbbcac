"""Names of agents: the rule bots and the shipped ``champion`` by name, trained agents by the path
of their checkpoint or run, others by the name of what makes them in a module.
"""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path
from typing import Any, Final

from agents.base import Agent
from agents.checkpoint import CheckpointError
from canasta_env.bots import styles

__all__ = ["BOTS", "CHAMPION", "WRAPPERS", "UnknownAgentError", "is_wrapped", "make", "split"]

BOTS: Final = styles.NAMES
"""The names of the rule bots."""
CHAMPION: Final = "champion"
"""The trained agents that are shipped: rules and players say which one is meant."""
SEARCH: Final = "search"
WRAPPERS: Final = ("mute", "answering", "translated")
"""What other agents are wrapped in; see :mod:`agents.wrappers`."""
_SAMPLED: Final = "@"
_PROCESS: Final = ("process:", "process(")


class UnknownAgentError(ValueError):
    """A name that is no agent's; the text is one line with the names that come close."""


def make(name: str, rules: Any = "classic", players: int = 4, seed: int = 0) -> Agent:
    """The agent called ``name``.

    - ``random``, ``greedy``, ``basic`` and the other styles: the rule bots;
      ``basic(keep_joker=100)`` is a style with other weights.
    - ``champion``: the trained agent that is shipped for the rules and players.
    - A path: a checkpoint's folder (``runs/x/last``) or a run's (``runs/x``), played greedily;
      ``runs/x@0.5`` draws its actions at the temperature 0.5, and so does ``champion@0.5``.
    - ``search`` or ``search(rollouts=256)``: with the options of :class:`agents.search.Options`.
    - ``process:COMMAND``: a program of its own (:mod:`agents.process`).
    - ``mute(NAME)`` and others: an agent wrapped in another (:mod:`agents.wrappers`).
    - ``package.module:Maker``: what ``Maker(rules, players, seed)`` gives.

    Raises :class:`UnknownAgentError`, ``CheckpointError`` for a checkpoint that does not fit, or
    ``BotError`` for a program that does not start.
    """
    if styles.is_name(name):
        return _bot(name, seed)
    if name.startswith(_PROCESS):
        return _process(name, rules, players, seed)
    if name == SEARCH or name.startswith(f"{SEARCH}("):
        return _search(name, rules, players, seed)
    if is_wrapped(name):
        return _wrapped(name, rules, players, seed)
    path, temperature = split(name)
    if path == CHAMPION:
        return _champion(rules, players, temperature, seed)
    if Path(path).exists():
        return _neural(path, rules, players, temperature, seed)
    if ":" in name:
        return _imported(name, rules, players, seed)
    raise UnknownAgentError(_unknown(name))


def _imported(name: str, rules: Any, players: int, seed: int) -> Agent:
    module, _, maker = name.partition(":")
    try:
        make_one = getattr(importlib.import_module(module), maker)
    except (ImportError, AttributeError, ValueError) as error:
        raise UnknownAgentError(f"{name}: cannot be imported: {error}") from None
    try:
        agent: Agent = make_one(rules, players, seed)
    except Exception as error:
        raise UnknownAgentError(f"{name}: {type(error).__name__}: {error}") from error
    return agent


def _bot(name: str, seed: int) -> Agent:
    from agents.bots import BotAgent  # compiled code: loaded only when a bot plays

    try:
        return BotAgent(name, seed)
    except ValueError as error:
        raise UnknownAgentError(str(error)) from None


def _champion(rules: Any, players: int, temperature: float, seed: int) -> Agent:
    from agents.shipped import champion

    return champion(rules, players, temperature=temperature, seed=seed)


def _process(name: str, rules: Any, players: int, seed: int) -> Agent:
    from agents.process import ProcessAgent

    return ProcessAgent.named(name, rules, players, seed)


def _search(name: str, rules: Any, players: int, seed: int) -> Agent:
    from agents.search import Options, SearchAgent  # compiled code

    try:
        options = Options.parse(name)
    except ValueError as error:
        raise UnknownAgentError(f"{name}: {error}") from None
    return SearchAgent(options, rules, players, seed, name)


def _wrapped(name: str, rules: Any, players: int, seed: int) -> Agent:
    from agents import wrappers

    try:
        return wrappers.make(name, rules, players, seed)
    except CheckpointError:
        raise
    except ValueError as error:
        raise UnknownAgentError(str(error)) from None


def _neural(path: str, rules: Any, players: int, temperature: float, seed: int) -> Agent:
    from agents.neural import NeuralAgent  # torch: loaded only when a network plays

    return NeuralAgent.load(path, rules, players, temperature=temperature, seed=seed)


def is_wrapped(name: str) -> bool:
    """Whether this names an agent in another: ``mute(basic)``."""
    return name.endswith(")") and name.partition("(")[0] in WRAPPERS


def split(name: str) -> tuple[str, float]:
    """A path and its temperature, 0 if none is given."""
    path, at, text = name.rpartition(_SAMPLED)
    if not at:
        return name, 0.0
    try:
        return path, float(text)
    except ValueError:
        return name, 0.0


def _unknown(name: str) -> str:
    text = f"no agent is called {name!r} and no such path exists"
    names = (*BOTS, CHAMPION, SEARCH, *(f"{word}(NAME)" for word in WRAPPERS))
    close = difflib.get_close_matches(name, [*names, *_runs()], n=3, cutoff=0.5)
    if close:
        return f"{text}; did you mean {' or '.join(close)}?"
    return f"{text}; the names are {', '.join(names)} and the paths of checkpoints or runs"


def _runs() -> list[str]:
    """The runs in the usual folder, as a user would write them."""
    folder = Path("runs")
    return [str(path) for path in sorted(folder.iterdir())] if folder.is_dir() else []

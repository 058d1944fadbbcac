"""The line protocol between a game and a bot in another process, version 1 (docs/line-protocol.md).

This module writes what the game says and reads what the bot answers; it starts no process.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from canasta_env.events import Event
from canasta_env.rules import Rules
from canasta_env.text.summary import rules_summary
from canasta_env.text.table import table_lines

__all__ = [
    "QUIT", "VERSION", "AnswerError", "decision", "end", "greeting", "play", "ready", "refusal",
]  # fmt: skip

VERSION: Final = 1
QUIT: Final = "quit"
_READY: Final = "ready"
_PLAY: Final = "play"


class AnswerError(ValueError):
    """A line that is no answer of the protocol; the text says what was expected."""


def greeting(rules: Rules, players: int, seed: int) -> list[str]:
    """What a bot is told when it starts; it answers with :func:`ready`."""
    return [
        f"canasta {VERSION}",
        f"rules {rules}",
        f"players {players}",
        f"sides {rules.sides_of(players)}",
        f"seed {seed}",
        *(f"rule {line}" for line in rules_summary(rules, players).splitlines()),
        "start",
    ]


def decision(
    game: int, view: Any, rules: Rules, news: Iterable[Event], legal: Iterable[str]
) -> list[str]:
    """What a bot is told when it must act; it answers with :func:`play`.

    Args:
        game: the number of the game.
        view: the record of the view of the seat that must act.
        rules: the rules.
        news: what the seat has seen and heard since it was asked before.
        legal: the texts of the legal actions.
    """
    return [
        f"decide {game} {int(view.seat)}",
        *(f"saw {event}" for event in news),
        *table_lines(view, rules),
        *(f"legal {text}" for text in legal),
        "act",
    ]


def end(game: int, view: Any, rules: Rules, news: Iterable[Event]) -> list[str]:
    """What a bot is told when the deal is over for a seat that it plays; it answers nothing.

    The arguments are those of :func:`decision`.
    """
    sides = int(view.sides)
    return [
        f"over {game} {int(view.seat)}",
        *(f"saw {event}" for event in news),
        *table_lines(view, rules),
        f"points {' '.join(str(int(points)) for points in view.deal_scores[:sides])}",
    ]


def refusal(answer: str, reason: object, left: int) -> list[str]:
    """What a bot is told of an answer that cannot be played; it answers once more."""
    return [f"illegal {answer}: {reason}; {left} more {'try' if left == 1 else 'tries'}", "act"]


def ready(line: str) -> str:
    """The bot's name, of the answer to a greeting: ``ready NAME``.

    Raises:
        AnswerError: it is no such answer.
    """
    word, _, name = line.strip().partition(" ")
    if word != _READY or not name.strip():
        raise AnswerError(f"'{_READY} NAME' was expected, not {line.strip()!r}")
    return name.strip()


def play(line: str) -> str:
    """The text of the action, of the answer to a decision: ``play ACTION``.

    Raises:
        AnswerError: it is no such answer.
    """
    word, _, text = line.strip().partition(" ")
    if word != _PLAY or not text.strip():
        raise AnswerError(f"'{_PLAY} ACTION' was expected, not {line.strip()!r}")
    return " ".join(text.split())

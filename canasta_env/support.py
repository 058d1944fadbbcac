"""Which rules the engine plays so far; the others are refused before a card is dealt."""

from __future__ import annotations

from canasta_env.rules import Rules

__all__ = ["check_supported"]


def check_supported(rules: Rules, players: int) -> None:
    """Refuse a number of players that the rules are not for."""
    rules.at(players)

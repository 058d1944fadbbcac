"""Which rules the engine plays so far; the others are refused before a card is dealt."""

from __future__ import annotations

from canasta_env.rules import Rules, RulesError

__all__ = ["check_supported"]


def check_supported(rules: Rules, players: int) -> None:
    """Refuse rules with a procedure that the engine does not play yet.

    Raises:
        RulesError: the field, what it asks for, and what to use instead.
    """
    plain = rules.at(players)
    wanted = {
        "sequences": bool(plain.sequences),
        "wild_melds": plain.wild_melds == "from_three",
        "upcard": plain.upcard == "offer",
        "red_three_discard": bool(plain.red_three_discard),
        "owed_red_threes": bool(plain.owed_red_threes),
        "cut_bonus": bool(plain.cut_bonus),
        "natural_group": bool(plain.natural_group),
        "bonus_counts_to_minimum": bool(plain.bonus_counts_to_minimum),
    }
    missing = [name for name, is_wanted in wanted.items() if is_wanted]
    if missing:
        values = ", ".join(f"{name}={getattr(plain, name)}" for name in missing)
        raise RulesError(
            f"{rules.name} with {players} players: the engine does not play {values} yet; "
            "every preset but czech is complete"
        )

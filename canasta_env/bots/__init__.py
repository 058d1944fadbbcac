"""Rule bots that ship with the environment: compiled, and they see a view and a mask, never a game.

:mod:`canasta_env.bots.choose` holds the entry that plays any of them in many games at once.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = ["Bot"]


class Bot(IntEnum):
    """The number by which the kernels know a bot.

    From ``BASIC`` on they are styles of one procedure: the bot with number ``BASIC + i`` plays by
    row ``i`` of a table of weights (:func:`canasta_env.bots.styles.table`).
    """

    RANDOM = 0
    GREEDY = 1
    BASIC = 2
    CLOSER = 3
    HOARDER = 4
    FREEZER = 5
    PILE_HUNTER = 6
    CAUTIOUS = 7
    EXPERT = 8

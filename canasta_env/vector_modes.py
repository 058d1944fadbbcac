"""The names of the ways to reset, for Gymnasium 1.0, which has only one and no name for it."""

from __future__ import annotations

from enum import Enum

__all__ = ["AutoresetMode"]


class AutoresetMode(Enum):
    """As ``gymnasium.vector.AutoresetMode``, from 1.1 on."""

    NEXT_STEP = "NextStep"
    SAME_STEP = "SameStep"

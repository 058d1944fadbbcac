"""What the commands share: their exit status, one line for an error, and types of arguments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Final

__all__ = ["INTERRUPTED", "carry_out", "check_level", "positive"]

INTERRUPTED: Final = 130
"""The exit status after Ctrl-C."""


def carry_out(
    name: str,
    work: Callable[[], object],
    interrupted: str = "interrupted",
    errors: tuple[type[Exception], ...] = (ValueError, OSError),
) -> int:
    """Does the work of the command ``name``; its exit status.

    The ``errors``, which are the user's to mend, become one line; so does Ctrl-C, which says what
    became of the work.
    """
    try:
        work()
    except errors as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{name}: {interrupted}", file=sys.stderr)
        return INTERRUPTED
    return 0


def positive(text: str) -> int:
    """The type of an argument that is a whole number from 1 on."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def check_level(level: float) -> None:
    """Raises ValueError for a level of confidence (``--level``) outside (0, 1)."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"--level {level} is not between 0 and 1")

"""A position near the end of a deal, for tests that want an episode of a few actions."""

from __future__ import annotations

from typing import Any

SHORT: dict[str, Any] = {
    "rules": "classic",
    "players": 2,
    "dealer": 1,
    "turn": 0,
    "hands": {0: "4 5 K", 1: "6 7 K"},
    "pile": "J",
    "stock": "8 9 10 3r",
    "absent": "rest",
}
"""Three draws of two cards or fewer, then a pass."""


def short(**changes: Any) -> dict[str, Any]:
    return SHORT | changes

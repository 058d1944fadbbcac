"""Positions as text and as mappings: from notation to a game, and back.

A position is a mapping, as YAML or JSON write it; what it leaves out takes its default. A game is
written whole: every card and every key, so that reading it back gives the same game.
"""

from __future__ import annotations

import importlib
import json
from typing import Any

from canasta_env.positions.read import Position, read_position
from canasta_env.positions.values import PositionError
from canasta_env.positions.write import write_position

__all__ = ["Position", "PositionError", "load_position", "read_position", "write_position"]


def load_position(text: str) -> dict[str, Any]:
    """The mapping that a text in JSON or YAML holds, for :func:`read_position`.

    YAML is read where PyYAML is installed; JSON always.

    Raises:
        PositionError: the text is neither, or not a mapping.
    """
    try:
        mapping = json.loads(text)
    except ValueError as fault:
        mapping = _load_yaml(text, fault)
    if not isinstance(mapping, dict):
        raise PositionError(f"a position is a mapping, not {mapping!r}")
    return mapping


def _load_yaml(text: str, fault: ValueError) -> Any:
    try:
        yaml = importlib.import_module("yaml")
    except ImportError:
        raise PositionError(f"not JSON ({fault}), and YAML needs the package pyyaml") from fault
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as wrong:
        raise PositionError(f"neither JSON nor YAML: {wrong}") from wrong

"""Reading rules: the files of the presets, and the text ``classic(target=3000)``."""

from __future__ import annotations

import ast
import difflib
import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from keyword import iskeyword
from typing import Any, Final

from canasta_env.rules_fields import RulesError

__all__ = ["closest", "load_preset", "parse_call", "preset_names"]

_BASE: Final = "classic"
_HELP: Final = "rules are written classic or classic(target=3000)"
_BARE: Final = re.compile(r"=\s*([a-z_]+)\b")
_PARSER_FAULTS: Final = (SyntaxError, ValueError, RecursionError, MemoryError)


@lru_cache(maxsize=1)
def preset_names() -> tuple[str, ...]:
    """The names of all presets, ``classic`` first."""
    files = (resources.files("canasta_env") / "presets").iterdir()
    names = {file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")}
    return (_BASE, *sorted(names - {_BASE}))


def load_preset(name: str) -> dict[str, Any]:
    """The values of a preset by field: those of classic, and over them those of its own file."""
    values = _load_file(_BASE)
    return values if name == _BASE else values | _load_file(name)


def _load_file(name: str) -> dict[str, Any]:
    file = resources.files("canasta_env") / "presets" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def closest(given: str, known: Iterable[str]) -> str:
    """``; did you mean x?`` for the known name that is most like ``given``, or nothing."""
    found = difflib.get_close_matches(given, list(known), n=1, cutoff=0.5)
    return f"; did you mean {found[0]}?" if found else ""


def parse_call(text: str) -> tuple[str, dict[str, Any]]:
    """The name and the changed values of a text like ``classic(black_three=freeze)``."""
    try:
        node = ast.parse(_BARE.sub(_quoted, text.strip()), mode="eval").body
    except _PARSER_FAULTS as fault:
        raise RulesError(f"{text!r} cannot be read; {_HELP}") from fault
    if isinstance(node, ast.Name):
        return node.id, {}
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
        raise RulesError(f"{text!r} cannot be read; {_HELP}")
    changes: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise RulesError(f"{text!r} cannot be read; {_HELP}")
        if keyword.arg in changes:
            raise RulesError(f"{keyword.arg}: given twice in {text!r}")
        changes[keyword.arg] = _read_node(keyword.arg, keyword.value)
    return node.func.id, changes


def _quoted(match: re.Match[str]) -> str:
    """A bare word that Python would not take for a value, as ``for`` in red_threes_unmelded=for."""
    return f"={match[1]!r}" if iskeyword(match[1]) else match[0]


def _read_node(field: str, node: ast.expr) -> Any:
    """A value in the text: a number, a bare or quoted word, True, None, a row or a mapping."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(_read_node(field, one) for one in node.elts)
    try:
        if isinstance(node, ast.Dict) and None not in node.keys:
            pairs = zip(node.keys, node.values, strict=True)
            return {_read_node(field, k): _read_node(field, v) for k, v in pairs if k is not None}
        return ast.literal_eval(node)
    except (TypeError, ValueError) as fault:
        if isinstance(fault, RulesError):
            raise
        raise RulesError(f"{field}: {ast.unparse(node)} is not a value; {_HELP}") from None

"""Reading rules: the files of the presets, and the text ``classic(target=3000)``."""

from __future__ import annotations

import ast
import dataclasses
import difflib
import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import resources
from keyword import iskeyword
from typing import Any, Final, NoReturn

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
    """The values of a preset by field: those of classic, and over them those of its own file.

    Raises:
        RulesError: a file is no TOML, lacks a field, has one that the rules don't know or a value
            that is not allowed, or two contradict each other; it names the file and the line.
    """
    from canasta_env.rules import Rules  # whose presets these are

    own = _PresetFile(name)
    base = own if name == _BASE else _PresetFile(_BASE)
    fields = [field.name for field in dataclasses.fields(Rules) if field.name != "name"]
    for file in (base, own):
        file.check_fields(fields)
    for field in fields:
        if field not in base.values:
            base.fail(f"{field}: is missing; {_BASE} has every field")
    values = base.values | own.values
    try:
        Rules(name=name, **values)
    except (ValueError, RecursionError) as fault:  # also of values that nobody would write
        field = str(fault).partition(":")[0]
        (own if field in own.values else base).fail(str(fault))
    return values


class _PresetFile:
    """The file of a preset.

    Raises:
        RulesError: it cannot be read, is not TOML, or has no field.
    """

    def __init__(self, name: str) -> None:
        self.name = f"{name}.toml"
        try:
            data = (resources.files("canasta_env") / "presets" / self.name).read_bytes()
        except OSError as fault:
            raise RulesError(f"{self.name}: {fault.strerror}") from None
        self.text = self._decoded(data)
        self.values = self._parsed()
        if not self.values:
            raise RulesError(f"{self.name}: there is no field in it; a preset says what differs")

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as fault:
            line = data[: fault.start].count(b"\n") + 1
            raise RulesError(f"{self.name}, line {line}: not text in UTF-8") from None

    def _parsed(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except (ValueError, RecursionError) as fault:  # the message has line and column
            raise RulesError(f"{self.name}: not TOML: {fault}") from None

    def check_fields(self, known: Sequence[str]) -> None:
        """Refuse fields that the rules do not have."""
        for field in self.values:
            if field not in known:
                self.fail(f"{field}: the rules have no such field{closest(field, known)}")

    def fail(self, reason: str) -> NoReturn:
        """Refuse the file because of the field that a reason begins with."""
        field = re.escape(reason.partition(":")[0])
        found = re.search(rf"""(?m)^[ \t]*\[*[ \t]*["']?{field}["']?[ \t]*[\].=]""", self.text)
        line = f", line {self.text.count(chr(10), 0, found.start()) + 1}" if found else ""
        raise RulesError(f"{self.name}{line}: {reason}")


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

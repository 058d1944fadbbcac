"""The notes in the files of the presets: what a preset is, why a value is so, which reading holds.

The notes are the comments of the files, so that they stand beside the values. The first line says
what the preset is. A comment that begins with ``Reading:`` is the reading chosen where a
text allows another. Any other one belongs to the field of its line, or of the line below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Final

from canasta_env.rules import Rules, field_specs

__all__ = ["Notes", "preset_notes", "read_notes"]

_READING: Final = "Reading: "
_VALUE: Final = re.compile(r"""(?P<field>\w+) = (?:[^#"]|"[^"]*")*(?:# (?P<note>.+))?""")


@dataclass(frozen=True)
class Notes:
    """The notes of a preset.

    Attributes:
        about: what the preset is.
        fields: why a field has its value, by the field's name.
        readings: what was chosen where the preset's source can be read in two ways.
    """

    about: str
    fields: dict[str, str]
    readings: tuple[str, ...]


@lru_cache(maxsize=16)
def preset_notes(name: str) -> Notes:
    """The notes of a preset.

    Raises:
        RulesError: there is no such preset.
    """
    Rules.preset(name)
    file = resources.files("canasta_env") / "presets" / f"{name}.toml"
    return read_notes(file.read_text(encoding="utf-8"))


def read_notes(text: str) -> Notes:
    """The notes that the text of a preset's file holds."""
    comments = list(_comments(text))
    about = next((note for field, note in comments if not field), "")
    readings = tuple(
        note.removeprefix(_READING) for field, note in comments if note.startswith(_READING)
    )
    fields: dict[str, str] = {}
    for field, note in comments:
        if field in field_specs() and not note.startswith(_READING):
            fields[field] = f"{fields[field]}; {note}" if field in fields else note
    return Notes(about, fields, readings)


def _comments(text: str) -> Iterator[tuple[str, str]]:
    """Each comment with the field that it belongs to; no field for the one at the top."""
    waiting: list[str] = []
    for line in text.splitlines():
        if line.startswith("# "):
            if line.startswith(f"# {_READING}") or not waiting:
                waiting.append(line[2:])
            else:  # goes on
                waiting[-1] += f" {line[2:]}"
            continue
        found = _VALUE.match(line)
        field = found["field"] if found else ""
        yield from ((field, note) for note in waiting)
        waiting = []
        if found and found["note"]:
            yield field, found["note"]

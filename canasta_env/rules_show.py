"""The rules for people: ``python -m canasta_env rules``, and the page that is printed from them."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from canasta_env.rules import Rules, RulesError, field_specs, preset_names
from canasta_env.rules_fields import Spec, write_value
from canasta_env.rules_notes import preset_notes

__all__ = ["main", "overview", "preset_page", "rules_page", "values"]

BASE: Final = "classic"
WIDTH: Final = 96
_INDENT: Final = "    "


def values(rules: Rules) -> dict[str, str]:
    """Every field's value as it stands in the text of rules, in the order of the fields; without
    the name of the preset.
    """
    return {name: write_value(getattr(rules, name)) for name in field_specs() if name != "name"}


def differences(rules: Rules) -> dict[str, str]:
    """The fields that have another value than in classic, with their values."""
    base = values(Rules.preset(BASE))
    return {name: value for name, value in values(rules).items() if value != base[name]}


def meaning(spec: Spec) -> str:
    """What a field means, in one line: its row of the table of rules, and what that leaves open."""
    return f"{spec.row}: {spec.meaning}" if spec.meaning else spec.row


def allowed(spec: Spec) -> str:
    """What a field may hold."""
    return spec.allowed + (", or one for each number of players" if spec.by_players else "")


def overview() -> str:
    """All presets and all fields."""
    names = [name for name in field_specs() if name != "name"]
    presets = (
        f"{name}  (players: {_players(Rules.preset(name))}; "
        f"{len(differences(Rules.preset(name)))} fields differ)\n"
        f"{_wrapped(preset_notes(name).about)}"
        for name in preset_names()
    )
    return "\n".join(
        [
            "PRESETS",
            *presets,
            "",
            "FIELDS, with the row of the table of rules, the meaning, and what is allowed.",
            f"Any of them can be changed: {BASE}(target=3000, asking=False)",
            *(_described(name) for name in names),
        ]
    )


def _players(rules: Rules) -> str:
    return ", ".join(map(str, rules.players))


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=_INDENT, subsequent_indent=_INDENT)


def _described(name: str) -> str:
    spec = field_specs()[name]
    return f"{name}\n{_wrapped(meaning(spec))}\n{_wrapped('allowed: ' + allowed(spec))}"


def preset_page(text: str) -> str:
    """One preset, or a preset with changes: what differs from classic, and the notes on it.

    Raises:
        RulesError: ``text`` names no rules.
    """
    rules = Rules.parse(text)
    notes = preset_notes(rules.name)
    own = values(Rules.preset(rules.name))
    base = values(Rules.preset(BASE))
    is_base = str(rules) == BASE
    shown = values(rules) if is_base else differences(rules)
    lines = [str(rules), _wrapped(notes.about), _wrapped(f"players: {_players(rules)}"), ""]
    lines.append("EVERY FIELD" if is_base else f"WHAT DIFFERS FROM {BASE.upper()}")
    for name, value in shown.items():
        lines.append(f"{name} = {value}")
        if not is_base:
            lines.append(_wrapped(f"{BASE}: {base[name]}"))
        if value == own[name] and name in notes.fields:
            lines.append(_wrapped(notes.fields[name]))
    if not shown:
        lines.append("nothing")
    if notes.readings:
        lines += ["", "READINGS CHOSEN", *map(_wrapped, notes.readings)]
    return "\n".join(lines)


def rules_page(note: str) -> str:
    """docs/rules.md: the presets, the fields that differ, the notes, and all fields."""
    return "\n".join(
        [
            note,
            "# Rules",
            "",
            "A rule system is a preset, and any of its fields can be changed:",
            f"`{BASE}(target=3000, asking=False)`. `python -m canasta_env rules` shows this in",
            "the terminal, `python -m canasta_env rules czech` one preset. Values are written as",
            "they stand in the text of rules; `{2: 15, 4: 11}` is a value for each number of",
            "players, and `(6, 3)` there means six players in three sides.",
            "",
            "| preset | players | what it is |",
            "| --- | --- | --- |",
            *(
                f"| `{name}` | {_players(Rules.preset(name))} | {preset_notes(name).about} |"
                for name in preset_names()
            ),
            "",
            "## Where the presets differ",
            "",
            f"`=`: as in `{BASE}`.",
            "",
            *_difference_table(),
            "",
            "## Notes",
            *(line for name in preset_names() for line in _notes(name)),
            "",
            "## Fields",
            "",
            "The row is the one of the table of parameters that the rules were written down in.",
            "",
            "| field | row | meaning | allowed |",
            "| --- | --- | --- | --- |",
            *(
                f"| `{name}` | {spec.row} | {spec.meaning} | {allowed(spec)} |"
                for name, spec in field_specs().items()
                if name != "name"
            ),
            "",
        ]
    )


def _difference_table() -> Iterator[str]:
    """A row for each field that some preset changes, a column for each preset."""
    base = values(Rules.preset(BASE))
    others = [name for name in preset_names() if name != BASE]
    changed = {name: differences(Rules.preset(name)) for name in others}
    yield _row(["field", BASE, *others])
    yield _row(["---"] * (len(others) + 2))
    for field, value in base.items():
        if any(field in changed[name] for name in others):
            found = (changed[name].get(field) for name in others)
            yield _row([f"`{field}`", f"`{value}`", *(f"`{one}`" if one else "=" for one in found)])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _notes(name: str) -> list[str]:
    notes = preset_notes(name)
    lines = [f"- `{field}`: {note}" for field, note in notes.fields.items()]
    lines += [f"- Reading: {reading}" for reading in notes.readings]
    return ["", f"`{name}`", "", *lines] if lines else []


def main(rules: str | None = None) -> int:
    """``python -m canasta_env rules``: all of them, or one; exit status 2 if it is unknown."""
    try:
        print(overview() if rules is None else preset_page(rules))
    except RulesError as error:
        print(f"canasta_env rules: {error}", file=sys.stderr)
        return 2
    return 0

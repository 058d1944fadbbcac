"""The card of a shipped agent: what people write of it, and what is written from files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

__all__ = ["CARD", "write"]

CARD: Final = "CARD.md"
_BEGIN: Final = "<!-- From here on written by python -m experiments.ship: do not change it. -->"
_TEMPLATE: Final = """# {title}

How it was trained: to be written.

Weaknesses: to be written.
"""
_OPTIONS: Final = (
    ("rules", "classic"), ("players", 4), ("pairs", 4000), ("seed", 0), ("episode", "deal"),
    ("scores", "spread"), ("stock", "seat_streams"), ("max_deals", 40), ("level", 0.95),
)  # fmt: skip
"""The options of ``experiments.match`` that a result depends on, and their defaults."""


def write(folder: Path, meta: dict[str, Any], results: Sequence[dict[str, Any]]) -> None:
    """Writes the card in ``folder``; the people's part of one that is there is kept."""
    path = folder / CARD
    title = f"champion: {meta['rules']}, {meta['players']} players"
    text = path.read_text(encoding="utf-8") if path.exists() else _TEMPLATE.format(title=title)
    people = text.split(_BEGIN)[0].rstrip()
    parts = [people, _BEGIN, _facts(meta), *map(_strength, results)]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _facts(meta: dict[str, Any]) -> str:
    """What the checkpoint says of itself."""
    network, file = meta["network"], meta["files"]["network"]
    widths = " ".join(map(str, network["hidden"]))
    lines = [
        "## The checkpoint",
        "",
        f"- rules `{meta['rules']}`, {meta['players']} players",
        f"- network `{network['kind']}` {widths}, {file['bytes']:,} bytes, SHA-256 "
        f"`{file['sha256'][:16]}…`",
    ]
    if "trainer" in meta:
        counted = (f"{name} {value:,.0f}" for name, value in meta.get("counters", {}).items())
        lines.append(f"- trained by `train.{meta['trainer']}`: {', '.join(counted)}")
    return "\n".join([*lines, "- all settings and versions: `checkpoint.json`"])


def _strength(found: dict[str, Any]) -> str:
    """A result file as a table, with the command that made it."""
    settings = found["settings"]
    what, many = settings["episode"], "deals" if settings["episode"] == "deal" else "matches"
    heads = ("against", f"points a {what}", f"{many} won", "deals gone out", "decks")
    rows = [heads, ("---",) * len(heads), *(_row(match) for match in found["matches"])]
    lines = [
        f"## Strength, {many}",
        "",
        f"Every deck is played once on each side; {settings['level']:.0%} intervals over decks.",
        "",
        *("| " + " | ".join(row) + " |" for row in rows),
        "",
        f"`{_command(found)}`",
    ]
    return "\n".join(lines)


def _row(match: dict[str, Any]) -> tuple[str, ...]:
    summary = match["summary"]
    points, won = summary["points"], summary["win_rate"]
    gone_out = "{:.0%} (they {:.0%})".format(*summary["behaviour"]["went_out"])
    return (
        f"`{match['team_b']}`",
        f"{points['mean']:+.0f} {_interval(points, 1, '+.0f')}",
        f"{100 * won['mean']:.1f} % {_interval(won, 100, '.1f')}",
        gone_out,
        f"{points['units']:,}",
    )


def _interval(summary: dict[str, Any], scale: float, form: str) -> str:
    ends = (summary["interval"][end] for end in ("low", "high"))
    return "[" + ", ".join("–" if end is None else format(scale * end, form) for end in ends) + "]"


def _command(found: dict[str, Any]) -> str:
    """The command line that plays a result again."""
    used = {**found["settings"], "pairs": found["settings"]["units"], **found["seeds"]}
    matches = found["matches"]
    words = ["python -m experiments.match", matches[0]["team_a"]]
    words += [match["team_b"] for match in matches]
    for name, default in _OPTIONS:
        fixed = name == "scores" and used["episode"] == "match"  # then they are zero anyway
        if used[name] != default and not fixed:
            words.append(f"--{name.replace('_', '-')} {used[name]}")
    return " ".join(words)

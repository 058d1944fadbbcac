"""The tables of the reference that are printed from the code: actions, observations and rules."""

from __future__ import annotations

import sys
from itertools import accumulate
from pathlib import Path

from canasta_env.actions import ActionTable
from canasta_env.observation import observation_hash, observation_size, pieces
from canasta_env.rules import Rules, preset_names
from canasta_env.rules_show import rules_page

SHOWN = "classic"
"""The preset whose tables are printed in full."""
SUITED = "czech"
"""The preset with suits; its actions are printed by family, with the first and the last."""
PLAYERS = 4
NOTE = "<!-- printed by `make docs`; a test compares it with the code -->"


def actions_page() -> str:
    """docs/actions.md: all presets in numbers, one in full."""
    tables = {name: ActionTable(Rules.preset(name)) for name in preset_names()}
    sizes = [
        f"| {name} | {len(table)} | {len(table.offsets)} | `{table.hash[:16]}` |"
        for name, table in tables.items()
    ]
    return "\n".join(
        [
            NOTE,
            "# Actions",
            "",
            "An action table numbers the actions of a rule system, in an order that depends on the",
            "rules alone: the number of players does not matter. Checkpoints and records keep the",
            "hash of the table that they were made with.",
            "",
            "| rules | actions | families | hash (its first quarter) |",
            "| --- | --- | --- | --- |",
            *sizes,
            "",
            f"## `{SHOWN}`, by id",
            "",
            "| ids | family | actions |",
            "| --- | --- | --- |",
            *_families(tables[SHOWN]),
            "",
            f"## `{SUITED}`, by family",
            "",
            "Inside a family ranks ascend and suits go c d h s; of a sequence's first three cards",
            "the lowest goes up within each suit, and the wild card through the places.",
            "",
            "| ids | family | actions |",
            "| --- | --- | --- |",
            *_families(tables[SUITED], shown=3),
            "",
        ]
    )


def _families(table: ActionTable, shown: int | None = None) -> list[str]:
    """A row for each family; where there are more than ``shown`` actions and one more, the first
    of them and the last."""
    starts = [*table.offsets.values(), len(table)]
    rows = []
    for family, start, stop in zip(table.offsets, starts, starts[1:], strict=False):
        texts = [f"`{table.text(i)}`" for i in range(start, stop)]
        if shown is not None and len(texts) > shown + 1:
            texts = [*texts[:shown], "…", texts[-1]]
        rows.append(f"| {_span(start, stop)} | {family} | {' · '.join(texts)} |")
    return rows


def observation_page() -> str:
    """docs/observation.md: all presets that the engine plays in numbers, one in full."""
    rules = Rules.preset(SHOWN)
    suited = Rules.preset(SUITED)
    return "\n".join(
        [
            NOTE,
            "# Observations",
            "",
            "An observation is made from what its seat may know, and is seen from that seat: seats",
            "and sides are counted from the one that looks, in the order of play. In the batch a",
            "feature is a small whole number, clipped at its bound; as a float it is divided by",
            "the bound, so it lies between 0 and 1.",
            "",
            "| rules | players | features | hash (its first quarter) |",
            "| --- | --- | --- | --- |",
            *_sizes(),
            "",
            f"## `{SHOWN}`, {PLAYERS} players",
            "",
            "| features | piece | bound | meaning |",
            "| --- | --- | --- | --- |",
            *_pieces(rules, PLAYERS),
            "",
            f"## `{SUITED}`, {PLAYERS} players",
            "",
            "| features | piece | bound | meaning |",
            "| --- | --- | --- | --- |",
            *_pieces(suited, PLAYERS),
            "",
        ]
    )


def _sizes() -> list[str]:
    rows = []
    for name in preset_names():
        rules = Rules.preset(name)
        for players in rules.players:
            size, digest = observation_size(rules, players), observation_hash(rules, players)
            rows.append(f"| {name} | {players} | {size} | `{digest[:16]}` |")
    return rows


def _pieces(rules: Rules, players: int) -> list[str]:
    found = pieces(rules, players)
    starts = accumulate((piece.size for piece in found), initial=0)
    return [
        f"| {_span(start, start + piece.size)} | {piece.name} | {piece.bound} | {piece.meaning} |"
        for start, piece in zip(starts, found, strict=False)
    ]


def _span(start: int, stop: int) -> str:
    return str(start) if stop == start + 1 else f"{start} … {stop - 1}"


def pages() -> dict[str, str]:
    """The text of each page, by its file name."""
    return {
        "actions.md": actions_page(),
        "observation.md": observation_page(),
        "rules.md": rules_page(NOTE),
    }


def main(folder: Path, check: bool = False) -> int:
    """``python -m canasta_env docs``: write the pages, or only say which are out of date."""
    stale = []
    for name, text in pages().items():
        file = folder / name
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        stale.append(str(file))
        if not check:
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    if stale:
        print("out of date:" if check else "wrote", " ".join(stale), file=sys.stderr)
    return 1 if check and stale else 0

"""Writing a record: a game's log as text. The reader compares with what is written here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from canasta_env.cards import write_cards
from canasta_env.engine.state import End
from canasta_env.game import SHEET, Game

__all__ = [
    "FIRST_LINE", "FINISHED", "STOPPED", "digest", "ended", "sheet_heading", "sheet_rows",
    "write_record",
]  # fmt: skip

FIRST_LINE: Final = "canasta record 1"
FINISHED: Final = "end"
STOPPED: Final = "stopped"
_ROW: Final = 27
"""Cards in a line of the deck: half a pack, so that every deck has full lines."""
_LABEL: Final = 18
_NUMBER: Final = 8
_ENDS: Final = {
    End.WENT_OUT: "went out",
    End.CONCEALED: "went out concealed",
    End.PASSED: "a pass",
    End.ONLY_RED_THREES: "the last draw brought only red threes",
    End.STOCK_ENDED: "the stock ran out",
}


def write_record(game: Game, names: Sequence[str], version: str) -> str:
    """The text of a record, with the hash of it."""
    lines = [FIRST_LINE, *_header(game, names, version)]
    turns: list[tuple[int, list[str]]] = []
    begins = True
    for state, action in game.replay():
        if begins:
            lines += _opening(state)
            turns = []
        begins = action is None
        if action is None:
            lines += [f"{seat}: {', '.join(texts)}" for seat, texts in turns]
            lines += _closing(state) if state.over else []
        elif turns and turns[-1][0] == state.turn:
            turns[-1][1].append(state.table.texts[action])
        else:
            turns.append((state.turn, [state.table.texts[action]]))
    text = "\n".join([*lines, "", FINISHED if game.over else STOPPED]) + " "
    return f"{text}{digest(text)}\n"


def digest(text: str) -> str:
    """The hash that stands at the end of a record: of all before it, to the last byte."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def _header(game: Game, names: Sequence[str], version: str) -> list[str]:
    return [
        f"rules: {game.rules}",
        f"players: {game.players}",
        f"version: {version}",
        f"actions: {game.table.hash}",
        f"seed: {int(game.record.match_seed)}",
        f"stock: {game.stock}",
        *(f"seat {seat}: {name}" for seat, name in enumerate(names)),
    ]


def _opening(game: Game) -> list[str]:
    """A deal before its first action."""
    deck, suited = game.deck.tolist(), game.rules.sequences
    rows = [deck[i : i + _ROW] for i in range(0, len(deck), _ROW)]
    return [
        "",
        f"deal {game.deal}",
        f"dealer: {game.dealer}",
        f"scores: {_numbers(game.scores)}",
        "deck:",
        *(f"  {write_cards(row, suited=suited)}" for row in rows),
    ]


def _numbers(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


def _closing(game: Game) -> list[str]:
    """How a deal ended, and its score sheet."""
    rows = sheet_rows(game)
    return [
        f"ended: {ended(game)}",
        _aligned(*sheet_heading(game)),
        *(_aligned(label, map(str, values)) for label, values in rows.items()),
    ]


def ended(game: Game) -> str:
    """How a deal that is over ended."""
    record = game.record
    seat = f"seat {int(record.out_seat)} " if record.out_seat >= 0 else ""
    return seat + _ENDS[End(int(record.end))]


def sheet_heading(game: Game) -> tuple[str, list[str]]:
    """The heading of a score sheet: its label and the names of the columns."""
    return "score sheet", [f"side {side}" for side in range(game.sides)]


def sheet_rows(game: Game) -> dict[str, list[int]]:
    """The rows of a score sheet: what the sides got for each item, the deal's score, the total."""
    sheets = game.breakdown()
    rows = {item.replace("_", " "): [sheet[item] for sheet in sheets] for item in SHEET}
    return rows | {"deal score": game.deal_scores, "total": game.scores}


def _aligned(label: str, cells: Iterable[str]) -> str:
    return label.ljust(_LABEL) + "".join(cell.rjust(_NUMBER) for cell in cells)

"""The result of a match: what is computed from its scores, and its file.

The file holds the score of every side at every table, so that all that is shown can be computed
again from it. It holds no times and no paths of the machine: the same match gives the same bytes.
"""

from __future__ import annotations

import json
import math
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from experiments.leads import differences, wins
from experiments.stats import Summary, duplicate_gain, summarise

__all__ = ["FORMAT", "Outcome", "differences", "outcome", "rates", "read", "wins", "write"]

FORMAT: Final = "canasta match 1"
_LONG: Final = ("differences", "scores")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Outcome:
    """Team A against team B.

    ``points``: A's lead in points, the mean over a unit's tables; ``win_rate``: tables won, a tie
    counting half, by unit. ``table_shares`` and ``unit_shares``: won by A, tied, won by B.
    ``gain``: see :func:`experiments.stats.duplicate_gain`. ``behaviour``: a measure's values for A
    and B.
    """

    team_a: str
    team_b: str
    points: Summary
    win_rate: Summary
    table_shares: tuple[float, float, float]
    unit_shares: tuple[float, float, float]
    gain: float
    capped: int
    behaviour: dict[str, tuple[float, ...]]


def _shares(signs: Floats) -> tuple[float, float, float]:
    """Shares above, at and below zero."""
    return tuple(float((np.sign(signs) == sign).mean()) for sign in (1, 0, -1))  # type: ignore[return-value]


def rates(counts: dict[str, Any]) -> dict[str, tuple[float, ...]]:
    """What the counts say of a side in a deal: each measure's value for each of the teams counted.

    ``counts[name]`` has one number for each team, see :data:`experiments.behaviour.COUNTS`. NaN
    where a measure has nothing to divide by.
    """

    def rate(name: str, of: str = "deals") -> tuple[float, ...]:
        pairs = zip(counts[name], counts[of], strict=True)
        return tuple(float(count) / float(total) if total else math.nan for count, total in pairs)

    return {
        "points": rate("points"),
        "melded": rate("melded"),
        "first_meld_turn": rate("first_meld_turn", "melded"),
        "takes": rate("takes"),
        "wild_discards": rate("wild_discards"),
        "natural_canastas": rate("natural_canastas"),
        "mixed_canastas": rate("mixed_canastas"),
        "wild_canastas": rate("wild_canastas"),
        "went_out": rate("went_out"),
        "went_out_of_won": rate("went_out_and_won", "won"),
        "concealed": rate("concealed"),
        "caught": rate("caught"),
    }


def outcome(
    team_a: str,
    team_b: str,
    scores: npt.ArrayLike,
    counts: dict[str, Any],
    *,
    capped: int = 0,
    level: float = 0.95,
    seed: int = 0,
) -> Outcome:
    """All that is shown, from the scores (units, tables, sides) and the teams' counts."""
    leads, won = differences(scores), wins(scores)
    units = leads.mean(1)
    return Outcome(
        team_a=team_a,
        team_b=team_b,
        points=summarise(units, level=level, seed=seed),
        win_rate=summarise(won.mean(1), level=level, seed=seed, null=1 / leads.shape[1]),
        table_shares=_shares(won - 0.5),
        unit_shares=_shares(units),
        gain=duplicate_gain(leads),
        capped=capped,
        behaviour=rates(counts),
    )


def _plain(value: Any) -> Any:
    """A value that JSON knows: no NaN or infinity, no numpy types."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    return value


def entry(result: Outcome, scores: Any, counts: dict[str, Any]) -> dict[str, Any]:
    """The part of the file that one opponent fills."""
    summary = asdict(result)
    teams = {key: summary.pop(key) for key in ("team_a", "team_b")}
    return {
        **teams,
        "summary": summary,
        "counts": counts,
        "differences": differences(scores).mean(1),
        "scores": scores,
    }


def _text(document: dict[str, Any]) -> str:
    """The document as JSON, indented, with the long lists of numbers on one line each."""
    document = _plain(document)
    lines: dict[str, str] = {}
    for index, match in enumerate(document.get("matches", [])):
        for name in _LONG:
            mark = f"@{name} {index}@"
            lines[mark] = json.dumps(match[name], separators=(",", ":"), allow_nan=False)
            match[name] = mark
    text = json.dumps(document, indent=1, allow_nan=False)
    for mark, line in lines.items():
        text = text.replace(f'"{mark}"', line)
    return text + "\n"


def write(path: Path, document: dict[str, Any], *, force: bool = False) -> None:
    """Writes the file whole or not at all.

    Raises:
        FileExistsError: it exists, and ``force`` is not given.
    """
    if path.exists() and not force:
        raise FileExistsError(f"{path} exists; --force overwrites it")
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(_text(document), encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path) -> dict[str, Any]:
    """A file that :func:`write` wrote.

    Raises:
        ValueError: it is not one.
    """
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{path} is not a match file of the format {FORMAT!r}")
    return document

"""Small tournament files with simulated numbers, as the tournament writes them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from experiments.behaviour import COUNTS
from experiments.report.database import FORMAT

SKILLS = {"basic": 0.0, "greedy": -150.0, "random": -900.0}
"""Points a deal above ``basic``."""
SETTINGS = {
    "rules": "classic", "players": 4, "sides": 2, "seed": 5, "episode": "deal", "scores": "spread",
    "stock": "seat_streams", "max_deals": 40, "units": 60, "block": 20,
}  # fmt: skip

_COLUMNS = [f"{team}_{name}" for name in COUNTS for team in "ab"]
_SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE agents (agent INTEGER PRIMARY KEY, name TEXT UNIQUE, hash TEXT, arm TEXT,
    training_seed TEXT);
CREATE TABLE pairings (pairing INTEGER PRIMARY KEY, team_a TEXT, team_b TEXT,
    UNIQUE (team_a, team_b));
CREATE TABLE blocks (pairing INTEGER, block INTEGER, status TEXT, versions TEXT,
    PRIMARY KEY (pairing, block));
CREATE TABLE games (pairing INTEGER, unit INTEGER, side_a INTEGER, seed INTEGER, deals INTEGER,
    lead REAL, won REAL, scores TEXT, capped INTEGER, luck TEXT, status TEXT,
    {", ".join(f"{column} INTEGER" for column in _COLUMNS)}, PRIMARY KEY (pairing, unit, side_a));
"""


def write_tournament(
    path: Path,
    *,
    skills: dict[str, float] = SKILLS,
    units: int = 60,
    pairings: Sequence[tuple[str, str]] | None = None,
    arms: dict[str, tuple[str, str]] | None = None,
    settings: dict[str, Any] | None = None,
    luck: bool = True,
) -> Path:
    """Everyone of ``skills`` against everyone, or the pairings given; the file's path.

    A team's skill is the mean of its members'. ``arms``: the arm and the training seed of agents.
    Where ``luck`` is kept, its two numbers explain about half of a game's variance.
    """
    pairings = list(combinations(skills, 2)) if pairings is None else pairings
    with closing(sqlite3.connect(path)) as file, file:
        file.executescript(_SCHEMA)
        meta = {"format": FORMAT, "settings": json.dumps(SETTINGS | (settings or {}))}
        meta["identity"] = json.dumps({"actions_hash": "a1b2", "observation_hash": "c3d4"})
        meta["luck"] = json.dumps(["cards", "red threes"] if luck else [])
        file.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        for place, name in enumerate(skills):
            arm, seed = (arms or {}).get(name, (None, None))
            row = (place, name, f"{place:08x}", arm, seed)
            file.execute("INSERT INTO agents VALUES (?, ?, ?, ?, ?)", row)
        for place, (a, b) in enumerate(pairings):
            file.execute("INSERT INTO pairings VALUES (?, ?, ?)", (place, a, b))
            file.execute("INSERT INTO blocks VALUES (?, 0, 'played', ?)", (place, '{"numpy": "2"}'))
            _write_games(file, place, _skill(skills, a) - _skill(skills, b), units, luck)
    return path


def _skill(skills: dict[str, float], team: str) -> float:
    return float(np.mean([skills[name] for name in team.split("+")]))


def _write_games(
    file: sqlite3.Connection, pairing: int, skill: float, units: int, luck: bool
) -> None:
    rng = np.random.default_rng([pairing, units])
    for unit in range(units):
        cards = rng.normal(0.0, 300.0)
        for side in (0, 1):
            own = rng.normal(0.0, 1.0, 2)
            lead = skill + (cards if side else -cards) + 400.0 * own[0] + 150.0 * own[1]
            lead = float(5 * round((lead + rng.normal(0.0, 300.0)) / 5))
            counts = rng.integers(0, 9, len(_COLUMNS))
            counts[:2] = 1  # deals
            counts[2:4] = 1000 + lead, 1000 - lead  # points
            row = [
                pairing, unit, side, 1000 + unit, 1, lead, (np.sign(lead) + 1) / 2,
                json.dumps([0, 0]), 0, json.dumps(own.tolist()) if luck else None, "ok",
                *counts.tolist(),
            ]  # fmt: skip
            marks = ", ".join("?" * len(row))
            file.execute(f"INSERT INTO games VALUES ({marks})", row)


def change(path: Path, statement: str, *values: Any) -> Path:
    """Runs a statement on a file; its path."""
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(statement, values)
    return path

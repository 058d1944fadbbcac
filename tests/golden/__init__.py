"""Golden playthroughs: one deal for each preset and number of players, in text files.

A file holds the rules, the seed and the scores before the deal, then each turn's actions, and at
the end the score sheet of each side and a hash over all masks of the deal. The deal is played by a
fixed rule: at step i of the deal, if some legal action neither discards nor passes and
``below(seed, STREAM, 2 * i, 4)`` is not 0, the choice is among those; else among all legal actions;
it falls on the one with the index ``below(seed, STREAM, 2 * i + 1, how many)`` in the order of the
action table.

``python -m tests.golden --write`` makes all files again (``make golden``). A difference in one is a
change of the rules, of the action table's order or of chance, and its commit should say which.
"""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

import numpy as np

from canasta_env import Game
from canasta_env.engine.rng import below

FOLDER = Path(__file__).parent
STREAM = 101
"""A stream of random numbers that the engine has no use for."""

DEALS: dict[tuple[str, int], tuple[int, int]] = {
    ("classic", 2): (13, 1500),
    ("classic", 3): (36, 0),
    ("classic", 4): (3, 0),
    ("classic", 6): (37, -50),
    ("russian", 4): (2, 0),
    ("standard", 2): (27, 0),
    ("standard", 3): (33, 0),
    ("standard", 4): (26, 1500),
    ("latvian", 2): (33, 0),
    ("latvian", 3): (13, 0),
    ("latvian", 4): (13, 3000),
    ("latvian", 6): (37, 0),
    ("hungarian", 2): (39, 0),
    ("hungarian", 4): (7, 1500),
    ("hand_and_foot", 2): (17, 0),
    ("hand_and_foot", 3): (9, 0),
    ("hand_and_foot", 4): (0, 0),
    ("czech", 2): (10, 0),
    ("czech", 3): (8, 0),
    ("czech", 4): (10, 0),
    ("czech", 5): (15, 0),
    ("czech", 6): (6, 0),
    ("mini", 2): (23, 0),
    ("mini", 4): (1, 300),
    ("tiny", 2): (55, 0),
}
"""The seed of each deal, chosen so that much happens, and the score of each side before it."""


def path_of(rules: str, players: int) -> Path:
    """The file of a preset and a number of players."""
    return FOLDER / f"{rules}_{players}.txt"


def start(rules: str, players: int) -> Game:
    """The game at the beginning of its deal."""
    seed, score = DEALS[rules, players]
    sides = Game(rules, players=players).sides
    return Game(rules, players=players, seed=seed, scores=[score] * sides)


def choice(game: Game, seed: int, step: int) -> str:
    """The text of the action that the rule chooses."""
    legal = [str(action) for action in game.legal()]
    going_on = [text for text in legal if not text.startswith(("discard", "pass"))]
    if going_on and below(seed, STREAM, 2 * step, 4) != 0:
        legal = going_on
    return legal[below(seed, STREAM, 2 * step + 1, len(legal))]


def playthrough(rules: str, players: int) -> str:
    """The text of a file: the deal played by the rule."""
    game, seed = start(rules, players), DEALS[rules, players][0]
    lines = [f"rules: {rules}", f"players: {players}", f"seed: {seed}"]
    lines += [f"scores: {numbers(game.scores)}", f"dealer: {game.dealer}", ""]
    masks, turn = hashlib.sha256(), -1
    for step in itertools.count():
        if game.over:
            break
        masks.update(np.packbits(game.mask()).tobytes())
        text = choice(game, seed, step)
        if int(game.record.turns) != turn:
            turn = int(game.record.turns)
            lines.append(f"turn {turn + 1}, seat {game.turn}: {text}")
        else:
            lines[-1] += f", {text}"
        game.play(text)
    return "\n".join([*lines, *ending(game, masks.hexdigest()), ""])


def numbers(values: list[int]) -> str:
    return " ".join(map(str, values))


def ending(game: Game, masks: str) -> list[str]:
    """The last lines: how the deal ended, the score sheets, the hash of the masks."""
    ended = game.to_position()["ended"]
    lines = ["", f"ended: {ended['how']}, seat {ended['seat']}"]
    for side, sheet in enumerate(game.breakdown()):
        items = ", ".join(f"{name} {points}" for name, points in sheet.items() if points)
        lines.append(f"side {side}: {items}")
    lines += [f"deal scores: {numbers(game.deal_scores)}", f"scores after: {numbers(game.scores)}"]
    return [*lines, f"masks: {masks[:32]}"]

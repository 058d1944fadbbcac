"""How many rows of actions a state has, counted as chess programs count theirs.

``counts.txt`` holds a line for each start: the preset, the players, the seed of its deck, the score
of each side, how many actions lead from the deal to the start, and then the number of rows of one,
two, three … actions from there. A row that ends the deal earlier is not counted. A count that
differs is a change of the rules (or of a mask), and says nothing of which; but there is hardly a
mistake in a mask or an effect that leaves all of them as they are.

``python -m tests.perft --write`` counts all again (``make perft``), and compares without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from canasta_env import Game
from canasta_env.engine.rng import below
from tests.readings import SEATS, SMALL
from tests.reference.cards import deck
from tests.reference.rules import rules_for

PATH = Path(__file__).parent / "counts.txt"
DECK, WALK = 102, 103
"""Streams of random numbers that the engine has no use for."""
NODES = 12_000
"""States that the deepest count of a start may visit: about a second."""
FEW = 60
"""The same for the reference, which takes milliseconds for a state."""


@dataclass(frozen=True)
class Start:
    """A state to count from: a deal from a deck, and so many actions that a fixed rule chooses."""

    preset: str
    players: int
    seed: int
    score: int
    steps: int

    def __str__(self) -> str:
        values = (self.preset, self.players, self.seed, self.score, self.steps)
        return " ".join(map(str, values))

    def cards(self) -> list[str]:
        """The deck, shuffled from the seed in the same way on every platform."""
        rules = rules_for(self.preset, self.players)
        cards = deck(rules)
        for i in range(len(cards) - 1, 0, -1):
            j = below(self.seed, DECK, i, i + 1)
            cards[i], cards[j] = cards[j], cards[i]
        return cards

    def scores(self) -> list[int]:
        return [self.score] * rules_for(self.preset, self.players).sides

    def game(self) -> Game:
        """The start in the engine."""
        game = Game(
            self.preset,
            players=self.players,
            deck=" ".join(self.cards()),
            dealer=self.seed % self.players,
            scores=self.scores(),
        )
        return self.walk(game)

    def walk(self, game: Any) -> Any:
        """Play the actions up to the start: three of four times one that goes on, if there is one.

        The choice is by the texts in order, so that it does not depend on an action table.
        """
        for step in range(self.steps):
            legal = sorted(str(action) for action in game.legal())
            on = [text for text in legal if not text.startswith(("discard", "pass"))]
            if on and below(self.seed, WALK, 2 * step, 4) != 0:
                legal = on
            game.play(legal[below(self.seed, WALK, 2 * step + 1, len(legal))])
        assert not game.over, f"{self}: the deal is over before the start"
        return game


STEPS = {2: 40, 3: 50, 4: 70, 5: 70, 6: 65}
"""How many actions lead into the middle of a deal, by the number of players."""
SMALL_STEPS = {"mini": 20, "tiny": 5}
"""The same for the small games."""


INSTEAD = {21: 121, 43: 343, 49: 249}
"""Seeds in the place of others, whose deal ends before the start or is too much to search."""


def starts() -> Iterator[Start]:
    """A deal and a state in the middle of another, for every preset and number of players.

    No two have the same deck, so that no two presets count the same rows.
    """
    seeds = iter(range(1000))
    for preset, seats in (SEATS | SMALL).items():
        for players in seats:
            middle = SMALL_STEPS.get(preset, STEPS[players])
            for score, steps in ((0, 0), (-50, middle)):
                seed = next(seeds)
                yield Start(preset, players, INSTEAD.get(seed, seed), score, steps)


def perft(game: Any, depth: int) -> int:
    """The rows of exactly so many actions."""
    legal = game.legal()
    if depth == 1:
        return len(legal)
    total = 0
    for action in legal:
        following = game.copy()
        following.play(action)
        total += perft(following, depth - 1)
    return total


def count(game: Any, nodes: int) -> list[int]:
    """The counts of all depths that visit no more states."""
    found = [perft(game, 1)]
    while sum(found) <= nodes and found[-1]:
        found.append(perft(game, len(found) + 1))
    return found


def counted(start: Start) -> list[int]:
    """The counts of a start."""
    return count(start.game(), NODES)


def read() -> dict[str, list[int]]:
    """The counts of the file, by the text of the start."""
    lines = PATH.read_text(encoding="utf-8").splitlines()
    rows = [line.split(": ") for line in lines if line and not line.startswith("#")]
    return {start: [int(word) for word in numbers.split()] for start, numbers in rows}


def within(counts: list[int], nodes: int) -> int:
    """The deepest of the counts that visits no more states; at least 1."""
    depths = range(2, len(counts) + 1)
    return max((depth for depth in depths if sum(counts[: depth - 1]) <= nodes), default=1)

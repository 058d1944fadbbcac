"""What the study is made of, from its file in TOML."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from agents.translated import rules_without
from canasta_env.rules import Rules
from experiments.block import Setup

__all__ = ["PLAYERS", "Game", "Study", "read"]

PLAYERS = 4
"""Two pairs: with two or three players nobody has a partner."""


@dataclass(frozen=True)
class Game:
    """A rule system and what is played in it; the lengths of matches are in decks, each played
    twice.

    ``seeds`` of training (none: only further agents play), and its settings ``training`` as
    :mod:`train.ppo` takes them; ``start`` is the checkpoint that both arms begin with,
    ``champion`` the shipped one, empty for none. ``alone`` are the decks of an agent that has all
    seats. ``agents`` are further ones by name. ``bot`` asks and answers by each pair of the weights
    ``ask_hand`` and ``answer_no_above``.
    """

    rules: str
    seeds: tuple[int, ...]
    training: tuple[str, ...]
    start: str
    pairs: int
    alone: int
    crossed: int
    opponent: str
    agents: tuple[str, ...]
    bot: str
    ask_hand: tuple[int, ...]
    answer_no_above: tuple[int, ...]
    bot_pairs: int

    @property
    def without(self) -> str:
        """The rules without the question."""
        return str(rules_without(self.rules))

    def setup(self, pairs: int, seed: int, rules: str = "") -> Setup:
        """What :mod:`experiments.block` plays, by the game's rules if no others are given."""
        text = str(Rules.parse(rules or self.rules))
        return Setup(text, Rules.parse(text).at(PLAYERS), PLAYERS, pairs, seed)


@dataclass(frozen=True)
class Study:
    """All of it. ``seed`` is that of decks, lots and shuffles, ``level`` that of the intervals."""

    games: tuple[Game, ...]
    seed: int
    level: float
    shuffles: int


def read(path: Path) -> Study:
    """The study that a file describes.

    Raises:
        ValueError: it is no TOML, a field is missing, unknown or of another kind, or a number is
            not possible; one clear line.
        OSError: it can't be read.
    """
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from None
    games = found.get("games")
    if not isinstance(games, list) or not games:
        raise ValueError(f"{path}: no [[games]]; there must be one at least")
    made = tuple(_made(Game, game, f"{path}: games {i + 1}") for i, game in enumerate(games))
    study: Study = _made(Study, {**found, "games": made}, str(path))
    for game in made:
        _check(game, f"{path}: {game.rules}")
    if not 0.0 < study.level < 1.0 or study.seed < 0 or study.shuffles < 1:
        raise ValueError(f"{path}: level must lie between 0 and 1, seed be 0 or more, shuffles 1")
    return study


def _made(kind: type[Any], given: Any, where: str) -> Any:
    """A dataclass from a table, whose fields must be just its own."""
    if not isinstance(given, dict):
        raise ValueError(f"{where}: not a table")
    known = {f.name for f in fields(kind) if f.default is MISSING}
    for word, names in (("unknown", set(given) - known), ("missing", known - set(given))):
        if names:
            raise ValueError(f"{where}: {word}: {', '.join(sorted(names))}")
    hints = get_type_hints(kind)
    return kind(**{name: _value(x, hints[name], f"{where}: {name}") for name, x in given.items()})


def _value(given: Any, kind: Any, where: str) -> Any:
    """A value of the kind that a field has: a list becomes a tuple, a whole number a float."""
    inner = getattr(kind, "__args__", (None,))[0]
    if inner is not None:
        if not isinstance(given, list | tuple) or not all(isinstance(x, inner) for x in given):
            raise ValueError(f"{where}: {given!r} is not a list of {inner.__name__}")
        return tuple(given)
    allowed = (int, float) if kind is float else kind
    if not isinstance(given, allowed) or isinstance(given, bool):
        raise ValueError(f"{where}: {given!r} is not a value of the type {kind.__name__}")
    return kind(given)


def _check(game: Game, where: str) -> None:
    """Raises ValueError for rules without the question, and for numbers below 1."""
    if not Rules.parse(game.rules).asking:
        raise ValueError(f"{where}: in these rules nobody asks; there is nothing to study")
    for name in ("pairs", "alone", "crossed", "bot_pairs"):
        if getattr(game, name) < 2:
            raise ValueError(f"{where}: {name} {getattr(game, name)} is not 2 or more")
    if len(game.seeds) == 1 or len(set(game.seeds)) < len(game.seeds):
        raise ValueError(f"{where}: seeds {list(game.seeds)}: none, or two and more, each once")

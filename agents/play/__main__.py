"""Canasta in the terminal: you against agents and with them.

Names of agents are those of all commands: random, greedy, basic, champion, or the path of a run.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from agents import registry
from agents.play.keeping import Keeper, go_on
from agents.play.seating import Seating, seat_all
from agents.play.session import INTERRUPTED, Session
from agents.play.table import Table
from agents.shipped import has_champion
from canasta_env.__main__ import BROKEN_PIPE
from canasta_env.game import Game
from canasta_env.rules import Rules

__all__ = ["main"]

_OF_A_NEW_GAME: Final[dict[str, tuple[str, Any]]] = {
    "rules": ("a preset, or as classic(target=3000)", "classic"),
    "players": ("how many, you among them", 4),
    "seat": ("yours, from 0 in the order of play", 0),
    "partner": ("an agent; names joined by + for several", "basic"),
}
"""The options that have a fixed default: what they mean, and the default."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m agents.play", description=__doc__)
    new = parse.add_argument_group("a new game")
    for name, (text, default) in _OF_A_NEW_GAME.items():
        new.add_argument(f"--{name}", type=type(default), help=f"{text} ({default})")
    new.add_argument("--opponents", help="likewise (champion where there is one, else basic)")
    new.add_argument("--seed", type=int, help="of the cards (another one every time)")
    parse.add_argument("--resume", type=Path, metavar="FILE", help="go on with a game")
    length = parse.add_mutually_exclusive_group()
    length.add_argument("--match", action="store_true", help="play a whole match (the default)")
    length.add_argument("--deal", action="store_true", help="play one deal")
    parse.add_argument(
        "--log", type=Path, metavar="FILE", help="keep the game's record here, turn by turn"
    )
    return parse


def _new(options: argparse.Namespace) -> tuple[Game, Seating]:
    """A new game; raises ValueError for rules, players or seats that do not exist."""
    given = {
        name: default if getattr(options, name) is None else getattr(options, name)
        for name, (_, default) in _OF_A_NEW_GAME.items()
    }
    rules, players = Rules.parse(given["rules"]), given["players"]
    rules.at(players)
    opponents = options.opponents
    if opponents is None:
        opponents = registry.CHAMPION if has_champion(rules, players) else "basic"
    seating = seat_all(rules, players, given["seat"], given["partner"], opponents)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    return Game(rules, players=players, seed=seed), seating


def _resumed(options: argparse.Namespace) -> tuple[Game, Seating]:
    """A game that was left; raises ValueError where its file is none, or more than it is named."""
    for name in (*_OF_A_NEW_GAME, "opponents", "seed"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name} belongs to a new game; --resume takes it from the file")
    return go_on(options.resume)


def begin(options: argparse.Namespace) -> Session:
    """The session that the options describe.

    Raises:
        ValueError: an option, an agent's name or a file is not possible; the text says why.
        OSError: a file cannot be read or written.
    """
    if options.log and options.log.exists() and options.log != options.resume:
        raise FileExistsError(f"--log {options.log}: exists; choose another name, or --resume it")
    game, seating = _resumed(options) if options.resume else _new(options)
    seed = int(game.record.match_seed)
    agents = {
        seat: registry.make(name, str(game.rules), game.players, (seed + seat) % 2**63)
        for seat, name in seating.agents.items()
    }
    keeper = Keeper(game, seating, options.log or options.resume)
    keeper.keep()
    return Session(Table(game, agents), seating, keeper, whole=not options.deal)


def _complete_on_tab(session: Session) -> None:
    """Lets Tab complete actions and commands, and the arrows recall lines."""
    try:
        import readline
    except ImportError:  # not on every system
        return

    def complete(text: str, state: int) -> str | None:
        found = [line for line in session.completions() if line.startswith(text)]
        return found[state] if state < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims("")
    readline.parse_and_bind("tab: complete")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    try:
        session = begin(options)
    except (ValueError, OSError) as error:
        print(f"agents.play: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    if sys.stdin.isatty():
        _complete_on_tab(session)
    try:
        return session.run()
    except BrokenPipeError:  # nobody reads any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


if __name__ == "__main__":
    sys.exit(main())

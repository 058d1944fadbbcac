"""Canasta in the terminal: you against agents and with them.

Names of agents are those of all commands: random, greedy, basic, champion, or the path of a run.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path

from agents import registry
from agents.play.keeping import Keeper, go_on
from agents.play.seating import Seating, seat_all
from agents.play.session import INTERRUPTED, Session
from agents.play.table import Table
from agents.shipped import has_champion
from canasta_env.game import Game
from canasta_env.rules import Rules

__all__ = ["main"]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m agents.play", description=__doc__)
    new = parse.add_argument_group("a new game")
    new.add_argument("--rules", default="classic", help="a preset, or classic(target=3000)")
    new.add_argument("--players", type=int, default=4)
    new.add_argument("--seat", type=int, default=0, help="yours, from 0 in the order of play")
    new.add_argument("--partner", default="basic", help="an agent; names joined by + for several")
    new.add_argument(
        "--opponents", default="", help="likewise; champion where there is one, else basic"
    )
    new.add_argument("--seed", type=int, help="of the cards; left out: new ones every time")
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
    rules = Rules.parse(options.rules)
    rules.at(options.players)
    opponents = options.opponents
    if not opponents:
        known = has_champion(rules, options.players)
        opponents = registry.CHAMPION if known else "basic"
    seating = seat_all(rules, options.players, options.seat, options.partner, opponents)
    seed = secrets.randbits(32) if options.seed is None else options.seed
    return Game(rules, players=options.players, seed=seed), seating


def begin(options: argparse.Namespace) -> Session:
    """The session that the options describe.

    Raises:
        ValueError: an option, an agent's name or a file is not possible; the text says why.
        OSError: a file cannot be read or written.
    """
    if options.log and options.log.exists() and options.log != options.resume:
        raise FileExistsError(f"--log {options.log}: exists; choose another name, or --resume it")
    game, seating = go_on(options.resume) if options.resume else _new(options)
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
    return session.run()


if __name__ == "__main__":
    sys.exit(main())

"""The command line of the environment: ``python -m canasta_env COMMAND``, or ``canasta-env
COMMAND``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

BROKEN_PIPE: Final = 141
"""The exit status of a command whose output nobody reads to the end, as the shell has it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="canasta_env", description=(__doc__ or "").split(":")[0])
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    options = vars(parser.parse_args(arguments))
    run: Callable[..., int] = options.pop("run")
    try:
        status = run(**options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, head or a pager, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    return status


def _add_compile(commands: Any) -> None:
    def run(**options: Any) -> int:
        from canasta_env import compile as compilation  # numba takes a while to import

        return compilation.main(**options)

    summary = "compile the engine into the cache, if it isn't there"
    parser = commands.add_parser("compile", help=summary, description=summary)
    parser.add_argument(
        "--clear", action="store_true", dest="clear_first", help="remove all compiled code first"
    )
    parser.set_defaults(run=run)


def _add_docs(commands: Any) -> None:
    def run(**options: Any) -> int:
        from canasta_env import docs

        return docs.main(**options)

    summary = "write the tables of the reference that are printed from the code"
    parser = commands.add_parser("docs", help=summary, description=summary)
    parser.add_argument("folder", nargs="?", default="docs", type=Path)
    parser.add_argument("--check", action="store_true", help="only say which are out of date")
    parser.set_defaults(run=run)


def _add_rules(commands: Any) -> None:
    def run(**options: Any) -> int:
        from canasta_env import rules_show

        return rules_show.main(**options)

    summary = "list the presets and the fields of rules, or what one preset changes"
    parser = commands.add_parser("rules", help=summary, description=summary)
    parser.add_argument(
        "rules", nargs="?", metavar="RULES", help="a preset, or a text like classic(target=3000)"
    )
    parser.set_defaults(run=run)


def _add_match(commands: Any) -> None:
    def run(**options: Any) -> int:
        from canasta_env import match

        return match.main(**options)

    summary = "let two rule bots play deals against each other, each deck once on each side"
    parser = commands.add_parser("match", help=summary, description=summary)
    parser.add_argument("bots", nargs=2, metavar="BOT", help="basic, or basic(keep_joker=100)")
    parser.add_argument("--rules", default="classic", metavar="RULES", help="as for rules; classic")
    parser.add_argument("--players", type=int, default=4, metavar="N")
    parser.add_argument("--decks", type=int, default=1000, metavar="N", help="how many; 1,000")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of cards and lots")
    parser.set_defaults(run=run)


def _add_replay(commands: Any) -> None:
    def run(**options: Any) -> int:
        from canasta_env import compile as compilation

        compilation.ensure_compiled()
        from canasta_env import replay

        return replay.main(**options)

    summary = "look at a record: what was played, or the table at any time of it"
    parser = commands.add_parser("replay", help=summary, description=summary)
    parser.add_argument("file", type=Path, help="the record")
    parser.add_argument("--deal", type=int, metavar="N", help="only this deal of the match")
    parser.add_argument("--turn", type=int, metavar="N", help="the table where this turn begins")
    parser.add_argument("--seat", type=int, metavar="S", help="as this seat saw it")
    parser.add_argument("--step", action="store_true", help="the table before every action")
    parser.set_defaults(run=run)


def _add_summary(commands: Any) -> None:
    def run(**options: Any) -> int:
        from canasta_env.text import summary

        return summary.main(**options)

    about = "tell the rules on one page, as bots are told them"
    parser = commands.add_parser("summary", help=about, description=about)
    parser.add_argument(
        "rules", nargs="?", default="classic", metavar="RULES", help="as for rules; classic"
    )
    parser.add_argument("--players", type=int, metavar="N", help="left out: the most that can play")
    parser.set_defaults(run=run)


COMMANDS: list[Callable[[Any], None]] = [
    _add_compile, _add_docs, _add_rules, _add_summary, _add_match, _add_replay,
]  # fmt: skip
"""Each adds one command's parser, whose default ``run`` takes the command's options by name."""

if __name__ == "__main__":
    sys.exit(main())

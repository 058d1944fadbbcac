"""The command line of the environment: ``python -m canasta_env COMMAND``, or ``canasta-env
COMMAND``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    parser = argparse.ArgumentParser(prog="canasta_env", description=(__doc__ or "").split(":")[0])
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in COMMANDS:
        add(commands)
    options = vars(parser.parse_args(arguments))
    run: Callable[..., int] = options.pop("run")
    return run(**options)


def _add_compile(commands: Any) -> None:
    from canasta_env import compile as compilation

    summary = "compile the engine into the cache, if it isn't there"
    parser = commands.add_parser("compile", help=summary, description=summary)
    parser.add_argument(
        "--clear", action="store_true", dest="clear_first", help="remove all compiled code first"
    )
    parser.set_defaults(run=compilation.main)


COMMANDS: list[Callable[[Any], None]] = [_add_compile]
"""Each adds one command's parser, whose default ``run`` takes the command's options by name."""

if __name__ == "__main__":
    sys.exit(main())

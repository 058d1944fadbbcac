"""Make the golden playthroughs again, or compare them: ``python -m tests.golden --write``."""

from __future__ import annotations

import argparse
import sys
from itertools import zip_longest

from tests.golden import DEALS, path_of, playthrough


def difference(rules: str, players: int) -> str:
    """The first line that differs from the file; empty if none does."""
    found = playthrough(rules, players).split("\n")
    written = path_of(rules, players).read_text(encoding="utf-8").split("\n")
    for mine, its in zip_longest(found, written):
        if mine != its:
            return f"{mine!r}, but the file has {its!r}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--write", action="store_true", help="make all files again")
    arguments = parser.parse_args()
    wrong = 0
    for rules, players in DEALS:
        path = path_of(rules, players)
        if arguments.write:
            path.write_text(playthrough(rules, players), encoding="utf-8")
            print(f"{path.name} written")
        elif line := difference(rules, players):
            wrong += 1
            print(f"{path.name}: {line}")
    print(f"{len(DEALS) - wrong} playthroughs agree" if not arguments.write else "done")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

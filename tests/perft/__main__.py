"""Count again, or compare with the file: ``python -m tests.perft --write``."""

from __future__ import annotations

import argparse
import sys

from tests import perft

HEADER = """\
# preset players seed score steps: rows of one, two, three … actions (tests/perft/__init__.py)
# made by python -m tests.perft --write
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.perft", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the file again")
    arguments = parser.parse_args()
    written = {} if arguments.write else perft.read()
    lines, wrong = [], 0
    for start in perft.starts():
        counts = perft.counted(start)
        lines.append(f"{start}: {' '.join(map(str, counts))}\n")
        deep = min(len(counts), len(written.get(str(start), counts)))
        if not arguments.write and written.get(str(start), [])[:deep] != counts[:deep]:
            wrong += 1
            print(f"{lines[-1].strip()}, but the file has {written.get(str(start))}")
    if arguments.write:
        perft.PATH.write_text(HEADER + "".join(lines), encoding="utf-8")
    print(f"{len(lines)} starts counted, {wrong} of them differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

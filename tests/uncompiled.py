"""Branch coverage of canasta_env without the compiler: ``python -m tests.uncompiled``.

Compiled code cannot be watched, so a part of the tests runs with ``NUMBA_DISABLE_JIT=1``, where the
kernels are plain Python and a hundred times slower. Which part is written here: whole files, less
the tests that play deals by the hundred; and single tests of files that do little else. A test of
what is here is to be quick in plain Python, and a branch that only other tests reach wants one.

The command prints the files with lines and branches that were not reached, and fails below
``LEAST`` percent.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
LEAST = 95
"""Percent of lines and branches together."""

FILES = (
    "test_rule_rows*.py",
    "test_hard_cases.py",
    "test_rules_text_*.py",
    "test_changed_rules.py",
    "test_czech_turns.py",
    "test_scenarios.py",
    "test_perft.py",
    "test_short_*.py",
    "test_jit_here.py",
    "test_preset_files.py",
    "test_aec_records.py",
    "test_actions.py",
    "test_docs.py",
    "test_events.py",
    "test_game.py",
    "test_notation.py",
    "test_record.py",
    "test_replay.py",
    "test_rules.py",
    "test_rules_command.py",
)
LEFT_OUT = (
    "test_events.py::test_equal_streams_mean_equal_views",
    "test_events.py::test_a_seat_can_keep_its_own_books",
    "test_perft.py::test_the_reference_counts_what_the_file_has",
    "test_record.py::test_a_changed_byte_in_a_record_by_hand_is_refused_or_read_as_written",
    "test_record.py::test_a_game_is_read_back_byte_for_byte",
    "test_record.py::test_a_game_may_be_left_at_any_time",
    "test_record.py::test_a_record_cut_short_is_refused",
    "test_record.py::test_one_changed_byte_is_refused",
)
SINGLE = (
    "test_bots.py::test_basic_answers_by_what_it_would_be_caught_with",
    "test_bots.py::test_basic_completes_a_canasta_with_a_wild_card",
    "test_bots.py::test_basic_does_not_feed_the_next_opponents_melds",
    "test_bots.py::test_basic_goes_out_when_it_can",
    "test_bots.py::test_basic_opens_from_the_third_round_with_the_fewest_wild_cards",
    "test_bots.py::test_basic_takes_a_big_pile_and_leaves_a_small_one",
    "test_bots.py::test_weights_by_name",
    "test_rng.py::test_the_published_vectors",
    "test_rng.py::test_words_that_would_favour_some_numbers_are_rejected",
    "test_views.py::test_a_card_discarded_again_and_again_stays_within_the_bound",
    "test_views.py::test_a_taken_pile_is_remembered_until_it_is_played",
    "test_views.py::test_the_seldom_pieces_too",
    "test_worlds.py::test_a_turn_that_could_not_end_is_refused",
    "test_worlds.py::test_the_cards_of_a_stream_are_drawn_too",
)


def chosen() -> list[str]:
    """The arguments of pytest that choose the tests; the reference is plain Python as it is."""
    folder = Path(__file__).parent
    files = [path.relative_to(ROOT) for name in FILES for path in sorted(folder.glob(name))]
    found = [*map(str, files), *(f"tests/{name}" for name in SINGLE)]
    for name in LEFT_OUT:
        found += ["--deselect", f"tests/{name}"]
    return [*found, "-k", "not reference"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.uncompiled", description=__doc__)
    parser.add_argument("--html", metavar="FOLDER", help="write the lines as pages too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "coverage")
        python = [sys.executable, "-m"]
        variables = {**os.environ, "NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": data}

        def run(*words: str) -> int:
            return subprocess.run(
                [*python, *words], cwd=ROOT, env=variables, check=False
            ).returncode

        failed = run("coverage", "run", "-m", "pytest", "-p", "no:cacheprovider", *chosen())
        if arguments.html:
            run("coverage", "html", "-d", arguments.html)
        low = run("coverage", "report", "--skip-covered", "-m", f"--fail-under={LEAST}")
    return failed or low


if __name__ == "__main__":
    sys.exit(main())

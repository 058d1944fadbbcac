"""The report of a tournament: ``python -m experiments.report FILE.sqlite``.

Writes one HTML file that needs nothing else, and the same as Markdown. Without --html and
--markdown both are written beside FILE. The same file gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from experiments.command import carry_out, check_level
from experiments.report import background, html, markdown, results
from experiments.report.analysis import Analysis, analyse
from experiments.report.arms import find_arms
from experiments.report.blocks import Block, Document
from experiments.report.database import Tournament, load
from experiments.report.gains import gains_of

__all__ = ["document", "main"]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = argparse.ArgumentParser(prog="python -m experiments.report", description=__doc__)
    parse.add_argument("file", type=Path, metavar="FILE", help="a tournament's database")
    parse.add_argument("--html", type=Path, metavar="OUT", help="write the HTML here")
    parse.add_argument("--markdown", type=Path, metavar="OUT", help="write the Markdown here")
    parse.add_argument(
        "--shared", type=Path, metavar="OTHER",
        help="the same tournament played with --stock shared: shows what streams gained",
    )  # fmt: skip
    parse.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parse.add_argument("--force", action="store_true", help="overwrite what is there")
    return parse


def document(file: Path, shared: Path | None, level: float) -> Document:
    """The report of a file, before it is HTML or Markdown.

    Raises:
        FileNotFoundError, ValueError: one clear line.
    """
    check_level(level)
    tournament = load(file)
    other = load(shared) if shared else None
    analysis = analyse(tournament, level)
    files = [path.name for path in (file, shared) if path]
    return Document(_title(tournament), _lead(analysis), _blocks(analysis, other, files))


def _blocks(analysis: Analysis, other: Tournament | None, files: Sequence[str]) -> list[Block]:
    tournament, level = analysis.tournament, analysis.level
    gains = gains_of(tournament, other, level)
    return [
        *results.pairings(analysis),
        *results.arms(find_arms(tournament, analysis.rows, level), analysis),
        *results.matrix(analysis),
        *results.ratings(analysis),
        *results.convergence(analysis),
        *background.behaviour(analysis),
        *background.gains(gains, tournament, level, other is not None),
        *background.failures(analysis),
        *background.settings(tournament, level, files),
    ]


def _title(tournament: Tournament) -> str:
    return f"Tournament: {tournament.settings['rules']}, {tournament.settings['players']} players"


def _lead(analysis: Analysis) -> str:
    units = sum(row.points.units for row in analysis.rows)
    failed = len(analysis.tournament.failures)
    return (
        f"{len(analysis.teams)} teams, {len(analysis.rows)} pairings, {units:,} units that count, "
        f"failed games: {failed}, seed {analysis.tournament.settings['seed']}."
    )


def _outputs(options: argparse.Namespace) -> dict[Path, str]:
    """Which file gets which form; raises OSError where one could not be written."""
    wanted = {"html": options.html, "markdown": options.markdown}
    if not any(wanted.values()):
        wanted = {"html": options.file.with_suffix(".html")}
        wanted["markdown"] = options.file.with_suffix(".md")
    outputs = {path: form for form, path in wanted.items() if path}
    for path in outputs:
        if path.exists() and not options.force:
            raise FileExistsError(f"{path} exists; --force overwrites it")
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: there is no folder {path.parent}")
    return outputs


def _write(path: Path, text: str) -> None:
    """Writes the file whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def run(options: argparse.Namespace) -> None:
    """Reads, computes and writes; raises ValueError or OSError with one clear line."""
    outputs = _outputs(options)
    found = document(options.file, options.shared, options.level)
    render = {"html": html.render, "markdown": markdown.render}
    for path, form in outputs.items():
        _write(path, render[form](found))
        print(f"wrote {path}")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command; the exit status."""
    options = parser().parse_args(arguments)
    return carry_out("experiments.report", partial(run, options))


if __name__ == "__main__":
    sys.exit(main())

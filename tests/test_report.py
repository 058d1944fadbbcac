"""The report of a tournament: its numbers are those of the rows, its file needs nothing else."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from experiments import stats
from experiments.report import __main__ as report
from experiments.report import html, markdown
from experiments.report.blocks import Document, Section, Table, Text
from tests.tournament_files import SKILLS, change, write_tournament

LEARNERS = {"one": 200.0, "two": 260.0, "three": 230.0}
ARMS = {name: ("ppo", str(place)) for place, name in enumerate(LEARNERS)}
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Reads a page: its tables under their headings, its text, and what it refers to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.section, self.words = "", ""
        self.tables: dict[str, list[list[list[str]]]] = {}
        self.tags: set[str] = set()
        self.links: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value or "" for name, value in attributes if name in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.setdefault(self.section, []).append([])
        elif tag == "tr":
            self.tables[self.section][-1].append([])
        elif tag in ("td", "th"):
            self.tables[self.section][-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, "tags are nested"

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            return
        self.words += data
        if self.open and self.open[-1] == "h2":
            self.section = data
        if self.open and self.open[-1] in ("td", "th"):
            self.tables[self.section][-1][-1][-1] += data


def markdown_tables(text: str) -> dict[str, list[list[list[str]]]]:
    """The tables of a Markdown text under their headings, without the line below the head."""
    found: dict[str, list[list[list[str]]]] = {}
    section, before = "", ""
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("|") and not line.startswith("| ---"):
            if not before.startswith("|"):
                found.setdefault(section, []).append([])
            cells = re.split(r"(?<!\\) \| ", line[2:-2])
            found[section][-1].append([cell.replace("\\|", "|").strip() for cell in cells])
        before = line
    return found


def make(path: Path, *options: str) -> tuple[Page, str]:
    """The report of a file as HTML and as Markdown."""
    assert report.main([str(path), *options]) == 0
    text = path.with_suffix(".html").read_text(encoding="utf-8")
    return Page(text), path.with_suffix(".md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "cup.sqlite"
    return write_tournament(path, skills=SKILLS | LEARNERS, arms=ARMS, units=40)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Quickly reported on."""
    return write_tournament(tmp_path_factory.mktemp("small") / "cup.sqlite", units=5)


@pytest.fixture(scope="module")
def made(file: Path) -> tuple[Page, str]:
    return make(file)


def leads(path: Path, team_a: str, team_b: str) -> np.ndarray:
    """A's leads (units, tables), straight from the rows."""
    query = """SELECT lead FROM games JOIN pairings USING (pairing)
        WHERE team_a = ? AND team_b = ? ORDER BY unit, side_a"""
    with closing(sqlite3.connect(path)) as rows:
        found = rows.execute(query, (team_a, team_b)).fetchall()
    return np.array(found).reshape(-1, 2)


class TestPage:
    def test_it_is_whole_html(self, made: tuple[Page, str]) -> None:
        page, _ = made
        assert not page.open
        assert {"html", "head", "title", "style", "body", "h1", "table", "svg"} <= page.tags

    def test_it_needs_nothing_else(self, file: Path, made: tuple[Page, str]) -> None:
        page, _ = made
        text = file.with_suffix(".html").read_text(encoding="utf-8")
        assert not re.search(r"https?:|//|@import|url\(", text)
        assert not page.tags & {"script", "link", "img", "iframe", "object"}
        assert all(link.startswith("#") for link in page.links)

    def test_every_link_has_its_place(self, file: Path, made: tuple[Page, str]) -> None:
        text = file.with_suffix(".html").read_text(encoding="utf-8")
        assert made[0].links
        assert not [link for link in made[0].links if f'id="{link[1:]}"' not in text]

    def test_all_parts_are_there(self, made: tuple[Page, str]) -> None:
        page, text = made
        headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert headings == [
            "Pairings", "Training seeds", "Matrix", "Ratings", "Convergence", "Behaviour", "Gains",
            "Failures", "Settings",
        ]  # fmt: skip
        assert all(heading in page.words for heading in headings)

    def test_both_forms_have_the_same_tables(self, made: tuple[Page, str]) -> None:
        """But for those that stand for plots."""
        page, other = made[0].tables, markdown_tables(made[1])
        for section in ("Matrix", "Convergence"):
            assert section not in page
            other.pop(section)
        assert page == other

    def test_the_same_file_gives_the_same_bytes(self, tmp_path: Path) -> None:
        path = write_tournament(tmp_path / "cup.sqlite", units=30)
        before = make(path)[1], path.with_suffix(".html").read_bytes()
        assert (make(path, "--force")[1], path.with_suffix(".html").read_bytes()) == before

    def test_names_are_escaped(self) -> None:
        blocks = [Section("<i>"), Text("<b> & c"), Table(["<x>"], [["a|b\nc"]])]
        found = Document("<t>", "<l>", blocks)
        page = Page(html.render(found))
        assert not page.tags & {"i", "b", "x", "t", "l"}
        assert "<b> & c" in page.words
        assert "| a\\|b c |" in markdown.render(found)


class TestNumbers:
    def test_pairings_are_those_of_the_rows(self, file: Path, made: tuple[Page, str]) -> None:
        _, *rows = made[0].tables["Pairings"][0]
        assert len(rows) == 15
        found = {(a, b): stats.summarise(leads(file, a, b).mean(1), seed=5) for a, b, *_ in rows}
        adjusted = stats.holm([summary.p_value for summary in found.values()])
        for row, summary, p_value in zip(rows, found.values(), adjusted, strict=True):
            ends = f"[{summary.interval.low:+.1f}, {summary.interval.high:+.1f}]"
            assert row[2:5] == ["40", f"{summary.mean:+.1f}", ends]
            assert row[5:8] == [
                f"{summary.deviation:.0f}", f"{summary.p_value:.4f}", f"{p_value:.4f}"
            ]  # fmt: skip
            wins = (np.sign(leads(file, row[0], row[1])) + 1.0) / 2.0
            assert row[8] == f"{100 * wins.mean():.1f}"

    def test_arms_are_students_over_seeds(self, file: Path, made: tuple[Page, str]) -> None:
        arms, seeds = made[0].tables["Training seeds"]
        units = {seed: -leads(file, "basic", name).mean(1) for name, (_, seed) in ARMS.items()}
        whole = stats.arm(units, seed=5)
        ends = f"[{whole.interval.low:+.1f}, {whole.interval.high:+.1f}]"
        assert ["ppo", "basic", "3", f"{whole.mean:+.1f}", ends] in arms
        shown = {row[2]: row[4] for row in seeds if row[1] == "basic"}
        assert shown == {seed: f"{one.mean():+.1f}" for seed, one in units.items()}

    def test_the_matrix_is_antisymmetric(self, file: Path, made: tuple[Page, str]) -> None:
        head, *rows = markdown_tables(made[1])["Matrix"][0]
        assert len(rows) == len(head) - 1 == 6
        cells = [[float(cell.rstrip("*") or 0) for cell in row[1:]] for row in rows]
        assert (np.array(cells) == -np.array(cells).T).all()
        names = [row[0].split()[1] for row in rows]
        first, last = names.index("basic"), names.index("random")
        assert cells[first][last] == round(leads(file, "basic", "random").mean())

    def test_ratings_order_the_teams(self, made: tuple[Page, str]) -> None:
        teams, members = made[0].tables["Ratings"]
        assert [row[0] for row in teams[1:]][-3:] == ["basic", "greedy", "random"]
        assert {row[0] for row in members[1:]} == {*SKILLS, *LEARNERS}
        assert sum(float(row[1]) for row in teams[1:]) == pytest.approx(0.0, abs=3.0)

    def test_behaviour_is_that_of_the_counts(self, file: Path, made: tuple[Page, str]) -> None:
        head, *rows = made[0].tables["Behaviour"][0]
        takes = {row[0]: row[head.index("takes of the pile a deal")] for row in rows}
        query = """SELECT 1.0 * sum(CASE team_a WHEN ?1 THEN a_takes ELSE b_takes END) / count(*)
            FROM games JOIN pairings USING (pairing) WHERE ?1 IN (team_a, team_b)"""
        with closing(sqlite3.connect(file)) as counts:
            for name, shown in takes.items():
                assert shown == f"{counts.execute(query, (name,)).fetchone()[0]:.2f}"

    def test_gains_are_measured(self, file: Path, made: tuple[Page, str]) -> None:
        row = made[0].tables["Gains"][0][1]
        assert row[:2] == ["basic", "greedy"]
        assert row[2] == f"{stats.duplicate_gain(leads(file, 'basic', 'greedy')):.2f}"
        assert row[4:6] == ["–", "–"]
        assert float(row[6]) > 1.5
        assert "--shared" in made[1]

    def test_settings_are_there(self, made: tuple[Page, str]) -> None:
        agents, settings = made[0].tables["Settings"]
        assert ["one", "00000003", "ppo", "0"] in agents
        assert ["actions_hash", "a1b2"] in settings
        assert ["versions", "numpy 2"] in settings
        assert ["seed", "5"] in settings


class TestCases:
    def test_streams_are_compared_with_a_shared_stock(self, tmp_path: Path) -> None:
        streams = write_tournament(tmp_path / "a.sqlite")
        shared = write_tournament(tmp_path / "b.sqlite", units=50, settings={"stock": "shared"})
        page, text = make(streams, "--shared", str(shared))
        units = [leads(path, "basic", "greedy").mean(1) for path in (shared, streams)]
        ratio = units[0].var(ddof=1) / units[1].var(ddof=1)
        assert page.tables["Gains"][0][1][4] == f"{ratio:.2f}"
        assert "Streams were not measured" not in text

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"stock": "seat_streams"}, "'seat_streams' and 'seat_streams'"),
            ({"stock": "shared", "rules": "samba"}, "rules 'samba', not 'classic'"),
        ],
    )
    def test_what_cannot_be_compared_is_refused(
        self,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        settings: dict[str, str],
        message: str,
    ) -> None:
        streams = write_tournament(tmp_path / "a.sqlite", units=3)
        shared = write_tournament(tmp_path / "b.sqlite", units=3, settings=settings)
        assert report.main([str(streams), "--shared", str(shared)]) == 2
        assert message in capsys.readouterr().err

    def test_a_failed_game_takes_its_unit_out(self, tmp_path: Path) -> None:
        path = write_tournament(tmp_path / "a.sqlite", units=40)
        status = "illegal action of greedy: <draw>"
        where = "WHERE pairing = 0 AND unit = 7 AND side_a = 1"
        change(path, f"UPDATE games SET status = ?, lead = NULL, luck = NULL {where}", status)
        page, text = make(path)
        row = page.tables["Pairings"][0][1]
        expected = np.delete(leads(path, "basic", "greedy"), 7, axis=0).astype(float).mean()
        assert (row[2], row[3], row[-1]) == ("39", f"{expected:+.1f}", "1")
        assert page.tables["Failures"][0][1] == ["basic", "greedy", status, "7", "1", "1007"]
        assert status in text

    def test_a_pairing_that_only_failed_is_in_no_table(self, tmp_path: Path) -> None:
        path = write_tournament(tmp_path / "a.sqlite", units=5)
        change(path, "UPDATE games SET status = 'greedy raised' WHERE pairing = 0")
        page, text = make(path)
        assert len(page.tables["Pairings"][0]) == 3
        assert "No unit of basic – greedy counts" in text

    def test_circles_are_named(self, tmp_path: Path) -> None:
        path = write_tournament(tmp_path / "a.sqlite", skills=dict.fromkeys("abc", 0.0), units=60)
        for pairing, lead in enumerate((300, -300, 300)):  # a beats b, c beats a, b beats c
            change(path, "UPDATE games SET lead = lead + ? WHERE pairing = ?", lead, pairing)
        assert "Results go round, each step beyond chance: " in make(path)[1]

    def test_no_circle_without_one(self, made: tuple[Page, str]) -> None:
        assert "Results go round" not in made[1]

    def test_teams_of_two(self, tmp_path: Path) -> None:
        path = write_tournament(tmp_path / "a.sqlite", pairings=[("basic+greedy", "random")])
        page, _ = make(path)
        assert {row[0] for row in page.tables["Ratings"][1][1:]} == {"basic", "greedy", "random"}

    def test_arms_against_each_other(self, tmp_path: Path) -> None:
        arms = {"a": ("x", "1"), "b": ("x", "2"), "c": ("y", "1"), "d": ("y", "2")}
        skills = {"a": 0.0, "b": 50.0, "c": 100.0, "d": 150.0, "basic": 0.0}
        path = write_tournament(tmp_path / "a.sqlite", skills=skills, arms=arms, units=30)
        page, text = make(path)
        grid = page.tables["Training seeds"][3]
        assert grid[1][0] == "1"
        assert grid[1][2] == f"{leads(path, 'a', 'd').mean():+.1f}"
        comparison = page.tables["Training seeds"][2][1]
        assert comparison[:3] == ["x", "y", "basic"]
        assert "x (rows, by seed) against y (columns)" in text

    def test_a_field_of_three_sides(self, tmp_path: Path) -> None:
        """A alone against two B's: nothing is turned round, and contradictions are no circle."""
        pairings = [("a", "b"), ("b", "a")]
        settings = {"sides": 3, "players": 3}
        skills = {"a": 0.0, "b": 0.0}
        path = write_tournament(
            tmp_path / "a.sqlite", skills=skills, pairings=pairings, settings=settings
        )
        with closing(sqlite3.connect(path)) as rows, rows:
            rows.execute("CREATE TEMP TABLE third AS SELECT * FROM games WHERE side_a = 1")
            rows.execute("UPDATE third SET side_a = 2")
            rows.execute("INSERT INTO games SELECT * FROM third")
            rows.execute("UPDATE games SET lead = lead + 500")
        _, text = make(path)
        (_, first, second), *_ = markdown_tables(text)["Matrix"]
        assert float(first[2].rstrip("*")) > 300.0
        assert float(second[1].rstrip("*")) > 300.0
        assert "Circles: none" in text
        assert "more than two sides" in text

    def test_few_units_and_no_luck(self, tmp_path: Path) -> None:
        path = write_tournament(tmp_path / "a.sqlite", units=1, luck=False)
        page, text = make(path)
        row = page.tables["Pairings"][0][1]
        assert (row[4], row[9]) == ("[-∞, ∞]", "[0.0, 100.0]")
        assert "kept no luck" in text

    def test_pairings_without_a_common_scale(self, tmp_path: Path) -> None:
        skills = dict.fromkeys("abcd", 0.0)
        pairings = [("a", "b"), ("c", "d")]
        path = write_tournament(tmp_path / "a.sqlite", skills=skills, pairings=pairings)
        assert "No Bradley-Terry ratings: no chain of results" in make(path)[1]


class TestCommand:
    def test_outputs_are_chosen(self, small: Path, tmp_path: Path) -> None:
        assert report.main([str(small), "--markdown", str(tmp_path / "x.md")]) == 0
        assert [path.name for path in tmp_path.iterdir()] == ["x.md"]

    def test_what_exists_is_kept(
        self, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "x.md"
        path.write_text("mine")
        assert report.main([str(small), "--markdown", str(path)]) == 2
        assert path.read_text() == "mine"
        assert "--force" in capsys.readouterr().err
        assert report.main([str(small), "--markdown", str(path), "--force"]) == 0
        assert path.read_text().startswith("# Tournament")

    def test_the_file_is_not_written_to(self, small: Path, tmp_path: Path) -> None:
        before = small.read_bytes()
        assert report.main([str(small), "--markdown", str(tmp_path / "x.md")]) == 0
        assert small.read_bytes() == before
        assert not [path for path in small.parent.iterdir() if "sqlite-" in path.name]

    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            ("DELETE FROM meta WHERE key = 'format'", "its format is None"),
            ("UPDATE meta SET value = 'canasta match 1' WHERE key = 'format'", "its format is"),
            ("UPDATE meta SET value = '{' WHERE key = 'settings'", "or damaged"),
            ("UPDATE meta SET value = '{}' WHERE key = 'settings'", "its settings lack 'rules'"),
            ("DROP TABLE games", "no such table: games"),
            ("ALTER TABLE games RENAME COLUMN a_takes TO c", "no such column: a_takes"),
            ("UPDATE games SET lead = 'x' WHERE unit = 1", "or damaged"),
            ("UPDATE games SET lead = NULL WHERE unit = 1", "a lead of basic against greedy"),
            ("UPDATE games SET luck = '[1]'", "1 control variates of a game, and 2 names"),
            ("UPDATE games SET side_a = side_a + 7", "not one of each side"),
            ("DELETE FROM games", "no unit of the tournament was played to the end"),
        ],
    )
    def test_foreign_and_damaged_files_are_one_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], statement: str, message: str
    ) -> None:
        path = change(write_tournament(tmp_path / "a.sqlite", units=3), statement)
        assert report.main([str(path)]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
        assert [one.name for one in tmp_path.iterdir()] == ["a.sqlite"]

    @pytest.mark.parametrize("content", [b"", b"not a database" * 100, json.dumps({}).encode()])
    def test_other_files_are_one_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes
    ) -> None:
        path = tmp_path / "a.sqlite"
        path.write_bytes(content)
        assert report.main([str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1

    def test_a_torn_file_is_one_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = write_tournament(tmp_path / "a.sqlite")
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        assert report.main([str(path)]) == 2
        assert capsys.readouterr().err.count("\n") == 1

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--level", "95"], "--level 95.0 is not between 0 and 1"),
            (["--html", "no/such/folder.html"], "no folder"),
            (["--shared", "missing.sqlite"], "no such file"),
        ],
    )
    def test_bad_options_are_one_line(
        self, small: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
    ) -> None:
        assert report.main([str(small), "--force", *options]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1

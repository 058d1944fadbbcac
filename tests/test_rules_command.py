"""``python -m canasta_env rules``: what it shows, and the notes that it takes from the presets."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from canasta_env.__main__ import main
from canasta_env.rules import Rules, field_specs, preset_names
from canasta_env.rules_notes import preset_notes, read_notes
from canasta_env.rules_show import differences, rules_page, values

REPOSITORY = Path(__file__).resolve().parent.parent
FIELDS = [name for name in field_specs() if name != "name"]


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["rules", *arguments]) == 0
    return capsys.readouterr().out


def test_all_presets_and_fields_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys)
    lines = text.splitlines()
    for name in preset_names():
        assert any(line.startswith(f"{name}  (players: ") for line in lines)
        assert preset_notes(name).about.split(":")[0] in text
    flat = " ".join(text.split())
    for name in FIELDS:
        assert name in lines
        spec = field_specs()[name]
        assert spec.row in flat and spec.meaning in flat and spec.allowed in flat
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_shows_what_differs_and_its_notes(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    flat = " ".join(shown(capsys, name).split())
    rules, notes = Rules.preset(name), preset_notes(name)
    changed = FIELDS if name == "classic" else list(differences(rules))
    for field in FIELDS:
        assert (f" {field} = {values(rules)[field]} " in f"{flat} ") == (field in changed)
    for note in (notes.about, *notes.fields.values(), *notes.readings):
        assert note in flat


def test_a_preset_is_classic_with_its_differences() -> None:
    for name in preset_names():
        rules = Rules.preset(name)
        text = ", ".join(f"{field}={value}" for field, value in differences(rules).items())
        again = Rules.parse(f"classic({text})")
        assert [getattr(again, f) for f in FIELDS] == [getattr(rules, f) for f in FIELDS]


def test_rules_with_changes_keep_the_notes_that_still_hold(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = shown(capsys, "russian(rounding=none, target=3000)")
    assert "target = 3000" in text
    assert "rounding = " not in text and "halves up" not in text
    assert "stock_end = free" in text and "nobody must" in text


@pytest.mark.parametrize(
    "given", ["czeck", "classic(targett=3)", "classic(", "", "classic(target=x)"]
)
def test_unknown_rules_are_one_line(capsys: pytest.CaptureFixture[str], given: str) -> None:
    assert main(["rules", given]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1 and err.startswith("canasta_env rules: ")


def test_every_comment_of_a_preset_is_a_note() -> None:
    """What a comment says is found again, and at a field whose value the preset names."""
    for name in preset_names():
        file = resources.files("canasta_env") / "presets" / f"{name}.toml"
        text, notes = file.read_text(encoding="utf-8"), preset_notes(name)
        assert notes.about
        found = " ".join((notes.about, *notes.fields.values(), *notes.readings))
        for comment in re.findall(r"# (?:Reading: )?(.+)", text):
            assert comment in found or comment.startswith("Every field of Rules"), comment
        for field in notes.fields:
            assert re.search(rf"^{field} = |^\[{field}\]", text, re.MULTILINE), field


def test_notes_are_read_from_comments() -> None:
    notes = read_notes(
        "# What it is: a game\n# of two lines.\n\n# About the file.\n\ntarget = 3  # because\n"
        "# Reading: one thing\n# holds.\n# Reading: another.\n"
        'tie = "draw"  # "#" stands here\n# why\nasking = false\nunknown = 1  # nobody asks\n'
    )
    assert notes.about == "What it is: a game of two lines."
    assert notes.fields == {"target": "because", "tie": '"#" stands here', "asking": "why"}
    assert notes.readings == ("one thing holds.", "another.")


def test_the_page_names_every_field_and_every_difference() -> None:
    page = rules_page("")
    for name in FIELDS:
        assert f"| `{name}` | " in page
    for name in preset_names():
        for field, value in differences(Rules.preset(name)).items():
            assert re.search(rf"^\| `{field}` \|.*`{re.escape(value)}`", page, re.MULTILINE)


def test_a_reader_that_leaves_early_sees_no_traceback() -> None:
    command = f"{sys.executable} -m canasta_env rules | head -n 1"
    done = subprocess.run(
        command, shell=True, cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert done.stdout == "PRESETS\n" and done.stderr == ""

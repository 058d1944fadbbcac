"""A preset's file that cannot be is refused with its name and the line."""

from __future__ import annotations

import random
import re
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from canasta_env import rules_read
from canasta_env.rules import Rules, RulesError, preset_names

REAL = Path(str(resources.files("canasta_env"))) / "presets"


@pytest.fixture
def presets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with copies of the presets, which are read instead of them."""
    folder = tmp_path / "presets"
    folder.mkdir()
    for file in REAL.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    fake = SimpleNamespace(files=lambda _: tmp_path)
    monkeypatch.setattr(rules_read, "resources", fake)
    return folder


def load(name: str) -> Rules:
    return Rules(name=name, **rules_read.load_preset(name))


def test_the_presets_are_read(presets: Path) -> None:
    for name in preset_names():
        assert load(name) == Rules.preset(name)
        text = (presets / f"{name}.toml").read_text(encoding="utf-8")
        (presets / f"{name}.toml").write_bytes(text.replace("\n", "\r\n").encode())
        assert load(name) == Rules.preset(name)


WRONG: list[tuple[str, str, str, str]] = [
    ("russian", r"\A", "targett = 3\n", "russian.toml, line 1: targett: .* mean target"),
    ("russian", r"\A", "\n[[asking]]\n", "russian.toml, line 2: asking: .* is not allowed"),
    ("russian", r"\A", "name = 'classic'\n", "russian.toml, line 1: name: .* no such field"),
    ("russian", r"\A", "hand = '11'\n", "russian.toml, line 1: hand: '11' is not allowed"),
    ("russian", r"\A", "hand = 1979-05-27\n", "russian.toml, line 1: hand: .* is not allowed"),
    ("russian", r"\A", "hand = inf\n", "russian.toml, line 1: hand: inf is not allowed"),
    ("russian", r"\A", "asking = 1\n", "russian.toml, line 1: asking: 1 is not allowed"),
    ("russian", r"\A", "\n\ntie = 'maybe'\n", "russian.toml, line 3: tie: 'maybe' is not"),
    ("russian", r"\A", "hand = { 2 = 15 }\n", "russian.toml, line 1: hand: .* no value for"),
    ("russian", r"\A", "hand.x = 15\n", "russian.toml, line 1: hand: .* is not allowed"),
    ("russian", r"\A", "always_pair = true\n", "toml, line .*: take_.*True contradicts always"),
    ("russian", r"\A", "hand = = 3\n", r"russian.toml: not TOML: .*line 1, column 8"),
    ("russian", r"\A", "asking = false\nasking = true\n", "russian.toml: not TOML: .*line 2"),
    ("russian", r"\A", "hand = " + "9" * 5000 + "\n", "russian.toml: not TOML"),
    ("russian", r"\A", "hand = " + "[" * 5000 + "\n", "russian.toml: not TOML"),
    ("classic", r"(?m)^asking.*\n", "", r"classic.toml: asking: is missing; classic has ev"),
    ("classic", r"(?ms)^\[minimums\].*?\n\n", "", "classic.toml: minimums: is missing"),
    ("classic", r"(?m)^tie = .*", "tie = 3", r"classic.toml, line \d+: tie: 3 is not allowed"),
    ("classic", r"(?s).*", "", "classic.toml: there is no field in it"),
    ("latvian", r"(?s).*", "# nothing\n", "latvian.toml: there is no field in it"),
    ("latvian", r"(?s).*", "\0", "latvian.toml: not TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "pattern", "change", "message"), WRONG)
def test_what_is_wrong_is_named(
    presets: Path, name: str, pattern: str, change: str, message: str
) -> None:
    file = presets / f"{name}.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(pattern, lambda _: change, text, count=1), encoding="utf-8")
    with pytest.raises(RulesError, match=message) as caught:
        load(name)
    assert len(str(caught.value)) < 8000 and "\n" not in str(caught.value)


def test_text_that_is_not_utf8(presets: Path) -> None:
    file = presets / "russian.toml"
    file.write_bytes(b"asking = true\n# \xff\n" + file.read_bytes())
    with pytest.raises(RulesError, match=r"^russian\.toml, line 2: not text in UTF-8$"):
        load("russian")


def test_a_file_that_cannot_be_read(presets: Path) -> None:
    (presets / "russian.toml").unlink()
    (presets / "russian.toml").mkdir()
    with pytest.raises(RulesError, match=r"^russian\.toml: "):
        load("russian")


def test_a_changed_byte_is_refused_or_means_other_rules(presets: Path) -> None:
    rng = random.Random(0)
    for name in preset_names():
        file = presets / f"{name}.toml"
        before = file.read_bytes()
        for _ in range(120):
            at = rng.randrange(len(before))
            byte = rng.choice([rng.randrange(256), *b"0123456789=[]{}\"'#.,\n\r "])
            file.write_bytes(before[:at] + bytes([byte]) + before[at + 1 :])
            try:
                rules: Any = load(name)
            except RulesError as error:
                assert re.match(r"(classic|" + name + r")\.toml(, line \d+)?: ", str(error))
                continue
            assert Rules.from_mapping(rules.to_mapping()) == rules
        file.write_bytes(before)

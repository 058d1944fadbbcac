"""The examples of the README run as they stand (those of other pages: test_examples.py), and its
commands name modules and targets that there are."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = EXAMPLE.findall(README)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("code", EXAMPLES, ids=lambda code: code.split("\n", 1)[0])
def test_example(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})


@pytest.mark.parametrize("module", sorted(set(re.findall(r"python -m ([\w.]+)", README))))
def test_a_command_names_a_module(module: str) -> None:
    assert find_spec(module) is not None


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`?make ([a-z-]+)", README))))
def test_a_command_names_a_target(target: str) -> None:
    assert target in TARGETS

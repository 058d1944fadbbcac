"""The examples of the README and of the page about environments run as they stand, and the README's
commands name modules and targets there are."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ENVIRONMENTS = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXAMPLES = EXAMPLE.findall(README)
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("code", EXAMPLES, ids=lambda code: code.split("\n", 1)[0])
def test_example(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})


def test_the_examples_of_the_environments_in_their_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "environments"}
    codes = EXAMPLE.findall(ENVIRONMENTS)
    assert len(codes) >= 6
    for code in codes:
        exec(compile(code, "environments.md", "exec"), names)


@pytest.mark.parametrize("module", sorted(set(re.findall(r"python -m ([\w.]+)", README))))
def test_a_command_names_a_module(module: str) -> None:
    assert find_spec(module) is not None


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`?make ([a-z-]+)", README))))
def test_a_command_names_a_target(target: str) -> None:
    assert target in TARGETS

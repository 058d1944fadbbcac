"""The commands of outside frameworks: what they say without the framework, and of bad input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from train import rllib, torchrl_ppo

COMMANDS = [(rllib, "rllib"), (torchrl_ppo, "torchrl_ppo")]
NEEDS = {"rllib": ("ray", "rllib"), "torchrl_ppo": ("tensordict", "torchrl")}
"""The first package that each imports, and the extra that brings it."""


@pytest.mark.parametrize(("command", "name"), COMMANDS)
def test_without_its_framework(
    command: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package, extra = NEEDS[name]
    for module in [m for m in sys.modules if m.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)  # importing it fails, installed or not
    for home in ("rllib_trainer", "rllib_runner", "rllib_module", "torchrl_run"):
        monkeypatch.delitem(sys.modules, f"train.{home}", raising=False)
    with pytest.raises(SystemExit) as stopped:
        command.main(["--run", str(tmp_path / "run"), "--eval-every", "0"])
    told = f"{package} is not installed; pip install -e '.[{extra}]' brings all it needs"
    assert stopped.value.code == f"train.{name}: {told}"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("command", "name"), COMMANDS)
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--epochs", "0"], "--epochs 0 is not possible; 1 or more"),
        (["--eval-opponent", "basik"], "did you mean basic"),
        (["--resume", "nowhere"], "nowhere: no such file or folder"),
    ],
)
def test_bad_input_is_one_line(
    command: Any, name: str, given: list[str], told: str, tmp_path: Path
) -> None:
    with pytest.raises(SystemExit) as stopped:
        command.main(["--run", str(tmp_path / "run"), *given])
    message = str(stopped.value.code)
    assert message.startswith(f"train.{name}: ")
    assert told in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--env-runners", "-1"], "--env-runners -1 is not possible; 0 or more"),
        (["--num-games", "2", "--rollout", "4"], "--minibatch 1024 is more than the 8 moves"),
    ],
)
def test_bad_input_to_rllib(given: list[str], told: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=told):
        rllib.main(["--run", str(tmp_path / "run"), *given])

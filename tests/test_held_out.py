"""Agents that a training may not meet: under which names they are found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.scripted import GuessingBatch
from tests.test_ppo import SMALL
from train import ppo
from train.held_out import are_one, keep_apart, met, met_by


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs; the second has a copy of the first one's network among its checkpoints."""
    folder = tmp_path_factory.mktemp("held")
    one = ppo.Trainer(SMALL, GuessingBatch())
    for name in ("all/a/last", "all/a/at-00000000", "b/at-00000100", "c"):
        one.save(folder / name)
    other = ppo.Trainer(replace(SMALL, seed=2, pool=("basic=0.5",)), GuessingBatch())
    other.save(folder / "b/last")
    return folder


@pytest.mark.parametrize(
    ("held", "name", "same"),
    [
        ("basic", "basic", True),
        ("basic", "basic(keep_joker=100)", True),
        ("basic(keep_joker=100)", "basic", True),
        ("basic", "expert", False),
        ("champion", "champion@0.5", True),
        ("{}/all/a", "{}/all/a@1", True),
        ("{}/all/a", "{}/all/a/at-00000000@0.5", True),
        ("{}/all/a/last", "{}/all/a/at-00000000", True),
        ("{}/all", "{}/all/a", True),
        ("{}/all/a", "{}/b", False),
        ("{}/all/a", "{}/b/at-00000100", True),  # the same network
        ("{}/c", "{}/all/a", True),
        ("{}/b/last", "{}/all/a", False),
        ("{}/all/a", "basic", False),
    ],
)
def test_who_is_the_same_agent(folder: Path, held: str, name: str, same: bool) -> None:
    assert are_one(held.format(folder), name.format(folder)) == same


def test_everybody_that_a_run_meets(folder: Path) -> None:
    settings = {
        "pool": ["basic=0.5", "past=0.1"], "partners": ("runs/a=b=0.5",), "members": ("c", "d@1"),
        "diversity_from": ("e",), "start": "",
    }  # fmt: skip
    assert met(settings) == ["basic", "past", "runs/a=b", "c", "d@1", "e"]
    assert met({"teacher": "", "records": "", "others": ("greedy",)}) == ["greedy", "basic"]
    assert met({"teacher": "", "records": "games"}) == []
    start = str(folder / "b")
    assert met({"start": start}) == [start, "basic"]  # what that run met is in its weights
    assert met_by(f"{start}@1") == ["basic"] and met_by("basic") == met_by("nowhere") == []


def test_what_is_held_out_is_refused_in_one_line(folder: Path) -> None:
    path = str(folder / "all/a")
    for args, says in (
        ({"pool": ("basic=0.5",), "held_out": ("closer", "basic")}, "--held-out basic: the"),
        ({"partners": (f"{path}@1=0.5",), "held_out": (path,)}, f"meets it as {path}@1;"),
        ({"start": path, "held_out": (str(folder / "c"),)}, f"meets it as {path};"),
        ({"held_out": ("basik",)}, "--held-out basik: no such agent"),
    ):
        with pytest.raises(ValueError, match="--held-out") as refused:
            ppo.Trainer(replace(SMALL, **args), GuessingBatch())  # type: ignore[arg-type]
        assert says in str(refused.value) and "\n" not in str(refused.value)


def test_others_may_be_met(folder: Path) -> None:
    keep_apart(("basic", str(folder / "all")), ("expert", str(folder / "b"), "past"))
    args = replace(SMALL, pool=("random=0.5",), held_out=("basic", str(folder / "b")))
    assert ppo.Trainer(args, GuessingBatch()).args.held_out == ("basic", str(folder / "b"))

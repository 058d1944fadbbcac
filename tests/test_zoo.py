"""The zoo: what is read, what is refused, and what training may not meet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from agents.shipped import shipped
from canasta_env.bots import styles
from experiments import zoo as module
from experiments.zoo import Game, Zoo, ZooError, load, main, page
from train import seeds

DOCS = Path(__file__).resolve().parent.parent / "docs"
MINI, CLASSIC = Game.parse("mini-4p"), Game.parse("classic-4p")

MEMBER = '[[member]]\nname = "basic"\nrole = "train"\nwhat = "plain"\n'
RECIPE = """[[recipe]]
name = "small"
what = "small runs"
game = "mini-4p"
trainer = "ppo"
run = "runs/small"
train_seeds = [1]
held_out_seeds = [2]
deals = 100
keep_every = 50
marks = [50]
settings = "--threads 1"
"""


@pytest.fixture(scope="module")
def zoo() -> Zoo:
    return load()


def written(path: Path, text: str) -> Path:
    file = path / "zoo.toml"
    file.write_text(text)
    return file


# --- the zoo that is there ----------------------------------------------------------------------


def test_every_rule_bot_and_champion_is_in_the_zoo(zoo: Zoo) -> None:
    names = [member.name for member in zoo.members]
    assert not [name for name in (*styles.NAMES, "champion") if name not in names]
    champion = next(member for member in zoo.members if member.name == "champion")
    assert {(game.rules, game.players) for game in champion.games} == set(shipped())


def test_the_page_has_the_tables_of_the_code(zoo: Zoo) -> None:
    text = (DOCS / "zoo.md").read_text(encoding="utf-8")
    _, _, rest = text.partition("<!-- zoo: begin -->\n\n")
    assert rest.partition("\n\n<!-- zoo: end -->")[0] == page(zoo), (
        "python -m experiments.zoo --page prints them"
    )


def test_recipes_are_what_the_trainers_take(
    zoo: Zoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for recipe in zoo.recipes:
        cut = recipe.command.index("--")
        options = seeds.parser().parse_args(recipe.command[:cut])
        plan = seeds.plan(options.trainer, options.seeds, options.run, recipe.command[cut + 1 :])
        assert [str(run.folder) for run in plan.runs] == [
            recipe.folder(seed) for seed in (*recipe.train_seeds, *recipe.held_out_seeds)
        ]
        assert (plan.args.rules, plan.args.deals) == (recipe.game.rules, recipe.deals)


def test_members_by_role_and_game(zoo: Zoo) -> None:
    for role in module.ROLES:
        mini = {member.name for member in zoo.find(role, MINI)}
        classic = {member.name for member in zoo.find(role, CLASSIC)}
        assert f"runs/zoo/mini-seed{1 if role == 'train' else 4}/at-00001000" in mini - classic
    assert "champion" not in {member.name for member in zoo.find("held_out", MINI)}
    assert not {m.name for m in zoo.find("train")} & {m.name for m in zoo.find("held_out")}
    with pytest.raises(ZooError, match="'test' is no role; the roles are train, held_out"):
        zoo.find("test")


def test_names_are_of_what_is_there(
    zoo: Zoo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ZooError, match=r"mini-seed1/at-00001000 is not there yet; .*--make mini"):
        zoo.names("train", MINI)
    assert "basic" in zoo.names("train", MINI, made=True)
    (tmp_path / "runs/zoo/mini-seed4/at-00001000").mkdir(parents=True)
    assert "runs/zoo/mini-seed4/at-00001000" in zoo.names("held_out", MINI, made=True)


# --- what training may not meet -----------------------------------------------------------------


def test_training_refuses_what_is_held_out(zoo: Zoo) -> None:
    zoo.check_training([member.name for member in zoo.find("train")])
    zoo.check_training(["basic+greedy", "runs/mine", "past", "search", "basic(keep_joker=100)"])
    for member in zoo.find("held_out"):
        with pytest.raises(ZooError, match="is held out from training in this zoo"):
            zoo.check_training(["basic", member.name])


@pytest.mark.parametrize(
    "name",
    [
        "expert(keep_joker=100)", "champion@0.5", "basic+cautious", "runs/zoo/mini-seed4@1",
        "runs/zoo/mini-seed4/last", "runs/../runs/zoo/classic-seed5/at-00000000",
    ],
)  # fmt: skip
def test_no_disguise_helps(zoo: Zoo, name: str) -> None:
    with pytest.raises(ZooError, match="held out"):
        zoo.check_training([name])


# --- files that cannot be used ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[member]\n", "zoo.toml: "),
        ("[[animal]]\n", "animal is not known"),
        (MEMBER + 'colour = "red"\n', "member basic: colour is not known; there are name, role"),
        (MEMBER.replace('what = "plain"\n', ""), "member basic: what is missing"),
        (MEMBER.replace("basic", "basik"), "member basik: .*did you mean basic"),
        (MEMBER.replace("train", "test"), "role 'test' is none of train, held_out"),
        (MEMBER + 'games = ["mini"]\n', "'mini' is no game; write it as classic-4p"),
        (MEMBER + 'games = ["mini-9p"]\n', "member basic: "),
        (MEMBER + 'recipe = "mini"\n', "recipe is not known"),
        (MEMBER + MEMBER, "basic is there twice"),
        (RECIPE + RECIPE, "runs/small-seed1/at-00000050 is there twice"),
        (RECIPE.replace("[2]", "[2, 1]"), "recipe small: seed 1 is trained with and held out"),
        (RECIPE.replace("marks = [50]", "marks = [30]"), "mark 30 is no multiple of keep_every"),
        (RECIPE.replace("deals = 100\n", ""), "recipe small: deals is missing"),
    ],
)
def test_a_wrong_file_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ZooError, match=told) as error:
        load(written(tmp_path, text))
    assert "\n" not in str(error.value)


# --- the command --------------------------------------------------------------------------------


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = written(tmp_path, MEMBER + RECIPE)
    monkeypatch.chdir(tmp_path)
    small = ["--file", str(file), "--rules", "mini"]
    assert main(small) == 0
    told = capsys.readouterr().out
    assert "runs/small-seed2  held_out, not there" in told and "--make small" in told
    assert main([*small, "--names", "train", "--made"]) == 0
    assert capsys.readouterr().out == "basic\n"
    assert main([*small, "--check", "runs/small-seed2"]) == 2
    assert "held out" in capsys.readouterr().err
    assert main([*small, "--make", "large"]) == 2
    assert "'large' is no recipe; the recipes are small" in capsys.readouterr().err


def test_make_trains_by_the_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: list[Any] = []

    def train(options: Any, settings: Any, _: Any) -> None:
        given.append((options, settings))
        for seed in options.seeds:
            (tmp_path / f"{options.run}-seed{seed}/at-00000050").mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(seeds, "run", train)
    monkeypatch.chdir(tmp_path)
    small = ["--file", str(written(tmp_path, RECIPE)), "--rules", "mini"]
    assert main([*small, "--make", "small"]) == 0
    ((options, settings),) = given
    assert (options.trainer, options.seeds, options.run) == ("ppo", [1, 2], "runs/small")
    assert settings[:2] == ["--rules", "mini"] and settings[-2:] == ["--threads", "1"]
    assert main([*small, "--names", "held_out"]) == 0
    assert capsys.readouterr().out == "runs/small-seed2/at-00000050 runs/small-seed2\n"

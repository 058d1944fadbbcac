"""Populations: both stages, what is skipped and goes on, what is refused."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from rich.console import Console

from agents import checkpoint as checkpoints
from agents import registry
from train import population, ppo, runs, seeds

TRAINER = [
    *("--num-games", "48", "--rollout", "8", "--minibatch", "256", "--network", "mlp"),
    *("--hidden", "8", "--threads", "1", "--eval-every", "0"),
]
COMMON = ["--rules", "mini", "--seeds", "1", "2", "--deals", "60", "--ego-deals", "40"]


class Trainers:
    """Trains in this process what the command would train in others, and notes it; Ctrl-C comes in
    place of the run called ``stop``.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.trained: list[str] = []
        self.stop = ""
        monkeypatch.setattr(seeds, "train", self.train)

    def train(self, todo: seeds.Plan, jobs: int, console: Console) -> dict[int, int]:
        ended = {}
        for run in todo.runs:
            if not todo.is_done(run):
                if run.folder.name == self.stop:
                    return {**ended, run.seed: runs.INTERRUPTED}
                ppo.main(todo.arguments(run))
                self.trained.append(run.folder.name)
                ended[run.seed] = 0
        return ended


@pytest.fixture
def trainers(monkeypatch: pytest.MonkeyPatch) -> Trainers:
    return Trainers(monkeypatch)


def command(method: str, folder: Path, *more: str, trainer: Any = TRAINER) -> None:
    population.main([method, *COMMON, "--run", str(folder), *more, "--", *trainer])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished population with one ego."""
    folder = tmp_path_factory.mktemp("population") / "fcp"
    with pytest.MonkeyPatch.context() as monkeypatch:
        trainers = Trainers(monkeypatch)
        command("fcp", folder, "--held-out", "basic", "closer", "--in-play", "2", "--turn", "1")
        assert trainers.trained == ["member-seed1", "member-seed2", "ego-seed1"]
    return folder


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    """It again, to be spoilt. Paths in its settings are those of the first one."""
    return Path(shutil.copytree(made, tmp_path / "copy"))


def hashes(folder: Path) -> dict[str, str]:
    """The hash of every checkpoint's network below a folder."""
    return {
        str(index.parent.relative_to(folder)): json.loads(index.read_text())["files"]["network"][
            "sha256"
        ]
        for index in sorted(folder.rglob(checkpoints.INDEX))
    }


def settings(folder: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = checkpoints.read(folder / name).meta["settings"]
    return found


def refused(arguments: tuple[str, ...], **options: Any) -> str:
    """The one line that a command ends with."""
    with pytest.raises(SystemExit) as ended:
        command(arguments[0], Path(arguments[1]), *arguments[2:], **options)
    text = str(ended.value.code)
    assert text.startswith("train.population: ") and "\n" not in text
    return text


# --- both stages --------------------------------------------------------------------------------


def test_the_members_are_early_middle_and_last_of_every_seed(made: Path) -> None:
    state = json.loads((made / population.INDEX).read_text())
    marks = [f"at-{deals:08d}" for deals in (0, 30, 60)]
    members = [f"{made}/member-seed{seed}/{mark}" for seed in (1, 2) for mark in marks]
    assert list(state["members"]) == members
    assert len(set(state["members"].values())) == 6
    deals = [checkpoints.read(one).meta["counters"]["deals"] for one in members[:3]]
    assert deals[0] == 0 and 30 <= deals[1] < 60 <= deals[2]


def test_the_ego_is_trained_with_them_as_partners(made: Path) -> None:
    found = settings(made, "ego-seed1")
    state = json.loads((made / population.INDEX).read_text())
    assert found["members"] == [f"{path}@1" for path in state["members"]]
    assert found["partners"] == ["members=1.0"] and found["pool"] == []
    assert found["held_out"] == ["basic", "closer"] and found["hidden"] == [8]
    assert (found["in_play"], found["snapshot_every"], found["seed"]) == (2, 1, 1)
    member = settings(made, "member-seed1")
    assert member["diversity"] == 0 and member["members"] == [] and member["keep_every"] == 30
    registry.make(f"{made}/ego-seed1", "mini", 4)


@pytest.mark.parametrize(
    ("opponents", "pool"), [("members", ["members=1.0"]), ("greedy", ["greedy=1.0"])]
)
def test_opponents_are_members_or_an_agent(
    opponents: str, pool: list[str], tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = population.asked_for(
        population.parser().parse_args(
            ["fcp", *COMMON, "--run", str(made), "--opponents", opponents, "--share", "0.5"]
        ),
        TRAINER,
    )
    plan = asked.egos([7])
    assert list(plan.args.pool) == pool and plan.args.partners == ("members=0.5",)
    assert [run.folder for run in plan.runs] == [made / "ego-seed7"]


def test_mep_members_are_unlike_those_before(tmp_path: Path, trainers: Trainers) -> None:
    folder = tmp_path / "mep"
    command("mep", folder, "--diversity", "0.3", "--deals", "10", "--ego-deals", "10")
    first, second = (settings(folder, f"member-seed{seed}") for seed in (1, 2))
    assert first["diversity"] == second["diversity"] == 0.3
    assert first["diversity_from"] == []
    assert second["diversity_from"] == [f"{folder}/member-seed1"]
    assert settings(folder, "ego-seed1")["diversity"] == 0


# --- given again --------------------------------------------------------------------------------


def test_what_is_finished_is_skipped_and_further_egos_are_added(
    made: Path, trainers: Trainers, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--held-out", "basic", "closer", "--in-play", "2", "--turn", "1"]
    before = hashes(made)
    command("fcp", made, *options, "--ego-seeds", "1", "2")
    assert trainers.trained == ["ego-seed2"]
    shown = capsys.readouterr().out
    shown = "".join(shown.split())  # the lines of a terminal end anywhere
    assert "member-seed2isdone" in shown and "has6members" in shown
    assert before.items() <= hashes(made).items()
    shutil.rmtree(made / "ego-seed2")


@pytest.mark.parametrize("stop", ["member-seed2", "ego-seed1"])
def test_broken_off_it_comes_to_the_same_end(
    stop: str, made: Path, tmp_path: Path, trainers: Trainers, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C before a run, and a trainer killed before its first checkpoint."""
    folder, trainers.stop = tmp_path / "fcp", stop
    options = ["--held-out", "basic", "closer", "--in-play", "2", "--turn", "1"]
    with pytest.raises(SystemExit) as ended:
        command("fcp", folder, *options)
    assert ended.value.code == 130
    assert "go on with: python -m train.population fcp --rules mini" in capsys.readouterr().out
    done, trainers.stop, trainers.trained = list(trainers.trained), "", []
    debris = folder / stop
    (debris / "last").mkdir(parents=True)
    (debris / "last" / ".checkpoint.json.77").write_text("{")
    (debris / "events.out.tfevents.1").write_text("")
    command("fcp", folder, *options)
    assert done + trainers.trained == ["member-seed1", "member-seed2", "ego-seed1"]
    assert hashes(folder) == hashes(made)


def test_an_ego_that_was_stopped_goes_on(copy: Path, made: Path, trainers: Trainers) -> None:
    options = ["--held-out", "basic", "closer", "--in-play", "2", "--turn", "1"]
    shutil.rmtree(copy / "ego-seed1")
    asked = population.asked_for(
        population.parser().parse_args(["fcp", *COMMON, "--run", str(copy), *options]), TRAINER
    )
    plan = asked.egos([1])
    arguments = plan.arguments(plan.runs[0])

    def stopped(trainer: Any, *rest: Any) -> None:
        trainer.update()
        trainer.save(copy / "ego-seed1/last")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "carry_out", stopped)
        ppo.main(arguments)
    assert asked.egos([1]).runs[0].deals >= 0
    again = asked.egos([1])
    assert again.arguments(again.runs[0])[0] == "--resume"
    ppo.main(again.arguments(again.runs[0]))
    assert hashes(copy)["ego-seed1/last"] == hashes(made)["ego-seed1/last"]


# --- refused ------------------------------------------------------------------------------------


def test_another_population_is_not_mixed_in(made: Path, trainers: Trainers, tmp_path: Path) -> None:
    path = str(made)
    assert "other settings (--in-play, --turn, --held-out)" in refused(("fcp", path))
    options = ("--held-out", "basic", "closer", "--in-play", "2", "--turn", "1")
    assert "(the method, --diversity)" in refused(("mep", path, *options))
    assert "(--seeds)" in refused(("fcp", path, *options, "--seeds", "1", "2", "3"))
    other = [*TRAINER, "--entropy", "0.1"]
    assert "(the settings after --)" in refused(("fcp", path, *options), trainer=other)
    (tmp_path / "else").mkdir()
    (tmp_path / "else/file").write_text("")
    assert "is no population" in refused(("fcp", str(tmp_path / "else")))
    (made / "spoilt").mkdir()
    (made / "spoilt" / population.INDEX).write_text("{}")
    assert "not the index of a population" in refused(("fcp", str(made / "spoilt")))
    shutil.rmtree(made / "spoilt")
    assert not trainers.trained


def test_agents_that_are_held_out_are_not_met(tmp_path: Path, trainers: Trainers) -> None:
    folder = tmp_path / "fcp"
    text = refused(("fcp", str(folder), "--opponents", "closer", "--held-out", "basic", "closer"))
    assert "--held-out closer: the training meets it" in text
    member = folder / "member-seed2"
    member.mkdir(parents=True)
    assert f"--held-out {member}: " in refused(("fcp", str(folder), "--held-out", str(member)))
    assert not trainers.trained


def test_a_member_that_was_changed_is_told(copy: Path, trainers: Trainers) -> None:
    """Its egos trained with another one."""
    state = json.loads((copy / population.INDEX).read_text())
    state["members"] = {
        path.replace(str(Path(path).parents[1]), str(copy)): of
        for path, of in state["members"].items()
    }
    (copy / population.INDEX).write_text(json.dumps(state))
    first, second = (copy / f"member-seed1/at-000000{mark}" for mark in ("30", "60"))
    shutil.rmtree(first)
    shutil.copytree(second, first)
    options = ("--held-out", "basic", "closer", "--in-play", "2", "--turn", "1")
    assert "not the network that it was" in refused(("fcp", str(copy), *options))


@pytest.mark.parametrize(
    ("options", "trainer", "says"),
    [
        ((), [*TRAINER, "--members", "basic"], "--members is given by this command"),
        ((), [*TRAINER, "--held-out=basic"], "--held-out=basic is given by this command"),
        (("--deals", "0"), TRAINER, "--deals 0 is not possible"),
        (("--in-play", "-1"), TRAINER, "--in-play -1 is not possible"),
        (("--share", "1.5"), TRAINER, "--share 1.5 is not possible"),
        (("--jobs", "0"), TRAINER, "--jobs 0 is not 1 or more"),
        (("--seeds", "1", "1"), TRAINER, "--seeds 1 1: one stands there twice"),
        (("--diversity", "0"), TRAINER, "--diversity 0 makes no mep"),
        (("--opponents", "basik"), TRAINER, "no agent is called 'basik'"),
        (("--players", "2"), TRAINER, "everybody plays alone"),
        (("--rules", "mino"), TRAINER, "mino"),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_trained(
    options: tuple[str, ...], trainer: Any, says: str, tmp_path: Path, trainers: Trainers
) -> None:
    assert says in refused(("mep", str(tmp_path / "x"), *options), trainer=trainer)
    assert not trainers.trained


def test_wrong_settings_of_the_trainer_leave_the_folder_free(
    tmp_path: Path, trainers: Trainers, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        command("fcp", tmp_path / "x", trainer=[*TRAINER, "--entropyy", "1"])
    assert ended.value.code == 2 and "--entropyy" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_signals_of_the_process_are_left_alone(made: Path, trainers: Trainers) -> None:
    before = signal.getsignal(signal.SIGINT)
    options = ("--held-out", "basic", "closer", "--in-play", "2", "--turn", "1")
    command("fcp", made, *options)
    assert signal.getsignal(signal.SIGINT) is before

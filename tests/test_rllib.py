"""RLlib: the environment, the module with its masks, the runner over the batch, the trainer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="RLlib is not installed (extra rllib)")
pytest.importorskip("ray.rllib", reason="RLlib is not installed", exc_type=ImportError)
torch = pytest.importorskip("torch")

from ray.rllib.core.columns import Columns  # noqa: E402
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner  # noqa: E402
from ray.rllib.utils.pre_checks.env import check_multiagent_environments  # noqa: E402

from agents import checkpoint as checkpoints  # noqa: E402
from agents import registry  # noqa: E402
from agents.neural import network_arrays  # noqa: E402
from canasta_env.aec import IllegalActionError, raw_env  # noqa: E402
from canasta_env.batch import Batch  # noqa: E402
from canasta_env.rllib import CanastaMultiAgentEnv  # noqa: E402
from train import rllib  # noqa: E402
from train.rllib_runner import MODULE, BatchEnvRunner, Decisions  # noqa: E402
from train.rllib_trainer import Trainer  # noqa: E402

GAMES, STEPS = 8, 80
SMALL = rllib.Args(
    rules="mini", num_games=GAMES, rollout=STEPS, minibatch=128, epochs=1, network="mlp",
    hidden=(8,), deals=20, eval_every=0,
)  # fmt: skip
COMMAND = [
    "--rules", "mini", "--num-games", "8", "--rollout", "80", "--minibatch", "128", "--epochs", "1",
    "--network", "mlp", "--hidden", "8", "--eval-every", "0",
]  # fmt: skip


def start_ray() -> None:
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init("local", num_cpus=1, **quiet)


@pytest.fixture(scope="module", autouse=True)
def started() -> Iterator[None]:
    """One Ray for all tests, on this machine."""
    ray.init(
        "local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
    )
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def trainer() -> Iterator[Trainer]:
    """One that has made no update yet, for tests that make none."""
    made = Trainer(SMALL)
    yield made
    made.close()


# --- the environment ----------------------------------------------------------------------------


def played(env: CanastaMultiAgentEnv, seed: int) -> Iterator[tuple[str, int, Any]]:
    """A random episode: who did what, and what the step gave."""
    random = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    while env.agents:
        ((agent, view),) = seen.items()
        action = int(random.choice(np.flatnonzero(view["action_mask"])))
        stepped = env.step({agent: action})
        yield agent, action, stepped
        seen = stepped[0]


def test_rllib_finds_no_fault(caplog: pytest.LogCaptureFixture) -> None:
    check_multiagent_environments(CanastaMultiAgentEnv({"rules": "mini"}))
    assert not caplog.records


@pytest.mark.parametrize("scaled", [True, False])
def test_it_is_the_aec_environment(scaled: bool) -> None:
    """The same views and masks, and every agent is paid, who lost too."""
    env, twin = CanastaMultiAgentEnv({"rules": "mini", "scaled": scaled}), raw_env("mini")
    scale = 1 if scaled else Batch("mini", 1).scale
    twin.reset(seed=4)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for _, action, (seen, rewards, terminated, truncated, _) in played(env, 4):
        twin.step(action)
        assert rewards == twin.rewards
        assert terminated["__all__"] == all(twin.terminations.values())
        assert not truncated["__all__"]
        for agent, view in seen.items():
            assert env.observation_spaces[agent].contains(view)
            expected = twin.observe(agent)
            np.testing.assert_allclose(view["observation"] * scale, expected["observation"])
            if not terminated["__all__"]:
                np.testing.assert_array_equal(view["action_mask"], expected["action_mask"])
        for agent, reward in rewards.items():
            paid[agent] += reward
    assert set(seen) == set(env.possible_agents)
    assert [view["action_mask"].nonzero()[0].tolist() for view in seen.values()] == [[0]] * 4
    assert paid["player_0"] == paid["player_2"] == -paid["player_1"] == -paid["player_3"] != 0


def test_only_the_one_to_act_acts() -> None:
    env = CanastaMultiAgentEnv({"rules": "mini"})
    seen, _ = env.reset(seed=1)
    (agent,) = seen
    other = next(name for name in env.possible_agents if name != agent)
    for wrong in ({}, {other: 0}, {agent: 0, other: 0}):
        with pytest.raises(ValueError, match=f"{agent} is to act, alone"):
            env.step(wrong)


def test_illegal_actions() -> None:
    env = CanastaMultiAgentEnv({"rules": "mini", "illegal": "raise"})
    seen, _ = env.reset(seed=1)
    ((agent, view),) = seen.items()
    wrong = int(view["action_mask"].argmin())
    with pytest.raises(IllegalActionError):
        env.step({agent: wrong})
    lenient = CanastaMultiAgentEnv({"rules": "mini"})
    lenient.reset(seed=1)
    after, *_ = lenient.step({agent: wrong})
    assert len(after) == 1
    with pytest.raises(ValueError, match="illegal='ignore' is not possible"):
        CanastaMultiAgentEnv({"illegal": "ignore"})


def test_the_documented_example(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs" / "rllib.md").read_text("utf-8")
    (example,) = re.findall(r"(?ms)^```python\n(.*?)^```", page)
    exec(example, {"__name__": "example"})
    assert " deals\n" in capsys.readouterr().out


# --- decisions as episodes ----------------------------------------------------------------------


def noted(decisions: Decisions, game: int, seat: int, number: int) -> None:
    """A decision that is known by its number."""
    row = np.array([number], np.float32)
    names = ("observation", "action_mask", *(Columns.ACTIONS, Columns.ACTION_LOGP))
    seen = dict.fromkeys((*names, Columns.ACTION_DIST_INPUTS), row)
    decisions.note(np.array([game]), np.array([seat]), seen)


def given(decisions: Decisions) -> list[tuple[Any, ...]]:
    """Agent, numbers of the decisions, of the views, rewards and end of each episode."""
    return [
        (
            episode.agent_id,
            episode.actions.data.tolist(),
            episode.observations.data["observation"].tolist(),
            episode.rewards.data.tolist(),
            episode.is_terminated,
        )
        for episode in decisions.give()
    ]


def pay(decisions: Decisions, first: list[float], ended: bool = False) -> None:
    reward = np.array([first, [0.0, 0.0]], np.float32)
    decisions.pay(reward, np.array([ended, False]))


def test_a_decision_earns_all_until_the_next_of_its_seat() -> None:
    decisions = Decisions(games=2, players=2)
    noted(decisions, game=0, seat=0, number=1)
    pay(decisions, [1.0, -1.0])
    noted(decisions, game=0, seat=1, number=2)
    pay(decisions, [2.0, -2.0])
    noted(decisions, game=0, seat=0, number=3)
    assert given(decisions) == [("player_0", [1], [1, 3], [3.0], False)]
    pay(decisions, [4.0, -4.0], ended=True)  # two decisions were held back; both are paid
    noted(decisions, game=0, seat=0, number=4)  # of the next deal
    assert given(decisions) == [
        ("player_0", [3], [3, 3], [4.0], True),
        ("player_1", [2], [2, 2], [-6.0], True),
    ]
    pay(decisions, [8.0, -8.0])
    noted(decisions, game=0, seat=0, number=5)
    assert given(decisions) == [("player_0", [4], [4, 5], [8.0], False)]


# --- the module and the runner ------------------------------------------------------------------


def test_the_runner_gives_all_that_is_paid(trainer: Trainer) -> None:
    """Whatever is paid in a deal comes to the seat's episodes; actions are legal, never forced."""
    runner = trainer.algorithm.env_runner
    assert isinstance(runner, BatchEnvRunner)
    paid = np.zeros((GAMES, 4))
    step = runner.batch.step

    def stepped(actions: Any) -> None:
        step(actions)
        nonlocal paid
        paid += runner.batch.reward

    runner.batch.step = stepped
    earned = np.zeros((GAMES, 4))
    ends = 0
    for _ in range(3):
        for episode in runner.sample(num_timesteps=GAMES * STEPS):
            assert (episode.module_id, len(episode)) >= (MODULE, 1)
            masks = episode.observations.data["action_mask"]
            assert masks[np.arange(len(episode)), episode.actions.data].all()
            assert (masks.sum(axis=1) > 1).all()
            seat = int(episode.agent_id.removeprefix("player_"))
            earned[int(episode.multi_agent_episode_id), seat] += episode.get_return()
            ends += episode.is_terminated
    assert ends > 4 * GAMES
    # deals pay at their end only, so nothing of what was paid is held back
    np.testing.assert_allclose(earned, paid, atol=1e-5)
    assert paid.any()


def test_probabilities_are_those_of_the_module(trainer: Trainer) -> None:
    runner = trainer.algorithm.env_runner
    for episode in runner.sample(num_timesteps=GAMES * 10)[:5]:
        logits = torch.from_numpy(episode.extra_model_outputs[Columns.ACTION_DIST_INPUTS].data)
        masks = torch.from_numpy(episode.observations.data["action_mask"])[: len(episode)]
        probabilities = logits.softmax(-1)
        assert (probabilities[~masks] == 0).all()
        taken = probabilities[torch.arange(len(episode)), torch.from_numpy(episode.actions.data)]
        given = episode.extra_model_outputs[Columns.ACTION_LOGP].data
        np.testing.assert_allclose(taken.log().numpy(), given, atol=1e-5)


def test_values_are_those_of_the_network(trainer: Trainer) -> None:
    module = trainer.learner.module[MODULE]
    batch = Batch("mini", 5, seed=2)
    seen = torch.from_numpy(batch.observation.copy())
    obs = {"observation": seen, "action_mask": torch.from_numpy(batch.mask.copy())}
    logits, values = trainer.network(seen)
    torch.testing.assert_close(module.compute_values({Columns.OBS: obs}), values)
    out = module.forward_train({Columns.OBS: obs})
    torch.testing.assert_close(out[Columns.EMBEDDINGS], values)
    legal = obs["action_mask"]
    torch.testing.assert_close(out[Columns.ACTION_DIST_INPUTS][legal], logits[legal])


def test_settings_that_the_batch_does_not_have(trainer: Trainer) -> None:
    for wrong, told in (({"episode": "match", "scaled": False}, "episode"), ({}, "scaled=True")):
        config = trainer.algorithm.config.copy(copy_frozen=False)
        config.env_config = {"rules": "mini", **wrong}
        with pytest.raises(ValueError, match=f"it has {told}"):
            BatchEnvRunner(config=config)


# --- training -----------------------------------------------------------------------------------


def weights(network: Any) -> dict[str, Any]:
    return {name: array.copy() for name, array in network_arrays(network).items()}


def test_a_run_goes_on(tmp_path: Path) -> None:
    trainer = Trainer(SMALL)
    before = weights(trainer.network)
    numbers = trainer.update()
    assert trainer.steps == GAMES * STEPS
    assert 0 < trainer.decisions < trainer.steps
    assert trainer.deals > 0
    assert all(np.isfinite(number) for number in numbers.values())
    after = weights(trainer.network)
    assert not np.array_equal(before["first.weight"], after["first.weight"])
    trainer.save(tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}
    trainer.close()

    other = Trainer(SMALL, checkpoints.read(tmp_path))
    assert (other.updates, other.deals, other.steps) == (1, trainer.deals, trainer.steps)
    for network in (other.network, other.algorithm.env_runner.module[MODULE].network):
        for name, array in weights(network).items():
            np.testing.assert_array_equal(array, after[name])
    other.update()
    assert other.updates == 2
    other.close()


def test_rllibs_own_runner(tmp_path: Path) -> None:
    """The same training, game by game in RLlib's runner: all seats of a deal are paid."""
    args = rllib.Args(**{**vars(SMALL), "num_games": 2, "rollout": 64, "runner": "rllib"})
    trainer = Trainer(args)
    runner = trainer.algorithm.env_runner
    assert type(runner) is MultiAgentEnvRunner
    for episode in runner.sample(num_episodes=2):
        returns = {seat: one.get_return() for seat, one in episode.agent_episodes.items()}
        assert returns["player_0"] == pytest.approx(-returns["player_1"])
        assert returns["player_0"] == pytest.approx(returns["player_2"])
        assert returns["player_0"] != 0
    trainer.update()
    assert trainer.decisions >= 128
    trainer.close()


# --- the command --------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It trains, and leaves an agent that plays by its name."""
    run = str(tmp_path / "run")
    rllib.main(["--run", run, "--deals", "4", *COMMAND])
    assert "done: " in capsys.readouterr().out
    assert checkpoints.read(run).meta["versions"]["ray"] == ray.__version__
    batch = Batch("mini", 4, seed=1)
    actions = registry.make(run, "mini").act(batch, np.arange(4))
    assert batch.mask[np.arange(4), actions].all()


def test_ctrl_c_saves(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    run = tmp_path / "run"
    update = Trainer.update

    def interrupted(trainer: Trainer) -> dict[str, float]:
        numbers = update(trainer)
        rllib.runs.signal.raise_signal(rllib.runs.signal.SIGINT)
        return numbers

    monkeypatch.setattr(Trainer, "update", interrupted)
    with pytest.raises(SystemExit) as stopped:
        rllib.main(["--run", str(run), "--deals", "1000", *COMMAND])
    assert stopped.value.code == 130
    assert f"go on with: python -m train.rllib --resume {run}" in capsys.readouterr().out
    assert checkpoints.read(run).meta["counters"]["updates"] == 1


def test_no_such_cluster(tmp_path: Path) -> None:
    ray.shutdown()
    with pytest.raises(SystemExit, match="--address nonsense: "):
        rllib.main(["--run", str(tmp_path / "run"), "--address", "nonsense", *COMMAND])
    ray.init(
        "local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
    )


@pytest.mark.long
def test_rollouts_spread_over_a_cluster(tmp_path: Path, monkeypatch: Any) -> None:
    """Two nodes, a process on each, and the learner here."""
    monkeypatch.setenv("RAY_worker_niceness", "0")  # 15 starves them where the tests aren't alone
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    ray.shutdown()
    head = {"num_cpus": 2, "include_dashboard": False}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(num_cpus=1)
    many = ["--run", str(tmp_path / "none"), "--address", cluster.address, "--env-runners", "9"]
    with pytest.raises(SystemExit, match="--env-runners 9: the cluster has 3 processors"):
        rllib.main([*many, *COMMAND])
    address = ["--address", cluster.address, "--env-runners", "2"]
    rllib.main(["--run", str(tmp_path / "run"), "--deals", "30", *address, *COMMAND])
    counters = checkpoints.read(tmp_path / "run").meta["counters"]
    assert counters["steps"] == counters["updates"] * 2 * GAMES * STEPS
    cluster.shutdown()
    ray.init(
        "local", num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
    )


@pytest.mark.long
def test_it_learns() -> None:
    """On a small game it gets better against random play than it was."""
    args = rllib.Args(rules="mini", hidden=(32, 64), minibatch=512, deals=800, eval_decks=1000)
    trainer = Trainer(args)
    before = trainer.evaluate()
    while trainer.deals < args.deals:
        trainer.update()
    after = trainer.evaluate()
    trainer.close()
    assert after.points - 2 * after.error > max(300, before.points + 2 * before.error)

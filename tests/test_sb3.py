"""MaskablePPO on the vector environment: the VecEnv, who plays, training, resuming, the command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.utils import (  # noqa: E402
    get_action_masks,
    is_masking_supported,
)
from stable_baselines3.common.vec_env import VecEnv, VecMonitor  # noqa: E402

from agents import checkpoint as checkpoints  # noqa: E402
from agents import registry  # noqa: E402
from canasta_env import Batch  # noqa: E402
from canasta_env.vector import CanastaVectorEnv  # noqa: E402
from experiments.match import main as match  # noqa: E402
from train import sb3  # noqa: E402
from train.sb3_env import LearnerVecEnv  # noqa: E402

N = 16
SMALL = sb3.Args(
    num_envs=N, rollout=4, minibatch=32, epochs=1, network="mlp", hidden=(8,), snapshot_every=2,
    pool=2, deals=3, eval_every=0, final_decks=0,
)  # fmt: skip
COMMAND = [
    "--num-envs", "16", "--rollout", "8", "--minibatch", "64", "--epochs", "1", "--network", "mlp",
    "--hidden", "8", "--eval-every", "0", "--final-decks", "2",
]  # fmt: skip


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Torch's threads only get into each other's way here."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def games(**settings: Any) -> CanastaVectorEnv:
    settings = {"opponents": "random", "illegal": "raise", **settings}
    return CanastaVectorEnv(num_envs=N, autoreset_mode="SameStep", **settings)


def played(env: VecEnv, steps: int, seed: int = 3) -> Iterator[tuple[Any, ...]]:
    """Random legal play: the actions and what the step gave."""
    random = np.random.default_rng(seed)
    env.seed(seed)
    env.reset()
    for _ in range(steps):
        masks = env.env_method("action_masks")
        actions = (random.random(masks.shape) * masks).argmax(axis=1)
        yield (actions, *env.step(actions))


# --- the VecEnv ---------------------------------------------------------------------------------


def test_spaces_and_types() -> None:
    env = LearnerVecEnv(games())
    env.seed(1)
    first = env.reset()
    assert first.shape == (N, *env.observation_space.shape)
    for actions, seen, rewards, ended, infos in played(env, 5):
        assert env.action_space.contains(actions[0])
        assert all(env.observation_space.contains(row) for row in seen)
        assert (rewards.dtype, rewards.shape) == (np.float32, (N,))
        assert (ended.dtype, ended.shape, len(infos)) == (np.bool_, (N,), N)


def test_a_seed_gives_the_same_games_again() -> None:
    env = LearnerVecEnv(games())
    first, other = ([seen for _, seen, *_ in played(env, 3, seed)] for seed in (5, 6))
    again = [seen for _, seen, *_ in played(env, 3, 5)]
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_observations_are_fresh() -> None:
    """The algorithm keeps them while the games go on."""
    env = LearnerVecEnv(games())
    kept = [(seen, seen.copy()) for _, seen, *_ in played(env, 4)]
    for seen, copy in kept:
        np.testing.assert_array_equal(seen, copy)


def test_masks_come_in_one_array() -> None:
    env = LearnerVecEnv(games())
    assert is_masking_supported(env)
    for _ in played(env, 100):
        masks = get_action_masks(env)
        np.testing.assert_array_equal(masks, env.envs.action_masks())
        assert masks.any(axis=1).all()
        np.testing.assert_array_equal(env.env_method("action_masks", indices=[3, 1]), masks[[3, 1]])


def test_it_is_the_vector_environment() -> None:
    """The same rewards, ends and observations, and where an episode ends the last observation."""
    env, twin = LearnerVecEnv(games(seat="rotate")), games(seat="rotate")
    twin.reset(seed=3)
    scale, deals, ends = twin.batch.scale, 0, 0
    for actions, seen, rewards, ended, infos in played(env, 120):
        there, expected, terminated, truncated, told = twin.step(actions)
        np.testing.assert_allclose(seen * scale, there)
        np.testing.assert_allclose(rewards, expected, rtol=1e-6)
        np.testing.assert_array_equal(ended, terminated | truncated)
        for row, info in enumerate(infos):
            assert (info != {}) == ended[row]
            if ended[row]:
                last = info["terminal_observation"]
                np.testing.assert_allclose(last * scale, told["final_obs"][row], rtol=1e-6)
                assert info["TimeLimit.truncated"] is False
                deals += told["final_info"]["deals"][row]
                ends += 1
    assert env.deals == deals == ends > N


def test_a_capped_match_is_truncated() -> None:
    env = LearnerVecEnv(games(episode="match", max_deals=1, scores="zero"))
    ends = [info for *_, infos in played(env, 60) for info in infos if info]
    assert ends
    assert all(info["TimeLimit.truncated"] for info in ends)


def test_episodes_are_summed() -> None:
    """The sums are those that Stable-Baselines3's monitor makes."""
    ours = played(LearnerVecEnv(games()), 60)
    theirs = played(VecMonitor(LearnerVecEnv(games())), 60)
    sums = [
        (mine["episode"], its["episode"])
        for (*_, infos), (*_, others) in zip(ours, theirs, strict=True)
        for mine, its in zip(infos, others, strict=True)
        if mine
    ]
    assert sums
    for mine, its in sums:
        assert mine["l"] == its["l"]
        assert mine["r"] == pytest.approx(its["r"], abs=1e-5)


def test_the_observation_is_arranged() -> None:
    backwards = LearnerVecEnv(games(), lambda observation: observation.flip(1))
    plain = LearnerVecEnv(games())
    for (_, seen, *_, infos), (_, other, *_, others) in zip(
        played(backwards, 60), played(plain, 60), strict=True
    ):
        np.testing.assert_array_equal(seen[:, ::-1], other)
        for info, its in zip(infos, others, strict=True):
            if info:
                last = info["terminal_observation"]
                np.testing.assert_array_equal(last[::-1], its["terminal_observation"])


def test_what_it_does_not_do() -> None:
    with pytest.raises(ValueError, match="NextStep"):
        LearnerVecEnv(CanastaVectorEnv(num_envs=2))
    env = LearnerVecEnv(games())
    with pytest.raises(AttributeError, match="no method 'fly'"):
        env.env_method("fly")
    with pytest.raises(AttributeError, match="set_players"):
        env.set_attr("batch", None)
    assert not env.has_attr("fly")
    assert env.env_is_wrapped(VecMonitor, indices=[0, 2]) == [False, False]


def test_any_policy_trains_on_it() -> None:
    """A match's truncated ends are bootstrapped from the last observation."""
    env = LearnerVecEnv(games(episode="match", max_deals=1))
    small = {"net_arch": [8]}
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=40, batch_size=320, n_epochs=1, policy_kwargs=small, device="cpu"
    )
    model.learn(40 * N)
    assert model.num_timesteps == 40 * N
    assert env.deals > 0


# --- who plays ----------------------------------------------------------------------------------


class Seats:
    """Notes who is to play; stands for the games."""

    def __init__(self, players: int = 4) -> None:
        self.num_envs = 100
        self.batch = Batch("classic", 1, players=players)
        self.opponents: list[Any] = [None] * 100
        self.partners: list[Any] = [None] * 100

    def set_players(self, opponents: Any = None, partner: Any = None, *, rows: Any) -> None:
        for row in rows:
            if opponents is not None:
                self.opponents[row] = opponents
            if partner is not None:
                self.partners[row] = partner


def pool(**settings: Any) -> sb3.Pool:
    args = sb3.Args(network="mlp", hidden=(8,), pool=3, **settings)
    batch = Batch("classic", 1)
    network = sb3.make_network("mlp", (8,), checkpoints.identity(batch), batch.scale)
    return sb3.Pool(network, checkpoints.identity(batch), args)


def test_shares() -> None:
    these, seats = pool(bots=0.3, older=0.2, older_partner=0.1), Seats()
    for _ in range(5):
        these.take()
    these.deal_out(seats)  # type: ignore[arg-type]
    by_bots = [seats.opponents.count(name) for name in ("basic", "greedy")]
    by_older = [seats.opponents.count(agent) for agent in these.snapshots]
    assert by_bots == [15, 15]
    assert sorted(by_older) == [0, 10, 10]  # two of three are in play
    assert seats.opponents.count(these.now) == 50
    assert sum(seats.partners.count(agent) for agent in these.snapshots) == 10
    assert seats.partners.count(these.now) == 90


def test_without_snapshots_the_policy_plays_itself() -> None:
    these, seats = pool(bots=0.0), Seats()
    these.deal_out(seats)  # type: ignore[arg-type]
    assert seats.opponents == seats.partners == [these.now] * 100


def test_nobody_has_a_partner_where_two_play() -> None:
    these, seats = pool(), Seats(players=2)
    these.deal_out(seats)  # type: ignore[arg-type]
    assert seats.partners == [None] * 100


def test_snapshots_stay_as_they_were() -> None:
    these = pool()
    these.take()
    before = these.now.network.policy.bias.detach().clone()
    with torch.no_grad():
        these.now.network.policy.bias += 1
    these.take()
    old, new = (agent.network.policy.bias for agent in these.snapshots)
    torch.testing.assert_close(old, before)
    torch.testing.assert_close(new, before + 1)


# --- training -----------------------------------------------------------------------------------


def test_an_update_trains_the_network() -> None:
    trainer = sb3.Trainer(SMALL)
    before = [parameter.detach().clone() for parameter in trainer.network.parameters()]
    numbers = trainer.update()
    assert trainer.steps == N * SMALL.rollout
    assert 0 < trainer.decisions < trainer.steps
    assert numbers["learning_rate"] == SMALL.learning_rate
    assert np.isfinite(numbers["value_loss"])
    for old, new in zip(before, trainer.network.parameters(), strict=True):
        assert not torch.equal(old, new)


def test_the_learning_rate_falls() -> None:
    trainer = sb3.Trainer(sb3.Args(num_envs=N, rollout=4, deals=100, network="mlp", hidden=(8,)))
    trainer.deals = 75
    assert trainer.rate() == pytest.approx(0.25 * trainer.args.learning_rate)
    assert trainer.update()["learning_rate"] == pytest.approx(trainer.rate(), rel=0.2)


def test_a_saved_run_goes_on(tmp_path: Path) -> None:
    trainer = sb3.Trainer(SMALL)
    for _ in range(5):
        trainer.update()
    trainer.before = {"random": sb3.Score(-10.0, 2.0, 4)}
    trainer.save(tmp_path)
    other = sb3.Trainer(SMALL)
    other.load(checkpoints.read(tmp_path))
    assert other.before == trainer.before
    assert other.model.num_timesteps == other.steps == trainer.steps == 5 * N * SMALL.rollout
    same = [
        (trainer.network.state_dict(), other.network.state_dict()),
        (trainer.pool.state(), other.pool.state()),
        *(
            (run.model.policy.optimizer.state_dict()["state"][i], state)
            for run in [trainer]
            for i, state in other.model.policy.optimizer.state_dict()["state"].items()
        ),
    ]
    assert len(trainer.pool.snapshots) == 2
    assert len(same) == 2 + len(list(trainer.network.parameters()))
    for one, two in same:
        assert one.keys() == two.keys()
        for name in one:
            np.testing.assert_array_equal(np.asarray(one[name]), np.asarray(two[name]))
    other.update()
    assert other.updates == 6


def test_nothing_is_pickled(tmp_path: Path) -> None:
    trainer = sb3.Trainer(SMALL)
    trainer.update()
    trainer.save(tmp_path)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}


# --- the command --------------------------------------------------------------------------------


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It trains, resumes, and leaves an agent that plays by its name."""
    run = str(tmp_path / "run")
    sb3.main(["--run", run, "--deals", "8", *COMMAND])
    text = capsys.readouterr().out
    assert "against random: " in text
    assert " before, " in text
    assert "done: " in text
    deals = checkpoints.read(run).meta["counters"]["deals"]
    sb3.main(["--resume", run, "--deals", str(deals + 8)])
    assert checkpoints.read(run).meta["counters"]["deals"] >= deals + 8
    batch = Batch("classic", 4, seed=1)
    actions = registry.make(run).act(batch, np.arange(4))
    assert batch.mask[np.arange(4), actions].all()
    assert match([run, "random", "--pairs", "2"]) == 0


def test_ctrl_c_saves(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    run = tmp_path / "run"
    update = sb3.Trainer.update

    def interrupted(trainer: sb3.Trainer) -> dict[str, float]:
        numbers = update(trainer)
        sb3.runs.signal.raise_signal(sb3.runs.signal.SIGINT)
        return numbers

    monkeypatch.setattr(sb3.Trainer, "update", interrupted)
    with pytest.raises(SystemExit) as stopped:
        sb3.main(["--run", str(run), "--deals", "1000", *COMMAND])
    assert stopped.value.code == 130
    assert f"go on with: python -m train.sb3 --resume {run}" in capsys.readouterr().out
    assert checkpoints.read(run).meta["counters"]["updates"] == 1


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--num-envs", "0"], "--num-envs 0 is not 1 or more"),
        (["--num-envs", "3", "--rollout", "3", "--minibatch", "8"], "3 x 3 moves one is left over"),
        (["--bots", "0.7", "--older", "0.5"], "--bots 0.7, --older 0.5"),
        (["--bot-names", "basik"], "--bot-names basik: choose from random, greedy, basic"),
        (["--eval-opponent", "basik"], "did you mean basic"),
        (["--rules", "clasic"], "clasic"),
        (["--players", "9"], "9"),
        (["--resume", "nowhere"], "nowhere: no such file or folder"),
    ],
)
def test_bad_input_is_one_line(given: list[str], told: str, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as stopped:
        sb3.main(["--run", str(tmp_path / "run"), *given])
    message = str(stopped.value.code)
    assert message.startswith("train.sb3: ")
    assert told in message
    assert "\n" not in message


def test_a_run_that_exists_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    with pytest.raises(SystemExit, match="exists already"):
        sb3.main(["--run", str(tmp_path)])


def test_another_trainers_run_is_refused(tmp_path: Path) -> None:
    trainer = sb3.Trainer(SMALL)
    trainer.save(tmp_path)
    index = tmp_path / "checkpoint.json"
    index.write_text(index.read_text().replace('"trainer": "sb3"', '"trainer": "ppo"'))
    with pytest.raises(SystemExit, match="another trainer"):
        sb3.main(["--resume", str(tmp_path)])
    index.write_text(index.read_text().replace('"trainer": "ppo"', '"trainer": "sb3"'))
    with pytest.raises(SystemExit, match="--entropy can't change"):
        sb3.main(["--resume", str(tmp_path), "--entropy", "0.5"])

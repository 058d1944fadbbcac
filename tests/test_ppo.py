"""PPO: each seat's own trajectory, decisions held back, learning, resuming exactly, the command."""

from __future__ import annotations

import platform
import signal
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from agents.network import ActorCritic, masked, sample  # noqa: E402
from tests.scripted import ACTIONS, FEATURES, GuessingBatch, ScriptedBatch  # noqa: E402
from train import ppo  # noqa: E402
from train.workers import Descent  # noqa: E402

SMALL = ppo.Args(
    rules="classic",
    num_games=32,
    rollout=16,
    minibatch=128,
    network="mlp",
    hidden=(16,),
    threads=1,
    eval_every=0,
)


def played(seats: Any, rewards: Any, ended: Any) -> ppo.Rollout:
    """A rollout in which every step is a decision; its values are zero."""
    rewards = np.asarray(rewards, np.float32)
    steps, games, players = rewards.shape
    rollout = ppo.Rollout(steps, games, players, FEATURES, ACTIONS)
    rollout.seat[players:] = seats
    rollout.decided[players:] = True
    rollout.reward[:] = rewards
    rollout.ended[:] = ended
    return rollout


def column(x: Any) -> Any:
    """A list over steps as arrays for one game."""
    return np.asarray(x)[:, None]


# --- advantages ---------------------------------------------------------------------------------


def test_losses_arrive_as_well_as_wins() -> None:
    """Seat 2 goes out; the last decisions of all four seats are paid, those of seats 1 and 3 with a
    loss.
    """
    seats = column([0, 1, 2, 3, 0, 1, 2])
    rewards = np.zeros((7, 1, 4))
    rewards[6, 0] = [0.5, -0.5, 0.5, -0.5]
    ended = column([False] * 6 + [True])
    rollout = played(seats, rewards, ended)
    ready = ppo.advantages(rollout, 1.0, 1.0)
    assert ready[4:].all()
    returns = rollout.target.numpy()[4:, 0]
    np.testing.assert_allclose(returns, [0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5])


def test_returns_by_hand() -> None:
    """Two seats, rewards in between, gamma 1 and lambda 0.5, worked out with pencil."""
    seats = column([0, 0, 1, 0, 1])
    rewards = np.zeros((5, 1, 2))
    rewards[:, 0, 0] = [1, 2, 3, 4, 5]
    rewards[:, 0, 1] = [-1, -2, -3, -4, -5]
    rollout = played(seats, rewards, column([False, False, False, False, True]))
    rollout.value[2:, 0] = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    ppo.advantages(rollout, 1.0, 0.5)
    # seat 0 decides at 0, 1, 3 and earns 1, then 2 + 3, then 4 + 5
    last = 9 - 4
    middle = 5 + 4 - 2 + 0.5 * last
    first = 1 + 2 - 1 + 0.5 * middle
    # seat 1 decides at 2, 4 and earns -3 - 4, then -5; what came before its first is nobody's
    end = -5 - 5
    begin = -7 + 5 - 3 + 0.5 * end
    np.testing.assert_allclose(
        rollout.advantage.numpy()[2:, 0], [first, middle, begin, last, end], rtol=1e-6
    )


def random_episodes(rng: np.random.Generator, steps: int, games: int, players: int) -> Any:
    """Seats, rewards, ends, decisions and values; about a third of the rows are forced moves."""
    seats = rng.integers(players, size=(steps, games))
    rewards = rng.normal(size=(steps, games, players))
    ended = rng.random((steps, games)) < 0.08
    decided = rng.random((steps, games)) < 0.7
    values = rng.normal(size=(steps, games)).astype(np.float32)
    return seats, rewards, ended, decided, values


def reference(episodes: Any, gamma: float, lam: float) -> dict[tuple[int, int], float]:
    """Advantages by (step, game) of decisions whose successor or end is known, one by one."""
    seats, rewards, ended, decided, values = episodes
    steps, games, players = rewards.shape
    found = {}
    for game in range(games):
        for seat in range(players):
            mine = [t for t in range(steps) if decided[t, game] and seats[t, game] == seat]
            after = {}
            for t in reversed(mine):
                paid, u = 0.0, t
                while True:
                    paid += rewards[u, game, seat]
                    if ended[u, game]:
                        after[t] = paid - values[t, game]
                        break
                    u += 1
                    if u == steps:
                        break
                    if u in mine:
                        delta = paid + gamma * values[u, game] - values[t, game]
                        after[t] = delta + gamma * lam * after.get(u, 0.0)
                        break
            found |= {(t, game): advantage for t, advantage in after.items()}
    return found


def fill(episodes: Any, part: slice) -> ppo.Rollout:
    seats, rewards, ended, decided, values = (array[part] for array in episodes)
    rollout = played(seats, rewards, ended)
    players = rewards.shape[2]
    rollout.decided[players:] = decided
    rollout.value[players:] = torch.from_numpy(values)
    return rollout


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_against_a_slow_reference(players: int) -> None:
    rng = np.random.default_rng(players)
    episodes = random_episodes(rng, 60, 7, players)
    rollout = fill(episodes, slice(None))
    ready = ppo.advantages(rollout, 0.97, 0.9)
    expected = reference(episodes, 0.97, 0.9)
    have = {(row - players, game) for row, game in zip(*np.nonzero(ready), strict=True)}
    assert have == set(expected)
    for (step, game), advantage in expected.items():
        assert rollout.advantage[players + step, game].item() == pytest.approx(advantage, abs=1e-4)


def test_decisions_held_back_lose_nothing() -> None:
    """Cut in three, with lambda 0: every decision gets what it gets in one long rollout."""
    players, steps = 4, 60
    episodes = random_episodes(np.random.default_rng(5), steps, 9, players)
    found: dict[tuple[int, int], float] = {}
    held: Any = None
    for cut in range(0, steps, 20):
        rollout = fill(episodes, slice(cut, cut + 20))
        rollout.observation[players:, :, 0] = torch.arange(cut, cut + 20)[:, None]
        if held is not None:
            rollout.restore(held)
        ready = ppo.advantages(rollout, 0.97, 0.0)
        for row, game in zip(*np.nonzero(ready), strict=True):
            key = int(rollout.observation[row, game, 0]), int(game)
            assert key not in found
            found[key] = rollout.advantage[row, game].item()
        rollout.hold_back(ready)
        assert not rollout.decided[players:].any()
        held = {name: array.copy() for name, array in rollout.held_back().items()}
    expected = reference(episodes, 0.97, 0.0)
    assert set(found) == set(expected)
    for key, advantage in expected.items():
        assert found[key] == pytest.approx(advantage, abs=1e-4)


def test_one_seats_rewards_change_no_other_seat() -> None:
    episodes = random_episodes(np.random.default_rng(0), 80, 5, 4)
    before = fill(episodes, slice(None))
    ppo.advantages(before, 1.0, 0.95)
    episodes[1][:, :, 2] += 10
    after = fill(episodes, slice(None))
    ready = ppo.advantages(after, 1.0, 0.95)
    others = ready & (after.seat != 2)
    changed = ready & (after.seat == 2)
    same = before.advantage.numpy() == after.advantage.numpy()
    assert same[others].all()
    assert not same[changed].any()


def test_nothing_of_the_next_deal_counts() -> None:
    seats = column([0, 1, 0, 1])
    rewards = np.zeros((4, 1, 2))
    rewards[1, 0] = [1, -1]
    rewards[2, 0] = [100, -100]
    rollout = played(seats, rewards, column([False, True, False, False]))
    ready = ppo.advantages(rollout, 1.0, 0.95)
    assert ready[2:, 0].tolist() == [True, True, False, False]
    assert rollout.target.numpy()[2:4, 0].tolist() == [1, -1]
    assert rollout.pending.tolist() == [[100, 0]]  # seat 1 decided after it


# --- collecting ---------------------------------------------------------------------------------


def player_for(batch: Any) -> ppo.Player:
    network = ActorCritic(batch.scale, batch.actions, (8,))
    return ppo.Player(network, ppo.Workers(1, 1))


def test_collect_notes_decisions_and_skips_forced_moves() -> None:
    rng = np.random.default_rng(2)
    seats, rewards, ended, _, _ = random_episodes(rng, 12, 6, 4)
    masks = rng.random((12, 6, ACTIONS)) < 0.4
    masks[..., 0] |= ~masks.any(-1)
    batch = ScriptedBatch(seats, rewards, ended, masks)
    rollout = ppo.Rollout(12, 6, 4, FEATURES, ACTIONS)
    assert ppo.collect(batch, player_for(batch), rollout) == ended.sum()
    np.testing.assert_array_equal(rollout.decided[4:], masks.sum(-1) > 1)
    np.testing.assert_array_equal(rollout.seat[4:], seats)
    np.testing.assert_array_equal(rollout.reward, rewards.astype(np.float32))
    np.testing.assert_array_equal(rollout.ended, ended)
    steps = np.arange(12)[rollout.decided[4:, 0]]
    np.testing.assert_array_equal(rollout.observation[4:, 0, 0].numpy()[steps], steps)
    assert (rollout.log_probability.numpy()[rollout.decided] < 0).all()


def test_sampling_follows_the_masked_policy() -> None:
    logits = torch.tensor([[2.0, 1.0, 0.0, 9.0]]).repeat(20_000, 1)
    mask = torch.tensor([[True, True, True, False]]).repeat(20_000, 1)
    probabilities = masked(logits, mask).softmax(-1)
    drawn = sample(probabilities, torch.Generator().manual_seed(0))
    counts = np.bincount(drawn.numpy(), minlength=4) / 20_000
    np.testing.assert_allclose(counts, probabilities[0].numpy(), atol=0.01)
    assert counts[3] == 0


def test_the_network_scales_its_features() -> None:
    scale = np.array([0.1, 0.5, 1.0], np.float32)
    network = ActorCritic(scale, 4, (8, 8))
    plain = ActorCritic(np.ones(3), 4, (8, 8))
    plain.load_state_dict({**network.state_dict(), "scale": torch.ones(3)})
    observation = torch.tensor([[10, 2, 1]], dtype=torch.uint8)
    scaled = observation.float() * torch.from_numpy(scale)
    for ours, theirs in zip(network(observation), plain(scaled), strict=True):
        torch.testing.assert_close(ours, theirs)


# --- updates ------------------------------------------------------------------------------------


def test_minibatches_are_whole_and_disjoint() -> None:
    index = torch.arange(100) * 3
    parts = list(ppo.minibatches(index, 30, torch.Generator()))
    assert [len(part) for part in parts] == [30, 30, 30]
    assert len(set(torch.cat(parts).tolist())) == 90
    assert len(next(ppo.minibatches(index, 1000, torch.Generator()))) == 100


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="malloc of glibc")
def test_freed_memory_is_kept() -> None:
    """Once warm, an update takes hardly a new page; without the request it takes over 10,000."""
    resource = pytest.importorskip("resource")
    trainer = ppo.Trainer(ppo.Args(rollout=8))
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        trainer.update()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 3_000


def test_first_minibatch_has_ratio_one() -> None:
    """Before any step the policy is the one that played: nothing is clipped, the divergence is
    zero.
    """
    batch = GuessingBatch()
    trainer = ppo.Trainer(replace(SMALL, epochs=1, minibatch=10_000), batch)
    numbers = trainer.update()
    assert numbers["clipped"] == 0
    assert numbers["divergence"] == pytest.approx(0, abs=1e-6)


def test_it_learns_the_guessing_game() -> None:
    """A policy at random guesses right in a bit more than a fifth; the payment comes at the end of
    a deal only.
    """
    batch = GuessingBatch(128, seed=1)
    args = replace(SMALL, rollout=32, minibatch=512, learning_rate=1e-2, anneal=False, clip=0.3)
    trainer = ppo.Trainer(args, batch)
    for _ in range(25):
        trainer.update()
    agent = trainer.agent()
    right = agent.act(batch, np.arange(batch.n)) == batch.good
    assert right.mean() > 0.95


def weights(trainer: ppo.Trainer) -> Any:
    return [parameter.detach().numpy().copy() for parameter in trainer.network.parameters()]


def test_resuming_is_exact(tmp_path: Path) -> None:
    """Three updates, saved, loaded into a new trainer, three more: bit for bit as six in a row.
    Every option is tried in test_ppo_options.py.
    """
    whole = ppo.Trainer(SMALL, GuessingBatch(seed=3))
    for _ in range(6):
        whole.update()
    first = ppo.Trainer(SMALL, GuessingBatch(seed=3))
    for _ in range(3):
        first.update()
    first.save(tmp_path / "last")
    second = ppo.Trainer(replace(SMALL, seed=99), GuessingBatch(seed=4))
    second.load(checkpoints.read(tmp_path))
    for _ in range(3):
        second.update()
    for ours, theirs in zip(weights(whole), weights(second), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert (whole.deals, whole.updates, whole.steps) == (second.deals, second.updates, second.steps)
    np.testing.assert_array_equal(whole.rollout.pending, second.rollout.pending)


def test_descent_is_adam_with_a_clipped_gradient() -> None:
    """A row of all weights moves as torch's Adam moves each layer; the network's weights are it."""
    args = replace(SMALL, max_grad_norm=0.1)
    torch.manual_seed(0)
    network, other = (ActorCritic(np.ones(3), 4, (8,)) for _ in range(2))
    other.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(other.parameters(), lr=args.learning_rate, eps=1e-5)
    descent = Descent(network, args.learning_rate, args.max_grad_norm)
    for seed in range(3):
        generator = torch.Generator().manual_seed(seed)
        parts = [torch.rand(len(descent.weights), generator=generator) for _ in range(2)]
        torch.nn.utils.vector_to_parameters(parts[0] + parts[1], optimizer_gradients(other))
        torch.nn.utils.clip_grad_norm_(other.parameters(), args.max_grad_norm)
        optimizer.step()
        descent.step(parts)
    for ours, theirs in zip(network.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs)


def optimizer_gradients(network: Any) -> Any:
    """The gradients of a network's layers, as empty tensors to be filled."""
    for parameter in network.parameters():
        parameter.grad = torch.empty_like(parameter)
    return [parameter.grad for parameter in network.parameters()]


def test_a_checkpoint_of_an_earlier_version_is_refused_in_one_line(tmp_path: Path) -> None:
    """Its optimizer had a state for each layer; as an agent it still plays."""
    trainer = ppo.Trainer(SMALL, GuessingBatch())
    trainer.update()
    trainer.save(tmp_path / "last")
    saved = checkpoints.read(tmp_path)
    parts = {part: saved.arrays(part) for part in ("network", "trainer")}
    parts["trainer"]["optimizer.0.step"] = parts["trainer"].pop("optimizer.step")
    checkpoints.write(tmp_path / "last", saved.meta, parts)
    with pytest.raises(checkpoints.CheckpointError, match=r"earlier version.*start a new one"):
        ppo.Trainer(SMALL, GuessingBatch()).load(checkpoints.read(tmp_path))


# --- the run ------------------------------------------------------------------------------------


@pytest.fixture
def guessing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The trainer's command on the guessing game, with runs in a folder of its own."""

    def make(args: ppo.Args, n: int, *, seed: int, autoreset: str = "same_step") -> Any:
        return GuessingBatch(n, args.players, seed)

    monkeypatch.setattr(ppo, "make_batch", make)
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMAND = [
    *("--num-games", "32", "--rollout", "16", "--minibatch", "128"),
    *("--network", "mlp", "--hidden", "16", "--threads", "1", "--eval-every", "0"),
]


def test_a_run_and_its_continuation(guessing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ppo.main([*COMMAND, "--deals", "200", "--run", "runs/a"])
    assert "done: " in capsys.readouterr().out
    before = checkpoints.read("runs/a").meta["counters"]
    ppo.main(["--resume", "runs/a", "--deals", "400"])
    after = checkpoints.read("runs/a").meta["counters"]
    assert before["deals"] < 400 <= after["deals"]
    assert list(guessing.glob("runs/a/events.out.tfevents*"))


def fails(arguments: list[str]) -> str:
    """The one line with which the command ends."""
    with pytest.raises(SystemExit) as ended:
        ppo.main(arguments)
    text = str(ended.value.code)
    assert text.startswith("train.ppo: ") and "\n" not in text
    return text


def test_refusals_are_one_line(guessing: Path) -> None:
    ppo.main([*COMMAND, "--deals", "100", "--run", "runs/a"])
    text = fails([*COMMAND, "--run", "runs/a"])
    assert "runs/a: exists already" in text and "--resume runs/a" in text
    assert "no such file" in fails(["--resume", "runs/missing"])
    (guessing / "runs/empty").mkdir()
    assert "holds no checkpoint" in fails(["--resume", "runs/empty"])
    wrong = [*COMMAND[:-1], "5", "--eval-opponent", "basik", "--run", "runs/d"]
    assert "did you mean basic?" in fails(wrong)
    assert not (guessing / "runs/d").exists()
    assert "--epochs can't change" in fails(["--resume", "runs/a", "--epochs", "9"])


def test_interrupt_saves_and_says_how_to_go_on(
    guessing: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    update = ppo.Trainer.update

    def interrupted(self: ppo.Trainer) -> dict[str, float]:
        if self.updates == 2:
            signal.raise_signal(signal.SIGINT)
        return update(self)

    monkeypatch.setattr(ppo.Trainer, "update", interrupted)
    with pytest.raises(SystemExit) as ended:
        ppo.main([*COMMAND, "--deals", "100000", "--run", "runs/b"])
    assert ended.value.code == 130
    assert "python -m train.ppo --resume runs/b" in capsys.readouterr().out
    assert checkpoints.read("runs/b").meta["counters"]["updates"] == 3


def test_a_second_interrupt_stops_at_once(guessing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def impatient(self: ppo.Trainer) -> dict[str, float]:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return {}

    monkeypatch.setattr(ppo.Trainer, "update", impatient)
    with pytest.raises(SystemExit) as ended:
        ppo.main([*COMMAND, "--run", "runs/c"])
    assert ended.value.code == 130


class Clockless:
    """What the display reads of a trainer."""

    deals, steps, args = 700, 66_000, replace(SMALL, deals=100_000, eval_opponent="basic")


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_fits_a_terminal_and_prints_lines_elsewhere(
    tmp_path: Path, terminal: bool
) -> None:
    from rich.console import Console

    from train.evaluate import Score
    from train.progress import Progress

    written = StringIO()
    console = Console(file=written, force_terminal=terminal, width=80)
    trainer: Any = Clockless()
    with Progress(tmp_path, trainer, console) as progress:
        progress.evaluated(trainer, Score(-123.4, 20.0, 64))
        trainer.deals += 1000
        progress.show(trainer, {"steps_per_second": 48_200.0, "decisions_per_second": 33_870.0})
    text = written.getvalue()
    for part in ("1,700/100,000", "33,870", "decisions/s", "basic", "-123 ± 39", "left "):
        assert part in text
    assert "…" not in text

"""The loader for torch: every decision once, in an order that the seed decides; and it teaches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader  # noqa: E402

from canasta_env.data.reader import DataError, DataSet  # noqa: E402
from canasta_env.data.torch_loader import Minibatches  # noqa: E402
from experiments.data import plan as plans  # noqa: E402
from tests.datasets import examples, plan, write  # noqa: E402

KEY = ("deal", "step")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> DataSet:
    """Several files with several row groups each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plans, "_MEMORY", 1)
        patch.setattr(plans, "GROUP", 700)
        return write(tmp_path_factory.mktemp("data"), plan(units=70))


def keys(batches: Any) -> list[tuple[int, int]]:
    """Which decisions came, in the order in which they came."""
    return [
        pair
        for batch in batches
        for pair in zip(batch["deal"].tolist(), batch["step"].tolist(), strict=True)
    ]


def all_keys(data: DataSet) -> list[tuple[int, int]]:
    return keys([data.read(KEY)])


@pytest.mark.parametrize("workers", [0, 2])
def test_every_decision_comes_once(data: DataSet, workers: int) -> None:
    loader = DataLoader(
        Minibatches(data.folder, KEY, size=64), batch_size=None, num_workers=workers
    )
    found = keys(loader)
    assert found != all_keys(data)
    assert sorted(found) == all_keys(data)


def test_processes_share_the_data(data: DataSet) -> None:
    parts = [keys(Minibatches(data.folder, KEY, shard=(place, 3))) for place in range(3)]
    assert all(parts)
    assert sorted(pair for part in parts for pair in part) == all_keys(data)


def test_unshuffled_as_written(data: DataSet) -> None:
    columns = ("observation", "mask", "action", "reward", "scores")
    batches = list(Minibatches(data.folder, columns, size=100, shuffle=False))
    assert [len(batch["action"]) for batch in batches[:-1]] == [100] * (len(batches) - 1)
    for name, values in data.read(columns).items():
        np.testing.assert_array_equal(torch.cat([batch[name] for batch in batches]), values)


def test_the_order_follows_from_seed_and_epoch(data: DataSet) -> None:
    one, two, other = (Minibatches(data.folder, KEY, seed=seed) for seed in (1, 1, 2))
    first = keys(one)
    assert keys(two) == first
    assert keys(other) != first
    two.set_epoch(1)
    assert keys(two) != first
    two.set_epoch(0)
    assert keys(two) == first


def test_workers_that_live_on_see_the_next_epoch(data: DataSet) -> None:
    batches = Minibatches(data.folder, KEY, size=64)
    loader = DataLoader(batches, batch_size=None, num_workers=1, persistent_workers=True)
    first = keys(loader)
    batches.set_epoch(1)
    assert keys(loader) != first


def test_a_pool_mixes_row_groups(data: DataSet) -> None:
    batch = next(iter(Minibatches(data.folder, KEY, size=256, pool=4)))
    assert len(np.unique(batch["deal"] // 30)) > 2
    batch = next(iter(Minibatches(data.folder, KEY, size=256, pool=1)))
    assert np.ptp(batch["deal"].numpy()) < 60


def test_only_some_decisions(data: DataSet) -> None:
    everything = data.read()
    wanted = (everything["agent"] == 1) & (everything["legal"] > 1)
    found = keys(Minibatches(data.folder, KEY, agents=["greedy"], choices=True))
    expected = keys([{name: values[wanted] for name, values in everything.items()}])
    assert sorted(found) == expected


def test_errors(data: DataSet) -> None:
    with pytest.raises(DataError, match="'expert' did not play; basic, greedy did"):
        Minibatches(data.folder, agents=["expert"])
    with pytest.raises(DataError, match="no column is called 'view'"):
        Minibatches(data.folder, ("view",))
    with pytest.raises(ValueError, match=r"shard=\(2, 2\) is not possible"):
        Minibatches(data.folder, shard=(2, 2))
    with pytest.raises(ValueError, match="size=0 is not possible"):
        Minibatches(data.folder, size=0)


def test_a_policy_learns_by_imitation(data: DataSet) -> None:
    """Masked cross entropy of a linear policy falls below half of that of the uniform one."""
    batches = Minibatches(data.folder, agents=["basic"], choices=True, size=128)
    torch.manual_seed(0)
    policy = torch.nn.Linear(data.played["observation_size"], data.played["actions"])
    torch.nn.init.zeros_(policy.weight)
    torch.nn.init.zeros_(policy.bias)
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)
    losses = []
    for epoch in range(5):
        batches.set_epoch(epoch)
        for batch in batches:
            logits = policy(batch["observation"] * batches.scale)
            logits = logits.masked_fill(~batch["mask"], -torch.inf)
            loss = torch.nn.functional.cross_entropy(logits, batch["action"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert np.mean(losses[-5:]) < losses[0] / 2


def test_the_example_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "data", plan(units=4, teams=("expert", "expert")))
    monkeypatch.chdir(tmp_path)
    (code,) = [code for code in examples() if "Minibatches(" in code]
    exec(compile(code, "data.md", "exec"), {"__name__": "page"})

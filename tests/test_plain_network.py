"""The networks in numpy: the same numbers as torch's, and nothing that is not theirs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from safetensors.numpy import save  # noqa: E402

from agents import checkpoint as checkpoints  # noqa: E402
from agents import tensors  # noqa: E402
from agents.checkpoint import CheckpointError  # noqa: E402
from agents.neural import NeuralAgent, make_network, network_arrays  # noqa: E402
from agents.plain_agent import PlainAgent  # noqa: E402
from agents.plain_network import build_plain_network  # noqa: E402
from canasta_env.actions import ActionTable  # noqa: E402
from canasta_env.observation import observation_hash, observation_scale  # noqa: E402
from canasta_env.rules import Rules  # noqa: E402
from experiments import bench_champion  # noqa: E402
from tests.scripted import GuessingBatch  # noqa: E402

RANKS = ["classic", "russian", "standard", "hand_and_foot", "latvian", "hungarian", "mini", "tiny"]
CASES = [
    *((name, 2 if name == "tiny" else 4, "ranks", (8, 12)) for name in RANKS),
    ("classic", 6, "ranks", (64, 128)),
    *((name, 2 if name == "tiny" else 4, "symmetric", (8, 12)) for name in [*RANKS, "czech"]),
    ("czech", 6, "symmetric", (64, 128)),
    ("classic", 4, "mlp", (16,)),
    ("czech", 5, "mlp", (16, 24, 8)),
]


def written(folder: Path, name: str, players: int, kind: str, hidden: tuple[int, ...]) -> Any:
    """A network with random weights, and the folder of its checkpoint."""
    rules = Rules.parse(name)
    table, scale = ActionTable(rules), observation_scale(rules, players)
    meta = {
        "rules": str(rules),
        "players": players,
        "actions": len(table),
        "actions_hash": table.hash,
        "observation_size": len(scale),
        "observation_hash": observation_hash(rules, players),
        "network": {"kind": kind, "hidden": hidden},
    }
    torch.manual_seed(7)
    network = make_network(kind, hidden, meta, scale).eval()
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    checkpoints.write(folder, meta, {"network": network_arrays(network)})
    return network


@pytest.mark.parametrize(("name", "players", "kind", "hidden"), CASES)
def test_the_numbers_are_those_of_torch(
    tmp_path: Path, name: str, players: int, kind: str, hidden: tuple[int, ...]
) -> None:
    network = written(tmp_path, name, players, kind, hidden)
    rng = np.random.default_rng(3)
    observations = rng.integers(0, 9, (300, len(network.scale)), np.uint8)
    with torch.inference_mode():
        expected = network(torch.from_numpy(observations))[0].numpy()
    found = build_plain_network(checkpoints.read(tmp_path)).logits(observations)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


def changed(folder: Path, name: str, change: Any) -> None:
    """Writes a checkpoint again with one of its arrays changed."""
    saved = checkpoints.read(folder)
    arrays = saved.arrays("network")
    arrays[name] = change(arrays[name])
    checkpoints.write(folder, saved.meta, {"network": arrays})


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("policy.weight", lambda a: a[:, :-1]),
        ("policy.bias", lambda a: a[:-1]),
        ("order", lambda a: a[::-1].copy()),
        ("features", lambda a: a + 1000),
        ("rank", lambda a: a[:, :-1]),
        ("worth", lambda a: a.repeat(2, axis=0)),
        ("token_policy.weight", lambda a: a[:-1]),
        ("policy.weight", lambda a: a.repeat(2, axis=0)),
        ("scale", lambda a: a[:-1]),
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, name: str, change: Any) -> None:
    kind = "ranks" if name in ("order", "features", "rank") else "symmetric"
    written(tmp_path, "classic", 4, kind, (8, 12))
    build_plain_network(checkpoints.read(tmp_path))
    changed(tmp_path, name, change)
    with pytest.raises(CheckpointError, match="not this network") as refused:
        build_plain_network(checkpoints.read(tmp_path))
    assert "\n" not in str(refused.value)


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "classic", 4, "mlp", (8,))
    index = tmp_path / checkpoints.INDEX
    index.write_text(index.read_text().replace('"mlp"', '"fog"'))
    with pytest.raises(CheckpointError, match="its kind is 'fog', not mlp or ranks or symmetric"):
        build_plain_network(checkpoints.read(tmp_path))


class Known:
    """A network whose logits are given."""

    def __init__(self, logits: list[float]) -> None:
        self.row = np.array(logits, np.float32)

    def logits(self, observations: Any) -> Any:
        return np.tile(self.row, (len(observations), 1))


def test_lots_fall_by_the_probabilities_of_legal_actions() -> None:
    agent = PlainAgent(Known([np.log(3), 50.0, 0.0]), {}, temperature=1.0, seed=5)  # type: ignore[arg-type]
    mask = np.tile(np.array([True, False, True]), (20_000, 1))
    observations = np.zeros((20_000, 1), np.uint8)
    drawn = agent._choose(observations, mask)
    shares = np.bincount(drawn, minlength=3) / len(drawn)
    np.testing.assert_allclose(shares, [0.75, 0, 0.25], atol=0.015)
    state = agent.state_dict()
    after = agent._choose(observations, mask)
    assert (after != drawn).any()
    agent.load_state_dict(state)
    np.testing.assert_array_equal(agent._choose(observations, mask), after)


def test_both_agents_play_alike_and_refuse_alike(tmp_path: Path) -> None:
    batch = GuessingBatch(64)
    identity = checkpoints.identity(batch)
    torch.manual_seed(1)
    meta = {**identity, "network": {"kind": "mlp", "hidden": (16,)}}
    network = make_network("mlp", (16,), identity, batch.scale)
    torch.nn.init.normal_(network.policy.weight)
    checkpoints.write(tmp_path, meta, {"network": network_arrays(network)})
    agents = [kind.load(tmp_path) for kind in (NeuralAgent, PlainAgent)]
    rows = np.arange(64)
    for _ in range(5):
        ours, theirs = (agent.act(batch, rows) for agent in agents)
        np.testing.assert_array_equal(ours, theirs)
        batch.step(ours)
    batch = GuessingBatch(4)
    batch.scale = batch.scale * 2
    with pytest.raises(CheckpointError, match="another observation"):
        agents[1].act(batch, rows[:4])


def test_the_benchmark_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path, "classic", 4, "mlp", (8,))
    assert bench_champion.main([str(tmp_path), "--rows", "8", "--rounds", "1"]) == 0
    assert "times as fast as torch" in capsys.readouterr().out
    assert bench_champion.main([str(tmp_path / "nothing")]) == 2
    assert "no such file" in capsys.readouterr().err


# --- safetensors --------------------------------------------------------------------------------


def test_arrays_are_read_as_the_library_writes_them() -> None:
    rng = np.random.default_rng(0)
    arrays = {
        "weights": rng.random((3, 5), np.float32),
        "doubles": rng.random(4),
        "halves": rng.random(3).astype(np.float16),
        "order": np.arange(6).reshape(2, 3),
        "bytes": np.arange(7, dtype=np.uint8),
        "flags": np.array([True, False]),
        "number": np.array(7),
        "nothing": np.zeros((0, 4), np.float32),
    }
    found = tensors.load(save(arrays))
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
        assert found[name].flags.writeable


def file_of(header: Any, numbers: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + numbers


def entry(**more: Any) -> dict[str, Any]:
    return {"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **more}}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "header of 0 bytes"),
        (b"\xff" * 16, "is not there"),
        (file_of(b"{"), "Expecting"),
        (file_of([]), "no JSON object"),
        (file_of({"x": 3}), "lacks type, shape or place"),
        (file_of(entry(dtype="BF16"), bytes(8)), "its type 'BF16' is not one of"),
        (file_of(entry(), bytes(7)), "does not hold an array"),
        (file_of(entry(shape=[3]), bytes(8)), "does not hold an array"),
        (file_of(entry(shape=[-2]), bytes(8)), "no row of whole numbers"),
        (file_of(entry(data_offsets=[-8, 0]), bytes(8)), "no row of whole numbers"),
        (file_of(entry(data_offsets=[8, 16]), bytes(8)), "does not hold an array"),
    ],
)
def test_what_is_no_safetensors_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tensors.load(data)

"""The network with the symmetries of its rules: exactly those, and it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from agents.network import masked  # noqa: E402
from agents.neural import build_network, make_network, network_arrays  # noqa: E402
from agents.symmetric_layout import letters  # noqa: E402
from agents.symmetric_network import symmetric_network  # noqa: E402
from canasta_env.actions import ActionTable  # noqa: E402
from canasta_env.batch import Batch  # noqa: E402
from canasta_env.observation import observation_scale  # noqa: E402
from canasta_env.rules import Rules  # noqa: E402
from canasta_env.symmetry import Relabelling, symmetries  # noqa: E402

CASES = [
    ("classic", 4),
    ("classic", 3),
    ("latvian", 6),
    ("hand_and_foot", 4),
    ("mini", 2),
    ("tiny", 2),
    ("czech", 4),
    ("czech", 6),
]


def network(rules: str, players: int, seed: int = 1) -> Any:
    """A network with random heads and orbits, as training makes them."""
    torch.manual_seed(seed)
    found = symmetric_network(rules, players, observation_scale(Rules.parse(rules), players))
    for weight in (found.token_policy.weight, found.policy.weight, found.value.weight, found.worth):
        torch.nn.init.normal_(weight, std=0.3)
    return found


def observations(net: Any, n: int = 12) -> Any:
    return np.random.default_rng(0).integers(0, 4, (n, len(net.scale)), dtype=np.uint8)


def judged(net: Any, seen: Any) -> tuple[Any, Any]:
    with torch.inference_mode():
        logits, values = net(torch.from_numpy(seen))
    return logits.numpy(), values.numpy()


def differences(rules: str, players: int, change: Relabelling, net: Any = None) -> tuple[Any, Any]:
    """By how much logits and values of relabelled observations are not the relabelled ones."""
    net = network(rules, players) if net is None else net
    group, seen = symmetries(rules, players), observations(net, len(change))
    logits, values = judged(net, seen)
    others, other_values = judged(net, group.observations(change, seen))
    return np.abs(group.masks(change, logits) - others), np.abs(values - other_values)


@pytest.mark.parametrize(("rules", "players"), CASES)
def test_relabelled_observations_give_relabelled_logits(rules: str, players: int) -> None:
    change = symmetries(rules, players).sample(np.random.default_rng(1), 12)
    for difference in differences(rules, players, change):
        assert difference.max() < 1e-5


@pytest.mark.parametrize(("rules", "players"), [("tiny", 2), ("czech", 4)])
def test_so_for_every_relabelling(rules: str, players: int) -> None:
    for difference in differences(rules, players, symmetries(rules, players).elements()):
        assert difference.max() < 1e-5


def test_orbits_are_told_apart() -> None:
    """Sevens and eights exchanged are another hand, also where all tokens are alike."""
    group, net = symmetries("classic", 4), network("classic", 4)
    change = group.exchange("7", "8").after(group.identity(12))
    assert all(difference.max() > 0.01 for difference in differences("classic", 4, change, net))
    logits, _ = judged(net, np.zeros((1, len(net.scale)), np.uint8))
    discards = [ActionTable(group.rules).id(f"discard {rank}") for rank in "4567"]
    assert np.ptp(logits[0, discards]) == 0.0
    assert logits[0, discards[0]] != logits[0, ActionTable(group.rules).id("discard 8")]


def test_letters_by_hand() -> None:
    classic = letters(symmetries("classic", 4))
    assert classic.orbits.tolist() == [0] * 4 + [1] * 6 + [2]
    assert classic.features[:, 0].tolist() == list(range(4, 15))  # the hand, the first piece
    table = ActionTable(Rules.parse("classic"))
    parts = {text: classic.parts[i, 0] for i, text in enumerate(table.texts)}
    assert parts["discard K"] - parts["discard 4"] == 9 * classic.heads
    assert parts["take K K"] // classic.heads == 9
    assert len({parts["draw"], parts["take"], parts["ask"]}) == 3
    assert min(parts["draw"], parts["ask"]) >= 11 * classic.heads


def test_suits_by_hand() -> None:
    """A pair of clubs is twice the one letter; of clubs and spades, the sum of both."""
    czech = letters(symmetries("czech", 4))
    assert czech.orbits.tolist() == [0] * 4
    table, zero = ActionTable(Rules.parse("czech")), 4 * czech.heads + czech.alone
    parts = {text: set(czech.parts[i]) - {zero} for i, text in enumerate(table.texts)}
    heads = {text: {part % czech.heads for part in found} for text, found in parts.items()}
    whose = {text: {part // czech.heads for part in found} for text, found in parts.items()}
    assert whose["take 7c 7s"] == {0, 3}
    assert len(heads["take 7c 7s"]) == 1
    assert heads["take 7c 7s"] == heads["take 7d 7h"]
    assert heads["take 7c 7s"] != heads["take 8c 8s"]
    assert whose["take 7c 7c"] == {0}
    assert heads["take 7c 7c"] != heads["take 7c 7s"]
    assert len(heads["meld 7c 7d 7d"]) == 2
    assert heads["meld 7c 2 9c"] == heads["meld 7h 2 9h"] != heads["meld 7c 8c 2"]
    assert min(parts["add 2 to K"]) >= 4 * czech.heads


@pytest.mark.parametrize(("rules", "players"), [("classic", 4), ("czech", 2)])
def test_every_feature_and_action_has_its_place(rules: str, players: int) -> None:
    net = network(rules, players)
    assert sorted(net.columns) == list(range(len(net.scale)))
    seen = torch.from_numpy(observations(net))
    arranged = net.arrange(seen)
    assert torch.equal(arranged.sort(1).values, seen.sort(1).values)
    with torch.inference_mode():
        for one, other in zip(net(seen), net.judge(arranged), strict=True):
            assert torch.equal(one, other)
    found = judged(net, observations(net, 1))[0][0]
    places = letters(symmetries(rules, players))
    assert len({tuple(sorted(row)) for row in places.parts}) == len(found)  # no two are one


def test_features_are_scaled_inside() -> None:
    rules = Rules.parse("classic")
    scale, nets = observation_scale(rules, 4), []
    for factor in (1.0, 0.5):
        torch.manual_seed(3)
        nets.append(symmetric_network("classic", 4, scale * factor, (8, 12)))
    seen = observations(nets[0])
    for one, other in zip(judged(nets[0], seen), judged(nets[1], seen * 2), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize(("rules", "players"), [("mini", 2), ("czech", 2)])
def test_it_learns(rules: str, players: int) -> None:
    """Actions and values at random observations are fitted, and every weight takes part."""
    torch.manual_seed(5)
    net = symmetric_network(rules, players, observation_scale(Rules.parse(rules), players))
    seen = torch.from_numpy(observations(net, 32))
    rng = np.random.default_rng(2)
    mask = rng.random((32, len(ActionTable(Rules.parse(rules))))) < 0.1
    mask[:, 0] = True
    chosen = torch.from_numpy((rng.random(mask.shape) * mask).argmax(1))
    values, legal = torch.from_numpy(rng.normal(size=32)).float(), torch.from_numpy(mask)
    descent, losses = torch.optim.Adam(net.parameters(), lr=3e-3), []
    for _ in range(40):
        logits, value = net(seen)
        policy = torch.nn.functional.cross_entropy(masked(logits, legal), chosen)
        loss = policy + (value - values).square().mean()
        descent.zero_grad()
        loss.backward()
        losses.append(loss.item())
        descent.step()
    assert all(weight.grad is not None and weight.grad.any() for weight in net.parameters())
    assert losses[-1] < 0.5 * losses[0]
    change = symmetries(rules, players).sample(rng, 12)
    for difference in differences(rules, players, change, net):
        assert difference.max() < 1e-4


def test_widths_are_two() -> None:
    with pytest.raises(ValueError, match="3 widths given; the network symmetric has two"):
        symmetric_network("mini", 2, np.ones(346), (8, 8, 8))


def test_made_by_its_kind_and_kept_in_a_checkpoint(tmp_path: Path) -> None:
    """What is kept are scale and weights; the places follow from the rules."""
    batch = Batch("czech", 1, players=2)
    meta = checkpoints.identity(batch)
    torch.manual_seed(2)
    made: Any = make_network("symmetric", (8, 12), meta, batch.scale)
    assert made.hidden == (8, 12)
    arrays = network_arrays(made)
    assert "parts" not in arrays
    meta |= {"network": {"kind": "symmetric", "hidden": [8, 12]}}
    checkpoints.write(tmp_path, meta, {"network": arrays})
    back = build_network(checkpoints.read(tmp_path))
    seen = observations(made)
    for one, other in zip(judged(made, seen), judged(back, seen), strict=True):
        np.testing.assert_array_equal(one, other)

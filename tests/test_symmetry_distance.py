"""How far agents are from symmetric: those that are not at all, others by the right number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env import Batch, Rules
from canasta_env.symmetry import symmetries
from experiments import symmetry
from experiments.policies import divergence
from experiments.symmetry import Probe, distance

TINY = Probe(Rules.parse("tiny"), 2, 12, 2, 3)
MINI = Probe(Rules.parse("mini"), 2, 6, 3, 1)


class Leaning:
    """An agent that likes each action as much as ``weights`` say, and remembers the masks that it
    was asked about."""

    def __init__(self, weights: Any) -> None:
        self.weights = np.asarray(weights, float)
        self.masks: list[Any] = []

    def policy(self, batch: Any, rows: Any) -> Any:
        self.masks.append(batch.mask[rows].copy())
        policy = batch.mask[rows] * self.weights
        return policy / policy.sum(1, keepdims=True)

    def act(self, batch: Any, rows: Any) -> Any:
        return (batch.mask[rows] * self.weights).argmax(1)


def weights(rules: Rules, seed: int = 0) -> Any:
    actions = Batch(rules, 1, players=2, observe=False).actions
    return np.random.default_rng(seed).random(actions) + 0.1


def symmetric_weights(rules: Rules) -> Any:
    """Means over the group, with which all actions of an orbit are liked alike."""
    group = symmetries(rules, 2)
    return group.masks(group.elements(), np.tile(weights(rules), (group.order, 1))).mean(0)


def test_divergence_by_hand() -> None:
    one, other = np.array([[0.5, 0.5, 0.0]]), np.array([[0.25, 0.75, 0.0]])
    expected = 0.5 * np.log(2) + 0.5 * np.log(2 / 3)
    np.testing.assert_allclose(divergence(one, other), [expected])
    assert divergence(one, one) == [0.0]
    assert divergence(np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])) == [np.inf]
    assert divergence(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]])) == np.log(2)


@pytest.mark.parametrize("probe", [TINY, MINI])
def test_a_symmetric_policy_has_no_distance(probe: Probe) -> None:
    liked = symmetric_weights(probe.rules)
    found = distance(Leaning(liked), Leaning(liked), probe)
    assert found.states > 20
    assert found.nats is not None
    np.testing.assert_allclose(found.nats, 0.0, atol=1e-12)
    assert not found.again.any()


def test_the_distance_is_that_of_the_two_policies() -> None:
    """In tiny there is one relabelling, 4 for 5, so each state's divergence is known."""
    liked = weights(TINY.rules)
    asked = Leaning(liked)
    found = distance(Leaning(liked), asked, Probe(TINY.rules, 2, 1, 1, 3))
    group = symmetries("tiny", 2)
    other = liked[group.actions(group.exchange("4", "5"))]
    # the relabelled state is asked about first, then the state itself
    masks = np.concatenate(asked.masks[1::2])
    policies = [mask * of for mask in masks for of in (liked, other)]
    policies = [policy / policy.sum() for policy in policies]
    expected = divergence(np.array(policies[::2]), np.array(policies[1::2]))
    assert found.states == len(masks)
    assert found.nats is not None
    np.testing.assert_allclose(found.nats, [expected.mean()])
    chosen = [(mask * of).argmax() for mask in masks for of in (liked, other)]
    changed = [one != two for one, two in zip(chosen[::2], chosen[1::2], strict=True)]
    np.testing.assert_allclose(found.changed, [np.mean(changed)])
    assert 0.0 < found.changed[0] < 1.0


def test_asking_does_not_change_play() -> None:
    """Twice as many questions about the same deals: what was asked before is among it."""
    liked = weights(MINI.rules)
    often, seldom = Leaning(liked), Leaning(liked)
    distance(Leaning(liked), often, Probe(MINI.rules, 2, 4, 1, 1))
    distance(Leaning(liked), seldom, Probe(MINI.rules, 2, 4, 5, 1))
    asked = [mask.tobytes() for mask in often.masks[1::2]]
    assert all(mask.tobytes() in asked for mask in seldom.masks[1::2])
    assert len(seldom.masks) < len(often.masks)


def test_networks() -> None:
    """One with the symmetries of its rules has no distance; one with a bias for each rank has."""
    torch = pytest.importorskip("torch")
    from agents.checkpoint import identity
    from agents.neural import NeuralAgent, make_network
    from agents.symmetric_network import symmetric_network

    batch = Batch(MINI.rules, 1, players=2)
    torch.manual_seed(0)
    nets: list[Any] = [
        symmetric_network("mini", 2, batch.scale, (8, 12)),
        make_network("ranks", (8, 12), identity(batch), batch.scale),
    ]
    found = []
    for net in nets:
        torch.nn.init.normal_(net.token_policy.weight)
        torch.nn.init.normal_(net.worth if hasattr(net, "worth") else net.rank)
        agents = [NeuralAgent(net, identity(batch), temperature=1.0, seed=i) for i in range(2)]
        found.append(distance(*agents, MINI))
    symmetric, ranks = (one.nats for one in found)
    assert symmetric is not None
    assert ranks is not None
    assert symmetric.max() < 1e-9
    assert ranks.mean() > 0.05


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["greedy", "basic", "--rules", "mini", "--players", "2", "--deals", "6"]
    assert symmetry.main(arguments) == 0
    shown = capsys.readouterr().out
    assert "48 symmetries" in shown
    assert [line.split()[0] for line in shown.splitlines()[-3:-1]] == ["greedy", "basic"]
    assert symmetry.main(arguments) == 0
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["greedy", "--rules", "tiny(ranks=1, packs=2)", "--players", "2"], "has no symmetries"),
        (["greedi"], "no agent is called 'greedi'"),
        (["greedy", "--level", "2"], "--level 2.0 is not between 0 and 1"),
        (["greedy", "--seed", "-1"], "--seed -1 is not possible"),
        (["greedy", "--players", "5"], "players: 5 cannot play classic"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert symmetry.main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("experiments.symmetry: ")
    assert text in shown.err
    assert shown.err.count("\n") == 1

"""The networks: features are scaled, illegal actions impossible, ranks treated alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.network import ActorCritic  # noqa: E402
from agents.neural import fitting_kind, make_network  # noqa: E402
from agents.rank_layout import RANKS, layout  # noqa: E402
from agents.rank_network import RankNetwork  # noqa: E402
from canasta_env.actions import ActionTable  # noqa: E402
from canasta_env.observation import observation_scale, pieces  # noqa: E402
from canasta_env.rules import Rules  # noqa: E402

CASES = [
    ("classic", 4),
    ("classic", 2),
    ("classic", 6),
    ("hungarian", 4),
    ("hand_and_foot", 3),
    ("mini", 2),
]


def observations(name: str, players: int, n: int = 20) -> Any:
    size = len(observation_scale(Rules.parse(name), players))
    return torch.randint(0, 4, (n, size), dtype=torch.uint8, generator=torch.Generator())


def rank_network(name: str, players: int) -> Any:
    rules = Rules.parse(name)
    torch.manual_seed(1)
    network = RankNetwork(observation_scale(rules, players), layout(rules, players), hidden=(8, 12))
    for head in (network.token_policy, network.policy, network.value):
        torch.nn.init.normal_(head.weight)
    return network


@pytest.mark.parametrize(("name", "players"), CASES)
def test_the_layout_covers_every_feature_and_action_once(name: str, players: int) -> None:
    rules = Rules.parse(name)
    places = layout(rules, players)
    features = np.concatenate([places.features.ravel(), places.others])
    actions = np.concatenate([places.actions.ravel(), places.other_actions])
    np.testing.assert_array_equal(np.sort(features), np.arange(sum_of_sizes(rules, players)))
    np.testing.assert_array_equal(np.sort(actions), np.arange(len(ActionTable(rules))))


def sum_of_sizes(rules: Rules, players: int) -> int:
    return sum(piece.size for piece in pieces(rules, players))


def test_the_layout_by_hand() -> None:
    rules = Rules.parse("classic")
    places = layout(rules, 4)
    texts = ActionTable(rules).texts
    kings = {texts[i] for i in places.actions[:, 9]}
    assert {"discard K", "take K K", "take K 2", "meld K K JK", "add 2 to K", "add K"} <= kings
    assert len(kings) == len(places.actions)
    assert {"draw", "take", "ask", "discard 2", "meld 3b 3b 3b"} <= {
        texts[i] for i in places.other_actions
    }
    assert places.features[0, 0] == 4  # fours in the hand, the first piece
    assert places.features[:, 1].tolist() == [15 + 4 * (kind - 1) for kind in range(4, 15)]


@pytest.mark.parametrize(("name", "players"), CASES)
def test_ranks_are_treated_alike(name: str, players: int) -> None:
    """Ranks exchanged in the observation are exchanged in the policy; the value stays."""
    network = rank_network(name, players)
    places = layout(Rules.parse(name), players)
    observation = observations(name, players)
    order = np.random.default_rng(0).permutation(len(places.features))
    exchanged = observation.clone()
    exchanged[:, places.features] = observation[:, places.features[order]]
    with torch.inference_mode():
        logits, value = network(observation)
        other_logits, other_value = network(exchanged)
    torch.testing.assert_close(value, other_value)
    torch.testing.assert_close(logits[:, places.actions[:, order]], other_logits[:, places.actions])
    others = places.other_actions
    torch.testing.assert_close(logits[:, others], other_logits[:, others])


def test_a_bias_tells_ranks_apart() -> None:
    network = rank_network("classic", 4)
    torch.nn.init.normal_(network.rank)
    places = layout(Rules.parse("classic"), 4)
    with torch.inference_mode():
        logits, _ = network(torch.zeros((1, len(network.scale)), dtype=torch.uint8))
    assert logits[0, places.actions[0]].unique().numel() == RANKS


@pytest.mark.parametrize("kind", ["mlp", "ranks"])
def test_features_are_scaled_inside(kind: str) -> None:
    rules = Rules.parse("classic")
    scale = observation_scale(rules, 4)

    def make(scale: Any) -> Any:
        torch.manual_seed(3)
        if kind == "mlp":
            return ActorCritic(scale, len(ActionTable(rules)), (8, 8))
        return RankNetwork(scale, layout(rules, 4), (8, 12))

    observation = observations("classic", 4)
    with torch.inference_mode():
        ours = make(scale * 0.5)(observation * 2)
        theirs = make(scale)(observation)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("kind", ["mlp", "ranks"])
def test_arranged_first_or_at_once_is_the_same(kind: str) -> None:
    """And arranging only moves columns, so that what is stored arranged is as small."""
    observation = observations("classic", 4)
    rules = Rules.parse("classic")
    scale = observation_scale(rules, 4)
    network = rank_network("classic", 4) if kind == "ranks" else ActorCritic(scale, 9, (8,))
    arranged = network.arrange(observation)
    assert torch.equal(arranged.sort(1).values, observation.sort(1).values)
    with torch.inference_mode():
        for one, other in zip(network(observation), network.judge(arranged), strict=True):
            assert torch.equal(one, other)


def test_where_suits_matter_the_network_has_plain_layers() -> None:
    assert [fitting_kind("auto", rules) for rules in ("classic", "czech")] == ["ranks", "mlp"]
    identity = {"rules": "czech", "players": 4, "actions": 3}
    with pytest.raises(ValueError, match="use --network symmetric or mlp"):
        make_network("ranks", (), identity, np.ones(5))
    assert make_network("mlp", (4, 4), identity, np.ones(5)).hidden == (4, 4)

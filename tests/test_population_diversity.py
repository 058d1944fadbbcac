"""How unlike agents are, against numbers worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from canasta_env.rules import Rules
from experiments import diversity as command
from experiments.diversity import Probe, diversity, entropies

PROBE = Probe(Rules.parse("mini"), 2, decks=4, every=3, seed=1)


class Fixed:
    """Gives the first legal action a probability and shares the rest among the others; plays the
    first.
    """

    def __init__(self, first: float) -> None:
        self.name, self.first = f"fixed {first}", first
        self.seen: list[bytes] = []

    def act(self, batch: Any, rows: Any) -> Any:
        return batch.mask[rows].argmax(1)

    def policy(self, batch: Any, rows: Any) -> Any:
        mask = batch.mask[rows]
        self.seen.append(batch.observation[rows].tobytes())
        given = mask * ((1 - self.first) / (mask.sum(1, keepdims=True) - 1))
        given[np.arange(len(rows)), mask.argmax(1)] = self.first
        return given


def test_entropies() -> None:
    found = entropies(np.array([[1.0, 0.0, 0.0, 0.0], [0.25] * 4, [0.5, 0.0, 0.0, 0.5]]))
    np.testing.assert_allclose(found, [0, np.log(4), np.log(2)], atol=1e-12)


def test_agents_that_play_alike_have_no_divergence() -> None:
    found = diversity([Fixed(0.5)] * 3, [Fixed(0.5) for _ in range(3)], PROBE)
    np.testing.assert_allclose(found.divergence, 0, atol=1e-12)
    np.testing.assert_allclose(found.pairs, 0, atol=1e-12)
    assert (found.own > 0.6).all()  # random play is not diversity


def test_agents_that_never_agree_have_all_of_it() -> None:
    """One plays the first action, the other never: log 2 in every state, whatever the rest is."""
    found = diversity([Fixed(1.0), Fixed(0.0)], [Fixed(1.0), Fixed(0.0)], PROBE)
    np.testing.assert_allclose(found.divergence, np.log(2), atol=1e-12)
    np.testing.assert_allclose(found.pairs, [[0, np.log(2)], [np.log(2), 0]], atol=1e-12)


def test_the_divergence_of_three_is_that_of_their_mixture() -> None:
    """Two alike and one that never agrees: the entropy of one third."""
    agents = [Fixed(1.0), Fixed(1.0), Fixed(0.0)]
    found = diversity(agents, agents, PROBE)
    third = np.log(3) - 2 / 3 * np.log(2)
    np.testing.assert_allclose(found.divergence, third, atol=1e-12)
    assert found.pairs[0, 1] == pytest.approx(0) and found.pairs[1, 2] == pytest.approx(np.log(2))


def test_all_are_asked_about_the_same_states_of_all() -> None:
    asked = [Fixed(0.9), Fixed(0.2)]
    found = diversity([Fixed(1.0), Fixed(0.5)], asked, PROBE)
    assert asked[0].seen == asked[1].seen
    alone = diversity([Fixed(1.0)] * 2, [Fixed(0.9), Fixed(0.2)], PROBE)
    assert alone.states == found.states  # both play the first action, on the same decks
    other = diversity(
        [Fixed(1.0)] * 2, [Fixed(0.9), Fixed(0.2)], Probe(PROBE.rules, 2, 4, 3, seed=2)
    )
    assert other.mean.tolist() != found.mean.tolist()


def test_networks_and_the_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    torch = pytest.importorskip("torch")
    from tests.test_ppo_options import REAL
    from train import ppo

    names = []
    for seed in (1, 2):
        trainer = ppo.Trainer(ppo.replace(REAL, players=2, seed=seed))
        with torch.no_grad():
            trainer.network.token_policy.weight.normal_()
        trainer.save(tmp_path / f"run{seed}/last")
        names.append(f"{tmp_path}/run{seed}@1")
    arguments = [*names, "--rules", "mini", "--players", "2", "--decks", "4", "--pairs"]
    assert command.main(arguments) == 0
    shown = capsys.readouterr().out
    assert "2 agents, mini" in shown and "Jensen-Shannon divergence: nats" in shown
    assert command.main(arguments) == 0
    assert capsys.readouterr().out == shown
    probe = Probe(PROBE.rules, 2, 4, 5, 0)
    found = command.of_names([names[0], names[0], names[1]], probe)
    assert found.pairs[0, 1] == pytest.approx(0, abs=1e-12)
    assert found.pairs[0, 2] > 0.001


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["greedy"], "name two agents or more"),
        (["greedy", "basic"], "greedy: has no probabilities"),
        (["greedi", "basic"], "no agent is called 'greedi'"),
        (["greedy", "basic", "--level", "2"], "--level 2.0 is not between 0 and 1"),
        (["greedy", "basic", "--seed", "-1"], "--seed -1 is not possible"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("experiments.diversity: ")
    assert text in shown.err
    assert shown.err.count("\n") == 1

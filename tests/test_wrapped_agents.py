"""Agents in others: who may not ask, who answers by lot, and who never knew of the question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import registry
from agents.answering import Answering
from agents.base import Agent, load_state, state_of
from agents.mute import Mute
from agents.translated import Translated, rules_without
from canasta_env import Batch
from canasta_env.actions import ActionTable
from canasta_env.observation import observation_hash
from canasta_env.rules import Rules
from experiments.tournament_agents import describe

MINI = Rules.parse("mini")
ROWS = np.arange(64)


class Liking:
    """Likes each action as much as ``weights`` say; plays the one that it likes best."""

    name = "liking"

    def __init__(self, weights: Any) -> None:
        self.weights = np.asarray(weights, float)

    def act(self, batch: Any, rows: Any) -> Any:
        return (batch.mask[rows] * self.weights).argmax(1)


def liking(rules: Rules, best: str = "") -> Liking:
    """An agent that likes ``best`` most and the others by lot."""
    table = ActionTable(rules)
    weights = np.random.default_rng(1).random(len(table)) + 0.1
    if best:
        weights[table.id(best)] = 2.0
    return Liking(weights)


def questions(agent: Agent, other: Agent | None = None, steps: int = 150) -> Any:
    """Yields batch, actions of the agent and of the other in the same games, which the agent plays
    on."""
    batch = Batch("mini", len(ROWS), seed=5, autoreset="same_step")
    for _ in range(steps):
        actions = agent.act(batch, ROWS)
        yield batch, actions, None if other is None else other.act(batch, ROWS)
        batch.step(actions)


def test_a_mute_agent_chooses_the_best_of_the_others() -> None:
    asker = liking(MINI, "ask")
    best = asker.weights.copy()
    best[ActionTable(MINI).id("ask")] = 0.0
    possible = 0
    for batch, actions, expected in questions(Mute(asker, "mini", 4), Liking(best)):
        ask = batch.table.id("ask")
        might = batch.mask[:, ask]
        possible += might.sum()
        assert (actions != ask).all()
        assert (asker.act(batch, ROWS)[might] == ask).all()
        np.testing.assert_array_equal(actions, expected)
    assert possible > 50


def test_a_mute_agent_still_answers() -> None:
    asker = liking(MINI, "ask")
    answered = 0
    for batch, actions, muted in questions(asker, Mute(asker, "mini", 4)):
        yes = batch.mask[:, batch.table.id("yes")]
        answered += yes.sum()
        np.testing.assert_array_equal(actions[yes], muted[yes])
    assert answered > 50


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_answers_by_lot_come_in_their_share(share: float) -> None:
    agent = Answering(liking(MINI, "ask"), share, "mini", 4, seed=3)
    said, others = [], 0
    for batch, actions, plain in questions(agent, liking(MINI, "ask"), steps=400):
        asked = batch.mask[:, batch.table.id("yes")]
        said += (actions[asked] == batch.table.id("yes")).tolist()
        np.testing.assert_array_equal(actions[~asked], plain[~asked])
        others += (~asked).sum()
    assert len(said) > 300 and others
    assert abs(np.mean(said) - share) <= 4 * (share * (1 - share) / len(said)) ** 0.5


def test_lots_go_on_from_a_state_that_was_kept() -> None:
    first, other = (registry.make("answering(basic(ask_hand=1),0.5)", "mini", 4, 7) for _ in "ab")
    for batch, _, _ in questions(first, steps=400):
        if batch.mask[:, batch.table.id("yes")].sum() > 2 and state_of(first)["answers"] > 3:
            break
    fresh = [other.act(batch, ROWS).tolist() for _ in range(8)]
    load_state(other, state_of(first))
    expected = [first.act(batch, ROWS).tolist() for _ in range(8)]
    assert [other.act(batch, ROWS).tolist() for _ in range(8)] == expected != fresh


def test_a_translated_agent_plays_its_own_choices() -> None:
    """Its likings are of the table without the question; the same likings, and none for asking,
    in the table with it."""
    without = rules_without(MINI)
    inner = liking(without)
    table, own = ActionTable(MINI), ActionTable(without)
    weights = np.zeros(len(table))
    weights[[table.id(text) for text in own.texts]] = inner.weights
    weights[table.id("yes")] = 1.0
    same = 0
    for batch, actions, expected in questions(Translated(inner, "mini", 4), Liking(weights)):
        np.testing.assert_array_equal(actions, expected)
        same += len(actions)
        assert (actions != batch.table.id("ask")).all()
    assert same > 1000


@pytest.mark.parametrize("rules", ["classic", "mini", "hand_and_foot(asking=true)"])
def test_without_the_question_observations_are_the_same(rules: str) -> None:
    """What translating rests on: three actions fewer, and nothing else."""
    having = Rules.parse(rules)
    without = rules_without(having)
    assert observation_hash(having, 4) == observation_hash(without, 4)
    fewer = set(ActionTable(having).texts) - set(ActionTable(without).texts)
    assert fewer == {"ask", "yes", "no"}


def test_a_network_without_the_question_has_the_logits_that_it_had(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from agents.shipped import folder_of
    from experiments.asking.forget import forget

    forget(folder_of("classic", 4), tmp_path / "start")
    muted = registry.make("mute(champion)", "classic", 4)
    forgot = registry.make(f"translated({tmp_path / 'start'})", "classic", 4)
    batch = Batch("classic", 16, seed=2)
    rows = np.arange(16)
    for _ in range(60):
        actions = muted.act(batch, rows)
        unasked = ~batch.mask[:, batch.table.id("yes")]
        np.testing.assert_array_equal(forgot.act(batch, rows)[unasked], actions[unasked])
        batch.step(actions)


@pytest.mark.parametrize(
    ("name", "players", "message"),
    [
        ("mute()", 4, r"mute\(\): not a wrapped agent; write it as mute\(basic\)"),
        ("answering(basic)", 4, r"write it as answering\(basic,0.5\)"),
        ("answering(basic,2)", 4, "the share of yes, 2, is not from 0 to 1"),
        ("answering(basic,perhaps)", 4, "'perhaps' is neither yes, no nor a share"),
        ("mute(nobody)", 4, "no agent is called 'nobody'"),
        ("mute(basic)", 2, "in mini with 2 players nobody asks a partner"),
    ],
)
def test_a_wrong_name_is_told_in_one_line(name: str, players: int, message: str) -> None:
    with pytest.raises(registry.UnknownAgentError, match=message) as told:
        registry.make(name, "mini", players)
    assert "\n" not in str(told.value)


def test_rules_without_the_question_have_no_mute_agents() -> None:
    with pytest.raises(ValueError, match="nobody asks a partner"):
        registry.make("mute(basic)", "mini(asking=false)", 4)


def test_commas_inside_belong_to_the_agent_inside() -> None:
    agent: Any = registry.make("answering(basic(ask_hand=1,keep_joker=100), no)", "mini", 4)
    assert (agent.inner.name, agent.share) == ("basic(ask_hand=1,keep_joker=100)", 0.0)


def test_results_know_what_is_inside_a_wrapper() -> None:
    """In files of results an agent is known by a hash: other insides or wrappers, another one."""
    names = ["basic", "mute(basic)", "mute(expert)", "answering(basic,1)", "answering(basic,0)",
             "mute(champion)", "answering(champion,1)"]  # fmt: skip
    found = [describe(name, "classic", 4) for name in names]
    # rule bots share their sources, so their names tell them apart
    assert len({(one.hash, one.name) for one in found}) == len(names)
    assert len({one.hash for one in found[3:]}) == 4
    assert found[5].hash != describe("champion", "classic", 4).hash

"""How close an ego comes to a partner's best response: truth that is known, and what is said of
it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from agents import registry
from canasta_env.rules import Rules
from experiments import br_prox
from experiments.block import Setup
from experiments.br_prox import Question, beside, proximity

ASKED = Question(partner="basic", floor="random", against="greedy")
SETUP = Setup("mini", Rules.parse("mini").at(4), 4, 300)


class Halved:
    """Plays as greedy in every second deck and as random in the others: half as far above random,
    in the mean, as greedy is."""

    name = "halved"

    def __init__(self, rules: Any, players: int, seed: int) -> None:
        self.agents = [registry.make(n, rules, players, seed) for n in ("random", "greedy")]

    def act(self, batch: Any, rows: Any) -> Any:
        actions = np.empty(len(rows), np.int64)
        for which, agent in enumerate(self.agents):
            mine = rows // batch.sides % 2 == which
            if mine.any():
                actions[mine] = agent.act(batch, rows[mine])
        return actions


HALVED = f"{__name__}:Halved"


# --- arithmetic ---------------------------------------------------------------------------------


def simulated(rng: np.random.Generator, count: int, truth: float) -> Any:
    """Points of an ego, a floor and a response with this proximity, on decks whose luck they share;
    as wide against the range as 400 pairs of `mini` are, and skewed."""
    luck = rng.exponential(200.0, count) - 200.0
    floor, response = -200.0, 100.0
    means = (floor + truth * (response - floor), floor, response)
    return [mean + luck + rng.exponential(300.0, count) - 300.0 for mean in means]


@pytest.mark.parametrize("truth", [-0.2, 0.6, 1.0, 1.3])
def test_nineteen_of_twenty_intervals_hold_the_truth(truth: float) -> None:
    rng = np.random.default_rng(5)
    held = []
    for _ in range(400):
        found = proximity(*simulated(rng, 100, truth), level=0.95).ratio.interval
        held.append(found.low <= truth <= found.high)
    assert 0.92 <= np.mean(held) <= 0.98


@pytest.fixture(autouse=True)
def quick_summaries(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Gain and range have BCa intervals, which the tests of the ratio need not wait for."""
    if "truth" in request.fixturenames:
        monkeypatch.setattr(br_prox, "summarise", lambda units, **_: float(np.mean(units)))


def test_by_hand() -> None:
    found = proximity([2.0, 3.0, 1.0], [0.0, 1.0, -1.0], [4.0, 5.5, 2.5])
    assert found.gain.mean == pytest.approx(2.0)
    assert found.range.mean == pytest.approx(4.0)
    assert found.ratio.value == pytest.approx(0.5)


def test_it_is_undefined_where_the_response_is_not_better() -> None:
    rng = np.random.default_rng(1)
    ego, floor = rng.normal(size=(2, 50))
    for response in (floor + rng.normal(size=50), floor - 5 + rng.normal(size=50)):
        found = proximity(ego, floor, response)
        assert not found.is_defined
        assert np.isnan(found.ratio.value)
    assert proximity(ego, floor, floor + 5 + rng.normal(size=50)).is_defined


def test_units_of_other_decks_are_refused() -> None:
    with pytest.raises(ValueError, match=r"not the same decks: \[3, 3, 2\] units"):
        proximity([1, 2, 3], [1, 2, 3], [1, 2])


# --- played -------------------------------------------------------------------------------------


def test_a_known_proximity_in_mini() -> None:
    points = {name: beside(SETUP, name, ASKED) for name in ("random", "greedy", HALVED)}
    floor, response = points["random"], points["greedy"]
    found = proximity(points[HALVED], floor, response, level=0.99)
    assert found.range.interval.low > 50
    assert found.ratio.interval.low < 0.5 < found.ratio.interval.high
    assert found.ratio.interval.high - found.ratio.interval.low < 0.5
    assert proximity(response, floor, response).ratio.value == 1.0
    assert proximity(floor, floor, response).ratio.value == 0.0


def test_both_orders_of_the_seats_are_played() -> None:
    asked = Question(partner="random", floor="random", against="greedy")
    setup = Setup("mini", Rules.parse("mini").at(4), 4, 20)
    first = br_prox.leads(setup, "basic+random", "greedy")
    second = br_prox.leads(setup, "random+basic", "greedy")
    np.testing.assert_allclose(beside(setup, "basic", asked), (first + second) / 2)
    assert not np.array_equal(first, second)


SETTINGS = [
    *("--", "--network", "mlp", "--hidden", "16", "--num-games", "64", "--rollout", "16"),
    *("--minibatch", "256", "--threads", "1"),
]


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Trained for nothing, so that the floor may not be beaten; then given again, to the byte."""
    monkeypatch.chdir(tmp_path)
    arguments = [
        *("greedy", HALVED, "--partner", "basic", "--against", "greedy", "--rules", "mini"),
        *("--deals", "1", "--seeds", "1", "2", "--run", "br", "--pairs", "20"),
        *("--choose-pairs", "10", "--json", "one.json", "--page", "page.md"),
    ]
    assert br_prox.main([*arguments, *SETTINGS]) == 0
    found = json.loads(Path("one.json").read_text())
    assert list(found["egos"]) == ["greedy", HALVED]
    assert found["budget"]["seeds"] == [1, 2]
    assert set(found["hashes"]) >= {"random", "greedy", "basic", found["response"]}
    best = max(found["candidates"], key=found["candidates"].get)
    assert found["response"] == best
    text, page = Path("one.json").read_bytes(), Path("page.md").read_text()
    assert "| ego | greedy |" in page
    assert br_prox.main([*arguments, "--force", *SETTINGS]) == 0
    assert Path("one.json").read_bytes() == text
    # the command beside the table is the second one; the table is the same and stands there once
    assert Path("page.md").read_text().replace(" --force", "") == page
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["greedy", "--partner", "basik"], "did you mean basic"),
        (["greedy", "--partner", "basic", "--players", "2"], "two partners are needed"),
        (["greedy", "--partner", "basic", "--level", "1"], "--level 1.0 is not between"),
        (["greedy", "--partner", "basic", "--page", "gone/x.md"], "there is no folder gone"),
        (["greedy", "--partner", "past"], "no agent is called 'past'"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert br_prox.main(arguments) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("experiments.br_prox: ")
    assert text in shown
    assert shown.count("\n") == 1

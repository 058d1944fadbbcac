"""Search: the budget, the comparison of actions, fair worlds, and that it gains by it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import registry
from agents.bots import BotAgent
from agents.search import Decision, Options, SearchAgent, halving
from agents.search_kernel import JOB_DTYPE
from canasta_env.batch import Batch
from canasta_env.engine.state import Phase
from canasta_env.kernels import kernels_for, plain, workspace
from experiments import play
from experiments import search_gains as gains
from experiments.leads import differences
from experiments.search_study import main as study
from tests.test_match import setup

SUITED = pytest.param("czech", 4, marks=pytest.mark.long)  # its code takes minutes to compile
TABLES = [("classic", 2), ("classic", 4), ("hand_and_foot", 4), SUITED]


def in_the_middle(rules: str, players: int, n: int, steps: int, seed: int = 0) -> Batch:
    """Games that the basic bot has played for so many actions."""
    batch = Batch(rules, n, players=players, seed=seed, autoreset="off", observe=False)
    bot = BotAgent("basic", seed)
    for _ in range(steps):
        batch.step(bot.act(batch, np.arange(n)))
    return batch


def hide_again(batch: Batch, rows: Any, seed: int) -> None:
    """Puts a random world that the seat to act can't tell from the true one into each row."""
    scratch = workspace(batch.games.hands.shape[2])[2]
    for row in rows:
        kernels_for(batch.rules).determinize_game(
            plain(batch.games), int(row), plain(batch.packed), int(batch.seat[row]), seed, scratch
        )
    batch.refresh()


def choices(batch: Batch) -> Any:
    """Rows in which there is something to decide."""
    return np.flatnonzero((batch.mask.sum(axis=1) > 1) & ~batch.over)


def all_points(agent: SearchAgent, batch: Batch, rows: Any, worlds: int) -> Any:
    """The points of every legal action of some rows in so many worlds."""
    made = []
    for number, row in enumerate(rows):
        actions = np.flatnonzero(batch.mask[row])
        jobs = np.zeros((worlds, len(actions)), JOB_DTYPE)
        jobs["row"], jobs["decision"] = row, number
        jobs["world"], jobs["action"] = np.arange(worlds)[:, None], actions
        made.append(jobs.reshape(-1))
    return agent.evaluate(batch, np.concatenate(made))


# --- the budget ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rollouts", [1, 16, 64, 256, 1000])
def test_halving_keeps_to_the_budget(rollouts: int) -> None:
    for actions in range(2, 60):
        rounds = halving(actions, rollouts)
        if rollouts < 2 * actions:  # nothing could be compared
            assert rounds == []
            continue
        spent = sum(left * worlds for left, worlds in rounds)
        assert rollouts - actions < spent <= rollouts
        assert rounds[0][0] == actions
        if len(rounds) > 1:
            assert rounds[-1][0] == 2
            left, worlds = np.array(rounds).T
            assert (np.diff(left) < 0).all() and (np.diff(worlds) >= 0).all() and worlds[0] >= 2


def test_the_worst_go_and_the_bots_action_stays() -> None:
    decision = Decision(0, 0, np.arange(10, 18), 12, 64)
    worth = np.array([0.0, 10, -50, 30, 20, 70, 40, 60])
    played = []
    while decision.rounds:
        jobs = decision.jobs()
        played.append(sorted(set(jobs["action"])))
        decision.take(worth[jobs["action"] - 10] + 100.0 * jobs["world"])
    assert played == [list(range(10, 18)), [12, 15, 16, 17], [12, 15]]
    assert decision.best(1.0) == 15


@pytest.mark.parametrize(
    ("gains", "errors", "overruled"),
    [
        ([0.0, 0.0, 0.0, 0.0], 0.0, False),  # alike: the bot's
        ([10.0, 10.0, 10.0, 10.0], 5.0, True),
        ([-5.0, 15.0, -5.0, 15.0], 0.5, True),  # 5, with an error of 5.8
        ([-5.0, 15.0, -5.0, 15.0], 1.0, False),
        ([40.0], 0.0, False),  # of one world alone nobody knows
        ([40.0, np.nan], 0.0, False),  # no world was found
    ],
)
def test_near_ties_go_to_the_bot(gains: list[float], errors: float, overruled: bool) -> None:
    decision = Decision(0, 0, np.array([3, 8]), 3, 2 * len(gains))
    decision.rounds = [(2, len(gains))]
    base = np.linspace(-700.0, 700.0, len(gains))
    decision.take(np.stack([base, base + gains], axis=1).reshape(-1))
    assert decision.best(errors) == (8 if overruled else 3)


# --- the worlds ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_what_the_seat_cannot_see_changes_nothing(rules: str, players: int) -> None:
    """The same rollouts to the point, whatever the others hold and however the stock lies."""
    for steps in (1, 40):
        batch = in_the_middle(rules, players, 16, steps)
        rows = choices(batch)
        assert rows.size
        agent = SearchAgent(seed=5)
        before = batch.games.hands.copy(), all_points(agent, batch, rows, 2)
        hide_again(batch, rows, 77)
        assert (batch.games.hands[rows] != before[0][rows]).any()
        np.testing.assert_array_equal(all_points(agent, batch, rows, 2), before[1])
        assert np.ptp(before[1]) > 0


def test_a_partner_who_is_asked_learns_nothing() -> None:
    """The asker's hand is hidden too; what it has laid in its turn is not."""
    batch = in_the_middle("classic", 4, 512, 1)
    ask = batch.table.id("ask")
    bot = BotAgent("basic")
    found = 0
    while not batch.over.all() and not found:
        actions = bot.act(batch, np.arange(batch.n))
        actions = np.where(batch.mask[:, ask], ask, actions)
        batch.step(actions)
        rows = np.flatnonzero(batch.games.phase == Phase.ANSWER)
        found = rows.size
    agent = SearchAgent(seed=2)
    before = all_points(agent, batch, rows, 6)
    hide_again(batch, rows, 5)
    np.testing.assert_array_equal(all_points(agent, batch, rows, 6), before)
    assert np.isfinite(before).all()


def test_rollouts_are_deals_of_the_bot_in_fair_worlds() -> None:
    """Their mean is that of worlds drawn from the game itself and played by the bot."""
    worlds = 1500
    batch = in_the_middle("mini", 2, 1, 12)
    action, seat = int(np.flatnonzero(batch.mask[0])[-1]), int(batch.seat[0])
    jobs = np.zeros(worlds, JOB_DTYPE)
    jobs["world"], jobs["action"] = np.arange(worlds), action
    ours = SearchAgent(seed=1).evaluate(batch, jobs)
    played = Batch("mini", worlds, players=2, autoreset="off", observe=False)
    played.games[:] = batch.games[0]
    scratch = workspace()[2]
    for row in range(worlds):
        kernels_for(played.rules).determinize_game(
            plain(played.games), row, plain(played.packed), seat, 1000 + row, scratch
        )
    played.refresh()
    bot, actions = BotAgent("basic", 3), np.full(worlds, action)
    while not played.over.all():
        played.step(actions)
        actions = bot.act(played, np.arange(worlds))
    theirs = played.deal_scores[:, seat] - played.deal_scores[:, 1 - seat].astype(float)
    error = np.sqrt((ours.var() + theirs.var()) / worlds)
    assert error > 0 and abs(ours.mean() - theirs.mean()) < 4 * error
    assert abs(ours.std() / theirs.std() - 1) < 0.15


def test_actions_meet_the_same_worlds_and_lots() -> None:
    batch = in_the_middle("classic", 4, 8, 40)
    jobs = np.zeros((20, 3), JOB_DTYPE)
    jobs["row"] = row = choices(batch)[0]
    jobs["world"], jobs["action"] = np.arange(20)[:, None], np.flatnonzero(batch.mask[row])[0]
    points = SearchAgent().evaluate(batch, jobs.reshape(-1)).reshape(20, 3)
    assert (points == points[:, :1]).all()
    assert len(set(points[:, 0])) > 10


# --- the agent ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "players"), [*TABLES, ("classic", 3), ("hungarian", 4)])
def test_plays_every_game_legally_to_its_end(rules: str, players: int) -> None:
    batch = Batch(rules, 3, players=players, seed=1, autoreset="off", observe=False)
    agent = registry.make("search(rollouts=24)", rules, players, 3)
    while not batch.over.all():
        actions = np.zeros(3, np.int64)
        rows = np.flatnonzero(~batch.over)
        actions[rows] = agent.act(batch, rows)
        batch.step(actions)  # raises if one is not legal
    assert agent.searched > agent.overruled > 0


def test_forced_moves_and_other_phases_of_the_deal_cost_nothing() -> None:
    batch = in_the_middle("classic", 4, 64, 30)
    rows = np.arange(64)
    free = choices(batch)
    agent = SearchAgent(Options(rollouts=8))
    assert agent.act(batch, np.setdiff1d(rows, free)).size and agent.searched == 0
    stock = int(np.median(batch.games.stock_size[free]))
    counts = []
    for options in (Options(48, stock_to=stock), Options(48, stock_from=stock + 1)):
        agent = SearchAgent(options, seed=4)
        chosen = agent.act(batch, rows)
        counts.append(agent.searched)
        kept = chosen == BotAgent("basic", 4).act(batch, rows)
        assert agent.overruled == (~kept).sum()
    assert all(counts) and sum(counts) == len(free)


def test_its_lots_come_from_its_seed_and_its_state() -> None:
    batch = in_the_middle("classic", 4, 48, 30)
    rows = np.arange(48)
    one, other = (SearchAgent(Options(48, errors=0.0), seed=seed) for seed in (1, 2))
    again = pickle.loads(pickle.dumps(one))
    first = one.act(batch, rows)
    assert (again.act(batch, rows) == first).all()
    assert (other.act(batch, rows) != first).any()
    later = SearchAgent(Options(48, errors=0.0), seed=1)
    later.load_state_dict(one.state_dict())
    second = one.act(batch, rows)
    assert (later.act(batch, rows) == second).all() and (second != first).any()


def test_beats_its_rollout_bot_in_a_small_game() -> None:
    chosen = setup(2, "tiny", units=300)
    lineup = play.line_up("search(rollouts=64)", "basic", chosen)
    leads = differences(play.play(chosen, lineup).scores).mean(1)
    assert leads.mean() > 3 * leads.std() / len(leads) ** 0.5


def test_views_that_forget_are_refused() -> None:
    batch = Batch("classic", 2, recall=False)
    with pytest.raises(ValueError, match="recall=False"):
        SearchAgent().act(batch, np.arange(2))


# --- a network as judge -------------------------------------------------------------------------


class Judge:
    """A network that says how many cards are in the stock, in thousands of points."""

    def __init__(self, batch: Batch) -> None:
        self.identity = {"observation_size": batch.observation_size}
        self.seen = np.zeros((0, batch.observation_size), np.uint8)

    def values(self, batch: Batch, observations: Any) -> Any:
        self.seen = observations
        return observations[:, stock_place(batch)] / 1000.0


def stock_place(batch: Batch) -> int:
    """Where the observation says how many cards are in the stock."""
    stock = batch.games.stock_size
    same = (batch.observation == stock[:, None]).all(axis=0)
    return int(np.flatnonzero(same)[0])


@pytest.mark.parametrize("turns", [1, 2])
def test_a_network_judges_after_so_many_turns(turns: int) -> None:
    batch = Batch("classic", 8, seed=2, autoreset="off")
    bot = BotAgent("basic")
    for _ in range(7):
        batch.step(bot.act(batch, np.arange(8)))
    agent = SearchAgent()
    agent.options = Options(network="a judge", turns=turns)
    agent.network = judge = Judge(batch)  # type: ignore[assignment]
    row = choices(batch)[0]
    points = all_points(agent, batch, [row], 3)
    stock = int(batch.games.stock_size[row])
    drawn = stock - np.rint(points)
    assert len(judge.seen) == len(points)
    # each seat draws a card a turn, or takes the pile; red threes bring another
    assert (drawn <= 4 * turns + 4).all() and (drawn >= 0).all() and drawn.max() >= turns


def test_a_deal_that_ends_before_is_not_judged() -> None:
    batch = in_the_middle("classic", 4, 64, 30)
    agent, played_out = SearchAgent(), SearchAgent()
    agent.options = Options(network="a judge", turns=1000)
    agent.network = Judge(Batch("classic", 1))  # type: ignore[assignment]
    rows = choices(batch)[:4]
    np.testing.assert_array_equal(
        all_points(agent, batch, rows, 3), all_points(played_out, batch, rows, 3)
    )


def test_a_trained_network_by_its_path(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from agents import checkpoint as checkpoints
    from agents.neural import make_network, network_arrays

    torch.manual_seed(0)
    batch = Batch("classic", 16, seed=2, autoreset="off")
    identity = checkpoints.identity(batch)
    network = make_network("mlp", (8,), identity, batch.scale)
    meta = {**identity, "network": {"kind": "mlp", "hidden": [8]}}
    checkpoints.write(tmp_path, meta, {"network": network_arrays(network)})
    agent = registry.make(f"search(rollouts=24, network={tmp_path}, turns=1)", "classic", 4)
    for _ in range(12):
        actions = agent.act(batch, np.arange(16))
        batch.step(actions)
    assert agent.searched > agent.overruled > 0  # type: ignore[attr-defined]
    with pytest.raises(checkpoints.CheckpointError, match="another number of players"):
        registry.make(f"search(network={tmp_path}, turns=1)", "classic", 2)


# --- names and the study ------------------------------------------------------------------------


def test_options_are_written_and_read() -> None:
    options = Options.parse("search(rollouts=64, errors=1.5, stock_to=40)")
    assert options == Options(rollouts=64, errors=1.5, stock_to=40)
    assert Options.parse(str(options)) == options
    assert str(Options()) == "search" and Options.parse("search()") == Options()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("search(rolouts=3)", "'rolouts=3' is not possible; name=value with rollouts, bot"),
        ("search(rollouts=)", "'rollouts=' is not possible"),
        ("search(rollouts=some)", "rollouts=some is not possible"),
        ("search(rollouts=0)", "rollouts=0 is not possible; a whole number from 1 on"),
        ("search(rollouts=3, rollouts=4)", "'rollouts=4' is not possible"),
        ("search(bot=greedy)", "bot='greedy' can't play rollouts"),
        ("search(turns=2)", "network='' and turns=2 don't fit"),
        ("search(errors=-1)", "errors=-1.0 is not possible"),
        ("search(rollouts=3", "write search, or search"),
    ],
)
def test_what_is_not_possible_is_said_in_one_line(name: str, said: str) -> None:
    with pytest.raises(registry.UnknownAgentError) as caught:
        registry.make(name)
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_the_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "study.json"
    command = ["--rules", "mini", "--players", "2", "--pairs", "6", "--rollouts", "8", "16"]
    assert study([*command, "--late", "10", "--json", str(file)]) == 0
    text = capsys.readouterr().out
    assert "late: 10 cards in the stock or fewer" in " ".join(text.split()) and file.exists()
    assert text.count("early") >= 2
    assert study([*command, "--json", str(file)]) == 2
    assert "--force" in capsys.readouterr().err
    assert study([*command, "--search", "serch"]) == 2


def test_what_a_decision_could_gain(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["--rules", "mini", "--players", "2", "--deals", "4", "--late", "18"]
    assert gains.main([*command, "--worlds", "8", "--share", "0.5"]) == 0
    text = capsys.readouterr().out
    assert all(kind in text for kind in ("late: 18 cards", "early", "discard"))
    assert gains.main([*command, "--worlds", "3"]) == 2


def test_one_half_of_the_worlds_chooses_and_the_other_judges() -> None:
    points = np.array([[0.0, 5, 1], [0, 7, 1], [0, -2, 30], [0, -4, 30]])
    found = gains.judge("discard", 20, points, 0)
    assert (found.gain, found.better, found.actions) == (-3.0, True, 3)
    assert found.noise == pytest.approx((points[:, 1].std() + points[:, 2].std()) / 2)

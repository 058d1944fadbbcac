"""Imitation: agreement with the teacher, records as good as games, resuming, the command."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents import checkpoint as checkpoints  # noqa: E402
from agents import registry  # noqa: E402
from canasta_env import Game  # noqa: E402
from canasta_env.batch import Batch  # noqa: E402
from canasta_env.record import Record, RecordWriter, load_record  # noqa: E402
from experiments import match  # noqa: E402
from tests.test_ppo import weights  # noqa: E402
from train import imitate, ppo  # noqa: E402
from train.teachers import RecordsError, Script, Teachers, read_deals  # noqa: E402

SMALL = imitate.Args(
    rules="mini",
    players=2,
    held_out=16,
    num_games=64,
    rollout=40,
    replay=4096,
    longest=128,
    minibatch=256,
    hidden=(24, 32),
    threads=1,
    eval_every=0,
)


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of 12 decks that basic played against random, at both tables."""
    folder = tmp_path_factory.mktemp("records")
    arguments = ["basic", "random", "--rules", "mini", "--players", "2", "--pairs", "12"]
    arguments += ["--records", str(folder), "--record-decks", "12", "--seed", "3"]
    assert match.main(arguments) == 0
    return folder


# --- what is learned ----------------------------------------------------------------------------


@pytest.mark.parametrize("teacher", ["greedy", "basic"])
def test_agreement_rises_well_above_chance(teacher: str) -> None:
    """On decks that were not trained on; chance is what the untrained network agrees in."""
    trainer = imitate.Trainer(replace(SMALL, teacher=teacher, anneal=False, reuse=3.0))
    before = trainer.agreement()
    for _ in range(8):
        numbers = trainer.update()
    assert before < 0.4
    assert trainer.agreement() > before + 0.25
    assert numbers["agreement"] == pytest.approx(trainer.agreement(), abs=0.08)


def test_the_value_learns_what_is_paid() -> None:
    """Its error falls below that of the best constant, the variance of the targets."""
    trainer = imitate.Trainer(replace(SMALL, anneal=False, reuse=3.0))
    for _ in range(8):
        numbers = trainer.update()
    kept = trainer.finished.arrays["target"][: len(trainer.finished)]
    assert numbers["value"] < 0.5 * kept.var()


def test_only_the_teachers_choices_are_learned() -> None:
    """In half of the games others play one side, in turn on each; they are seen and not noted."""
    args = replace(SMALL, num_games=8, others=("random", "greedy"), others_share=0.5)
    trainer = imitate.Trainer(args)
    assert trainer.source.who.tolist() == [[0, 1], [1, 0], [0, 2], [2, 0], *[[0, 0]] * 4]
    for _ in range(30):
        count = trainer.pending.count.copy()
        seat, free = trainer.batch.seat.copy(), trainer.batch.mask.sum(1) > 1
        trainer.step()
        ended = trainer.batch.terminated | trainer.batch.truncated
        learned = free & (trainer.source.who[np.arange(8), seat] == 0)
        np.testing.assert_array_equal(trainer.pending.count, np.where(ended, 0, count + learned))


# --- records ------------------------------------------------------------------------------------


def as_set(decisions: dict[str, Any]) -> Counter[bytes]:
    """Decisions as bytes, each with how often it is there."""
    columns = [decisions[name] for name in ("observation", "mask", "action", "target")]
    rows = zip(*(c.reshape(len(c), -1).view(np.uint8) for c in columns), strict=True)
    return Counter(b"".join(part.tobytes() for part in row) for row in rows)


def test_records_give_the_decisions_of_the_games(tmp_path: Path) -> None:
    """The same decks, played by greedy in the batch and replayed from its records."""
    n = 5
    batch = Batch("mini", n, players=2, seed=4, autoreset="off")
    rng = np.random.default_rng(0)
    cards = np.repeat(np.arange(len(batch.packed[0].counts)), batch.packed[0].counts)
    decks = np.stack([rng.permutation(cards) for _ in range(n)]).astype(np.uint8)
    dealers = np.arange(n) % 2
    scores = rng.integers(-50, 600, (n, 2)).astype(np.int32)
    batch.start_deal(np.arange(n), decks, dealers, scores)
    source = Watched(registry.make("greedy", "mini", 2), [], 0.0, batch)
    played = imitate.decisions_of(source, batch, 128, lambda observation: observation)
    for row in range(n):
        game = Game(
            "mini", players=2, deck=decks[row].tolist(), dealer=int(dealers[row]),
            scores=scores[row].tolist(),
        )  # fmt: skip
        for action in source.log:
            if not game.over:
                game.play(int(action[row]))
        assert game.over
        RecordWriter(game).save(tmp_path / f"{row}.txt")
    past = read_deals(tmp_path, "mini", 2, "")
    again = Batch("mini", n, players=2, seed=7, autoreset="off")
    replayed = imitate.decisions_of(
        Script(past, again, 1), again, 128, lambda observation: observation
    )
    assert len(played["action"]) > 50
    assert as_set(replayed) == as_set(played)


class Watched(Teachers):
    """Remembers what was played."""

    def act(self, batch: Any) -> Any:
        actions = super().act(batch)
        self.log = [*getattr(self, "log", []), actions.copy()]
        return actions


@pytest.mark.parametrize(
    ("rules", "players", "episode"),
    [("mini", 2, "deal"), ("hand_and_foot", 4, "match"), ("czech", 3, "deal")],
)
def test_decisions_of_records_one_by_one(
    tmp_path: Path, rules: str, players: int, episode: str
) -> None:
    """What a Game shows at each choice of greedy, and what its seat is paid in the end."""
    arguments = ["greedy", "random", "--rules", rules, "--players", str(players), "--pairs", "1"]
    arguments += ["--episode", episode, "--max-deals", "2", "--records", str(tmp_path)]
    assert match.main(arguments) == 0
    expected: Counter[bytes] = Counter()
    for file in sorted(tmp_path.rglob("*.txt")):
        expected += one_by_one(load_record(file), "greedy")
    past = read_deals(tmp_path, rules, players, "greedy")
    batch = Batch(rules, len(past), players=players, seed=7, autoreset="off")
    found = imitate.decisions_of(Script(past, batch, 1), batch, 512, lambda x: x)
    assert len(expected) > 10
    assert as_set(found) == expected


def one_by_one(record: Record, name: str) -> Counter[bytes]:
    """The decisions of all who are called ``name``, as :func:`as_set`."""
    found: Counter[bytes] = Counter()
    seen: list[tuple[int, Any]] = []
    for game, action in record.game.replay():
        legal = game.mask().astype(bool)
        if action is None:
            for turn, parts in seen:
                own, others = game.deal_scores[turn % game.sides], game.deal_scores.copy()
                others.pop(turn % game.sides)
                paid = np.float32((own - sum(others) / len(others)) / 1000)
                found[b"".join(np.asarray(part).tobytes() for part in (*parts, paid))] += 1
            seen = []
        elif legal.sum() > 1 and record.names[game.turn] == name:
            seen.append((game.turn, (game.observation(game.turn), legal, np.int64(action))))
    return found


def test_every_deal_of_the_records_is_played_before_one_comes_again(records: Path) -> None:
    args = replace(SMALL, records=str(records), num_games=7, teacher="basic")
    trainer = imitate.Trainer(args)
    past = trainer.source.begun  # at first one a row
    seen = Counter(trainer.source.deal.tolist())
    while trainer.source.begun < 3 * 22:
        before = trainer.source.begun
        ended = trainer.step()
        seen.update(trainer.source.deal[ended].tolist())
        assert trainer.source.begun - before == ended.sum()
    assert past == 7 and len(trainer.source.starts) == 22  # one deck of twelve is held out
    assert max(seen.values()) - min(seen.values()) <= 1


def test_it_learns_from_records(records: Path) -> None:
    args = replace(SMALL, records=str(records), teacher="basic", anneal=False, reuse=3.0)
    trainer = imitate.Trainer(args)
    assert trainer.batch.n == 22  # no more games than deals
    before = trainer.agreement()
    for _ in range(12):
        trainer.update()
    assert trainer.agreement() > before + 0.15


def refused(arguments: list[str]) -> str:
    """The one line with which the command ends."""
    with pytest.raises(SystemExit) as ended:
        imitate.main([*COMMAND, *arguments])
    text = str(ended.value.code)
    assert text.startswith("train.imitate: ") and "\n" not in text
    return text


COMMAND = [
    *("--rules", "mini", "--players", "2", "--num-games", "32", "--rollout", "32"),
    *("--replay", "2048", "--minibatch", "128", "--hidden", "8", "12", "--held-out", "4"),
    *("--threads", "1", "--eval-every", "0"),
]


def test_refusals_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, records: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "did you mean basic?" in refused(["--teacher", "basik"])
    assert "holds no records" in refused(["--records", "nothing"])
    assert "nobody plays" in refused(["--records", str(records), "--others", "random"])
    assert "not a share" in refused(["--others-share", "2"])
    text = refused(["--records", str(records), "--teacher", "Ann"])
    assert "nobody is called 'Ann'" in text and "basic, random" in text
    assert "mini with 2 players, not classic" in refused(
        ["--records", str(records), "--rules", "classic"]
    )
    assert not list(tmp_path.glob("runs/*"))


def test_damaged_records_are_named_with_their_place(records: Path, tmp_path: Path) -> None:
    file = sorted(records.rglob("*.txt"))[0]
    text = file.read_text()
    lines = [line for line in text.splitlines() if not line.startswith("end ")]
    (tmp_path / "cut.txt").write_text("\n".join(lines))
    with pytest.raises(RecordsError, match=r"cut\.txt: line \d+"):
        read_deals(tmp_path, "mini", 2, "")
    (tmp_path / "cut.txt").write_text(text.replace("discard", "meld", 1))
    with pytest.raises(RecordsError, match=r"cut\.txt: line \d+"):
        read_deals(tmp_path, "mini", 2, "")
    game = Game("mini", players=2, seed=1)
    game.play(int(np.flatnonzero(game.mask())[0]))
    RecordWriter(game).save(tmp_path / "cut.txt")
    with pytest.raises(RecordsError, match="no deal of its records was played to its end"):
        read_deals(tmp_path, "mini", 2, "")


# --- resuming and the run -----------------------------------------------------------------------


@pytest.mark.parametrize("recorded", [False, True])
def test_resuming_is_exact(tmp_path: Path, records: Path, recorded: bool) -> None:
    """With a teacher that draws lots, or records: bit for bit as in one go."""
    more = {"records": str(records)} if recorded else {"teacher": "random", "others": ("basic",)}
    args = replace(SMALL, num_games=16, rollout=25, deals=400, **more)
    whole = imitate.Trainer(args)
    for _ in range(6):
        whole.update()
    first = imitate.Trainer(args)
    for _ in range(3):
        first.update()
    first.save(tmp_path / "last")
    second = imitate.Trainer(args)
    second.update()  # what is loaded takes the place of what was
    second.load(checkpoints.read(tmp_path))
    for _ in range(3):
        second.update()
    for ours, theirs in zip(weights(whole), weights(second), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(whole.batch.observation, second.batch.observation)
    assert whole.deals == second.deals


def test_a_run_does_not_go_on_with_other_records(tmp_path: Path, records: Path) -> None:
    args = replace(SMALL, records=str(records), num_games=8)
    trainer = imitate.Trainer(args)
    trainer.save(tmp_path / "run/last")
    shutil.copytree(records, tmp_path / "fewer")
    next((tmp_path / "fewer").rglob("*.txt")).unlink()
    other = imitate.Trainer(replace(args, records=str(tmp_path / "fewer")))
    with pytest.raises(RecordsError, match="not those that the run began with"):
        other.load(checkpoints.read(tmp_path / "run"))


def test_a_run_and_what_begins_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    imitate.main([*COMMAND, "--teacher", "greedy", "--deals", "100", "--run", "runs/like"])
    assert "agreement on the decks held out" in capsys.readouterr().out
    imitate.main(["--resume", "runs/like", "--deals", "150"])
    saved = checkpoints.read("runs/like")
    assert saved.meta["trainer"] == "imitate" and saved.meta["counters"]["deals"] >= 150
    assert registry.make("runs/like", "mini", 2).name == "runs/like"
    args = ppo.Args(rules="mini", players=2, num_games=8, threads=1, start="runs/like")
    begun = ppo.Trainer(args)
    for name, array in saved.arrays("network").items():
        np.testing.assert_array_equal(array, begun.network.state_dict()[name].numpy())


def test_an_evaluation_shows_points_and_agreement() -> None:
    trainer = imitate.Trainer(replace(SMALL, eval_decks=16, eval_opponent="random"))
    shown = trainer.evaluate()
    assert str(shown).endswith(f", {100 * trainer.agreement():.0f} % agree")

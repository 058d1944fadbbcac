"""The records that an AEC environment keeps: each episode in a file that reads back as it was."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from canasta_env import Game, canasta_v0
from canasta_env.notation import write_position
from canasta_env.record import Record, load_record
from tests.playing import TABLES

ROOT = Path(__file__).resolve().parent.parent


def play(env: Any, steps: int = 10**6, seed: int = 0) -> None:
    """Play random actions, at most to the end of the episode."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return
        env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))


def records(folder: Path) -> dict[str, Record]:
    return {file.name: load_record(file) for file in sorted(folder.iterdir())}


def state(env: Any) -> dict[str, Any]:
    """The game as it stands, card by card."""
    return write_position(env.unwrapped._table.game.view(np.recarray), 0, env.unwrapped.rules)


@pytest.mark.parametrize(("rules", "players"), TABLES)
@pytest.mark.parametrize("make", [canasta_v0.raw_env, canasta_v0.env])
def test_an_episode_is_read_back_as_it_was_played(
    tmp_path: Path, rules: str, players: int, make: Any
) -> None:
    stock = ("shared", "seat_streams")[players % 2]
    env = make(rules, players=players, records=tmp_path, stock=stock)
    for episode in (1, 2, 3):
        env.reset(seed=7 if episode == 1 else None)
        play(env, seed=episode)
        found = records(tmp_path)
        assert list(found) == [f"seed-7-episode-{number}.txt" for number in range(1, episode + 1)]
        record = found[f"seed-7-episode-{episode}.txt"]
        assert record.game.to_position() == state(env)
        assert record.game.scores == env.unwrapped._table.record.scores[: env.sides].tolist()
        assert record.names == tuple(env.possible_agents)
        text = (tmp_path / f"seed-7-episode-{episode}.txt").read_text()
        assert text.splitlines()[-1].startswith("end ")


@pytest.mark.parametrize("target", [900, 10_000])
def test_a_match_is_one_record(tmp_path: Path, target: int) -> None:
    rules = f"classic(target={target})"
    env = canasta_v0.env(rules, records=tmp_path, episode="match", max_deals=3, scores="zero")
    env.reset(seed=3)
    play(env)
    (record,) = records(tmp_path).values()
    assert record.game.to_position() == state(env)
    assert len(record.game.deals) == record.game.deal
    assert record.game.match_over == all(env.terminations.values())
    assert str(record.game.rules) == rules


def test_what_options_give_is_in_the_record(tmp_path: Path) -> None:
    env = canasta_v0.env(records=tmp_path, scores="spread")
    deck = np.random.default_rng(0).permutation(Game(seed=1).deck).tolist()
    env.reset(seed=0, options={"deck": deck, "dealer": 2, "scores": [1500, -45]})
    play(env)
    (record,) = records(tmp_path).values()
    assert record.game.to_position() == state(env)
    assert record.game.deck.tolist() == deck and record.game.dealer == 2
    for options in ({"dealer": 1}, {"scores": [0, 3000]}, {}):
        env.reset(seed=1, options=options)
        play(env, seed=5)
        number = len(list(tmp_path.iterdir()))
        name = "seed-1-episode-1.txt" if number == 2 else f"seed-1-episode-1-{number - 1}.txt"
        assert records(tmp_path)[name].game.to_position() == state(env)


def test_a_position_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    env = canasta_v0.env(records=tmp_path)
    env.reset(seed=1)
    play(env, 20)
    before = state(env)
    with pytest.raises(ValueError, match="position has no deck"):
        env.reset(options={"position": Game(seed=1).to_position()})
    assert state(env) == before and not list(tmp_path.iterdir())
    play(env, seed=2)
    assert len(records(tmp_path)) == 1


@pytest.mark.parametrize("how", ["close", "reset"])
def test_an_episode_that_is_left_is_written_as_far_as_it_came(tmp_path: Path, how: str) -> None:
    env = canasta_v0.env(records=tmp_path)
    env.reset(seed=1)
    env.reset(seed=1)
    env.close()
    assert not list(tmp_path.iterdir())  # nothing was played
    env.reset(seed=2)
    play(env, 33)
    left = state(env)
    env.close() if how == "close" else env.reset(seed=4)
    (record,) = records(tmp_path).values()
    assert record.game.to_position() == left and not record.game.over
    env.close()
    env.close()
    assert len(records(tmp_path)) == 1
    with pytest.raises(ValueError, match="seed"):
        env.reset(seed=-1)
    assert len(records(tmp_path)) == 1


def test_an_illegal_action_leaves_a_record_of_what_was_played(tmp_path: Path) -> None:
    env = canasta_v0.env(records=tmp_path)
    env.reset(seed=1)
    play(env, 21)
    left = state(env)
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"] == 0)[0]))
    env.close()
    (record,) = records(tmp_path).values()
    assert record.game.to_position() == left


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_keep_records_of_their_own(tmp_path: Path, duplicate: Any) -> None:
    env = canasta_v0.env(records=tmp_path)
    env.reset(seed=1)
    play(env, 40)
    other = duplicate(env)
    play(env, seed=3)
    play(other, seed=4)
    first, second = records(tmp_path).values()  # the second name has a number
    assert [state(env), state(other)] in (
        [first.game.to_position(), second.game.to_position()],
        [second.game.to_position(), first.game.to_position()],
    )


def test_searches_leave_no_records(tmp_path: Path) -> None:
    env = canasta_v0.raw_env(records=tmp_path)
    env.reset(seed=1)
    play(env, 40)
    for other in (env.clone(), env.determinize(0, 1)):
        play(other)
        other.close()
    assert not list(tmp_path.iterdir())


def test_records_change_nothing_else(tmp_path: Path) -> None:
    ends = []
    for arguments in ({}, {"records": tmp_path / "not" / "there" / "yet"}):
        env = canasta_v0.env(**arguments)
        env.reset(seed=11)
        play(env, seed=1)
        ends.append((state(env), env.rewards))
    assert ends[0] == ends[1]


def test_a_bad_folder_is_one_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for folder in (file, file / "below", "\0"):
        with pytest.raises(ValueError, match=r"records=.*is no folder to write files into"):
            canasta_v0.env(records=folder)
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def test_a_full_disk_spoils_neither_the_game_nor_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = canasta_v0.env(records=tmp_path)
    env.reset(seed=1)

    def fail(self: Path, *_: Any, **__: Any) -> None:
        self.touch()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", fail)
        with pytest.raises(OSError, match="No space"):
            play(env)
    assert all(env.terminations.values()) and not list(tmp_path.iterdir())
    env.reset(seed=2)
    play(env)
    assert list(records(tmp_path)) == ["seed-2-episode-1.txt"]


def test_a_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    env = canasta_v0.env(records=tmp_path)
    for _ in range(2):
        env.reset(seed=1)
        play(env)
    assert list(records(tmp_path)) == ["seed-1-episode-1-2.txt", "seed-1-episode-1.txt"]


def test_the_command_tells_such_a_record(tmp_path: Path) -> None:
    env = canasta_v0.env("russian", records=tmp_path)
    env.reset(seed=1)
    play(env)
    file = tmp_path / "seed-1-episode-1.txt"
    done = subprocess.run(
        [sys.executable, "-m", "canasta_env", "replay", str(file)], cwd=ROOT, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert "player_0" in done.stdout and "deal 1" in done.stdout


EXAMPLES = re.findall(
    r"(?ms)^```python\n(.*?)^```", (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
)


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert len(EXAMPLES) == 2
    for code in EXAMPLES:
        exec(compile(code, "records.md", "exec"), {"__name__": "page"})
    assert list(records(tmp_path / "games")) == ["seed-7-episode-1.txt"]

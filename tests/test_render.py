"""Pictures: what is in them, that no seat's picture shows what the seat cannot see, and what
recorders make of them."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import render_test

from canasta_env import Game, Rules, env, raw_env
from canasta_env.render import viewer
from canasta_env.render.ansi import WIDTH, draw
from canasta_env.render.viewer import Viewer, picture
from canasta_env.single import CanastaEnv
from canasta_env.vector import CanastaVectorEnv
from tests.playing import pick, play_some

pygame = pytest.importorskip("pygame")

PAGE = Path(__file__).resolve().parent.parent / "docs" / "rendering.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
SHAPE = (800, 1280, 3)
has_moviepy = importlib.util.find_spec("moviepy") is not None


@pytest.fixture(autouse=True)
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def started(rules: str = "classic", steps: int = 70, **arguments: Any) -> Any:
    """An environment amid its first episode."""
    environment: Any = raw_env(rules, **arguments)
    environment.reset(seed=3)
    rng = np.random.default_rng(0)
    for _ in range(steps):
        if not environment.terminations[environment.agent_selection]:
            environment.step(drawn_by_lot(environment, rng))
    return environment


def drawn_by_lot(environment: Any, rng: np.random.Generator) -> int:
    mask = environment.observe(environment.agent_selection)["action_mask"]
    return int(rng.choice(np.flatnonzero(mask)))


# -- as PettingZoo and Gymnasium want it -----------------------------------------------------------


def test_pettingzoo_accepts_the_pictures() -> None:
    render_test(env)


def test_pixels_in_every_environment() -> None:
    assert env().metadata["render_fps"] == 2
    single = gymnasium.make("canasta_env:Canasta-v0", render_mode="rgb_array", seat=1)
    single.reset(seed=0)
    first: Any = single.render()
    assert first.shape == SHAPE and first.dtype == np.uint8 and len(np.unique(first)) > 50
    single.step(0)
    assert (single.render() != first).any() and (first == first.copy()).all()
    many = CanastaVectorEnv(num_envs=2, render_mode="rgb_array")
    many.reset(seed=0)
    pictures: Any = many.render()
    assert [one.shape for one in pictures] == [SHAPE, SHAPE]
    assert (pictures[0] != pictures[1]).any()


def test_a_window() -> None:
    environment = started(steps=3, render_mode="human")
    assert environment.render() is None
    shown = viewer._pixels(pygame.display.get_surface())
    assert (shown == started(steps=3, render_mode="rgb_array").render()).all()
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    environment.step(int(environment._table.mask.argmax()))
    assert not pygame.display.get_init(), "the user has shut it"
    environment.step(int(environment._table.mask.argmax()))
    assert not pygame.display.get_init(), "and it stays shut"
    environment.close()


def test_a_place_without_a_screen_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from canasta_env.render import window

    window.close()
    monkeypatch.setenv("SDL_VIDEODRIVER", "no-such-driver")
    with pytest.raises(RuntimeError, match=r"no window can be opened here .*'rgb_array'"):
        started(steps=0, render_mode="human")


def test_a_lack_of_pygame_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for mode in ("human", "rgb_array"):
        with pytest.raises(gymnasium.error.DependencyNotInstalled, match=r"canasta-env\[render\]"):
            raw_env(render_mode=mode)  # type: ignore[arg-type]
    assert "stock" in started(steps=1, render_mode="ansi").render()


def test_wrong_arguments_are_named() -> None:
    for arguments, what in (
        ({"render_mode": "svg"}, r"render_mode='svg' is not possible; one of .*'rgb_array'"),
        ({"render_mode": "ansi", "render_seat": 4}, "render_seat=4 is not possible; .* 0 to 3"),
        ({"render_mode": "ansi", "render_seat": "me"}, "render_seat='me'"),
    ):
        with pytest.raises(ValueError, match=what):
            raw_env(**arguments)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=what):
            CanastaEnv(**arguments)  # type: ignore[arg-type]


def test_the_example_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(EXAMPLES[0], "rendering.md", "exec"), {"__name__": "rendering"})
    assert (tmp_path / "table.png").stat().st_size > 10_000


@pytest.mark.skipif(not has_moviepy, reason="moviepy is not installed")
def test_recorders_write_videos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(EXAMPLES[1], "rendering.md", "exec"), {"__name__": "rendering"})
    record = pytest.importorskip("pettingzoo.utils.wrappers.record_video")
    several = record.RecordVideo(
        started(steps=0, render_mode="rgb_array"), str(tmp_path / "all"), video_length=3
    )
    several.reset(seed=0)
    for _ in range(3):
        several.step(drawn_by_lot(several, np.random.default_rng(0)))
    several.close()
    for folder in ("videos", "all"):
        (file,) = (tmp_path / folder).glob("*.mp4")
        assert file.stat().st_size > 1000


# -- what a picture may show -----------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["classic", "czech", "hand_and_foot"])
def test_a_seat_s_picture_shows_only_what_it_sees(rules: str) -> None:
    for seat in (0, 3):
        environment = started(rules, render_mode="rgb_array", render_seat=seat)
        shown = environment.render()
        for seed in (1, 2):
            world = environment.determinize(seat, seed)
            assert (world._table.record.hands != environment._table.record.hands).any()
            assert (world.render() == shown).all()
        assert (environment.render() == shown).all()
    everything = started(rules, render_mode="rgb_array", render_seat="all")
    world = everything.determinize(0, 1)
    assert (world.render() != everything.render()).any(), "the test can see a difference"


@pytest.mark.parametrize(("rules", "players"), [("classic", 3), ("czech", 5), ("mini", 2)])
def test_a_single_picture_follows_from_the_view(rules: str, players: int) -> None:
    rng = np.random.default_rng(1)
    game = play_some(Game(rules, players=players, seed=2), 40, rng)
    for seat in range(players):
        world = game.determinize(seat, 7)
        ours, theirs = (picture(one.view(seat)[0], one.record, game.rules) for one in (game, world))
        assert (ours == theirs).all()


def test_a_clone_is_drawn_alike_and_goes_its_own_way() -> None:
    environment = started(render_mode="rgb_array", render_seat=0)
    shown = environment.render()
    other = environment.clone()
    assert (other.render() == shown).all()
    for _ in range(4):
        other.step(int(other._table.mask.argmax()))
    assert (other.render() != shown).any() and (environment.render() == shown).all()
    for duplicate in (copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))):
        twin = duplicate(environment)
        for one in (environment, twin):
            one.step(int(one._table.mask.argmax()))
        assert (twin.render() == environment.render()).all()
        assert (environment.render() != shown).any()


@pytest.mark.parametrize(("rules", "players"), [("classic", 6), ("mini", 4), ("czech", 6)])
def test_all_of_a_deal_can_be_drawn(rules: str, players: int) -> None:
    rng = np.random.default_rng(4)
    game = Game(rules, players=players, seed=1)
    for mode in ("ansi", "rgb_array"):
        shows = Viewer(game.rules, players, mode, "all")  # type: ignore[arg-type]
        for _ in range(6):
            found = shows.show(game.record, game.turn, game.view)
            assert isinstance(found, str if mode == "ansi" else np.ndarray)
            play_some(game, 25, rng)


# -- text ------------------------------------------------------------------------------------------


def test_a_text_with_all_hands_and_the_last_action() -> None:
    environment = started(render_mode="ansi", render_seat="all")
    text = environment.render()
    assert [f"hand of player_{seat}" in text for seat in range(4)] == [True] * 4
    assert text.splitlines()[-1].startswith(f"hand of {environment.agent_selection}")
    agent, action = environment.agent_selection, int(environment._table.mask.argmax())
    environment.step(action)
    assert f"last: {agent}: {environment.table.texts[action]}" in environment.render()


def test_canastas_are_marked_by_the_size_of_the_rules() -> None:
    position: dict[str, Any] = {"rules": "mini", "turn": 0, "phase": "draw", "absent": "rest"}
    position |= {"hands": {0: "4", 1: "5", 2: "6", 3: "7"}, "stock": "4 5 6 7", "players": 4}
    game = Game.from_position({**position, "melds": {0: ["8 8 8 8"], 1: ["9 9 2 2"]}})
    text = draw(game.view(0)[0], "mini")
    assert "★ 8 8 8 8  (natural canasta)" in text and "(mixed canasta)" in text
    assert "★" not in draw(game.view(0)[0])


def test_colours_change_nothing_but_the_looks() -> None:
    rng = np.random.default_rng(3)
    game = play_some(Game("czech", seed=4), 90, rng)
    view = game.view(game.turn)[0]
    plain, coloured = draw(view, "czech"), draw(view, "czech", colour=True)
    assert "\x1b" not in plain and "\x1b" in coloured
    assert without_codes(coloured) == plain
    assert max(map(len, plain.splitlines()[:-1])) < WIDTH + 40


def without_codes(text: str) -> str:
    """A text without the codes of a terminal."""
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_rules_without_names_can_be_drawn() -> None:
    game = Game(Rules.parse("classic(target=3000)"), seed=1)
    game.play(pick(game, np.random.default_rng(0)))
    assert draw(game.view(0)[0]).startswith("deal 1 · turn 1")
    assert draw(game.view(0)[0], game.rules).startswith("classic(target=3000) · deal 1")

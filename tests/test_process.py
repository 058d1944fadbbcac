"""Bots in other processes: the protocol's whole conversation, and what becomes of bad bots."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import registry
from agents.base import Agent
from agents.process import BotError, BotProcess, ProcessAgent
from canasta_env import Batch
from experiments.match import main as match

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "line-protocol.md").read_text(encoding="utf-8")
EXAMPLE = f"{sys.executable} {ROOT / 'docs' / 'examples' / 'bot.py'}"
TRANSCRIPT = re.compile(r"^```text\n(> canasta.*?)^```", re.MULTILINE | re.DOTALL)

BOT = """
import sys
for line in sys.stdin:
    word = line.split()[0]
    if word == "start":
        print("ready test", flush=True)
    elif word == "act":
        {act}
    elif word == "illegal":
        print(line.strip(), file=sys.stderr, flush=True)
"""


def bot(tmp_path: Path, act: str, whole: str = BOT) -> str:
    """The command of a bot that does ``act`` where an answer is awaited."""
    file = tmp_path / "bot.py"
    file.write_text(whole.replace("{act}", act), encoding="utf-8")
    return f"{sys.executable} {file}"


def asked(agent: Agent, rules: str = "tiny", steps: int = 1) -> Batch:
    """A batch in which the agent has decided for all seats, so many times."""
    batch = Batch(rules, 2, players=2, seed=1, autoreset="off")
    rows = np.arange(2)
    for _ in range(steps):
        batch.step(agent.act(batch, rows))
    return batch


def test_the_transcript_is_what_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (shown,) = TRANSCRIPT.findall(PAGE)
    log = tmp_path / "talk.txt"
    name = f"process(log={str(log)!r}):{EXAMPLE}"
    assert match([name, "greedy", "--rules", "tiny", "--players", "2", "--pairs", "1"]) == 0
    capsys.readouterr()
    assert log.read_text(encoding="utf-8") == shown


def test_the_example_imports_only_the_standard_library_and_plays_other_rules() -> None:
    source = (ROOT / "docs" / "examples" / "bot.py").read_text(encoding="utf-8")
    assert re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE) == ["sys"]
    agent: Any = registry.make(f"process:{EXAMPLE}", "czech", 2, 0)
    assert agent.name == "example"
    batch = asked(agent, "czech", 12)
    assert (batch.games.turns > 1).all()
    agent.close()


def test_an_illegal_answer_is_explained_and_asked_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = bot(tmp_path, 'print("play discard 4" if line else 0, flush=True)')
    with pytest.raises(BotError, match=r"test: no legal answer to game 0, turn 1, seat \d: play"):
        asked(ProcessAgent(command, "tiny", 2, tries=2))
    told = capfd.readouterr().err
    assert told.count("illegal play discard 4: ") == 1 and "; 1 more try" in told
    for answer, reason in (
        ("play fly", "'fly' is not an action"),
        ("nonsense", "'play ACTION' was expected"),
    ):
        with pytest.raises(BotError, match=reason):
            asked(ProcessAgent(bot(tmp_path, f'print("{answer}", flush=True)'), "tiny", 2))


@pytest.mark.parametrize("fallback", ["first", "random"])
def test_a_fallback_is_played_and_told(
    tmp_path: Path, fallback: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    command = bot(tmp_path, 'print("play discard A", flush=True)')
    agent = ProcessAgent(command, "tiny", 2, tries=1, fallback=fallback)
    asked(agent, steps=2)
    assert capsys.readouterr().err.count("; played: ") == 4
    agent.close()


def test_failures_are_one_line(tmp_path: Path) -> None:
    slow = bot(tmp_path, "import time; time.sleep(60)")
    agent = ProcessAgent(slow, "tiny", 2, seconds=0.3)
    with pytest.raises(BotError, match=r"no answer to game 0, turn 1, seat \d in 0.3 s"):
        asked(agent)
    assert agent._bot._process.poll() is not None, "it is ended"
    dying = bot(tmp_path, "sys.exit(3)")
    with pytest.raises(BotError, match="ended with exit status 3, no answer to game 0"):
        asked(ProcessAgent(dying, "tiny", 2))
    for command, what in (
        ("/no/such/program", "cannot be started"),
        (f"{sys.executable} -c pass", "ended with exit status 0"),
        (f"{sys.executable} -c 'print(1, flush=True); input()'", "'ready NAME' was expected"),
    ):
        with pytest.raises(BotError, match=what):
            ProcessAgent(command, "tiny", 2)


def test_wrong_names_are_one_line() -> None:
    for name, what in (
        ("process:", "is not process:COMMAND"),
        ("process(seconds=0):true", "seconds=0 is not possible"),
        ("process(speed=3):true", "speed.*options are seconds, tries, fallback, log"),
        ("process(fallback=pass):true", "fallback='pass' is not possible"),
        ("process(tries=0):true", "tries=0 is not possible"),
    ):
        with pytest.raises(ValueError, match=what) as caught:
            registry.make(name, "tiny", 2)
        assert "\n" not in str(caught.value)


def test_without_being_shown_the_others_it_is_told_how_things_stand(tmp_path: Path) -> None:
    log = tmp_path / "talk.txt"
    agent = ProcessAgent(EXAMPLE, "mini", 2, log=str(log))
    asked(agent, "mini", steps=3)
    agent.close()
    told = re.findall(r"^> saw (.*)$", log.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(told) == 6 and all(text.startswith("you join at turn ") for text in told)


def test_what_was_written_unasked_is_no_answer(tmp_path: Path) -> None:
    both = 'print("# thinking"); print("play draw", flush=True); print("play fly", flush=True)'
    agent = ProcessAgent(bot(tmp_path, both), "mini", 2, tries=1)
    agent.act(Batch("mini", 1, players=2, seed=1), np.arange(1))
    deadline = time.monotonic() + 30
    while agent._bot._lines.empty() and time.monotonic() < deadline:
        time.sleep(0.01)
    agent._bot.pass_over()
    assert agent._bot._lines.empty()
    agent.close()


def test_a_program_that_does_not_listen_is_ended() -> None:
    code = "import signal, sys; signal.signal(15, signal.SIG_IGN)\nwhile True: sys.stdin.read(1)"
    process = BotProcess(f"{sys.executable} -c '{code}'", 1.0)
    process.close()
    assert isinstance(process._process, subprocess.Popen) and process._process.poll() is not None

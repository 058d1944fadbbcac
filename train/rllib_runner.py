"""An EnvRunner of RLlib that plays many games at once in the compiled batch.

RLlib's own ``MultiAgentEnvRunner`` plays game after game in Python. This one has the same place in
RLlib (weights come in, episodes go out) and asks the module once a step for all games.

An episode that goes out is the part of one seat's deal that was played since the last time: its
decisions, and after each what the seat was paid until it decided again, whoever acted meanwhile.
When a deal ends every seat's last decision is paid, a loss as well as a win. A decision whose seat
hasn't decided again is held back, since what it earns isn't known yet; its view ends the part that
goes out, and RLlib's advantages go on from the value of that view. Forced moves are no decisions.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from ray.rllib.core.columns import Columns
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.single_agent_episode import SingleAgentEpisode
from ray.rllib.env.utils.infinite_lookback_buffer import InfiniteLookbackBuffer
from ray.rllib.env.vector.sync_vector_multi_agent_env import SyncVectorMultiAgentEnv
from ray.rllib.utils import metrics as names

from agents.network import sample
from canasta_env.batch import Batch
from canasta_env.rllib import CanastaMultiAgentEnv

__all__ = ["BATCH_SETTINGS", "MODULE", "BatchEnvRunner", "Decisions"]

MODULE: Final = "shared"
"""The one module, which plays all seats."""
BATCH_SETTINGS: Final = ("rules", "players", "scores", "stock", "recall")
"""What ``env_config`` may say to this runner; an episode is a deal."""
SEEN: Final = ("observation", "action_mask")
OUTPUTS: Final = (Columns.ACTION_LOGP, Columns.ACTION_DIST_INPUTS)

Rows = dict[str, npt.NDArray[Any]]
Ints = npt.NDArray[np.int64]


class BatchEnvRunner(MultiAgentEnvRunner):  # type: ignore[misc]
    """Plays ``num_envs_per_env_runner`` games in lock step, with one module for all seats.

    ``env_config`` may have the :data:`BATCH_SETTINGS`, and has ``scaled=False``. Of the connectors,
    those between environment and module are passed by.

    Raises:
        ValueError: there is another setting, or one that is not possible.
    """

    def make_env(self) -> None:
        """Deals the games, and makes one environment, by whose spaces RLlib goes."""
        settings = dict(self.config.env_config)
        self.num_envs = self.config.num_envs_per_env_runner
        self.batch = Batch(
            n=self.num_envs, seed=self._seed or 0, autoreset="same_step", **_for_batch(settings)
        )
        self.decisions = Decisions(self.num_envs, self.batch.players)
        self.generator = torch.Generator().manual_seed(self._seed or 0)
        self.env = SyncVectorMultiAgentEnv([lambda: CanastaMultiAgentEnv(settings)])
        torch.set_num_threads(1)  # for rows as few as these, more only wait for each other

    def _sample(
        self,
        *,
        num_timesteps: int | None = None,
        num_episodes: int | None = None,
        explore: bool,
        random_actions: bool = False,
        force_reset: bool = False,
    ) -> list[SingleAgentEpisode]:
        """What :meth:`sample` gives: the complete decisions of at least ``num_timesteps`` moves."""
        if num_timesteps is None or random_actions or force_reset:
            raise ValueError(
                "BatchEnvRunner samples by num_timesteps, with its module, and goes on"
            )
        steps = -(-num_timesteps // self.num_envs)
        done = np.sum([self._step(explore) for _ in range(steps)], axis=0)
        self._count(steps * self.num_envs, *done.tolist())
        return self.decisions.give()

    def _step(self, explore: bool) -> tuple[int, int]:
        """One move in every game; how many were decisions, and how many deals ended."""
        batch = self.batch
        actions = batch.mask.argmax(axis=1)
        at = np.flatnonzero(np.count_nonzero(batch.mask, axis=1) > 1)
        if at.size:
            actions[at] = self._decide(at, explore)
        batch.step(actions)
        ended = batch.terminated | batch.truncated
        self.decisions.pay(batch.reward, ended)
        return len(at), int(np.count_nonzero(ended))

    def _decide(self, at: Ints, explore: bool) -> Ints:
        """The module's actions in the games ``at``, noted with what they were decided from."""
        seen = {"observation": self.batch.observation[at], "action_mask": self.batch.mask[at]}
        given = {Columns.OBS: {name: torch.from_numpy(rows) for name, rows in seen.items()}}
        module = self.module[MODULE]
        forward = module.forward_exploration if explore else module.forward_inference
        logits = forward(given)[Columns.ACTION_DIST_INPUTS]
        with torch.no_grad():
            probability = logits.softmax(-1)
            chosen = sample(probability, self.generator) if explore else logits.argmax(-1)
            log_probability = probability.gather(1, chosen[:, None])[:, 0].log()
        outputs = {
            Columns.ACTIONS: chosen.numpy(),
            Columns.ACTION_LOGP: log_probability.numpy(),
            Columns.ACTION_DIST_INPUTS: logits.numpy(),
        }
        self.decisions.note(at, self.batch.seat[at], {**seen, **outputs})
        actions: Ints = outputs[Columns.ACTIONS]
        return actions

    def _count(self, moves: int, decisions: int, deals: int) -> None:
        """Log what RLlib counts by."""
        for name, lifetime, count in (
            (names.NUM_ENV_STEPS_SAMPLED, names.NUM_ENV_STEPS_SAMPLED_LIFETIME, moves),
            (names.NUM_EPISODES, names.NUM_EPISODES_LIFETIME, deals),
        ):
            self.metrics.log_value(name, count, reduce="sum")
            self.metrics.log_value(lifetime, count, reduce="lifetime_sum")
        by_module = names.NUM_MODULE_STEPS_SAMPLED, MODULE
        self.metrics.log_value(by_module, decisions, reduce="sum")
        self.num_env_steps_sampled_lifetime += moves


def _for_batch(env_config: dict[str, Any]) -> dict[str, Any]:
    """What of ``env_config`` is said to the batch; ``ValueError`` for what the batch has not."""
    given = {name: value for name, value in env_config.items() if name != "scaled"}
    unknown = sorted(set(given) - set(BATCH_SETTINGS))
    if unknown or env_config.get("scaled", True):
        raise ValueError(
            f"env_config: BatchEnvRunner needs scaled=False and takes {', '.join(BATCH_SETTINGS)}; "
            f"it has {', '.join(unknown) or 'scaled=True'}"
        )
    return given


class Decisions:
    """The decisions of a rollout and what was paid meanwhile, of ``games`` games with so many
    ``players`` each.
    """

    def __init__(self, games: int, players: int) -> None:
        self.players = players
        self._deal = np.zeros(games, np.int64)
        self._paid = np.zeros((games, players))
        self._ends: dict[tuple[int, int], npt.NDArray[np.float64]] = {}
        self._noted: list[Rows] = []

    def note(self, games: Ints, seats: Ints, decided: Rows) -> None:
        """A decision in each of ``games`` (m,), by ``seats`` (m,): observation, mask, action and
        what the module gave, arrays (m, …) by name.
        """
        place = {
            "game": games, "seat": seats.copy(), "deal": self._deal[games],
            "paid": self._paid[games, seats],
        }  # fmt: skip
        self._noted.append({**place, **decided})

    def pay(self, reward: npt.NDArray[np.float32], ended: npt.NDArray[np.bool_]) -> None:
        """After a step: its rewards (games, players), and in which games a deal ended with it."""
        self._paid += reward
        over = np.flatnonzero(ended)
        for game in over.tolist():
            self._ends[game, int(self._deal[game])] = self._paid[game].copy()
        self._deal[over] += 1

    def give(self) -> list[SingleAgentEpisode]:
        """The decisions that are complete, as episodes; the others are held back."""
        if not self._noted:
            return []
        rows = {name: np.concatenate([n[name] for n in self._noted]) for name in self._noted[0]}
        order = np.argsort(rows["game"] * self.players + rows["seat"], kind="stable")
        rows = {name: array[order] for name, array in rows.items()}
        chain = np.stack([rows["game"], rows["seat"], rows["deal"]])
        starts = np.flatnonzero(np.append(True, (chain[:, 1:] != chain[:, :-1]).any(axis=0)))
        stops = np.append(starts[1:], len(order))
        found = [self._episode(rows, *places) for places in zip(starts, stops, strict=True)]
        last = stops - 1
        held = last[rows["deal"][last] == self._deal[rows["game"][last]]]
        self._noted = [{name: array[held] for name, array in rows.items()}]
        self._ends.clear()
        return [episode for episode in found if episode is not None]

    def _episode(self, rows: Rows, start: int, stop: int) -> SingleAgentEpisode | None:
        """The decisions from ``start`` to before ``stop``, all of one seat in one deal; None if
        none of them is complete.
        """
        game, seat = int(rows["game"][start]), int(rows["seat"][start])
        end = self._ends.get((game, int(rows["deal"][start])))
        paid = rows["paid"][start:stop]
        if end is not None:
            paid = np.append(paid, end[seat])
        count = len(paid) - 1
        if not count:
            return None
        # after its end a deal has no view that anything depends on: the last one stands in for it
        views = np.minimum(np.arange(start, start + count + 1), stop - 1)
        return SingleAgentEpisode(
            observations=InfiniteLookbackBuffer({name: rows[name][views] for name in SEEN}),
            actions=InfiniteLookbackBuffer(rows[Columns.ACTIONS][start : start + count]),
            rewards=InfiniteLookbackBuffer(np.diff(paid).astype(np.float32)),
            extra_model_outputs={
                name: InfiniteLookbackBuffer(rows[name][start : start + count]) for name in OUTPUTS
            },
            terminated=end is not None,
            len_lookback_buffer=0,
            agent_id=f"player_{seat}",
            module_id=MODULE,
            multi_agent_episode_id=str(game),
        )

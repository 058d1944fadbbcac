"""The AEC environment under the name by which PettingZoo's users look for one."""

from __future__ import annotations

from canasta_env.aec import env, raw_env

__all__ = ["env", "raw_env"]

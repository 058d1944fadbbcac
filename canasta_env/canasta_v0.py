"""The AEC environment under the name by which PettingZoo's users look for one.

Where PettingZoo has a registry (from 1.27 on), ``pettingzoo.make("aec", "canasta_v0")`` finds it
too, once ``canasta_env`` has been imported.
"""

from __future__ import annotations

from canasta_env.aec import env, raw_env

__all__ = ["env", "raw_env"]

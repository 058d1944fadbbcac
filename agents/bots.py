"""The compiled rule bots as agents; they ship with the environment."""

from canasta_env.bots.agent import BotAgent, Chooser

__all__ = ["BotAgent", "Chooser"]

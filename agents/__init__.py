"""Agents: what plays, given a batch and its rows."""

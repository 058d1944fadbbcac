"""Measurements: matches between agents, their statistics, benchmarks and long checks of the engine.

This layer may import all others (``train``, ``agents``, ``canasta_env``); none of them imports it.
"""

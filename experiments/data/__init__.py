"""Games of any agents as data: ``python -m experiments.data``."""

"""A person plays in the terminal, against agents and with them: ``python -m agents.play``."""

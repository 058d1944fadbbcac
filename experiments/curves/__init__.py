"""Learning curves: every checkpoint that runs kept along the way against a ladder of agents."""

"""How fast other frameworks' card games are, beside this one: the part ``peers`` of
``python -m experiments.bench``.

All are measured alike. A step is one decision of one agent, by a uniformly random legal action;
observation and legal actions are made at every step; a game that ends is started again, which
counts as time and not as a decision. One core, the clock, and all environments in turns.
"""

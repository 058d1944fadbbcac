"""Beliefs about hidden hands: what is certain, what chance says, and what play gives away."""

"""Positions: mappings to games and back; :mod:`canasta_env.notation` is the way in."""

"""Trainers, one file an algorithm."""

"""Exact truth about games so small that every deal and every play of them can be walked through."""

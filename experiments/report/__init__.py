"""The report of a tournament: ``python -m experiments.report FILE.sqlite``.

``database`` reads the file, ``analysis`` computes, ``results`` and ``background`` say it in blocks
of text, tables and plots, and ``html`` and ``markdown`` write the same blocks.
"""

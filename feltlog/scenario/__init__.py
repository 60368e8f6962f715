"""Scenarios: one round written down as data, and played through the same deciders as a live one.

`text` reads a file, `enactment` plays it, `result` says how it ended, `expected` holds that against what the file expects.
Everything here is pure but for the profiles that a file names.
"""

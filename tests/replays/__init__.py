"""Golden logs: whole rounds of real houses, named after what went wrong, and decided again on every run.

They are added and never edited.  `python -m tests.replays.export ROUND --data DIR --story NAME` adds one.
"""

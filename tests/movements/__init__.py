"""Movements without end: the ledger beside a book of plain numbers that knows none of its code.

`python -m tests.movements --count 1000000 --seed 1`, or `make movements`.
"""

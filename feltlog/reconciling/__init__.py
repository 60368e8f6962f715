"""Reconciling: the ledger held against itself, and against what the rounds say of their own money.

Here is arithmetic over events and nothing else: none of the code that decides about money, for a check that shares the code
shares its mistakes.  `ledger` adds up a day's book, `postings` holds each movement against what its event says, `rounds` gathers
what a day's rounds say, and `comparing` holds one against the other, both ways.  What the ledger has not heard yet is no
difference; how far it has heard stands in its own entries.
"""

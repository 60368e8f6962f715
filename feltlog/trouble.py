"""Trouble: what a person must put right, said in a sentence.

Everything below the front door raises it for a taken port, a missing program or a misspelt setting, and only the front
door turns it into words on standard error and an exit status, so nobody ever meets a traceback for an ordinary mistake.
"""


class Trouble(Exception):
    """One or more sentences: what is wrong, where, and what to do about it."""

"""Amounts: how much `make simulate`, `make chaos` and `make bench` are asked to do.

What is no amount is refused in a sentence: a run that does nothing proves nothing, and one of no rounds would be told as a
finding.
"""

import argparse
import math


def whole_number(text: str) -> int:
    """Return a whole number above zero; raise `ArgumentTypeError`."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above zero")
    return int(text)


def share(text: str) -> float:
    """Return a number above zero that is no more than a hundred; raise `ArgumentTypeError`."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above zero, up to 100")
    return number

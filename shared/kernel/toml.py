"""TOML as people write it: read strictly into a type, and whatever else stands there is one kind of error with a short sentence.

The reader beneath knows more ways to fail than its own error: numbers of thousands of digits, brackets without end.
"""

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

MESSAGE_MAX = 240


class BadToml(ValueError):
    """A text that is no TOML, or does not say what the type wants; ends with the place where that is known: ` - at `$.house``."""


def decode(text: str | bytes, kind: type[T]) -> T:
    """Return what a TOML text says as a `kind`; raise `BadToml` for anything else."""
    try:
        told: T = msgspec.toml.decode(text, type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise BadToml(shortened(str(error))) from error
    return told


def shortened(text: str, most: int = MESSAGE_MAX) -> str:
    """Return a text on one line that can be shown anywhere, its middle left out if it is too long.

    >>> shortened("unknown key `" + "9" * 5_000 + "`", 40), shortened("a\\x1b[31m\\nb")
    ('unknown key `9999999 ... 99999999999999`', 'a\\\\x1b[31m b')
    """
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in " ".join(text.split()))
    keep = most // 2
    return line if len(line) <= most else f"{line[:keep]} ... {line[-keep + 5 :]}"


def quoted(text: Any) -> str:
    """Return something in quotation marks, and not more of it than a person needs to know it again."""
    return shortened(repr(text), 80)

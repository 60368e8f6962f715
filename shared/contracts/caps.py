"""Caps: how much people may move at once by their word alone, by currency; each day's book says its own."""

import re
from collections.abc import Mapping

from msgspec import Struct

from shared.kernel.money import EXPONENTS, MINOR_MAX

CAP_MINOR = 100_000
"""What one adjustment may move where the house has not said otherwise: so many of a currency's smallest unit."""


class AdjustmentCap(Struct, frozen=True, gc=False, kw_only=True):
    """How much one adjustment may move in a currency, to the player or from the player."""

    currency: str
    minor: int


class BadCaps(ValueError):
    """A list of caps that says nothing: what is wrong with it."""


def caps_line(caps: Mapping[str, int]) -> str:
    """Return caps, in minor units by currency, as they stand in a process's environment.

    >>> caps_line({"JPY": 50000, "CAD": 20000})
    'CAD=20000,JPY=50000'
    """
    return ",".join(f"{currency}={minor}" for currency, minor in sorted(caps.items()))


def caps_of(line: str) -> dict[str, int]:
    """Return the caps of a line; raise `BadCaps` for anything that `caps_line` does not write.

    >>> caps_of("CAD=20000,JPY=50000")
    {'CAD': 20000, 'JPY': 50000}
    """
    caps: dict[str, int] = {}
    for each in filter(None, line.split(",")):
        found = re.fullmatch(r"([A-Z]{3})=([0-9]{1,16})", each)
        if found is None or found[1] not in EXPONENTS or found[1] in caps or int(found[2]) > MINOR_MAX:
            raise BadCaps(f"{each!r} is not CURRENCY=MINOR_UNITS, each currency once")
        caps[found[1]] = int(found[2])
    return caps


def all_caps(caps: Mapping[str, int]) -> tuple[AdjustmentCap, ...]:
    """Return the cap of every currency, those that are not named by the default, as a book says them."""
    return tuple(AdjustmentCap(currency=currency, minor=caps.get(currency, CAP_MINOR)) for currency in sorted(EXPONENTS))

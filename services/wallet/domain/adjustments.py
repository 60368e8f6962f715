"""Adjustments: what was proposed in a book, and how much people may move in it.

A proposal lives as long as its book: its name begins with the book's day, so that nobody approves another day's.
"""

from collections.abc import Mapping

from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from shared.contracts.cage import AdjustmentProposed
from shared.contracts.refusals import Reason, refused
from shared.kernel.money import decimal


class Adjustments(Struct, frozen=True, gc=False):
    """What was proposed in a book: how many, and those that nobody has decided about, by name; and how much one may move."""

    made: int = 0
    open: Map[str, AdjustmentProposed] = Map()
    caps: Mapping[str, int] = {}
    """In minor units by currency; a currency that is not there cannot be adjusted."""

    def check_cap(self, currency: str, minor: int) -> None:
        """Raise `Refused` if that is more than the book lets people move at once, one way or the other."""
        cap = self.caps.get(currency, 0)
        if abs(minor) > cap:
            raise refused(Reason.ABOVE_CAP, f"{decimal(cap, currency)} {currency}")


NONE = Adjustments()


def proposed(adjustments: Adjustments, event: AdjustmentProposed) -> Adjustments:
    """Return the adjustments after one was proposed."""
    return replace(adjustments, made=adjustments.made + 1, open=adjustments.open.set(event.adjustment, event))


def decided(adjustments: Adjustments, adjustment: str) -> Adjustments:
    """Return the adjustments after one was made or declined."""
    return replace(adjustments, open=adjustments.open.delete(adjustment))

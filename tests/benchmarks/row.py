"""A row: one figure, and beside it the peer's where there is one.

A value without its peer says how fast a machine is, a ratio says how fast we are; so a line is only ever drawn at a ratio.
"""

from collections.abc import Callable

import msgspec

Tell = Callable[[str], None]
"""Says what a bench is at."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What `build/bench.json` holds for each figure; what there is not is null."""

    bench: str
    value: float
    unit: str
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None
    at_least: float | None = None

    @property
    def holds(self) -> bool:
        """Whether the ratio is not under its line; without a line nothing can be."""
        return self.at_least is None or (self.ratio is not None and self.ratio >= self.at_least)


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """A bench: what it does, how much of it once, and how many times; a peer does as much in between."""

    run: Callable[["Effort", Tell], list[Row]]
    amount: int
    times: int
    about: str


class Effort(msgspec.Struct, frozen=True):
    """How much is done once, and how many times."""

    amount: int
    times: int

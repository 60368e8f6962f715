"""Reachable states: every stream of a small house after each of its entries, and what stands in its messages."""

from functools import cache
from typing import Any

import msgspec

from shared.contracts.desk import QuarantineSource
from shared.contracts.desk_rules import DESK
from shared.kernel.decider import Decider
from shared.kernel.folded import Asked, Folded, Pen, commit, draft, empty, fold
from shared.kernel.messages import HOUSE
from tests.houses import WholeHouse, decider_of, little_house
from tests.procedure import see_to_the_cards, staffed

DESK_STREAM = "log.table.20261130.desk"


class Place(msgspec.Struct, frozen=True):
    """A stream after some of its entries."""

    decider: Decider[Any, Any, Any]
    stream: str
    entries: tuple[bytes, ...]

    def __repr__(self) -> str:
        return f"Place({self.stream} after {len(self.entries)} entries)"

    def folded(self) -> Folded[Any]:
        """Return the stream as these entries leave it."""
        folded = empty(self.decider, self.stream)
        for sequence, data in enumerate(self.entries, start=1):
            fold(self.decider, folded, data, sequence)
        return folded


@cache
def house() -> WholeHouse:
    """A house with two tables that played two rounds each, one whose staff saw to its cards, the day's end and the next one's beginning."""
    played = little_house(3, rounds=2)
    played.open_table("T3", "live", rules=staffed("live"))
    see_to_the_cards(played, "T3")
    played.play("T3", ["ann"])
    played.end_day()
    return played


@cache
def places() -> tuple[Place, ...]:
    """Return every stream after each of its entries, and before the first."""
    found = []
    for stream in dict.fromkeys(one.stream for one in house().stored):
        entries = tuple(one.data for one in house().of(stream))
        found += [Place(decider_of(stream), stream, entries[:count]) for count in range(len(entries) + 1)]
    return (*found, Place(DESK, DESK_STREAM, ()), Place(DESK, DESK_STREAM, (_held(),)))


@cache
def known(stream: str) -> dict[str, tuple[Any, ...]]:
    """Return what stands in the fields of a stream's messages, by the fields' names: rounds, players, wagers, cards, amounts."""
    found: dict[str, dict[Any, None]] = {}

    def gather(name: str, told: Any) -> None:
        match told:
            case dict():
                for key, value in told.items():
                    gather(key, value)
            case list():
                for value in told:
                    gather(name, value)
            case str() | int():
                found.setdefault(name, {})[told] = None
            case _:
                pass

    for data in (*(one.data for one in house().of(stream)), *((_held(),) if stream == DESK_STREAM else ())):
        for decision in msgspec.json.decode(data)["decisions"]:
            gather("", [decision["command"], decision["events"]])
    return {name: tuple(values) for name, values in found.items() if name != "type"}


def _held() -> bytes:
    command = QuarantineSource(service="table", log="LOG_SHOE_20261130", subject="log.shoe.20261130.T1-S1", sequence=1, reason="unreadable")
    folded = empty(DESK, DESK_STREAM)
    drafted = draft(DESK, folded, [Asked("held", command, HOUSE, 1)], Pen("table-1", 1, "test"), now_ms=1)
    commit(folded, drafted, 1)
    return drafted.data

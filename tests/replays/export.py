"""Export a round of a house as a golden log: `python -m tests.replays.export ROUND --data DIR --story NAME --about SENTENCE`.

Beside the round's own stream it takes what the round rests on: its table and the ledger from their first entry to the
last that concerns the round, and its shoes from their shuffle, to their retirement if nothing else was dealt meanwhile.
"""

import argparse
import asyncio
from pathlib import Path

import msgspec

from feltlog.commands.connection import reading
from feltlog.house import House
from shared.contracts.rounds import RoundSettled, RoundVoided
from shared.contracts.subjects import RoundName, ledger_stream, log_name, round_name, shoe_stream, table_stream
from shared.contracts.table import SEMANTICS
from shared.kernel.entry import Stored
from tests.replays.golden import Final, Golden, Line, Story, entry_of, save
from tests.states import encoded, folded


async def entries_of(house: House, name: RoundName) -> list[Stored]:
    """Return the entries of all streams of a round's day, log by log."""
    found = []
    async with reading(house) as store:
        for service in ("table", "shoe", "wallet"):
            log = log_name(service, name.day)
            async for each in store.read(log):
                found.append(each)
    return found


def chosen(name: RoundName, entries: list[Stored]) -> list[Stored]:
    """Return those entries that the round rests on."""
    events = [event for each in entries if each.stream == name.stream for decision in entry_of(each).decisions for event in decision.events]
    ends = [event for event in events if isinstance(event, RoundSettled | RoundVoided)]
    assert ends, f"the round {name.id} is not over, or not in these logs"
    streams = [name.stream, table_stream(name.day, name.table), ledger_stream(name.day)]
    streams += [shoe_stream(name.day, shoe) for shoe in ends[0].shoes]
    return [each for stream in streams for each in prefix(name, [each for each in entries if each.stream == stream])]


def prefix(name: RoundName, entries: list[Stored]) -> list[Stored]:
    """Return a stream's entries up to the last one that names the round, and the retirement of a shoe if it comes next."""
    mark = f'"{name.id}"'.encode()
    last = max((place for place, each in enumerate(entries) if mark in each.data or each.stream == name.stream), default=-1)
    return [each for place, each in enumerate(entries) if place <= last or (place == last + 1 and b'"shoe.ShoeRetired.' in each.data)]


def golden(story: Story, entries: list[Stored]) -> Golden:
    """Return a golden log of these entries."""
    lines = tuple(
        Line(log=each.log, stream=each.stream, sequence=each.sequence, stored_at_ms=each.stored_at_ms, data=each.data.decode())
        for each in entries
    )
    bare = Golden(story=story, entries=lines, finals=())
    events = bare.by_stream()
    finals = tuple(Final(stream=stream, state=as_json(folded(stream, told))) for stream, told in events.items())
    return Golden(story=story, entries=lines, finals=finals)


def as_json(state: object) -> object:
    """Return a state as plain data."""
    return msgspec.json.decode(encoded(state))


def main() -> None:
    """Export what the command line names."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("round")
    arguments.add_argument("--data", type=Path, required=True, help="the house's directory")
    arguments.add_argument("--story", required=True, help="what went wrong, in words joined by underscores")
    arguments.add_argument("--about", required=True, help="the same in a sentence")
    told = arguments.parse_args()
    name = round_name(told.round)
    story = Story(name=told.story, about=told.about, round=name.id, semantics=SEMANTICS)
    entries = chosen(name, asyncio.run(entries_of(House(told.data), name)))
    print(save(golden(story, entries)))


if __name__ == "__main__":
    main()

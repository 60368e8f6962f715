"""A golden log: the entries that a round rests on, byte for byte, and the states that they lead to.

One JSON object a line: the story, then each entry as the server stored it, then each stream's final state.  An entry's
bytes stand there as text, because an entry is JSON; so a log can be read, and compared, with any tool.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from services.surveillance.domain.heard import Heard
from shared.contracts.language import types_of
from shared.kernel.entry import Entry, Stored, decode_as
from shared.kernel.identity import digest

HERE = Path(__file__).parent


class Story(msgspec.Struct, frozen=True, kw_only=True, tag="story"):
    """What went wrong, in which round, and under which semantics it was decided."""

    name: str
    about: str
    round: str
    semantics: int


class Line(msgspec.Struct, frozen=True, kw_only=True, tag="entry"):
    """One entry as it was stored."""

    log: str
    stream: str
    sequence: int
    stored_at_ms: int
    data: str


class Final(msgspec.Struct, frozen=True, kw_only=True, tag="state"):
    """What a stream's entries led to when the log was exported."""

    stream: str
    state: Any


class Golden(msgspec.Struct, frozen=True, kw_only=True):
    """A golden log."""

    story: Story
    entries: tuple[Line, ...]
    finals: tuple[Final, ...]

    def stored(self) -> Iterator[Stored]:
        """Yield the entries as a store gives them back."""
        for line in self.entries:
            data = line.data.encode()
            yield Stored(
                log=line.log, stream=line.stream, sequence=line.sequence, stored_at_ms=line.stored_at_ms, data=data, claimed=digest(data)
            )

    def heard(self) -> Iterator[Heard]:
        """Yield the entries as surveillance hears them."""
        for each in self.stored():
            yield Heard(log=each.log, sequence=each.sequence, digest=digest(each.data), entry=entry_of(each))

    def by_stream(self) -> dict[str, list[Any]]:
        """Return the events of each stream."""
        found: dict[str, list[Any]] = {}
        for heard in self.heard():
            found.setdefault(heard.stream, []).extend(event for decision in heard.entry.decisions for event in decision.events)
        return found

    def events(self, stream: str) -> list[Any]:
        """Return a stream's events."""
        return self.by_stream()[stream]


def entry_of(stored: Stored) -> Entry[Any, Any]:
    """Return the entry that a stored message holds."""
    return decode_as(*types_of(stored.stream), stored.data)


def stories() -> list[str]:
    """Return the names of all golden logs."""
    return sorted(path.stem for path in HERE.glob("*.jsonl"))


def load(name: str) -> Golden:
    """Return a golden log."""
    lines = (HERE / f"{name}.jsonl").read_bytes().splitlines()
    parts = [msgspec.json.decode(line, type=Story | Line | Final) for line in lines]
    [story] = [part for part in parts if isinstance(part, Story)]
    return Golden(
        story=story,
        entries=tuple(part for part in parts if isinstance(part, Line)),
        finals=tuple(part for part in parts if isinstance(part, Final)),
    )


def save(golden: Golden, folder: Path = HERE) -> Path:
    """Write a golden log, and return where; raise `FileExistsError` if there is one of that name: they are never edited."""
    path = folder / f"{golden.story.name}.jsonl"
    parts: Iterable[Any] = (golden.story, *golden.entries, *golden.finals)
    with path.open("xb") as file:
        file.writelines(msgspec.json.encode(part) + b"\n" for part in parts)
    return path

"""Logs by hand: entries in the services' form, with whatever events a test wants in them.

Nothing is decided here.  What a test says is written down in canonical bytes and linked to the bytes before it.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from shared.contracts.subjects import log_of
from shared.kernel.entry import Decision, Entry, Place, Stored
from shared.kernel.folded import Pen
from shared.kernel.identity import derived_id, digest
from shared.kernel.messages import HOUSE, Actor, Cause

EPOCH_MS = 1_796_000_000_000
PEN = Pen("hand", 1, "test")


class House:
    """All logs of a house, in the order in which they were stored."""

    def __init__(self) -> None:
        self.now_ms = EPOCH_MS
        self.stored: list[Stored] = []
        self._heads: dict[str, tuple[int, str]] = {}
        self._sequences: dict[str, int] = {}

    def write(
        self,
        stream: str,
        command: Any,
        *events: Any,
        actor: Actor = HOUSE,
        id: str = "",
        cause: Cause | None = None,
        position: dict[str, Place] | None = None,
        pen: Pen = PEN,
        after_ms: int = 10,
    ) -> Cause:
        """Append one entry with one decision and return its first event as a cause."""
        self.now_ms += after_ms
        revision, prev = self._heads.get(stream, (0, getattr(command, "follows", "")))
        decision: Decision[Any, Any] = Decision(
            id=id or derived_id("test", stream, revision),
            command=command,
            cause=cause,
            actor=actor,
            received_at_ms=self.now_ms,
            events=events,
        )
        entry: Entry[Any, Any] = Entry(
            stream=stream,
            revision=revision + 1,
            at_ms=self.now_ms,
            writer=pen.writer,
            epoch=pen.epoch,
            software=pen.software,
            prev=prev,
            position=position or {},
            decisions=(decision,),
        )
        data = msgspec.json.encode(entry)
        self._heads[stream] = (revision + 1, digest(data))
        self.append(stream, data)
        return Cause(stream, revision + 1, 0, 0)

    def append(self, stream: str, data: bytes) -> int:
        """Store bytes as they are and return their sequence."""
        log = log_of(stream)
        sequence = self._sequences[log] = self._sequences.get(log, 0) + 1
        self.stored.append(stored(stream, data, sequence, self.now_ms))
        return sequence

    def of(self, stream: str) -> list[Stored]:
        """Return what is stored in a stream."""
        return [one for one in self.stored if one.stream == stream]

    def ends(self) -> dict[str, int]:
        """Return the last sequence of each log."""
        return dict(self._sequences)


def stored(stream: str, data: bytes, sequence: int, at_ms: int) -> Stored:
    """Return a message as the store gives it back."""
    return Stored(log=log_of(stream), stream=stream, sequence=sequence, stored_at_ms=at_ms, data=data, claimed=digest(data))


def changed(one: Stored, old: str, new: str) -> Stored:
    """Return a stored message with some of its text changed behind the store's back."""
    assert old.encode() in one.data, "only what is there can be changed"
    return msgspec.structs.replace(one, data=one.data.replace(old.encode(), new.encode(), 1))


def without_claims(stored: Sequence[Stored]) -> list[Stored]:
    """Return the messages as a store gives them that does not say under which digest they came."""
    return [msgspec.structs.replace(one, claimed="") for one in stored]

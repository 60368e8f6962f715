"""The entry: one message of the log, holding one or more decisions and bound to the entry before it.

Everything that matters stands inside: `prev` is the SHA-256 of the exact stored bytes of the entry before (empty for a
stream that follows nothing), so a byte cannot change, an entry cannot vanish and two cannot change places unseen.
"""

from typing import Any, Generic, TypeVar

import msgspec

from shared.kernel.decider import Decider
from shared.kernel.decoders import Decoder, made_once
from shared.kernel.messages import Actor, Cause

C = TypeVar("C")
E = TypeVar("E")

DECISIONS_MAX = 256
ENTRY_BYTES_MAX = 4 * 1024 * 1024
"""Bytes of an entry; one decision alone may have so many, such as the settlement of a crowd."""
ENTRY_FULL_BYTES = 512 * 1024
"""Bytes after which no further decision joins an entry, so that only a large decision makes a large entry."""

Place = tuple[int, int, int]
"""A place in an upstream log: JetStream sequence, decision, event (the last two counted from 0)."""


class Decision(msgspec.Struct, Generic[C, E], frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One command and what followed from it.  The proof holds per decision: `decide(command, state) == events`.

    `asked` is the fingerprint of the command as it was asked, where the service filled something in before deciding.
    """

    id: str
    command: C
    cause: Cause | None = None
    asked: str = ""
    actor: Actor
    received_at_ms: int
    events: tuple[E, ...]


class Entry(msgspec.Struct, Generic[C, E], frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """One message of the log.  `position` says how far upstream logs are worked off, where a service keeps it here."""

    stream: str
    revision: int
    at_ms: int
    writer: str
    epoch: int
    software: str
    prev: str
    position: dict[str, Place] = {}
    decisions: tuple[Decision[C, E], ...]


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """A message of a log as the store gives it back: where it lies, when the store took it, and its exact bytes.

    `stream` is the subject that it was stored on, whatever its bytes say; `claimed` the digest that it was stored under, empty
    where the store did not say.
    """

    log: str
    stream: str
    sequence: int
    stored_at_ms: int
    data: bytes
    claimed: str = ""


class Unreadable(ValueError):
    """Bytes that are not an entry of the expected kind: broken, or of a version that this software does not know."""


class Stray(ValueError):
    """A message that stands in a stream and takes no place in it, because nobody who writes the stream wrote it.

    Whoever may ask the JetStream API may name any subject for its answer, a log's too.  What comes of that is either no entry
    and stored without the digest that every writer stores an entry under, or an entry of another stream.
    """


class _Head(msgspec.Struct):
    stream: str
    revision: int
    prev: str


@made_once
def _decoder(command_type: Any, event_type: Any) -> Decoder:
    return msgspec.json.Decoder(Entry[command_type, event_type])


def decode(decider: Decider[Any, C, E], data: bytes) -> Entry[C, E]:
    """Return the entry that `data` holds; raise `Unreadable` if it does not hold one of this decider."""
    return decode_as(decider.command_type, decider.event_type, data)


def decode_in(stream: str, command_type: Any, event_type: Any, data: bytes, *, claimed: str) -> Entry[Any, Any]:
    """Return the entry of `stream` that `data` holds; `claimed` is the digest that it was stored under.

    Raise `Stray` if `data` has no place in the stream, and `Unreadable` if it has one but cannot be decoded.
    """
    try:
        entry: Entry[Any, Any] = _decoder(command_type, event_type).decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        head = _head(data)
        if head is None and not claimed:
            raise Stray("no entry, and stored without a digest") from None
        if head is not None and head.stream != stream:
            raise Stray(f"an entry of {head.stream}") from None
        raise _unreadable(error) from error
    if entry.stream != stream:
        raise Stray(f"an entry of {entry.stream}")
    return entry


def _head(data: bytes) -> _Head | None:
    try:
        return msgspec.json.decode(data, type=_Head)
    except (msgspec.DecodeError, RecursionError):
        return None


def _unreadable(error: Exception) -> Unreadable:
    return Unreadable(f"not an entry of this stream: {error}")


def decode_as(command_type: Any, event_type: Any, data: bytes) -> Entry[Any, Any]:
    """Return the entry that `data` holds, with commands and events of the given unions."""
    try:
        entry: Entry[Any, Any] = _decoder(command_type, event_type).decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _unreadable(error) from error
    return entry

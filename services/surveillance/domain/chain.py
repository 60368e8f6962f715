"""The chain: whether one stream's stored entries are whole, in order, and in nobody's hands but their writer's.

It works on the bytes as they are stored, one entry at a time, so that a service can follow a log while it grows and an
auditor can run through a closed one with the same function.  After a finding it goes on from what it sees, so that one
missing entry is one finding and not a hundred.
"""

from typing import Any

import msgspec

from services.surveillance.domain.findings import Code, Finding, finding
from shared.contracts.language import types_of
from shared.contracts.subjects import BadSubject, log_of
from shared.kernel.entry import DECISIONS_MAX, ENTRY_BYTES_MAX, Entry, Place, Stored, Unreadable, decode_as
from shared.kernel.identity import digest

CLOCK_APART_MS = 250
"""How far the store's clock and a writer's may be apart before somebody should look."""

MISSING_MAX = 256
"""How many missing revisions of one stream are remembered, to tell a late entry from a repeated one."""


class Chain(msgspec.Struct):
    """What is known of a stream after its last entry."""

    stream: str
    revision: int = 0
    sequence: int = 0
    digest: str = ""
    at_ms: int = 0
    epoch: int = 0
    writer: str = ""
    position: dict[str, Place] = {}
    missing: set[int] = set()
    ids: set[tuple[bool, str]] = set()
    """With whether the house asked: people choose theirs freely, so only two of the same kind are one too many."""


class Checked(msgspec.Struct, frozen=True):
    """A stored message after the look at it: the entry if it can be used at all, and what was found."""

    stored: Stored
    digest: str
    entry: Entry[Any, Any] | None
    findings: tuple[Finding, ...]


def check(chain: Chain, stored: Stored, *, apart_ms: int = CLOCK_APART_MS) -> Checked:
    """Check one stored message against the entries before it, and move `chain` to it.

    The entry comes back only if it continues this stream: readable, named after it, and not one that was there before.
    """
    mark = digest(stored.data)
    entry, trouble = _read(stored)
    if entry is None and is_stray(stored):
        # Nobody who writes the stream stored it like this, and the next entry does not follow it.
        chain.sequence = stored.sequence
        revision = chain.revision + 1
        return Checked(stored, mark, None, (*_about_bytes(stored, mark, revision), _at(stored, revision, Code.STRAY, trouble)))
    if entry is None:
        revision = chain.revision + 1
        # Its place is taken, whatever it was: the next entry is held against these bytes.
        chain.revision, chain.sequence, chain.digest = revision, stored.sequence, mark
        return Checked(stored, mark, None, (*_about_bytes(stored, mark, revision), _at(stored, revision, Code.UNREADABLE, trouble)))
    found = _about_bytes(stored, mark, entry.revision)
    if entry.stream != stored.stream:
        found.append(_at(stored, chain.revision + 1, Code.WRONG_STREAM, f"an entry of {entry.stream} stands in {stored.stream}"))
        return Checked(stored, mark, None, tuple(found))
    if not _says_no_more(entry, stored.data):
        found.append(_at(stored, entry.revision, Code.FOREIGN_BYTES, "written again, the entry is another text"))
    for code, message in _about_entry(chain, stored, entry, apart_ms):
        revision = chain.revision + 1 if code == Code.MISSING_ENTRY else entry.revision
        found.append(_at(stored, revision, code, message))
    late = entry.revision <= chain.revision
    if not late:
        _move(chain, stored, entry, mark)
    return Checked(stored, mark, None if late else entry, tuple(found))


def _read(stored: Stored) -> tuple[Entry[Any, Any] | None, str]:
    try:
        return decode_as(*types_of(stored.stream), stored.data), ""
    except (BadSubject, Unreadable) as error:
        return None, str(error)


def is_stray(stored: Stored) -> bool:
    """Return whether a message is not even a spoiled entry: stored under no digest, and naming no stream, revision and link."""
    if stored.claimed:
        return False
    try:
        told = msgspec.json.decode(stored.data)
    except (msgspec.DecodeError, RecursionError):
        return True
    return not (isinstance(told, dict) and {"stream", "revision", "prev"} <= told.keys())


def _about_bytes(stored: Stored, mark: str, revision: int) -> list[Finding]:
    found = []
    if stored.claimed and stored.claimed != mark:
        found.append(_at(stored, revision, Code.WRONG_DIGEST, f"stored under {stored.claimed[:16]}, the bytes are {mark[:16]}"))
    if len(stored.data) > ENTRY_BYTES_MAX:
        found.append(_at(stored, revision, Code.OVERSIZED, f"{len(stored.data)} bytes; {ENTRY_BYTES_MAX} at most"))
    if _home(stored.stream) != stored.log:
        found.append(_at(stored, revision, Code.WRONG_LOG, f"{stored.stream} does not belong into {stored.log}"))
    return found


def _about_entry(chain: Chain, stored: Stored, entry: Entry[Any, Any], apart_ms: int) -> list[tuple[Code, str]]:
    found = _about_order(chain, stored, entry)
    if entry.at_ms < chain.at_ms and entry.revision > chain.revision:
        found.append((Code.TIME_BACK, f"decided at {entry.at_ms}, the entry before at {chain.at_ms}"))
    if entry.epoch < chain.epoch:
        found.append((Code.EPOCH_BACK, f"{entry.writer} wrote in epoch {entry.epoch} after epoch {chain.epoch}"))
    if entry.epoch == chain.epoch and chain.writer and entry.writer != chain.writer:
        found.append((Code.TWO_WRITERS, f"{entry.writer} and {chain.writer} both wrote in epoch {entry.epoch}"))
    for log, place in entry.position.items():
        if place <= chain.position.get(log, (-1, -1, -1)):
            found.append((Code.POSITION_BACK, f"{log} was worked off to {chain.position[log]}, now to {place}"))
    if abs(stored.stored_at_ms - entry.at_ms) > apart_ms:
        found.append((Code.CLOCK_APART, f"stored {stored.stored_at_ms - entry.at_ms} ms after it was decided"))
    if not 0 < len(entry.decisions) <= DECISIONS_MAX:
        found.append((Code.OVERSIZED, f"{len(entry.decisions)} decisions; 1 to {DECISIONS_MAX} allowed"))
    if entry.revision > chain.revision:
        found += _about_ids(chain, entry)
    return found


def _about_order(chain: Chain, stored: Stored, entry: Entry[Any, Any]) -> list[tuple[Code, str]]:
    """Compare revision, link and sequence with what went before."""
    found = []
    if stored.sequence <= chain.sequence:
        found.append((Code.SEQUENCE_BACK, f"sequence {stored.sequence} follows sequence {chain.sequence}"))
    if entry.revision in chain.missing:
        chain.missing.discard(entry.revision)
        found.append((Code.SWAPPED, f"revision {entry.revision} stands after revision {chain.revision}"))
    elif entry.revision <= chain.revision:
        found.append((Code.REPEATED_ENTRY, f"revision {entry.revision} stands after revision {chain.revision}"))
    elif entry.revision > chain.revision + 1:
        found.append((Code.MISSING_ENTRY, f"revision {chain.revision + 1} is not there: revision {entry.revision} follows"))
    elif entry.revision == 1:
        follows = getattr(entry.decisions[0].command, "follows", "") if entry.decisions else ""
        if entry.prev != follows:
            found.append((Code.BROKEN_LINK, f"the first entry names {entry.prev[:16] or 'nothing'} before it, its command says otherwise"))
    elif entry.prev != chain.digest:
        found.append((Code.BROKEN_LINK, f"revision {entry.revision} does not follow the bytes of revision {chain.revision}"))
    return found


def _about_ids(chain: Chain, entry: Entry[Any, Any]) -> list[tuple[Code, str]]:
    found = []
    for decision in entry.decisions:
        name = (decision.actor.role == "house", decision.id)
        if name in chain.ids:
            found.append((Code.REPEATED_ID, f"{decision.id} was decided before"))
        chain.ids.add(name)
    return found


def _move(chain: Chain, stored: Stored, entry: Entry[Any, Any], mark: str) -> None:
    gone = range(chain.revision + 1, entry.revision)
    chain.missing.update(gone[:MISSING_MAX])
    chain.revision = entry.revision
    chain.sequence = stored.sequence
    chain.digest = mark
    chain.at_ms = max(chain.at_ms, entry.at_ms)
    if entry.epoch >= chain.epoch:
        chain.epoch, chain.writer = entry.epoch, entry.writer
    for log, place in entry.position.items():
        chain.position[log] = max(place, chain.position.get(log, place))


def _says_no_more(entry: Entry[Any, Any], data: bytes) -> bool:
    """Return whether `data` is `entry` written down: nothing beside it, nothing written another way.

    A field with a default may be missing, because entries of older software do not know it.
    """
    if msgspec.json.encode(entry) == data:
        return True
    try:
        told = msgspec.json.decode(data)
    except msgspec.DecodeError:
        # What no field of an entry reads may be no text at all.
        return False
    return msgspec.json.encode(told) == data and _within(told, msgspec.to_builtins(entry))


def _within(told: Any, known: Any) -> bool:
    if isinstance(told, dict) and isinstance(known, dict):
        return list(told) == [key for key in known if key in told] and all(_within(told[key], known[key]) for key in told)
    if isinstance(told, list) and isinstance(known, list | tuple):
        return len(told) == len(known) and all(_within(one, other) for one, other in zip(told, known, strict=True))
    return type(told) is type(known) and bool(told == known)


def _home(subject: str) -> str:
    try:
        return log_of(subject)
    except BadSubject:
        return ""


def _at(stored: Stored, revision: int, code: Code, message: str) -> Finding:
    return finding(code, message, log=stored.log, stream=stored.stream, revision=revision, sequence=stored.sequence)

"""Forgeries: logs changed by somebody who knows how they are made.

What is changed is written down again in canonical bytes, and every later entry of the stream is linked to it anew.  So the
chain tells nothing, and only the other checks can.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from shared.contracts.language import types_of
from shared.kernel.entry import Entry, Stored, decode_as
from shared.kernel.identity import digest

Edit = Callable[[Any], Sequence[Any]]
"""What an event becomes: none, one, or several."""


def forged(stored: Sequence[Stored], kind: type[Any], edit: Edit, *, stream: str = "", which: int = 0) -> list[Stored]:
    """Return the logs with one event changed, the first of its kind in streams whose name contains `stream`, or a later one."""
    seen = -1

    def change(event: Any) -> Sequence[Any]:
        nonlocal seen
        seen += isinstance(event, kind)
        return edit(event) if isinstance(event, kind) and seen == which else [event]

    rewritten = [rewrite(one, change) if stream in one.stream else one for one in stored]
    assert seen >= which, f"there is no such {kind.__name__} to forge"
    return linked(rewritten)


def commanded(stored: Sequence[Stored], kind: type[Any], **fields: Any) -> list[Stored]:
    """Return the logs with the first decision about a kind of command changed; fields of the command, or `cause` or `id`."""
    done = False

    def changed(decision: Any) -> Any:
        nonlocal done
        if done or not isinstance(decision.command, kind):
            return decision
        done = True
        own = {name: value for name, value in fields.items() if name in ("cause", "id")}
        command = msgspec.structs.replace(decision.command, **{name: value for name, value in fields.items() if name not in own})
        return msgspec.structs.replace(decision, command=command, **own)

    rewritten = []
    for one in stored:
        entry = read(one)
        rewritten.append(written(one, msgspec.structs.replace(entry, decisions=tuple(map(changed, entry.decisions)))))
    assert done, f"there is no {kind.__name__} to forge"
    return linked(rewritten)


def rewrite(one: Stored, change: Edit) -> Stored:
    """Return a stored message with its events changed."""
    entry = read(one)
    decisions = tuple(
        msgspec.structs.replace(decision, events=tuple(told for event in decision.events for told in change(event)))
        for decision in entry.decisions
    )
    return written(one, msgspec.structs.replace(entry, decisions=decisions))


def linked(stored: Sequence[Stored]) -> list[Stored]:
    """Return the logs with each entry naming the bytes before it, revisions counted through, sequences closed up."""
    heads: dict[str, tuple[int, str]] = {}
    ends: dict[str, int] = {}
    relinked = []
    for one in stored:
        entry = read(one)
        revision, prev = heads.get(one.stream, (0, entry.prev))
        ends[one.log] = ends.get(one.log, 0) + 1
        again = written(one, msgspec.structs.replace(entry, revision=revision + 1, prev=prev))
        heads[one.stream] = (revision + 1, again.claimed)
        relinked.append(msgspec.structs.replace(again, sequence=ends[one.log]))
    return relinked


def read(one: Stored) -> Entry[Any, Any]:
    """Return the entry that a message holds."""
    return decode_as(*types_of(one.stream), one.data)


def written(one: Stored, entry: Entry[Any, Any]) -> Stored:
    """Return a message that holds `entry` instead."""
    data = msgspec.json.encode(entry)
    return msgspec.structs.replace(one, data=data, claimed=digest(data))


def found(stored: Sequence[Stored]) -> list[Finding]:
    """Return what a run over the logs finds."""
    return list(verify(stored, Watch(Again())).findings)


def codes(stored: Sequence[Stored]) -> set[tuple[Code, str]]:
    """Return what is found, and in which stream."""
    return {(one.code, one.stream) for one in found(stored)}

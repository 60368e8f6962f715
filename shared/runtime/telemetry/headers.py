"""The headers in which a trace goes from hop to hop: W3C's `traceparent`, read with distrust and written anew.

A player may send anything.  So what arrives is read as three bounded numbers, or ignored without a word in the log, and
what is passed on is written from those numbers: nothing that somebody chose freely comes into a log or to a collector.
`tracestate` and `baggage` are free text and go nowhere.
"""

import re
from collections.abc import Mapping

import msgspec

TRACEPARENT = "traceparent"
"""Of the whole message (https://www.w3.org/TR/trace-context/, version 00)."""
DECISIONS = "Feltlog-Traces"
"""Of those decisions of an entry that belong to other traces: `INDEX=TRACEPARENT`, separated by commas."""
TRACES_MAX = 16
"""How many other traces an entry carries; what is beyond goes on in the first one."""
DECISION_TRACES_MAX = 64
"""How many decisions of an entry are named in the header."""
DECISIONS_BYTES_MAX = DECISION_TRACES_MAX * 64

PARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})")


class Mark(msgspec.Struct, frozen=True):
    """A place in a trace: the span that what follows hangs on."""

    trace: int
    span: int
    sampled: bool


def read(headers: Mapping[str, str] | None) -> Mark | None:
    """Return the place in a trace that a message's headers name, None if they name none that can be believed.

    >>> read({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}).sampled
    True
    >>> read({"traceparent": "my trace"}), read(None)
    (None, None)
    """
    if not headers:
        return None
    # Header names are read in either case elsewhere; these are the two that libraries write.
    return _mark(headers.get(TRACEPARENT) or headers.get("Traceparent"))


def read_decisions(headers: Mapping[str, str]) -> dict[int, Mark]:
    """Return the places of those decisions that belong to other traces than the entry as a whole."""
    text = headers.get(DECISIONS, "")
    if not text or len(text) > DECISIONS_BYTES_MAX:
        return {}
    found: dict[int, Mark] = {}
    for part in text.split(","):
        index, _, parent = part.partition("=")
        mark = _mark(parent)
        if mark is not None and re.fullmatch(r"[0-9]{1,3}", index):
            found[int(index)] = mark
    return found


def write(mark: Mark, decisions: Mapping[int, Mark] | None = None) -> dict[str, str]:
    """Return the headers that name `mark`, and beside it the places of the decisions that belong elsewhere.

    >>> write(Mark(trace=1, span=2, sampled=False))
    {'traceparent': '00-00000000000000000000000000000001-0000000000000002-00'}
    """
    headers = {TRACEPARENT: _parent(mark)}
    if decisions:
        named = list(decisions.items())[:DECISION_TRACES_MAX]
        headers[DECISIONS] = ",".join(f"{index}={_parent(each)}" for index, each in named)
    return headers


def _mark(text: str | None) -> Mark | None:
    match = PARENT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        return None
    trace, span = int(match[1], 16), int(match[2], 16)
    return Mark(trace, span, bool(int(match[3], 16) & 1)) if trace and span else None


def _parent(mark: Mark) -> str:
    return f"00-{mark.trace:032x}-{mark.span:016x}-{mark.sampled:02x}"

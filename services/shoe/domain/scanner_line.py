"""The lines of a card scanner: what a device says about cards that leave a shoe, and in which order that must come.

The protocol is `docs/scanner.md`: a line is one JSON object.  The house asks a device where to begin; the device counts what
it saw from 1 and repeats what was not acknowledged, so that nothing is lost on a bad cable.  Here a repetition is recognised,
and a hole in the count is never passed over, because the card in it has been dealt to somebody.
"""

from contextlib import suppress
from typing import Literal

import msgspec

from shared.kernel.cards import POINTS
from shared.kernel.toml import quoted

REPEATED_MAX = 64
"""How many numbers back a device may repeat itself."""
LINE_BYTES_MAX = 512
PROTOCOL = 1
CUTTING_CARD = "cutting card"
EMPTY = "empty"

Code = Literal[
    "not_a_line",
    "line_too_long",
    "unknown_protocol",
    "not_a_card",
    "hole_in_count",
    "count_back",
    "said_otherwise",
    "another_device",
    "too_far_ahead",
]


class BadLine(ValueError):
    """A line that cannot be taken: a stable `code` and a sentence, which never tells a card: it may lie face down."""

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.code = code


class Greeting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a device answers when it is asked to begin: which it is, and what it will say next."""

    scanner: str
    protocol: int
    next: int


class Seen(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something left the shoe: a card such as `8H`, the cutting card, or None for what could not be read; or it is empty."""

    n: int
    saw: str | None


class Beat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The device is alive and has nothing to say."""

    beat: Literal[True]


Line = Greeting | Seen | Beat


class Begin(msgspec.Struct, frozen=True, kw_only=True, rename={"first": "from"}):
    """What the house says first: the number with which it wants to go on."""

    first: int


class Ack(msgspec.Struct, frozen=True, kw_only=True):
    """What the house has stored: everything up to this number."""

    ack: int


def read_line(line: bytes) -> Line:
    """Return what a device says; raise `BadLine` for anything that the protocol does not know."""
    if len(line) > LINE_BYTES_MAX:
        raise BadLine("line_too_long", f"a line of a scanner has at most {LINE_BYTES_MAX} bytes, this one has {len(line)}")
    said = _decoded(line)
    if isinstance(said, Greeting) and said.protocol != PROTOCOL:
        raise BadLine("unknown_protocol", f"the scanner speaks protocol {said.protocol}; only {PROTOCOL} is understood here")
    if isinstance(said, Seen) and said.saw not in (None, CUTTING_CARD, EMPTY) and said.saw not in POINTS:
        raise BadLine("not_a_card", f"number {said.n} is no card: expected one such as 8H, {CUTTING_CARD!r}, {EMPTY!r} or null")
    if isinstance(said, Greeting) and not said.scanner:
        raise BadLine("not_a_line", "a scanner has a name")
    if isinstance(said, Seen | Greeting) and (said.n if isinstance(said, Seen) else said.next) < 1:
        raise BadLine("not_a_line", "a scanner counts from 1")
    return said


def write_line(said: Line | Begin | Ack) -> bytes:
    """Return a line as it is sent, with its end."""
    return msgspec.json.encode(said) + b"\n"


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """How far a device has been heard: its name, the last number, and what it `said` over this cable, by number.

    `fresh` says that nothing of the shoe at hand was heard: then another device may stand there, and what it saw before is
    nobody's.  Within a shoe a device is another one when its name changes, and a hole is a card that somebody was dealt.
    """

    scanner: str = ""
    last: int = 0
    said: dict[int, str | None] = {}
    fresh: bool = False

    def greeted(self, greeting: Greeting) -> "Count":
        """Return the count after a greeting; raise `BadLine` if it is another device or has lost what was not taken yet."""
        other = self.scanner not in ("", greeting.scanner)
        if self.fresh and (other or greeting.next > self.last + 1):
            return Count(scanner=greeting.scanner, last=greeting.next - 1, fresh=True)
        if other:
            raise BadLine("another_device", f"{quoted(greeting.scanner)} speaks where {quoted(self.scanner)} stood")
        if greeting.next > self.last + 1:
            raise BadLine("hole_in_count", f"the scanner goes on with {greeting.next}, and {self.last + 1} was never heard")
        return msgspec.structs.replace(self, scanner=greeting.scanner, said={})

    def answered(self, greeting: Greeting) -> "Count":
        """Return the count after the answer to `Begin`; raise `BadLine` if the device would say again what it was not asked for.

        It has begun to count anew, and what it says then is no repetition.
        """
        if self.scanner == greeting.scanner and greeting.next <= self.last:
            why = f"the scanner begins with {greeting.next} where {self.last + 1} was asked for: it has lost its count"
            raise BadLine("count_back", why)
        return self.greeted(greeting)

    def heard(self, seen: Seen) -> "Count | None":
        """Return the count after `seen`, None for a repetition; raise `BadLine` for a hole, a changed story or a count that went back.

        A repetition is what was said over this cable with the same words.  A lower number that was not is a card that nobody
        knows, of a device that counts anew.
        """
        if seen.n > self.last + 1:
            raise BadLine("hole_in_count", f"the scanner says number {seen.n}, and {self.last + 1} was never heard")
        if seen.n > self.last:
            said = {n: saw for n, saw in self.said.items() if n > seen.n - REPEATED_MAX}
            return Count(scanner=self.scanner, last=seen.n, said={**said, seen.n: seen.saw})
        if seen.n not in self.said:
            raise BadLine("count_back", f"the scanner says number {seen.n} behind {self.last}: it has lost its count")
        if seen.saw != self.said[seen.n]:
            raise BadLine("said_otherwise", f"the scanner says number {seen.n} once more, and otherwise")
        return None


def _decoded(line: bytes) -> Line:
    kinds: tuple[type[Line], ...] = (Seen, Beat, Greeting)
    for kind in kinds:
        with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return msgspec.json.decode(line, type=kind)
    raise BadLine("not_a_line", f"{len(line)} bytes that are no line of a scanner")

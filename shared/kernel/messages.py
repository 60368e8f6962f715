"""Messages: what every command and event has in common, and how a decision is answered.

A command is a request that may be refused, an event is a fact.  Each is a frozen Struct with a tag such as
`table.WagerPlaced.v1` in the field `type`; a tag is never used again for something else.  What is frozen all the way down
cannot come to hold itself, so Python's collector of cycles need not look at it (`gc=False`).
"""

from typing import Any, ClassVar, Literal

import msgspec

Role = Literal["player", "staff", "house"]
"""Who may speak: a player, a member of staff, or the house itself (timers and reactions)."""


class Actor(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Who asked for something."""

    role: Role
    id: str
    job: str = ""
    """Of staff, as the house's own settings have it; empty for everybody else, and for who has none."""


HOUSE = Actor("house", "house")


class Answer(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What the asker is told.

    `pending` becomes `accepted` or `refused` once.  A refusal that is not `final` was not written down: asking again with
    the same id may end otherwise.
    """

    status: Literal["accepted", "pending", "refused"]
    code: str = ""
    message: str = ""
    final: bool = True
    again: bool = False
    """Whether it was given before, to the same request, and nothing happens now; where nobody says so, nobody has looked."""


ACCEPTED = Answer("accepted")
PENDING = Answer("pending")


class Command(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag_field="type"):
    """The base of all commands."""


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag_field="type"):
    """The base of all events."""

    is_silent: ClassVar[bool] = True
    """Whether no event of this kind answers anybody, which is so of most: then nobody need ask."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.is_silent = cls.answer is Event.answer and cls.older_answers is Event.older_answers

    def answer(self) -> tuple[str, Answer] | None:
        """Return the id of the command that this event answers otherwise than with `accepted`, and the answer.

        An empty id means the command that this event was decided for.
        """
        return None

    def older_answers(self) -> tuple[tuple[str, str, Answer], ...]:
        """Return the requests of an earlier stream that this event brings along: id, fingerprint, and the answer given then."""
        return ()


class Refused(Exception):
    """The rules forbid what a command asks for; state and log stay as they were."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def answer(self) -> Answer:
        """The answer that the asker gets: not final, because it was not written down."""
        return Answer("refused", self.code, self.message, final=False)


class Cause(msgspec.Struct, frozen=True, gc=False):
    """The upstream event that a reaction follows from: a stream, a revision, and places within the entry counted from 0."""

    stream: str
    revision: int
    decision: int
    event: int


class Envelope(msgspec.Struct, frozen=True, gc=False):
    """What `decide` is told beside the command: who asked, when it came in, and when it is decided.

    People are judged by `received_at_ms`, timers by `at_ms`.
    """

    id: str
    actor: Actor
    received_at_ms: int
    at_ms: int

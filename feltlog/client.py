"""A client: how players and staff speak to the house.

Every request carries an id of its own and is sent again with the same id until it is answered, so a lost reply never makes
two wagers of one.  `pending` is asked after until it has become yes or no.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from typing import Any, Literal, Protocol, TypeVar

import msgspec

from shared.contracts.refusals import Reason
from shared.contracts.requests import decode_answer, encode_request
from shared.contracts.subjects import command_subject, felt_view, query_subject
from shared.kernel.messages import Answer

REPLY_S = 2.0
SENDS_MAX = 5
"""How often a request without an answer is sent."""
POLLS_MAX = 60
"""How often a pending or busy answer is asked after."""
POLL_FIRST_S, POLL_LAST_S, POLL_GROWTH = 0.02, 0.5, 1.5

T = TypeVar("T")


class Unanswered(Exception):
    """Nobody answered, so nothing is known: ask again with the same id."""

    def __init__(self, subject: str, id: str) -> None:
        super().__init__(f"The house does not answer on {subject}. Whether it heard the request is not known; its id is {id}.")
        self.id = id


class Line(Protocol):
    """What a client needs of a connection."""

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Return a reply, or None if none came in time."""

    def watch(self, subject: str) -> AsyncIterator[bytes]:
        """Yield what is shown on a subject."""

    async def close(self) -> None:
        """Close the connection."""


class Client:
    """One player, or one member of staff, at the house's door."""

    def __init__(self, line: Line, *, role: Literal["player", "staff"], name: str, reply_s: float = REPLY_S) -> None:
        self.name = name
        self.role = role
        self._line = line
        self._reply_s = reply_s

    async def ask(self, service: str, target: str, command: Any, *, id: str | None = None) -> Answer:
        """Return the answer to a command; raise `Unanswered` if there is none after several attempts.

        The answer is `pending` or a refusal that is not final only if it was still so when there was no more asking after it.
        """
        id = id or secrets.token_hex(16)
        subject = command_subject(service, self.role, target, self.name)
        body = encode_request(id, command)
        answer: Answer | None = None
        silent = polled = 0
        wait_s = POLL_FIRST_S
        while silent < SENDS_MAX and polled < POLLS_MAX:
            reply = await self._line.request(subject, body, timeout_s=self._reply_s)
            if reply is None:
                silent += 1
            else:
                silent = 0
                answer = decode_answer(reply)
                if not unsettled(answer):
                    return answer
                polled += 1
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * POLL_GROWTH, POLL_LAST_S)
        if answer is None or silent:
            raise Unanswered(subject, id)
        return answer

    async def query(self, service: str, target: str, type: type[T]) -> T:
        """Return the answer to a question, read as `type`; raise `Unanswered` if there is none."""
        subject = query_subject(service, self.role, target, self.name)
        read = msgspec.json.Decoder(type)
        for _ in range(SENDS_MAX):
            reply = await self._line.request(subject, b"", timeout_s=self._reply_s)
            if reply is not None:
                return read.decode(reply)
            await asyncio.sleep(POLL_FIRST_S)
        raise Unanswered(subject, "none: it was a question")

    async def watch(self, table: str) -> AsyncIterator[bytes]:
        """Yield a table's felt after each change, from now on."""
        async for shown in self._line.watch(felt_view(table)):
            yield shown

    async def close(self) -> None:
        """Leave."""
        await self._line.close()


def unsettled(answer: Answer) -> bool:
    """Return whether asking again with the same id may bring another answer soon."""
    return answer.status == "pending" or (answer.code == Reason.BUSY and not answer.final)

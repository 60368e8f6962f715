"""A client: how players and staff speak to the house.

Every request carries an id of its own and is sent again with the same id until it is answered, so a lost reply never makes
two wagers of one.  `pending` is asked after until it has become yes or no.
"""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from typing import Any, Literal, Protocol, TypeVar

import msgspec

from services.table.views import Felt
from services.wallet.views import Balance
from shared.contracts.refusals import Reason
from shared.contracts.requests import decode_answer, encode_request
from shared.contracts.subjects import command_subject, felt_view, query_subject
from shared.kernel.messages import Answer
from shared.runtime import telemetry

REPLY_S = 2.0
"""How long one reply may take; then the request is sent again."""
PATIENCE_S = 10.0
"""How long a request is sent again and a pending answer asked after: longer than a service needs to start again."""
LOOK_AGAIN_S = 5.0
"""After so long without a change the felt is asked for, in case a picture was lost."""
POLL_FIRST_S, POLL_LAST_S, POLL_GROWTH = 0.02, 0.5, 1.5

T = TypeVar("T")


class Unanswered(Exception):
    """Nobody answered, so nothing is known: ask again with the same id."""

    def __init__(self, subject: str, id: str = "") -> None:
        unknown = f" Whether it heard the request is not known; its id is {id}." if id else ""
        super().__init__(f"The house does not answer on {subject}.{unknown}")
        self.id = id


class Declined(Exception):
    """The house has no answer to a question, and says why."""


class _Declined(msgspec.Struct):
    error: str


class Watch(Protocol):
    """What is shown on a subject, the newest of it."""

    async def next(self, *, timeout_s: float) -> bytes | None:
        """Return the next picture, or None if none came in time or some may be missed."""

    async def close(self) -> None:
        """Watch no more."""


class Line(Protocol):
    """What a client needs of a connection."""

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Return a reply, or None if none came in time."""

    async def watch(self, subject: str) -> Watch:
        """Return a watch over what is shown on a subject."""

    async def close(self) -> None:
        """Close the connection."""


class Client:
    """One player, or one member of staff, at the house's door."""

    def __init__(
        self, line: Line, *, role: Literal["player", "staff"], name: str, reply_s: float = REPLY_S, patience_s: float = PATIENCE_S
    ) -> None:
        self.name = name
        self.role = role
        self._line = line
        self._reply_s = reply_s
        self.patience_s = patience_s

    async def ask(self, service: str, target: str, command: Any, *, id: str | None = None) -> Answer:
        """Return the answer to a command; raise `Unanswered` if there is none for as long as it is sent again.

        The answer is `pending`, or says that the house is busy, only if it still was when patience was at its end.  It says that
        it was given `again` only if nothing that was sent here can have been what it was first given to.
        """
        id = id or secrets.token_hex(16)
        subject = command_subject(service, self.role, target, self.name)
        body = encode_request(id, command)
        answer: Answer | None = None
        sent = 0
        with telemetry.asking(service, command) as hop:
            async for reply in self._replies(subject, body):
                sent += 1
                answer = hop.answered(decode_answer(reply) if reply is not None else None)
                if answer is not None and not unsettled(answer):
                    break
        if answer is None:
            raise Unanswered(subject, id)
        return msgspec.structs.replace(answer, again=answer.again and sent == 1)

    async def query(self, service: str, target: str, type: type[T]) -> T:
        """Return the answer to a question, read as `type`; raise `Unanswered` if there is none and `Declined` if it is a no."""
        subject = query_subject(service, self.role, target, self.name)
        async for reply in self._replies(subject, b""):
            if reply is not None:
                return read(reply, type)
        raise Unanswered(subject)

    async def _replies(self, subject: str, body: bytes) -> AsyncGenerator[bytes | None, None]:
        """Yield reply after reply to the same request, None for silence, until patience is at its end."""
        now_s = asyncio.get_running_loop().time
        deadline_s = now_s() + self.patience_s
        wait_s = POLL_FIRST_S
        while True:
            yield await self._line.request(subject, body, timeout_s=self._reply_s)
            if now_s() >= deadline_s:
                return
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * POLL_GROWTH, POLL_LAST_S)

    async def felt(self, table: str) -> Felt:
        """Return a table's felt as it is now."""
        return await self.query("table", table, Felt)

    async def watch_felt(self, table: str) -> AsyncGenerator[Felt, None]:
        """Yield a table's felt as it is now and after each change; a slow watcher sees the newest, not each."""
        decoder = msgspec.json.Decoder(Felt)
        # The watching begins before the question is asked, so that no change falls between the two.
        watch = await self._line.watch(felt_view(table))
        try:
            while True:
                yield await self.felt(table)
                while (picture := await watch.next(timeout_s=LOOK_AGAIN_S)) is not None:
                    yield decoder.decode(picture)
        finally:
            await watch.close()

    async def balance(self, player: str = "") -> Balance:
        """Return what a player has: the asker, or for staff whoever is named."""
        return await self.query("wallet", f"balance_{player}" if player else "balance", Balance)

    async def close(self) -> None:
        """Leave."""
        await self._line.close()


def read(reply: bytes, type: type[T]) -> T:
    """Return what a reply says, read as `type`; raise `Declined` if it says why there is no answer."""
    try:
        return msgspec.json.decode(reply, type=type)
    except msgspec.ValidationError:
        raise Declined(msgspec.json.decode(reply, type=_Declined).error) from None


def unsettled(answer: Answer) -> bool:
    """Return whether asking again with the same id may bring another answer soon."""
    return answer.status == "pending" or (answer.code == Reason.BUSY and not answer.final)

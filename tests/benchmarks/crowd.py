"""A crowd: many people on one connection, each with an inbox of their own, as a service demands.

Whoever measures a service must not be what is measured, so a request costs one write here and its answer one look into a
dictionary.
"""

import asyncio
from itertools import count

from nats.aio.client import Client
from nats.aio.msg import Msg

ANSWER_S = 30.0


class Crowd:
    """Asks as anybody; `await Crowd.of(client)` makes one."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._numbers = count(1)
        self._waiting: dict[str, asyncio.Future[bytes]] = {}

    @classmethod
    async def of(cls, client: Client) -> "Crowd":
        """Return a crowd that hears whatever is answered to anybody on this connection."""
        crowd = cls(client)
        await client.subscribe("_INBOX.*.crowd.*", cb=crowd._hear)
        return crowd

    async def ask(self, subject: str, data: bytes) -> bytes:
        """Return the answer to a request on `subject`, whose last token is who asks; raise `TimeoutError`."""
        inbox = f"_INBOX.{subject.rpartition('.')[2]}.crowd.{next(self._numbers)}"
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[inbox] = answer
        try:
            await self._client.publish(subject, data, reply=inbox)
            async with asyncio.timeout(ANSWER_S):
                return await answer
        finally:
            del self._waiting[inbox]

    async def _hear(self, message: Msg) -> None:
        answer = self._waiting.get(message.subject)
        if answer is not None and not answer.done():
            answer.set_result(message.data)

"""A line: what somebody who is no service needs of the server.  Ask and wait for one reply; watch what is shown.

A line is cut off and comes back by itself; whether a request that got no reply was heard is not known, so whoever asked
asks again with the same id.
"""

import asyncio
from contextlib import suppress
from pathlib import Path

import nats
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.errors import Error as NatsError

from shared.contracts.subjects import inbox
from shared.runtime import telemetry
from shared.runtime.connection import close
from shared.runtime.wire import distrust

CONNECT_S = 2
PATIENCE_S = 6.0
PING_S = 5

distrust()


class Unreachable(Exception):
    """No server answers at the address, or it does not know who asks."""


class Line:
    """An open connection of one user."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Return the reply to a request, or None if none came in time or nobody was there to give one."""
        try:
            reply = await self._client.request(subject, data, timeout=timeout_s, headers=dict(telemetry.outgoing()) or None)
        except (TimeoutError, NatsError):
            return None
        return reply.data

    async def watch(self, subject: str) -> "Watch":
        """Return a watch over what is shown on a subject from now on."""
        shown: asyncio.Queue[bytes] = asyncio.Queue(1)

        async def show(message: Msg) -> None:
            if shown.full():
                shown.get_nowait()
            shown.put_nowait(message.data)

        return Watch(await self._client.subscribe(subject, cb=show), shown)

    async def close(self) -> None:
        """Close the connection, whatever state it is in."""
        await close(self._client)


class Watch:
    """The newest picture of a subject: a slow watcher misses some, never the last one."""

    def __init__(self, subscription: Subscription, shown: "asyncio.Queue[bytes]") -> None:
        self._subscription = subscription
        self._shown = shown

    async def next(self, *, timeout_s: float) -> bytes | None:
        """Return the next picture, or None if none came in time."""
        # Not `wait_for`: in Python 3.11 it swallows a cancellation that comes together with a picture.
        try:
            async with asyncio.timeout(timeout_s):
                return await self._shown.get()
        except TimeoutError:
            return None

    async def close(self) -> None:
        """Watch no more."""
        with suppress(NatsError):
            await self._subscription.unsubscribe()


async def open_line(url: str, *, user: str, credentials: Path, patience_s: float = PATIENCE_S) -> Line:
    """Return a line of `user`, whose nkey seed lies at `credentials`; raise `Unreachable` if none comes about in time."""
    said: list[str] = []

    async def hear_error(error: Exception) -> None:
        said[:] = [str(error) or type(error).__name__]

    connecting = nats.connect(
        url,
        name=f"feltlog {user}",
        nkeys_seed=str(credentials),
        inbox_prefix=inbox(user),
        connect_timeout=CONNECT_S,
        max_reconnect_attempts=-1,
        reconnect_time_wait=0.25,
        ping_interval=PING_S,
        error_cb=hear_error,
    )
    try:
        return Line(await asyncio.wait_for(connecting, patience_s))
    except (TimeoutError, NatsError, OSError) as error:
        why = said[-1] if said else str(error) or "no answer"
        raise Unreachable(f"No server lets {user} in at {url}: {why}") from error

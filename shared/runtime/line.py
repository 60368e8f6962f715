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
from nkeys import NkeysError  # type: ignore[import-untyped]

from shared.contracts.subjects import inbox
from shared.kernel.toml import quoted
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

    def __init__(self, client: Client, watches: "set[Watch]") -> None:
        self._client = client
        self._watches = watches

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Return the reply to a request, or None if none came in time or nobody was there to give one."""
        try:
            reply = await self._client.request(subject, data, timeout=timeout_s, headers=dict(telemetry.outgoing()) or None)
        except (TimeoutError, NatsError):
            return None
        return reply.data

    async def watch(self, subject: str) -> "Watch":
        """Return a watch over what is shown on a subject from now on."""
        watch = Watch(self._watches)

        async def show(message: Msg) -> None:
            watch.show(message.data)

        watch.subscription = await self._client.subscribe(subject, cb=show)
        return watch

    async def close(self) -> None:
        """Close the connection, whatever state it is in."""
        await close(self._client)


class Watch:
    """The newest picture of a subject: a slow watcher misses some, never the last one."""

    def __init__(self, watches: "set[Watch]") -> None:
        self.subscription: Subscription | None = None
        self._shown: asyncio.Queue[bytes | None] = asyncio.Queue(1)
        self._watches = watches
        watches.add(self)

    def show(self, picture: bytes | None) -> None:
        """Let this be what the watcher sees next; None says that pictures may have been missed."""
        if self._shown.full():
            self._shown.get_nowait()
        self._shown.put_nowait(picture)

    async def next(self, *, timeout_s: float) -> bytes | None:
        """Return the next picture, or None if none came in time, or if the line was cut off since and some may be missed."""
        # Not `wait_for`: in Python 3.11 it swallows a cancellation that comes together with a picture.
        try:
            async with asyncio.timeout(timeout_s):
                return await self._shown.get()
        except TimeoutError:
            return None

    async def close(self) -> None:
        """Watch no more."""
        self._watches.discard(self)
        if self.subscription is not None:
            with suppress(NatsError):
                await self.subscription.unsubscribe()


async def open_line(url: str, *, user: str, credentials: Path, patience_s: float = PATIENCE_S) -> Line:
    """Return a line of `user`, whose nkey seed lies at `credentials`; raise `Unreachable` if none comes about in time."""
    said: list[str] = []
    watches: set[Watch] = set()

    async def reconnected() -> None:
        # Whose turn it is may have been shown meanwhile, and that person's clock runs.
        for watch in watches:
            watch.show(None)

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
        reconnected_cb=reconnected,
    )
    try:
        return Line(await asyncio.wait_for(connecting, patience_s), watches)
    except (TimeoutError, NatsError, OSError) as error:
        why = said[-1] if said else str(error) or "no answer"
        raise Unreachable(f"No server lets {user} in at {url}: {why}") from error
    except (NkeysError, ValueError) as error:
        raise Unreachable(f"Nobody can be asked at {quoted(url)} with the credential {credentials}: {error}") from error

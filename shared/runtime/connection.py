"""The connection to NATS: never buffered, never given up, and its outages told.

A buffered publish may be stored long after its sender was told that it failed, so nothing is buffered while the server is
away.  The client reconnects for ever; whoever must extend people's clocks after an outage hears when it began and ended.
Only a server that will have nothing more to do with a user closes a connection for good, and then the work ends that rests on it.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import nats.errors
from nats.aio.client import Client
from nkeys import NkeysError  # type: ignore[import-untyped]

from shared.contracts.subjects import inbox
from shared.kernel.toml import quoted
from shared.runtime.event_store import StoreUnavailable
from shared.runtime.tasks import end_all
from shared.runtime.wire import distrust

RECONNECT_S = 0.25
PING_S = 5
PINGS_UNANSWERED_MAX = 2
PATIENCE_S = 5.0

log = logging.getLogger(__name__)

distrust()


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where NATS is and who is calling: `credentials` is the file of the user's nkey seed, named `<user>.nk`."""

    url: str
    credentials: Path | None = None
    name: str = "feltlog"

    @property
    def user(self) -> str:
        """The user whom the credentials belong to."""
        return "anybody" if self.credentials is None else self.credentials.stem

    @property
    def inbox_prefix(self) -> str:
        """The only subjects on which this user may hear answers: a wildcard on all inboxes would let users overhear others."""
        return inbox(self.user)


class Outages:
    """Who wants to know when the server goes away and when it is back; `closed` says that it never will be, for this connection."""

    def __init__(self, *, down: Callable[[], None] = lambda: None, up: Callable[[], None] = lambda: None) -> None:
        self.down = down
        self.up = up
        self.closed = asyncio.Event()


async def connect(endpoint: Endpoint, outages: Outages | None = None, *, patience_s: float | None = PATIENCE_S) -> Client:
    """Return a client connected to `endpoint`; raise `StoreUnavailable` after `patience_s` (None: wait for ever)."""
    hears = outages or Outages()
    client = Client()
    told_s = 0.0

    async def error(problem: Exception) -> None:
        nonlocal told_s
        # While the server is away this comes with every attempt; the outage itself is logged once.
        # Whoever provokes an error provokes many, and logs fill disks: one of them is told in a second.
        if client.is_connected and time.monotonic() - told_s > 1:
            told_s = time.monotonic()
            log.error("NATS: %s: %s", type(problem).__name__, problem)

    async def disconnected() -> None:
        if client.is_closed:
            return
        log.warning("NATS at %s went away", endpoint.url)
        hears.down()

    async def reconnected() -> None:
        log.warning("NATS at %s is back", endpoint.url)
        hears.up()

    async def closed() -> None:
        hears.closed.set()

    try:
        async with asyncio.timeout(patience_s):
            await client.connect(
                endpoint.url,
                name=endpoint.name,
                inbox_prefix=endpoint.inbox_prefix,
                nkeys_seed=None if endpoint.credentials is None else str(endpoint.credentials),
                pending_size=0,
                max_reconnect_attempts=-1,
                reconnect_time_wait=RECONNECT_S,  # type: ignore[arg-type]  # nats-py says int and sleeps on a float as well
                ping_interval=PING_S,
                max_outstanding_pings=PINGS_UNANSWERED_MAX,
                error_cb=error,
                disconnected_cb=disconnected,
                reconnected_cb=reconnected,
                closed_cb=closed,
            )
    except TimeoutError:
        why = client.last_error
        await client.close()
        raise StoreUnavailable(f"no NATS server at {endpoint.url} lets {endpoint.user} in: {why or 'no answer'}") from why
    except nats.errors.Error as refused:
        raise StoreUnavailable(f"NATS at {endpoint.url} refused {endpoint.user}: {refused}") from refused
    except OSError as unread:
        raise StoreUnavailable(f"the credentials {endpoint.credentials} cannot be read: {unread.strerror}") from unread
    except (NkeysError, ValueError) as wrong:
        raise StoreUnavailable(
            f"nobody can be asked at {quoted(endpoint.url)} with the credentials {endpoint.credentials}: {wrong}"
        ) from wrong
    return client


async def close(client: Client) -> None:
    """Close a connection, whatever state it is in."""
    # A server that has gone away takes no good-bye, and its silence must not hide why somebody leaves.
    with suppress(nats.errors.Error, OSError):
        await client.close()


async def while_open(outages: Outages, work: Coroutine[Any, Any, None]) -> None:
    """Do some work over a connection; raise `StoreUnavailable` if that is closed for good, which nothing would wait out."""
    working = asyncio.create_task(work, name="work")
    closing = asyncio.create_task(outages.closed.wait(), name="closing")
    try:
        await asyncio.wait({working, closing}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise StoreUnavailable("the server has closed the connection for good")
        working.result()
    finally:
        await end_all([working, closing])

"""A bench for permissions: do one thing as one user, and learn whether the server let it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import nats
from nats.aio.client import Client


@asynccontextmanager
async def acting(url: str, credentials: Path) -> AsyncIterator[tuple[Client, list[str]]]:
    """Yield a connection of the user whose credentials these are, and the list of what the server holds against it."""
    violations: list[str] = []

    async def hear(error: Exception) -> None:
        violations.append(str(error))

    client = await nats.connect(
        url, nkeys_seed=str(credentials), inbox_prefix=f"_INBOX.{credentials.stem}", error_cb=hear, allow_reconnect=False
    )
    try:
        yield client, violations
    finally:
        await client.close()


async def may_publish(url: str, credentials: Path, subject: str) -> bool:
    """Return whether the user may publish on `subject`."""
    async with acting(url, credentials) as (client, violations):
        await client.publish(subject, b"{}")
        await settle(client)
        return not violations


async def may_subscribe(url: str, credentials: Path, subject: str) -> bool:
    """Return whether the user may subscribe to `subject`."""
    async with acting(url, credentials) as (client, violations):
        await client.subscribe(subject)
        await settle(client)
        return not violations


async def settle(client: Client) -> None:
    """Return when the server has judged everything sent so far."""
    # The client's ping overtakes what still lies in its buffer; the second one cannot.
    await client.flush()
    await client.flush()

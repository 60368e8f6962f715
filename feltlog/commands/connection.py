"""Connections of the commands: where the house is, and how to reach it as whom.

A command speaks to the server that runs on `--data`, or to the one named by `--server`, with the credentials that lie in
`--data`.  A command that only reads starts a server for as long as it needs if nothing runs there.
"""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from feltlog.client import Client, Unanswered
from feltlog.house import House
from feltlog.sharing import shared_server
from feltlog.trouble import Trouble
from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.event_store import StoreUnavailable
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.line import Unreachable, open_line

DATA = Path(".feltlog")
DataOption = Annotated[Path, typer.Option("--data", envvar="FELTLOG_DATA", help="The house's directory.")]
ServerOption = Annotated[
    str | None, typer.Option("--server", envvar="FELTLOG_NATS_URL", help="A running nats-server, such as nats://127.0.0.1:4222.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Write one JSON object a line instead.")]


@asynccontextmanager
async def reading(house: House, server: str | None = None) -> AsyncIterator[JetStreamStore]:
    """Yield the logs of a house, through its running server or one that runs for as long as this takes."""
    with ExitStack() as stack:
        url = server or running_url(house) or stack.enter_context(shared_server(house))
        try:
            client = await connect(Endpoint(url=url, credentials=house.credentials("reader"), name="feltlog reader"))
        except StoreUnavailable as error:
            raise Trouble(f"{sentence(error)} Check --server, and that --data holds the credentials of that house.") from error
        try:
            yield JetStreamStore(client)
        finally:
            await close(client)


@asynccontextmanager
async def at_the_door(house: House, server: str | None, user: str) -> AsyncIterator[Client]:
    """Yield a client that speaks as `user`: as staff if the user works there, else as a player."""
    url = server or running_url(house)
    if url is None:
        raise Trouble(f"Nothing runs on {house.data}. Start it with `feltlog up --data {house.data}`, or name a server with --server.")
    try:
        line = await open_line(url, user=user, credentials=house.credentials(user))
    except Unreachable as error:
        raise Trouble(f"{sentence(error)} Check --server, and that --data holds the credentials of that house.") from error
    try:
        yield Client(line, role="staff" if user in house.staff() else "player", name=user)
    except Unanswered as error:
        raise Trouble(f"{error} Try again in a moment; `feltlog status` shows what runs.") from error
    finally:
        await line.close()


def running_url(house: House) -> str | None:
    """Return where the server of a house that plays listens, or None; who only reads runs a server as well, and no service."""
    running = house.running
    return running.ports.url if running is not None and running.server_pid is not None and not running.reads_only else None


def sentence(error: Exception) -> str:
    """Return what an error says as a sentence."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."

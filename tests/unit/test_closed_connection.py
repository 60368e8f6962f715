"""A connection that the server closes for good: what rests on it ends, so that somebody begins it anew."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from feltlog.provisioner import provide
from shared.runtime.connection import Endpoint, Outages, connect, while_open
from shared.runtime.event_store import StoreUnavailable
from shared.runtime.main import serve_once
from shared.runtime.settings import ServiceSettings
from tests.service import NotingApp

HELLO = b'INFO {"server_id":"S","version":"2.12.0","proto":1,"headers":true,"max_payload":8388608}\r\n'
PATIENCE_S = 10.0


@asynccontextmanager
async def server_that_tires_of_a_user() -> AsyncIterator[str]:
    """Serve on a free port: whoever says more than a greeting is told to go away, as one whose credential was taken back."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(HELLO)
        while line := await reader.readline():
            if line.startswith(b"PING"):
                writer.write(b"PONG\r\n")
            elif line.startswith((b"PUB", b"HPUB")):
                writer.write(b"-ERR 'Authorization Violation'\r\n")
                writer.close()
                return

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def settings(url: str) -> ServiceSettings:
    """Return the settings of a process that speaks to this server, and checks nothing before."""
    return ServiceSettings(
        nats_url=url,
        monitor_url="",
        credentials=None,  # type: ignore[arg-type]  # this server lets everybody in
        data=Path(),
        day_starts="06:00",
        zone="UTC",
        sealing_key=Path(),
        allow_volatile=True,
    )


async def test_closed_connection_is_told():
    """It is no outage: nothing will come back."""
    outages = Outages()
    async with server_that_tires_of_a_user() as url:
        client = await connect(Endpoint(url=url), outages)
        await client.publish("anything", b"")
        async with asyncio.timeout(PATIENCE_S):
            await outages.closed.wait()

    assert client.is_closed


async def test_work_over_a_closed_connection_ends():
    """Whatever it waits for, it would wait for ever."""
    outages, ended = Outages(), asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    outages.closed.set()
    with pytest.raises(StoreUnavailable, match="closed the connection for good"):
        await while_open(outages, work())

    assert ended.is_set()


async def test_service_whose_connection_is_closed_before_it_is_ready_begins_anew(caplog: pytest.LogCaptureFixture):
    """It has read half of its logs at most; whoever called it calls it again, and an operator is told why."""
    app: Any = NotingApp()
    async with server_that_tires_of_a_user() as url:
        async with asyncio.timeout(PATIENCE_S):
            await serve_once(app, settings(url))
    said = [record.getMessage() for record in caplog.records if record.getMessage().endswith("beginning anew")]

    assert said == ["the server has closed the connection for good; beginning anew"]


async def test_provisioner_whose_connection_is_closed_ends():
    """The machine starts another one, with the credential that it then has."""
    async with server_that_tires_of_a_user() as url:
        with pytest.raises(StoreUnavailable, match="closed the connection for good"):
            async with asyncio.timeout(PATIENCE_S):
                await provide(settings(url))

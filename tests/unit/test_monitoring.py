"""The monitoring port of a server that dies in the middle of its answer: whoever asked is told nothing, and lives on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from feltlog.nats_config import Ports
from feltlog.nats_server import is_well, write_error
from shared.runtime.event_store import StoreUnavailable
from shared.runtime.settings_check import check_server

LAST_WORDS = {
    "none": b"",
    "no HTTP": b"these are no headers\r\n\r\n",
    "half an answer": b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
    "half a refusal": b"HTTP/1.1 503 Unavailable\r\nContent-Length: 500\r\n\r\nwrite err",
}
every_end = pytest.mark.parametrize("words", LAST_WORDS.values(), ids=LAST_WORDS.keys())


@asynccontextmanager
async def dying_server(words: bytes) -> AsyncIterator[int]:
    """Serve on a free port; each connection hears these words and is cut off."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(words)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@every_end
async def test_service_that_asks_a_dying_server_begins_anew(words: bytes):
    """How the server stores is not known then: the process goes on as in every other outage."""
    async with dying_server(words) as port:
        with pytest.raises(StoreUnavailable, match="does not tell"):
            await check_server(f"http://127.0.0.1:{port}")


@every_end
async def test_machine_that_asks_a_dying_server_learns_nothing(words: bytes):
    """It is not well, and nothing is known that keeps it from writing."""
    async with dying_server(words) as port:
        ports = Ports(0, port)
        told = await asyncio.to_thread(is_well, ports), await asyncio.to_thread(write_error, ports)

    assert told == (False, "")

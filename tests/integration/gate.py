"""A gate between one process and the server: the append that a test waits for is held there, and its process can be killed with it.

So a process dies exactly where a test wants it to, and its code knows nothing of that: filled in and decided, and not in the
log; in the log, and nobody has told the process; told, and what follows from that has not left: the acknowledgement of the
entry that it has heard, or the answer to whoever has asked.
"""

import asyncio
import re
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Literal
from urllib.parse import urlsplit

from shared.contracts.language import types_of
from shared.kernel.entry import Entry, decode_as
from shared.runtime.tasks import end_all
from tests.integration.patience import PATIENCE_S

CHUNK_BYTES = 65_536
PUBLISHED = re.compile(rb"H?PUB (\S+) .*?(\d+)\r\n")
"""A line that announces a message, with its subject and how many bytes follow."""

Hold = Literal["before", "behind", "acknowledging", "answering"]
"""Where an append is held: before the server has it, when it is stored and its writer does not know, or with what its writer says next."""
NEXT = {"acknowledging": b"$JS.ACK.", "answering": b"_INBOX."}
"""What the subjects begin with on which a writer says next that an entry is stored."""


class Gate:
    """Passes on whatever a process and the server say to each other, until the process appends an event of a kind."""

    def __init__(self, server: str, log: str, event: str, hold: Hold, passes: int) -> None:
        self.url = ""
        self.held: asyncio.Future[tuple[str, bytes]] = asyncio.get_running_loop().create_future()
        self._server = server
        self._subject = f"log.{log}.".encode()
        self._event = f'"type":"{event}"'.encode()
        self._hold = hold
        self._passes = passes
        self._said: tuple[str, bytes] | None = None
        """The append that was meant, if what its writer says next is to be held."""
        self._open = asyncio.Event()
        self._answers = asyncio.Event()
        self._answers.set()
        self._ways: set[asyncio.Task[None]] = set()
        self._ends: list[StreamWriter] = []

    async def entry(self) -> Entry[Any, Any]:
        """Return the entry that is held, as soon as there is one."""
        async with asyncio.timeout(PATIENCE_S):
            subject, message = await asyncio.shield(self.held)
        return decode_as(*types_of(subject), message[message.index(b"{") :])

    def let_go(self) -> None:
        """Pass on what is held, and everything after it."""
        self._open.set()
        self._answers.set()

    async def take(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Connect somebody to the server."""
        there = urlsplit(self._server)
        from_server, to_server = await asyncio.open_connection(there.hostname, there.port)
        for way in (self._outwards(reader, to_server), self._back(from_server, writer)):
            task = asyncio.create_task(way)
            self._ways.add(task)
            task.add_done_callback(self._ways.discard)
        self._ends += [writer, to_server]

    async def close(self) -> None:
        """Let nobody through any more."""
        await end_all(self._ways)
        for end in self._ends:
            end.close()
            with suppress(OSError):
                await end.wait_closed()

    async def _outwards(self, reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while line := await reader.readline():
                message = b""
                if announced := PUBLISHED.fullmatch(line):
                    message = await reader.readexactly(int(announced[2]) + 2)
                    await self._look(announced[1], message)
                writer.write(line + message)
                await writer.drain()
        writer.close()

    async def _look(self, subject: bytes, message: bytes) -> None:
        """Hold a message that is meant, for as long as the gate is closed."""
        if self._said is not None:
            if self._is_next(subject):
                self.held.set_result(self._said)
                await self._open.wait()
        elif self._is_meant(subject, message):
            if self._hold in NEXT:
                self._said = (subject.decode(), message)
            else:
                await self._keep(subject.decode(), message)

    def _is_meant(self, subject: bytes, message: bytes) -> bool:
        if self.held.done() or not subject.startswith(self._subject) or self._event not in message:
            return False
        self._passes -= 1
        return self._passes < 0

    def _is_next(self, subject: bytes) -> bool:
        """Whether this is what the writer of that append says next: to the log that it heard, or to whoever has asked."""
        if self._said is None or self.held.done() or not subject.startswith(NEXT[self._hold]):
            return False
        if self._hold == "answering":
            return True
        _, message = self._said
        entry = decode_as(*types_of(self._said[0]), message[message.index(b"{") :])
        heard = {(log, place[0]) for log, place in entry.position.items()}
        tokens = subject.decode().split(".")
        return (tokens[2], int(tokens[5])) in heard

    async def _keep(self, subject: str, message: bytes) -> None:
        if self._hold == "behind":
            self._answers.clear()
        self.held.set_result((subject, message))
        if self._hold == "before":
            await self._open.wait()

    async def _back(self, reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK_BYTES):
                await self._answers.wait()
                writer.write(data)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def gate(server: str, log: str, event: str, hold: Hold = "before", *, passes: int = 0) -> AsyncIterator[Gate]:
    """Yield a gate before a server, for a process that appends to a log; of entries with an event of a kind it holds one.

    So many of them pass before that one.
    """
    opened = Gate(server, log, event, hold, passes)
    door = await asyncio.start_server(opened.take, "127.0.0.1")
    opened.url = f"nats://127.0.0.1:{door.sockets[0].getsockname()[1]}"
    try:
        yield opened
    finally:
        door.close()
        await opened.close()

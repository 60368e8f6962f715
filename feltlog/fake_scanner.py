"""A scanner that is none: it says what stands in a file, as a device would, to whoever connects.

It keeps its count and repeats what was not acknowledged, so that a house can be tried and tests can cut the cable.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import msgspec

from feltlog.trouble import Trouble
from services.shoe.domain.scanner_line import CUTTING_CARD, EMPTY, PROTOCOL, Ack, Beat, Begin, Greeting, Line, Seen, write_line
from shared.kernel.cards import POINTS
from shared.runtime.tasks import end_all

BEAT_S = 5.0
BACKLOG_MAX = 8
"""So many may be said before the first of them is acknowledged."""


class FakeScanner:
    """Says `saw`, one after the other, `every_s` apart; one connection at a time."""

    def __init__(self, saw: Sequence[str | None], *, name: str = "fake", every_s: float = 0.0) -> None:
        self.acknowledged = 0
        self._saw = tuple(saw)
        self._name = name
        self._every_s = every_s
        self._heard = asyncio.Event()

    @asynccontextmanager
    async def serving(self, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[int]:
        """Listen for the house while the block runs; yield the port."""
        speaking: set[asyncio.Task[None]] = set()

        async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None, "a connection has a task of its own"
            speaking.add(task)
            try:
                # The streams of Python 3.11 complain of a connection whose task was cancelled.
                with suppress(asyncio.CancelledError):
                    await self.speak(reader, writer)
            finally:
                speaking.discard(task)

        server = await asyncio.start_server(speak, host, port)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            await end_all(speaking)

    async def all_taken(self) -> None:
        """Return when everything that was seen is acknowledged."""
        while self.acknowledged < len(self._saw):
            await self._changed(None)

    async def speak(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Speak over one cable until it is cut."""
        try:
            with suppress(OSError, ValueError):
                wanted = msgspec.json.decode(await reader.readline(), type=Begin).first
                async with asyncio.TaskGroup() as both:
                    listening = both.create_task(self._listen(reader))
                    speaking = both.create_task(self._speak_until_cut(writer, wanted))
                    await listening
                    speaking.cancel()
        finally:
            writer.close()

    async def _speak_until_cut(self, writer: asyncio.StreamWriter, wanted: int) -> None:
        # A house that dies takes the cable with it; whoever listens on this side hears that as well.
        with suppress(OSError):
            await self._speak(writer, wanted)

    async def _speak(self, writer: asyncio.StreamWriter, wanted: int) -> None:
        # What was acknowledged need not be kept; this device has a long memory.
        said = self.acknowledged = min(wanted, len(self._saw) + 1) - 1
        await _say(writer, Greeting(scanner=self._name, protocol=PROTOCOL, next=said + 1))
        while True:
            if said < len(self._saw) and said - self.acknowledged < BACKLOG_MAX:
                await _say(writer, Seen(n=said + 1, saw=self._saw[said]))
                said += 1
                await asyncio.sleep(self._every_s)
            elif not await self._changed(BEAT_S):
                await _say(writer, Beat(beat=True))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with suppress(OSError, ValueError):
            while line := await reader.readline():
                self.acknowledged = max(self.acknowledged, msgspec.json.decode(line, type=Ack).ack)
                self._heard.set()

    async def _changed(self, within_s: float | None) -> bool:
        self._heard.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._heard.wait()
                return True
        return False


def read_cards(path: Path) -> list[str | None]:
    """Return what a file says that a scanner saw: cards separated by blanks, and signs for what is none.

    They are `--` for the cutting card, `??` for a card that cannot be read, and `==` for an empty shoe.  Raise `Trouble` for anything else.
    """
    try:
        words = path.read_text(encoding="utf-8").split()
    except (OSError, UnicodeDecodeError) as error:
        raise Trouble(f"{path} cannot be read: {error}.") from error
    special: dict[str, str | None] = {"--": CUTTING_CARD, "??": None, "==": EMPTY}
    for place, word in enumerate(words):
        if word not in special and word not in POINTS:
            raise Trouble(
                f"{path}, word {place + 1}: {word!r} is no card. Write such as 8H, -- the cutting card, ?? an unread one, == an empty shoe."
            )
    return [special.get(word, word) for word in words]


async def _say(writer: asyncio.StreamWriter, said: Line) -> None:
    writer.write(write_line(said))
    await writer.drain()

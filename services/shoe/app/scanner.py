"""The scanner's edge: one device, heard for ever.  What it saw is acknowledged when it is stored, and not before.

The device keeps what was not acknowledged and says it again, so this side may fall at any moment.  A line that cannot be
taken ends the connection: the device begins again with what was acknowledged last, and if it still makes no sense then,
the alarm says so until somebody comes.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import serial_asyncio_fast
from serial import SerialException

from services.shoe.domain.scanner_line import LINE_BYTES_MAX, Ack, BadLine, Beat, Begin, Count, Greeting, Line, Seen, read_line, write_line

BAUD = 115_200
SILENCE_S = 15.0
"""A device says something at least every five seconds; after so long it is taken for gone."""
FIRST_PAUSE_S = 0.2
PAUSE_MAX_S = 5.0

ADDRESS = re.compile(r"tcp://(?P<host>[^/:\s]+):(?P<port>[0-9]{1,5})|serial:(?P<path>/\S+)")

AHEAD_MAX = 1024
"""Lines that a device may be ahead of what is acknowledged: more cards than any shoe holds."""
LAST_WORDS_S = 1.0
"""So long what came before the end of a cable may still be taken."""

Cable = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Take = Callable[[Seen], Awaitable[None]]
"""Stores what was seen; returns when it is stored."""
Alarm = Callable[[str, str], Awaitable[None]]
"""Says what is wrong: a code and a sentence."""


class BadAddress(ValueError):
    """A text that names no device."""


class Scanner:
    """One device at `address`: `tcp://HOST:PORT` or `serial:/dev/ttyUSB0`; raise `BadAddress` for anything else.

    `count` is how far it was heard before, so that what is said twice is taken once.
    """

    def __init__(self, address: str, count: Count, take: Take, alarm: Alarm, *, silence_s: float = SILENCE_S) -> None:
        found = ADDRESS.fullmatch(address)
        if found is None or int(found["port"] or 0) > 65_535:
            raise BadAddress(f"{address!r} names no scanner: write tcp://HOST:PORT or serial:/dev/NAME")
        self.count = count
        self._address = found
        self._take = take
        self._alarm = alarm
        self._silence_s = silence_s

    async def listen(self) -> None:
        """Connect and take what the device saw, again and again, until cancelled."""
        pause_s = FIRST_PAUSE_S
        while True:
            heard_before = self.count.last
            code, why = await self._one_connection()
            await self._alarm(code, why)
            pause_s = FIRST_PAUSE_S if self.count.last > heard_before else min(2 * pause_s, PAUSE_MAX_S)
            await asyncio.sleep(pause_s)

    async def _one_connection(self) -> tuple[str, str]:
        """Take what comes over one connection; return why it ended, as a code and a sentence."""
        try:
            async with self._connected() as cable:
                await self._greet(cable)
                await self._converse(cable)
                return "gone", "the scanner has ended the connection"
        except BadLine as bad:
            return bad.code, str(bad)
        except asyncio.LimitOverrunError:
            return "line_too_long", f"a line of a scanner has at most {LINE_BYTES_MAX} bytes, this one has more"
        except TimeoutError:
            return "silent", f"the scanner has said nothing for {self._silence_s:g} s"
        except (asyncio.IncompleteReadError, OSError, SerialException, ValueError) as error:
            # A host's name that is none, such as one with two dots together, breaks with a ValueError where it is looked up.
            return "gone", f"the scanner cannot be reached: {type(error).__name__}"

    async def _greet(self, cable: Cable) -> None:
        """Ask the device to begin where we are.  What it had said before, and half a line, may still be on the cable."""
        reader, writer = cable
        writer.write(write_line(Begin(first=self.count.last + 1)))
        async with asyncio.timeout(self._silence_s):
            while not isinstance(said := _said(await reader.readuntil(b"\n")), Greeting):
                pass
        self.count = self.count.answered(said)

    async def _converse(self, cable: Cable) -> None:
        """Take what the device says until the cable ends, and break with why it did.

        A card may be held for as long as no shoe takes it, and the cable is read all the while.  What is held when the cable
        ends is let go: the device says it again, or another one stands there over the next load.
        """
        reader, writer = cable
        lines: asyncio.Queue[Line | None] = asyncio.Queue()
        reading = asyncio.create_task(self._read(reader, lines))
        hearing = asyncio.create_task(self._hear(lines, writer))
        try:
            await asyncio.wait({reading, hearing}, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait({hearing}, timeout=LAST_WORDS_S)
        finally:
            for task in (hearing, reading):
                task.cancel()
            await asyncio.wait({reading, hearing})
        for task in (hearing, reading):
            if not task.cancelled():
                task.result()

    async def _read(self, reader: asyncio.StreamReader, lines: asyncio.Queue[Line | None]) -> None:
        """Read lines until the cable breaks; nothing follows in `lines` then."""
        try:
            while True:
                async with asyncio.timeout(self._silence_s):
                    line = read_line(await reader.readuntil(b"\n"))
                if lines.qsize() >= AHEAD_MAX:
                    raise BadLine("too_far_ahead", f"the scanner is {AHEAD_MAX} lines ahead of what is acknowledged")
                if not isinstance(line, Beat):
                    lines.put_nowait(line)
        finally:
            lines.put_nowait(None)

    async def _hear(self, lines: asyncio.Queue[Line | None], writer: asyncio.StreamWriter) -> None:
        """Take what was read, in order."""
        while (line := await lines.get()) is not None:
            match line:
                case Greeting() as greeting:
                    self.count = self.count.answered(greeting)
                case Seen() as seen:
                    count = self.count.heard(seen)
                    if count is not None:
                        await self._take(seen)
                        self.count = count
                    writer.write(write_line(Ack(ack=self.count.last)))
                    async with asyncio.timeout(self._silence_s):
                        await writer.drain()
                case Beat():
                    pass

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[Cable]:
        async with asyncio.timeout(self._silence_s):
            if self._address["path"]:
                cable = await serial_asyncio_fast.open_serial_connection(
                    url=self._address["path"], baudrate=BAUD, limit=LINE_BYTES_MAX, exclusive=True
                )
            else:
                cable = await asyncio.open_connection(self._address["host"], int(self._address["port"]), limit=LINE_BYTES_MAX)
        try:
            yield cable
        finally:
            cable[1].close()
            with suppress(OSError, SerialException, TimeoutError):
                async with asyncio.timeout(1):
                    await cable[1].wait_closed()


def _said(line: bytes) -> Line | None:
    """Return what a line says, None for what may have been cut off; raise `BadLine` if the device speaks another protocol."""
    try:
        return read_line(line)
    except BadLine as bad:
        if bad.code == "unknown_protocol":
            raise
        return None

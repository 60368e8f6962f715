"""Keys: what a person types, one key at a time on a terminal, one line at a time on anything else.

On a terminal the line discipline is told to hand over every key at once and without an echo, and is put back whatever
happens; on a pipe the first letters of a line are the keys, so a script can play.
"""

import asyncio
import os
import sys
import termios
import tty
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TextIO

END = ""
"""What is read when there is nothing more to read."""
BYTES_MAX = 64


class Keys:
    """A queue of what was typed."""

    def __init__(self) -> None:
        self._typed: asyncio.Queue[str] = asyncio.Queue()

    async def next(self) -> str:
        """Return the next key or line, `END` when there is no more."""
        return await self._typed.get()

    def put(self, typed: str) -> None:
        """Take what was typed."""
        self._typed.put_nowait(typed)


@asynccontextmanager
async def keys(source: TextIO | None = None) -> AsyncIterator[tuple[Keys, bool]]:
    """Yield the keys of standard input, and whether they come one at a time from a terminal."""
    stream = sys.stdin if source is None else source
    handle = stream.fileno()
    single = os.isatty(handle)
    typed = Keys()
    loop = asyncio.get_running_loop()
    before = termios.tcgetattr(handle) if single else None
    rest = b""

    def read() -> None:
        nonlocal rest
        data = os.read(handle, BYTES_MAX)
        if not data:
            loop.remove_reader(handle)
            typed.put(END)
        elif single and len(data) > 1 and data.startswith(b"\x1b"):
            # An arrow or a function key comes as one string: it is one key, and no letters.
            typed.put(data.decode(errors="ignore"))
        elif single:
            for key in data.decode(errors="ignore"):
                typed.put(key)
        else:
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                typed.put(line.decode(errors="ignore").strip() + "\n")

    if before is not None:
        tty.setcbreak(handle)
    try:
        try:
            loop.add_reader(handle, read)
        except PermissionError:
            # A plain file has no readiness to wait for: all of it is there already.
            for line in stream:
                typed.put(line.strip() + "\n")
            typed.put(END)
        yield typed, single
    finally:
        loop.remove_reader(handle)
        if before is not None:
            termios.tcsetattr(handle, termios.TCSADRAIN, before)

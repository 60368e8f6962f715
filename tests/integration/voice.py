"""A voice: what one user of a running house says, word by word, on a line of their own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from feltlog.machine import Machine
from shared.contracts.requests import decode_answer, encode_request
from shared.contracts.subjects import command_subject
from shared.kernel.messages import Answer
from shared.runtime.line import Line, open_line
from tests.integration.patience import LOOK_AGAIN_S, PATIENCE_S


@asynccontextmanager
async def line_of(machine: Machine, user: str, *, patience_s: float = PATIENCE_S) -> AsyncIterator[Line]:
    """Yield a line on which `user` speaks to a machine; whoever opens it waits so long for the server."""
    line = await open_line(machine.url, user=user, credentials=machine.credentials(user), patience_s=patience_s)
    try:
        yield line
    finally:
        await line.close()


class Voice:
    """Somebody who says the same thing as often as a test wants it, and is told what each single reply says."""

    def __init__(self, line: Line, user: str, service: str, target: str) -> None:
        self._line = line
        self._subject = command_subject(service, "staff" if user == "pit" else "player", target, user)

    async def say(self, id: str, command: Any) -> Answer:
        """Return the first reply to one request, which is sent again only if nobody was there."""
        async with asyncio.timeout(PATIENCE_S):
            while (reply := await self._line.request(self._subject, encode_request(id, command), timeout_s=10)) is None:
                await asyncio.sleep(LOOK_AGAIN_S)
        return decode_answer(reply)

    async def blurt(self, data: bytes) -> Answer:
        """Return the reply to bytes that need not be a request."""
        reply = await self._line.request(self._subject, data, timeout_s=10)
        assert reply is not None, f"{data[:60]!r} gets a reply"
        return decode_answer(reply)

    async def final(self, id: str, command: Any) -> Answer:
        """Return the first reply that is not pending."""
        async with asyncio.timeout(PATIENCE_S):
            while (answer := await self.say(id, command)).status == "pending":
                await asyncio.sleep(LOOK_AGAIN_S)
        return answer

    async def times(self, count: int, id: str, command: Any) -> list[Answer]:
        """Return the final answers to the same request, sent so many times at once."""
        return list(await asyncio.gather(*(self.final(id, command) for _ in range(count))))

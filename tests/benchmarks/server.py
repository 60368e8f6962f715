"""The server of a bench: a real nats-server for as long as it is measured, and logs as the house makes them."""

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import uvloop

from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.log_making import LogMaker
from tests.integration.nats_server import NatsServer

T = TypeVar("T")

SYNCS = {"": True, " (default sync)": False}
"""What is added to a bench's name, and whether the server forces every write to the disk before it confirms it.

Money rests on the first alone; the second shows what that costs, and what other people's figures are measured with.
"""


@contextmanager
def server(*logs: str, sync_always: bool) -> Iterator[NatsServer]:
    """Yield a running server with these logs."""
    with TemporaryDirectory(prefix="feltlog-bench-") as directory:
        running = NatsServer(Path(directory), sync_always=sync_always)
        try:
            running.start()
            asyncio.run(_make(running.url, logs))
            yield running
        finally:
            running.stop()


async def _make(url: str, logs: tuple[str, ...]) -> None:
    client = await connect(Endpoint(url=url))
    for log in logs:
        await LogMaker(client).make(log)
    await close(client)


class Loop:
    """The event loop that services run on."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner(loop_factory=uvloop.new_event_loop)

    def __enter__(self) -> "Loop":
        self._runner.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.__exit__(None, None, None)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what `work` returns."""
        return self._runner.run(work)

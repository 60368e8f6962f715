"""A line that is cut off: whoever watches is told to look again as soon as it is back."""

import asyncio
from pathlib import Path

from feltlog.credentials import create_user_key
from shared.runtime.line import open_line
from tests.integration.nats_server import NatsServer


async def test_watcher_looks_again_as_soon_as_the_line_is_back(nats_server: NatsServer, tmp_path: Path):
    """What was shown meanwhile is lost, and a person's clock may run by it: nobody waits until the watch runs out."""
    line = await open_line(nats_server.url, user="ann", credentials=create_user_key(tmp_path, "ann"))
    watch = await line.watch("view.table.felt.T1")
    looking = asyncio.create_task(watch.next(timeout_s=3600))
    nats_server.kill()
    nats_server.start()
    async with asyncio.timeout(30):
        seen = await looking
    await line.close()

    assert seen is None

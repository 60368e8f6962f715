"""The services of a bench, each in a process of its own: `python -m tests.benchmarks.command_service table URL`.

`table` and `wallet` are those services' own processes.  `bare` is what is left of it when everything but the I/O is gone: it hears a
request, appends as many bytes with the same fence and headers, and answers; it decides nothing and remembers a number a table.
"""

import asyncio
import sys
from collections import defaultdict
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import nats
import uvloop
from nats.aio.client import Client
from nats.aio.msg import Msg

from services.table.app import TableApp
from services.wallet.app import WalletApp
from shared.kernel.messages import PENDING
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Endpoint, connect
from shared.runtime.garbage import look_seldom
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.service import App, Process
from shared.runtime.settings import ServiceSettings
from tests.benchmarks.bare import publish

BARE_LOG = "LOG_BARE_20000101"
BARE_STREAMS = "log.bare.20000101"
BARE_ENTRY_BYTES = 700
"""As long as an entry of one wager."""
READY = "ready"
SERVICES: dict[str, Callable[[ServiceSettings], App]] = {"table": TableApp, "wallet": WalletApp}


async def serve(app: Callable[[ServiceSettings], App], url: str) -> None:
    """Serve as a service of the house; it hears its own log and the others' as always."""
    look_seldom()
    with TemporaryDirectory(prefix="feltlog-bench-") as directory:
        data = Path(directory)
        settings = ServiceSettings(
            nats_url=url, monitor_url="", credentials=data, data=data, day_starts="00:00", zone="UTC", sealing_key=data
        )
        client = await connect(Endpoint(url=url))
        process = Process(app(settings), settings, client, JetStreamStore(client), SystemClock())
        await process.run(lambda: _say_ready(client))


async def serve_bare(url: str) -> None:
    """Serve as people do who use nats-py alone."""
    client = await nats.connect(url)
    jetstream = client.jetstream()
    turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
    fences: defaultdict[str, int] = defaultdict(int)
    running: set[asyncio.Task[None]] = set()

    async def answer(message: Msg) -> None:
        table = message.subject.split(".")[3]
        request = msgspec.json.decode(message.data)
        stream = f"{BARE_STREAMS}.{request['command']['round'].replace('.', '-')}"
        async with turns[table]:
            data = message.data.ljust(BARE_ENTRY_BYTES)
            fences[stream] = await publish(jetstream, BARE_LOG, stream, data, fence=fences[stream], types="table.WagerPlaced.v1")
        await message.respond(msgspec.json.encode(PENDING))

    async def hear(message: Msg) -> None:
        task = asyncio.create_task(answer(message))
        running.add(task)
        task.add_done_callback(running.discard)

    await client.subscribe("cmd.bare.>", cb=hear)
    await _say_ready(client)
    await asyncio.Event().wait()


async def _say_ready(client: Client) -> None:
    # Before the server knows of the subscription, it tells whoever asks that nobody is there.
    await client.flush()
    print(READY, flush=True)


def main() -> None:
    """Serve until killed."""
    name, url = sys.argv[1:]
    serving: Coroutine[Any, Any, None] = serve(SERVICES[name], url) if name in SERVICES else serve_bare(url)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serving)


if __name__ == "__main__":
    main()

"""The two services that `command` compares, each in a process of its own: `python -m tests.benchmarks.command_service table URL`.

`table` is the table service's own process.  `bare` is what is left of it when everything but the I/O is gone: it hears a
request, appends as many bytes with the same fence and headers, and answers; it decides nothing and remembers a number a table.
"""

import asyncio
import sys
from collections import defaultdict
from collections.abc import Coroutine
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import nats
import uvloop
from nats.aio.client import Client
from nats.aio.msg import Msg

from services.table.app import TableApp
from shared.kernel.messages import PENDING
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Endpoint, connect
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings

BARE_LOG = "LOG_BARE_20000101"
BARE_STREAMS = "log.bare.20000101"
BARE_ENTRY_BYTES = 700
"""As long as an entry of one wager."""
READY = "ready"


async def serve_table(url: str) -> None:
    """Serve as the table service; it hears its own log and the others' as always."""
    nowhere = Path("nowhere")
    settings = ServiceSettings(
        nats_url=url, monitor_url="", credentials=nowhere, data=nowhere, day_starts="00:00", zone="UTC", sealing_key=nowhere
    )
    client = await connect(Endpoint(url=url, name="table"))
    process = Process(TableApp(settings), settings, client, JetStreamStore(client), SystemClock())
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
            headers = {
                "Nats-Expected-Stream": BARE_LOG,
                "Nats-Expected-Last-Subject-Sequence": str(fences[stream]),
                "Nats-Msg-Id": sha256(data).hexdigest(),
                "Feltlog-Events": "table.WagerPlaced.v1",
            }
            fences[stream] = (await jetstream.publish(stream, data, headers=headers)).seq
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
    serving: Coroutine[Any, Any, None] = serve_table(url) if name == "table" else serve_bare(url)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serving)


if __name__ == "__main__":
    main()

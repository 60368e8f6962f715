"""`append`: fenced entries over 50 streams, one on its way in each, against bare nats-py with the same bytes and headers.

The entries are those of ordinary rounds.  Both sides append to logs with the house's settings on one server; each turn
writes streams of its own, so that neither side finds more in its way than the other.
"""

import asyncio
from collections.abc import Awaitable, Callable
from hashlib import sha256
from itertools import count

from nats.js import JetStreamContext

from shared.contracts.subjects import log_name, round_stream
from shared.runtime.connection import Endpoint, close, connect
from shared.runtime.event_store import Appended
from shared.runtime.jetstream_store import JetStreamStore
from tests.benchmarks.pairing import paired, per_second
from tests.benchmarks.rebuild import logged_rounds
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.server import SYNCS, Loop, server

STREAMS = 50
OUR_DAY, PEERS_DAY = "20261130", "20261201"
TYPES = "table.CardDealt.v1,table.DecisionAwaited.v1"

Write = Callable[[str, list[bytes]], Awaitable[None]]
"""Appends entries to a stream, one after the other."""


async def all_at_once(write: Write, streams: list[str], entries: list[bytes]) -> None:
    """Write the entries to all streams, side by side; a number makes each stream's bytes its own."""
    await asyncio.gather(*(write(stream, [stream.encode() + data for data in entries]) for stream in streams))


def ours(store: JetStreamStore) -> Write:
    """Return what appends as the services do."""

    async def write(stream: str, entries: list[bytes]) -> None:
        fence = 0
        for data in entries:
            answer = await store.append(stream, data, fence=fence, types=TYPES)
            assert isinstance(answer, Appended), answer
            fence = answer.sequence

    return write


def theirs(jetstream: JetStreamContext) -> Write:
    """Return what publishes as nats-py's own users do, with the headers that keep two writers apart."""

    async def write(stream: str, entries: list[bytes]) -> None:
        fence = 0
        for data in entries:
            headers = {
                "Nats-Expected-Stream": log_name("table", PEERS_DAY),
                "Nats-Expected-Last-Subject-Sequence": str(fence),
                "Nats-Msg-Id": sha256(data).hexdigest(),
                "Feltlog-Events": TYPES,
            }
            fence = (await jetstream.publish(stream, data, headers=headers)).seq

    return write


def run(effort: Effort, tell: Tell) -> list[Row]:
    """Append so many entries on each side, with every write forced to the disk and without."""
    return [_with(name, sync_always, effort, tell) for name, sync_always in SYNCS.items()]


def _with(name: str, sync_always: bool, effort: Effort, tell: Tell) -> Row:
    each = max(1, effort.amount // STREAMS)
    entries = [data for log in logged_rounds(each) for data in log.entries][:each]
    with server(log_name("table", OUR_DAY), log_name("table", PEERS_DAY), sync_always=sync_always) as running, Loop() as loop:
        mine = loop.run(connect(Endpoint(url=running.url)))
        other = loop.run(connect(Endpoint(url=running.url)))
        turns = count()

        def side(write: Write, day: str) -> float:
            first = next(turns) * STREAMS
            streams = [round_stream(day, "T7", first + number) for number in range(STREAMS)]
            return per_second(STREAMS * len(entries), lambda: loop.run(all_at_once(write, streams, entries)))

        row = paired(
            f"append{name}",
            "entries/s",
            lambda: side(ours(JetStreamStore(mine)), OUR_DAY),
            "nats-py",
            lambda: side(theirs(other.jetstream()), PEERS_DAY),
            at_least=0.8 if sync_always else None,
            times=effort.times,
            tell=tell,
        )
        for client in (mine, other):
            loop.run(close(client))
    return row


APPEND = Bench(run=run, amount=2_000, times=9, about="fenced entries over 50 streams")

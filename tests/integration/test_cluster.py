"""Three servers that keep each log three times: other answers to a repeat than one server gives, the same result."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from hashlib import sha256
from pathlib import Path

import pytest

from shared.runtime.connection import Endpoint, connect
from shared.runtime.event_store import Appended, Conflict, Unknown
from shared.runtime.hearing import hear
from tests.integration.jetstream_bench import JetStreamBench
from tests.integration.nats_server import NatsServer, cluster
from tests.store_suite import LOG, TABLE, WATCH_S, heard_next


class Cluster:
    """A bench on three running servers, connected to all of them, with one log of three replicas."""

    def __init__(self, servers: list[NatsServer], jetstream: JetStreamBench) -> None:
        self.servers = servers
        self.jetstream = jetstream
        self.store = jetstream.store

    async def stored(self, number: int, fence: int) -> int:
        """Append until the answer is definite and return the entry's place."""
        async with asyncio.timeout(30):
            while isinstance(answer := await self.store.append(TABLE, b"entry %d" % number, fence=fence), Unknown):
                await asyncio.sleep(0.05)
        assert isinstance(answer, Appended)
        return answer.sequence

    async def kill_leader(self) -> None:
        """Let the server die that leads the log."""
        leader = await self.jetstream.leader(LOG)
        next(server for server in self.servers if server.name == leader).kill()


@pytest.fixture
async def three(tmp_path: Path) -> AsyncIterator[Cluster]:
    """Three servers with an empty log and a durable."""
    servers = cluster(tmp_path)
    for server in servers:
        server.start()
    client = await connect(Endpoint(url=servers[0].url))
    jetstream = JetStreamBench(client)
    try:
        await jetstream.eventually_make_log(LOG, num_replicas=3)
        await jetstream.make_consumer(LOG, "wallet")
        yield Cluster(servers, jetstream)
    finally:
        await client.close()
        for server in servers:
            server.stop()


async def test_repeat_on_a_cluster_is_answered_with_its_place(three: Cluster):
    """A cluster calls a repeat a duplicate in spite of its stale fence; the store looks for the bytes and finds their place."""
    await three.stored(1, 0)
    await three.stored(2, 1)
    headers = {"Nats-Msg-Id": sha256(b"entry 1").hexdigest(), "Nats-Expected-Last-Subject-Sequence": "0"}
    raw = await three.jetstream.client.request(TABLE, b"entry 1", timeout=5, headers=headers)

    assert (b"duplicate" in raw.data, await three.store.append(TABLE, b"entry 1", fence=0), await three.store.end(LOG)) == (
        True,
        Appended(1),
        2,
    )


async def test_other_bytes_on_a_cluster_are_a_conflict(three: Cluster):
    """Two writers on three servers: the second is refused."""
    await three.stored(1, 0)

    assert await three.store.append(TABLE, b"other", fence=0) == Conflict()


async def test_log_survives_the_death_of_its_leader(three: Cluster):
    """The leader dies under a writer and a listener: every entry is stored once and heard in order."""
    async with aclosing(hear(three.store, LOG, "wallet", watch_s=WATCH_S)) as hearing:
        listening = asyncio.ensure_future(heard_next(hearing, 40, patience_s=60))
        fence = 0
        for number in range(20):
            fence = await three.stored(number, fence)
        await three.kill_leader()
        for number in range(20, 40):
            fence = await three.stored(number, fence)
        heard = await listening

    assert (heard, fence) == ([b"entry %d" % number for number in range(40)], 40)

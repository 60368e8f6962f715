"""Fixtures of the tests on a real server."""

import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from shared.runtime.connection import Endpoint, connect
from tests.integration.busy_house import BusyHouse
from tests.integration.jetstream_bench import JetStreamBench
from tests.integration.nats_server import NatsServer
from tests.integration.recorded_evening import Evening, play

# Whatever a shell starts in the background ignores Ctrl-C, and so would everything that we start.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BusyHouse]:
    """A house for all tests that hurt one and leave it whole: what is true of it must be true after each of them."""
    house = BusyHouse(tmp_path_factory.mktemp("house"))
    try:
        house.start()
        yield house
    finally:
        house.stop()


@pytest.fixture
def nats_server(tmp_path: Path) -> Iterator[NatsServer]:
    """A running server that forces every write to the disk."""
    server = NatsServer(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
async def jetstream(nats_server: NatsServer) -> AsyncIterator[JetStreamBench]:
    """A bench connected to the running server."""
    client = await connect(Endpoint(url=nats_server.url))
    yield JetStreamBench(client)
    await client.close()


@pytest.fixture
def volatile_server(tmp_path: Path) -> Iterator[NatsServer]:
    """A running server that confirms before it writes to the disk."""
    server = NatsServer(tmp_path, sync_always=False)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """An evening that was played and recorded; its house is stopped."""
    return play(tmp_path_factory.mktemp("evening"))

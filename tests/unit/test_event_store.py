"""The store suite in memory."""

import itertools

import pytest

from shared.runtime.memory_store import MemoryStore
from tests.store_suite import *  # noqa: F403


class MemoryBench:
    """A `Bench` of the store suite without a server."""

    def __init__(self) -> None:
        self.store = MemoryStore(itertools.count(1).__next__)

    async def make_log(self, log: str) -> None:
        """Make a log."""
        self.store.make_log(log)

    async def make_consumer(self, log: str, name: str) -> None:
        """Make a durable."""
        self.store.make_consumer(log, name)

    async def remove_consumer(self, log: str, name: str) -> None:
        """Delete the durable."""
        self.store.remove_consumer(log, name)

    async def redeliver(self, log: str, name: str) -> None:
        """Deliver again what is not acknowledged."""
        self.store.redeliver(log, name)

    async def seal(self, log: str) -> None:
        """Seal the log."""
        self.store.seal(log)

    async def fill(self, log: str) -> None:
        """Fill the log."""
        self.store.fill(log)

    async def erase(self, log: str, sequence: int) -> None:
        """Let an entry be gone."""
        self.store.erase(log, sequence)


@pytest.fixture
async def bench() -> MemoryBench:
    """The memory twin."""
    return MemoryBench()

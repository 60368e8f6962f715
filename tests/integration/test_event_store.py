"""The store suite on a real nats-server."""

import pytest

from tests.integration.jetstream_bench import JetStreamBench
from tests.store_suite import *  # noqa: F403


@pytest.fixture
async def bench(jetstream: JetStreamBench) -> JetStreamBench:
    """The JetStream twin."""
    return jetstream

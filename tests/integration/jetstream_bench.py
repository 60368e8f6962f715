"""What tests do to JetStream behind the store's back."""

import asyncio
from typing import Any

import msgspec
import nats.errors
from nats.aio.client import Client

from shared.contracts.subjects import log_day, log_pattern
from shared.runtime.jetstream_store import JetStreamStore

ACK_WAIT_NS = 1_000_000_000


class JetStreamBench:
    """A `Bench` of the store suite on a real server."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.store = JetStreamStore(client)

    async def make_log(self, log: str, **settings: Any) -> None:
        """Make a log with the settings that the suite needs."""
        config = {
            "name": log,
            "subjects": [log_pattern(*log_day(log))],
            "storage": "file",
            "discard": "new",
            "max_bytes": 8 * 1024 * 1024,
            "num_replicas": 1,
            "allow_direct": True,
            **settings,
        }
        await self._ask(f"STREAM.CREATE.{log}", config)

    async def eventually_make_log(self, log: str, **settings: Any) -> None:
        """Make a log as soon as the servers have found each other."""
        async with asyncio.timeout(30):
            while True:
                try:
                    return await self.make_log(log, **settings)
                except (AssertionError, nats.errors.Error):
                    await asyncio.sleep(0.1)

    async def leader(self, log: str) -> str:
        """Return the name of the server that leads the log."""
        name: str = (await self._ask(f"STREAM.INFO.{log}", {}))["cluster"]["leader"]
        return name

    async def make_consumer(self, log: str, name: str) -> None:
        """Make a durable that soon delivers again what is not acknowledged."""
        config = {"durable_name": name, "name": name, "ack_policy": "explicit", "deliver_policy": "all", "ack_wait": ACK_WAIT_NS}
        await self._ask(f"CONSUMER.CREATE.{log}.{name}", {"stream_name": log, "config": config})

    async def remove_consumer(self, log: str, name: str) -> None:
        """Delete the durable."""
        await self._ask(f"CONSUMER.DELETE.{log}.{name}", {})

    async def redeliver(self, log: str, name: str) -> None:
        """The server does it by itself after `ACK_WAIT_NS`."""

    async def seal(self, log: str) -> None:
        """Seal the log."""
        config = (await self._ask(f"STREAM.INFO.{log}", {}))["config"]
        await self._ask(f"STREAM.UPDATE.{log}", config | {"sealed": True})

    async def fill(self, log: str) -> None:
        """Fill the log to the last byte with entries of other streams."""
        service, day = log_day(log)
        for size in (256 * 1024, 16 * 1024, 1024, 64, 0):
            number = 0
            while "error" not in await self._publish(f"log.{service}.{day}.filler-{size}-{number}", b"x" * size):
                number += 1

    async def change_log(self, log: str, **settings: Any) -> None:
        """Change settings of the log, as somebody with too many rights might."""
        config = (await self._ask(f"STREAM.INFO.{log}", {}))["config"]
        await self._ask(f"STREAM.UPDATE.{log}", config | settings)

    async def change_consumer(self, log: str, name: str, **settings: Any) -> None:
        """Change settings of the durable."""
        config = (await self._ask(f"CONSUMER.INFO.{log}.{name}", {}))["config"]
        await self._ask(f"CONSUMER.CREATE.{log}.{name}", {"stream_name": log, "config": config | {"name": name} | settings})

    async def size_limit(self, log: str) -> int:
        """Return how many bytes the log may take."""
        limit: int = (await self._ask(f"STREAM.INFO.{log}", {}))["config"]["max_bytes"]
        return limit

    async def is_sealed(self, log: str) -> bool:
        """Return whether the log is closed for ever."""
        sealed: bool = (await self._ask(f"STREAM.INFO.{log}", {}))["config"]["sealed"]
        return sealed

    async def erase(self, log: str, sequence: int) -> None:
        """Delete an entry."""
        await self._ask(f"STREAM.MSG.DELETE.{log}", {"seq": sequence})

    async def _publish(self, subject: str, data: bytes) -> dict[str, Any]:
        answer: dict[str, Any] = msgspec.json.decode((await self.client.request(subject, data, timeout=5)).data)
        return answer

    async def _ask(self, subject: str, body: Any) -> dict[str, Any]:
        message = await self.client.request(f"$JS.API.{subject}", msgspec.json.encode(body), timeout=5)
        answer: dict[str, Any] = msgspec.json.decode(message.data)
        assert "error" not in answer, answer
        return answer

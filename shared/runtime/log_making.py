"""Making and closing logs: what only the provisioner's credentials let anybody do on the server."""

from typing import Any

import msgspec
from nats.aio.client import Client

from shared.runtime import jetstream_api as api
from shared.runtime.event_store import LogMisconfigured, StoreUnavailable
from shared.runtime.hearing import ConsumerMissing
from shared.runtime.log_settings import LOG_BYTES_MAX, consumer_settings, listeners, stream_settings
from shared.runtime.settings_check import check_consumer, check_log

SERVER_FAILED = 500
"""From this code on a refusal speaks of the server's trouble, not of what was asked."""


class _Config(msgspec.Struct):
    config: dict[str, Any]


class _Standing(msgspec.Struct):
    num_pending: int
    num_ack_pending: int


class LogMaker:
    """Makes, repairs and closes logs; `bytes_max` is the size limit of new ones."""

    def __init__(self, client: Client, *, bytes_max: int = LOG_BYTES_MAX, replicas: int = 1) -> None:
        self._client = client
        self._bytes_max = bytes_max
        self._replicas = replicas

    async def make(self, log: str) -> bool:
        """Make the log; return False if it exists already, which it does not change."""
        config = stream_settings(log) | {"max_bytes": self._bytes_max, "num_replicas": self._replicas}
        answer = await api.ask(self._client, f"STREAM.INFO.{log}", None, _Config)
        if not isinstance(answer, api.Refusal):
            return False
        if answer.err_code != api.STREAM_NOT_FOUND:
            raise StoreUnavailable(f"{log} is neither there nor not: {answer.description}")
        await self._change(f"STREAM.CREATE.{log}", config, log)
        return True

    async def mend(self, log: str) -> list[str]:
        """Make every consumer that the log lacks and return their names; raise `LogMisconfigured` if something is changed."""
        await check_log(self._client, log)
        made: list[str] = []
        for durable in listeners(log):
            try:
                await check_consumer(self._client, log, durable)
            except ConsumerMissing:
                await self._make_consumer(log, durable)
                made.append(durable)
        return made

    async def grow(self, log: str) -> bool:
        """Raise the size limit of a log to the one that is wanted now, and return whether that changed it; it never falls."""
        current = await api.ask(self._client, f"STREAM.INFO.{log}", None, _Config)
        if isinstance(current, api.Refusal):
            raise StoreUnavailable(f"{log} does not tell its size limit: {current.description}")
        if not 0 <= current.config["max_bytes"] < self._bytes_max:
            return False
        await self._change(f"STREAM.UPDATE.{log}", current.config | {"max_bytes": self._bytes_max}, log)
        return True

    async def is_worked_off(self, log: str) -> bool:
        """Return whether every listener has acknowledged every entry of the log."""
        for durable in listeners(log):
            standing = await api.ask(self._client, f"CONSUMER.INFO.{log}.{durable}", None, _Standing)
            if isinstance(standing, api.Refusal) or standing.num_pending or standing.num_ack_pending:
                return False
        return True

    async def seal(self, log: str) -> None:
        """Close the log for ever: nothing can be added to it or taken from it any more."""
        current = await api.ask(self._client, f"STREAM.INFO.{log}", None, _Config)
        if isinstance(current, api.Refusal):
            raise StoreUnavailable(f"{log} cannot be sealed: {current.description}")
        # An update replaces everything, so everything that is there is sent back.
        await self._change(f"STREAM.UPDATE.{log}", current.config | {"sealed": True}, log)

    async def _make_consumer(self, log: str, durable: str) -> None:
        # Not a list of filters, no expiry: what is left out here is what `CONSUMER_UNSET` forbids.
        config = consumer_settings(durable) | {"name": durable}
        await self._change(f"CONSUMER.CREATE.{log}.{durable}", {"stream_name": log, "config": config, "action": "create"}, log)

    async def _change(self, subject: str, body: dict[str, Any], log: str) -> None:
        answer = await api.ask(self._client, subject, body, _Config)
        if not isinstance(answer, api.Refusal):
            return
        # A consumer is not to be made in the moment in which the files of one of its name are being removed.
        if answer.code >= SERVER_FAILED and answer.err_code not in api.RESOURCES_EXCEEDED:
            raise StoreUnavailable(f"{log}: the server could not do {subject}: {answer.description} ({answer.err_code})")
        raise LogMisconfigured(f"{log}: the server refused {subject}: {answer.description} ({answer.err_code})")

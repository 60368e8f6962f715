"""The check before money is served: is the server set up as the log's promises require?

JetStream confirms an append before it is on the disk unless `sync_interval: always` is set, and a changed stream or consumer
loses entries without a word.  What is wanted stands in `log_settings`; here it is compared with what is.
"""

import asyncio
import logging
from http.client import HTTPException
from typing import Any
from urllib.request import urlopen

import msgspec
from nats.aio.client import Client

from shared.kernel.entry import ENTRY_BYTES_MAX
from shared.runtime import jetstream_api as api
from shared.runtime.event_store import DayClosed, LogMisconfigured, StoreUnavailable
from shared.runtime.hearing import ConsumerMissing
from shared.runtime.log_settings import CONSUMER_UNSET, STREAM_UNSET, consumer_settings, mismatch, stream_settings

ANSWER_S = 2.0
PAYLOAD_BYTES_MIN = ENTRY_BYTES_MAX + 64 * 1024
"""With its headers."""

log = logging.getLogger(__name__)


class _Storage(msgspec.Struct):
    sync_always: bool = False


class _Monitored(msgspec.Struct):
    config: _Storage | None = None


class _State(msgspec.Struct):
    first_seq: int
    last_seq: int
    num_deleted: int = 0


class _Stream(msgspec.Struct):
    config: dict[str, Any]
    state: _State


class _Consumer(msgspec.Struct):
    config: dict[str, Any]


async def check_server(monitor_url: str, *, allow_volatile: bool = False) -> None:
    """Return if the server forces every entry to the disk before it confirms it.

    Raises `LogMisconfigured` if it does not, and `StoreUnavailable` if its monitoring port does not tell.  `allow_volatile`
    is for tests: nothing is asked, and the log says so.
    """
    if allow_volatile:
        log.warning("VOLATILE: whether entries are on the disk before they are confirmed is not checked; serve no real money")
        return
    try:
        body = await asyncio.to_thread(_fetch, f"{monitor_url}/jsz?config=1")
    except (OSError, HTTPException) as error:
        raise StoreUnavailable(f"the monitoring port {monitor_url} does not tell how the server stores: {error}") from error
    storage = msgspec.json.decode(body, type=_Monitored).config
    if storage is None or not storage.sync_always:
        found = "no JetStream" if storage is None else "false"
        raise LogMisconfigured(
            f"server: sync_always is {found}, but must be true: write jetstream {{ sync_interval: always }} into its configuration"
        )


def check_payload(client: Client) -> None:
    """Return if the server takes the largest entry there may be; raise `LogMisconfigured` if it does not."""
    if client.max_payload < PAYLOAD_BYTES_MIN:
        raise LogMisconfigured(
            f"server: max_payload is {client.max_payload}, but must be at least {PAYLOAD_BYTES_MIN}: "
            "write max_payload: 8MB into its configuration"
        )


async def check_log(client: Client, name: str) -> None:
    """Return if the log is set up as it must be and complete from its first entry.

    Raises `LogMisconfigured` that names log, setting, wanted and found; `DayClosed` if there is no such log.
    """
    found = await api.ask(client, f"STREAM.INFO.{name}", None, _Stream)
    if isinstance(found, api.Refusal):
        if found.err_code == api.STREAM_NOT_FOUND:
            raise DayClosed(name, "there is no such log")
        raise StoreUnavailable(f"{name} does not tell its settings: {found.description}")
    difference = mismatch(found.config, stream_settings(name), STREAM_UNSET)
    if difference is None and found.config.get("max_bytes", -1) < 1:
        difference = f"max_bytes is {found.config.get('max_bytes')}, but must be an explicit limit"
    if difference is None and found.state.last_seq and found.state.first_seq != 1:
        difference = f"first_seq is {found.state.first_seq}, but must be 1: entries are gone"
    if difference is None and found.state.num_deleted:
        difference = f"num_deleted is {found.state.num_deleted}, but must be 0: entries are gone"
    if difference is not None:
        raise LogMisconfigured(f"{name}: {difference}")


async def check_consumer(client: Client, name: str, durable: str) -> None:
    """Return if the durable of the log is set up as it must be; raise `LogMisconfigured` or `ConsumerMissing`."""
    found = await api.ask(client, f"CONSUMER.INFO.{name}.{durable}", None, _Consumer)
    if isinstance(found, api.Refusal):
        if found.err_code in (api.CONSUMER_NOT_FOUND, api.STREAM_NOT_FOUND):
            raise ConsumerMissing(name, durable)
        raise StoreUnavailable(f"{name} does not tell about {durable}: {found.description}")
    difference = mismatch(found.config, consumer_settings(durable), CONSUMER_UNSET)
    if difference is not None:
        raise LogMisconfigured(f"{name}, consumer {durable}: {difference}")


def _fetch(url: str) -> bytes:
    with urlopen(url, timeout=ANSWER_S) as response:
        body: bytes = response.read()
        return body

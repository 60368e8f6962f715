"""A line to a durable consumer: raw pull requests, asked for again before they run dry.

nats-py's `fetch` waits for a batch and loses its request when the server restarts.  Here requests are short-lived and
counted: what was asked for and has neither come nor been declined is known at any time, so a lost request costs a second.
"""

import asyncio
import contextlib
from types import TracebackType
from typing import Self

import msgspec
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from shared.kernel.entry import Stored
from shared.runtime import jetstream_api as api
from shared.runtime.event_store import StoreUnavailable
from shared.runtime.hearing import BREATH_S, ConsumerMissing, Delivery, Standing

BATCH = 256
EXPIRES_S = 1.0
ACK_TOKENS, LOG_AT = 9, 2


class _Sequences(msgspec.Struct):
    stream_seq: int


class _ConsumerInfo(msgspec.Struct):
    delivered: _Sequences
    ack_floor: _Sequences


class JetStreamDurable:
    """A `Durable` over JetStream; one per process and log."""

    def __init__(self, client: Client, log: str, name: str) -> None:
        self._client = client
        self._log = log
        self._name = name
        self._inbox = client.new_inbox()
        self._arrived: asyncio.Queue[Msg] = asyncio.Queue()
        self._subscription: Subscription | None = None
        self._asked = 0
        self._asked_until = 0.0
        self._reconnects = client.stats["reconnects"]

    async def __aenter__(self) -> Self:
        async def arrive(message: Msg) -> None:
            self._arrived.put_nowait(message)

        # The subscription outlives a reconnect: the client subscribes again by itself.
        self._subscription = await self._client.subscribe(self._inbox, cb=arrive)
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._subscription is not None:
            with contextlib.suppress(nats.errors.Error):
                await self._subscription.unsubscribe()

    async def standing(self) -> Standing:
        """Return how far the durable has come, by the server's word."""
        answer = await api.ask(self._client, f"CONSUMER.INFO.{self._log}.{self._name}", None, _ConsumerInfo)
        if isinstance(answer, _ConsumerInfo):
            return Standing(answer.delivered.stream_seq, answer.ack_floor.stream_seq)
        if answer.err_code in (api.CONSUMER_NOT_FOUND, api.STREAM_NOT_FOUND):
            raise ConsumerMissing(self._log, self._name)
        raise StoreUnavailable(f"{self._log} does not tell about {self._name}: {answer.description}")

    async def next(self, wait_s: float) -> Delivery | None:
        """Return the next delivery, or None after `wait_s`, after a reconnect, or when the server speaks of trouble."""
        now = asyncio.get_running_loop().time
        until = now() + wait_s
        while True:
            await self._ask(now())
            try:
                if self._arrived.empty():
                    async with asyncio.timeout_at(min(until, self._asked_until)):
                        message = await self._arrived.get()
                else:
                    message = self._arrived.get_nowait()
            except TimeoutError:
                if now() >= until or self._has_reconnected():
                    return None
                continue
            if message.reply.startswith("$JS.ACK."):
                self._asked -= 1
                return _delivery(message)
            if self._is_trouble(message.headers or {}):
                # No hurry: whatever it is, a new request a moment later finds out, and a deleted consumer is not hammered.
                self._asked_until = now() + BREATH_S
                return None

    async def acknowledge(self, delivery: Delivery) -> None:
        """Send the acknowledgement; without a connection it is left to the redelivery."""
        with contextlib.suppress(nats.errors.Error):
            await self._client.publish(delivery.acknowledge_at)

    async def _ask(self, now: float) -> None:
        """Keep between half a batch and a whole one asked for."""
        if now >= self._asked_until:
            self._asked = 0
        if self._asked > BATCH // 2:
            return
        wanted = BATCH - self._asked
        request = {"batch": wanted, "expires": int(EXPIRES_S * 1e9)}
        try:
            await self._client.publish(
                f"$JS.API.CONSUMER.MSG.NEXT.{self._log}.{self._name}", msgspec.json.encode(request), reply=self._inbox
            )
        except nats.errors.Error:
            self._asked_until = now + BREATH_S
        else:
            self._asked += wanted
            self._asked_until = now + EXPIRES_S

    def _is_trouble(self, headers: dict[str, str]) -> bool:
        """Take a declined request off the count; return whether its reason is more than that its time is over."""
        self._asked = max(0, self._asked - int(headers.get("Nats-Pending-Messages", BATCH)))
        return headers.get("Status") not in ("404", "408")

    def _has_reconnected(self) -> bool:
        reconnects = self._client.stats["reconnects"]
        seen, self._reconnects = self._reconnects, reconnects
        return reconnects != seen


def _delivery(message: Msg) -> Delivery:
    """Return what `message` delivers; log, sequence and time stand in the subject of its acknowledgement.

    It reads `$JS.ACK.<log>.<durable>.<delivered>.<sequence>.<its own>.<time>.<pending>`, where newer servers may put domain and
    account before the log.  The client's own `metadata` says the same through a calendar date, which costs as much as the entry.
    """
    tokens = message.reply.split(".")
    at = LOG_AT if len(tokens) == ACK_TOKENS else LOG_AT + 2
    stored = Stored(
        log=tokens[at],
        stream=message.subject,
        sequence=int(tokens[at + 3]),
        stored_at_ms=int(tokens[at + 5]) // 1_000_000,
        data=message.data,
        claimed=(message.headers or {}).get("Nats-Msg-Id", ""),
    )
    return Delivery(stored, message.reply, message.headers or {})

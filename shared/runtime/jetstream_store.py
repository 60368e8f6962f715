"""The event store on JetStream: a log is a JetStream stream, a stream of entries is one of its subjects.

Safety rests on the fence alone (`Nats-Expected-Last-Subject-Sequence`).  A single server answers the repeat of a stored
entry with "wrong last sequence", a cluster with "duplicate"; neither is believed: the entry is looked for by its bytes.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from hashlib import sha256

import msgspec
import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg

from shared.contracts.subjects import log_of
from shared.kernel.entry import ENTRY_BYTES_MAX, Stored
from shared.runtime import jetstream_api as api
from shared.runtime import telemetry
from shared.runtime.event_store import (
    Appended,
    Conflict,
    DayClosed,
    LogFull,
    LogMisconfigured,
    StoreRefusal,
    StoreUnavailable,
    Unknown,
    checked_size,
)
from shared.runtime.jetstream_durable import JetStreamDurable

READ_BATCH = 512
READ_BATCH_BYTES = 2 * ENTRY_BYTES_MAX
ALIVE_S = 1.0
ALIVE_QUESTION = b'{"subject":"alive"}'
"""Asks for streams of which there are none, so that the answer is small."""


class _PubAck(msgspec.Struct):
    seq: int = 0
    duplicate: bool = False
    error: api.Refusal | None = None


class _Message(msgspec.Struct):
    subject: str
    seq: int
    time: str
    data: bytes = b""
    hdrs: bytes = b""


class _Got(msgspec.Struct):
    message: _Message


class _State(msgspec.Struct):
    last_seq: int


class _Config(msgspec.Struct):
    name: str
    sealed: bool = False


class _Info(msgspec.Struct):
    config: _Config
    state: _State
    ts: str = ""


class _Page(msgspec.Struct):
    total: int
    streams: list[_Info] | None = None


class JetStreamStore:
    """An `EventStore` over a connected NATS client; the connection must not buffer while it is away (`pending_size=0`)."""

    def __init__(self, client: Client, *, append_s: float = api.ANSWER_S) -> None:
        self._client = client
        self._append_s = append_s

    async def append(self, stream: str, data: bytes, *, fence: int, types: str = "") -> Appended | Conflict | Unknown:
        """Store `data` behind `fence`, as the port promises."""
        log = log_of(stream)
        checked_size(stream, data)
        try:
            ack = await self._publish(log, stream, data, fence=fence, types=types)
            if ack.error is None and not ack.duplicate:
                return Appended(ack.seq)
            # Even a definite refusal may answer the repeat of something that an earlier, unconfirmed attempt has stored.
            last = await self.last(stream)
            place = await self._place(stream, data, fence, last)
        except StoreUnavailable as error:
            return Unknown(str(error))
        if place is not None:
            return Appended(place)
        if ack.error is None:
            return Unknown(f"the server calls the entry a duplicate, but {stream} does not hold it yet")
        if ack.error.err_code in api.WRONG_LAST_SEQUENCE:
            if (0 if last is None else last.sequence) == fence:
                return Unknown(f"the server has something under way for {stream}, which may be this very entry")
            return Conflict()
        if (refused := _refused(log, ack.error)) is not None:
            raise refused
        return Unknown(f"{log}: {ack.error.description}")

    async def last(self, stream: str) -> Stored | None:
        """Return the last entry by a leader read: a direct get may be answered by a replica that is behind."""
        return await self._last(log_of(stream), stream)

    async def read(self, log: str, *, pattern: str | None = None, after: int = 0, upto: int | None = None) -> AsyncIterator[Stored]:
        """Yield the wanted entries in batches; the leader fixes where reading ends before it begins."""
        wanted = pattern or ">"
        final = await self._last(log, wanted)
        if final is None or final.sequence <= after:
            return
        end = final.sequence if upto is None else min(upto, final.sequence)
        async with self._inbox() as (inbox, arrived):
            while after < end:
                # A batch that brings nothing comes from a replica that is behind: the entry at `final` exists.
                before = after
                async for stored in self._batch(log, wanted, after, inbox, arrived):
                    after = stored.sequence
                    if after > end:
                        return
                    yield stored
                if after == before:
                    raise StoreUnavailable(f"{log} was read up to {after}, but its leader knows an entry {final.sequence}")

    async def logs(self, service: str | None = None) -> list[str]:
        """Return the names of the existing logs."""
        return sorted(info.config.name for info in await self._list(service))

    async def open_logs(self, service: str | None = None) -> list[str]:
        """Return the names of those logs that are not sealed."""
        return sorted(info.config.name for info in await self._list(service) if not info.config.sealed)

    async def end(self, log: str) -> int:
        """Return the sequence of the last entry of `log` as its leader knows it."""
        answer = await api.ask(self._client, f"STREAM.INFO.{log}", None, _Info)
        if isinstance(answer, api.Refusal):
            raise _unread(log, answer)
        return answer.state.last_seq

    async def time_ms(self, log: str) -> int:
        """Return what the server's clock shows, in milliseconds."""
        answer = await api.ask(self._client, f"STREAM.INFO.{log}", None, _Info)
        if isinstance(answer, api.Refusal):
            raise _unread(log, answer)
        return api.milliseconds(answer.ts)

    async def alive(self) -> bool:
        """Return whether the server answers within a second."""
        if not self._client.is_connected:
            return False
        try:
            # Not the client's `flush`: one that times out kills its reading when the answer comes late, and then says that all is well.
            await self._client.request("$JS.API.STREAM.NAMES", ALIVE_QUESTION, timeout=ALIVE_S)
        except nats.errors.Error:
            return False
        return True

    def durable(self, log: str, name: str) -> JetStreamDurable:
        """Return a line, not yet open, to the durable `name` of `log`."""
        return JetStreamDurable(self._client, log, name)

    async def _publish(self, log: str, stream: str, data: bytes, *, fence: int, types: str) -> _PubAck:
        headers = {
            "Nats-Expected-Stream": log,
            "Nats-Expected-Last-Subject-Sequence": str(fence),
            "Nats-Msg-Id": sha256(data).hexdigest(),
        }
        if types:
            headers["Feltlog-Events"] = types
        headers |= telemetry.outgoing()
        try:
            message = await self._client.request(stream, data, timeout=self._append_s, headers=headers)
        except nats.errors.NoRespondersError as error:
            # Nobody listens on the subject: either there is no such log, or JetStream is still waking up.
            await self.end(log)
            raise StoreUnavailable(f"{log} exists, but does not answer yet") from error
        except nats.errors.Error as error:
            raise StoreUnavailable(f"the append to {stream} was not confirmed: {type(error).__name__}") from error
        return msgspec.json.decode(message.data, type=_PubAck)

    async def _place(self, stream: str, data: bytes, fence: int, last: Stored | None) -> int | None:
        """Return where `data` stands on `stream`: `last`, or deeper if others have appended on top of it."""
        if last is None:
            return None
        if last.data == data:
            return last.sequence
        async for stored in self.read(log_of(stream), pattern=stream, after=fence):
            if stored.data == data:
                return stored.sequence
        return None

    async def _last(self, log: str, pattern: str) -> Stored | None:
        answer = await api.ask(self._client, f"STREAM.MSG.GET.{log}", {"last_by_subj": pattern}, _Got)
        if isinstance(answer, _Got):
            found = answer.message
            claimed = api.header(found.hdrs, "Nats-Msg-Id")
            at_ms = api.milliseconds(found.time)
            return Stored(log=log, stream=found.subject, sequence=found.seq, stored_at_ms=at_ms, data=found.data, claimed=claimed)
        if answer.err_code == api.MESSAGE_NOT_FOUND:
            return None
        raise _unread(log, answer)

    async def _list(self, service: str | None) -> list[_Info]:
        prefix = f"LOG_{service.upper()}_" if service else "LOG_"
        seen = 0
        found: list[_Info] = []
        while True:
            page = await api.ask(self._client, "STREAM.LIST", {"offset": seen}, _Page)
            if isinstance(page, api.Refusal):
                raise StoreUnavailable(f"NATS did not list its streams: {page.description}")
            streams = page.streams or []
            found += [info for info in streams if info.config.name.startswith(prefix)]
            seen += len(streams)
            if not streams or seen >= page.total:
                return found

    @contextlib.asynccontextmanager
    async def _inbox(self) -> AsyncIterator[tuple[str, asyncio.Queue[Msg]]]:
        arrived: asyncio.Queue[Msg] = asyncio.Queue()
        inbox = self._client.new_inbox()

        async def arrive(message: Msg) -> None:
            arrived.put_nowait(message)

        try:
            subscription = await self._client.subscribe(inbox, cb=arrive)
        except nats.errors.Error as error:
            raise StoreUnavailable(f"NATS is away: {type(error).__name__}") from error
        try:
            yield inbox, arrived
        finally:
            with contextlib.suppress(nats.errors.Error):
                await subscription.unsubscribe()

    async def _batch(self, log: str, wanted: str, after: int, inbox: str, arrived: asyncio.Queue[Msg]) -> AsyncIterator[Stored]:
        """Yield up to `READ_BATCH` entries behind `after`: a direct get, which leaves nothing on the server to clean up."""
        request = {"seq": after + 1, "next_by_subj": wanted, "batch": READ_BATCH, "max_bytes": READ_BATCH_BYTES}
        try:
            await self._client.publish(f"$JS.API.DIRECT.GET.{log}", msgspec.json.encode(request), reply=inbox)
            while True:
                async with asyncio.timeout(api.ANSWER_S):
                    message = await arrived.get()
                headers = message.headers or {}
                if "Status" in headers:
                    return
                yield Stored(
                    log=log,
                    stream=headers["Nats-Subject"],
                    sequence=int(headers["Nats-Sequence"]),
                    stored_at_ms=api.milliseconds(headers["Nats-Time-Stamp"]),
                    data=message.data,
                    claimed=headers.get("Nats-Msg-Id", ""),
                )
        except (nats.errors.Error, TimeoutError) as error:
            raise StoreUnavailable(f"reading {log} was interrupted: {type(error).__name__}") from error


def _refused(log: str, refusal: api.Refusal) -> StoreRefusal | None:
    """Return the error for a refusal that is sure to have stored nothing, None for one that proves nothing."""
    if refusal.err_code == api.STREAM_SEALED:
        return DayClosed(log, "it is sealed")
    if refusal.err_code == api.STORE_FAILED and refusal.description.startswith("maximum"):
        return LogFull(log)
    if refusal.err_code in api.RESOURCES_EXCEEDED:
        return LogFull(log)
    if refusal.code < 500:
        return LogMisconfigured(f"{log} refuses entries: {refusal.description} ({refusal.err_code})")
    return None


def _unread(log: str, refusal: api.Refusal) -> StoreRefusal:
    """Return the error for a question about `log` that the server refused."""
    if refusal.err_code == api.STREAM_NOT_FOUND:
        return DayClosed(log, "there is no such log")
    return StoreUnavailable(f"{log} cannot be read: {refusal.description} ({refusal.err_code})")

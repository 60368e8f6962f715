"""JetStream's own language: one request, one decoded answer, and the server's refusals as values.

Spoken directly instead of through nats-py's manager: answers are typed, numbers stay exact, and the few error codes that
decide between "stored", "not stored" and "who knows" are named in one place.
"""

from datetime import datetime
from typing import Any, TypeVar

import msgspec
import nats.errors
from nats.aio.client import Client

from shared.runtime.event_store import StoreUnavailable

ANSWER_S = 2.0

WRONG_LAST_SEQUENCE = frozenset({10071, 10164})
STREAM_NOT_FOUND = 10059
CONSUMER_NOT_FOUND = 10014
MESSAGE_NOT_FOUND = 10037
STREAM_SEALED = 10109
STORE_FAILED = 10077
RESOURCES_EXCEEDED = frozenset({10023, 10028, 10047})

Answer = TypeVar("Answer")


class Refusal(msgspec.Struct, frozen=True):
    """Why the server did not do it."""

    code: int
    err_code: int = 0
    description: str = ""


class _Envelope(msgspec.Struct):
    error: Refusal | None = None


async def ask(client: Client, subject: str, body: Any, answer: type[Answer]) -> Answer | Refusal:
    """Return the server's answer to `body` at `$JS.API.<subject>`; raise `StoreUnavailable` if there is none in time."""
    payload = b"" if body is None else msgspec.json.encode(body)
    try:
        message = await client.request(f"$JS.API.{subject}", payload, timeout=ANSWER_S)
    except nats.errors.Error as error:
        raise StoreUnavailable(f"NATS did not answer {subject}: {type(error).__name__}") from error
    refusal = msgspec.json.decode(message.data, type=_Envelope).error
    return msgspec.json.decode(message.data, type=answer) if refusal is None else refusal


def milliseconds(timestamp: str) -> int:
    """Return the server's RFC 3339 time in whole milliseconds since 1970, cut off, not rounded.

    >>> milliseconds("2026-11-30T09:32:36.175996539Z")
    1796031156175
    """
    whole, _, fraction = timestamp.removesuffix("Z").partition(".")
    return int(datetime.fromisoformat(whole + "+00:00").timestamp()) * 1000 + int(fraction[:3].ljust(3, "0"))


def header(block: bytes, name: str) -> str:
    """Return the header `name` of a stored message's header block, empty if it is not there.

    >>> header(b"NATS/1.0\\r\\nNats-Msg-Id: 5feb\\r\\nFeltlog-Events: a\\r\\n\\r\\n", "Nats-Msg-Id")
    '5feb'
    """
    lines = block.decode(errors="replace").split("\r\n")
    return next((line.partition(":")[2].strip() for line in lines if line.partition(":")[0] == name), "")

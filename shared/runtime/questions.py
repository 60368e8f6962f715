"""Questions: what may be asked of a service, answered at the edge by FastStream.

Nothing rests on an answer, so convenience may cost a little here, on a connection of its own beside the command path.
Bodies are passed through raw and decoding is ours: a body that cannot be read must never block what comes after it.
"""

import contextlib
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from faststream.nats import NatsBroker, NatsMessage
from faststream.nats.security import NatsNKey
from nats.errors import Error as NatsError

from shared.contracts.subjects import Addressed, BadSubject, addressed, is_inbox_of
from shared.runtime.connection import Endpoint


async def _untouched(message: NatsMessage) -> NatsMessage:
    return message


def questions(endpoint: Endpoint, service: str, answer: Callable[[Addressed], Awaitable[Any]]) -> NatsBroker:
    """Return a broker, not yet started, that answers `query.<service>.>` with JSON."""
    broker = NatsBroker(
        endpoint.url,
        name=f"{service} questions",
        security=NatsNKey(endpoint.credentials) if endpoint.credentials else None,
        inbox_prefix=endpoint.inbox_prefix,
        max_reconnect_attempts=-1,
        reconnect_time_wait=1,
        ping_interval=5,
        apply_types=False,
        decoder=_untouched,
        logger=None,
        graceful_timeout=1.0,
    )

    @broker.subscriber(f"query.{service}.>", no_reply=True)
    async def hear(message: NatsMessage) -> None:
        raw = message.raw_message
        if not is_inbox_of(raw.subject.rpartition(".")[2], raw.reply):
            return
        try:
            told = msgspec.json.encode(await answer(addressed(raw.subject)))
        except BadSubject as error:
            told = msgspec.json.encode({"error": str(error)})
        with contextlib.suppress(NatsError, OSError):
            await raw.respond(told)

    return broker

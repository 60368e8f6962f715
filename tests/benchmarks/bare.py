"""The peer of `append` and `command`: nats-py alone, as people use it who keep two writers apart."""

from hashlib import sha256

from nats.js import JetStreamContext


async def publish(jetstream: JetStreamContext, log: str, stream: str, data: bytes, *, fence: int, types: str) -> int:
    """Append an entry behind `fence`, with the headers that the house gives it, and return its sequence."""
    headers = {
        "Nats-Expected-Stream": log,
        "Nats-Expected-Last-Subject-Sequence": str(fence),
        "Nats-Msg-Id": sha256(data).hexdigest(),
        "Feltlog-Events": types,
    }
    return (await jetstream.publish(stream, data, headers=headers)).seq

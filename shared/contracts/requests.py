"""Requests: how players and staff ask, and how they are answered.

A request goes to `cmd.<service>.<role>.<target>.<actor>`; the answer is an `Answer`.  Who asks stands in the subject, where
the server's permissions hold on to it, and nowhere else.
"""

from typing import Any, Generic, TypeVar

import msgspec

from shared.kernel.messages import Answer

C = TypeVar("C")


class Request(msgspec.Struct, Generic[C], frozen=True, kw_only=True):
    """A command with an id that the asker chose: the same id is answered the same, however often it is sent."""

    id: str
    command: C


def encode_request(id: str, command: Any) -> bytes:
    """Return the body of a request."""
    return msgspec.json.encode(Request(id=id, command=command))


def decode_answer(data: bytes) -> Answer:
    """Return the answer that a reply holds."""
    return msgspec.json.decode(data, type=Answer)

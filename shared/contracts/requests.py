"""Requests: how players and staff ask, and how they are answered.

A request goes to `cmd.<service>.<role>.<target>.<actor>`; the answer is an `Answer`.  Who asks stands in the subject, where
the server's permissions hold on to it, and nowhere else.
"""

from functools import cache
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from shared.kernel.identity import ID_LENGTH_MAX
from shared.kernel.messages import Answer

C = TypeVar("C")


class BadRequest(ValueError):
    """Bytes that are not a request that may be made here."""


class Request(msgspec.Struct, Generic[C], frozen=True, kw_only=True):
    """A command with an id that the asker chose: the same id is answered the same, however often it is sent."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=ID_LENGTH_MAX)]
    command: C


def encode_request(id: str, command: Any) -> bytes:
    """Return the body of a request."""
    return msgspec.json.encode(Request(id=id, command=command))


def decode_request(data: bytes, commands: Any) -> Request[Any]:
    """Return the request for one of `commands` (a union) that `data` holds; raise `BadRequest` if it holds none."""
    try:
        return _decoder(commands).decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadRequest(str(error)) from error


def decode_answer(data: bytes) -> Answer:
    """Return the answer that a reply holds."""
    return msgspec.json.decode(data, type=Answer)


@cache
def _decoder(commands: Any) -> msgspec.json.Decoder[Request[Any]]:
    return msgspec.json.Decoder(Request[commands])

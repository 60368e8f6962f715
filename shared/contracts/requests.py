"""Requests: how players and staff ask, and how they are answered.

A request goes to `cmd.<service>.<role>.<target>.<actor>`; the answer is an `Answer`.  Who asks stands in the subject, where
the server's permissions hold on to it, and nowhere else.
"""

from typing import Annotated, Any, Generic, TypeVar

import msgspec

from shared.kernel.decoders import Decoder, made_once
from shared.kernel.identity import ASKED_ID
from shared.kernel.messages import Answer

REQUEST_BYTES_MAX = 8 * 1024
"""Far more than any request needs; what is written down of one must leave room in an entry for all that follows from it."""

C = TypeVar("C")

AskedId = Annotated[str, msgspec.Meta(pattern=ASKED_ID, description="64 printable ASCII characters at most, not beginning with 'house.'")]


class BadRequest(ValueError):
    """Bytes that are no request; the sentence says why."""


class Request(msgspec.Struct, Generic[C], frozen=True, kw_only=True):
    """A command with an id that the asker chose: the same id is answered the same, however often it is sent."""

    id: AskedId
    command: C


def encode_request(id: str, command: Any) -> bytes:
    """Return the body of a request."""
    return msgspec.json.encode(Request(id=id, command=command))


@made_once
def _decoder(command_type: Any) -> Decoder:
    return msgspec.json.Decoder(Request[command_type])


def decode_request(data: bytes, command_type: Any) -> Request[Any]:
    """Return the request that `data` holds, with a command of the given union; raise `BadRequest` for anything else."""
    if len(data) > REQUEST_BYTES_MAX:
        raise BadRequest(f"{len(data)} bytes are more than the {REQUEST_BYTES_MAX} that a request may have")
    try:
        request: Request[Any] = _decoder(command_type).decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadRequest(str(error)) from error
    return request


def decode_answer(data: bytes) -> Answer:
    """Return the answer that a reply holds."""
    return msgspec.json.decode(data, type=Answer)

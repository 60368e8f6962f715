"""A cluster refuses what it has under way already; that is no answer about who wrote what."""

import base64
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from shared.runtime.event_store import Appended, Conflict, Unknown
from shared.runtime.jetstream_store import JetStreamStore

STREAM = "log.table.20261130.T1.table"


@dataclass
class Heard:
    """A message with an answer."""

    data: bytes


class UnderWay:
    """A server that refuses every append as being behind another entry, and holds what is given as `last`."""

    def __init__(self, last: tuple[int, bytes] | None) -> None:
        self._last = last

    async def request(self, subject: str, payload: bytes = b"", **_: Any) -> Heard:
        """Answer an append, and a question for the last entry."""
        if subject == STREAM:
            return Heard(msgspec.json.encode({"error": {"code": 400, "err_code": 10071, "description": "wrong last sequence"}}))
        if self._last is None:
            return Heard(msgspec.json.encode({"error": {"code": 404, "err_code": 10037, "description": "no message found"}}))
        sequence, data = self._last
        message = {"subject": STREAM, "seq": sequence, "data": base64.b64encode(data).decode(), "time": "2026-11-30T12:00:00Z"}
        return Heard(msgspec.json.encode({"message": message}))


@pytest.mark.parametrize(
    ("last", "fence", "answer"),
    [
        ((11, b"before"), 11, Unknown),
        (None, 0, Unknown),
        ((11, b"before"), 12, Conflict),
        (None, 3, Conflict),
        ((12, b"mine"), 11, Appended),
    ],
)
async def test_only_another_entry_behind_the_fence_is_a_conflict(last: tuple[int, bytes] | None, fence: int, answer: type):
    """Where nothing stands behind it yet, the entry that is under way may be this very one."""
    store = JetStreamStore(UnderWay(last))  # type: ignore[arg-type]

    given = await store.append(STREAM, b"mine", fence=fence)

    assert type(given) is answer

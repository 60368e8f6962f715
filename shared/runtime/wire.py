"""The wire: what comes over a connection is not trusted, also where the client library trusts it.

Tried on nats-py 2.16: a header block that is shorter than its first line, or a subject that is not UTF-8, ends the task
that reads the connection, and nothing is heard until pings have gone unanswered for ten seconds; a vertical tab in the
address of the reply passes the server and ends the connection.  Either is one message of any player.  So tokens end
where the server ends them, and a message that cannot be read is dropped alone.

And it looks at every letter of every header's name by itself, which took a sixth of a service's time: the same is asked of
the whole name at once.

Nobody is heard more often in a second than a service can bear.  It stands here because here it costs the least: what
is not heard costs no task, no decoding and no answer, and whoever gets no answer asks again with the same id.
"""

import re
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from nats.aio.client import Client
from nats.protocol import parser

TOKEN = rb"([^ \t\r\n]+)"
GAP = rb"[ \t]+"

HEARD_PER_S_MAX = 500
"""How often each user is heard in a second, by each process: no person comes near, and a service bears many such users."""

_process_message: Any = Client._process_msg
library_parse_headers: Callable[[bytes], dict[str, str]] = Client._parse_header_lines
"""What `parse_headers` stands in for."""


def distrust() -> None:
    """Let no message end the reading of a connection of this process; doing it twice changes nothing."""
    begin = GAP + TOKEN + GAP + TOKEN + GAP + rb"(" + TOKEN + GAP + rb")?"
    parser.MSG_RE = re.compile(rb"\AMSG" + begin + rb"(\d+)\r\n")
    parser.HMSG_RE = re.compile(rb"\AHMSG" + begin + rb"(\d+)" + GAP + rb"(\d+)\r\n")
    Client._process_msg = _drop_unreadable  # type: ignore[method-assign, assignment]
    Client._parse_header_lines = staticmethod(parse_headers)  # type: ignore[method-assign]


def parse_headers(raw: bytes) -> dict[str, str]:
    """Return the headers of a block as nats-py does: a line whose name is none is left out, bytes that are no text are replaced."""
    found: dict[str, str] = {}
    for line in raw.split(b"\r\n"):
        name, colon, value = line.partition(b":")
        name = name.strip()
        if not (colon and name.isascii()):
            continue
        key = name.decode()
        if not key or key.split() == [key]:
            found[key] = value.strip().decode("utf-8", "replace")
    return found


class Pace:
    """How often each user was heard in the second that it is now."""

    def __init__(self) -> None:
        self._second = 0
        self._heard: Counter[bytes] = Counter()

    def allows(self, subject: bytes, now_s: int) -> bool:
        """Return whether the sender of a request to `subject` is still heard in this second."""
        if now_s != self._second:
            self._second = now_s
            self._heard.clear()
        user = subject.rpartition(b".")[2]
        self._heard[user] += 1
        return self._heard[user] <= HEARD_PER_S_MAX


_pace = Pace()


async def _drop_unreadable(client: Client, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
    if subject.startswith((b"cmd.", b"query.")) and not _pace.allows(subject, int(time.monotonic())):
        return
    try:
        await _process_message(client, sid, subject, reply, data, headers)
    except (LookupError, ValueError):
        # Not a word in the log: whoever sends such things sends many, and logs fill disks.
        return

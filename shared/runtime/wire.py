"""The wire: what comes over a connection is not trusted, also where the client library trusts it.

Tried on nats-py 2.16: a header block that is shorter than its first line, or a subject that is not UTF-8, ends the task
that reads the connection, and nothing is heard until pings have gone unanswered for ten seconds; a vertical tab in the
address of the reply passes the server and ends the connection.  Either is one message of any player.  So tokens end
where the server ends them, and a message that cannot be read is dropped alone.
"""

import re
from typing import Any

from nats.aio.client import Client
from nats.protocol import parser

TOKEN = rb"([^ \t\r\n]+)"
GAP = rb"[ \t]+"

_process_message: Any = Client._process_msg


def distrust() -> None:
    """Let no message end the reading of a connection of this process; doing it twice changes nothing."""
    begin = GAP + TOKEN + GAP + TOKEN + GAP + rb"(" + TOKEN + GAP + rb")?"
    parser.MSG_RE = re.compile(rb"\AMSG" + begin + rb"(\d+)\r\n")
    parser.HMSG_RE = re.compile(rb"\AHMSG" + begin + rb"(\d+)" + GAP + rb"(\d+)\r\n")
    Client._process_msg = _drop_unreadable  # type: ignore[method-assign, assignment]


async def _drop_unreadable(client: Client, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
    try:
        await _process_message(client, sid, subject, reply, data, headers)
    except (LookupError, ValueError):
        # Not a word in the log: whoever sends such things sends many, and logs fill disks.
        return

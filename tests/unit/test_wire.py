"""The wire: whatever one message is like, the next one is heard."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from shared.runtime.wire import HEARD_PER_S_MAX, Pace, distrust, library_parse_headers, parse_headers

NEXT = b"MSG cmd.table.player.T7.ann 1 _INBOX.ann.x 2\r\n{}\r\n"


def with_header(block: bytes) -> bytes:
    """Return a message on the wire with this header block."""
    return b"HMSG cmd.table.player.T7.ann 1 _INBOX.ann.x %d %d\r\n" % (len(block), len(block) + 2) + block + b"{}\r\n"


async def heard(on_the_wire: bytes) -> list[Msg]:
    """Return the messages that a connection reads."""
    distrust()
    client = Client()
    subscription = Subscription(client, 1, "cmd.table.>")
    subscription._pending_queue = asyncio.Queue()
    client._subs[1] = subscription

    async def ignore(error: Exception) -> None:
        return

    client._error_cb = ignore
    await client._ps.parse(on_the_wire)
    return [subscription._pending_queue.get_nowait() for _ in range(subscription._pending_queue.qsize())]


@pytest.mark.parametrize(
    "hostile",
    [
        with_header(b"x"),
        with_header(b"NATS/1.0"),
        with_header(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        with_header(b"NATS/1.0 \xff\xff\xff\r\n\r\n"),
        with_header(b"NATS/1.0 200 \xff\xff\xff\r\n\r\n"),
        with_header(b"NATS/1.0\r\n\xff: \xff\r\n\r\n"),
        b"MSG cmd.table.player.\xff.ann 1 _INBOX.ann.x 2\r\n{}\r\n",
        b"MSG cmd.table.player.T7.ann 1 _INBOX.ann.\xff 2\r\n{}\r\n",
        b"MSG cmd.table.player.\x0b.ann 1 _INBOX.ann.x 2\r\n{}\r\n",
        b"MSG cmd.table.player.T7.ann 1 _INBOX.ann.\x0b 2\r\n{}\r\n",
        b"MSG cmd.table.player.T7.ann 1 _INBOX.ann.\x0c7 2\r\n{}\r\n",
        b"MSG cmd.table.player.T7.ann 1 \x0b 2\r\n{}\r\n",
    ],
)
async def test_message_that_cannot_be_read_is_dropped_alone(hostile: bytes):
    """A broken header block, bytes that are no text, blanks that the server does not know: the next message is heard."""
    last = (await heard(hostile + NEXT))[-1]

    assert (last.subject, last.reply, last.data) == ("cmd.table.player.T7.ann", "_INBOX.ann.x", b"{}")


async def test_message_is_heard_as_it_was_sent():
    """Messages with a header, without one, without a reply, and of other lengths."""
    headed = with_header(b"NATS/1.0\r\nFeltlog-Events: a\r\n\r\n")
    plain = await heard(NEXT + headed + b"MSG a 1 0\r\n\r\n")

    assert [(message.subject, message.reply, message.data, message.headers) for message in plain] == [
        ("cmd.table.player.T7.ann", "_INBOX.ann.x", b"{}", None),
        ("cmd.table.player.T7.ann", "_INBOX.ann.x", b"{}", {"Feltlog-Events": "a"}),
        ("a", "", b"", None),
    ]


def test_each_user_is_heard_so_often_in_a_second():
    """Whoever floods is heard as often as everybody may be; others are heard, and so is the flooder a second later."""
    pace = Pace()
    flood = [pace.allows(b"cmd.table.player.T7.ann", 7) for _ in range(3 * HEARD_PER_S_MAX)]

    assert (sum(flood), pace.allows(b"cmd.table.player.T7.bob", 7), pace.allows(b"query.table.player.T7.ann", 8)) == (
        HEARD_PER_S_MAX,
        True,
        True,
    )


HEADER_BYTES = st.binary(max_size=40) | st.text("ab:\r\n\t\x0b\x1c -é", max_size=40).map(str.encode)


@given(st.lists(HEADER_BYTES, max_size=6).map(b"\r\n".join))
def test_headers_are_read_as_the_library_reads_them(raw):
    """What is faster says the same, whatever the bytes are."""
    assert parse_headers(raw) == library_parse_headers(raw)

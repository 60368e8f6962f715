"""Requests: whatever bytes a player sends, they are a request or they are not."""

import pytest

from shared.contracts.requests import BadRequest, decode_request, encode_request
from shared.contracts.table import CallRound, Hit, PlayerCommand
from shared.kernel.identity import ID_LENGTH_MAX

HIT = Hit(round="T7.20261130-000001", box=1, hand=1)
DEEP = b"[" * 100_000 + b"]" * 100_000


def test_request_comes_back_as_it_was_sent():
    """Log page, ids: the command and the id that the asker chose."""
    request = decode_request(encode_request("a" * ID_LENGTH_MAX, HIT), PlayerCommand)

    assert (request.id, request.command) == ("a" * ID_LENGTH_MAX, HIT)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hit",
        b"\xff",
        b"[]",
        encode_request("", HIT),
        encode_request("a" * (ID_LENGTH_MAX + 1), HIT),
        encode_request("mine", CallRound()),
        b'{"id":"mine","command":{"type":"table.Hit.v1","round":"r","box":1,"hand":1},"more":' + DEEP + b"}",
        b'{"id":"mine","command":{"more":' + DEEP + b',"type":"table.Hit.v1","round":"r","box":1,"hand":1}}',
    ],
)
def test_anything_else_is_no_request(data: bytes):
    """Of another kind, without an id or with an endless one, or nested so deep that reading it is no recursion's work."""
    with pytest.raises(BadRequest):
        decode_request(data, PlayerCommand)

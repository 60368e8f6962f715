"""Requests: what cannot be one is told so, and nothing that somebody outside may write is taken for the house's own word."""

import json
from typing import Any

import pytest

from shared.contracts.requests import REQUEST_BYTES_MAX, BadRequest, decode_request, encode_request
from shared.contracts.rounds import PlayerCommand
from shared.contracts.wagers import CloseBetting, PlaceWager
from shared.kernel.reactions import Timer

ROUND = "T7.20261130-000001"
WAGER = PlaceWager(round=ROUND, box=1, stake_minor=500)


def request(id: Any = "a", more: str = "") -> bytes:
    """Return a request's bytes, with more written into it."""
    command = '{"type": "table.PlaceWager.v1", "round": "T7.20261130-000001", "box": 1, "stake_minor": 500}'
    return f'{{"id": {json.dumps(id)}, "command": {command}{more}}}'.encode()


@pytest.mark.parametrize("id", ["a", "A-z_0", "a b", "bank:7/2.1", "a" * 64])
def test_asker_chooses_an_id(id: str):
    """An id is up to 64 printable characters, such as a reference of a bank."""
    read = decode_request(encode_request(id, WAGER), PlayerCommand)

    assert (read.id, read.command) == (id, WAGER)


@pytest.mark.parametrize("id", ["", "a" * 65, "a\n", "é", "\x00", "house.a", 1, None, ["a"]])
def test_id_of_another_shape_is_refused(id: Any):
    """What an id may not be: it is written into the log, beside every other."""
    with pytest.raises(BadRequest):
        decode_request(request(id), PlayerCommand)


def test_no_request_carries_an_id_of_the_house():
    """Everybody can work out the id of the house's next timer: whoever used it up could keep betting open for ever."""
    id = Timer(1, CloseBetting(), "close-betting").id_for("log.table.20261130.T7.round.000001")

    with pytest.raises(BadRequest):
        decode_request(request(id), PlayerCommand)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"{}",
        b"\xff\xfe",
        request() + request(),
        request(more=', "x": ' + "[" * 2_000 + "]" * 2_000),
        request(more=', "x": "' + "x" * REQUEST_BYTES_MAX + '"'),
        request().replace(b"500", b"5e2"),
        request().replace(b"500", b"NaN"),
        request().replace(b"500", b"true"),
        request().replace(b"500", b'"500"'),
        request().replace(b"500", b"1" + b"0" * 5_000),
        request().replace(b"PlaceWager", b"AcceptWager"),
    ],
)
def test_bytes_that_are_no_request_are_refused(data: bytes):
    """Whatever comes over the wire is either a request or told that it is none."""
    with pytest.raises(BadRequest):
        decode_request(data, PlayerCommand)

"""A hostile player: somebody who holds a player's key, knows the source by heart, and sends what no client would."""

import json

import pytest

from shared.contracts.subjects import round_name
from shared.contracts.table import CloseBetting, PlaceWager
from shared.kernel.reactions import Timer
from tests.integration.busy_house import BusyHouse, at_bets

NESTED = b'{"id": "a", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
LONG = b'{"id": "' + b"a" * 900_000 + b'"}'


@pytest.mark.parametrize("service", ["table", "wallet", "shoe", "surveillance"])
async def test_bytes_that_are_no_request_end_no_process(house: BusyHouse, service: str):
    """Deep nesting, no JSON at all, nearly a megabyte: each is refused, by the process that was there before."""
    before = house.machine.pid(service)
    async with house.voice("eve", service, "T1") as eve:
        answers = [await eve.blurt(data) for data in (b"", b"\xff", b"null", NESTED, LONG)]

    assert ({answer.status for answer in answers}, house.machine.pid(service)) == ({"refused"}, before)


async def test_no_wager_takes_the_id_of_a_timer(house: BusyHouse):
    """Whose round is open until its betting is closed cannot keep it open by being the first to say what the clock will say."""
    async with house.evening("T1") as play, house.seat("cyd") as cyd, house.voice("cyd", "table", "T2") as voice:
        felt = await at_bets(cyd)
        id = Timer(0, CloseBetting(), "close-betting").id_for(round_name(felt.round).stream)
        wager = {"type": "table.PlaceWager.v1", "round": felt.round, "box": 3, "stake_minor": 20_00}
        stolen = await voice.blurt(json.dumps({"id": id, "command": wager}).encode())
        allowed = await voice.final("own", PlaceWager(round=felt.round, box=3, stake_minor=20_00))
        await play.more_rounds(1)
        later = await at_bets(cyd)

    assert (stolen.code, allowed.status, later.round > felt.round) == ("bad_request", "accepted", True)

"""Processes that hang and go on: a person's clock never ran while the house could not hear, whichever of its parts hung."""

import asyncio
import signal

import pytest

from feltlog.evening import Seat
from services.table.views import Felt
from shared.runtime.tasks import end_all
from tests.integration.busy_house import BusyHouse, account_of, at_turn, findings, stand

PAUSE_S = 7.0
"""Longer than a player may think."""
SOON_S = 1.5
"""How long a hand may wait for its turn at the other table, so that it has time left to think."""


@pytest.mark.parametrize("name", ["nats-server", "table"])
async def test_nobody_is_timed_out_by_a_process_that_hangs(house: BusyHouse, name: str):
    """Who spoke while it hung is heard, and who could not speak is given the whole time again."""
    async with house.pit() as pit, house.seat("ann") as ann, house.seat("cyd") as cyd:
        await house.open_tables()
        hers, his = await both_at_turn(ann, cyd)
        house.signal(name, signal.SIGSTOP)
        speaking = asyncio.create_task(ann.client.ask("table", "T1", stand(hers)))
        await asyncio.sleep(PAUSE_S)
        house.signal(name, signal.SIGCONT)
        spoke = await speaking
        speaks_afterwards = await cyd.client.ask("table", "T2", stand(his))
        await house.close_tables(pit)
    async with house.logs() as store:
        account, found = await account_of(store), await findings(store)

    assert (spoke.code, speaks_afterwards.code, account.wrong, found) == ("", "", {}, [])


async def both_at_turn(*seats: Seat) -> list[Felt]:
    """Return the felts of both tables while it is both players' turn; a hand that would wait too long for the other stands."""
    while True:
        turns = [asyncio.create_task(at_turn(seat)) for seat in seats]
        await asyncio.wait(turns, return_when=asyncio.FIRST_COMPLETED)
        _, waiting = await asyncio.wait(turns, timeout=SOON_S)
        if not waiting:
            return [turn.result() for turn in turns]
        for seat, turn in zip(seats, turns, strict=True):
            if turn not in waiting:
                await seat.client.ask("table", seat.style.table, stand(turn.result()))
        await end_all(waiting)

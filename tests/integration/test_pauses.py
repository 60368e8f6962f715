"""Processes that hang and go on: a person's clock never ran while the house could not hear, whichever of its parts hung."""

import asyncio
import signal

import pytest

from tests.integration.busy_house import BusyHouse, at_turn, stand
from tests.integration.evidence import account_of, findings

PAUSE_S = 7.0
"""Longer than a player may think."""


@pytest.mark.parametrize("name", ["nats-server", "table"])
async def test_nobody_is_timed_out_by_a_process_that_hangs(house: BusyHouse, name: str):
    """Who spoke while it hung is heard, and who could not speak is given the whole time again."""
    async with house.pit() as pit, house.seat("ann") as ann, house.seat("cyd") as cyd:
        await house.open_tables()
        hers = await at_turn(ann)
        house.signal(name, signal.SIGSTOP)
        speaking = asyncio.create_task(ann.client.ask("table", "T1", stand(hers)))
        await asyncio.sleep(PAUSE_S)
        house.signal(name, signal.SIGCONT)
        spoke = await speaking
        his = await at_turn(cyd)
        house.signal(name, signal.SIGSTOP)
        await asyncio.sleep(PAUSE_S)
        house.signal(name, signal.SIGCONT)
        speaks_afterwards = await cyd.client.ask("table", "T2", stand(his))
        await house.close_tables(pit)
    async with house.logs() as store:
        account, found = await account_of(store), await findings(store)

    assert (spoke.code, speaks_afterwards.code, account.wrong, found) == ("", "", {}, [])

"""Crashes in the middle of rounds: whoever dies, every round ends, the money is all there, and nobody's time runs out."""

import asyncio
import random

import pytest

from tests.integration.busy_house import BusyHouse
from tests.integration.evidence import account_of, findings

KILLS = 3
SERVICES = ("shoe", "wallet", "table", "surveillance")


@pytest.mark.parametrize("name", ["shoe", "wallet", "table", "surveillance", "nats-server"])
async def test_kill_in_the_middle_of_rounds_costs_nobody_anything(house: BusyHouse, name: str):
    """`kill -9`, again and again: every round ends, nothing is settled or dealt twice, nobody is timed out by it."""
    chance = random.Random(f"kill {name}")
    async with house.evening() as play:
        for _ in range(KILLS):
            await asyncio.sleep(chance.uniform(0.2, 1.5))
            await house.kill(name)
        await play.more_rounds()
    async with house.logs() as store:
        account, found = await account_of(store), await findings(store)

    assert (account.wrong, found, play.refusals["too_late"]) == ({}, [], 0)


async def test_services_outlive_their_server(house: BusyHouse):
    """A server that dies takes no service with it: they wait for it and go on."""
    before = {name: house.machine.pid(name) for name in SERVICES}
    async with house.evening() as play:
        await play.more_rounds(1)
        await house.restart("nats-server")
        await play.more_rounds()

    assert {name: house.machine.pid(name) for name in SERVICES} == before

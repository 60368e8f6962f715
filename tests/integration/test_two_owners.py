"""Two processes with the same credentials and the same streams: one steps down, and the log has no fork."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from shared.runtime.service import STEPPED_DOWN
from tests.integration.busy_house import BusyHouse
from tests.integration.evidence import account_of, findings
from tests.integration.patience import until


@asynccontextmanager
async def usurped(house: BusyHouse, name: str, *others: subprocess.Popen[bytes]) -> AsyncIterator[None]:
    """End the other processes afterwards, and let the machine's own take over again."""
    try:
        yield
    finally:
        for other in others:
            other.terminate()
        await asyncio.gather(*(asyncio.to_thread(other.wait, 20) for other in others))
        await house.start_process(name)


@pytest.mark.parametrize("name", ["table", "wallet", "shoe"])
async def test_second_owner_takes_over_and_the_first_steps_down(house: BusyHouse, name: str):
    """The newer process goes on with the same streams; the older one sees it at its next entry and ends with status 3."""
    async with house.evening() as play:
        await play.more_rounds(1)
        other = house.another(name)
        async with usurped(house, name, other):

            async def stepped_down() -> bool:
                assert other.poll() is None, "the newer process stays"
                return house.machine.state(name) == "stepped down"

            await until(stepped_down, f"the first {name} steps down")
            await play.more_rounds()
        await play.more_rounds(1)
    async with house.logs() as store:
        account, found = await account_of(store), await findings(store)

    assert (account.wrong, found, play.refusals["too_late"]) == ({}, [], 0)


@pytest.mark.parametrize("name", ["table", "wallet", "shoe"])
async def test_of_two_owners_that_start_together_one_steps_down(house: BusyHouse, name: str):
    """They take the same epoch, and still only one of them goes on."""
    async with house.evening() as play:
        await play.more_rounds(1)
        await house.stop_process(name)
        twins = (house.another(name), house.another(name))
        async with usurped(house, name, *twins):

            async def one_left() -> bool:
                return sorted(twin.poll() is None for twin in twins) == [False, True]

            await until(one_left, f"one {name} steps down")
            await play.more_rounds()
            status = next(twin.returncode for twin in twins if twin.returncode is not None)
        await play.more_rounds(1)
    async with house.logs() as store:
        account, found = await account_of(store), await findings(store)

    assert (status, account.wrong, found, play.refusals["too_late"]) == (STEPPED_DOWN, {}, [], 0)

"""A disk that is full: nobody is told a lie, somebody is told the truth, and when there is room everything goes on."""

import asyncio
import resource

from tests.integration.busy_house import BusyHouse
from tests.integration.evidence import account_of, findings
from tests.integration.patience import until


async def test_play_goes_on_when_the_disk_has_room_again(house: BusyHouse):
    """The server cannot write, and would not for the rest of its life: it is alarmed, the server starts again, and rounds end."""
    async with house.evening() as play:
        await play.more_rounds(1)
        pid = house.machine.pid("nats-server")
        assert pid is not None
        # What a process may write into a file is the same to it as what the disk has room for.
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (8_192, 8_192))
        await house.hears_alarm("cannot_store")

        async def is_mended() -> bool:
            return await asyncio.to_thread(house.machine.mend_server)

        await until(is_mended, "the server is started again")
        await play.more_rounds()
    async with house.logs() as store:
        account, found = await account_of(store), await findings(store)

    assert (account.wrong, found, play.refusals["too_late"]) == ({}, [], 0)

"""A log that takes no more: nobody is told a lie, nothing is half written, and everything goes on when there is room again."""

from typing import Any

import msgspec
import pytest

from shared.contracts.cage import Deposit
from shared.runtime import jetstream_api as api
from shared.runtime.connection import Endpoint, connect
from tests.integration.busy_house import BusyHouse
from tests.integration.evidence import account_of, findings
from tests.integration.patience import until

ROOM_BYTES = 3_000
"""What a log may still take: a few entries."""


class _Log(msgspec.Struct):
    config: dict[str, Any]
    state: dict[str, Any]


async def leave_room(house: BusyHouse, log: str) -> None:
    """Lower a log's size limit so far that it will soon be full, as an operator may have set it at its making."""
    client = await connect(Endpoint(url=house.machine.url, credentials=house.machine.credentials("provisioner")))
    try:
        found = await api.ask(client, f"STREAM.INFO.{log}", None, _Log)
        assert isinstance(found, _Log)
        smaller = found.config | {"max_bytes": found.state["bytes"] + ROOM_BYTES}
        assert isinstance(await api.ask(client, f"STREAM.UPDATE.{log}", smaller, _Log), _Log)
    finally:
        await client.close()


@pytest.mark.parametrize("service", ["table", "wallet", "shoe"])
async def test_play_goes_on_when_there_is_room_again(house: BusyHouse, service: str):
    """Rounds stand still while a log is full; the provisioner makes room, and they end as if nothing had been."""
    async with house.evening() as play, house.logs() as store:
        await play.more_rounds(1)
        log = (await store.open_logs(service))[0]
        await house.stop_process("provisioner")
        await leave_room(house, log)

        async def stands_still() -> bool:
            full = await store.end(log)
            await house.hears_alarm("cannot_store")
            return await store.end(log) == full

        await until(stands_still, f"{log} is full")
        await house.start_process("provisioner")
        await play.more_rounds()
    async with house.logs() as store:
        account, found = await account_of(store), await findings(store)

    assert (account.wrong, found, play.refusals["too_late"]) == ({}, [], 0)


async def test_asker_is_told_that_the_house_cannot_write(house: BusyHouse):
    """A full ledger: `busy` and not final; asked again with the same id when there is room, it is done once."""
    async with house.logs() as store, house.voice("pit", "wallet", "ledger") as cage:
        log = (await store.open_logs("wallet"))[0]
        deposit = Deposit(player="ann", currency="CAD", minor=100)
        await house.stop_process("provisioner")
        await leave_room(house, log)
        numbers = iter(range(1000))
        last = ""

        async def busy() -> bool:
            nonlocal last
            last = f"full-{next(numbers)}"
            return (await cage.say(last, deposit)).code == "busy"

        await until(busy, "the ledger is full")
        refused = await cage.say(last, deposit)
        await house.start_process("provisioner")

        async def taken() -> bool:
            return (await cage.say(last, deposit)).status == "accepted"

        await until(taken, "the ledger takes the deposit")
        again = await cage.say(last, deposit)
        account = await account_of(store)

    assert (refused.code, refused.final, again.status, account.wrong) == ("busy", False, "accepted", {})

"""Messages that are no entries: whoever may only read can still name a log for the answer of JetStream's own API.

Such a message stands in the log for ever.  It takes no place there: the stream goes on behind it, nothing follows from it,
the other checks still hold for every entry, and it is alarmed and named.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.contracts.subjects import desk_stream, ledger_stream, round_name, shoe_stream, table_stream
from shared.runtime.connection import Endpoint, connect
from tests.integration.busy_house import BusyHouse
from tests.integration.evidence import findings

SERVICES = ("table", "wallet", "shoe")


@pytest.fixture
def strewn(tmp_path: Path) -> Iterator[BusyHouse]:
    """A house of its own: what strays into its logs would be found by every later look at them."""
    house = BusyHouse(tmp_path / "house")
    try:
        house.start()
        yield house
    finally:
        house.stop()


async def answer_into(house: BusyHouse, *streams: str) -> None:
    """Ask JetStream's API something as the reader, and have the answers stored on these streams."""
    client = await connect(Endpoint(url=house.machine.url, credentials=house.machine.credentials("reader")))
    try:
        for stream in streams:
            await client.publish("$JS.API.STREAM.NAMES", b"", reply=stream)
        await client.flush()
    finally:
        await client.close()


async def test_a_message_that_is_no_entry_stops_nobody(strewn: BusyHouse):
    """In the ledger, in tables, shoes, desks and running rounds, before and after every service has started again."""
    async with strewn.evening() as play, strewn.pit() as pit:
        await play.more_rounds(1)
        rounds = [(await pit.felt(table)).round for table in ("T1", "T2")]
        day = round_name(rounds[0]).day
        streams = [
            ledger_stream(day),
            ledger_stream(day, 1),
            *(round_name(round).stream for round in rounds),
            table_stream(day, "T1"),
            shoe_stream(day, "T1-S1"),
            *(desk_stream(service, day) for service in SERVICES),
        ]
        await answer_into(strewn, *streams)
        await play.more_rounds(2)
        for service in (*SERVICES, "provisioner", "surveillance"):
            await strewn.restart(service)
        await play.more_rounds(2)
        quarantined = [row for service in SERVICES for row in await pit.query(service, "quarantine", list[dict[str, str]])]
    async with strewn.logs() as store:
        found = await findings(store)

    assert quarantined == []
    assert sorted((each.code.value, each.stream) for each in found) == sorted(("stray", stream) for stream in streams)

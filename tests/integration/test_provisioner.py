"""The provisioner on a real server: logs are there a day ahead, stay as they are, and close when their books do."""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from feltlog.machine import PROCESSES, Machine
from feltlog.provisioner import Provisioner
from shared.contracts.subjects import ledger_stream, log_day, log_of, table_stream
from shared.runtime.clock import ManualClock, day_ends_at_ms
from shared.runtime.connection import Endpoint, connect
from shared.runtime.event_store import DayClosed, LogMisconfigured, StoreUnavailable
from shared.runtime.hearing import hear
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.log_making import LogMaker
from tests.integration.jetstream_bench import JetStreamBench
from tests.integration.patience import until
from tests.store_suite import heard_next

DAY, NEXT_DAY, DAY_AFTER = "20261130", "20261201", "20261202"
DAY_STARTS, ZONE = "06:00", "America/Toronto"
DAY_MS = 86_400_000
OPEN_BOOK = b'{"decisions":[{"events":[{"type":"wallet.BookOpened.v1"}]}]}'
CLOSED_BOOK = (
    b'{"decisions":[{"events":[{"type":"wallet.StakesSettled.v1"}]},{"events":[{"type":"wallet.BookClosed.v1","day":"20261130"}]}]}'
)
CLOSED_TOO_EARLY = b'{"decisions":[{"events":[{"type":"wallet.BookClosed.v1"}]},{"events":[{"type":"wallet.Deposited.v1"}]}]}'


def table_entry(stream: str, event: str) -> bytes:
    """Return as much of an entry of a table as anybody needs who looks at its events."""
    return b'{"stream":"%s","decisions":[{"events":[{"type":"%s"}]}]}' % (stream.encode(), event.encode())


class Evening:
    """A provisioner with a clock that the test holds, in the middle of the gaming day `DAY`."""

    def __init__(self, jetstream: JetStreamBench) -> None:
        self.jetstream = jetstream
        self.store = jetstream.store
        self.clock = ManualClock(day_ends_at_ms(DAY, DAY_STARTS, ZONE) - DAY_MS // 2)
        self.provisioner = Provisioner(self.store, LogMaker(jetstream.client), self.clock, day_starts=DAY_STARTS, zone=ZONE)

    async def look_after(self) -> None:
        """Let the provisioner go its round."""
        await self.provisioner.look_after()

    async def pass_day(self) -> None:
        """Let a day pass, and the provisioner go its round."""
        self.clock.advance(DAY_MS)
        await self.look_after()

    async def write_ledger(self, *entries: bytes, day: str = DAY) -> None:
        """Append entries to the day's ledger."""
        stream = ledger_stream(day)
        for data in entries:
            last = await self.store.last(stream)
            entry = b'{"stream":"%s",' % stream.encode() + data[1:]
            await self.store.append(stream, entry, fence=last.sequence if last else 0)

    async def stray_into(self, stream: str) -> None:
        """Have an answer of JetStream's own API stored on a stream."""
        log = log_of(stream)
        end = await self.store.end(log)
        await self.jetstream.client.publish("$JS.API.STREAM.NAMES", b"", reply=stream)

        async def is_stored() -> bool:
            return await self.store.end(log) > end

        await until(is_stored, "the answer is stored")

    async def work_off(self, log: str, *listeners: str) -> None:
        """Let listeners hear everything in the log."""
        for listener in listeners:
            async with aclosing(hear(self.store, log, listener)) as hearing:
                await heard_next(hearing, await self.store.end(log))

    async def sealed(self) -> list[str]:
        """Return the logs that are closed."""
        return sorted(set(await self.store.logs()) - set(await self.store.open_logs()))


@pytest.fixture
async def evening(jetstream: JetStreamBench) -> AsyncIterator[Evening]:
    """An evening whose logs are made."""
    evening = Evening(jetstream)
    await evening.look_after()
    yield evening


async def test_logs_of_today_and_tomorrow_are_made(evening: Evening):
    """All four services have a log for today and for tomorrow."""
    services = ("SHOE", "SURVEILLANCE", "TABLE", "WALLET")

    assert await evening.store.logs() == [f"LOG_{service}_{day}" for service in services for day in (DAY, NEXT_DAY)]


async def test_second_round_changes_nothing(evening: Evening):
    """What is there and right is left alone."""
    await evening.write_ledger(OPEN_BOOK)
    await evening.look_after()

    assert await evening.store.end(f"LOG_WALLET_{DAY}") == 1


async def test_next_day_is_made_ahead(evening: Evening):
    """When a day begins, the day after it gets its logs."""
    await evening.pass_day()

    assert f"LOG_TABLE_{DAY_AFTER}" in await evening.store.logs()


async def test_days_that_were_slept_through_are_made(evening: Evening):
    """A table that was awake for a moment may have closed its day towards one of them."""
    evening.clock.advance(3 * DAY_MS)
    await evening.look_after()
    tables = [log.rpartition("_")[2] for log in await evening.store.logs("table")]

    assert tables == ["20261130", "20261201", "20261202", "20261203", "20261204"]


async def test_missing_consumer_is_made_again_and_told(evening: Evening, caplog: pytest.LogCaptureFixture):
    """A deleted consumer comes back, with a word in the log."""
    await evening.jetstream.remove_consumer(f"LOG_TABLE_{DAY}", "wallet")
    with caplog.at_level(logging.WARNING):
        await evening.look_after()
    async with evening.store.durable(f"LOG_TABLE_{DAY}", "wallet") as line:
        standing = await line.standing()

    assert (standing.delivered, f"LOG_TABLE_{DAY} had no consumer wallet: made it" in caplog.text) == (0, True)


async def test_consumer_that_the_server_cannot_make_now_is_made_later(evening: Evening, tmp_path: Path):
    """While the files of a deleted consumer are being removed another cannot be made: that is the server's trouble, not ours."""
    log = f"LOG_TABLE_{DAY}"
    await evening.jetstream.remove_consumer(log, "wallet")
    in_the_way = next(tmp_path.rglob(f"{log}/obs")) / "wallet"
    in_the_way.write_text("")
    with pytest.raises(StoreUnavailable, match=r"could not do CONSUMER\.CREATE"):
        await evening.look_after()
    in_the_way.unlink()
    await evening.look_after()
    async with evening.store.durable(log, "wallet") as line:
        standing = await line.standing()

    assert standing.delivered == 0


async def test_changed_log_is_refused(evening: Evening):
    """The provisioner does not repair what somebody changed on purpose: it stops and names it."""
    await evening.jetstream.change_log(f"LOG_TABLE_{DAY}", max_age=10**12)
    with pytest.raises(LogMisconfigured, match=f"LOG_TABLE_{DAY}: max_age"):
        await evening.look_after()


async def test_raised_size_limit_is_accepted(evening: Evening):
    """The size limit is the operator's choice: a full log is given more room while it runs."""
    await evening.jetstream.change_log(f"LOG_TABLE_{DAY}", max_bytes=10**9)
    await evening.look_after()

    assert await evening.jetstream.size_limit(f"LOG_TABLE_{DAY}") == 10**9


async def test_past_day_with_an_open_book_stays_open(evening: Evening):
    """The day is over, but its book is not closed."""
    await evening.write_ledger(OPEN_BOOK)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table", "surveillance")
    await evening.pass_day()

    assert await evening.sealed() == []


async def test_past_day_with_a_closed_book_is_sealed(evening: Evening):
    """Book closed, everything heard: all logs of the day are closed for ever."""
    await evening.write_ledger(OPEN_BOOK, CLOSED_BOOK)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table", "surveillance")
    await evening.pass_day()

    assert await evening.sealed() == [f"LOG_{service}_{DAY}" for service in ("SHOE", "SURVEILLANCE", "TABLE", "WALLET")]


async def test_message_that_is_no_entry_keeps_no_day_open(evening: Evening):
    """Whatever stands behind the closing, or where a second ledger would, the book is closed."""
    await evening.write_ledger(OPEN_BOOK, CLOSED_BOOK)
    for stream in (ledger_stream(DAY), ledger_stream(DAY, 1)):
        await evening.stray_into(stream)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table", "surveillance")
    await evening.pass_day()

    assert await evening.sealed() == [f"LOG_{service}_{DAY}" for service in ("SHOE", "SURVEILLANCE", "TABLE", "WALLET")]


async def test_nothing_is_appended_to_a_sealed_day(evening: Evening):
    """After the seal a late table is told that its day is closed."""
    await evening.write_ledger(CLOSED_BOOK)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table", "surveillance")
    await evening.pass_day()
    with pytest.raises(DayClosed):
        await evening.store.append(table_stream(DAY, "T7"), b"late", fence=0)


async def test_closed_book_that_somebody_has_not_heard_keeps_the_day_open(evening: Evening):
    """A listener that is not done can still acknowledge and read what it needs."""
    await evening.write_ledger(CLOSED_BOOK)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table")
    await evening.pass_day()

    assert await evening.sealed() == []


async def test_entry_after_the_closing_keeps_the_day_open(evening: Evening):
    """The closing must be the last decision of the ledger."""
    await evening.write_ledger(CLOSED_TOO_EARLY)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table", "surveillance")
    await evening.pass_day()

    assert await evening.sealed() == []


@pytest.mark.parametrize("data", [b"nothing", b'{"decisions":[]}', b"[" * 100_000])
async def test_bytes_that_are_no_entry_keep_the_day_open(evening: Evening, data: bytes):
    """They close no book, and the provisioner goes on."""
    await evening.write_ledger(data)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table", "surveillance")
    await evening.pass_day()

    assert await evening.sealed() == []


async def test_today_is_never_sealed(evening: Evening):
    """A book that closes before its day is over waits for the day."""
    await evening.write_ledger(CLOSED_BOOK)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table", "surveillance")
    await evening.look_after()

    assert await evening.sealed() == []


@pytest.mark.parametrize(("events", "logs"), [(["TableOpened"], 0), (["TableOpened", "DayClosed"], 4)])
async def test_past_day_waits_for_its_tables(evening: Evening, events: list[str], logs: int):
    """A table of which the ledger had not heard when it closed its book still has to close its own day."""
    table = table_stream(DAY, "T7")
    for fence, event in enumerate(events):
        await evening.store.append(table, table_entry(table, f"table.{event}.v1"), fence=fence)
    await evening.write_ledger(OPEN_BOOK, CLOSED_BOOK)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table", "surveillance")
    await evening.work_off(f"LOG_TABLE_{DAY}", "table", "shoe", "wallet", "surveillance")
    await evening.pass_day()

    assert len(await evening.sealed()) == logs


async def test_days_are_sealed_in_order(evening: Evening):
    """A day waits for the one before it."""
    await evening.write_ledger(OPEN_BOOK)
    await evening.write_ledger(CLOSED_BOOK, day=NEXT_DAY)
    await evening.work_off(f"LOG_WALLET_{DAY}", "table", "surveillance")
    await evening.work_off(f"LOG_WALLET_{NEXT_DAY}", "table", "surveillance")
    await evening.pass_day()
    await evening.pass_day()

    assert await evening.sealed() == []


async def test_empty_day_is_sealed_when_the_books_have_passed_over_it(evening: Evening):
    """A day on which the house stayed closed ends when a later book is open."""
    await evening.pass_day()
    before = await evening.sealed()
    await evening.write_ledger(OPEN_BOOK, day=NEXT_DAY)
    await evening.look_after()

    assert (before, len(await evening.sealed())) == ([], 4)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine on which only the server and the provisioner run, each user with its own rights."""
    with Machine(tmp_path, processes=PROCESSES[:1]) as machine:
        yield machine


async def test_provisioner_process_is_ready_when_its_logs_are_there(machine: Machine):
    """`python -m feltlog.provisioner` makes eight logs before it says that it is ready."""
    client = await connect(Endpoint(url=machine.url, credentials=machine.credentials("reader")))
    logs = await JetStreamStore(client).logs()
    await client.close()

    assert len(logs) == 8


async def test_services_append_and_hear_with_the_rights_that_they_have(machine: Machine):
    """The wallet writes its ledger, the table hears it; neither needs more than the server lets it do."""
    clients = [await connect(Endpoint(url=machine.url, credentials=machine.credentials(user))) for user in ("wallet", "table")]
    wallet, table = (JetStreamStore(client) for client in clients)
    log = (await wallet.open_logs("wallet"))[0]
    await wallet.append(ledger_stream(log_day(log)[1]), OPEN_BOOK, fence=0)
    async with aclosing(hear(table, log, "table")) as hearing:
        heard = await heard_next(hearing, 1)
    for client in clients:
        await client.close()

    assert heard == [OPEN_BOOK]

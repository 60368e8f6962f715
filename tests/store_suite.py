"""The store suite: what both event stores promise, written once and run on each twin."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from hashlib import sha256
from typing import Protocol

import pytest

from shared.kernel.entry import ENTRY_BYTES_MAX
from shared.runtime.event_store import Appended, Conflict, DayClosed, EntryTooLarge, LogFull
from shared.runtime.hearing import Audible, ConsumerMissing, Heard, LogGap, hear

LOG = "LOG_TABLE_20261130"
ROUND = "log.table.20261130.T7.round.000001"
TABLE = "log.table.20261130.T7.table"
WATCH_S = 0.2


class Bench(Protocol):
    """A store and what a test may do behind its back."""

    @property
    def store(self) -> Audible:
        """The store under test."""
        ...

    async def make_log(self, log: str) -> None:
        """Make an empty log."""

    async def make_consumer(self, log: str, name: str) -> None:
        """Make a durable."""

    async def remove_consumer(self, log: str, name: str) -> None:
        """Delete the durable."""

    async def redeliver(self, log: str, name: str) -> None:
        """Let the time for acknowledgements run out."""

    async def seal(self, log: str) -> None:
        """Close the log for ever."""

    async def fill(self, log: str) -> None:
        """Leave no room in the log."""

    async def erase(self, log: str, sequence: int) -> None:
        """Let an entry be gone."""


async def filled(bench: Bench, count: int, *, stream: str = TABLE) -> list[bytes]:
    """Make a log with `count` entries and return their bytes."""
    await bench.make_log(LOG)
    await bench.make_consumer(LOG, "wallet")
    return await continued(bench, range(1, count + 1), stream=stream)


async def continued(bench: Bench, numbers: range, *, stream: str = TABLE) -> list[bytes]:
    """Append one entry for each number and return their bytes; no two streams hold the same bytes, as each entry names its stream."""
    last = await bench.store.last(stream)
    fence = last.sequence if last else 0
    kind = b"entry" if stream == TABLE else b"call"
    entries = [b"%s %d" % (kind, number) for number in numbers]
    for data in entries:
        answer = await bench.store.append(stream, data, fence=fence)
        assert isinstance(answer, Appended)
        fence = answer.sequence
    return entries


async def read(bench: Bench, **wanted: object) -> list[int]:
    """Return the sequences that a read yields."""
    return [stored.sequence async for stored in bench.store.read(LOG, **wanted)]  # type: ignore[arg-type]


async def heard_next(hearing: AsyncIterator[Heard], count: int, *, done: bool = True, patience_s: float = 20) -> list[bytes]:
    """Return the bytes of the next `count` entries heard, each declared done."""
    bodies: list[bytes] = []
    async with asyncio.timeout(patience_s):
        while len(bodies) < count:
            heard = await anext(hearing)
            bodies.append(heard.stored.data)
            if done:
                heard.done()
    return bodies


async def acknowledged(bench: Bench, upto: int) -> int:
    """Return how far the durable is acknowledged, as soon as that is at least `upto`."""
    async with asyncio.timeout(20), bench.store.durable(LOG, "wallet") as line:
        while (standing := await line.standing()).acked < upto:
            await asyncio.sleep(0.02)
    return standing.acked


async def test_append_stores_the_exact_bytes(bench: Bench):
    """What is read is what was appended, byte for byte."""
    await bench.make_log(LOG)
    await bench.store.append(ROUND, b'{"a": 1}\r\n\x00\xff', fence=0, types="table.RoundOpened.v1")
    last = await bench.store.last(ROUND)

    assert last is not None
    assert (last.stream, last.sequence, last.data) == (ROUND, 1, b'{"a": 1}\r\n\x00\xff')


async def test_entries_carry_the_digest_that_they_were_stored_under(bench: Bench):
    """Read, heard or asked for as the last: an entry comes with its writer's digest, so that changed bytes are seen."""
    await filled(bench, 1)
    last = await bench.store.last(TABLE)
    read = [stored async for stored in bench.store.read(LOG)]
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        heard = await anext(hearing)

    assert last is not None
    assert {last.claimed, read[0].claimed, heard.stored.claimed} == {sha256(b"entry 1").hexdigest()}


async def test_every_way_to_an_entry_tells_the_same(bench: Bench):
    """An entry is the same by a leader read, a plain read and a delivery, down to the millisecond."""
    await filled(bench, 0)
    async with bench.store.durable(LOG, "wallet") as line:
        await continued(bench, range(1, 2))
        delivery = await line.next(20)
    read = [stored async for stored in bench.store.read(LOG)]

    assert delivery is not None
    assert [await bench.store.last(TABLE), read[0]] == [delivery.stored, delivery.stored]


async def test_append_behind_a_stale_fence_is_a_conflict(bench: Bench):
    """Of two writers that saw the same last entry one is refused."""
    await filled(bench, 2)

    assert await bench.store.append(TABLE, b"late", fence=1) == Conflict()


async def test_append_to_an_empty_stream_refuses_a_fence(bench: Bench):
    """A fence that was never reached is a conflict, not a new beginning."""
    await bench.make_log(LOG)

    assert await bench.store.append(TABLE, b"first", fence=9) == Conflict()


async def test_fences_of_other_streams_do_not_matter(bench: Bench):
    """Each stream has its own fence though all share one sequence."""
    await filled(bench, 3)

    assert await bench.store.append(ROUND, b"opening", fence=0) == Appended(4)


async def test_repeated_append_is_answered_with_its_place(bench: Bench):
    """The same bytes behind the same fence are stored once, and the answer is the same."""
    await bench.make_log(LOG)
    first = await bench.store.append(TABLE, b"entry", fence=0)
    again = await bench.store.append(TABLE, b"entry", fence=0)

    assert (first, again, await bench.store.end(LOG)) == (Appended(1), Appended(1), 1)


async def test_repeated_append_is_found_under_later_entries(bench: Bench):
    """An entry is recognised though somebody has appended on top of it."""
    await filled(bench, 5)

    assert await bench.store.append(TABLE, b"entry 2", fence=1) == Appended(2)


async def test_equal_bytes_before_the_fence_are_not_ours(bench: Bench):
    """Only what stands behind the fence can be a repeat."""
    await filled(bench, 5)

    assert await bench.store.append(TABLE, b"entry 1", fence=3) == Conflict()


async def test_full_log_refuses_with_nothing_stored(bench: Bench):
    """A full log takes no part of an entry."""
    await bench.make_log(LOG)
    await bench.fill(LOG)
    end = await bench.store.end(LOG)
    with pytest.raises(LogFull) as refused:
        await bench.store.append(TABLE, b"entry", fence=0)

    assert (refused.value.code, await bench.store.end(LOG), await bench.store.last(TABLE)) == ("log_full", end, None)


async def test_full_log_still_recognises_what_it_holds(bench: Bench):
    """A repeat is answered with its place, also when there is no room for anything new."""
    await filled(bench, 1)
    await bench.fill(LOG)

    assert await bench.store.append(TABLE, b"entry 1", fence=0) == Appended(1)


async def test_oversized_entry_is_refused_before_it_is_sent(bench: Bench):
    """An entry of more than 4 MiB never leaves the process."""
    await bench.make_log(LOG)
    with pytest.raises(EntryTooLarge) as refused:
        await bench.store.append(TABLE, b"x" * (ENTRY_BYTES_MAX + 1), fence=0)

    assert (refused.value.code, await bench.store.end(LOG)) == ("entry_too_large", 0)


async def test_largest_entry_is_stored(bench: Bench):
    """An entry of exactly 4 MiB fits, and is read as it was written."""
    await bench.make_log(LOG)

    appended = await bench.store.append(TABLE, b"x" * ENTRY_BYTES_MAX, fence=0, types="table.RoundOpened.v1," * 500)
    read = [len(stored.data) async for stored in bench.store.read(LOG)]

    assert (appended, read) == (Appended(1), [ENTRY_BYTES_MAX])


async def test_sealed_log_is_a_closed_day(bench: Bench):
    """Nothing is appended to a closed day."""
    await filled(bench, 1)
    await bench.seal(LOG)
    with pytest.raises(DayClosed) as refused:
        await bench.store.append(TABLE, b"late", fence=1)

    assert (refused.value.code, await bench.store.end(LOG)) == ("day_closed", 1)


async def test_sealed_log_still_recognises_what_it_holds(bench: Bench):
    """A repeat that arrives after the day's close is told that it had succeeded."""
    await filled(bench, 1)
    await bench.seal(LOG)

    assert await bench.store.append(TABLE, b"entry 1", fence=0) == Appended(1)


async def test_missing_log_is_a_closed_day(bench: Bench):
    """A day without a log takes no entries."""
    with pytest.raises(DayClosed, match="no such log"):
        await bench.store.append(TABLE, b"entry", fence=0)


async def test_last_of_an_unknown_stream_is_none(bench: Bench):
    """A stream that nobody wrote to has no last entry."""
    await filled(bench, 1)

    assert await bench.store.last(ROUND) is None


async def test_read_yields_everything_in_order(bench: Bench):
    """A read crosses its batches without losing or repeating an entry."""
    await filled(bench, 1300)

    assert await read(bench) == list(range(1, 1301))


async def test_read_yields_one_stream(bench: Bench):
    """A pattern picks the entries of one stream."""
    await filled(bench, 2)
    await continued(bench, range(2), stream=ROUND)
    await continued(bench, range(3, 5))

    assert await read(bench, pattern=ROUND) == [3, 4]


async def test_read_knows_wildcards(bench: Bench):
    """A pattern may stand for the rounds of a table."""
    await filled(bench, 2)
    await continued(bench, range(2), stream=ROUND)

    assert await read(bench, pattern="log.table.*.T7.round.>") == [3, 4]


async def test_read_goes_from_after_to_upto(bench: Bench):
    """The bounds are: behind the first, up to and with the second."""
    await filled(bench, 9)

    assert await read(bench, after=3, upto=6) == [4, 5, 6]


async def test_read_of_a_pattern_stops_at_upto(bench: Bench):
    """The bounds hold for a pattern too, also between two of its entries."""
    await filled(bench, 2)
    await continued(bench, range(2), stream=ROUND)
    await continued(bench, range(3, 5))

    assert await read(bench, pattern=TABLE, after=1, upto=3) == [2]


async def test_read_beyond_the_end_is_empty(bench: Bench):
    """There is nothing behind the last entry."""
    await filled(bench, 3)

    assert await read(bench, after=3, upto=9) == []


async def test_read_passes_over_what_is_gone(bench: Bench):
    """A read yields what there is; whoever needs all of it compares the sequences."""
    await filled(bench, 3)
    await bench.erase(LOG, 2)

    assert await read(bench) == [1, 3]


async def test_read_of_a_missing_log_is_refused(bench: Bench):
    """A log that does not exist is not an empty one."""
    with pytest.raises(DayClosed, match="no such log"):
        await read(bench)


async def test_logs_are_named_by_service(bench: Bench):
    """One service's logs, and all of them, by name."""
    for log in ("LOG_WALLET_20261130", "LOG_TABLE_20261201", "LOG_TABLE_20261130"):
        await bench.make_log(log)

    assert (await bench.store.logs("table"), await bench.store.logs()) == (
        ["LOG_TABLE_20261130", "LOG_TABLE_20261201"],
        ["LOG_TABLE_20261130", "LOG_TABLE_20261201", "LOG_WALLET_20261130"],
    )


async def test_open_logs_leave_out_what_is_sealed(bench: Bench):
    """A closed day is still a log, but not an open one."""
    for log in ("LOG_TABLE_20261129", "LOG_TABLE_20261130"):
        await bench.make_log(log)
    await bench.seal("LOG_TABLE_20261129")

    assert await bench.store.open_logs("table") == ["LOG_TABLE_20261130"]


async def test_end_of_an_empty_log_is_zero(bench: Bench):
    """Sequences begin at one."""
    await bench.make_log(LOG)

    assert await bench.store.end(LOG) == 0


async def test_store_is_alive(bench: Bench):
    """A running store answers."""
    assert await bench.store.alive()


async def test_hearing_yields_every_entry_in_order(bench: Bench):
    """What was stored before and after hearing began comes in one row."""
    before = await filled(bench, 3)
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        heard = await heard_next(hearing, 3)
        after = await continued(bench, range(4, 700))
        heard += await heard_next(hearing, 696)

    assert heard == before + after


async def test_hearing_starts_behind_the_acknowledged_floor(bench: Bench):
    """A new process goes on where the last one had worked everything off."""
    entries = await filled(bench, 9)
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        await heard_next(hearing, 4)
        await acknowledged(bench, 4)
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        heard = await heard_next(hearing, 5)

    assert heard == entries[4:]


async def test_hearing_starts_where_the_caller_says(bench: Bench):
    """A service that keeps its own position is believed more than the durable."""
    entries = await filled(bench, 9)
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        await heard_next(hearing, 6)
        await acknowledged(bench, 6)
    async with aclosing(hear(bench.store, LOG, "wallet", 2)) as hearing:
        heard = await heard_next(hearing, 7)

    assert heard == entries[2:]


async def test_unacknowledged_entries_of_a_dead_process_are_heard_at_once(bench: Bench):
    """Nobody waits for a redelivery of what a dead process was given."""
    entries = await filled(bench, 5)
    async with aclosing(hear(bench.store, LOG, "wallet")) as dead:
        await heard_next(dead, 3, done=False)
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        heard = await heard_next(hearing, 5)

    assert heard == entries


async def test_redelivered_entries_are_acknowledged_and_not_heard_again(bench: Bench):
    """What comes a second time is only acknowledged."""
    await filled(bench, 5)
    async with aclosing(hear(bench.store, LOG, "wallet")) as dead:
        await heard_next(dead, 5, done=False)
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        await heard_next(hearing, 5)
        await bench.redeliver(LOG, "wallet")
        sixth = asyncio.ensure_future(heard_next(hearing, 1))
        floor = await acknowledged(bench, 5)
        await continued(bench, range(6, 7))

        assert (floor, await sixth) == (5, [b"entry 6"])


async def test_acknowledgements_wait_for_what_is_before(bench: Bench):
    """An entry is acknowledged only when all entries before it are done."""
    await filled(bench, 3)
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        heard = [await anext(hearing) for _ in range(3)]
        heard[1].done()
        heard[2].done()
    async with bench.store.durable(LOG, "wallet") as line:
        standing = await line.standing()

    assert standing.acked == 0


async def test_acknowledgements_follow_when_the_first_is_done(bench: Bench):
    """The late first entry brings all done ones behind it along."""
    await filled(bench, 3)
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        heard = [await anext(hearing) for _ in range(3)]
        heard[1].done()
        heard[2].done()
        heard[0].done()

        assert await acknowledged(bench, 3) == 3


async def test_two_processes_on_one_durable_each_hear_everything(bench: Bench):
    """However the deliveries are split, each process hears every entry in order, also the last, which only one was given."""
    entries = await filled(bench, 20)
    async with (
        aclosing(hear(bench.store, LOG, "wallet", watch_s=WATCH_S)) as one,
        aclosing(hear(bench.store, LOG, "wallet", watch_s=WATCH_S)) as other,
    ):
        first = asyncio.ensure_future(heard_next(one, 300))
        second = asyncio.ensure_future(heard_next(other, 300))
        entries += await continued(bench, range(21, 301))
        both = await first, await second

    assert both == (entries, entries)


async def test_hearing_refuses_a_log_with_a_hole(bench: Bench):
    """An entry that is gone stops hearing; it is never passed over."""
    await filled(bench, 5)
    await bench.erase(LOG, 3)
    async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
        await heard_next(hearing, 2)
        with pytest.raises(LogGap) as gap:
            await heard_next(hearing, 1)

    assert (gap.value.log, gap.value.sequence) == (LOG, 3)


async def test_hearing_refuses_a_log_that_lost_its_end(bench: Bench):
    """A log that ends before what was already worked off has lost entries."""
    await filled(bench, 5)
    async with aclosing(hear(bench.store, LOG, "wallet", 8)) as hearing:
        with pytest.raises(LogGap) as gap:
            await heard_next(hearing, 1)

    assert gap.value.sequence == 6


async def test_hearing_without_a_consumer_is_refused(bench: Bench):
    """Only the provisioner makes consumers."""
    await bench.make_log(LOG)
    async with aclosing(hear(bench.store, LOG, "nobody")) as hearing:
        with pytest.raises(ConsumerMissing):
            await heard_next(hearing, 1)


async def test_hearing_without_a_log_is_refused(bench: Bench):
    """A log that does not exist has no consumers either."""
    with pytest.raises(ConsumerMissing):
        async with aclosing(hear(bench.store, LOG, "wallet")) as hearing:
            await heard_next(hearing, 1)


async def test_removed_consumer_ends_the_hearing(bench: Bench):
    """A consumer that disappears is told, not waited for."""
    await filled(bench, 3)
    async with aclosing(hear(bench.store, LOG, "wallet", watch_s=WATCH_S)) as hearing:
        await heard_next(hearing, 3)
        waiting = asyncio.ensure_future(heard_next(hearing, 1))
        await bench.remove_consumer(LOG, "wallet")
        with pytest.raises(ConsumerMissing):
            await waiting


async def test_hearing_goes_on_when_a_removed_consumer_is_made_again(bench: Bench):
    """Who would rather wait is told, hears everything once and in order, and what was heard before is acknowledged again."""
    entries = await filled(bench, 3)
    told: list[str] = []
    removed = asyncio.Event()

    async def missing(gone: ConsumerMissing) -> None:
        told.append(gone.durable)
        # A server is not done with a removal when it is first seen.
        await removed.wait()
        await bench.make_consumer(LOG, "wallet")

    async with aclosing(hear(bench.store, LOG, "wallet", watch_s=WATCH_S, missing=missing)) as hearing:
        heard = await heard_next(hearing, 3)
        listening = asyncio.ensure_future(heard_next(hearing, 3))
        await bench.remove_consumer(LOG, "wallet")
        removed.set()
        entries += await continued(bench, range(4, 7))
        heard += await listening
        more = asyncio.ensure_future(heard_next(hearing, 1))
        acked = await acknowledged(bench, 6)
        nothing_more = not more.done()
        more.cancel()
        await asyncio.gather(more, return_exceptions=True)

    assert (heard, told, acked, nothing_more) == (entries, ["wallet"], 6, True)

"""A server that hangs, dies and comes back: nothing is lost, stored twice, or answered wrongly."""

import asyncio
from contextlib import aclosing

import pytest

from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.wallet import OpenBook
from shared.kernel.folded import Asked, Pen
from shared.kernel.messages import HOUSE, Actor
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Endpoint, Outages, connect
from shared.runtime.event_store import Appended, StoreUnavailable, Unknown
from shared.runtime.hearing import hear
from shared.runtime.jetstream_store import JetStreamStore
from shared.runtime.keeper import Keeper
from tests.integration.jetstream_bench import JetStreamBench
from tests.integration.nats_server import NatsServer
from tests.integration.patience import until
from tests.store_suite import LOG, TABLE, WATCH_S, continued, filled, heard_next

DEDUPE_NS = 100_000_000
BOOKS = "LOG_WALLET_20261130"
BOOK = "log.wallet.20261130.ledger.0"
CAGE = Actor("staff", "cage")
DEPOSIT = Asked("in", Deposit(player="ann", currency="CAD", minor=500), CAGE, 1)


async def sent_until_answered(store: JetStreamStore, data: bytes, fence: int) -> Appended:
    """Do what follows after `Unknown`: send the same bytes until the answer is a definite one."""
    async with asyncio.timeout(20):
        while isinstance(answer := await store.append(TABLE, data, fence=fence), Unknown):
            await asyncio.sleep(0.02)
    assert isinstance(answer, Appended)
    return answer


async def test_append_that_timed_out_and_was_stored_later_is_recognised(jetstream: JetStreamBench, nats_server: NatsServer):
    """The server hangs, the append is unknown, the server stores it after all: the same bytes find their place."""
    await filled(jetstream, 1)
    hasty = JetStreamStore(jetstream.client, append_s=0.2)
    nats_server.pause()
    unconfirmed = await hasty.append(TABLE, b"ghost", fence=1)
    nats_server.resume()
    await until(lambda: stored(jetstream, 2))

    assert (type(unconfirmed), await sent_until_answered(hasty, b"ghost", 1), await hasty.end(LOG)) == (Unknown, Appended(2), 2)


async def test_append_to_a_dead_server_is_stored_once_when_it_is_back(jetstream: JetStreamBench, nats_server: NatsServer):
    """While the server is away every append is unknown; the same bytes are stored once."""
    await filled(jetstream, 1)
    nats_server.kill()
    unconfirmed = await jetstream.store.append(TABLE, b"ghost", fence=1)
    nats_server.start()

    assert (type(unconfirmed), await sent_until_answered(jetstream.store, b"ghost", 1), await jetstream.store.end(LOG)) == (
        Unknown,
        Appended(2),
        2,
    )


async def test_nothing_is_sent_behind_the_callers_back(jetstream: JetStreamBench, nats_server: NatsServer):
    """What was refused while the server was away is not sent by the client on its own when it is back."""
    await filled(jetstream, 1)
    nats_server.kill()
    await until(lambda: is_disconnected(jetstream))
    unconfirmed = await jetstream.store.append(TABLE, b"not sent", fence=1)
    nats_server.start()
    await until(jetstream.store.alive)

    assert (type(unconfirmed), await jetstream.store.end(LOG)) == (Unknown, 1)


async def test_repeat_after_the_dedupe_window_is_recognised(jetstream: JetStreamBench):
    """The server forgets what it has seen; the fence does not."""
    await jetstream.make_log(LOG, duplicate_window=DEDUPE_NS)
    await jetstream.store.append(TABLE, b"entry 1", fence=0)
    await until(lambda: dedupe_forgot(jetstream))
    end = await jetstream.store.end(LOG)

    assert (await jetstream.store.append(TABLE, b"entry 1", fence=0), await jetstream.store.end(LOG)) == (Appended(1), end)


async def test_repeat_with_the_right_fence_is_read_back(jetstream: JetStreamBench):
    """When the server calls an append a duplicate, its word is checked against the bytes."""
    await filled(jetstream, 1)

    assert await jetstream.store.append(TABLE, b"entry 1", fence=1) == Appended(1)


async def test_duplicate_that_is_not_there_stays_unknown(jetstream: JetStreamBench):
    """A duplicate of something that the stream does not hold is neither a yes nor a no."""
    await filled(jetstream, 1)

    assert isinstance(await jetstream.store.append(f"{TABLE}-2", b"entry 1", fence=0), Unknown)


async def test_asker_is_told_the_truth_about_an_append_that_hung(jetstream: JetStreamBench, nats_server: NatsServer):
    """The server hangs while a deposit is written down, and stores it later: it is accepted once, and not before it is stored."""
    ledger = await open_book(jetstream)
    nats_server.pause()
    told = ledger.ask(DEPOSIT)
    await asyncio.wait({told}, timeout=0.5)
    waits = not told.done()
    nats_server.resume()

    assert (waits, (await told).status, await jetstream.store.end(BOOKS)) == (True, "accepted", 3)


async def test_asker_is_told_the_truth_about_an_append_that_was_lost(jetstream: JetStreamBench, nats_server: NatsServer):
    """The server is dead while a deposit is to be written down: it is sent again and accepted once."""
    ledger = await open_book(jetstream)
    nats_server.kill()
    told = ledger.ask(DEPOSIT)
    await asyncio.wait({told}, timeout=0.5)
    waits = not told.done()
    nats_server.start()

    assert (waits, (await told).status, await jetstream.store.end(BOOKS)) == (True, "accepted", 3)


async def open_book(jetstream: JetStreamBench) -> Keeper[Ledger]:
    """Return the keeper of a ledger with an account, over a store that soon loses patience."""
    await jetstream.make_log(BOOKS)
    pen = Pen("wallet-a", 1, "test")
    ledger = Keeper(JetStreamStore(jetstream.client, append_s=0.2), LEDGER, BOOK, lambda: pen, SystemClock())
    await ledger.ask(Asked("open", OpenBook(day="20261130"), HOUSE, 1))
    await ledger.ask(Asked("account", OpenAccount(player="ann", operator="north", currency="CAD"), CAGE, 1))
    return ledger


async def test_hearing_goes_on_after_a_restart(jetstream: JetStreamBench, nats_server: NatsServer):
    """A restart of the server neither loses, repeats nor swaps an entry."""
    entries = await filled(jetstream, 50)
    async with aclosing(hear(jetstream.store, LOG, "wallet", watch_s=WATCH_S)) as hearing:
        heard = await heard_next(hearing, 40)
        listening = asyncio.ensure_future(heard_next(hearing, 60))
        nats_server.stop()
        nats_server.start()
        await until(jetstream.store.alive)
        entries += await continued(jetstream, range(51, 101))
        heard += await listening

    assert heard == entries


async def test_hearing_goes_on_after_a_crash(jetstream: JetStreamBench, nats_server: NatsServer):
    """`kill -9` of the server in the middle of deliveries changes nothing for the listener."""
    entries = await filled(jetstream, 600)
    async with aclosing(hear(jetstream.store, LOG, "wallet", watch_s=WATCH_S)) as hearing:
        heard = await heard_next(hearing, 100)
        nats_server.kill()
        listening = asyncio.ensure_future(heard_next(hearing, 550))
        nats_server.start()
        await until(jetstream.store.alive)
        entries += await continued(jetstream, range(601, 651))
        heard += await listening

    assert heard == entries


async def test_hearing_with_default_patience_goes_on_soon_after_a_crash(jetstream: JetStreamBench, nats_server: NatsServer):
    """A request that the server lost is asked for again within seconds, not after the watchdog's round."""
    await filled(jetstream, 1)
    async with aclosing(hear(jetstream.store, LOG, "wallet", watch_s=3600)) as hearing:
        await heard_next(hearing, 1)
        listening = asyncio.ensure_future(heard_next(hearing, 1))
        nats_server.kill()
        nats_server.start()
        await until(jetstream.store.alive)
        await continued(jetstream, range(2, 3))

        assert await listening == [b"entry 2"]


async def test_two_processes_hear_everything_across_a_crash(jetstream: JetStreamBench, nats_server: NatsServer):
    """Two connections share a durable, the server dies under both: each hears every entry in order."""
    entries = await filled(jetstream, 20)
    client = await connect(Endpoint(url=nats_server.url))
    other_store = JetStreamStore(client)
    async with (
        aclosing(hear(jetstream.store, LOG, "wallet", watch_s=WATCH_S)) as one,
        aclosing(hear(other_store, LOG, "wallet", watch_s=WATCH_S)) as other,
    ):
        first = asyncio.ensure_future(heard_next(one, 200))
        second = asyncio.ensure_future(heard_next(other, 200))
        entries += await continued(jetstream, range(21, 111))
        nats_server.kill()
        nats_server.start()
        await until(jetstream.store.alive)
        await until(other_store.alive)
        entries += await continued(jetstream, range(111, 201))
        both = await first, await second
    await client.close()

    assert both == (entries, entries)


async def test_questions_to_a_dead_server_are_refused(jetstream: JetStreamBench, nats_server: NatsServer):
    """A read during an outage says that it could not be done."""
    await filled(jetstream, 1)
    nats_server.kill()
    with pytest.raises(StoreUnavailable):
        await jetstream.store.last(TABLE)


async def test_dead_server_is_not_alive(jetstream: JetStreamBench, nats_server: NatsServer):
    """A dead server does not answer."""
    nats_server.kill()

    assert not await jetstream.store.alive()


async def test_hanging_server_is_not_alive(jetstream: JetStreamBench, nats_server: NatsServer):
    """An open connection is no sign of life."""
    nats_server.pause()

    assert not await jetstream.store.alive()


async def test_connection_goes_on_after_a_question_that_came_to_nothing(jetstream: JetStreamBench, nats_server: NatsServer):
    """Asking a hanging server for a sign of life does not make the connection deaf when its answer comes after all."""
    nats_server.pause()
    hangs = not await jetstream.store.alive()
    nats_server.resume()
    await until(jetstream.store.alive)

    assert (hangs, await jetstream.store.logs(), jetstream.client.stats["reconnects"]) == (True, [], 0)


async def test_outages_are_told(nats_server: NatsServer):
    """Whoever extends people's clocks hears when the server went away and when it came back."""
    told: list[str] = []
    outages = Outages(down=lambda: told.append("down"), up=lambda: told.append("up"))
    client = await connect(Endpoint(url=nats_server.url), outages)
    nats_server.kill()
    nats_server.start()

    async def up() -> bool:
        return "up" in told

    await until(up)
    await client.close()

    assert told == ["down", "up"]


async def test_missing_server_is_a_sentence(nats_server: NatsServer):
    """Who connects to nothing is told where nothing is."""
    nats_server.stop()
    with pytest.raises(StoreUnavailable, match=f"no NATS server at {nats_server.url}"):
        await connect(Endpoint(url=nats_server.url), patience_s=0.5)


async def stored(jetstream: JetStreamBench, end: int) -> bool:
    """Return whether the log has reached `end`."""
    try:
        return await jetstream.store.end(LOG) >= end
    except StoreUnavailable:
        return False


async def is_disconnected(jetstream: JetStreamBench) -> bool:
    """Return whether the client has noticed the outage."""
    return not jetstream.client.is_connected


async def dedupe_forgot(jetstream: JetStreamBench) -> bool:
    """Return whether the server takes again what it has seen a dedupe window ago."""
    probe = f"{TABLE}-probe"
    headers = {"Nats-Msg-Id": "probe"}
    answer = await jetstream.client.request(probe, b"probe", timeout=5, headers=headers)
    return b"duplicate" not in answer.data and await jetstream.store.end(LOG) > 2

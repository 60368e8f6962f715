"""The keeper: what askers are told when appends are lost, late, or meet another writer, and what a position never passes."""

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from shared.contracts.cage import Deposit, OpenAccount, Withdraw
from shared.contracts.stakes import SettledStake, SettleStakes
from shared.contracts.wallet import OpenBook
from shared.kernel.entry import Place
from shared.kernel.folded import Asked, Pen
from shared.kernel.messages import HOUSE, Actor, Answer
from shared.runtime.clock import ManualClock
from shared.runtime.event_store import LogFull
from shared.runtime.keeper import Keeper, OutOfTurn, SteppedDown
from shared.runtime.memory_store import MemoryStore

LOG = "LOG_WALLET_20261130"
BOOK = "log.wallet.20261130.ledger.0"
TABLES = "LOG_TABLE_20261130"
CAGE = Actor("staff", "cage")
IN = Deposit(player="ann", currency="CAD", minor=500)
OUT = Withdraw(player="ann", currency="CAD", minor=500)
UNHEARD_OF = SettleStakes(
    round="T7.20261130-000001", currency="CAD", lines=(SettledStake(wager="w", player="ann", stake_minor=1, returned_minor=0),)
)
"""Breaks an assertion: nothing was set aside for it."""


@pytest.fixture
def store() -> MemoryStore:
    """A store with the log of one ledger."""
    store = MemoryStore(itertools.count(1).__next__)
    store.make_log(LOG)
    return store


def keeper(store: MemoryStore, writer: str = "wallet-a", epoch: int = 2) -> Keeper[Ledger]:
    """Return a keeper of the ledger."""
    return Keeper(store, LEDGER, BOOK, lambda: Pen(writer, epoch, "test"), ManualClock())


def asked(id: str, command: Any, place: Place | None = None) -> Asked:
    """Return a request of the cage, or what follows from an entry of the tables."""
    return Asked(id, command, HOUSE if place else CAGE, 1, log=TABLES if place else "", place=place)


async def with_money(store: MemoryStore, **more: Any) -> Keeper[Ledger]:
    """Return a keeper of an open book in which ann has 500."""
    ledger = keeper(store, **more)
    for number, command in enumerate((OpenBook(day="20261130"), OpenAccount(player="ann", operator="north", currency="CAD"), IN)):
        await ledger.ask(asked(f"begin {number}", command, (number, 0, 0) if number == 0 else None))
    return ledger


def ann(ledger: Keeper[Ledger]) -> int:
    """Return what ann has."""
    account = ledger.state.account("ann", "CAD")
    return account.minor if account else 0


async def end_reached(store: MemoryStore, end: int) -> None:
    """Return when the log has so many entries."""
    async with asyncio.timeout(5):
        while await store.end(LOG) < end:
            await asyncio.sleep(0)


@pytest.mark.parametrize("fault", [MemoryStore.lose_answer_next, MemoryStore.drop_next, MemoryStore.ghost_next])
async def test_unconfirmed_append_is_found_or_sent_again(store: MemoryStore, fault: Callable[[MemoryStore], None]):
    """Stored without an answer, lost, or on its way: the asker is told when it stands there, and it stands there once."""
    ledger = await with_money(store)
    fault(store)
    answer = await ledger.ask(asked("in", IN))
    store.deliver_ghosts()

    assert (answer.status, ann(ledger), await store.end(LOG)) == ("accepted", 1000, 4)


async def test_stored_entry_is_found_under_another_writers(store: MemoryStore):
    """The answer was lost, and the next owner has appended on top: the entry is recognised deeper in the stream."""
    ledger = await with_money(store)
    store.lose_answer_next()
    answer = ledger.ask(asked("in", IN))
    await end_reached(store, 4)
    await keeper(store, "wallet-b", epoch=3).ask(asked("other", IN))
    said = await answer
    with pytest.raises(SteppedDown):
        await ledger.ask(asked("again", IN))

    assert (said.status, await store.end(LOG)) == ("accepted", 5)


async def test_unconfirmed_append_that_is_read_meanwhile_is_not_stored_twice(store: MemoryStore):
    """The answer was lost and the stream is read anew: the same bytes are sent again behind the fence that they were drafted for."""
    ledger = await with_money(store)
    store.lose_answer_next()
    answer = ledger.ask(asked("in", IN))
    await end_reached(store, 4)
    await ledger.read_on()
    said = await answer

    assert (said.status, ann(ledger), await store.end(LOG)) == ("accepted", 1000, 4)


async def test_whoever_lost_the_place_decides_again(store: MemoryStore):
    """An unconfirmed withdrawal, and another writer takes the money first: it is refused, and its ghost finds no place."""
    other = await with_money(store, epoch=1)
    ledger = keeper(store, "wallet-b", epoch=2)
    await ledger.load()
    store.ghost_next()
    answer = ledger.ask(asked("out", OUT))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    others = await other.ask(asked("other", OUT))
    said = await answer
    store.deliver_ghosts()

    assert (others.status, said.code, ann(ledger), await store.end(LOG)) == ("accepted", "insufficient_funds", 0, 5)


async def test_no_is_said_on_the_newest_state_only(store: MemoryStore):
    """A process that takes over has not seen the last deposit: before it refuses a withdrawal it looks whether it has seen all."""
    other = await with_money(store, epoch=1)
    ledger = keeper(store, "wallet-b", epoch=2)
    await ledger.load()
    await other.ask(asked("in", IN))

    assert (await ledger.ask(asked("out", Withdraw(player="ann", currency="CAD", minor=900)))).status == "accepted"


async def test_owner_that_has_a_successor_says_nothing(store: MemoryStore):
    """Not even no: somebody else may have said yes."""
    ledger = await with_money(store)
    await keeper(store, "wallet-b", epoch=3).ask(asked("other", IN))
    with pytest.raises(SteppedDown):
        await ledger.ask(asked("out", Withdraw(player="ann", currency="CAD", minor=900)))


async def test_older_owner_steps_down(store: MemoryStore):
    """It learns of the newer one when its entry is refused."""
    ledger = await with_money(store)
    await keeper(store, "wallet-b", epoch=3).ask(asked("other", IN))
    with pytest.raises(SteppedDown):
        await ledger.ask(asked("in", IN))


async def test_older_owner_steps_down_where_it_comes_late(store: MemoryStore):
    """Also on a stream that it has never written: the newer owner's entry is there when it first reads it."""
    await with_money(store, epoch=3)
    with pytest.raises(SteppedDown):
        await keeper(store, "wallet-b", epoch=2).ask(asked("in", IN))


async def test_nothing_passes_what_the_log_could_not_take(store: MemoryStore):
    """A full log refuses one movement: what is heard behind it waits too, else the position would say that both are done."""
    ledger = await with_money(store)
    store.log(LOG).is_full = True
    with pytest.raises(LogFull):
        await ledger.ask(asked("first", IN, (5, 0, 0)))
    store.log(LOG).is_full = False
    with pytest.raises(OutOfTurn):
        await ledger.ask(asked("second", IN, (6, 0, 0)))

    assert (ann(ledger), ledger.folded.position[TABLES]) == (500, (0, 0, 0))


async def test_what_failed_is_taken_when_it_is_heard_again(store: MemoryStore):
    """The listener hears from the position on: the failed movement first, then those behind it."""
    ledger = await with_money(store)
    store.log(LOG).is_full = True
    failed = await asyncio.gather(
        ledger.ask(asked("first", IN, (5, 0, 0))), ledger.ask(asked("second", IN, (6, 0, 0))), return_exceptions=True
    )
    store.log(LOG).is_full = False
    ledger.resume(TABLES)
    answers = await asyncio.gather(ledger.ask(asked("first", IN, (5, 0, 0))), ledger.ask(asked("second", IN, (6, 0, 0))))

    assert ([type(each) for each in failed], {each.status for each in answers}, ann(ledger), ledger.folded.position[TABLES]) == (
        [LogFull, LogFull],
        {"accepted"},
        1500,
        (6, 0, 0),
    )


async def test_nothing_passes_what_broke(store: MemoryStore):
    """A movement that breaks an assertion is first written down as held; until then nothing behind it counts as done."""
    ledger = await with_money(store)
    before, broke, behind = await asyncio.gather(
        ledger.ask(asked("before", IN, (5, 0, 0))),
        ledger.ask(asked("broke", UNHEARD_OF, (6, 0, 0))),
        ledger.ask(asked("behind", IN, (7, 0, 0))),
        return_exceptions=True,
    )

    assert isinstance(before, Answer) and isinstance(broke, Answer)
    assert (before.status, broke.code, type(behind), ledger.folded.position[TABLES]) == ("accepted", "quarantined", OutOfTurn, (5, 0, 0))


async def test_the_cage_is_served_while_movements_are_held_up(store: MemoryStore):
    """Only what moves a position waits."""
    ledger = await with_money(store)
    await ledger.ask(asked("broke", UNHEARD_OF, (6, 0, 0)))

    assert (await ledger.ask(asked("in", IN))).status == "accepted"


async def test_unreadable_stream_answers_and_harms_nobody(store: MemoryStore):
    """Bytes that are no entry: every command is answered that the house looks into it, and nothing is written on top."""
    ledger = await with_money(store)
    await store.append(BOOK, b"no entry", fence=3)
    answers = [await ledger.ask(asked("in", IN)), await ledger.ask(asked("once more", IN))]

    assert ([each.code for each in answers], await store.end(LOG)) == (["quarantined"] * 2, 4)


async def test_stream_is_read_anew_after_it_is_mended(store: MemoryStore):
    """A person says that the cause is gone: the whole stream is folded again before anything is decided."""
    ledger = await with_money(store)
    await store.append(BOOK, b"no entry", fence=3)
    await ledger.ask(asked("in", IN))
    store.log(LOG).entries.pop()
    store.log(LOG).last[BOOK] = 3
    ledger.mend()
    answer = await ledger.ask(asked("in", IN))

    assert (answer.status, ann(ledger)) == ("accepted", 1000)


async def test_urgent_command_is_decided_before_what_waits(store: MemoryStore):
    """A withdrawal waits; the deposit that is asked for afterwards, but first of all, makes it possible."""
    ledger = await with_money(store)
    waiting = ledger.ask(asked("out", Withdraw(player="ann", currency="CAD", minor=900)))
    ledger.ask(asked("in", IN), first=True)

    assert (await waiting).status == "accepted"


STRAYS = {
    "the answer of an API": b'{"type":"io.nats.jetstream.api.v1.stream_names_response","total":0}',
    "no text": b"\xff\xfe",
    "an entry of another stream": b'{"stream":"log.wallet.20261129.ledger.0","revision":4,"prev":"","decisions":[]}',
}


@pytest.mark.parametrize("data", STRAYS.values(), ids=STRAYS.keys())
async def test_message_that_no_writer_stored_is_passed_over(store: MemoryStore, data: bytes):
    """The stream goes on behind it, now and after the next start, and no entry follows it."""
    ledger = await with_money(store)
    store.stray(BOOK, data)
    answer = await ledger.ask(asked("in", IN))
    store.stray(BOOK, data)
    again = keeper(store)
    await again.ask(asked("more", IN))

    assert (answer.status, ann(ledger), ann(again), again.folded.revision) == ("accepted", 1000, 1500, 5)

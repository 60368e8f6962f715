"""The listener: what it holds when something cannot be read or taken, what goes on meanwhile, and what a person lifts."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from services.wallet import reactions
from services.wallet.domain.ledger import LEDGER
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.desk import LiftQuarantine, SourceQuarantined
from shared.contracts.requests import encode_request
from shared.contracts.subjects import desk_stream, ledger_stream, log_of
from shared.contracts.wallet import OpenBook
from shared.kernel.folded import Asked
from shared.kernel.messages import HOUSE, Actor, Answer, Refused
from shared.kernel.reactions import Reaction, Source
from shared.runtime.clock import ManualClock
from shared.runtime.keepers import Keepers, Noun
from shared.runtime.listener import Listener
from shared.runtime.memory_store import MemoryStore
from shared.runtime.quarantine import DESK_NOUN, Desk
from tests.house_log import HandMadeLogs, split_round

DAY = "20261130"
TABLES = "LOG_TABLE_20261130"
BOOK = ledger_stream(DAY)
ROUND = "log.table.20261130.T1.round.000042"
OTHER = "log.table.20261130.T1.round.000043"


def noun_of(stream: str) -> Noun:
    """Return what is known about a stream of the wallet."""
    return DESK_NOUN if stream.endswith(".desk") else Noun(LEDGER)


class Wallet:
    """A wallet's listener over a store in memory.  While `is_broken` its reactions to one round fail."""

    def __init__(self) -> None:
        self.store = MemoryStore(itertools.count(1).__next__)
        for log in (TABLES, log_of(BOOK)):
            self.store.make_log(log)
        self.store.make_consumer(TABLES, "wallet")
        clock = ManualClock()
        self.is_broken = False
        self.alarms: list[str] = []
        self._lifts = itertools.count()
        self.keepers = Keepers(self.store, clock, "wallet-a", "test", noun_of)
        self.desk = Desk(self.keepers, "wallet", lambda: DAY, self._alarm)
        self.keepers.on_stored.append(self.desk.stored)
        self.listener = Listener(
            self.store,
            self.keepers,
            clock,
            self.desk,
            log_name=TABLES,
            durable="wallet",
            follow=self._follow,
            after=lambda: self.keepers.get(BOOK).folded.position.get(TABLES),
            alarm=self._alarm,
        )

    async def _alarm(self, kind: str, **facts: Any) -> None:
        self.alarms.append(kind)

    def _follow(self, event: Any, source: Source) -> list[Reaction]:
        if self.is_broken and source.stream == ROUND:
            raise LookupError("a part of the program that is not written yet")
        return reactions.follow(event, source)

    async def open(self, *players: str) -> None:
        """Open the book, with accounts and money."""
        commands: list[Any] = [OpenBook(day=DAY)]
        for player in players:
            commands += [OpenAccount(player=player, operator="house", currency="CAD"), Deposit(player=player, currency="CAD", minor=10_000)]
        for number, command in enumerate(commands):
            await self.keepers.ask(BOOK, Asked(f"begin {number}", command, HOUSE, 1))

    async def play(self, *streams: str) -> None:
        """Append a round in which ann and bob wager and are settled, under each of these names."""
        logs = HandMadeLogs()
        split_round(logs)
        for stream in streams:
            fence = 0
            for stored in logs.stored:
                entry = msgspec.json.decode(stored.data) | {"stream": stream}
                appended = await self.store.append(stream, msgspec.json.encode(entry), fence=fence)
                fence = appended.sequence  # type: ignore[union-attr]

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen until the end of the block."""
        listening = asyncio.create_task(self.listener.listen())
        try:
            yield
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def worked_off(self) -> None:
        """Return when everything in the tables' log is acknowledged."""
        async with asyncio.timeout(10):
            while self.store.log(TABLES).consumer("wallet").standing().acked < await self.store.end(TABLES):
                await asyncio.sleep(0.01)
                # What a hearing that ended was given comes again.
                self.store.redeliver(TABLES, "wallet")

    async def lift(self, subject: str) -> Answer:
        """Lift a quarantine, as the pit."""
        body = encode_request(f"lift-{next(self._lifts)}", LiftQuarantine(subject=subject))
        try:
            return await self.desk.command(Actor("staff", "pit"), body, self.listener.rehear)
        except Refused as refused:
            return refused.answer

    @property
    def held(self) -> list[tuple[str, str]]:
        """What is held, by subject and target."""
        return [(row.subject, row.target) for row in self.desk.rows()]

    def money(self, player: str) -> int:
        """Return what a player has."""
        account = self.keepers.get(BOOK).state.account(player, "CAD")
        return account.minor if account else 0


async def test_source_that_cannot_be_reacted_to_is_held_alone():
    """Another round is worked off as if nothing had been, and the alarm is raised once."""
    wallet = Wallet()
    wallet.is_broken = True
    await wallet.open("ann", "bob")
    async with wallet.listening():
        await wallet.play(ROUND, OTHER)
        await wallet.worked_off()

    assert (wallet.held, wallet.alarms, wallet.money("ann"), wallet.money("bob")) == (
        [(ROUND, "")],
        ["source_quarantined"],
        10_000 + 1_000,
        10_000 - 2_000,
    )


async def test_what_was_held_is_heard_when_it_is_lifted():
    """When the cause is mended, everything that was held is done, and the quarantine is gone."""
    wallet = Wallet()
    wallet.is_broken = True
    await wallet.open("ann", "bob")
    async with wallet.listening():
        await wallet.play(ROUND, OTHER)
        await wallet.worked_off()
        too_early = await wallet.lift(ROUND)
        wallet.is_broken = False
        lifted = await wallet.lift(ROUND)

    assert (too_early.code, lifted.status, wallet.held, wallet.money("ann")) == ("still_quarantined", "accepted", [], 10_000 + 2_000)


async def test_source_that_a_stream_cannot_take_is_held_for_that_stream():
    """Bob has no account, so his wager is refused; a settlement of it breaks an assertion, and only this round waits."""
    wallet = Wallet()
    await wallet.open("ann")
    async with wallet.listening():
        await wallet.play(ROUND)
        await wallet.worked_off()
        await wallet.open("ann", "bob")
        await wallet.play(OTHER)
        await wallet.worked_off()

    assert (wallet.held, wallet.money("bob")) == ([(ROUND, BOOK)], 10_000 - 2_000)


async def test_quarantine_that_could_not_be_written_down_is_written_when_there_is_room():
    """Until it is, the entry does not count as worked off."""
    wallet = Wallet()
    wallet.is_broken = True
    await wallet.open("ann", "bob")
    book = wallet.store.log(log_of(BOOK))
    book.is_full = True
    async with wallet.listening():
        await wallet.play(ROUND)
        async with asyncio.timeout(10):
            while "cannot_store" not in wallet.alarms:
                await asyncio.sleep(0.01)
        before = wallet.held
        book.is_full = False
        await wallet.worked_off()

    assert (before, wallet.held) == ([], [(ROUND, "")])


async def test_quarantines_are_remembered():
    """Another process finds on the desk what is held, and for whom."""
    wallet = Wallet()
    await wallet.open("ann")
    async with wallet.listening():
        await wallet.play(ROUND)
        await wallet.worked_off()
    desk = wallet.keepers.get(desk_stream("wallet", DAY)).state

    assert [(row.subject, row.target) for row in desk.open] == [(ROUND, BOOK)]


async def test_nothing_is_held_any_more_by_a_process_that_was_replaced():
    """A newer process has lifted the quarantine: what the older one would still hold must not count as worked off."""
    wallet = Wallet()
    wallet.is_broken = True
    await wallet.open("ann", "bob")
    async with wallet.listening():
        await wallet.play(ROUND)
        await wallet.worked_off()
        newer = Keepers(wallet.store, ManualClock(), "wallet-b", "test", noun_of)
        await newer.scan(log_of(BOOK))
        await newer.ask(desk_stream("wallet", DAY), Asked("lift", LiftQuarantine(subject=ROUND), Actor("staff", "pit"), 1))
        end = await wallet.store.end(TABLES)
        await wallet.store.append(ROUND, b"another entry", fence=end)
        async with asyncio.timeout(10):
            await wallet.keepers.stepped_down

    assert wallet.store.log(TABLES).consumer("wallet").standing().acked == end


async def test_quarantine_is_named_by_what_is_held_or_by_what_it_is_held_from():
    """A person may name either: the source, or the stream that could not take it."""
    row = SourceQuarantined(service="table", log=TABLES, subject=BOOK, sequence=1, reason="", target=ROUND)

    assert [row.concerns(stream) for stream in (BOOK, ROUND, OTHER)] == [True, True, False]


async def test_nothing_follows_from_a_message_that_no_writer_stored():
    """Bytes that are no entry, and every entry of a round on the subject of another one: an alarm each, and no money moves."""
    wallet = Wallet()
    await wallet.open("ann", "bob")
    async with wallet.listening():
        await wallet.play(ROUND)
        await wallet.worked_off()
        before = wallet.money("ann")
        entries = [stored.data for stored in wallet.store.log(TABLES).entries if stored is not None]
        for data in (b'{"total":0}', *entries):
            wallet.store.stray(OTHER, data)
        await wallet.worked_off()

    assert (wallet.held, wallet.alarms, wallet.money("ann")) == ([], ["stray"] * (1 + len(entries)), before)

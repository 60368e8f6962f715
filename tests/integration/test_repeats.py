"""The same request again and again: at once, later, after a crash and after a refusal; one effect, and the same answer."""

import signal
from collections import Counter

from feltlog.settings import open_table
from shared.contracts.cage import Deposit, OpenAccount, Withdraw
from shared.contracts.decisions import Double
from shared.contracts.language import types_of
from shared.contracts.table import CloseTable
from shared.contracts.wagers import PlaceWager
from shared.kernel.entry import decode_as
from shared.kernel.messages import ACCEPTED, PENDING, Answer
from shared.runtime.jetstream_store import JetStreamStore
from tests.integration.busy_house import BusyHouse, at_bets, at_turn, funds

TIMES = 5


async def decided(store: JetStreamStore, service: str, *ids: str) -> dict[str, list[str]]:
    """Return, for each of these requests, the events that followed from it, over all logs of a service."""
    found: dict[str, list[str]] = {id: [] for id in ids}
    for log in await store.logs(service):
        async for stored in store.read(log):
            for decision in decode_as(*types_of(stored.stream), stored.data).decisions:
                if decision.id in found:
                    found[decision.id] += [type(event).__name__ for event in decision.events]
    return found


def alike(answers: list[Answer]) -> set[tuple[str, str, bool]]:
    """Return the different answers among these."""
    return {(answer.status, answer.code, answer.final) for answer in answers}


async def test_wager_sent_again_and_again_is_one_wager(house: BusyHouse):
    """A player's request for money at risk: at once, later, and after a crash of the table; other content is told apart."""
    async with house.evening("T1") as play, house.seat("cyd") as cyd, house.voice("cyd", "table", "T2") as voice:
        felt = await at_bets(cyd)
        wager = PlaceWager(round=felt.round, box=3, stake_minor=20_00)
        answers = await voice.times(TIMES, "wager", wager)
        async with house.playing(cyd):
            await play.more_rounds(1)
            answers += await voice.times(2, "wager", wager)
            await house.restart("table")
            answers += await voice.times(2, "wager", wager)
            other = await voice.final("wager", PlaceWager(round=felt.round, box=3, stake_minor=30_00))
            await house.close_tables(play.pit)
    async with house.logs() as store:
        events = await decided(store, "table", "wager")

    assert (alike(answers), other.code, events) == ({("accepted", "", True)}, "id_reused", {"wager": ["WagerPlaced"]})


async def test_double_sent_again_and_again_is_one_double(house: BusyHouse):
    """A decision that puts more money at risk is taken once."""
    async with house.seat("cyd") as cyd, house.voice("cyd", "table", "T2") as voice, house.pit() as pit:
        await house.open_tables()
        felt = await at_turn(cyd, "double")
        assert felt.turn is not None
        double = Double(round=felt.round, box=felt.turn.box, hand=felt.turn.hand)
        answers = await voice.times(TIMES, "double", double)
        await house.restart("table")
        answers += await voice.times(TIMES, "double", double)
        other = await voice.final("double", Double(round=felt.round, box=felt.turn.box, hand=felt.turn.hand, stake_minor=10_00))
        await house.close_tables(pit)
    async with house.logs() as store:
        events = await decided(store, "table", "double")

    assert (alike(answers), other.code, events) == ({("accepted", "", True)}, "id_reused", {"double": ["WagerPlaced"]})


async def test_refused_wager_stays_refused(house: BusyHouse):
    """A refusal of money at risk is written down once and is the answer for good."""
    async with house.seat("cyd") as cyd, house.voice("cyd", "table", "T2") as voice, house.pit() as pit:
        await house.open_tables()
        felt = await at_bets(cyd)
        wager = PlaceWager(round=felt.round, box=3, stake_minor=1_00)
        answers = await voice.times(TIMES, "small", wager)
        await house.restart("table")
        answers += await voice.times(2, "small", wager)
        await house.close_tables(pit)
    async with house.logs() as store:
        events = await decided(store, "table", "small")

    assert (alike(answers), events) == ({("refused", "below_minimum", True)}, {"small": ["CommandRefused"]})


async def test_pending_answer_becomes_one_answer_and_stays(house: BusyHouse):
    """While the wallet is away a wager is pending; then it has its answer, also after a crash of the table."""
    async with house.seat("cyd") as cyd, house.pit() as pit:
        await pit.ask("wallet", "ledger", OpenAccount(player="eve", operator="house", currency="EUR"))
        await house.open_tables()
        felt = await at_bets(cyd)
        house.signal("wallet", signal.SIGSTOP)
        async with house.voice("cyd", "table", "T2") as rich, house.voice("eve", "table", "T2") as poor:
            wager = PlaceWager(round=felt.round, box=3, stake_minor=20_00)
            more = PlaceWager(round=felt.round, box=2, stake_minor=20_00)
            pending = [await rich.say("rich", wager), await poor.say("poor", more), await rich.say("rich", wager)]
            house.signal("wallet", signal.SIGCONT)
            final = [await rich.final("rich", wager), await poor.final("poor", more)]
            async with house.playing(cyd):
                await house.restart("table")
                stays = [await rich.say("rich", wager), await poor.say("poor", more)]
                await house.close_tables(pit)

    assert (pending, final[0], final[1].code, stays) == ([PENDING] * 3, ACCEPTED, "insufficient_funds", final)


async def test_staff_who_say_it_twice_are_answered_twice(house: BusyHouse):
    """Opening and closing a table: one effect each, the same answer as long as the day lasts."""
    rules = house.house.settings()
    opening = open_table(rules.house, rules.table[0])
    async with house.voice("pit", "table", "T1") as voice, house.pit() as pit:
        opened = await voice.times(TIMES, "open", opening)
        closed = await voice.times(TIMES, "close", CloseTable())
        await house.close_tables(pit)
        await house.restart("table")
        opened += await voice.times(2, "open", opening)
        closed += await voice.times(2, "close", CloseTable())
        other = await voice.final("open", CloseTable())
    async with house.logs() as store:
        events = await decided(store, "table", "open", "close")

    assert (alike(opened), alike(closed), other.code) == ({("accepted", "", True)}, {("accepted", "", True)}, "id_reused")
    assert Counter(name for each in events.values() for name in each)["TableOpened"] == 1
    assert events["close"][0] == "TableClosing"


async def test_money_moves_once_however_often_the_cage_says_so(house: BusyHouse):
    """Deposits, withdrawals and refused withdrawals, over a crash of the wallet."""
    async with house.voice("pit", "wallet", "ledger") as voice, house.pit() as pit:
        await pit.ask("wallet", "ledger", OpenAccount(player="fay", operator="house", currency="EUR"))
        too_much = await voice.times(TIMES, "too-much", Withdraw(player="fay", currency="EUR", minor=100))
        paid_in = await voice.times(TIMES, "in", Deposit(player="fay", currency="EUR", minor=500))
        paid_out = await voice.times(TIMES, "out", Withdraw(player="fay", currency="EUR", minor=200))
        await house.restart("wallet")
        too_much += await voice.times(2, "too-much", Withdraw(player="fay", currency="EUR", minor=100))
        paid_in += await voice.times(2, "in", Deposit(player="fay", currency="EUR", minor=500))
        paid_out += await voice.times(2, "out", Withdraw(player="fay", currency="EUR", minor=200))
        other = await voice.final("in", Deposit(player="fay", currency="EUR", minor=501))
        left = await funds(pit, "fay")

    assert (alike(paid_in), alike(paid_out), left) == ({("accepted", "", True)}, {("accepted", "", True)}, 300)
    assert (alike(too_much), other.code) == ({("refused", "insufficient_funds", True)}, "id_reused")

"""The reckoning: it finds nothing in a sound house, and everything that is planted in one that is not."""

import pytest

from services.wallet.views import Balance, balance
from shared.contracts.cage import Deposit
from shared.contracts.subjects import ledger_stream
from shared.contracts.wagers import PlaceWager
from shared.kernel.entry import Stored
from shared.kernel.messages import ACCEPTED, Actor, Answer
from tests.chaos.notebook import Asked, Notebook
from tests.chaos.reckoning import Logs, Reckoning, reckon
from tests.houses import WholeHouse

PLAYERS = ("ann", "bob")
PIT = Actor("staff", "pit")
NO = Answer("refused", "insufficient_funds", "No.")


class Evening:
    """A small evening whose players took notes, and what its logs hold."""

    def __init__(self) -> None:
        self.house = WholeHouse(3)
        self.notebook = Notebook()
        for player in PLAYERS:
            self.house.welcome(player, 0)
            self.pay_in(player, f"in-{player}", 10_000)
        self.house.open_table("T1", "ontario")
        for _ in range(4):
            self.house.play("T1", list(PLAYERS))
        self.stored: list[Stored] = self.house.stored
        self._take_notes()

    def pay_in(self, player: str, id: str, minor: int) -> None:
        """Bring money in and note the answer."""
        command = Deposit(player=player, currency="CAD", minor=minor)
        answer = self.house.ask(ledger_stream(self.house.day), command, PIT, id=id)
        self.notebook.asked[id] = Asked(id=id, actor="pit", service="wallet", target="ledger", command=command, replies=[answer])

    def _take_notes(self) -> None:
        """Note what players wagered in this house, and what they were told."""
        logs = self.logs(self.stored)
        for id, written in logs.written.items():
            decision = written[0].decision
            if decision.actor.role == "player":
                replies = [NO] if logs.dropped[id] else [ACCEPTED]
                self.notebook.asked[id] = Asked(
                    id=id, actor=decision.actor.id, service="table", target="T1", command=decision.command, replies=replies
                )

    def logs(self, stored: list[Stored]) -> Logs:
        """Return what these entries say."""
        logs = Logs()
        for one in stored:
            logs.take(one)
        return logs

    def balances(self) -> list[Balance]:
        """Return what the wallet says."""
        ledger = self.house.streams[ledger_stream(self.house.day)].state
        return [balance(ledger, player) for player in PLAYERS]

    def reckoned(self, stored: list[Stored] | None = None) -> Reckoning:
        """Return the reckoning over these entries, or over all."""
        return reckon(self.notebook, self.logs(self.stored if stored is None else stored), self.balances())

    def wager(self) -> Asked:
        """Return some wager that was accepted."""
        return next(asked for asked in self.notebook.asked.values() if isinstance(asked.command, PlaceWager) and asked.told == "accepted")


@pytest.fixture
def evening() -> Evening:
    """An evening."""
    return Evening()


def kinds(reckoning: Reckoning) -> set[str]:
    """Return the kinds of what was found."""
    return {found.what for found in reckoning.findings}


def test_sound_evening_has_nothing_to_be_found(evening: Evening):
    """Every request is in the logs once, and each balance is the player's own to the cent."""
    reckoning = evening.reckoned()

    assert (reckoning.findings, reckoning.lost, reckoning.doubled) == ([], 0, 0)


def test_acknowledged_deposit_that_is_not_in_the_logs_is_lost(evening: Evening):
    """Whoever was told yes and is not to be found was lied to."""
    command = Deposit(player="ann", currency="CAD", minor=1)
    evening.notebook.asked["ghost"] = Asked(id="ghost", actor="pit", service="wallet", target="ledger", command=command, replies=[ACCEPTED])
    reckoning = evening.reckoned()

    assert (reckoning.lost, kinds(reckoning)) == (1, {"acknowledged and lost", "a balance that is not the player's own"})


def test_entry_that_stands_there_twice_is_doubled(evening: Evening):
    """The last entry of the ledger once more: everything in it happened twice."""
    last = evening.house.of(ledger_stream(evening.house.day))[-1]
    reckoning = evening.reckoned([*evening.stored, last])

    assert "a round booked more than once" in kinds(reckoning)


def test_deposit_that_stands_there_twice_is_doubled(evening: Evening):
    """A deposit that was asked for once and moved money twice is counted."""
    paid = next(stored for stored in evening.stored if b'"in-ann"' in stored.data)
    reckoning = evening.reckoned([*evening.stored, paid])

    assert (reckoning.doubled, {"decided twice", "a balance that is not the player's own"} <= kinds(reckoning)) == (1, True)


def test_wager_that_was_refused_and_is_in_the_round_is_found(evening: Evening):
    """No means no."""
    evening.wager().replies[:] = [NO]

    assert "refused and done all the same" in kinds(evening.reckoned())


def test_yes_after_no_is_found(evening: Evening):
    """The same id is answered the same."""
    evening.wager().replies.append(NO)

    assert "answered with yes and with no" in kinds(evening.reckoned())


def test_payout_that_a_player_saw_otherwise_is_found(evening: Evening):
    """What the felt showed and what the ledger paid must be the same."""
    wager = evening.wager()
    evening.notebook.returned["ann"] = {wager.id: 1} if wager.actor == "ann" else {}
    evening.notebook.returned["bob"] = {wager.id: 1} if wager.actor == "bob" else {}

    assert kinds(evening.reckoned()) == {"a payout that the ledger does not know", "a balance that is not the player's own"}


def test_round_without_its_end_is_found(evening: Evening):
    """Every round that was opened has ended and was booked."""
    last = max(stored.sequence for stored in evening.stored if b'"table.RoundSettled.v1"' in stored.data)
    reckoning = evening.reckoned([stored for stored in evening.stored if stored.log != "LOG_TABLE_20261130" or stored.sequence != last])

    assert "rounds opened, ended, booked" in kinds(reckoning)

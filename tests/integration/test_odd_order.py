"""A table's log in an order that no table writes: what is over before it began moves nothing, though the wallet dies in between.

The table service is away, and somebody who has its key says in its name what a test wants.  The wallet is the real one.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from feltlog.machine import Machine
from feltlog.reconciling.report import reconciled
from shared.contracts.rounds import RoundVoided
from shared.contracts.stakes import StakeForgone, StakeReleased, StakeReserved
from shared.contracts.subjects import ledger_stream, round_name
from shared.contracts.wagers import LapseWagers, PlaceWager, SettlementLine, WagerLapsed, WagerPlaced, WagersSettled
from shared.kernel.messages import HOUSE, Actor
from shared.runtime.clock import SystemClock
from shared.runtime.connection import Endpoint, connect
from shared.runtime.event_store import Appended
from shared.runtime.jetstream_store import JetStreamStore
from tests import logs
from tests.integration.patience import until
from tests.integration.running_house import Floor, floor, furnish, table_rows

STAKE, WON, PAID_IN = 10_00, 20_00, 1_000_00
LAPSE = LapseWagers()
VOIDED = RoundVoided(reason="no dealer", shoes=("T1-S1",), cutting_card_out=False)


class Forger:
    """Somebody with the table service's key, who writes entries as the service would, in whatever order."""

    def __init__(self, store: JetStreamStore) -> None:
        self.player = "ann"
        self._store = store
        self._hand = logs.House()
        self._hand.now_ms = SystemClock().now_ms()
        self._fences: dict[str, int] = {}

    async def say(self, round: str, command: Any, *events: Any, actor: Actor = HOUSE) -> None:
        """Append an entry with one decision to a round, behind what was said there before."""
        stream = round_name(round).stream
        self._hand.write(stream, command, *events, actor=actor)
        appended = await self._store.append(stream, self._hand.of(stream)[-1].data, fence=self._fences.get(stream, 0))
        assert isinstance(appended, Appended), appended
        self._fences[stream] = appended.sequence

    async def places(self, round: str, wager: str) -> None:
        """Say that the player placed a wager."""
        by_ms = self._hand.now_ms + 60_000
        stake: dict[str, Any] = {"box": 1, "stake_minor": STAKE}
        placed = WagerPlaced(wager=wager, player=self.player, hand=1, kind="main", currency="EUR", reserve_by_ms=by_ms, **stake)
        await self.say(round, PlaceWager(round=round, **stake), placed, actor=Actor("player", self.player))

    async def lapses(self, round: str, wager: str) -> None:
        """Say that a wager is given up."""
        await self.say(round, LAPSE, WagerLapsed(wager=wager))

    async def wins(self, round: str, wager: str) -> None:
        """Say that a wager won."""
        line = SettlementLine(wager=wager, player=self.player, box=1, hand=1, kind="main", stake_minor=STAKE, returned_minor=WON)
        await self.say(round, LAPSE, WagersSettled(currency="EUR", lines=(line,)))


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A house whose table service is away."""
    data: Path = tmp_path_factory.mktemp("odd")
    furnish(data, table_rows("T1"))
    with Machine(data) as running:
        running.stop_process("table")
        yield running


@asynccontextmanager
async def forging(machine: Machine) -> AsyncIterator[Forger]:
    """Yield somebody who writes the tables' log."""
    client = await connect(Endpoint(url=machine.url, credentials=machine.credentials("table")))
    try:
        yield Forger(JetStreamStore(client))
    finally:
        await client.close()


async def heard(house: Floor, forger: Forger, number: int) -> None:
    """Return when the wallet has heard all that was said: it hears a day in order, and a later stake comes and goes."""
    round = round_of(house, number)
    await forger.places(round, f"w{number}")
    await until(lambda: moved(house, round, StakeReserved), "the ledger sets a stake aside")
    await forger.lapses(round, f"w{number}")
    await until(lambda: moved(house, round, StakeReleased), "the ledger gives a stake back")


def round_of(house: Floor, number: int) -> str:
    """Return a round that no table called."""
    return f"T1.{house.today}-{number:06}"


async def moved(house: Floor, round: str, *kinds: type[Any]) -> list[str]:
    """Return what the ledger says of a round, of some kinds or of all."""
    events = await house.events(ledger_stream(house.today))
    mine = [event for event in events if getattr(event, "round", None) == round]
    return [type(event).__name__ for event in mine if not kinds or isinstance(event, kinds)]


async def lies(house: Floor, player: str) -> tuple[int, int]:
    """Return what a player can use and what is set aside, in minor units."""
    (amount,) = (await house.pit.balance(player)).amounts
    return amount.available_minor, amount.set_aside_minor


async def test_stake_that_was_given_back_before_it_came_moves_nothing(machine: Machine):
    """Digitain: a void before its bet is remembered, and the bet moves nothing when it comes, behind a kill and however often."""
    async with floor(machine) as house, forging(machine) as forger:
        await house.welcome("ann", minor=PAID_IN)
        round = round_of(house, 901)
        await forger.lapses(round, "w")
        await until(lambda: moved(house, round, StakeForgone), "the ledger remembers the release")
        machine.kill("wallet")
        await forger.places(round, "w")
        await forger.lapses(round, "w")
        await forger.places(round, "w")
        await heard(house, forger, 902)
        said, left, differences = await moved(house, round), await lies(house, "ann"), (await reconciled(house.store, "")).differences

    assert (said, left, differences) == (["StakeForgone"], (PAID_IN, 0), [])


async def test_win_of_a_stake_that_was_given_back_before_it_came_is_not_paid(machine: Machine):
    """Void, void, bet, win: nobody staked anything, so nothing is won; and whoever reconciles is told that the table says otherwise."""
    async with floor(machine) as house, forging(machine) as forger:
        await house.welcome("bea", minor=PAID_IN)
        forger.player = "bea"
        round = round_of(house, 911)
        await forger.lapses(round, "v")
        await forger.lapses(round, "v")
        await until(lambda: moved(house, round, StakeForgone), "the ledger remembers the release")
        machine.kill("wallet")
        await forger.places(round, "v")
        await forger.wins(round, "v")
        await heard(house, forger, 912)
        said, left = await moved(house, round), await lies(house, "bea")
        differences = [(found.code, found.round) for found in (await reconciled(house.store, "")).differences]

    assert (said, left, differences) == (["StakeForgone"], (PAID_IN, 0), [("not_settled", round)])


async def test_stake_that_comes_behind_its_void_round_moves_nothing(machine: Machine):
    """The whole round is void, said twice, before its bet and its win are heard of."""
    async with floor(machine) as house, forging(machine) as forger:
        await house.welcome("cyd", minor=PAID_IN)
        forger.player = "cyd"
        round = round_of(house, 921)
        await forger.say(round, LAPSE, VOIDED)
        await forger.say(round, LAPSE, VOIDED)
        await until(lambda: moved(house, round), "the round is booked")
        machine.kill("wallet")
        await forger.places(round, "u")
        await forger.wins(round, "u")
        await heard(house, forger, 922)
        said, left = await moved(house, round), await lies(house, "cyd")

    assert (said, left) == (["RoundBooked"], (PAID_IN, 0))

"""Stakes: a wager's money, told by hand in the round's log and the ledger's."""

import pytest

from services.surveillance.domain.chain import Chain, check
from services.surveillance.domain.findings import Code
from services.surveillance.domain.heard import Heard
from services.surveillance.domain.stakes import Stakes
from shared.contracts.stakes import ReserveStake, StakeRefused, StakeReleased, StakeReserved
from shared.contracts.subjects import ledger_stream, round_stream
from shared.contracts.wagers import AcceptWager, LapseWagers, PlaceWager, RefuseWager, WagerAccepted, WagerLapsed, WagerPlaced, WagerRefused
from tests.logs import House

DAY = "20261130"
ROUND, LEDGER = round_stream(DAY, "T7", 1), ledger_stream(DAY)
ID = "T7.20261130-000001"
LOG = "LOG_TABLE_20261130"
RESERVE = ReserveStake(wager="w", round=ID, player="ann", currency="CAD", minor=400)


class Evening:
    """A wager's way through both logs."""

    def __init__(self) -> None:
        self.house = House()

    def placed(self) -> "Evening":
        """Ann places a wager."""
        event = WagerPlaced(wager="w", player="ann", box=1, hand=1, kind="main", stake_minor=400, currency="CAD", reserve_by_ms=0)
        self.house.write(ROUND, PlaceWager(round=ID, box=1, stake_minor=400), event)
        return self

    def accepted(self) -> "Evening":
        """The round takes it."""
        self.house.write(ROUND, AcceptWager(wager="w"), WagerAccepted(wager="w"))
        return self

    def refused(self) -> "Evening":
        """The round does not take it."""
        self.house.write(ROUND, RefuseWager(wager="w", code="x", message=""), WagerRefused(wager="w", code="x", message=""))
        return self

    def lapsed(self) -> "Evening":
        """The round waits no longer."""
        self.house.write(ROUND, LapseWagers(), WagerLapsed(wager="w"))
        return self

    def reserved(self, at: int = 1) -> "Evening":
        """The ledger sets the stake aside; it has worked off the table's log to there."""
        event = StakeReserved(wager="w", round=ID, player="ann", currency="CAD", minor=400, postings=())
        self.house.write(LEDGER, RESERVE, event, position={LOG: (at, 0, 0)})
        return self

    def denied(self) -> "Evening":
        """The ledger does not set the stake aside."""
        self.house.write(LEDGER, RESERVE, StakeRefused(wager="w", round=ID, code="x", message=""), position={LOG: (1, 0, 0)})
        return self

    def released(self, at: int = 2) -> "Evening":
        """The ledger gives the stake back."""
        event = StakeReleased(wager="w", round=ID, player="ann", currency="CAD", minor=400, postings=())
        self.house.write(LEDGER, RESERVE, event, position={LOG: (at, 0, 0)})
        return self

    def worked_off(self, at: int) -> "Evening":
        """The ledger moves on: another wager of another round is refused."""
        event = StakeRefused(wager="other", round="T9.20261130-000001", code="x", message="")
        self.house.write(LEDGER, RESERVE, event, position={LOG: (at, 0, 0)})
        return self

    def codes(self) -> list[tuple[Code, str]]:
        """What is found, at once and at the end."""
        stakes = Stakes(frozenset({ID}))
        found = []
        for one in self.house.stored:
            checked = check(Chain(one.stream), one)
            assert checked.entry is not None, "an entry by hand can be read"
            found += stakes.hear(Heard(log=one.log, sequence=one.sequence, digest=checked.digest, entry=checked.entry))
        return [(one.code, one.stream) for one in [*found, *stakes.left()]]


FINE = {
    "on its way": Evening().placed(),
    "set aside and in the round": Evening().placed().reserved().accepted(),
    "refused on both sides": Evening().placed().denied().refused(),
    "late and given back": Evening().placed().lapsed().reserved().released(),
    "late and never set aside": Evening().placed().lapsed().denied(),
    "late, and the ledger has not heard of it yet": Evening().placed().reserved().lapsed(),
}


@pytest.mark.parametrize("way", list(FINE))
def test_a_stake_that_went_its_way_is_fine(way: str):
    """A wager in the round has a stake set aside; one that is not in it has none."""
    assert FINE[way].codes() == []


WRONG = {
    "in the round without a stake": (Evening().placed().accepted(), [(Code.STAKE_MISSING, ROUND)]),
    "refused at the table alone": (Evening().placed().refused(), [(Code.STAKE_MISMATCH, ROUND)]),
    "refused at the table, set aside in the ledger": (
        Evening().placed().reserved().refused(),
        [(Code.STAKE_MISMATCH, LEDGER), (Code.STAKE_MISMATCH, ROUND)],
    ),
    "in the round, refused by the ledger": (
        Evening().placed().denied().accepted(),
        [(Code.STAKE_MISMATCH, LEDGER), (Code.STAKE_MISSING, ROUND)],
    ),
    "late and never given back": (Evening().placed().lapsed().reserved().worked_off(2), [(Code.RELEASE_MISSING, ROUND)]),
    "given back and still in the round": (Evening().placed().reserved().accepted().released(), [(Code.STAKE_MISMATCH, LEDGER)] * 2),
    "given back before it was set aside": (
        Evening().placed().lapsed().released(),
        [(Code.STAKE_TWICE, LEDGER)],
    ),
    "set aside for nobody": (Evening().reserved(), [(Code.STAKE_MISMATCH, LEDGER)]),
}


@pytest.mark.parametrize("way", list(WRONG))
def test_a_stake_that_went_another_way_is_found(way: str):
    """Table and ledger must tell the same of every stake."""
    evening, expected = WRONG[way]

    assert evening.codes() == expected

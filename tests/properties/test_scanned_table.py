"""Tables under a scanner, whatever it says and whatever people do meanwhile: nothing breaks, and no card is locked out."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from services.shoe.domain.scanned import takes
from services.shoe.domain.scanned_state import Scanned
from services.surveillance.domain.findings import Code
from services.table.domain.table_state import Table
from shared.contracts.dealing import CardDealt
from shared.contracts.decisions import DeclineInsurance, Hit, Split, Stand
from shared.contracts.rulings import AnyRuling, ApproveRuling, FaceUpCard, GameError, Misread, ProposeRuling, ReadAnew, VoidTheRound
from shared.contracts.subjects import round_name, table_stream
from shared.contracts.table import CallRound, CloseTable, EndDay, TellCard
from shared.contracts.wagers import CloseBetting, PlaceWager
from shared.kernel.cards import DECK
from shared.kernel.messages import Actor
from tests.forgery import found
from tests.houses import DAY, NEXT_DAY
from tests.procedure import see_to_the_cards
from tests.rulings import STAFF
from tests.scanned import CUTTING_CARD, EMPTY, KINDS, UNREAD, ScannedHouse, scanned

TABLE = table_stream(DAY, "T1")
PLAYERS = (Actor("player", "ann"), Actor("player", "bob"))
DEALER, PIT = Actor("staff", "dee", "dealer"), Actor("staff", "pit", "pit_boss")


class Wild:
    """An evening at a table whose scanner says anything at all, and whose people do anything at all."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        book = self.chance.choice(("ontario", "floor", "live"))
        rules = scanned(book, decks=1)
        if self.chance.random() < 0.3:
            rules = replace(rules, shoe=replace(rules.shoe, procedure="staff"))
        if book == "floor" and self.chance.random() < 0.5:
            rules = replace(rules, players_cards="down")
        self.house = ScannedHouse(seed, rules=rules, dealt=False)

    @property
    def table(self) -> Table:
        """The table's state."""
        state = self.house.streams[TABLE].state
        assert isinstance(state, Table)
        return state

    @property
    def shoe(self) -> Scanned | None:
        """The shoe under the scanner, if one is in use."""
        loaded = any(name.startswith("log.shoe.") for name in self.house.streams)
        shoe = self.house.shoe() if loaded else None
        return shoe if isinstance(shoe, Scanned) else None

    def scan(self) -> None:
        """Let the scanner see anything; a card that the decks do not have any more is likely."""
        saw = self.chance.choices((self.chance.choice(DECK), UNREAD, CUTTING_CARD, EMPTY), (60, 4, 2, 2))[0]
        if self.shoe is not None and takes(self.shoe, KINDS.get(saw, "card")):
            self.house.scan(saw)

    def does(self) -> None:
        """Let somebody do something."""
        if self.table.running:
            self.play()
        elif self.table.phase == "open":
            self.begin()
        elif self.chance.random() < 0.3:
            self.house.open_table("T1", self.house.rules.name, rules=self.house.rules)
        awaited = self.table.nameless
        if awaited is not None and self.chance.random() < 0.5:
            self.house.ask(TABLE, TellCard(shoe=awaited.shoe, index=awaited.index, card=self.chance.choice(DECK)), DEALER)
        if self.chance.random() < 0.02:
            self.house.ask(TABLE, CloseTable(), PIT)

    def begin(self) -> None:
        """Call a round, with one wager or two; see to the cards before, where that is for staff."""
        if not self.table.in_shoe and not self.table.retiring:
            see_to_the_cards(self.house, "T1")
        self.house.now_ms += 5_000
        if self.house.ask(TABLE, CallRound(), PIT).status == "accepted":
            for box, player in enumerate(self.chance.sample(PLAYERS, self.chance.choice((1, 2))), start=1):
                self.ask(PlaceWager(round=self.table.round, box=box, stake_minor=200), player)
            self.ask(CloseBetting(round=self.table.round), PIT)

    def play(self) -> None:
        """Let players decide, staff rule, or time pass."""
        if self.chance.random() < 0.15:
            proposed = ProposeRuling(round=self.table.round, ruling=self.ruling())
            if self.ask(proposed, STAFF[0]).status == "accepted":
                number = self.house.streams[self.round].state.proposals.made
                self.ask(ApproveRuling(round=self.table.round, proposal=number), STAFF[1])
            return
        for player in PLAYERS:
            for box in (1, 2):
                self.ask(self.chance.choice((Stand, Hit, Split))(round=self.table.round, box=box, hand=1), player)
            self.ask(DeclineInsurance(round=self.table.round, box=1), player)
        self.house.now_ms += self.chance.choice((0, 1_000, 40_000))

    def ruling(self) -> AnyRuling:
        """Return a ruling, most of them about cards."""
        dealt = [event for event in getattr(self.house.streams[self.round].state, "laid", ()) if isinstance(event, CardDealt)]
        wrong = [Misread(cards=(ReadAnew(index=event.index, card=self.chance.choice(DECK), shoe=event.shoe),)) for event in dealt[-1:]]
        rulings: tuple[AnyRuling, ...] = (FaceUpCard(), GameError(), VoidTheRound(), *wrong)
        return self.chance.choice(rulings)

    @property
    def round(self) -> str:
        """The stream of the latest round."""
        return round_name(self.table.round).stream

    def ask(self, command: Any, actor: Actor) -> Any:
        """Ask something of the latest round."""
        return self.house.ask(self.round, command, actor)


def evening(seed: int) -> Wild:
    """Return a wild evening."""
    wild = Wild(seed)
    for _ in range(wild.chance.randint(50, 250)):
        (wild.scan if wild.chance.random() < 0.6 else wild.does)()
    return wild


@pytest.mark.parametrize("seed", range(16))
def test_whatever_a_scanner_says_the_table_goes_on(seed: int):
    """Scanner page: no command breaks, and whoever waits for a card can have one that leaves the shoe."""
    wild = evening(seed)
    shoe = wild.shoe
    waits = shoe is not None and shoe.missing is None and (shoe.call is not None or not shoe.prepared)

    assert not waits or (shoe is not None and takes(shoe, "card"))


@pytest.mark.parametrize("seed", range(16, 28))
def test_surveillance_doubts_only_the_cards(seed: int):
    """What such a scanner says is not what lies there; every decision about it is sound."""
    wild = evening(seed)
    wild.house.ask(TABLE, EndDay(next_day=NEXT_DAY, next_day_ends_at_ms=wild.house.now_ms + 10**9))

    assert [one for one in found(wild.house.stored) if one.code is not Code.WRONG_CARDS] == []

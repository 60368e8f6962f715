"""The cage under any evening: money moves by two persons' word and by no other, and who is blocked places no stakes.

A gift is one person's word, and stays a gift until two have said that it becomes cash.

A model of a few lines knows what every account holds, what waits and who is blocked; it shares nothing with the ledger.  In the
end surveillance reads the whole book and must have nothing to say but that there were adjustments.
"""

from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec import UNSET

from services.surveillance.domain.findings import Code
from services.surveillance.domain.watch import Watch
from services.surveillance.redecide import Again
from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from shared.contracts.cage import (
    ANSWERABLE,
    BLOCK_REASONS,
    MAY,
    AdjustmentMade,
    AdjustmentReason,
    ApproveAdjustment,
    BlockAccount,
    DeclineAdjustment,
    Deposit,
    OpenAccount,
    ProposeAdjustment,
    UnblockAccount,
    Withdraw,
)
from shared.contracts.caps import AdjustmentCap
from shared.contracts.promo import CancelPromo, GrantPromo
from shared.contracts.stakes import ReserveStake, StakeReserved
from shared.contracts.wallet import OpenBook
from shared.kernel.folded import Asked, Folded, Pen, commit, draft, empty
from shared.kernel.messages import HOUSE, Actor, Answer
from tests.logs import stored

DAY = "20261130"
STREAM = f"log.wallet.{DAY}.ledger.0"
PEN = Pen("w", 1, "t")
PLAYERS = st.sampled_from(("ann", "bob"))
CAP = 500
STAFF = (
    Actor("staff", "pit", "pit_boss"),
    Actor("staff", "sue", "casino_supervisor"),
    Actor("staff", "lena", "support"),
    Actor("staff", "dee", "dealer"),
    Actor("staff", "eve"),
)
PERSONS = st.sampled_from(STAFF)
AMOUNTS = st.integers(1, 900)


class Evening(RuleBasedStateMachine):
    """A cage with five persons, two players and a table."""

    def __init__(self) -> None:
        super().__init__()
        self.folded: Folded[Ledger] = empty(LEDGER, STREAM)
        self.entries: list[bytes] = []
        self.cash: Counter[str] = Counter()
        """What each player has, below zero for what is owed, and the house with what it gave and took."""
        self.promo: Counter[str] = Counter()
        """What each player has of promotional money."""
        self.reserved: Counter[str] = Counter()
        self.waits: dict[str, tuple[str, str, int, AdjustmentReason]] = {}
        """Who proposed what for whom, and why."""
        self.over: list[str] = []
        self.made = 0
        self.blocks: set[tuple[str, str]] = set()
        self.number = 0

    def ask(self, command: Any, actor: Actor = HOUSE) -> tuple[Answer, list[Any]]:
        """Append what follows from a command, and return the answer and the events."""
        self.number += 1
        drafted = draft(LEDGER, self.folded, [Asked(f"asked {self.number}", command, actor, 1)], PEN, now_ms=1)
        assert not drafted.broken
        if drafted.entry is None:
            return drafted.answers[0], []
        commit(self.folded, drafted, self.folded.fence + 1)
        self.entries.append(drafted.data)
        return drafted.answers[0], [event for decision in drafted.entry.decisions for event in decision.events]

    @initialize()
    def open(self) -> None:
        """The book is open, and everybody has an account."""
        self.ask(OpenBook(day=DAY, caps=(AdjustmentCap(currency="CAD", minor=CAP),)))
        for player in ("ann", "bob"):
            self.ask(OpenAccount(player=player, operator="north", currency="CAD"))

    @rule(player=PLAYERS, minor=AMOUNTS)
    def bring(self, player: str, minor: int) -> None:
        """A deposit, also of who is blocked."""
        answer, _ = self.ask(Deposit(player=player, currency="CAD", minor=minor), STAFF[0])
        assert answer.status == "accepted"
        self.cash[player] += minor

    @rule(player=PLAYERS, minor=AMOUNTS)
    def take(self, player: str, minor: int) -> None:
        """A withdrawal, also of who is blocked; too much is refused."""
        answer, _ = self.ask(Withdraw(player=player, currency="CAD", minor=minor), STAFF[0])
        assert (answer.status == "accepted") == (self.cash[player] >= minor)
        self.cash[player] -= minor if answer.status == "accepted" else 0

    @rule(player=PLAYERS, minor=AMOUNTS, by=PERSONS)
    def give(self, player: str, minor: int, by: Actor) -> None:
        """Promotional money, by one person who may."""
        answer, _ = self.ask(GrantPromo(player=player, currency="CAD", minor=minor), by)
        assert (answer.status == "accepted") == (by.job in MAY[GrantPromo] and minor <= CAP)
        self.promo[player] += minor if answer.status == "accepted" else 0

    @rule(player=PLAYERS, minor=AMOUNTS, by=PERSONS)
    def take_back(self, player: str, minor: int, by: Actor) -> None:
        """Of promotional money what is not staked, by one person who may."""
        answer, _ = self.ask(CancelPromo(player=player, currency="CAD", minor=minor), by)
        assert (answer.status == "accepted") == (by.job in MAY[CancelPromo] and minor <= min(CAP, self.promo[player]))
        self.promo[player] -= minor if answer.status == "accepted" else 0

    @rule(player=PLAYERS, minor=AMOUNTS, promotional=st.booleans())
    def wager(self, player: str, minor: int, promotional: bool) -> None:
        """A stake: who is blocked places none, whatever the account holds; of a gift first, where tokens are wagers."""
        wager = f"w{self.number}"
        command = ReserveStake(
            wager=wager, round="T7.20261130-000001", player=player, currency="CAD", minor=minor, promotional=promotional or UNSET
        )
        _, events = self.ask(command)
        gift = min(minor, self.promo[player]) if promotional else 0
        may = max(self.cash[player], 0) >= minor - gift and not any(blocked == player for blocked, _ in self.blocks)
        assert [type(event) is StakeReserved for event in events] == [may]
        self.cash[player] -= minor - gift if may else 0
        self.promo[player] -= gift if may else 0
        self.reserved[player] += minor if may else 0

    @rule(player=PLAYERS, minor=st.integers(-700, 700), by=PERSONS, reason=st.sampled_from(("goodwill", "promo_redeemed")))
    def propose(self, player: str, minor: int, by: Actor, reason: AdjustmentReason) -> None:
        """A proposal moves nothing, whoever makes it; of a gift no more can be redeemed than there is."""
        before = self.folded.state.accounts
        command = ProposeAdjustment(player=player, currency="CAD", minor=minor, reason=reason)
        answer, _ = self.ask(command, by)
        may = by.job in MAY[ProposeAdjustment] and 0 < abs(minor) <= CAP and sum(who == by.id for who, *_ in self.waits.values()) < 16
        may = may and (reason == "goodwill" or 0 < minor <= self.promo[player])
        assert ((answer.status == "accepted"), self.folded.state.accounts) == (may, before)
        if may:
            self.made += 1
            self.waits[f"{DAY}-{self.made}"] = (by.id, player, minor, reason)

    @precondition(lambda self: self.waits or self.over)
    @rule(data=st.data(), by=PERSONS)
    def approve(self, data: st.DataObject, by: Actor) -> None:
        """Money moves once, if another person who may says so."""
        name = data.draw(st.sampled_from([*self.waits, *self.over]))
        proposer, player, minor, reason = self.waits.get(name, (by.id, "nobody", 0, "goodwill"))
        answer, events = self.ask(ApproveAdjustment(adjustment=name), by)
        may = proposer != by.id and by.job in ANSWERABLE and (reason == "goodwill" or minor <= self.promo[player])
        assert ((answer.status == "accepted"), [type(event) is AdjustmentMade for event in events]) == (may, [may])
        if may:
            self.cash[player] += minor
            if reason == "goodwill":
                self.cash["house"] -= minor
            else:
                self.promo[player] -= minor
            self.over.append(name)
            del self.waits[name]

    @precondition(lambda self: self.waits)
    @rule(data=st.data(), by=PERSONS)
    def decline(self, data: st.DataObject, by: Actor) -> None:
        """Nothing moves; whoever proposed it may say so as well."""
        name = data.draw(st.sampled_from([*self.waits]))
        answer, _ = self.ask(DeclineAdjustment(adjustment=name), by)
        may = by.job in ANSWERABLE or by.id == self.waits[name][0]
        assert (answer.status == "accepted") == may
        if may:
            self.over.append(name)
            del self.waits[name]

    @rule(player=PLAYERS, reason=st.sampled_from(BLOCK_REASONS[:2]), by=PERSONS)
    def block(self, player: str, reason: Any, by: Actor) -> None:
        """A block, once for each reason."""
        answer, _ = self.ask(BlockAccount(player=player, reason=reason), by)
        assert (answer.status == "accepted") == (by.job in MAY[BlockAccount] and (player, reason) not in self.blocks)
        if answer.status == "accepted":
            self.blocks.add((player, reason))

    @rule(player=PLAYERS, reason=st.sampled_from(BLOCK_REASONS[:2]), by=PERSONS)
    def unblock(self, player: str, reason: Any, by: Actor) -> None:
        """Its end."""
        answer, _ = self.ask(UnblockAccount(player=player, reason=reason, because="cleared"), by)
        assert (answer.status == "accepted") == (by.job in MAY[UnblockAccount] and (player, reason) in self.blocks)
        if answer.status == "accepted":
            self.blocks.remove((player, reason))

    @invariant()
    def is_what_it_must_be(self) -> None:
        """Every account holds what the model says, nothing is made or lost, and nobody owes what they have."""
        held = {name: account.minor for name, account in self.folded.state.accounts.get("CAD", {}).items()}
        for player in ("ann", "bob"):
            cash, owed = held.get(f"player/{player}/cash", 0), -held.get(f"player/{player}/owed", 0)
            assert (cash - owed, min(cash, owed), held.get(f"player/{player}/promo", 0)) == (self.cash[player], 0, self.promo[player])
        assert (sum(held.values()), held.get("house/win", 0)) == (0, self.cash["house"])
        assert held.get("round/T7.20261130-000001/escrow", 0) == self.reserved.total()

    def teardown(self) -> None:
        """Surveillance decides everything again, and tells of each adjustment and of nothing else."""
        watch = Watch(Again(), whole=False)
        found = [one for at, data in enumerate(self.entries, 1) for one in watch.hear(stored(STREAM, data, at, 1))]
        counts = watch.report(found).counts
        assert {one.code for one in found} <= {Code.ADJUSTED, Code.WRONG_CAUSE}
        assert sum(one.code is Code.ADJUSTED for one in found) == counts.adjustments


Evening.TestCase.settings = settings(max_examples=15, stateful_step_count=40)
test_an_evening_at_the_cage = Evening.TestCase

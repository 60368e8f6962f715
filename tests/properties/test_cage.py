"""The cage under any evening: money moves by two persons' word and by no other, and who is blocked places no stakes.

A model of a few lines knows what every account holds, what waits and who is blocked; it shares nothing with the ledger.  In the
end surveillance reads the whole book and must have nothing to say but that there were adjustments.
"""

from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

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
        self.reserved: Counter[str] = Counter()
        self.waits: dict[str, tuple[str, str, int]] = {}
        """Who proposed what for whom."""
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

    @rule(player=PLAYERS, minor=AMOUNTS)
    def wager(self, player: str, minor: int) -> None:
        """A stake: who is blocked places none, whatever the account holds."""
        _, events = self.ask(ReserveStake(wager=f"w{self.number}", round="T7.20261130-000001", player=player, currency="CAD", minor=minor))
        may = self.cash[player] >= minor and not any(blocked == player for blocked, _ in self.blocks)
        assert [type(event) is StakeReserved for event in events] == [may]
        self.cash[player] -= minor if may else 0
        self.reserved[player] += minor if may else 0

    @rule(player=PLAYERS, minor=st.integers(-700, 700), by=PERSONS)
    def propose(self, player: str, minor: int, by: Actor) -> None:
        """A proposal moves nothing, whoever makes it."""
        before = self.folded.state.accounts
        command = ProposeAdjustment(player=player, currency="CAD", minor=minor, reason="goodwill")
        answer, _ = self.ask(command, by)
        may = by.job in MAY[ProposeAdjustment] and 0 < abs(minor) <= CAP and sum(who == by.id for who, _, _ in self.waits.values()) < 16
        assert ((answer.status == "accepted"), self.folded.state.accounts) == (may, before)
        if may:
            self.made += 1
            self.waits[f"{DAY}-{self.made}"] = (by.id, player, minor)

    @precondition(lambda self: self.waits or self.over)
    @rule(data=st.data(), by=PERSONS)
    def approve(self, data: st.DataObject, by: Actor) -> None:
        """Money moves once, if another person who may says so."""
        name = data.draw(st.sampled_from([*self.waits, *self.over]))
        proposer, player, minor = self.waits.get(name, (by.id, "nobody", 0))
        answer, events = self.ask(ApproveAdjustment(adjustment=name), by)
        may = proposer != by.id and by.job in ANSWERABLE
        assert ((answer.status == "accepted"), [type(event) is AdjustmentMade for event in events]) == (may, [may])
        if may:
            self.cash[player] += minor
            self.cash["house"] -= minor
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
            assert (cash - owed, min(cash, owed)) == (self.cash[player], 0)
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

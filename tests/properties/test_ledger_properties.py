"""The ledger under an evening of any shape: money is conserved, nobody owes anything, and nothing happens twice.

A model of a few lines knows what every account must hold.  Reactions are heard again with the same id, with another id as
after a lifted quarantine, late, and in entries of several commands; now and then everything is read again from its bytes.
"""

from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, precondition, rule

from services.wallet.domain.carrying import carried
from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.posting import may_be_overdrawn
from services.wallet.domain.state import Ledger
from services.wallet.statement import statement
from services.wallet.views import balance
from shared.contracts.cage import Deposit, OpenAccount, Withdraw
from shared.contracts.stakes import BookRound, ReleaseStake, ReserveStake, SettledStake, SettleStakes, StakeReserved
from shared.contracts.wallet import CloseBook, LedgerCommand, OpenBook
from shared.kernel.entry import decode
from shared.kernel.folded import Asked, Folded, Pen, commit, draft, empty, fold
from shared.kernel.messages import HOUSE, Cause

STREAM = "log.wallet.20261130.ledger.0"
LOG = "LOG_TABLE_20261130"
PEN = Pen("w", 1, "t")
PLAYERS = ("ann", "bob", "cho")
AMOUNTS = st.integers(1, 900)


class Evening(RuleBasedStateMachine):
    """Players, rounds, and a table that says everything at least once."""

    rounds: Bundle[str] = Bundle("rounds")

    def __init__(self) -> None:
        super().__init__()
        self.folded: Folded[Ledger] = empty(LEDGER, STREAM)
        self.entries: list[bytes] = []
        self.said: list[Asked] = []
        self.held: Counter[str] = Counter()
        self.stakes: dict[str, tuple[str, str, int]] = {}
        self.wagers = 0
        self.number = 0

    def ask(self, *waiting: Asked) -> list[Any]:
        """Append what follows from commands, all at once, and return the events."""
        drafted = draft(LEDGER, self.folded, waiting, PEN, now_ms=1)
        assert not drafted.broken
        assert {answer.code for answer in drafted.answers} <= {"", "insufficient_funds"}
        if drafted.entry is None:
            return []
        commit(self.folded, drafted, self.folded.fence + 1)
        self.entries.append(drafted.data)
        return [event for decision in drafted.entry.decisions for event in decision.events]

    def hear(self, *commands: LedgerCommand) -> list[Any]:
        """Hear the table say something for the first time."""
        asked = []
        for command in commands:
            self.number += 1
            id, cause = f"heard {self.number}", Cause("log.table.20261130.T7.table", self.number, 0, 0)
            asked.append(Asked(id, command, HOUSE, 1, cause=cause, log=LOG, place=(self.number, 0, 0)))
        self.said += asked
        return self.ask(*asked)

    def told(self, command: LedgerCommand) -> list[Any]:
        """Be told something by the cage for the first time."""
        self.number += 1
        self.said.append(Asked(f"asked {self.number}", command, HOUSE, 1))
        return self.ask(self.said[-1])

    @initialize()
    def open(self) -> None:
        """The book is open, and everybody has an account."""
        self.told(OpenBook(day="20261130"))
        for player in PLAYERS:
            self.told(OpenAccount(player=player, operator="north", currency="CAD"))

    @rule(player=st.sampled_from(PLAYERS), minor=AMOUNTS)
    def bring(self, player: str, minor: int) -> None:
        """A deposit."""
        self.told(Deposit(player=player, currency="CAD", minor=minor))
        self.held[player] += minor
        self.held["outside"] -= minor

    @rule(player=st.sampled_from(PLAYERS), minor=AMOUNTS)
    def take(self, player: str, minor: int) -> None:
        """A withdrawal; too much is refused."""
        self.told(Withdraw(player=player, currency="CAD", minor=minor))
        if self.held[player] >= minor:
            self.held[player] -= minor
            self.held["outside"] += minor

    @rule(target=rounds)
    def call_round(self) -> str:
        """A round begins."""
        self.number += 1
        return f"T7.20261130-{self.number:06}"

    @rule(round=rounds, asked=st.lists(st.tuples(st.sampled_from(PLAYERS), AMOUNTS), min_size=1, max_size=4))
    def wager(self, round: str, asked: list[tuple[str, int]]) -> None:
        """Some wagers at once, some of them beyond what a player holds."""
        commands = []
        for player, minor in asked:
            self.wagers += 1
            commands.append(ReserveStake(wager=f"w{self.wagers}", round=round, player=player, currency="CAD", minor=minor))
            if self.held[player] >= minor:
                self.held[player] -= minor
                self.stakes[f"w{self.wagers}"] = (round, player, minor)
        reserved = {event.wager for event in self.hear(*commands) if isinstance(event, StakeReserved)}
        assert reserved == {command.wager for command in commands if command.wager in self.stakes}

    @precondition(lambda self: self.wagers)
    @rule(data=st.data())
    def lapse(self, data: st.DataObject) -> None:
        """A wager lapses, whatever has become of it."""
        wager = f"w{data.draw(st.integers(1, self.wagers))}"
        round, player, minor = self.stakes.pop(wager, ("T7.20261130-999999", "nobody", 0))
        self.hear(ReleaseStake(round=round, wager=wager))
        self.held[player] += minor

    @rule(round=consumes(rounds), share=st.integers(0, 3), times=st.integers(0, 5))
    def settle(self, round: str, share: int, times: int) -> None:
        """Some wagers are settled early, then the rest, then the round is booked."""
        wagers = [wager for wager, stake in self.stakes.items() if stake[0] == round]
        early, late = wagers[:share], wagers[share:]
        for wagers in (early, late):
            if wagers:
                self.hear(self.settlement(round, wagers, times))
        self.hear(BookRound(round=round, outcome="settled"))

    def settlement(self, round: str, wagers: list[str], times: int) -> SettleStakes:
        """Return lines in which some lose, some push and some win."""
        lines = []
        for place, wager in enumerate(wagers):
            _, player, minor = self.stakes.pop(wager)
            returned = minor * ((place + times) % 6) // 2
            self.held[player] += returned
            self.held["house"] += minor - returned
            lines.append(SettledStake(wager=wager, player=player, stake_minor=minor, returned_minor=returned))
        return SettleStakes(round=round, currency="CAD", lines=tuple(lines))

    @precondition(lambda self: self.said)
    @rule(data=st.data(), again=st.booleans())
    def repeat(self, data: st.DataObject, again: bool) -> None:
        """Something is said again, however late: with its id, or as a reaction under another one and without its place."""
        before = data.draw(st.sampled_from(self.said))
        repeated = before if again or before.cause is None else Asked(f"{before.id} again", before.command, HOUSE, 1, cause=before.cause)
        assert self.ask(repeated) == []

    @rule()
    def read_again(self) -> None:
        """What the bytes say is what is in memory."""
        read: Folded[Ledger] = empty(LEDGER, STREAM)
        for sequence, data in enumerate(self.entries, 1):
            fold(LEDGER, read, data, sequence)
        assert read == self.folded

    @rule()
    def carry(self) -> None:
        """If the book were closed now, the next one would begin with all that it holds."""
        cause = Asked("close", CloseBook(next_day="20261201"), HOUSE, 1)
        closed = draft(LEDGER, self.folded, [cause], PEN, now_ms=2)
        parts = carried(closed.state, self.folded.answers, self.folded.digest)
        tomorrow: Folded[Ledger] = empty(LEDGER, "log.wallet.20261201.ledger.0")
        asked = [Asked(f"part {number}", part, HOUSE, 1) for number, part in enumerate([*parts, OpenBook(day="20261201")])]
        opened = draft(LEDGER, tomorrow, asked, PEN, now_ms=3).state
        assert (opened.accounts, opened.stakes) == (self.folded.state.accounts, self.folded.state.stakes)

    @invariant()
    def is_conserved(self) -> None:
        """All balances sum to zero, and only the house and the world may be overdrawn."""
        ledger = self.folded.state
        owing = [name for name, account in ledger.accounts.get("CAD", {}).items() if account.minor < 0 and not may_be_overdrawn(name)]
        assert (ledger.total("CAD"), owing) == (0, [])

    @invariant()
    def is_what_it_must_be(self) -> None:
        """Every account holds what the model says, and so does every statement's last line."""
        ledger = self.folded.state
        found: Counter[str] = Counter()
        for name, account in ledger.accounts.get("CAD", {}).items():
            kind, *owner = name.split("/")
            found[owner[0] if kind == "player" else kind] += account.minor
        expected = Counter(self.held)
        expected["round"] += sum(minor for _, _, minor in self.stakes.values())
        assert {name: minor for name, minor in found.items() if minor} == {name: minor for name, minor in expected.items() if minor}

    def teardown(self) -> None:
        """A statement ends with what the account holds."""
        entries = [decode(LEDGER, data) for data in self.entries]
        for player in PLAYERS:
            rows = [row for row in statement(entries, player) if row.bucket == "cash"]
            assert not self.entries or rows[-1].balance_minor == balance(self.folded.state, player).amounts[0].available_minor


Evening.TestCase.settings = settings(max_examples=15, stateful_step_count=40)
test_an_evening_of_any_shape = Evening.TestCase

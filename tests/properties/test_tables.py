"""What holds for every table, in whatever order its shoes, its ledger and its rounds answer."""

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from feltlog.rehearsal.round import PEN
from services.table.domain.table import TABLE, UNBOOKED_MAX
from services.table.domain.table_state import Table
from services.table.reactions import timer
from shared.contracts.cutting import CutCalled, CutRevealed, CutSealed, NoteOrder, OrderNoted, RevealCut, SealCut, SealingClosed
from shared.contracts.table import (
    CallRound,
    CloseTable,
    DayClosed,
    EndDay,
    MountShoe,
    NoteBook,
    NoteBooking,
    NoteRetirement,
    RecordRound,
    RoundCalled,
    RoundRecorded,
    ShoeCalled,
    ShoeRetirementCalled,
    TableOpened,
)
from shared.kernel.cutting import seal
from shared.kernel.folded import Asked, Folded, commit, draft, empty, fold
from shared.kernel.messages import HOUSE, Actor
from tests.rounds import DAY_ENDS_AT_MS, open_table

PIT = Actor("staff", "pit")
PLAYERS = ("ann", "bob")
STREAM = "log.table.20261130.T7.table"
END = EndDay(next_day="20261201", next_day_ends_at_ms=2 * DAY_ENDS_AT_MS)


class Felt:
    """A table and the world around it: whatever it has asked for is answered some time, in any order."""

    def __init__(self, chance: Random) -> None:
        self.folded: Folded[Table] = empty(TABLE, STREAM)
        self.chance = chance
        self.entries: list[bytes] = []
        self.events: list[Any] = []
        self.asked: list[Asked] = []
        self.owed: list[Any] = []
        self.at_ms = 0

    def tell(self, command: Any, actor: Actor = HOUSE) -> None:
        """Decide a command and store what follows."""
        asked = Asked(f"c{len(self.asked)}", command, actor, self.at_ms)
        self.asked.append(asked)
        drafted = draft(TABLE, self.folded, [asked], PEN, now_ms=self.at_ms)
        assert not drafted.broken, drafted.broken
        if drafted.entry is None:
            return
        commit(self.folded, drafted, len(self.entries) + 1)
        self.entries.append(drafted.data)
        for event in drafted.entry.decisions[0].events:
            self.events.append(event)
            self.owed += self._owed_after(event)

    def step(self) -> None:
        """Let something happen: an answer, a clock, a person, or something said a second time."""
        self.at_ms += self.chance.choice((0, 10, 4_000))
        what = self.chance.randrange(12)
        if what < 6 and self.owed:
            self.tell(self.owed.pop(self.chance.randrange(len(self.owed))))
        elif what < 8:
            self.let_time_pass()
        elif what == 8:
            self.tell(self.chance.choice((CallRound(), CloseTable(), open_table("ontario"))), PIT)
        elif what > 9:
            self.speak_of_the_cut()
        elif self.asked:
            again = self.chance.choice(self.asked)
            self.tell(again.command, again.actor)

    def speak_of_the_cut(self) -> None:
        """Let a player seal or tell something, at the right moment or not."""
        player = self.chance.choice(PLAYERS)
        shoe = f"T7-S{max(1, self.folded.state.shoes - self.chance.randrange(2))}"
        secret = f"{self.chance.choice((1, 1, 1, 2)):064x}"
        given: Any = RevealCut(shoe=shoe, root="root", secret=secret)
        if self.chance.random() < 0.5:
            given = SealCut(shoe=shoe, root="root", seal=seal(shoe, player, secret))
        self.tell(given, Actor("player", player))

    def let_time_pass(self) -> None:
        """Fire what is due, or a moment too early."""
        due = timer(self.folded.state)
        if due is not None and (due.at_ms <= self.at_ms or self.chance.random() < 0.2):
            self.tell(END if isinstance(due.command, EndDay) else due.command)

    def end_day(self) -> None:
        """Let the day end and everything be answered."""
        self.at_ms = DAY_ENDS_AT_MS
        self.tell(END)
        while self.owed:
            self.tell(self.owed.pop(self.chance.randrange(len(self.owed))))

    def _owed_after(self, event: Any) -> list[Any]:
        match event:
            case TableOpened():
                return [NoteBook()]
            case ShoeCalled():
                return [NoteOrder(shoe=event.shoe, root="root")]
            case CutCalled():
                return [MountShoe(shoe=event.shoe, root="root", cards=312)]
            case ShoeRetirementCalled():
                return [NoteRetirement(shoe=event.shoe)]
            case RoundCalled():
                shoes = self.chance.choice(((), (event.shoe,), (event.shoe,), (event.shoe, f"{event.shoe}b")))
                out = self.chance.random() < 0.3
                ended = RecordRound(round=event.round, outcome="settled", revision=9, digest="d", shoes=shoes, cutting_card_out=out)
                return [ended, NoteBooking(round=event.round)]
            case _:
                return []


def played(seed: int) -> Felt:
    """Return a table after a random day, before its end."""
    felt = Felt(Random(seed))
    felt.tell(open_table("ontario"), PIT)
    for _ in range(felt.chance.randint(0, 120)):
        felt.step()
    return felt


seeds = st.integers(0, 2**32)


@given(seeds)
def test_table_closes_its_day_when_everything_is_answered(seed: int):
    """Log page, streams: between rounds, with no movement unanswered, every shoe's order open."""
    felt = played(seed)
    felt.end_day()
    closed = felt.events[-1]

    assert isinstance(closed, DayClosed)
    assert (closed.rounds, felt.folded.state.idle) == (sum(isinstance(event, RoundCalled) for event in felt.events), True)


@given(seeds)
def test_table_retires_every_shoe_that_it_called(seed: int):
    """Log page, secrets: at the end of the day nobody has to take an order on trust."""
    felt = played(seed)
    felt.end_day()
    called = {event.shoe for event in felt.events if isinstance(event, ShoeCalled)}
    retired = [event.shoe for event in felt.events if isinstance(event, ShoeRetirementCalled)]

    assert (len(retired), called - set(retired)) == (len(set(retired)), set())


@given(seeds)
def test_shoe_is_cut_by_what_was_sealed_before_and_told_after(seed: int):
    """ADR 0018: no secret stands in the log while seals are taken, and every seal stands in the cut, told or not."""
    felt = played(seed)
    felt.end_day()
    sealed: dict[str, dict[str, str]] = {}
    told: dict[str, dict[str, str]] = {}
    cuts: dict[str, list[tuple[str, str, str]]] = {}
    for event in felt.events:
        match event:
            case CutSealed():
                assert event.shoe not in told
                sealed.setdefault(event.shoe, {})[event.player] = event.seal
            case SealingClosed():
                told[event.shoe] = {}
            case CutRevealed():
                told[event.shoe][event.player] = event.secret
            case CutCalled():
                cuts[event.shoe] = [(each.player, each.seal, each.secret) for each in event.contributions]
            case _:
                pass
    expected = {
        shoe: [(player, mark, told.get(shoe, {}).get(player, "")) for player, mark in sorted(sealed.get(shoe, {}).items())] for shoe in cuts
    }

    assert cuts == expected


@given(seeds)
def test_shoe_is_replaced_by_one_that_is_committed(seed: int):
    """ADR 0018: retirement names the next shoe's commitment, unless no round follows."""
    felt = played(seed)
    felt.end_day()
    noted: dict[str, str] = {}
    wrong: list[ShoeRetirementCalled] = []
    for event in felt.events:
        if isinstance(event, OrderNoted):
            noted[event.shoe] = event.root
        if isinstance(event, ShoeRetirementCalled):
            is_committed = noted.get(event.next_shoe) == event.next_root != ""
            wrong += [event] if is_committed != (event.reason == "replaced") else []

    assert wrong == []


@given(seeds)
def test_table_plays_one_round_at_a_time(seed: int):
    """Log page, streams: every round that was called is recorded, once, before the next one; numbers have no gap."""
    felt = played(seed)
    felt.end_day()
    told = [event for event in felt.events if isinstance(event, RoundCalled | RoundRecorded)]
    called = [event.number for event in told if isinstance(event, RoundCalled)]

    assert [event.round for event in told[::2]] == [event.round for event in told[1::2]]
    assert called == list(range(1, len(called) + 1))


@given(seeds)
def test_table_never_runs_ahead_of_the_ledger(seed: int):
    """Log page, settlement: it opens no round after two rounds without an answer."""
    felt = played(seed)

    assert len(felt.folded.state.unbooked) <= UNBOOKED_MAX


@given(seeds)
def test_table_folds_to_the_state_after_its_drafts(seed: int):
    """House page: the log alone gives the state, byte for byte."""
    felt = played(seed)
    felt.end_day()
    again = empty(TABLE, STREAM)
    for sequence, data in enumerate(felt.entries, start=1):
        fold(TABLE, again, data, sequence)

    assert again == felt.folded


@given(seeds)
def test_repeated_command_of_a_table_adds_nothing(seed: int):
    """Log page, ids: the same id gets the same answer, and nothing is written a second time."""
    felt = played(seed)
    felt.end_day()
    drafted = draft(TABLE, felt.folded, felt.asked, PEN, now_ms=felt.at_ms)

    assert drafted.entry is None

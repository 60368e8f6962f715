"""A seat: one player at a live table of eight decks, and everybody whom the round asks for something.

What a round waits for stands last in what was decided.  So the one who deals, pays and plays here looks at nothing else
and answers at once; what an answer leads to is the round's own business.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.json import encode
from msgspec.structs import replace

from services.table.domain.hand import HARD_POINTS
from services.table.domain.playing import options
from services.table.domain.round import ROUND
from services.table.domain.state import Playing, Round
from shared.contracts.dealing import CardsCalled, DealCards, DealtCard, PeekCalled, TakePeek, TurnCalled, TurnHole
from shared.contracts.decisions import DecisionAwaited, DeclineInsurance, Double, Hit, InsuranceOpened, Split, Stand
from shared.contracts.rounds import OpenRound, RoundCommand, RoundEvent, RoundOpened, RoundSettled
from shared.contracts.subjects import round_stream
from shared.contracts.table import TableSettings
from shared.contracts.wagers import AcceptWager, CloseBetting, PlaceWager, WagerAccepted, WagerPlaced
from shared.kernel.cards import DECK, POINTS
from shared.kernel.entry import Decision, Entry
from shared.kernel.folded import Asked, Folded, Pen, commit, draft, empty
from shared.kernel.identity import digest
from shared.kernel.messages import HOUSE, Actor, Envelope
from shared.kernel.profile import Profile
from shared.runtime.shelf import profile
from tests.benchmarks.strategy import word

DECKS = 8
CUT = 3 / 4
"""Of the shoe; a shoe is shuffled before the first round that begins behind it, as the peer does."""
STAKE_MINOR = 1_000
NOW_MS = 1_000_000
ROOT = "0" * 64
ANN = Actor("player", "ann")
PIT = Actor("staff", "pit")
PEN = Pen("bench", 1, "bench")
LIVE = profile("live")
SETTINGS = TableSettings(
    operator="house",
    currency="EUR",
    boxes=1,
    minimum_minor=100,
    maximum_minor=50_000,
    dealer="automatic",
    betting_window_ms=10_000,
    decision_ms=15_000,
    reserve_ms=2_000,
    pause_ms=3_000,
)

Events = Sequence[RoundEvent]


class Shoe:
    """Whole decks, shuffled by Python's own `random`: by default eight, and again behind three quarters of them."""

    def __init__(self, decks: int = DECKS, cut: float = CUT, chance: random.Random | None = None) -> None:
        self._cards = list(DECK) * decks
        self._cut = cut * len(self._cards)
        self._shuffle = random.shuffle if chance is None else chance.shuffle
        self._drawn = 0
        self.hole = ""
        self.shuffle()

    def shuffle(self) -> None:
        """Put all cards back, in another order."""
        self._shuffle(self._cards)
        self._drawn = 0

    def begin(self) -> None:
        """Shuffle if the cut is reached."""
        if self._drawn > self._cut:
            self.shuffle()

    def draw(self, call: CardsCalled) -> DealCards:
        """Return the cards that a round calls for; the face of one that lies down is not told."""
        index, dealt = self._drawn, []
        for face in call.faces:
            card = self._cards[index]
            if face == "down":
                self.hole, card = card, ""
            dealt.append(DealtCard(index=index, card=card))
            index += 1
        self._drawn = index
        return DealCards(call_no=call.call_no, shoe=call.shoe, cards=tuple(dealt))


class Unlogged:
    """A round that is decided and folded, and nothing else."""

    def __init__(self, number: int) -> None:
        self.state: Round = ROUND.initial
        self._asked = 0

    def tell(self, command: RoundCommand, actor: Actor) -> Events:
        """Return what follows from a command."""
        self._asked += 1
        events = ROUND.decide(command, self.state, Envelope(str(self._asked), actor, NOW_MS, NOW_MS))
        self.state = ROUND.after(self.state, events)
        return events


class Logged:
    """A round that is written down: an entry for each decision, encoded, and bound to the bytes of the entry before it."""

    def __init__(self, number: int) -> None:
        self.state: Round = ROUND.initial
        self.entries: list[bytes] = []
        self.stream = round_stream("20261130", "T7", number)
        self._blank: Entry[RoundCommand, RoundEvent] = Entry(
            stream=self.stream,
            revision=0,
            at_ms=NOW_MS,
            writer=PEN.writer,
            epoch=PEN.epoch,
            software=PEN.software,
            prev="",
            decisions=(),
        )
        """What every entry of the stream says."""
        self._digest = ""

    def tell(self, command: RoundCommand, actor: Actor) -> Events:
        """Return what follows from a command."""
        entries = self.entries
        revision = len(entries) + 1
        id = str(revision)
        events = ROUND.decide(command, self.state, Envelope(id, actor, NOW_MS, NOW_MS))
        self.state = ROUND.after(self.state, events)
        decision = Decision(id=id, command=command, actor=actor, received_at_ms=NOW_MS, events=tuple(events))
        data = encode(replace(self._blank, revision=revision, prev=self._digest, decisions=(decision,)))
        self._digest = digest(data)
        entries.append(data)
        return events


class Drafted:
    """A round that is written down as services do it: the same entries, with all that is kept beside them.

    Ids are looked up and remembered with their answers, so that nothing happens twice; what is drafted is committed when it is
    stored, and what does not fit into an entry waits for the next one.
    """

    def __init__(self, number: int) -> None:
        self.folded: Folded[Round] = empty(ROUND, round_stream("20261130", "T7", number))
        self.entries: list[bytes] = []

    @property
    def state(self) -> Round:
        """The round so far."""
        return self.folded.state

    def tell(self, command: RoundCommand, actor: Actor) -> Events:
        """Return what follows from a command."""
        asked = Asked(str(len(self.entries) + 1), command, actor, NOW_MS)
        drafted = draft(ROUND, self.folded, [asked], PEN, now_ms=NOW_MS)
        assert drafted.entry is not None, f"nobody at this seat is refused: {drafted.answers}"
        self.entries.append(drafted.data)
        commit(self.folded, drafted, len(self.entries))
        return drafted.entry.decisions[0].events


Log = Unlogged | Logged | Drafted


def play(log: Log, shoe: Shoe, number: int, rules: Profile = LIVE) -> RoundSettled:
    """Play one round to its end, and return that."""
    shoe.begin()
    id = f"T7.20261130-{str(number).zfill(6)}"
    opening = OpenRound(round=id, number=number, table="T7", day="20261130", profile=rules, settings=SETTINGS, shoe="T7-S1", root=ROOT)
    last = log.tell(opening, HOUSE)[-1]
    while (answer := ANSWERS.get(type(last))) is not None:
        command, actor = answer(last, log, shoe)
        last = log.tell(command, actor)[-1]
    assert isinstance(last, RoundSettled), f"nobody waits for anything after {last}"
    return last


Said = tuple[RoundCommand, Actor]


def _wager(event: RoundOpened, log: Log, shoe: Shoe) -> Said:
    return PlaceWager(round=event.round, box=1, stake_minor=STAKE_MINOR), ANN


def _close(event: WagerAccepted, log: Log, shoe: Shoe) -> Said:
    return CloseBetting(), PIT


def _reserve(event: WagerPlaced, log: Log, shoe: Shoe) -> Said:
    return AcceptWager(wager=event.wager), HOUSE


def _deal(event: CardsCalled, log: Log, shoe: Shoe) -> Said:
    return shoe.draw(event), HOUSE


def _insure(event: InsuranceOpened, log: Log, shoe: Shoe) -> Said:
    return DeclineInsurance(round=_playing(log).opened.round, box=1), ANN


def _peek(event: PeekCalled, log: Log, shoe: Shoe) -> Said:
    return TakePeek(blackjack=HARD_POINTS[shoe.hole] == 10), HOUSE


def _choose(event: DecisionAwaited, log: Log, shoe: Shoe) -> Said:
    playing = _playing(log)
    hand, dealer = playing.hands[event.hand - 1], POINTS[playing.dealer.cards[0]]
    said = word(hand.points, POINTS[hand.cards[0]], dealer, soft=hand.soft, options=options(hand, playing))
    return WORDS[said](round=playing.opened.round, box=1, hand=event.hand), ANN


def _turn(event: TurnCalled, log: Log, shoe: Shoe) -> Said:
    return TurnHole(index=event.index, card=shoe.hole), HOUSE


def _playing(log: Log) -> Playing:
    state = log.state
    assert isinstance(state, Playing), "cards are out"
    return state


WORDS: dict[str, Callable[..., RoundCommand]] = {"hit": Hit, "stand": Stand, "double": Double, "split": Split}
ANSWERS: dict[type, Callable[[Any, Log, Shoe], Said]] = {
    RoundOpened: _wager,
    WagerPlaced: _reserve,
    WagerAccepted: _close,
    CardsCalled: _deal,
    InsuranceOpened: _insure,
    PeekCalled: _peek,
    DecisionAwaited: _choose,
    TurnCalled: _turn,
}
"""What is said, and by whom, after what stands last in a decision."""

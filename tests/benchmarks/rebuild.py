"""`rebuild`: from stored bytes back to state, against an aggregate of `eventsourcing` with the same events.

Ours decodes and checks whole entries and folds their events; the peer gets each round as an aggregate of its own from its
store in memory, with its own JSON transcoding.  Both sides rebuild the same rounds, event for event and field for field.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from services.table.domain.round import ROUND
from services.table.domain.state import Over
from shared.kernel.folded import empty, fold
from tests.benchmarks.pairing import paired, per_cpu_second
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.seat import Logged, Shoe, play


class PeerRound(Aggregate):
    """A round as users of `eventsourcing` write one; it keeps what ours keeps of an ordinary round, and checks nothing."""

    @event("RoundOpened")
    def __init__(self, opened: dict[str, Any]) -> None:
        self.opened = opened
        self.wagers: list[dict[str, Any]] = []
        self.pending: list[dict[str, Any]] = []
        self.hands: dict[int, list[str]] = {}
        self.dealer: list[str] = []
        self.ends: dict[int, str] = {}
        self.awaiting: Any = None
        self.results: Any = None
        self.over = False

    @event("WagerPlaced")
    def wager_placed(
        self, wager: str, player: str, box: int, hand: int, kind: str, stake_minor: int, currency: str, reserve_by_ms: int
    ) -> None:
        """Keep the pending wager."""
        self.pending.append({"wager": wager, "player": player, "box": box, "hand": hand, "kind": kind, "stake_minor": stake_minor})

    @event("WagerAccepted")
    def wager_accepted(self, wager: str) -> None:
        """Take the wager into the round."""
        self.wagers += [each for each in self.pending if each["wager"] == wager]
        self.pending = [each for each in self.pending if each["wager"] != wager]

    @event("CardsCalled")
    def cards_called(self, call_no: int, shoe: str, faces: list[str]) -> None:
        """Wait for cards."""
        self.awaiting = faces

    @event("CardDealt")
    def card_dealt(self, box: int, hand: int, card: str, shoe: str, index: int) -> None:
        """Put a card where it belongs."""
        if box:
            self.hands.setdefault(hand, []).append(card)
        else:
            self.dealer.append(card)

    @event("DecisionAwaited")
    def decision_awaited(self, number: int, box: int, hand: int, player: str, until_ms: int) -> None:
        """Wait for a player."""
        self.awaiting = (number, box, hand, until_ms)

    @event("HandCompleted")
    def hand_completed(self, box: int, hand: int, how: str) -> None:
        """Note how a hand ended."""
        self.ends[hand] = how

    @event("HoleCardTurned")
    def hole_card_turned(self, card: str, shoe: str, index: int) -> None:
        """Open the dealer's card."""
        self.dealer.append(card)

    @event("HandsDecided")
    def hands_decided(self, dealer_cards: list[str], dealer_total: int, hands: list[dict[str, Any]]) -> None:
        """Keep the outcomes."""
        self.results = hands

    @event("WagersSettled")
    def wagers_settled(self, currency: str, lines: list[dict[str, Any]]) -> None:
        """Let go of what is settled."""
        settled = {line["wager"] for line in lines}
        self.wagers = [each for each in self.wagers if each["wager"] not in settled]

    @event("RoundSettled")
    def round_settled(self, staked_minor: int, returned_minor: int, shoes: list[str], cutting_card_out: bool) -> None:
        """End the round."""
        self.over = True

    @event("Noted")
    def noted(self, what: dict[str, Any]) -> None:
        """Take note of anything else that a round goes through."""
        self.awaiting = what


METHODS = {
    "WagerPlaced": PeerRound.wager_placed,
    "WagerAccepted": PeerRound.wager_accepted,
    "CardsCalled": PeerRound.cards_called,
    "CardDealt": PeerRound.card_dealt,
    "DecisionAwaited": PeerRound.decision_awaited,
    "HandCompleted": PeerRound.hand_completed,
    "HoleCardTurned": PeerRound.hole_card_turned,
    "HandsDecided": PeerRound.hands_decided,
    "WagersSettled": PeerRound.wagers_settled,
    "RoundSettled": PeerRound.round_settled,
}


def logged_rounds(amount: int) -> list[Logged]:
    """Return so many rounds with their logs."""
    shoe = Shoe()
    rounds = [Logged(number) for number in range(1, amount + 1)]
    for number, log in enumerate(rounds, 1):
        play(log, shoe, number)
    return rounds


def events_of(log: Logged) -> list[Any]:
    """Return the events of a round's log."""
    decisions = [decision for data in log.entries for decision in msgspec.json.decode(data)["decisions"]]
    return [happened for decision in decisions for happened in decision["events"]]


def saved(app: Application[UUID], log: Logged) -> UUID:
    """Save a round's events as the peer's, and return its id."""
    opened, *events = events_of(log)
    aggregate = PeerRound(opened=opened)
    for what in events:
        name = what.pop("type").split(".")[1]
        if name in METHODS:
            getattr(aggregate, METHODS[name].__name__)(**what)
        else:
            aggregate.noted(what=what)
    app.save(aggregate)
    return aggregate.id


def rebuild_ours(rounds: Sequence[Logged]) -> None:
    """Fold each round from its bytes, as a service does that starts."""
    for log in rounds:
        folded = empty(ROUND, log.stream)
        for sequence, data in enumerate(log.entries, 1):
            fold(ROUND, folded, data, sequence)
        assert isinstance(folded.state, Over), "a whole round was folded"


def rebuild_theirs(app: Application[UUID], ids: Sequence[UUID]) -> None:
    """Get each round from the peer's store."""
    for id in ids:
        got: PeerRound = app.repository.get(id)
        assert got.over, "a whole round was rebuilt"


def run(effort: Effort, tell: Tell) -> list[Row]:
    """Rebuild the same rounds on both sides."""
    tell("playing the rounds")
    rounds = logged_rounds(effort.amount)
    events = sum(len(events_of(log)) for log in rounds)
    app: Application[UUID] = Application()
    ids = [saved(app, log) for log in rounds]
    row = paired(
        "rebuild",
        "events/s",
        lambda: per_cpu_second(events, lambda: rebuild_ours(rounds)),
        "eventsourcing",
        lambda: per_cpu_second(events, lambda: rebuild_theirs(app, ids)),
        at_least=8.0,
        times=effort.times,
        tell=tell,
    )
    return [row]


REBUILD = Bench(run=run, amount=300, times=20, about="events decoded and folded")

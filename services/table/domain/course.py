"""The course of a decision: the events that follow so far, and the round after them.

What comes next depends on what has just happened (a card that makes 21 completes a hand, which calls the next one), so
each event is remembered as soon as it is decided.
"""

from services.table.domain.evolve import REMEMBERED, dealt_together
from services.table.domain.state import Cards, Laying, Playing, Round
from shared.contracts.dealing import CardDealt, CardsCalled, Face
from shared.contracts.rounds import RoundEvent
from shared.kernel import decider


class Course(decider.Course[Round, RoundEvent]):
    """Events that follow from one command, decided at `at_ms`."""

    __slots__ = ("at_ms", "playing")

    playing: Playing
    """The round so far, where it is known that cards are out: the same as `state`."""

    def __init__(self, round_: Round, at_ms: int) -> None:
        self.at_ms = at_ms
        self.state = self.playing = round_  # type: ignore[assignment]

    def add(self, event: RoundEvent) -> None:
        """Let `event` follow."""
        self.append(event)
        state = self.state
        self.state = self.playing = REMEMBERED[type(state)][type(event)](state, event)  # type: ignore[assignment]

    def lay(self, cards: list[Laying]) -> None:
        """Let cards of the outstanding call follow, each at its place."""
        if len(cards) == 1:
            self.add(cards[0])
        elif cards:
            self.extend(cards)
            self.state = self.playing = dealt_together(self.playing, cards)

    def call_cards(self, *faces: Face) -> None:
        """Ask the shoe for cards; one call is outstanding at a time."""
        playing = self.playing
        assert type(playing.awaiting) is not Cards, "one call is outstanding at a time"
        if playing.exposed:
            # ON-11.3: what lies open beside the hands is the next card, and the round goes on from there.
            box, hand = playing.drawing
            card = playing.exposed[0]
            self.add(CardDealt(box=box, hand=hand, card=card.card, shoe=card.shoe, index=card.index))
            return
        self.add(CardsCalled(call_no=playing.call_no + 1, shoe=playing.shoe, faces=faces))

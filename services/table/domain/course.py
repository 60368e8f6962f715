"""The course of a decision: the events that follow so far, and the round after them.

What comes next depends on what has just happened (a card that makes 21 completes a hand, which calls the next one), so
each event is remembered as soon as it is decided.
"""

from services.table.domain.evolve import evolve
from services.table.domain.state import Cards, Playing, Round
from shared.contracts.table import CardDealt, CardsCalled, Face, RoundEvent
from shared.kernel import decider


class Course(decider.Course[Round, RoundEvent]):
    """Events that follow from one command, decided at `at_ms`."""

    __slots__ = ("at_ms", "state")

    def __init__(self, round_: Round, at_ms: int) -> None:
        self.at_ms = at_ms
        self.state = round_

    def add(self, event: RoundEvent) -> None:
        """Let `event` follow."""
        self.append(event)
        self.state = evolve(self.state, event)

    @property
    def playing(self) -> Playing:
        """The round so far, which is in play."""
        round_ = self.state
        assert isinstance(round_, Playing), "cards are out"
        return round_

    def call_cards(self, *faces: Face) -> None:
        """Ask the shoe for cards; one call is outstanding at a time."""
        playing = self.playing
        assert not isinstance(playing.awaiting, Cards), "one call is outstanding at a time"
        if playing.exposed:
            # ON-11.3: what lies open beside the hands is the next card, and the round goes on from there.
            box, hand = playing.drawing
            card = playing.exposed[0]
            self.add(CardDealt(box=box, hand=hand, card=card.card, shoe=card.shoe, index=card.index))
            return
        self.add(CardsCalled(call_no=playing.call_no + 1, shoe=playing.shoe, faces=faces))

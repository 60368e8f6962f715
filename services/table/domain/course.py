"""The course of a decision: the events that follow so far, and the round after them.

What comes next depends on what has just happened (a card that makes 21 completes a hand, which calls the next one), so
each event is remembered as soon as it is decided.
"""

from services.table.domain.evolve import evolve
from services.table.domain.state import Cards, Playing, Round
from shared.contracts.table import CardsCalled, Face, RoundEvent


class Course:
    """Events that follow from one command, decided at `at_ms`."""

    __slots__ = ("_remembered", "_round", "at_ms", "events")

    def __init__(self, round_: Round, at_ms: int) -> None:
        self.at_ms = at_ms
        self.events: list[RoundEvent] = []
        self._round = round_
        self._remembered = 0

    def add(self, event: RoundEvent) -> None:
        """Let `event` follow."""
        self.events.append(event)

    @property
    def round(self) -> Round:
        """The round after the events so far; what nobody asks about is not worked out."""
        for event in self.events[self._remembered :]:
            self._round = evolve(self._round, event)
        self._remembered = len(self.events)
        return self._round

    @property
    def playing(self) -> Playing:
        """The round so far, which is in play."""
        round_ = self._round if self._remembered == len(self.events) else self.round
        assert isinstance(round_, Playing), "cards are out"
        return round_

    def call_cards(self, *faces: Face) -> None:
        """Ask the shoe for cards; one call is outstanding at a time."""
        playing = self.playing
        assert not isinstance(playing.awaiting, Cards), "one call is outstanding at a time"
        self.add(CardsCalled(call_no=playing.call_no + 1, shoe=playing.shoe, faces=faces))

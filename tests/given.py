"""Given, when, then: tests of deciders as sentences, in events and commands alone."""

from collections.abc import Sequence
from typing import Any

from shared.kernel.decider import Decider
from shared.kernel.messages import HOUSE, Actor, Envelope, Refused


class Given:
    """A noun after some events; `when` decides one command on it."""

    def __init__(self, decider: Decider[Any, Any, Any], events: Sequence[Any]) -> None:
        self._decider = decider
        self.state = decider.initial
        for event in events:
            self.state = decider.evolve(self.state, event)

    def when(
        self, command: Any, *, by: Actor | str = HOUSE, at_ms: int = 1_000, received_at_ms: int | None = None, id: str = "asked"
    ) -> "Outcome":
        """Decide a command; a plain name is a player's."""
        actor = Actor("player", by) if isinstance(by, str) else by
        envelope = Envelope(id, actor, at_ms if received_at_ms is None else received_at_ms, at_ms)
        try:
            return Outcome(self._decider.decide(command, self.state, envelope), None)
        except Refused as why:
            return Outcome([], why)


class Outcome:
    """What followed from a command."""

    def __init__(self, events: list[Any], why: Refused | None) -> None:
        self.events = events
        self.why = why

    def then(self, *events: Any) -> None:
        """Exactly these events followed."""
        assert self.why is None, f"refused: {self.why}"
        assert self.events == list(events)

    def then_among(self, *events: Any) -> None:
        """These events followed, in this order, others between them."""
        assert self.why is None, f"refused: {self.why}"
        assert [event for event in self.events if event in events] == list(events)

    def refused(self, code: str) -> None:
        """The command was refused, and nothing was written down."""
        assert self.why is not None, f"not refused; {self.events} followed"
        assert self.why.code == code

    def refused_in_writing(self, code: str) -> None:
        """The command was refused, and the refusal was written down."""
        assert [getattr(event, "code", None) for event in self.events] == [code]


def given(decider: Decider[Any, Any, Any], *events: Any) -> Given:
    """Return a noun after these events."""
    return Given(decider, events)

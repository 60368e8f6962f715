"""The decider: three things that make a noun of the domain, and nothing else.

`decide` says what follows from a command or raises `Refused`; `evolve` remembers what happened and never refuses;
`initial` is what is known before anything happened.  All three are pure.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Generic, TypeVar

from shared.kernel.messages import Envelope

State = TypeVar("State")
C = TypeVar("C")
E = TypeVar("E")


class Course(list[E], Generic[State, E]):
    """Events that follow from one command, and in `state` what they leave behind.

    A decider that must know what has just happened to say what happens next has folded its events already.  It returns them
    so, and nobody folds them a second time.
    """

    __slots__ = ("state",)

    state: State


@dataclass(frozen=True)
class Decider(Generic[State, C, E]):
    """A noun of the domain."""

    name: str
    initial: State
    decide: Callable[[C, State, Envelope], list[E]]
    evolve: Callable[[State, E], State]
    command_type: Any
    """The union of its commands, for decoding."""
    event_type: Any
    """The union of its events, for decoding."""

    def after(self, state: State, events: Sequence[E]) -> State:
        """Return `state` after the events that were decided on it."""
        if isinstance(events, Course):
            reached: State = events.state
            return reached
        return reduce(self.evolve, events, state)

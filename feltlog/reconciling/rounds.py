"""What the rounds of a day say of their own money, and where they say it."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from feltlog.reconciling.place import Place, places
from shared.contracts.rounds import RoundSettled, RoundVoided
from shared.contracts.wagers import SettlementLine, WagerAccepted, WagerLapsed, WagerPlaced, WagerRefused, WagersCorrected, WagersSettled
from shared.kernel.entry import Entry, Stored


@dataclass
class Wager:
    """One wager, as its round tells it."""

    placed: tuple[Place, WagerPlaced] | None = None
    fate: tuple[Place, str] | None = None
    """Where it was accepted, refused, or lapsed."""
    line: tuple[Place, str, SettlementLine] | None = None
    """Where it was settled, in which currency, and how."""


@dataclass
class Round:
    """The money of one round."""

    id: str
    wagers: dict[str, Wager] = field(default_factory=lambda: defaultdict(Wager))
    corrected: dict[int, tuple[Place, WagersCorrected]] = field(default_factory=dict)
    over: tuple[Place, str] | None = None
    """Where the round ended, and how: settled or void."""

    def hear(self, stored: Stored, entry: Entry[Any, Any]) -> None:
        """Take in an entry of the round."""
        for place, event in places(stored, entry):
            match event:
                case WagerPlaced():
                    self.wagers[event.wager].placed = (place, event)
                case WagerAccepted():
                    self.wagers[event.wager].fate = (place, "accepted")
                case WagerRefused():
                    self.wagers[event.wager].fate = (place, "refused")
                case WagerLapsed():
                    self.wagers[event.wager].fate = (place, "lapsed")
                case WagersSettled():
                    for line in event.lines:
                        self.wagers[line.wager].line = (place, event.currency, line)
                case WagersCorrected():
                    self.corrected[event.number] = (place, event)
                case RoundSettled():
                    self.over = (place, "settled")
                case RoundVoided():
                    self.over = (place, "void")
                case _:
                    pass

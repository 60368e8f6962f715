"""The ending of a round: hands, wagers and money per player, as its log says them.

Read off the events and added up, so that what a person sees at the end of a replay is the settlement itself and not a
second opinion.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from shared.contracts.rounds import HandResult, HandsDecided, RoundCorrected, RoundOpened, RoundSettled, RoundVoided
from shared.contracts.wagers import SettlementLine, WagersCorrected, WagersSettled


class PlayerMoney(Struct, frozen=True, kw_only=True):
    """What a round cost and brought one player."""

    player: str
    staked_minor: int
    returned_minor: int


class Ending(Struct, frozen=True, kw_only=True):
    """How a round ended, as far as it has."""

    currency: str
    outcome: str
    """`settled`, `void`, or `awaiting` while nothing of the kind is written down."""
    reason: str
    dealer: tuple[str, ...]
    hands: tuple[HandResult, ...]
    lines: tuple[SettlementLine, ...]
    """As they are settled now."""
    corrections: int = 0
    """How often the round was put right after its end."""

    @property
    def staked_minor(self) -> int:
        """The stakes of all wagers that were settled."""
        return sum(line.stake_minor for line in self.lines)

    @property
    def returned_minor(self) -> int:
        """All that went back to players."""
        return sum(line.returned_minor for line in self.lines)

    def players(self) -> list[PlayerMoney]:
        """Return the money of each player, by name."""
        names = sorted({line.player for line in self.lines})
        return [
            PlayerMoney(
                player=name,
                staked_minor=sum(line.stake_minor for line in self.lines if line.player == name),
                returned_minor=sum(line.returned_minor for line in self.lines if line.player == name),
            )
            for name in names
        ]


def ending(events: Iterable[Any]) -> Ending:
    """Return how the round with these events ended."""
    currency, outcome, reason = "", "awaiting", ""
    dealer: tuple[str, ...] = ()
    hands: tuple[HandResult, ...] = ()
    lines: tuple[SettlementLine, ...] = ()
    corrections = 0
    for event in events:
        match event:
            case RoundOpened():
                currency = event.settings.currency
            case HandsDecided():
                dealer, hands = event.dealer_cards, event.hands
            case WagersSettled():
                lines += event.lines
            case RoundSettled():
                outcome = "settled"
            case RoundVoided():
                outcome, reason = "void", event.reason
            case RoundCorrected():
                dealer, hands, outcome = event.dealer_cards, event.hands, event.outcome
                reason = event.agreed.reason if event.outcome == "void" else reason
                corrections += 1
            case WagersCorrected():
                right = {line.wager: line.returned_minor for line in event.lines}
                lines = tuple(replace(line, returned_minor=right.get(line.wager, line.returned_minor)) for line in lines)
            case _:
                pass
    return Ending(currency=currency, outcome=outcome, reason=reason, dealer=dealer, hands=hands, lines=lines, corrections=corrections)

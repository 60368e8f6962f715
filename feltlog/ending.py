"""The ending of a round: hands, wagers and money per player, as its log says them.

Read off the events and added up, so that what a person sees at the end of a replay is the settlement itself and not a
second opinion.
"""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from shared.contracts.table import HandResult, HandsDecided, RoundOpened, RoundSettled, RoundVoided, SettlementLine, WagersSettled


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
            case _:
                pass
    return Ending(currency=currency, outcome=outcome, reason=reason, dealer=dealer, hands=hands, lines=lines)

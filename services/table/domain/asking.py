"""Asking: who may speak now, about which hand, and what may be said (LV-0.3)."""

from msgspec import Struct
from msgspec.structs import replace

from services.table.domain import insurance
from services.table.domain.evolve import place_of
from services.table.domain.playing import options
from services.table.domain.round import REFUSALS_MAX
from services.table.domain.state import Decision, Insurance, Joining, Playing

AT_STAKE = frozenset({"double", "split", "insure"})
"""Words that put up money: who was refused too often has to do without them."""


class Ask(Struct, frozen=True, gc=False):
    """A player who is asked about a hand, and the words that would be taken."""

    box: int
    hand: int
    player: str
    legal: tuple[str, ...]


def asked(playing: Playing) -> tuple[Ask, ...]:
    """Return everybody who may speak now; of several on a box in the order in which their wagers lie."""
    asks = _asked(playing)
    if not playing.refusals:
        return asks
    return tuple(_without_stakes(ask) if playing.refusals.get(ask.player, 0) >= REFUSALS_MAX else ask for ask in asks)


def _without_stakes(ask: Ask) -> Ask:
    return replace(ask, legal=tuple(word for word in ask.legal if word not in AT_STAKE))


def _asked(playing: Playing) -> tuple[Ask, ...]:
    match playing.awaiting:
        case Decision(box=box, hand=number, barred=barred):
            hand = playing.hands[place_of(playing.hands, box, number)]
            return (Ask(box, number, hand.player, options(hand, playing, barred)),)
        case Insurance(closed=False) as offer:
            mains = (wager for wager in playing.wagers if wager.kind == "main")
            asks = (Ask(main.box, main.hand, main.player, insurance.options(main, playing, offer)) for main in mains)
            return tuple(sorted((ask for ask in asks if ask.legal), key=lambda ask: ask.box))
        case Joining() as offer:
            words = ("stand", offer.kind)
            return tuple(Ask(offer.box, offer.hand, player, words) for player in offer.waiting)
        case _:
            return ()

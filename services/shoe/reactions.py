"""What the shoe does when it hears the table: every call for cards becomes a command for the shoe that is named in it."""

from typing import Any

from services.shoe.domain.shoe import UNCUT
from shared.contracts.burns import BurnCalled, DisclosureCalled
from shared.contracts.cutting import CutCalled
from shared.contracts.dealing import CardsCalled, ExposureCalled, PeekCalled, ReshuffleCalled, TurnCalled
from shared.contracts.rounds import RoundVoided
from shared.contracts.shoe import (
    BurnCards,
    CancelCall,
    CutShoe,
    DrawCards,
    ExposeCards,
    PeekHole,
    ReadCard,
    RetireShoe,
    ShowBurned,
    ShuffleShoe,
    TurnCard,
)
from shared.contracts.subjects import round_of, shoe_stream, stream_day
from shared.contracts.table import CardTold, ShoeCalled, ShoeRetirementCalled
from shared.kernel.cards import DECK
from shared.kernel.reactions import Reaction, Source

NO_CUTTING_CARD = (0, 0)
"""Discards that are shuffled inside a round serve that round alone: nothing is left behind a marker."""


def follow(event: Any, source: Source) -> list[Reaction]:
    """Return what must follow in the shoe service from an event of the table service."""
    match event:
        case ShoeCalled():
            return [_reaction(source, event.shoe, whole(event), "shuffle")]
        case ReshuffleCalled():
            return [_reaction(source, event.next_shoe, discards(event, _round(source)), "shuffle")]
        case CutCalled():
            return [
                _reaction(source, event.shoe, CutShoe(contributions=event.contributions, cutter=event.cutter, staff=event.staff), "cut")
            ]
        case CardsCalled():
            draw = DrawCards(round=_round(source), call_no=event.call_no, faces=event.faces)
            return [_reaction(source, event.shoe, draw, "draw")]
        case RoundVoided():
            return [_reaction(source, shoe, CancelCall(round=_round(source)), "cancel") for shoe in event.shoes[-1:]]
        case CardTold():
            return [_reaction(source, event.shoe, ReadCard(index=event.index, card=event.card), "read")]
        case PeekCalled():
            return [_reaction(source, event.shoe, PeekHole(round=_round(source), index=event.index), "peek")]
        case TurnCalled():
            return [_reaction(source, event.shoe, TurnCard(round=_round(source), index=event.index), "turn")]
        case ExposureCalled():
            expose = ExposeCards(round=_round(source), hands=event.hands, blackjacks_only=event.blackjacks_only)
            return [_reaction(source, event.shoe, expose, "expose")]
        case BurnCalled():
            burn = BurnCards(number=event.number, cards=event.cards, reason=event.reason)
            return [_reaction(source, event.shoe, burn, "burn")]
        case DisclosureCalled():
            return [_reaction(source, event.shoe, ShowBurned(number=event.number), "show")]
        case ShoeRetirementCalled():
            return [
                _reaction(
                    source, event.shoe, RetireShoe(reason=event.reason, next_shoe=event.next_shoe, next_root=event.next_root), "retire"
                )
            ]
        case _:
            return []


def whole(called: ShoeCalled) -> ShuffleShoe:
    """Return the shuffle of a shoe of whole decks."""
    return ShuffleShoe(
        shoe=called.shoe,
        table=called.table,
        decks=called.decks,
        burns=called.burns,
        cut=called.cut,
        cutting_card=called.cutting_card,
        device=called.device,
    )


def discards(called: ReshuffleCalled, round: str) -> ShuffleShoe:
    """Return the shuffle of the discards: all cards but those on the layout, cut at about half (ON-5.4, ON-11.5)."""
    hole = None if called.hole is None else (called.shoe, called.hole)
    cards = called.decks * len(DECK) - len(called.layout) - (hole is not None)
    return ShuffleShoe(
        shoe=called.next_shoe,
        table=called.table,
        decks=called.decks,
        without=called.layout,
        without_hole=hole,
        burns=called.burns,
        cut=UNCUT if called.device == "shuffling_device" else (cards * 2 // 5, cards * 3 // 5),
        cutting_card=NO_CUTTING_CARD,
        round=round,
        device=called.device,
    )


def _reaction(source: Source, shoe: str, command: Any, name: str) -> Reaction:
    return Reaction(shoe_stream(stream_day(source.stream), shoe), command, name)


def _round(source: Source) -> str:
    found = round_of(source.stream)
    assert found is not None, f"cards are called for in a round's stream, not in {source.stream}"
    return found.id

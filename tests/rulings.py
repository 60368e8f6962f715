"""Rulings for tests: staff with their jobs, and a ruling of each kind, about boxes that are mostly there."""

from random import Random

from shared.contracts.rulings import (
    AnyRuling,
    DeadHand,
    DealerOverdraw,
    DeviceMalfunction,
    ExposedCard,
    FaceUpCard,
    GameError,
    Misdeal,
    MissedBox,
    UnexposedCard,
    VoidTheRound,
    WrongPosition,
)
from shared.kernel.cards import DECK
from shared.kernel.messages import Actor

STAFF = (
    Actor("staff", "pit", "pit_boss"),
    Actor("staff", "lou", "duty_manager"),
    Actor("staff", "dee", "dealer"),
    Actor("staff", "kit", "support"),
    Actor("staff", "nobody"),
)
"""Some may propose, some approve, some neither."""
VOIDS: tuple[AnyRuling, ...] = (VoidTheRound(), Misdeal(), DeviceMalfunction())


def some_rulings(chance: Random, *, voids: float = 1.0) -> tuple[AnyRuling, ...]:
    """Return a ruling of each kind; those that end the round only so often."""
    box, hand = chance.choice((1, 1, 2, 2, 3, 7, 8)), chance.choice((1, 1, 1, 2, 4))
    return (
        *(VOIDS if chance.random() < voids else ()),
        FaceUpCard(),
        UnexposedCard(),
        ExposedCard(),
        DealerOverdraw(),
        MissedBox(box=box, card=chance.choice((1, 2))),
        DeadHand(box=box, hand=hand),
        WrongPosition(card=chance.choice(DECK), found=0, box=box, hand=hand),
        GameError(),
    )

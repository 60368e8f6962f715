"""Orders about a table's cards: a new dealer, burns and their disclosure, and a reshuffle, each as its book allows it.

A burn and a disclosure are called for here and done by the shoe; what is outstanding is remembered, so that no round is
called between a call to burn and the burn.
"""

from msgspec import Struct
from msgspec.structs import replace

from shared.contracts.burns import (
    BURN_CARDS_MAX,
    BurnCalled,
    BurnNoted,
    BurnReason,
    CardsNote,
    CardsOrdered,
    ChangeDealer,
    DealerChanged,
    DisclosureCalled,
    DisclosureNoted,
    NoteBurn,
    OrderBurn,
    OrderDisclosure,
    ReshuffleOrdered,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.rulings import AT_THE_TABLE, IN_CHARGE
from shared.contracts.staff import JOBS, Job, job_in_words
from shared.contracts.subjects import BadSubject, token
from shared.contracts.table import TableOpened
from shared.kernel.messages import Envelope

GAME_ERROR_BURNS = 3
"""LV-3.5."""
AT_THE_SHOE: tuple[Job, ...] = ("dealer", *IN_CHARGE)
DISCLOSES: dict[str, tuple[Job, ...]] = {"ON": AT_THE_TABLE, "LV": IN_CHARGE}
"""Who may have burned cards shown, by book: whoever is asked (ON-6.2), or at the casino's discretion (LV-3.5); FL-4.7 lets nobody."""
RESHUFFLES: dict[str, tuple[Job, ...]] = {"ON": ("designated_representative",), "LV": IN_CHARGE}
"""ON-5.8, LV-3.2."""
BURNS: dict[BurnReason, tuple[Job, ...]] = {"new_dealer": AT_THE_SHOE, "game_error": ("pit_boss",), "house": IN_CHARGE}
"""Who may have cards burned under LV-3.5."""


class Orders(Struct, frozen=True, gc=False):
    """What was ordered about the cards of a table."""

    dealer: str = ""
    """Who deals, as far as anybody said."""
    is_new: bool = False
    """Whether the dealer has changed since a round was called."""
    made: int = 0
    """Burns and disclosures that were called for."""
    burning: BurnCalled | None = None
    """A burn that the shoe has not answered for."""
    showing: DisclosureCalled | None = None
    shown: tuple[str, ...] = ()
    """Burned cards of the shoe in use that were shown."""
    reshuffle: bool = False
    """Whether the cards are to be shuffled after the round under way."""

    @property
    def answered(self) -> bool:
        """Whether the shoe has answered for everything that was called for."""
        return self.burning is None and self.showing is None


def change_dealer(command: ChangeDealer, orders: Orders, opened: TableOpened, shoe: str, envelope: Envelope) -> list[CardsOrdered]:
    """Return that another dealer deals, and under ON-6.2 the burn that each new dealer makes before dealing.

    Without a shoe in use there is none beside the burn that follows a shuffle.
    """
    job = _job(envelope, AT_THE_SHOE, "say who deals")
    try:
        token(command.dealer)
    except BadSubject as error:
        raise refused(Reason.BAD_REQUEST, f"{error}.") from error
    if command.dealer == orders.dealer:
        raise refused(Reason.ALREADY_SO)
    _wait(orders)
    changed = DealerChanged(dealer=command.dealer, by=envelope.actor.id, job=job)
    burns = opened.profile.book == "ON" and bool(shoe)
    return [changed, _burn(1, "new_dealer", orders, shoe, job, envelope)] if burns else [changed]


def order_burn(command: OrderBurn, orders: Orders, opened: TableOpened, shoe: str, envelope: Envelope) -> list[CardsOrdered]:
    """Return that cards are to be burned: three for a game error, by a new dealer, or as the house likes (LV-3.5)."""
    if opened.profile.book != "LV":
        raise refused(Reason.NOT_IN_THIS_BOOK, "cards are burned after a shuffle, and under ON-6.2 by each new dealer.")
    job = _job(envelope, BURNS[command.reason], "have cards burned for that")
    if command.reason == "new_dealer" and not orders.is_new:
        raise refused(Reason.NOT_POSSIBLE_NOW, "the dealer has dealt already.")
    most = GAME_ERROR_BURNS if command.reason == "game_error" else BURN_CARDS_MAX
    least = GAME_ERROR_BURNS if command.reason == "game_error" else 1
    if not least <= command.cards <= most:
        what = f"{least} cards are" if least == most else f"{least} to {most} cards are"
        raise refused(Reason.BAD_REQUEST, f"{what} burned for that (LV-3.5).")
    if not shoe:
        raise refused(Reason.NO_SHOE)
    _wait(orders)
    return [_burn(command.cards, command.reason, orders, shoe, job, envelope)]


def order_disclosure(_: OrderDisclosure, orders: Orders, opened: TableOpened, shoe: str, envelope: Envelope) -> list[CardsOrdered]:
    """Return that the burned cards of the shoe in use are to be shown (ON-6.2, LV-3.5)."""
    if opened.profile.book not in DISCLOSES:
        raise refused(Reason.NOT_IN_THIS_BOOK, "burned cards are never shown (FL-4.7).")
    job = _job(envelope, DISCLOSES[opened.profile.book], "have burned cards shown")
    if not shoe:
        raise refused(Reason.NO_SHOE)
    _wait(orders)
    return [DisclosureCalled(disclosure=envelope.id, number=orders.made + 1, shoe=shoe, by=envelope.actor.id, job=job)]


def order_reshuffle(orders: Orders, opened: TableOpened, shoe: str, envelope: Envelope) -> ReshuffleOrdered:
    """Return that the cards are to be shuffled after the round under way (ON-5.8, LV-3.2)."""
    if opened.profile.book not in RESHUFFLES:
        raise refused(Reason.NOT_IN_THIS_BOOK, "cards are shuffled when the cutting card has come out (FL-4.1).")
    if opened.profile.shoe.device == "shuffling_device":
        raise refused(Reason.NOT_IN_THIS_BOOK, "the device shuffles after every round (FL-4.6).")
    job = _job(envelope, RESHUFFLES[opened.profile.book], "have the cards shuffled")
    if orders.reshuffle:
        raise refused(Reason.ALREADY_SO)
    if not shoe:
        raise refused(Reason.NO_SHOE)
    return ReshuffleOrdered(by=envelope.actor.id, job=job)


def note(command: CardsNote, orders: Orders) -> list[CardsOrdered]:
    """Return what the shoe answered, if it is waited for."""
    waiting = orders.burning if isinstance(command, NoteBurn) else orders.showing
    if waiting is None or waiting.number != command.number:
        return []
    if isinstance(command, NoteBurn) and isinstance(waiting, BurnCalled):
        return [
            BurnNoted(
                burn=waiting.burn,
                number=command.number,
                code=command.code,
                message=command.message,
                cutting_card_out=command.cutting_card_out,
            )
        ]
    assert not isinstance(command, NoteBurn) and isinstance(waiting, DisclosureCalled), "a disclosure is noted of a disclosure"
    return [DisclosureNoted(disclosure=waiting.disclosure, number=command.number, cards=command.cards)]


def remember(orders: Orders, event: CardsOrdered) -> Orders:
    """Return the orders after one of their events."""
    match event:
        case DealerChanged():
            return replace(orders, dealer=event.dealer, is_new=True)
        case BurnCalled():
            return replace(orders, made=event.number, burning=event)
        case DisclosureCalled():
            return replace(orders, made=event.number, showing=event)
        case BurnNoted():
            return replace(orders, burning=None)
        case DisclosureNoted():
            return replace(orders, showing=None, shown=(*orders.shown, *event.cards))
        case ReshuffleOrdered():
            return replace(orders, reshuffle=True)


def after_call(orders: Orders) -> Orders:
    """Return the orders once a round is called: its dealer deals."""
    return replace(orders, is_new=False) if orders.is_new else orders


def after_mount(orders: Orders) -> Orders:
    """Return the orders once another shoe is in use: it is shuffled, and nothing of it was shown."""
    return replace(orders, reshuffle=False, shown=()) if orders.reshuffle or orders.shown else orders


def _burn(cards: int, reason: BurnReason, orders: Orders, shoe: str, job: Job, envelope: Envelope) -> BurnCalled:
    return BurnCalled(burn=envelope.id, number=orders.made + 1, shoe=shoe, cards=cards, reason=reason, by=envelope.actor.id, job=job)


def _wait(orders: Orders) -> None:
    """Raise `Refused` while the shoe has not answered: one thing comes after the other."""
    if not orders.answered:
        raise refused(Reason.BUSY)


def _job(envelope: Envelope, jobs: tuple[Job, ...], what: str) -> Job:
    """Return the asker's job; raise `Refused` if it is none of those that may."""
    for job in JOBS:
        if job == envelope.actor.job and job in jobs:
            return job
    listed = ", ".join(map(job_in_words, jobs))
    raise refused(Reason.JOB_NOT_ALLOWED, f"who is {job_in_words(envelope.actor.job)} may not {what}; these may: {listed}.")

"""The cage: whether two persons made each adjustment, and whether nobody placed a stake who was blocked.

Money that moves by people's word alone is told of each time, however rightly it was done: somebody who was not asked should
look at it.  Who may do what is part of the published language; all the rest is held here against a second reading of the book.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from services.surveillance.domain.facts import Fact
from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.heard import Heard, Where
from services.surveillance.domain.nights import Night, nights
from shared.contracts.cage import (
    MAY,
    REDEEMED,
    AccountBlocked,
    AccountUnblocked,
    AdjustmentDeclined,
    AdjustmentMade,
    AdjustmentProposed,
    ApproveAdjustment,
    BlockAccount,
    BlockReason,
    CageCommand,
    DeclineAdjustment,
    ProposeAdjustment,
    UnblockAccount,
)
from shared.contracts.promo import VOUCHER, CancelPromo, GrantPromo, PromoCancelled, PromoEvent, PromoGranted
from shared.contracts.staff import job_in_words
from shared.contracts.stakes import StakeReserved
from shared.contracts.subjects import BadSubject, round_name
from shared.contracts.wallet import BookOpened, CarriedForward
from shared.kernel.money import EXPONENTS, decimal

COMMANDS: dict[type[Any], type[CageCommand]] = {
    AdjustmentProposed: ProposeAdjustment,
    AdjustmentMade: ApproveAdjustment,
    AdjustmentDeclined: DeclineAdjustment,
    AccountBlocked: BlockAccount,
    AccountUnblocked: UnblockAccount,
    PromoGranted: GrantPromo,
    PromoCancelled: CancelPromo,
}
"""What a person asks for whose word each event is."""

Noticed = Iterator[tuple[Code, str]]
"""Codes, and what there is to say."""
Block = tuple[str, BlockReason]


@dataclass
class Book:
    """What one day's book says of adjustments and blocks."""

    caps: dict[str, int] = field(default_factory=dict)
    made: int = 0
    open: dict[str, AdjustmentProposed] = field(default_factory=dict)
    blocks: set[Block] = field(default_factory=set)
    carried: set[Block] = field(default_factory=set)
    """The blocks that it began with."""
    named: list[tuple[str, Where]] = field(default_factory=list)
    """The rounds that adjustments put right, and where they are named."""
    night: Night = field(default_factory=Night)


@dataclass
class Cage:
    """The books of the days that are heard, by gaming day."""

    books: dict[str, Book] = field(default_factory=dict)
    adjustments: int = 0
    """How many were made."""

    def hear(self, heard: Heard) -> list[Finding]:
        """Take in an entry of the ledger; return what persons should look at, and what must not be."""
        book = self.books.setdefault(heard.day, Book())
        self.adjustments += sum(isinstance(fact.event, AdjustmentMade) for fact in heard.facts())
        return [heard.where.found(code, said) for fact in heard.facts() for code, said in take(book, fact, heard)]

    def left(self, was_called: Callable[[str], bool]) -> list[Finding]:
        """Return where a day does not begin with the blocks with which the day before ended, and rounds put right that never were."""
        broken = [
            where.found(Code.DAY_CHAIN_BROKEN, f"the book does not begin with the blocks of {day_before}")
            for day_before, before, book, where in nights(self.books)
            if before.blocks != book.carried
        ]
        named = [named for book in self.books.values() for named in book.named]
        return broken + [
            where.found(Code.UNKNOWN_ROUND, f"an adjustment puts {round_} right, which was never called")
            for round_, where in named
            if not was_called(round_)
        ]

    def forget(self, day: str) -> None:
        """Let go of a gaming day."""
        self.books.pop(day, None)


def take(book: Book, fact: Fact, heard: Heard) -> Noticed:
    """Let an event change what a book says; yield what there is to say about it."""
    event = fact.event
    book.night.hear(event, heard.where)
    if type(event) in COMMANDS:
        yield from theirs(fact)
    match event:
        case CarriedForward():
            book.carried |= {(row.player, row.reason) for row in event.blocked or ()}
            book.blocks |= book.carried
        case BookOpened():
            book.caps = {cap.currency: cap.minor for cap in event.caps or ()}
        case AdjustmentProposed():
            yield from propose(book, event, heard.day)
        case AdjustmentDeclined():
            yield from decline(book, event)
        case AdjustmentMade():
            yield Code.ADJUSTED, f"{event.adjustment}: {event.reason}, proposed by {event.proposed_by}, approved by {event.by}"
            if event.round:
                book.named.append((event.round, heard.where))
            yield from make(book, event)
        case PromoGranted() | PromoCancelled():
            yield from promote(book, event, fact.id)
        case AccountBlocked():
            book.blocks.add((event.player, event.reason))
        case AccountUnblocked():
            if (event.player, event.reason) not in book.blocks:
                yield Code.UNAPPROVED, f"a block by {event.reason} ended that was not there"
            book.blocks.discard((event.player, event.reason))
        case StakeReserved() if any(player == event.player for player, _ in book.blocks):
            yield Code.BLOCKED_STAKE, f"wager {event.wager} was set aside for a player who is blocked"
        case _:
            pass


def theirs(fact: Fact) -> Noticed:
    """Whoever is written down asked for it, with a job that may."""
    event, may = fact.event, MAY[COMMANDS[type(fact.event)]]
    if not fact.asker_is_named:
        said = f"{event.by} as {job_in_words(event.job)} is written down, {fact.actor.id} as {job_in_words(fact.actor.job)} asked"
        yield Code.UNAPPROVED, said
    # Whoever made a proposal takes it back with any job.
    if event.job not in may and not isinstance(event, AdjustmentDeclined):
        yield Code.UNAPPROVED, f"{event.by} is {job_in_words(event.job)}; these may: {', '.join(map(job_in_words, may))}"


def propose(book: Book, event: AdjustmentProposed, day: str) -> Noticed:
    """A proposal has the next number of its book, moves no more than the book allows, and is about a round of a closed day at most."""
    book.made += 1
    book.open[event.adjustment] = event
    if event.adjustment != f"{day}-{book.made}":
        yield Code.UNAPPROVED, f"{event.adjustment} is the {book.made}. of {day}"
    cap = book.caps.get(event.currency, 0)
    if not 0 < abs(event.minor) <= cap:
        yield Code.UNAPPROVED, f"{event.adjustment} moves {_money(event.minor, event.currency)}; {_money(cap, event.currency)} at most"
    if event.reason == REDEEMED and event.minor < 0:
        yield Code.UNAPPROVED, f"{event.adjustment} makes promotional money of cash"
    if event.round and _day_of(event.round) >= day:
        yield Code.UNAPPROVED, f"{event.adjustment} names {event.round}, which is no round of an earlier day"


def decline(book: Book, event: AdjustmentDeclined) -> Noticed:
    """A proposal is declined once, by who could have approved it or by who made it."""
    proposal = book.open.pop(event.adjustment, None)
    if proposal is None:
        yield Code.UNAPPROVED, f"{event.adjustment} was declined, and did not wait for that"
    elif event.by != proposal.by and event.job not in MAY[DeclineAdjustment]:
        yield Code.UNAPPROVED, f"{event.by} is {job_in_words(event.job)} and declined what {proposal.by} had proposed"


def make(book: Book, event: AdjustmentMade) -> Noticed:
    """An adjustment is what one person proposed and another one approved, once."""
    proposal = book.open.pop(event.adjustment, None)
    if proposal is None:
        yield Code.UNAPPROVED, f"{event.adjustment} was made, and did not wait for that"
        return
    if proposal.by == event.by:
        yield Code.UNAPPROVED, f"{event.by} approved what {event.by} had proposed"
    fields = (("by", "proposed_by"), *((name, name) for name in ("player", "currency", "minor", "reason", "round")))
    for said, made in fields:
        if getattr(proposal, said) != getattr(event, made):
            yield Code.UNAPPROVED, f"{event.adjustment} was made with another {made} than was proposed"


def promote(book: Book, event: PromoEvent, id: str) -> Noticed:
    """Promotional money moves no more at once than one adjustment may, and a voucher under an id of its own."""
    cap = book.caps.get(event.currency, 0)
    if not 0 < event.minor <= cap:
        said = f"{_money(event.minor, event.currency)} of promotional money at once; {_money(cap, event.currency)} at most"
        yield Code.UNAPPROVED, said
    if isinstance(event, PromoGranted) and event.voucher and id != f"{VOUCHER}{event.voucher}":
        yield Code.UNAPPROVED, f"voucher {event.voucher} was taken by a request of another name"


def _day_of(round: str) -> str:
    """Return the day of a round; what is none is of no day that is over."""
    try:
        return round_name(round).day
    except BadSubject:
        return "99999999"


def _money(minor: int, currency: str) -> str:
    return f"{decimal(minor, currency)} {currency}" if currency in EXPONENTS else f"{minor} minor units"

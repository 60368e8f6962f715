"""What persons do about a table's cards beside its rounds: a new dealer, burns, showing what was burned, an order to shuffle.

Who asked, and as what, stands in each event.  What then happens to the cards stands in the shoe's stream, once for each call,
and the table waits for it: no round is called between a call to burn and the burn.
"""

from typing import Literal

from shared.contracts.staff import Job
from shared.kernel.messages import ACCEPTED, PENDING, Answer, Command, Event

BurnReason = Literal["new_dealer", "game_error", "house"]
BURN_CARDS_MAX = 10
"""Cards that are burned at a time."""


class ChangeDealer(Command, frozen=True, kw_only=True, tag="table.ChangeDealer.v1"):
    """Say that another dealer deals from now on."""

    dealer: str


class OrderBurn(Command, frozen=True, kw_only=True, tag="table.OrderBurn.v1"):
    """Have cards burned between two rounds (LV-3.5)."""

    reason: BurnReason
    cards: int


class OrderDisclosure(Command, frozen=True, kw_only=True, tag="table.OrderDisclosure.v1"):
    """Have the burned cards of the shoe in use shown (ON-6.2, LV-3.5)."""


class OrderReshuffle(Command, frozen=True, kw_only=True, tag="table.OrderReshuffle.v1"):
    """Have the cards shuffled after the round under way (ON-5.8, LV-3.2)."""


class NoteBurn(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.NoteBurn.v1"):
    """Take note that cards were burned, or cannot be."""

    number: int
    code: str = ""
    message: str = ""
    cutting_card_out: bool = False


class NoteDisclosure(Command, frozen=True, kw_only=True, tag="table.NoteDisclosure.v1"):
    """Take note of which burned cards were shown."""

    number: int
    cards: tuple[str, ...]


class DealerChanged(Event, frozen=True, kw_only=True, tag="table.DealerChanged.v1"):
    """Another dealer deals from now on (LV-0.6, ON-6.2, LV-3.5)."""

    dealer: str
    by: str
    job: Job


class BurnCalled(Event, frozen=True, kw_only=True, tag="table.BurnCalled.v1"):
    """The next cards of the shoe in use are to be burned."""

    burn: str
    """The id of whoever asks, whose answer follows once the shoe has spoken."""
    number: int
    """Counts what was called for at this table, from 1."""
    shoe: str
    cards: int
    reason: BurnReason
    by: str
    job: Job

    def answer(self) -> tuple[str, Answer] | None:
        """The asker waits for the shoe."""
        return "", PENDING


class BurnNoted(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.BurnNoted.v1"):
    """Cards were burned that were called for, or the shoe holds too few."""

    burn: str
    number: int
    code: str = ""
    message: str = ""
    cutting_card_out: bool = False
    """Whether the cutting card is what comes next: the cards are shuffled before the next round (ON-5.7, LV-3.2)."""

    def answer(self) -> tuple[str, Answer] | None:
        """The pending answer becomes what the shoe said."""
        return self.burn, Answer("refused", self.code, self.message) if self.code else ACCEPTED


class DisclosureCalled(Event, frozen=True, kw_only=True, tag="table.DisclosureCalled.v1"):
    """The burned cards of the shoe in use are to be shown."""

    disclosure: str
    number: int
    shoe: str
    by: str
    job: Job

    def answer(self) -> tuple[str, Answer] | None:
        """The asker waits for the shoe."""
        return "", PENDING


class DisclosureNoted(Event, frozen=True, kw_only=True, tag="table.DisclosureNoted.v1"):
    """Burned cards were shown that nobody had seen before."""

    disclosure: str
    number: int
    cards: tuple[str, ...]

    def answer(self) -> tuple[str, Answer] | None:
        """The pending answer is accepted."""
        return self.disclosure, ACCEPTED


class ReshuffleOrdered(Event, frozen=True, kw_only=True, tag="table.ReshuffleOrdered.v1"):
    """The cards are shuffled after the round under way, whether the cutting card has come out or not."""

    by: str
    job: Job


CardsOrder = ChangeDealer | OrderBurn | OrderDisclosure | OrderReshuffle
"""What staff may ask about a table's cards between its rounds."""
CardsNote = NoteBurn | NoteDisclosure
CardsOrdered = DealerChanged | BurnCalled | BurnNoted | DisclosureCalled | DisclosureNoted | ReshuffleOrdered

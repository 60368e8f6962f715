"""The round as its events leave it: one Struct for each phase, and within play one for each thing that the house awaits.

What is awaited carries what only matters meanwhile (a clock, the cards still to come), so a clock without a decision or a
call without cards has no spelling.
"""

from immutables import Map
from msgspec import Struct

from services.table.domain.approval import NONE, Proposals
from services.table.domain.hand import Hand
from services.table.domain.order import DEALER, Place
from shared.contracts.dealing import Astray, CardDealt, CardExposed, Face, FaceDownCardDealt, HandExposed, HoleCardDealt, HoleCardTurned
from shared.contracts.decisions import HandSplit
from shared.contracts.restrictions import InForce
from shared.contracts.rounds import HandResult, RoundOpened
from shared.contracts.wagers import Kind, SettlementLine

Laid = CardDealt | HandExposed | HoleCardTurned | HandSplit
"""What says where an open card lies."""


Laying = CardDealt | FaceDownCardDealt | HoleCardDealt
"""What says where a card of a call comes to rest."""


class Wager(Struct, frozen=True, gc=False):
    """A stake of a player on a hand, pending or in the round."""

    id: str
    player: str
    box: int
    hand: int
    kind: Kind
    stake_minor: int
    reserve_by_ms: int
    seated: bool = False


class Cards(Struct, frozen=True, gc=False):
    """The shoe is asked for cards; `faces` are those still to come to hands, `asked` all that this call still brings."""

    faces: tuple[Face, ...]
    asked: tuple[Face, ...]
    begun: bool = False
    """Whether some of them have come: the rest comes one by one."""


class NewShoe(Struct, frozen=True, gc=False):
    """The shoe ran out; its discards are being shuffled, and `faces` are still to come."""

    shoe: str
    faces: tuple[Face, ...]
    whole: bool = False
    """Whether these are all cards: none had been dealt in the round."""


class Insurance(Struct, frozen=True, gc=False):
    """Insurance is offered; once `closed` only wallets are awaited."""

    until_ms: int
    answered: tuple[str, ...] = ()
    """Main wagers that have their answer."""
    barred: tuple[str, ...] = ()
    """Main wagers whose insurance the wallet did not pay for."""
    closed: bool = False


class Decision(Struct, frozen=True, gc=False):
    """A player is asked what to do with a hand; `barred` is what the wallet did not pay for."""

    number: int
    box: int
    hand: int
    until_ms: int
    barred: tuple[Kind, ...] = ()


class Reserve(Struct, frozen=True, gc=False):
    """The wallet is asked about a double or a split; the clock of the decision stands."""

    decision: Decision


class Joining(Struct, frozen=True, gc=False):
    """The others on a hand may join its double or split; once nobody is waited for only wallets are awaited."""

    box: int
    hand: int
    kind: Kind
    wager: str
    """Of whoever decides for the box."""
    waiting: tuple[str, ...]
    """Players who have not answered, in the order in which their wagers lie."""
    until_ms: int
    joined: tuple[str, ...] = ()
    """Wagers of those who join, as far as they are paid for."""


class Exposure(Struct, frozen=True, gc=False):
    """The shoe is asked to open cards of boxes; then the round goes on with what it waited for."""

    before: Cards | Decision | None
    """Cards that an exhausted shoe owes, a decision, or nothing."""
    blackjacks_only: bool
    left_ms: int = 0
    """Of the decision's clock."""


class Peek(Struct, frozen=True, gc=False):
    """The shoe is asked to look at the hole card."""


class Turn(Struct, frozen=True, gc=False):
    """The shoe is asked to turn the hole card."""


SEEN: dict[Astray, Face] = {"face_up": "up", "exposed": "up", "overdraw": "up", "game_error": "down"}
"""How cards that are nobody's leave the shoe."""


class Interrupted(Struct, frozen=True, gc=False):
    """What is awaited again once the cards of a ruling have come, with the rest of its clock."""

    awaiting: Insurance | Decision | Joining
    rest_ms: int


Awaiting = Cards | NewShoe | Insurance | Decision | Reserve | Joining | Exposure | Peek | Turn | None


def clock(awaiting: Awaiting) -> int | None:
    """Return until when people have time, None if no person is awaited."""
    match awaiting:
        case Decision(until_ms=until_ms) | Insurance(until_ms=until_ms, closed=False) | Joining(until_ms=until_ms, waiting=(_, *_)):
            return until_ms
        case _:
            return None


class Unopened(Struct, frozen=True, gc=False):
    """Nothing happened yet."""


class Betting(Struct, frozen=True, gc=False):
    """Wagers come in; once `closed` only the wallet's answers to `pending` ones are awaited."""

    opened: RoundOpened
    pending: tuple[Wager, ...] = ()
    wagers: tuple[Wager, ...] = ()
    """Accepted, in that order."""
    refusals: Map[str, int] = Map()
    """How often a player's request for money at risk was refused, here or by the wallet.

    There may be many more players than boxes: a changed map shares all but a few nodes with the one before.
    """
    lines: tuple[SettlementLine, ...] = ()
    closed: bool = False
    proposals: Proposals = NONE
    astray: tuple[Astray, ...] = ()
    """Why the next cards that leave the shoe are nobody's, in order."""
    missed: tuple[tuple[int, int], ...] = ()
    """Boxes that the deal passes over, each with which of its first two cards."""
    places: tuple[tuple[str, int], ...] = ()
    """Players and boxes of the main wagers, in the order in which they were accepted."""
    noted: InForce | None = None
    """What holds since the round was opened, if that has changed."""

    @property
    def in_force(self) -> InForce | None:
        """What staff have ruled on the wagers that come now."""
        return self.noted or self.opened.in_force


class Playing(Struct, frozen=True, gc=False):
    """Cards are out."""

    opened: RoundOpened
    pending: tuple[Wager, ...]
    wagers: tuple[Wager, ...]
    """Accepted and not settled."""
    refusals: Map[str, int]
    lines: tuple[SettlementLine, ...]
    hands: tuple[Hand, ...]
    """In the order of play: by box, then by hand."""
    dealer: Hand
    """Open cards alone."""
    shoe: str
    shoes: tuple[str, ...]
    call_no: int
    awaiting: Awaiting
    hole: HoleCardDealt | None = None
    """The dealer's card that lies face down."""
    peeked: bool | None = None
    decisions: int = 0
    cutting_card_out: bool = False
    marker: int = -1
    """Index of the first card behind the cutting card, once that is out and written down."""
    results: tuple[HandResult, ...] = ()
    firsts: dict[int, tuple[str, ...]] = {}
    """The first three cards of each box with a side bet; never changed in place."""
    proposals: Proposals = NONE
    astray: tuple[Astray, ...] = ()
    """Why the next cards that leave the shoe are nobody's, in order."""
    overdrawn: bool = False
    """Whether the dealer draws one card too many, as soon as there is one."""
    interrupted: Interrupted | None = None
    exposed: tuple[CardExposed, ...] = ()
    """Cards that lie open beside the hands: the next ones, in order."""
    missed: tuple[tuple[int, int], ...] = ()
    """Boxes that the deal passes over, each with which of its first two cards."""
    places: tuple[tuple[str, int], ...] = ()
    """Players and boxes, in the order in which the boxes were taken."""
    laid: tuple[Laid, ...] = ()
    """How the open cards came to lie where they are, in order."""
    even_money: tuple[str, ...] = ()
    """Wagers that took one to one and left the round."""
    corrections: int = 0
    """How often settled wagers were settled anew."""

    @property
    def acting(self) -> Hand | None:
        """The first hand that is not complete."""
        for hand in self.hands:
            if hand.end is None:
                return hand
        return None

    @property
    def drawing(self) -> Place:
        """Whose a single card is: the first hand's that is not complete, else the dealer's."""
        for hand in self.hands:
            if hand.end is None:
                return hand.box, hand.number
        return DEALER


class Over(Struct, frozen=True, gc=False):
    """Every wager is settled, or given back if `void`; a correction may settle them anew."""

    opened: RoundOpened
    void: str
    """Why the round was cancelled, or empty."""
    lines: tuple[SettlementLine, ...]
    """As they are settled now."""
    hands: tuple[Hand, ...] = ()
    dealer: Hand | None = None
    results: tuple[HandResult, ...] = ()
    proposals: Proposals = NONE
    laid: tuple[Laid, ...] = ()
    """How the open cards came to lie where they are, in order, each as it was read last."""
    even_money: tuple[str, ...] = ()
    corrections: int = 0
    """How often settled wagers were settled anew."""


Running = Betting | Playing
Round = Unopened | Betting | Playing | Over

"""The shoe: from the shuffle to the opening of its order.  Pure: cards arrive in commands, each with its proof.

What is still to come is not in the state: the shoe knows how many cards have left it, not which ones follow.  The vault
fills a command in just before it is decided, and `decide` believes nothing of it but what the root proves.  So whoever
reads the log can decide every draw again, long before the order is opened.

A shoe is committed first and cut afterwards.  Where it is cut follows from the root and from what players gave towards it:
whoever knows the order has no say in the cut any more, and whoever has a say does not know the order.

A call that comes at a wrong moment is refused.  What does not add up or is not proved is no mistake of whoever asked: it
breaks loudly, as an assertion, so that somebody looks.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from services.shoe.domain import scanned, scanned_state
from services.shoe.domain.blackjacks import check_told, exposed
from services.shoe.domain.scanned_state import PutAway, Scanned
from services.shoe.domain.shuffle import SEED_BYTES, leaves, order, salts
from shared.contracts.asking import CutStaff
from shared.contracts.cutting import Contribution
from shared.contracts.dealing import DownHand
from shared.contracts.refusals import Reason, refused
from shared.contracts.shoe import (
    CALL_CARDS_MAX,
    BurnCards,
    BurnedShown,
    BurnRefused,
    CancelCall,
    CardsBurned,
    CardsDrawn,
    CardsExposed,
    CardTurned,
    CutShoe,
    CuttingCardPlaced,
    DrawCards,
    DrawnCard,
    ExposeCards,
    HolePeeked,
    Opening,
    OrderCommitted,
    PeekHole,
    RetireShoe,
    SealedSeed,
    ShoeCommand,
    ShoeCut,
    ShoeEvent,
    ShoePrepared,
    ShoeRetired,
    ShoeShuffled,
    ShowBurned,
    ShuffleShoe,
    TurnCard,
)
from shared.contracts.table import SEMANTICS
from shared.kernel.cards import DECK
from shared.kernel.commitment import HASH_HEX, root, verify
from shared.kernel.cutting import cut_and_marker, place_of, seal
from shared.kernel.decider import Decider
from shared.kernel.messages import Envelope
from shared.kernel.profile import Device

DECKS_MAX = 16
UNCUT = (0, 0)
"""The bounds of a cut that nobody makes, and of a cutting card that there is none of."""


class Unprepared(Struct, frozen=True):
    """Nothing is known but that a shoe will be here."""


class Made(Struct, frozen=True, kw_only=True):
    """How a shoe was made.  `root` is over its `cards` cards before the cut; the order itself lies sealed in `seed`."""

    shoe: str
    table: str
    decks: int
    without: tuple[str, ...]
    without_hole: tuple[str, int] | None
    cards: int
    seed: SealedSeed
    cut: tuple[int, int]
    cutting_card: tuple[int, int]
    burns: int
    round: str = ""
    device: Device = "manual"
    asked: bool = False
    """Whether it is written down whose cut it is, and where the cutting card comes out."""
    cut_at: int = 0
    cards_behind: int = 0
    root: str = ""


class Uncut(Struct, frozen=True, kw_only=True):
    """The shoe is shuffled and committed, and waits for its cut."""

    made: Made
    drawn: int = 0


class Ready(Struct, frozen=True, kw_only=True):
    """The shoe can be drawn from.

    `drawn` counts the cards that left it, burned ones included: it is the index of the next.  `calls` holds the last call
    of each round, in the order of the rounds; `down` the round of each card that lies face down, by index; `peeked` what a
    look at such a card said.
    """

    made: Made
    drawn: int
    calls: dict[str, int] = {}
    down: dict[int, str] = {}
    peeked: dict[int, bool] = {}
    closed: tuple[DownHand, ...] = ()
    """Hands that lie face down and that their players may look at."""
    asked: int = 0
    """The last burn or disclosure that its table called for."""
    burned: tuple[int, ...] = ()
    """Indices of the burned cards; `shown` of those that were disclosed."""
    shown: tuple[int, ...] = ()


class Retired(Struct, frozen=True, kw_only=True):
    """The order is open."""

    made: Made
    drawn: int
    seed: str
    hole: str


Shoe = Unprepared | Uncut | Ready | Scanned | Retired | PutAway


def decide(command: ShoeCommand, shoe: Shoe, envelope: Envelope) -> list[ShoeEvent]:
    """Return what follows from `command`; raise Refused if it comes out of order, AssertionError if it proves nothing."""
    match shoe, command:
        case Unprepared(), ShuffleShoe(device="scanned"):
            _check_what_is_left_out(command)
            return scanned.load(command, _shuffled(command))
        case Unprepared(), ShuffleShoe():
            return shuffle(command)
        case Scanned(), _:
            return scanned.decide(command, shoe)
        case ((Uncut() | Ready() | Retired() | PutAway()), ShuffleShoe()):
            raise refused(Reason.OUT_OF_ORDER, "the shoe is shuffled already")
        case _, CancelCall():
            # Only a scanned shoe keeps anybody waiting.
            return []
        case ((Retired() | PutAway()), _):
            raise refused(Reason.SHOE_RETIRED)
        case Uncut(), CutShoe():
            return cut(command.contributions, shoe.made, cutter=command.cutter, staff=command.staff)
        case Ready(), CutShoe():
            raise refused(Reason.OUT_OF_ORDER, "the shoe is cut already")
        case ((Uncut() | Ready()), RetireShoe()):
            return retire(command, shoe)
        case Ready(), DrawCards():
            return draw(command, shoe)
        case Ready(), PeekHole():
            return peek(command, shoe)
        case Ready(), TurnCard():
            return turn(command, shoe)
        case Ready(), ExposeCards():
            return expose(command, shoe)
        case Ready(), BurnCards():
            return burn(command, shoe)
        case Ready(), ShowBurned():
            return show_burned(command, shoe)
        case _:
            raise refused(Reason.SHOE_NOT_READY)


def shuffle(command: ShuffleShoe) -> list[ShoeEvent]:
    """Return the shuffle and the commitment (ON-5.1); discards that a round waits for are cut at once (ON-11.5)."""
    assert command.seed is not None, "a shoe is shuffled with a sealed seed"
    assert HASH_HEX.fullmatch(command.root), "a shoe is shuffled with a commitment"
    _check_what_is_left_out(command)
    for what, (low, high) in (("cut", command.cut), ("cutting card", command.cutting_card)):
        assert 0 <= low <= high <= command.cards, f"the {what} has no place between {low} and {high} of {command.cards} cards"
    assert 0 <= command.burns <= command.cards, "more cards are to be burned than there are"
    shuffled_by_device = command.device == "shuffling_device"
    assert not shuffled_by_device or command.cut == command.cutting_card == UNCUT, "what a device shuffles is not cut (FL-4.6)"
    shuffled = _shuffled(command)
    committed = OrderCommitted(shoe=command.shoe, table=command.table, root=command.root, round=command.round)
    made = replace(_made(shuffled), root=command.root)
    if shuffled_by_device:
        # FL-4.6: the device is the shoe; nobody cuts, and no cutting card lies in it.
        return [shuffled, committed, *load(made)]
    return [shuffled, committed, *cut((), made)] if command.round else [shuffled, committed]


def _shuffled(command: ShuffleShoe) -> ShoeShuffled:
    return ShoeShuffled(
        shoe=command.shoe,
        table=command.table,
        semantics=SEMANTICS,
        decks=command.decks,
        without=command.without,
        without_hole=command.without_hole,
        cards=command.cards,
        burns=command.burns,
        cut=command.cut,
        cutting_card=command.cutting_card,
        round=command.round,
        device=command.device,
        seed=command.seed,
        before=command.before,
    )


def _check_what_is_left_out(command: ShuffleShoe) -> None:
    assert 0 < command.decks <= DECKS_MAX, f"a shoe has 1 to {DECKS_MAX} decks"
    # What lies on a layout is what a scanner or a person has said: a card too many is doubted there, and hinders nobody.
    by_scanner = command.device == "scanned"
    counted = by_scanner or all(command.without.count(card) <= command.decks for card in command.without)
    assert counted and set(command.without) <= set(DECK), "what is left out is not in the decks"
    expected = command.decks * len(DECK) - len(command.without) - (command.without_hole is not None)
    assert command.cards == expected and expected > 0, f"{command.decks} decks without what is left out are {expected} cards"


def cut(contributions: tuple[Contribution, ...], made: Made, *, cutter: str = "", staff: CutStaff | None = None) -> list[ShoeEvent]:
    """Return cut, cutting card and burn, in the order in which a dealer does them (ON-5.6, ON-6.2, FL-4.7).

    Nobody chooses where: it follows from the root and what players told.  Without that it follows from the root alone, and
    the dealer has cut (ON-5.5, LV-3.3).  Whose cut it is, the table says.
    """
    players = [given.player for given in contributions]
    assert players == sorted(set(players)), "each player gives once, in the order of their names"
    told = [(given.player, given.secret) for given in contributions if given.secret]
    for given in contributions:
        assert not given.secret or seal(made.shoe, given.player, given.secret) == given.seal, f"{given.player} told another secret"
    assert not cutter or cutter in dict(told), f"{cutter} told nothing that the shoe could be cut by"
    by: CutStaff | Literal["players"] = "players" if told else staff or "dealer"
    cut_at, cards_behind = cut_and_marker(made.shoe, made.root, told, cut=made.cut, cutting_card=made.cutting_card)
    events: list[ShoeEvent] = [
        ShoeCut(cards_in_front=cut_at, contributions=contributions, by=by, cutter=cutter, staff=staff),
        CuttingCardPlaced(cards_behind=cards_behind),
    ]
    return [*events, *load(made)]


def load(made: Made) -> list[ShoeEvent]:
    """Return the burn, and that the shoe can be used (ON-6.2, FL-4.7, LV-3.5)."""
    burned: list[ShoeEvent] = [CardsBurned(first_index=0, count=made.burns, reason="shuffle")] if made.burns else []
    return [*burned, ShoePrepared(shoe=made.shoe, table=made.table, round=made.round, root=made.root, cards=made.cards)]


def draw(command: DrawCards, shoe: Ready) -> list[ShoeEvent]:
    """Return the next cards for a call, or what is left of them."""
    made = shoe.made
    last = shoe.calls.get(command.round)
    _require(last is None or command.round == next(reversed(shoe.calls)), f"{command.round} is over in this shoe")
    _require(command.call_no > (last or 0), f"call {command.call_no} of {command.round} was answered")
    assert 0 < len(command.faces) <= CALL_CARDS_MAX, f"a call is for 1 to {CALL_CARDS_MAX} cards"
    count = min(len(command.faces), made.cards - shoe.drawn)
    assert len(command.openings) == count, f"{count} cards are to be given, not {len(command.openings)}"
    cards: list[DrawnCard] = []
    for index, face, opening in zip(range(shoe.drawn, shoe.drawn + count), command.faces, command.openings, strict=False):
        assert (opening is None) == (face == "down"), f"card {index} is called {face}"
        if opening is not None:
            _prove(opening, index, made)
        cards.append(DrawnCard(index=index, opening=opening))
    # ON-5.7: nothing is left in front of the marker, so it is what the dealer sees next.
    marker = made.cards - made.cards_behind
    out = shoe.drawn + count >= marker
    return [
        CardsDrawn(
            round=command.round,
            call_no=command.call_no,
            cards=tuple(cards),
            exhausted=count < len(command.faces),
            cutting_card_out=out,
            marker=marker if out and made.asked else -1,
        )
    ]


def peek(command: PeekHole, shoe: Ready) -> list[ShoeEvent]:
    """Return what a look at the hole card says (LV-3.8)."""
    _require(shoe.down.get(command.index) == command.round, f"card {command.index} does not lie face down in {command.round}")
    _require(command.index not in shoe.peeked, f"card {command.index} was looked at")
    assert command.blackjack is not None, f"nobody looked at card {command.index}"
    return [HolePeeked(round=command.round, index=command.index, blackjack=command.blackjack)]


def turn(command: TurnCard, shoe: Ready) -> list[ShoeEvent]:
    """Return the opening of a card that lies face down."""
    _require(shoe.down.get(command.index) == command.round, f"card {command.index} does not lie face down in {command.round}")
    assert command.opening is not None, f"nobody turned card {command.index}"
    _prove(command.opening, command.index, shoe.made)
    check_told(command.opening.card, shoe.peeked.get(command.index))
    return [CardTurned(round=command.round, opening=command.opening)]


def expose(command: ExposeCards, shoe: Ready) -> list[ShoeEvent]:
    """Return the openings of cards that lie face down on boxes: of all that are named, or of the blackjacks among them (FL-3.5)."""
    named = [index for hand in command.hands for index in hand.indices]
    _require(all(shoe.down.get(index) == command.round for index in named), f"cards {named} do not lie face down in {command.round}")
    assert len(set(named)) == len(named), "a card lies in one hand"
    exposed_now = exposed(command)
    for opening in command.openings:
        _prove(opening, opening.index, shoe.made)
    return [exposed_now]


def burn(command: BurnCards, shoe: Ready) -> list[ShoeEvent]:
    """Return that the next cards are burned, or that there are too few of them (ON-6.2, LV-3.5)."""
    made, left = shoe.made, shoe.made.cards - shoe.drawn
    _require(command.number > shoe.asked, f"call {command.number} of the table was answered")
    assert command.cards > 0, "a burn is of cards"
    if command.cards > left:
        too_few = refused(Reason.TOO_FEW_CARDS, str(left))
        return [BurnRefused(number=command.number, table=made.table, code=too_few.code, message=too_few.message)]
    return [
        CardsBurned(
            first_index=shoe.drawn,
            count=command.cards,
            reason=command.reason,
            number=command.number,
            table=made.table,
            cutting_card_out=made.asked and shoe.drawn + command.cards >= made.cards - made.cards_behind,
        )
    ]


def show_burned(command: ShowBurned, shoe: Ready) -> list[ShoeEvent]:
    """Return the openings of the burned cards that nobody has seen (ON-6.2, LV-3.5)."""
    _require(command.number > shoe.asked, f"call {command.number} of the table was answered")
    wanted = unseen(shoe)
    assert tuple(opening.index for opening in command.openings) == wanted, f"burned cards {wanted} are shown, and no others"
    for opening in command.openings:
        _prove(opening, opening.index, shoe.made)
    return [BurnedShown(number=command.number, table=shoe.made.table, openings=command.openings)]


def unseen(shoe: Ready) -> tuple[int, ...]:
    """Return the indices of the burned cards that a disclosure shows: the oldest first, as many as an entry holds."""
    return tuple(index for index in shoe.burned if index not in shoe.shown)[:CALL_CARDS_MAX]


def may_look(shoe: Shoe, table: str, player: str) -> tuple[DownHand, ...]:
    """Return the hands on a table that lie face down for everybody but this player and others on the same box (decision 25)."""
    if not isinstance(shoe, Ready | Scanned) or made_for(shoe) != table:
        return ()
    return tuple(hand for hand in shoe.closed if player in hand.players)


def made_for(shoe: Uncut | Ready | Scanned) -> str:
    """Return the table that a shoe is for."""
    return shoe.loaded.table if isinstance(shoe, Scanned) else shoe.made.table


def retire(command: RetireShoe, shoe: Uncut | Ready) -> list[ShoeEvent]:
    """Return the opening of the order, if the seed gives the order that was committed.

    The table calls for it between rounds.  A card that was never turned, because its round was void, hinders nothing:
    the seed says what it was.  A shoe that another one replaces stays closed until that one is committed, so that nobody
    makes an order who has seen how this one went.
    """
    made = shoe.made
    if not may_retire(command, shoe):
        raise refused(Reason.NEXT_NOT_COMMITTED)
    assert (command.hole != "") == (made.without_hole is not None), "the hole card that is left out is named by its face"
    assert HASH_HEX.fullmatch(command.seed) is not None, f"a seed is {SEED_BYTES} bytes in hexadecimal"
    assert command.hole in ("", *DECK), "the hole card is a card"
    cards = committed_order(made, bytes.fromhex(command.seed), hole=command.hole)
    salted = salts(bytes.fromhex(command.seed), made.shoe, len(cards))
    assert root(leaves(made.shoe, cards, salted)) == made.root, "the seed does not give the order that was committed"
    return [
        ShoeRetired(
            shoe=made.shoe,
            table=made.table,
            reason=command.reason,
            next_shoe=command.next_shoe,
            next_root=command.next_root,
            seed=command.seed,
            drawn=shoe.drawn,
            hole=command.hole,
        )
    ]


def may_retire(command: RetireShoe, shoe: Uncut | Ready) -> bool:
    """Return whether a shoe may be opened: another one that replaces it is committed, or no round follows from any."""
    named = HASH_HEX.fullmatch(command.next_root) is not None and command.next_shoe not in ("", shoe.made.shoe)
    if command.reason == "replaced":
        return named and isinstance(shoe, Ready)
    return command.next_root == command.next_shoe == ""


def committed_order(made: Made, seed: bytes, *, hole: str = "") -> tuple[str, ...]:
    """Return the order that the root of a shoe covers: as it was shuffled, before the cut.

    `hole` is the face of the card that `without_hole` names, if it names one.
    """
    return order(seed, made.shoe, made.decks, (*made.without, hole) if hole else made.without)


def place(index: int, made: Made) -> int:
    """Return where in the committed order the card lies that leaves the shoe at `index`."""
    return place_of(index, cut_at=made.cut_at, cards=made.cards)


def evolve(shoe: Shoe, event: ShoeEvent) -> Shoe:
    """Return the shoe after `event`."""
    match event, shoe:
        case _, Scanned():
            return scanned_state.evolve(shoe, event)
        case ShoeShuffled(device="scanned"), Unprepared():
            return scanned_state.loaded(event)
        case ShoeShuffled(), Unprepared():
            return Uncut(made=_made(event))
        case OrderCommitted(), Uncut():
            return replace(shoe, made=replace(shoe.made, root=event.root))
        case ShoeCut(), Uncut():
            asked = bool(event.cutter) or event.staff is not None
            return replace(shoe, made=replace(shoe.made, cut_at=event.cards_in_front, asked=asked))
        case CuttingCardPlaced(), Uncut():
            return replace(shoe, made=replace(shoe.made, cards_behind=event.cards_behind))
        case CardsBurned(), Uncut():
            return replace(shoe, drawn=event.first_index + event.count)
        case CardsBurned(), Ready():
            after = event.first_index + event.count
            return replace(shoe, drawn=after, asked=event.number, burned=(*shoe.burned, *range(event.first_index, after)))
        case BurnRefused(), Ready():
            return replace(shoe, asked=event.number)
        case BurnedShown(), Ready():
            return replace(shoe, asked=event.number, shown=(*shoe.shown, *(opening.index for opening in event.openings)))
        case ShoePrepared(), Uncut():
            return Ready(made=shoe.made, drawn=shoe.drawn, burned=tuple(range(shoe.drawn)))
        case CardsDrawn(), Ready():
            down = {card.index: event.round for card in event.cards if card.opening is None}
            return replace(
                shoe,
                drawn=shoe.drawn + len(event.cards),
                calls={**shoe.calls, event.round: event.call_no},
                down={**shoe.down, **down} if down else shoe.down,
            )
        case HolePeeked(), Ready():
            return replace(shoe, peeked={**shoe.peeked, event.index: event.blackjack})
        case CardTurned(), Ready():
            return replace(shoe, down={index: round for index, round in shoe.down.items() if index != event.opening.index})
        case CardsExposed(), Ready():
            opened = {opening.index for opening in event.openings}
            still = tuple(hand for hand in shoe.closed if opened.isdisjoint(hand.indices) and shoe.down[hand.indices[0]] == event.round)
            down = {index: round for index, round in shoe.down.items() if index not in opened}
            return replace(shoe, down=down, closed=(*still, *event.closed))
        case ShoeRetired(), Uncut() | Ready():
            return Retired(made=shoe.made, drawn=shoe.drawn, seed=event.seed, hole=event.hole)
        case _:
            raise AssertionError(f"{type(event).__name__} cannot happen to a shoe that is {type(shoe).__name__.lower()}")


def _made(event: ShoeShuffled) -> Made:
    assert event.seed is not None, "a shoe is shuffled with a sealed seed"
    return Made(
        shoe=event.shoe,
        table=event.table,
        decks=event.decks,
        without=event.without,
        without_hole=event.without_hole,
        cards=event.cards,
        seed=event.seed,
        cut=event.cut,
        cutting_card=event.cutting_card,
        burns=event.burns,
        round=event.round,
        device=event.device,
    )


def _require(in_order: bool, what: str) -> None:
    if not in_order:
        raise refused(Reason.OUT_OF_ORDER, what)


def _prove(opening: Opening, index: int, made: Made) -> None:
    assert opening.index == index, f"card {index} is meant, not {opening.index}"
    assert verify(made.root, made.cards, made.shoe, opening, place=place(index, made)), f"nothing proves that card {index} lay there"


SHOE: Decider[Shoe, ShoeCommand, ShoeEvent] = Decider("shoe", Unprepared(), decide, evolve, ShoeCommand, ShoeEvent)

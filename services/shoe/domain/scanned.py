"""The scanned shoe: cards that leave it in an order that nobody knows, and calls that meet them.  Pure.

A card and its call come in either order.  What was scanned waits for a call, and a call waits for what is scanned; each card
goes on to the round by itself, because the next one may take a dealer some seconds.

Of a card that was scanned the log holds a commitment and a seal, so whoever scans it cannot change it later and whoever reads
the log learns nothing.  It is opened when it lies face up or is turned, and the rest when the shoe is put away.
"""

from collections.abc import Sequence

from services.shoe.domain import composition
from services.shoe.domain.scanned_burns import burn, burn_down, show_burned
from services.shoe.domain.scanned_course import Course, face_missing, prove, require
from services.shoe.domain.scanned_looks import look
from services.shoe.domain.scanned_state import UNREAD, Call, Scanned, unread
from shared.contracts.dealing import Face
from shared.contracts.refusals import Reason, refused
from shared.contracts.shoe import (
    CALL_CARDS_MAX,
    BurnCards,
    BurnRefused,
    CallCancelled,
    CancelCall,
    CardDrawn,
    CardRead,
    CardsAwaited,
    CardsBurned,
    CardScanned,
    CardsDrawn,
    CardsOpened,
    CompositionDoubted,
    CuttingCardDrawn,
    CuttingCardScanned,
    DrawCards,
    DrawnCard,
    ExposeCards,
    Opening,
    PeekHole,
    ReadCard,
    RetireShoe,
    ScanCard,
    ShoeCommand,
    ShoeEmptied,
    ShoeEvent,
    ShoePrepared,
    ShoeRetired,
    ShoeShuffled,
    ShowBurned,
    ShuffleShoe,
    TurnCard,
)
from shared.kernel.cards import DECK, POINTS
from shared.kernel.commitment import HASH_HEX

WAITING_MAX = 64
"""Cards that may be scanned before they are called: a whole deal that a dealer laid too early."""


def load(command: ShuffleShoe, event: ShoeShuffled) -> list[ShoeEvent]:
    """Return `event`, that cards were put under the scanner; without anything to burn they may be called at once."""
    assert command.seed is None and not command.root, "nobody knows the order of a scanned shoe"
    return [event] if command.burns else [event, _prepared(event)]


def decide(command: ShoeCommand, shoe: Scanned) -> list[ShoeEvent]:
    """Return what follows from `command`; raise Refused if it comes out of order, AssertionError if it proves nothing."""
    match command:
        case ScanCard():
            return scan(command, shoe)
        case DrawCards():
            return draw(command, shoe)
        case CancelCall():
            return cancel(command, shoe)
        case BurnCards():
            return burn(command, shoe)
        case ShowBurned():
            return show_burned(command, shoe)
        case ReadCard():
            return read(command, shoe)
        case PeekHole() | TurnCard() | ExposeCards():
            return look(command, shoe)
        case RetireShoe():
            return retire(command, shoe)
        case ShuffleShoe():
            raise refused(Reason.OUT_OF_ORDER, "the shoe is under its scanner already")
        case _:
            raise refused(Reason.SHOE_NOT_READY)


def takes(shoe: Scanned, saw: str) -> bool:
    """Return whether what a scanner saw now belongs to this shoe, and not to one that follows.

    Behind the cutting card a card belongs to it only while a round waits for one: the next that nobody has called may be the
    first of the same cards, shuffled again.  Until the shoe is burned nobody can call one, and the next card is burned.
    """
    if shoe.gives_no_more:
        return False
    if saw == "empty":
        return not shoe.emptied
    if shoe.is_empty or shoe.scanned - shoe.met >= WAITING_MAX:
        return False
    return not shoe.prepared or shoe.call is not None or shoe.burning is not None or shoe.cutting_card is None


def scan(command: ScanCard, shoe: Scanned) -> list[ShoeEvent]:
    """Return that something left the shoe, and what it means to a round that waits; nothing for what was heard before."""
    if command.scanner == shoe.scanner and command.n <= shoe.n:
        return []
    follows = command.scanner == shoe.scanner and command.n == shoe.n + 1
    require(follows or shoe.fresh, f"number {shoe.n + 1} of {shoe.scanner} is the next")
    require(takes(shoe, command.saw), "the shoe gives nothing now")
    course = Course(shoe)
    course.add(seen(command, shoe))
    if command.saw == "cutting_card":
        _pass_cutting_card(course)
        if shoe.cutting_card is not None:
            course.doubt(composition.Doubted("second_cutting_card", (), shoe.scanned))
    burns = shoe.loaded.burns
    if not shoe.prepared and course.shoe.scanned == burns:
        course.add(CardsBurned(first_index=0, count=burns, reason="shuffle"))
        course.add(_prepared(shoe.loaded))
    burn_down(course)
    meet(course, command.openings)
    return course


def seen(command: ScanCard, shoe: Scanned) -> CardScanned | CuttingCardScanned | ShoeEmptied:
    """Return what was seen, as it is written down."""
    match command.saw:
        case "cutting_card":
            return CuttingCardScanned(index=shoe.scanned, scanner=command.scanner, n=command.n)
        case "empty":
            return ShoeEmptied(scanned=shoe.scanned, scanner=command.scanner, n=command.n)
        case _:
            assert (command.saw == "unread") == (command.sealed is None), "a card that was read is sealed"
            assert (command.saw == "unread") == (command.commitment == UNREAD), "a card that was read is committed to"
            assert command.commitment == UNREAD or HASH_HEX.fullmatch(command.commitment), "a commitment is a hash"
            return CardScanned(
                index=shoe.scanned, scanner=command.scanner, n=command.n, commitment=command.commitment, sealed=command.sealed
            )


def draw(command: DrawCards, shoe: Scanned) -> list[ShoeEvent]:
    """Return that a round waits for cards, and those that lie ready for it."""
    if not shoe.prepared:
        raise refused(Reason.SHOE_NOT_READY)
    last = shoe.calls.get(command.round)
    require(last is None or command.round == next(reversed(shoe.calls)), f"{command.round} is over in this shoe")
    require(command.call_no > (last or 0), f"call {command.call_no} of {command.round} was answered")
    require(not shoe.gives_no_more, "the shoe gives no card any more")
    assert 0 < len(command.faces) <= CALL_CARDS_MAX, f"a call is for 1 to {CALL_CARDS_MAX} cards"
    course = Course(shoe)
    course.add(CardsAwaited(round=command.round, call_no=command.call_no, faces=command.faces))
    meet(course, command.openings)
    return course


def cancel(command: CancelCall, shoe: Scanned) -> list[ShoeEvent]:
    """Return that a void round gets no further card; nothing if it waits for none."""
    waits = (shoe.call, shoe.missing)
    if all(waiting is None or waiting.round != command.round for waiting in waits):
        return []
    return [CallCancelled(round=command.round, call_no=shoe.calls[command.round])]


def meeting(shoe: Scanned) -> list[tuple[int, Face]]:
    """Return which cards meet the call now, in order, and how each comes to lie: up to one that nobody can read and all must see."""
    met: list[tuple[int, Face]] = []
    if shoe.call is None or shoe.burning is not None or _is_first_of_round(shoe, shoe.call):
        return met
    for index, face in zip(range(shoe.met, shoe.scanned), shoe.call.faces, strict=False):
        if face == "up" and unread(shoe, index):
            break
        met.append((index, face))
    return met


def meet(course: Course, openings: Sequence[Opening | None]) -> None:
    """Let the cards that lie ready meet the call, as far as both are there."""
    pairs = meeting(course.shoe)
    wanted = [index for index, face in pairs if face == "up"]
    opened = {opening.index: opening for opening in openings if opening is not None}
    assert list(opened) == wanted, f"cards {wanted} are opened"
    for index, _ in pairs:
        call = course.shoe.call
        assert call is not None, "a call waits"
        opening = opened.get(index)
        if opening is not None:
            prove(opening, course.shoe)
        course.add(CardDrawn(round=call.round, call_no=call.call_no, card=DrawnCard(index=index, opening=opening)))
        _pass_cutting_card(course)
    shoe = course.shoe
    if shoe.call is None or shoe.burning is not None:
        return
    if shoe.met < shoe.scanned and not _is_first_of_round(shoe, shoe.call):
        if shoe.missing is None or shoe.missing.index != shoe.met:
            course.add(face_missing(shoe, shoe.call.round, shoe.met, None))
    elif _is_first_of_round(shoe, shoe.call) or shoe.is_empty:
        course.add(
            CardsDrawn(
                round=shoe.call.round,
                call_no=shoe.call.call_no,
                cards=(),
                exhausted=True,
                cutting_card_out=shoe.cutting_card is not None,
            )
        )


def _pass_cutting_card(course: Course) -> None:
    """Say to a round that the cutting card comes next behind its card (ON-5.7)."""
    shoe = course.shoe
    round = shoe.drew or shoe.loaded.round
    if round and shoe.cutting_card == shoe.met:
        course.add(CuttingCardDrawn(round=round))


def _is_first_of_round(shoe: Scanned, call: Call) -> bool:
    """Return whether the cutting card is the first that a round gets: then nothing is dealt to it from here (FL-4.1, decision 21)."""
    begun = call.round in (shoe.drew, shoe.loaded.round)
    return shoe.cutting_card is not None and shoe.cutting_card <= shoe.met and not begun


def read(command: ReadCard, shoe: Scanned) -> list[ShoeEvent]:
    """Return that a person said what a card is that is waited for, and what follows; nothing if none of that index is."""
    missing = shoe.missing
    if missing is None or missing.index != command.index or not missing.may_be_told:
        return []
    assert command.card in POINTS, f"{command.card!r} is not a card"
    assert HASH_HEX.fullmatch(command.commitment) is not None, "what is told is committed to"
    assert command.sealed is not None, "what is told is sealed"
    course = Course(shoe)
    course.add(CardRead(index=command.index, commitment=command.commitment, sealed=command.sealed))
    if missing.look is None:
        meet(course, command.openings)
        return course
    assert command.looked is not None, "what waited for the card goes on"
    for event in look(command.looked, course.shoe):
        if not isinstance(event, CompositionDoubted):
            course.add(event)
    return course


def retire(command: RetireShoe, shoe: Scanned) -> list[ShoeEvent]:
    """Return the opening of every card that is hidden still, and that the shoe is out of use."""
    made = shoe.loaded
    assert not command.seed, "a scanned shoe has no seed"
    assert command.next_root == command.next_shoe == "", "the same cards make the shoe that follows"
    assert command.hole in ("", *DECK), "the hole card is a card"
    hidden = [index for index in sorted(shoe.hidden) if not unread(shoe, index)]
    assert [opening.index for opening in command.openings] == hidden, f"cards {hidden} are opened"
    course = Course(shoe)
    for opening in command.openings:
        prove(opening, shoe)
    if shoe.burning is not None:
        gone = refused(Reason.SHOE_RETIRED)
        course.add(BurnRefused(number=shoe.burning.number, table=made.table, code=gone.code, message=gone.message))
    if hidden:
        course.add(CardsOpened(openings=command.openings))
    if shoe.is_empty:
        # A hole card that was left out and that nobody could read may be any card.
        left_out = made.without if made.without_hole is None else (*made.without, command.hole)
        for doubted in composition.of_emptied(course.shoe.faces, decks=made.decks, without=left_out):
            course.doubt(doubted)
    course.add(ShoeRetired(shoe=made.shoe, table=made.table, reason=command.reason, seed="", drawn=shoe.scanned, hole=command.hole))
    return course


def _prepared(loaded: ShoeShuffled) -> ShoePrepared:
    return ShoePrepared(shoe=loaded.shoe, table=loaded.table, round=loaded.round, root="", cards=loaded.cards)

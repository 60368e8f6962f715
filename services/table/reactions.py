"""What must follow: an event that the table service hears, and the commands that it then gives itself.

Also what falls due: each round and each table has at most one next timer, worked out from its state alone.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from services.table.domain.betting import lapse_at_ms
from services.table.domain.coming import Revealing, Sealing
from services.table.domain.state import Betting, Decision, Insurance, Joining, Over, Playing, Round, Unopened, Wager
from services.table.domain.table import obstacle
from services.table.domain.table_state import Table
from shared.contracts.burns import NoteBurn, NoteDisclosure
from shared.contracts.cutting import CallCut, NoteOrder
from shared.contracts.dealing import ChangeShoe, DealCard, DealCards, DealtCard, NoteCuttingCard, TakeExposure, TakePeek, TurnHole
from shared.contracts.decisions import CloseInsurance, CloseJoining, TimeOutDecision
from shared.contracts.restrictions import InForceTold, NoteInForce
from shared.contracts.rounds import CorrectionRefused, CorrectRound, OpenRound, RoundCorrected, RoundSettled, RoundVoided
from shared.contracts.shoe import (
    BurnedShown,
    BurnRefused,
    CardDrawn,
    CardsBurned,
    CardsDrawn,
    CardsExposed,
    CardTurned,
    CuttingCardDrawn,
    FaceMissing,
    HolePeeked,
    OrderCommitted,
    ShoePrepared,
    ShoeRetired,
)
from shared.contracts.stakes import RoundBooked, StakeRefused, StakeReserved, StakesCorrected
from shared.contracts.subjects import round_name, round_of, stream_day, table_stream
from shared.contracts.table import (
    CallRound,
    CorrectionCalled,
    DayClosed,
    EndDay,
    MountShoe,
    NoteBook,
    NoteBooking,
    NoteCorrection,
    NoteMissingFace,
    NoteRetirement,
    OpenTable,
    RecordRound,
    RoundCalled,
    TableOpened,
)
from shared.contracts.wagers import AcceptWager, CloseBetting, LapseWagers, RefuseWager, TimeOutReserve
from shared.contracts.wallet import TableNoted
from shared.kernel.reactions import Reaction, Source, Timer


def follow(event: Any, source: Source) -> list[Reaction]:
    """Return what must follow from an event of a table, a shoe or the ledger; most are followed by nothing here."""
    following = FOLLOWING.get(type(event))
    return [] if following is None else following(event, source)


def _open_round(event: RoundCalled, _: Source) -> list[Reaction]:
    command = OpenRound(
        round=event.round,
        number=event.number,
        table=event.table,
        day=event.day,
        profile=event.profile,
        settings=event.settings,
        shoe=event.shoe,
        root=event.root,
        in_force=event.in_force,
    )
    return [_to_round(event.round, command, "open")]


def _tell_in_force(event: InForceTold, _: Source) -> list[Reaction]:
    return [_to_round(event.round, NoteInForce(in_force=event.in_force), "in-force")]


def _record_round(event: RoundSettled | RoundVoided, source: Source) -> list[Reaction]:
    name = round_of(source.stream)
    assert name is not None, "a round ends in a round's stream"
    command = RecordRound(
        round=name.id,
        outcome="settled" if isinstance(event, RoundSettled) else "void",
        revision=source.revision,
        digest=source.digest,
        shoes=event.shoes,
        # ON-5.7; and a shoe that failed is dealt from no more either.
        cutting_card_out=event.cutting_card_out or (isinstance(event, RoundVoided) and event.shoe_failed),
        places=event.places,
        came_out=event.came_out,
        seats=event.seats,
    )
    return [Reaction(table_stream(name.day, name.table), command, "record")]


def _open_next_day(event: DayClosed, source: Source) -> list[Reaction]:
    if not event.reopens:
        return []
    command = OpenTable(
        table=event.table,
        profile_name=event.profile.name,
        settings=event.settings,
        day=event.next_day,
        day_ends_at_ms=event.next_day_ends_at_ms,
        profile=event.profile,
        follows=source.digest,
        held=event.held,
        cards=event.cards or UNSET,
    )
    return [Reaction(table_stream(event.next_day, event.table), command, "reopen")]


def _note_book(event: TableNoted, source: Source) -> list[Reaction]:
    return [Reaction(table_stream(stream_day(source.stream), event.table), NoteBook(), "book")]


def _accept(event: StakeReserved, _: Source) -> list[Reaction]:
    return [_to_round(event.round, AcceptWager(wager=event.wager), "accept")]


def _refuse(event: StakeRefused, _: Source) -> list[Reaction]:
    return [_to_round(event.round, RefuseWager(wager=event.wager, code=event.code, message=event.message), "refuse")]


def _note_booking(event: RoundBooked, _: Source) -> list[Reaction]:
    name = round_name(event.round)
    return [Reaction(table_stream(name.day, name.table), NoteBooking(round=event.round), "booking")]


def _correct_round(event: CorrectionCalled, _: Source) -> list[Reaction]:
    command = CorrectRound(correction=event.correction, cards=event.cards, agreed=event.agreed)
    return [_to_round(event.round, command, "correct")]


def _note_correction(event: RoundCorrected | CorrectionRefused, source: Source) -> list[Reaction]:
    name = round_of(source.stream)
    assert name is not None, "a round is corrected in its own stream"
    command = NoteCorrection(round=name.id, correction=event.correction, revision=source.revision, digest=source.digest)
    if isinstance(event, RoundCorrected):
        command = replace(command, number=event.number)
    else:
        command = replace(command, code=event.code, message=event.message)
    return [Reaction(table_stream(name.day, name.table), command, "correction")]


def _note_corrected_stakes(event: StakesCorrected, _: Source) -> list[Reaction]:
    name = round_name(event.round)
    return [Reaction(table_stream(name.day, name.table), NoteBooking(round=event.round, number=event.number), "booking")]


def _note_order(event: OrderCommitted, source: Source) -> list[Reaction]:
    if event.round:
        # Discards that a round waits for are cut at once: nobody is asked in the middle of it.
        return []
    return [Reaction(table_stream(stream_day(source.stream), event.table), NoteOrder(shoe=event.shoe, root=event.root), "order")]


def _take_shoe(event: ShoePrepared, source: Source) -> list[Reaction]:
    if event.round:
        return [_to_round(event.round, ChangeShoe(shoe=event.shoe, root=event.root, cards=event.cards), "change")]
    command = MountShoe(shoe=event.shoe, root=event.root, cards=event.cards)
    return [Reaction(table_stream(stream_day(source.stream), event.table), command, "mount")]


def _deal(event: CardsDrawn, source: Source) -> list[Reaction]:
    command = DealCards(
        call_no=event.call_no,
        shoe=source.stream.split(".")[3],
        cards=tuple(DealtCard(index=drawn.index, card=drawn.opening.card if drawn.opening else "") for drawn in event.cards),
        exhausted=event.exhausted,
        cutting_card_out=event.cutting_card_out,
        marker=event.marker,
    )
    return [_to_round(event.round, command, "deal")]


def _deal_one(event: CardDrawn, source: Source) -> list[Reaction]:
    drawn = event.card
    dealt = DealtCard(index=drawn.index, card=drawn.opening.card if drawn.opening else "")
    return [_to_round(event.round, DealCard(call_no=event.call_no, shoe=source.stream.split(".")[3], dealt=dealt), "deal")]


def _note_cutting_card(event: CuttingCardDrawn, source: Source) -> list[Reaction]:
    return [_to_round(event.round, NoteCuttingCard(shoe=source.stream.split(".")[3]), "cutting-card")]


def _note_missing_face(event: FaceMissing, source: Source) -> list[Reaction]:
    command = NoteMissingFace(shoe=event.shoe, index=event.index, round=event.round)
    return [Reaction(table_stream(stream_day(source.stream), event.table), command, "missing-face")] if event.may_be_told else []


def _take_peek(event: HolePeeked, _: Source) -> list[Reaction]:
    return [_to_round(event.round, TakePeek(blackjack=event.blackjack), "peek")]


def _turn(event: CardTurned, _: Source) -> list[Reaction]:
    return [_to_round(event.round, TurnHole(index=event.opening.index, card=event.opening.card), "turn")]


def _expose(event: CardsExposed, source: Source) -> list[Reaction]:
    cards = tuple(DealtCard(index=opening.index, card=opening.card) for opening in event.openings)
    return [_to_round(event.round, TakeExposure(shoe=source.stream.split(".")[3], cards=cards), "expose")]


def _note_retirement(event: ShoeRetired, source: Source) -> list[Reaction]:
    return [Reaction(table_stream(stream_day(source.stream), event.table), NoteRetirement(shoe=event.shoe), "retirement")]


def _note_burn(event: CardsBurned, source: Source) -> list[Reaction]:
    # The burn after a shuffle is part of it, and nobody waits for that.
    note = NoteBurn(number=event.number, cutting_card_out=event.cutting_card_out)
    return [_to_table(event.table, source, note, "burn")] if event.number else []


def _note_burn_refused(event: BurnRefused, source: Source) -> list[Reaction]:
    return [_to_table(event.table, source, NoteBurn(number=event.number, code=event.code, message=event.message), "burn")]


def _note_disclosure(event: BurnedShown, source: Source) -> list[Reaction]:
    cards = tuple(opening.card for opening in event.openings)
    return [_to_table(event.table, source, NoteDisclosure(number=event.number, cards=cards), "shown")]


def _to_table(table: str, source: Source, command: Any, name: str) -> Reaction:
    return Reaction(table_stream(stream_day(source.stream), table), command, name)


def _to_round(round_id: str, command: Any, name: str) -> Reaction:
    return Reaction(round_name(round_id).stream, command, name)


FOLLOWING: Mapping[type, Callable[[Any, Source], list[Reaction]]] = {
    RoundCalled: _open_round,
    InForceTold: _tell_in_force,
    RoundSettled: _record_round,
    RoundVoided: _record_round,
    DayClosed: _open_next_day,
    TableNoted: _note_book,
    StakeReserved: _accept,
    StakeRefused: _refuse,
    RoundBooked: _note_booking,
    CorrectionCalled: _correct_round,
    RoundCorrected: _note_correction,
    CorrectionRefused: _note_correction,
    StakesCorrected: _note_corrected_stakes,
    OrderCommitted: _note_order,
    ShoePrepared: _take_shoe,
    CardsDrawn: _deal,
    CardDrawn: _deal_one,
    CuttingCardDrawn: _note_cutting_card,
    FaceMissing: _note_missing_face,
    HolePeeked: _take_peek,
    CardTurned: _turn,
    CardsExposed: _expose,
    ShoeRetired: _note_retirement,
    CardsBurned: _note_burn,
    BurnRefused: _note_burn_refused,
    BurnedShown: _note_disclosure,
}
"""What the table service hears, and what follows from it."""


def timer(state: Table | Round) -> Timer | None:
    """Return what falls due next."""
    match state:
        case Table():
            return _of_table(state)
        case Betting(closed=False):
            return Timer(state.opened.betting_until_ms, CloseBetting(), "close-betting")
        case Betting():
            return Timer(lapse_at_ms(state), LapseWagers(), "lapse-wagers") if state.pending else None
        case Playing():
            return _of_play(state)
        case Unopened() | Over():
            return None


def _of_play(playing: Playing) -> Timer | None:
    """Return the player's clock, or the wallet's while one is asked; of several wallets the first that is due."""
    reserves = [_reserve(wager) for wager in playing.pending]
    match playing.awaiting:
        case Decision() as decision:
            return Timer(decision.until_ms, TimeOutDecision(number=decision.number), f"decision-{decision.number}", patient=True)
        case Insurance(closed=False) as insurance:
            window = Timer(insurance.until_ms, CloseInsurance(), "close-insurance", patient=True)
            return min((*reserves, window), key=lambda due: due.at_ms)
        case Joining(waiting=(_, *_)) as joining:
            window = Timer(joining.until_ms, CloseJoining(wager=joining.wager), f"close-joining-{joining.wager}", patient=True)
            return min((*reserves, window), key=lambda due: due.at_ms)
        case _:
            return min(reserves, key=lambda due: due.at_ms, default=None)


def _reserve(wager: Wager) -> Timer:
    return Timer(wager.reserve_by_ms, TimeOutReserve(wager=wager.id), f"reserve-{wager.id}")


def _of_table(table: Table) -> Timer | None:
    """Return the next round of a table that deals by itself, the end of a wait for secrets, or the end of its day, whichever comes first.

    A house that was off comes back when both have passed: then the day has ended, and no round is called in it.
    """
    if table.opened is None or table.ended is not None:
        return None
    day = Timer(table.opened.day_ends_at_ms, EndDay(), "end-day")
    first = _before_the_day_ends(table, table.opened)
    return day if first is None or first.at_ms >= day.at_ms else replace(first, until=day)


def _before_the_day_ends(table: Table, opened: TableOpened) -> Timer | None:
    if isinstance(table.coming, Sealing | Revealing) and table.coming.until_ms is not None:
        return Timer(table.coming.until_ms, CallCut(shoe=table.coming.shoe), f"call-cut-{table.coming.shoe}", patient=True)
    if opened.settings.dealer == "staff" or obstacle(table) is not None:
        return None
    return Timer(table.next_from_ms, CallRound(), f"call-round-{table.rounds + 1}")


def round_is_over(state: Round) -> bool:
    """Return whether nothing can follow in a round's stream."""
    return isinstance(state, Over)


def table_is_over(state: Table) -> bool:
    """Return whether nothing can follow in a table's stream."""
    return state.day_closed

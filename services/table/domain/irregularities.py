"""Irregularities: what a ruling does to a round in play, once two persons have agreed (ON-11, LV-3.5, decisions 22 and 23).

Some rulings only say what stays as it is: a card that nobody saw is still the next one.  Some take a card out of the shoe
that is nobody's: at once if people are awaited, whose clocks stand meanwhile, else as the next card that comes.
"""

from collections.abc import Callable, Mapping
from typing import Any

from services.table.domain import approval, correcting, insurance
from services.table.domain.course import Course
from services.table.domain.dead import die
from services.table.domain.settlement import give_back
from services.table.domain.state import SEEN, Betting, Cards, Decision, Insurance, Joining, Playing, Running
from shared.contracts.dealing import Astray, BoxMissed, CardsCalled, CardsForfeited
from shared.contracts.refusals import Reason, refused
from shared.contracts.rounds import RoundEvent
from shared.contracts.rulings import (
    AnyRuling,
    ApproveRuling,
    DeadHand,
    DealerOverdraw,
    DeclineRuling,
    DeviceMalfunction,
    ExposedCard,
    FaceUpCard,
    GameError,
    Misdeal,
    Misread,
    MissedBox,
    ProposeRuling,
    Ruling,
    RulingCommand,
    UnexposedCard,
    VoidTheRound,
    WithdrawRuling,
    WrongPosition,
    kind_of,
)
from shared.kernel.messages import Envelope, Refused

GAME_ERROR_BURNS = 3
"""LV-3.5."""


def propose(command: ProposeRuling, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    """Return the proposal; raise `Refused` if its ruling could not take effect now."""
    _check_round(command, round_)
    proposed = approval.propose(command, round_.proposals, envelope)
    _take_effect(command.ruling, command.note, Course(round_, envelope.at_ms))
    return [proposed]


def approve(command: ApproveRuling, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    """Return that a second person agrees, and what the ruling does."""
    _check_round(command, round_)
    proposal, event = approval.approved(command, round_.proposals, envelope, book=round_.opened.profile.book)
    course = Course(round_, envelope.at_ms)
    course.add(event)
    _take_effect(proposal.ruling, proposal.note, course)
    return course


def decline(command: DeclineRuling, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    """Return that a second person does not agree."""
    _check_round(command, round_)
    return [approval.decline(command, round_.proposals, envelope, book=round_.opened.profile.book)]


def withdraw(command: WithdrawRuling, round_: Running, envelope: Envelope) -> list[RoundEvent]:
    """Return that a proposal is taken back."""
    _check_round(command, round_)
    return [approval.withdraw(command, round_.proposals, envelope)]


def _check_round(command: RulingCommand, round_: Running) -> None:
    if command.round != round_.opened.round:
        raise refused(Reason.UNKNOWN_ROUND)


def _take_effect(ruling: AnyRuling, note: str, course: Course) -> None:
    round_ = course.state
    assert isinstance(round_, Betting | Playing), "a round that is over takes other rulings"
    effect = EFFECTS[type(round_)].get(type(ruling))
    if effect is None:
        when = "no card is out" if isinstance(round_, Betting) else "the cards are out"
        raise _not_now(f"{kind_of(ruling)} is for another moment of a round: {when}.")
    effect(ruling, note, course)


def _not_now(why: str) -> Refused:
    return refused(Reason.NOT_POSSIBLE_NOW, why)


def _stays_as_it_is(_: Ruling, __: str, ___: Course) -> None:
    """The proposal and its approval say it all."""


def _void(ruling: Ruling, note: str, course: Course) -> None:
    give_back(course, _reason(ruling, note))


def _misdealt(ruling: Misdeal, note: str, course: Course) -> None:
    """A misdeal is one until somebody has decided; after that it is a void round, and called so."""
    playing = course.playing
    first = playing.decisions == 1 and isinstance(playing.awaiting, Decision)
    if playing.decisions and not first:
        raise _not_now("somebody has decided already; void the round instead.")
    give_back(course, _reason(ruling, note))


def _failed(ruling: DeviceMalfunction, note: str, course: Course) -> None:
    give_back(course, _reason(ruling, note), shoe_failed=True)


def _reason(ruling: Ruling, note: str) -> str:
    return f"{kind_of(ruling)}: {note}" if note else kind_of(ruling)


def _face_up(_: FaceUpCard, __: str, course: Course) -> None:
    """ON-11.1: the card is not used."""
    _forfeit("face_up", 1, course)


def _exposed(_: ExposedCard, __: str, course: Course) -> None:
    """ON-11.3: until everybody has two cards it is the next card of the deal, which is called already; else it is drawn now."""
    awaiting = course.playing.awaiting
    if not isinstance(awaiting, Cards):
        _forfeit("exposed", 1, course)
    elif awaiting.faces[:1] != ("up",) or course.playing.astray:
        raise _not_now("the next card is nobody's to see; report a game error, or void the round.")


def _overdraw(_: DealerOverdraw, __: str, course: Course) -> None:
    """ON-11.4: the dealer plays by rule as soon as the players are done, so this is said before and comes true then."""
    if course.playing.overdrawn:
        raise _not_now("it is ruled already that the dealer draws a card too many.")
    course.add(CardsForfeited(astray="overdraw", count=1))


def _game_error(_: GameError, __: str, course: Course) -> None:
    """LV-3.5: three cards are burned."""
    _forfeit("game_error", GAME_ERROR_BURNS, course)


def _forfeit(astray: Astray, count: int, course: Course) -> None:
    """Let the next cards be nobody's: call them now if people are awaited, else take them from what comes next."""
    round_ = course.state
    if isinstance(round_, Betting):
        course.add(CardsForfeited(astray=astray, count=count))
        return
    playing = course.playing
    awaiting = playing.awaiting
    if isinstance(awaiting, Cards):
        # Cards on their way were asked for by face: behind a card that is left out, an open one could fall where none may.
        if ("down" in awaiting.asked and not awaiting.begun) or not _fit(awaiting, len(playing.astray) + count):
            raise _not_now("the deal is on its way; wait until it lies.")
        course.add(CardsForfeited(astray=astray, count=count))
        return
    people = _people(playing)
    faces = (SEEN[astray],) * count
    rest_ms = max(people.until_ms - course.at_ms, 0)
    course.add(CardsCalled(call_no=playing.call_no + 1, shoe=playing.shoe, faces=faces, astray=astray, rest_ms=rest_ms))


def _fit(awaiting: Cards, astray: int) -> bool:
    """Return whether the cards that are asked for come to lie as the hands want them when so many of them are nobody's."""
    return all(asked == wanted for asked, wanted in zip(awaiting.asked[astray:], awaiting.faces, strict=False))


def _people(playing: Playing) -> Decision | Insurance | Joining:
    """Return what people are awaited for; raise `Refused` if it is the wallet or the shoe that is awaited."""
    awaiting = playing.awaiting
    if not isinstance(awaiting, Decision | Insurance | Joining) or playing.pending:
        raise _not_now("the wallet or the shoe is being asked; say it again in a moment.")
    return awaiting


def _miss(ruling: MissedBox, _: str, course: Course) -> None:
    """ON-11.6: known before the deal, because cards come to rest where the order has them."""
    betting = course.state
    assert isinstance(betting, Betting), "no card is out"
    if not any(wager.box == ruling.box and wager.kind == "main" for wager in betting.wagers):
        raise refused(Reason.NO_SUCH_BOX)
    if (ruling.box, ruling.card) in betting.missed:
        raise _not_now(f"card {ruling.card} of box {ruling.box} is missed already.")
    course.add(BoxMissed(box=ruling.box, card=ruling.card))


def _dead(ruling: DeadHand, _: str, course: Course) -> None:
    """ON-11.6, decision 23: the others play on."""
    playing = course.playing
    _people(playing)
    ends = {(hand.box, hand.number): hand.end for hand in playing.hands}
    if (ruling.box, ruling.hand) not in ends:
        raise refused(Reason.NO_SUCH_BOX)
    if ends[ruling.box, ruling.hand] in ("bust", "even_money", "dead"):
        raise _not_now("the hand is out of the round already.")
    die(course, ruling.box, ruling.hand)
    if isinstance(course.playing.awaiting, Insurance):
        insurance.go_on(course)


def _check_position(ruling: WrongPosition, _: str, course: Course) -> None:
    """The log has every card where the order of dealing has it: so that is where the pit boss puts it."""
    playing = course.playing
    hands = {(hand.box, hand.number): hand.cards for hand in (*playing.hands, playing.dealer)}
    if ruling.card not in hands.get((ruling.box, ruling.hand), ()):
        raise _not_now(f"{ruling.card} does not belong to box {ruling.box} hand {ruling.hand}.")
    if ruling.found == ruling.box:
        raise _not_now("it lies where it belongs.")


def _read_anew(ruling: Misread, _: str, course: Course) -> None:
    """LV-2.1.4: the cards that lie there count."""
    correcting.correct_cards(correcting.cards_of(ruling), course)


Effect = Callable[[Any, str, Course], None]

EFFECTS: Mapping[type, Mapping[type[Ruling], Effect]] = {
    Betting: {
        VoidTheRound: _void,
        DeviceMalfunction: _failed,
        FaceUpCard: _face_up,
        UnexposedCard: _stays_as_it_is,
        ExposedCard: _stays_as_it_is,
        GameError: _game_error,
        MissedBox: _miss,
    },
    Playing: {
        VoidTheRound: _void,
        Misdeal: _misdealt,
        DeviceMalfunction: _failed,
        FaceUpCard: _face_up,
        UnexposedCard: _stays_as_it_is,
        ExposedCard: _exposed,
        DealerOverdraw: _overdraw,
        GameError: _game_error,
        DeadHand: _dead,
        WrongPosition: _check_position,
        Misread: _read_anew,
    },
}
"""What each kind of ruling does, by phase; what is not here is refused."""

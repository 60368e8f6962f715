"""What a round remembers of its events: nothing is decided here, and no profile is read.

A table of functions by phase and event instead of one long match: an event that cannot happen in a phase is not in it,
and looking one up costs the same however many there are.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, get_args

from immutables import Map
from msgspec.structs import replace

from services.table.domain.approval import remembered
from services.table.domain.hand import Hand, face_down, hand_of, opened, with_card
from services.table.domain.physical import FIRST_CARDS, dealer_on, first_cards, hands_on, read_anew
from services.table.domain.state import (
    Awaiting,
    Betting,
    Cards,
    Decision,
    Exposure,
    Insurance,
    Interrupted,
    Joining,
    Laying,
    NewShoe,
    Over,
    Peek,
    Playing,
    Reserve,
    Round,
    Turn,
    Unopened,
    Wager,
)
from shared.contracts.dealing import (
    Astray,
    BoxMissed,
    CardDealt,
    CardDiscarded,
    CardExposed,
    CardsCalled,
    CardsCorrected,
    CardsForfeited,
    CardsPickedUp,
    CuttingCardReached,
    ExposureCalled,
    FaceDownCardDealt,
    HandExposed,
    HoleCardDealt,
    HoleCardTurned,
    PeekCalled,
    PeekTaken,
    ReshuffleCalled,
    ShoeChanged,
    TurnCalled,
)
from shared.contracts.decisions import (
    ClockExtended,
    ClockResumed,
    DecisionAwaited,
    DecisionTimedOut,
    EvenMoneyTaken,
    HandCompleted,
    HandDoubled,
    HandHit,
    HandSplit,
    InsuranceClosed,
    InsuranceDeclined,
    InsuranceOpened,
    JoiningClosed,
    JoiningDeclined,
    JoiningOpened,
)
from shared.contracts.restrictions import InForceNoted
from shared.contracts.rounds import CorrectionRefused, HandsDecided, RoundCorrected, RoundEvent, RoundOpened, RoundSettled, RoundVoided
from shared.contracts.rulings import RulingEvent
from shared.contracts.wagers import (
    SIDE_BETS,
    BettingClosed,
    CallersSet,
    CommandRefused,
    CorrectedLine,
    SettlementLine,
    WagerAccepted,
    WagerLapsed,
    WagerPlaced,
    WagerRefused,
    WagersCorrected,
    WagersSettled,
)


def evolve(round_: Round, event: RoundEvent) -> Round:
    """Return the round after `event`; an event that cannot follow breaks an assertion."""
    return REMEMBERED[type(round_)][type(event)](round_, event)


def _opened(_: Unopened, event: RoundOpened) -> Round:
    return Betting(event)


def _wager(event: WagerPlaced) -> Wager:
    return Wager(event.wager, event.player, event.box, event.hand, event.kind, event.stake_minor, event.reserve_by_ms, event.seated)


def _placed(betting: Betting, event: WagerPlaced) -> Round:
    return replace(betting, pending=betting.pending + (_wager(event),))


def _accepted(round_: Betting | Playing, event: WagerAccepted) -> Round:
    wager = named(round_.pending, event.wager)
    assert wager is not None, "only a pending wager can be accepted"
    pending, wagers = without(round_.pending, event.wager), round_.wagers + (wager,)
    if isinstance(round_, Betting) and wager.kind == "main":
        return replace(round_, pending=pending, wagers=wagers, places=round_.places + ((wager.player, wager.box),))
    return replace(round_, pending=pending, wagers=wagers)


def _gone(betting: Betting, event: WagerRefused | WagerLapsed) -> Round:
    wager = named(betting.pending, event.wager)
    assert wager is not None, "only a pending wager can be refused"
    return replace(betting, pending=without(betting.pending, event.wager), refusals=_counted(betting.refusals, wager.player))


def _refused(round_: Betting | Playing, event: CommandRefused) -> Round:
    return replace(round_, refusals=_counted(round_.refusals, event.player))


def _counted(refusals: Map[str, int], player: str) -> Map[str, int]:
    return refusals.set(player, refusals.get(player, 0) + 1)


def _callers_set(betting: Betting, event: CallersSet) -> Round:
    """The wager of whoever decides moves to the dealer's side, the others keep their order (decision 15)."""
    return replace(betting, wagers=tuple(sorted(betting.wagers, key=lambda wager: wager.id not in event.wagers)))


def _in_force_noted(betting: Betting, event: InForceNoted) -> Round:
    return replace(betting, noted=event.in_force)


def _betting_closed(betting: Betting, _: BettingClosed) -> Round:
    return replace(betting, closed=True)


def _settled_lines(round_: Betting | Playing, event: WagersSettled) -> Round:
    wagers = round_.wagers
    for line in event.lines:
        wagers = without(wagers, line.wager)
    assert len(wagers) + len(event.lines) == len(round_.wagers), "every line settles a wager of its own"
    return replace(round_, wagers=wagers, lines=round_.lines + event.lines)


def _first_call(betting: Betting, event: CardsCalled) -> Round:
    callers: dict[int, Wager] = {}
    firsts: dict[int, tuple[str, ...]] = {}
    for wager in betting.wagers:
        if wager.kind == "main":
            callers.setdefault(wager.box, wager)
        elif wager.kind in SIDE_BETS:
            firsts[wager.box] = ()
    return Playing(
        betting.opened,
        betting.pending,
        betting.wagers,
        betting.refusals,
        betting.lines,
        tuple([Hand(box, 1, callers[box].player, callers[box].stake_minor) for box in sorted(callers)]),
        Hand(0, 1, "", 0),
        event.shoe,
        (event.shoe,),
        event.call_no,
        Cards(event.faces[len(betting.astray) :], event.faces),
        firsts=firsts,
        proposals=betting.proposals,
        astray=betting.astray,
        missed=betting.missed,
        places=betting.places,
    )


def _voided_betting(betting: Betting, event: RoundVoided) -> Round:
    return Over(betting.opened, event.reason, betting.lines, proposals=betting.proposals)


def _called(playing: Playing, event: CardsCalled) -> Round:
    if event.astray is not None:
        return _called_astray(playing, event, event.astray)
    to_hands = event.faces[len(playing.astray) :]
    return replace(playing, call_no=event.call_no, shoe=event.shoe, awaiting=Cards(to_hands, event.faces))


def _called_astray(playing: Playing, event: CardsCalled, why: Astray) -> Round:
    """Whoever was awaited is awaited again when the cards have come."""
    awaiting = playing.awaiting
    return replace(
        playing,
        call_no=event.call_no,
        shoe=event.shoe,
        awaiting=Cards((), event.faces),
        astray=playing.astray + (why,) * len(event.faces),
        overdrawn=playing.overdrawn and why != "overdraw",
        interrupted=Interrupted(awaiting, event.rest_ms) if isinstance(awaiting, Decision | Insurance | Joining) else playing.interrupted,
    )


def _less(awaiting: Awaiting, cards: int = 1, *, at_hand: bool = True) -> Awaiting:
    """What is still to come to hands may be more than a call still brings, where cards of it were nobody's."""
    assert isinstance(awaiting, Cards), "a card is dealt for a call"
    asked = awaiting.asked[cards:]
    if at_hand and awaiting.faces is awaiting.asked:
        return Cards(asked, asked, True) if asked else None
    faces = awaiting.faces[cards:] if at_hand else awaiting.faces
    return Cards(faces, asked, True) if faces or asked else None


def _is_exposed(playing: Playing, event: CardDealt | CardDiscarded) -> bool:
    return (playing.exposed[0].shoe, playing.exposed[0].index) == (event.shoe, event.index)


def _dealt(playing: Playing, event: CardDealt) -> Round:
    if playing.exposed and _is_exposed(playing, event):
        playing, awaiting = replace(playing, exposed=playing.exposed[1:]), None
    else:
        awaiting = _less(playing.awaiting)
    laid = playing.laid + (event,)
    box = event.box
    if box == 0:
        return replace(playing, dealer=with_card(playing.dealer, event.card), awaiting=awaiting, laid=laid)
    if playing.firsts and box in playing.firsts:
        firsts = playing.firsts[box]
        playing = replace(playing, firsts={**playing.firsts, box: (*firsts, event.card)[:FIRST_CARDS]})
    hands = playing.hands
    at = place_of(hands, box, event.hand)
    return replace(playing, hands=_put(hands, at, with_card(hands[at], event.card)), awaiting=awaiting, laid=laid)


def dealt_together(playing: Playing, cards: Sequence[Laying]) -> Playing:
    """Return the round after cards that came to rest together: what it is after one and then the next, made only once."""
    if playing.exposed or playing.firsts:
        for event in cards:
            playing = REMEMBERED[Playing][type(event)](playing, event)  # type: ignore[assignment]
        return playing
    hands, dealer, hole, laid = list(playing.hands), playing.dealer, playing.hole, playing.laid
    for event in cards:
        if isinstance(event, CardDealt):
            laid += (event,)
            if event.box == 0:
                dealer = with_card(dealer, event.card)
            else:
                at = place_of(hands, event.box, event.hand)
                hands[at] = with_card(hands[at], event.card)
        elif isinstance(event, HoleCardDealt):
            hole = event
        else:
            at = place_of(hands, event.box, event.hand)
            hands[at] = face_down(hands[at], event.index)
    awaiting = _less(playing.awaiting, len(cards))
    return replace(playing, hands=tuple(hands), dealer=dealer, hole=hole, laid=laid, awaiting=awaiting)


def _forfeited(round_: Betting | Playing, event: CardsForfeited) -> Round:
    if event.astray == "overdraw":
        assert isinstance(round_, Playing), "a dealer draws too much when cards are out"
        return replace(round_, overdrawn=True)
    return replace(round_, astray=round_.astray + (event.astray,) * event.count)


def _discarded(playing: Playing, event: CardDiscarded) -> Round:
    if playing.exposed and _is_exposed(playing, event):
        return replace(playing, exposed=playing.exposed[1:])
    return replace(playing, astray=playing.astray[1:], awaiting=_less(playing.awaiting, at_hand=False))


def _laid_open(playing: Playing, event: CardExposed) -> Round:
    awaiting = _less(playing.awaiting, at_hand=False)
    return replace(playing, astray=playing.astray[1:], exposed=(*playing.exposed, event), awaiting=awaiting)


def _resumed(playing: Playing, event: ClockResumed) -> Round:
    assert playing.interrupted is not None, "somebody was awaited before"
    return replace(playing, awaiting=replace(playing.interrupted.awaiting, until_ms=event.until_ms), interrupted=None)


def _missed(betting: Betting, event: BoxMissed) -> Round:
    return replace(betting, missed=(*betting.missed, (event.box, event.card)))


def _ruled(round_: Betting | Playing, event: RulingEvent) -> Round:
    return replace(round_, proposals=remembered(round_.proposals, event))


def _hole_dealt(playing: Playing, event: HoleCardDealt) -> Round:
    return replace(playing, hole=event, awaiting=_less(playing.awaiting))


def _down_dealt(playing: Playing, event: FaceDownCardDealt) -> Round:
    hands = playing.hands
    at = place_of(hands, event.box, event.hand)
    return replace(playing, hands=_put(hands, at, face_down(hands[at], event.index)), awaiting=_less(playing.awaiting))


def _exposure_called(playing: Playing, event: ExposureCalled) -> Round:
    before = playing.awaiting
    assert isinstance(before, Cards | Decision | None), "cards are opened where nothing else is asked for"
    return replace(playing, awaiting=Exposure(before, event.blackjacks_only, event.left_ms))


def _exposed(playing: Playing, event: HandExposed) -> Round:
    at = place_of(playing.hands, event.box, event.hand)
    hand = opened(playing.hands[at], event.cards)
    if event.box in playing.firsts:
        firsts = (*playing.firsts[event.box], *event.cards)[:FIRST_CARDS]
        playing = replace(playing, firsts={**playing.firsts, event.box: firsts})
    return replace(playing, hands=_put(playing.hands, at, hand), laid=(*playing.laid, event))


def _cutting_card(playing: Playing, event: CuttingCardReached) -> Round:
    return replace(playing, cutting_card_out=True, marker=event.marker)


def _reshuffle(playing: Playing, event: ReshuffleCalled) -> Round:
    awaited = playing.awaiting.before if isinstance(playing.awaiting, Exposure) else playing.awaiting
    assert isinstance(awaited, Cards), "discards are shuffled because cards are missing"
    assert awaited.faces or playing.astray, "some of them are still to come"
    awaiting = NewShoe(event.next_shoe, awaited.faces, event.whole)
    return replace(playing, shoes=(*playing.shoes, event.next_shoe), awaiting=awaiting)


def _shoe_changed(playing: Playing, event: ShoeChanged) -> Round:
    if isinstance(playing.awaiting, NewShoe) and playing.awaiting.whole:
        # Nothing of the round came from the shoe before: whose last round it was, was the one before this.
        return replace(playing, shoe=event.shoe, shoes=(event.shoe,), cutting_card_out=False)
    return replace(playing, shoe=event.shoe)


def _insurance_opened(playing: Playing, event: InsuranceOpened) -> Round:
    return replace(playing, awaiting=Insurance(event.until_ms))


def _even_money(playing: Playing, event: EvenMoneyTaken) -> Round:
    return _answered(replace(playing, even_money=(*playing.even_money, event.wager)), event)


def _answered(playing: Playing, event: InsuranceDeclined | EvenMoneyTaken) -> Round:
    insurance = playing.awaiting
    wager = named(playing.wagers, event.wager)
    assert isinstance(insurance, Insurance), "answers belong to an offer"
    assert wager is not None, "answers belong to a wager"
    return replace(playing, awaiting=replace(insurance, answered=(*insurance.answered, wager.id)))


def _insurance_closed(playing: Playing, _: InsuranceClosed) -> Round:
    assert isinstance(playing.awaiting, Insurance), "only an offer can be closed"
    return replace(playing, awaiting=replace(playing.awaiting, closed=True) if playing.pending else None)


def _peek_called(playing: Playing, _: PeekCalled) -> Round:
    return replace(playing, awaiting=Peek())


def _peek_taken(playing: Playing, event: PeekTaken) -> Round:
    return replace(playing, peeked=event.blackjack, awaiting=None)


def _raised(playing: Playing, event: WagerPlaced) -> Round:
    awaiting: Awaiting = playing.awaiting
    if isinstance(awaiting, Insurance):
        awaiting = replace(awaiting, answered=(*awaiting.answered, main_of(playing.wagers, event.box, event.player).id))
    elif isinstance(awaiting, Joining):
        awaiting = replace(awaiting, waiting=_but(awaiting.waiting, event.player))
    else:
        assert isinstance(awaiting, Decision), "a wager on a hand is a decision"
        awaiting = Reserve(awaiting)
    return replace(playing, pending=(*playing.pending, _wager(event)), awaiting=awaiting)


def _raise_gone(playing: Playing, event: WagerRefused | WagerLapsed) -> Round:
    wager = named(playing.pending, event.wager)
    awaiting: Awaiting = playing.awaiting
    assert wager is not None, "only a pending wager can be refused"
    if isinstance(awaiting, Insurance):
        main = main_of(playing.wagers, wager.box, wager.player).id
        awaiting = replace(awaiting, answered=_but(awaiting.answered, main), barred=(*awaiting.barred, main))
    elif isinstance(awaiting, Reserve):
        awaiting = replace(awaiting.decision, barred=(*awaiting.decision.barred, wager.kind))
    refusals = _counted(playing.refusals, wager.player)
    return replace(playing, pending=without(playing.pending, event.wager), refusals=refusals, awaiting=awaiting)


def _accepted_in_play(playing: Playing, event: WagerAccepted) -> Round:
    joining = playing.awaiting
    if isinstance(joining, Joining):
        playing = replace(playing, awaiting=replace(joining, joined=(*joining.joined, event.wager)))
    return _accepted(playing, event)


def _joining_opened(playing: Playing, event: JoiningOpened) -> Round:
    joining = Joining(event.box, event.hand, event.kind, event.wager, event.players, event.until_ms)
    return replace(playing, awaiting=joining)


def _joining_declined(playing: Playing, event: JoiningDeclined) -> Round:
    joining = playing.awaiting
    assert isinstance(joining, Joining), "only who is asked can decline"
    return replace(playing, awaiting=replace(joining, waiting=_but(joining.waiting, event.player)))


def _joining_closed(playing: Playing, _: JoiningClosed) -> Round:
    assert isinstance(playing.awaiting, Joining), "only an offer can be closed"
    return replace(playing, awaiting=replace(playing.awaiting, waiting=()))


def _decision(playing: Playing, event: DecisionAwaited) -> Round:
    before = playing.awaiting
    barred = before.barred if type(before) is Decision else ()
    decision = Decision(event.number, event.box, event.hand, event.until_ms, barred)
    return replace(playing, awaiting=decision, decisions=event.number)


def _extended(playing: Playing, event: ClockExtended) -> Round:
    assert isinstance(playing.awaiting, Decision | Insurance | Joining), "only a running clock can be extended"
    return replace(playing, awaiting=replace(playing.awaiting, until_ms=event.until_ms))


def _decided(playing: Playing, _: HandHit | DecisionTimedOut) -> Round:
    return replace(playing, awaiting=None)


def _doubled(playing: Playing, event: HandDoubled) -> Round:
    at = place_of(playing.hands, event.box, event.hand)
    return replace(playing, hands=_put(playing.hands, at, replace(playing.hands[at], doubled=True)), awaiting=None)


def _split(playing: Playing, event: HandSplit) -> Round:
    at = place_of(playing.hands, event.box, event.hand)
    old = playing.hands[at]
    bare = Hand(old.box, old.number, old.player, old.stake_minor, split=True)
    first = with_card(bare, old.cards[0])
    second = with_card(replace(bare, number=old.number + 1), old.cards[1])
    later = tuple(replace(hand, number=hand.number + 1) if hand.box == old.box else hand for hand in playing.hands[at + 1 :])
    return replace(
        playing,
        hands=(*playing.hands[:at], first, second, *later),
        wagers=tuple(_moved_up(wager, event) for wager in playing.wagers),
        awaiting=None,
        laid=(*playing.laid, event),
    )


def _moved_up(wager: Wager, event: HandSplit) -> Wager:
    """The split's own wagers go to the new hand; those on higher hands of the box move up with them."""
    above = wager.box == event.box and wager.hand > event.hand and wager.kind != "insurance"
    goes_along = wager.id == event.wager or wager.id in event.joined
    return replace(wager, hand=wager.hand + 1) if above or goes_along else wager


def _completed(playing: Playing, event: HandCompleted) -> Round:
    at = place_of(playing.hands, event.box, event.hand)
    awaiting = playing.awaiting
    if isinstance(awaiting, (Decision, Joining)) and (awaiting.box, awaiting.hand) == (event.box, event.hand):
        awaiting = None
    return replace(playing, hands=_put(playing.hands, at, replace(playing.hands[at], end=event.how)), awaiting=awaiting)


def _turn_called(playing: Playing, _: TurnCalled) -> Round:
    return replace(playing, awaiting=Turn())


def _hole_turned(playing: Playing, event: HoleCardTurned) -> Round:
    return replace(playing, dealer=with_card(playing.dealer, event.card), hole=None, awaiting=None, laid=playing.laid + (event,))


def _hands_decided(playing: Playing, event: HandsDecided) -> Round:
    return replace(playing, results=event.hands)


def _picked_up(playing: Playing, _: CardsPickedUp) -> Round:
    return playing


def _settled(playing: Playing, _: RoundSettled) -> Round:
    return _over(playing, "")


def _voided(playing: Playing, event: RoundVoided) -> Round:
    return _over(playing, event.reason)


def _over(playing: Playing, void: str) -> Round:
    return Over(
        playing.opened,
        void,
        playing.lines,
        playing.hands,
        playing.dealer,
        playing.results,
        playing.proposals,
        playing.laid,
        playing.even_money,
        playing.corrections,
    )


def _cards_corrected(playing: Playing, event: CardsCorrected) -> Round:
    """The cards lie there as they are; a hand that ended on a wrong one and is played on has no end."""
    laid = read_anew(playing.laid, event.cards)
    hands = tuple(replace(hand, end=None) if (hand.box, hand.number) in event.reopened else hand for hand in hands_on(laid, playing.hands))
    found = first_cards(laid)
    firsts = {box: found.get(box, ()) for box in playing.firsts}
    return replace(playing, laid=laid, hands=hands, dealer=dealer_on(laid), firsts=firsts, awaiting=None)


def _round_corrected(over: Over, event: RoundCorrected) -> Round:
    laid = read_anew(over.laid, event.cards)
    hands, dealer = hands_on(laid, over.hands), over.dealer and hand_of(*event.dealer_cards)
    void = event.agreed.reason if event.outcome == "void" else over.void
    return replace(over, void=void, laid=laid, hands=hands, dealer=dealer, results=event.hands)


def _settled_anew(line: SettlementLine, right: CorrectedLine | None) -> SettlementLine:
    return line if right is None else replace(line, returned_minor=right.returned_minor, rounding_minor=right.rounding_minor)


def _lines_corrected(round_: Playing | Over, event: WagersCorrected) -> Round:
    right = {line.wager: line for line in event.lines}
    lines = tuple(_settled_anew(line, right.get(line.wager)) for line in round_.lines)
    assert not right.keys() - {line.wager for line in lines}, "only a settled wager can be settled anew"
    return replace(round_, lines=lines, corrections=event.number)


def _correction_refused(over: Over, _: CorrectionRefused) -> Round:
    return over


def named(wagers: tuple[Wager, ...], wager_id: str) -> Wager | None:
    """Return the wager of that id."""
    for wager in wagers:
        if wager.id == wager_id:
            return wager
    return None


def main_of(wagers: tuple[Wager, ...], box: int, player: str) -> Wager:
    """Return the main wager of a player on a box."""
    for wager in wagers:
        if wager.box == box and wager.player == player and wager.kind == "main":
            return wager
    raise AssertionError(f"there is no main wager of that player on box {box}")


def _but(names: tuple[str, ...], one: str) -> tuple[str, ...]:
    return tuple(name for name in names if name != one)


def without(wagers: tuple[Wager, ...], wager_id: str) -> tuple[Wager, ...]:
    """Return the wagers but one."""
    for at, wager in enumerate(wagers):
        if wager.id == wager_id:
            return wagers[:at] + wagers[at + 1 :]
    return wagers


def place_of(hands: Sequence[Hand], box: int, number: int) -> int:
    """Return where a hand stands in the order of play."""
    for at, hand in enumerate(hands):
        if hand.box == box and hand.number == number:
            return at
    raise AssertionError(f"there is no hand {number} on box {box}")


def _put(hands: tuple[Hand, ...], at: int, hand: Hand) -> tuple[Hand, ...]:
    if len(hands) == 1:
        return (hand,)
    return (*hands[:at], hand, *hands[at + 1 :])


class _Phase(dict[type, Callable[[Any, Any], Round]]):
    """What each event leaves behind in one phase."""

    def __missing__(self, event: type) -> NoReturn:
        phase = next(phase.__name__ for phase, remembered in REMEMBERED.items() if remembered is self)
        raise AssertionError(f"{event.__name__} cannot follow in a round that is {phase}")


REMEMBERED: dict[type, _Phase] = {
    Unopened: _Phase({RoundOpened: _opened}),
    Betting: _Phase(
        {
            WagerPlaced: _placed,
            WagerAccepted: _accepted,
            WagerRefused: _gone,
            WagerLapsed: _gone,
            CommandRefused: _refused,
            BettingClosed: _betting_closed,
            InForceNoted: _in_force_noted,
            CallersSet: _callers_set,
            CardsCalled: _first_call,
            WagersSettled: _settled_lines,
            RoundVoided: _voided_betting,
            CardsForfeited: _forfeited,
            BoxMissed: _missed,
            **dict.fromkeys(get_args(RulingEvent), _ruled),
        }
    ),
    Playing: _Phase(
        {
            WagerPlaced: _raised,
            WagerAccepted: _accepted_in_play,
            WagerRefused: _raise_gone,
            WagerLapsed: _raise_gone,
            CommandRefused: _refused,
            CardsCalled: _called,
            CardDealt: _dealt,
            HoleCardDealt: _hole_dealt,
            FaceDownCardDealt: _down_dealt,
            ExposureCalled: _exposure_called,
            HandExposed: _exposed,
            CuttingCardReached: _cutting_card,
            ReshuffleCalled: _reshuffle,
            ShoeChanged: _shoe_changed,
            InsuranceOpened: _insurance_opened,
            InsuranceDeclined: _answered,
            EvenMoneyTaken: _even_money,
            InsuranceClosed: _insurance_closed,
            PeekCalled: _peek_called,
            PeekTaken: _peek_taken,
            DecisionAwaited: _decision,
            ClockExtended: _extended,
            DecisionTimedOut: _decided,
            HandHit: _decided,
            JoiningOpened: _joining_opened,
            JoiningDeclined: _joining_declined,
            JoiningClosed: _joining_closed,
            HandDoubled: _doubled,
            HandSplit: _split,
            HandCompleted: _completed,
            TurnCalled: _turn_called,
            HoleCardTurned: _hole_turned,
            HandsDecided: _hands_decided,
            WagersSettled: _settled_lines,
            CardsPickedUp: _picked_up,
            RoundSettled: _settled,
            RoundVoided: _voided,
            CardsForfeited: _forfeited,
            CardDiscarded: _discarded,
            CardExposed: _laid_open,
            ClockResumed: _resumed,
            **dict.fromkeys(get_args(RulingEvent), _ruled),
            CardsCorrected: _cards_corrected,
            WagersCorrected: _lines_corrected,
        }
    ),
    Over: _Phase(
        {
            RoundCorrected: _round_corrected,
            WagersCorrected: _lines_corrected,
            CorrectionRefused: _correction_refused,
        }
    ),
}
"""What each event leaves behind, by phase."""

"""Playing: hand after hand, decision after decision, from the dealer's left (LV-3.4).

A player has until the decision's clock runs out.  A double or a split waits for the wallet before any card moves, and the
clock stands meanwhile.
"""

from services.table.domain import dealer, exposing, joining
from services.table.domain.course import Course
from services.table.domain.evolve import place_of
from services.table.domain.hand import Hand
from services.table.domain.stakes import check_grid, in_words, unit_minor
from services.table.domain.state import Decision, Joining, Playing, Reserve, Wager
from shared.contracts.decisions import (
    DecisionAwaited,
    DecisionTimedOut,
    Double,
    ExposeHand,
    HandCompleted,
    HandEnd,
    HandHit,
    Hit,
    Split,
    Stand,
    TimeOutDecision,
)
from shared.contracts.refusals import Reason, refused
from shared.contracts.rounds import RoundEvent
from shared.contracts.wagers import Kind, WagerAccepted, WagerLapsed, WagerPlaced, WagerRefused
from shared.kernel.messages import Envelope
from shared.kernel.profile import Profile


def next_hand(course: Course) -> None:
    """Complete the hands that complete by themselves, and ask for what the next one needs: a card, a decision, the dealer."""
    while True:
        playing = course.playing
        hand = playing.acting
        if hand is None:
            dealer.play(course)
            return
        if hand.down:
            # No blackjack, which would be open: whatever two other cards make, it is for their player to say.
            await_decision(course, hand, playing.opened.settings.decision_ms)
            return
        if len(hand.cards) < 2:
            # ON-9.2: a split hand gets its second card when the one before it is complete.
            course.call_cards("up")
            return
        end = completion(hand, playing)
        if end is None:
            await_decision(course, hand, playing.opened.settings.decision_ms)
            return
        course.add(HandCompleted(box=hand.box, hand=hand.number, how=end))


def completion(hand: Hand, playing: Playing) -> HandEnd | None:
    """Return how a hand is complete without a decision, if it is (ON-10.1, LV-0.2, LV-3.6)."""
    points = hand.points
    if points > 21:
        return "bust"
    if hand.doubled:
        return "doubled"
    if points == 21:
        return "blackjack" if hand.is_blackjack else "twenty_one"
    if _takes_one_card(hand, playing.opened.profile) and not may_split(hand, playing):
        return "split_aces"
    return None


def await_decision(course: Course, hand: Hand, clock_ms: int) -> None:
    """Ask the hand's player, who has so long."""
    number = course.playing.decisions + 1
    course.add(DecisionAwaited(number=number, box=hand.box, hand=hand.number, player=hand.player, until_ms=course.at_ms + clock_ms))


def options(hand: Hand, playing: Playing, barred: tuple[Kind, ...] = ()) -> tuple[str, ...]:
    """Return what may be decided for a hand, in the order hit, stand, double, split (LV-0.3).

    A hand that lies face down stands, or is exposed before anything else (FL-3.5).
    """
    if hand.down:
        return ("expose", "stand")
    single = _takes_one_card(hand, playing.opened.profile)
    found = ["stand"] if single else ["hit", "stand"]
    if not single and "double" not in barred and may_double(hand, playing.opened.profile):
        found.append("double")
    if "split" not in barred and may_split(hand, playing):
        found.append("split")
    return tuple(found)


def may_double(hand: Hand, profile: Profile) -> bool:
    """Return whether a hand may be doubled: on its first two cards (ON-8.1, LV-2.6)."""
    return len(hand.cards) == 2 and (profile.double.after_split or not hand.split)


def may_split(hand: Hand, playing: Playing) -> bool:
    """Return whether a hand may be split: a pair, and not too many hands on the box yet (ON-9.1, ON-9.6, ON-10.1, LV-2.7)."""
    if not hand.is_pair:
        return False
    rules = playing.opened.profile.split
    most = rules.ace_hands_max if hand.cards[0][0] == "A" else rules.hands_max
    return sum(other.box == hand.box for other in playing.hands) < most


def _takes_one_card(hand: Hand, profile: Profile) -> bool:
    """ON-9.4, LV-2.7: split aces take one card each."""
    return hand.split and profile.split.aces_take_one_card and hand.is_split_ace


def hit(command: Hit, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that the hand takes a card (ON-6.4)."""
    hand, _ = in_turn(command, playing, envelope)
    _check_exposed(hand)
    if _takes_one_card(hand, playing.opened.profile):
        raise refused(Reason.NOT_ALLOWED)
    course = Course(playing, envelope.at_ms)
    course.add(HandHit(box=hand.box, hand=hand.number))
    course.call_cards("up")
    return course


def expose(command: ExposeHand, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that the shoe is asked to open the two cards of a hand; its player goes on with the rest of the clock (FL-3.5)."""
    hand, decision = in_turn(command, playing, envelope)
    if not hand.down:
        raise refused(Reason.NOT_ALLOWED)
    course = Course(playing, envelope.at_ms)
    exposing.call_hand(course, hand, max(decision.until_ms - envelope.at_ms, 0))
    return course


def _check_exposed(hand: Hand) -> None:
    """FL-3.5, decision 25: a third card, a double and a split want the first two cards exposed."""
    if hand.down:
        raise refused(Reason.FACE_DOWN)


def stand(command: Stand, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that the hand takes no more cards, and what follows; of who may join, that they do not."""
    if joining.is_asked(command, playing, envelope):
        return joining.decline(playing, envelope)
    hand, _ = in_turn(command, playing, envelope)
    return _complete(hand, "stood", Course(playing, envelope.at_ms))


def double(command: Double, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return the pending double (ON-8.1, LV-2.6)."""
    if joining.is_asked(command, playing, envelope):
        own_minor = joining.own_stake_minor(command, playing, envelope)
        stake_minor = own_minor if command.stake_minor is None else command.stake_minor
        _check_double(stake_minor, own_minor, playing)
        return [joining.join("double", stake_minor, playing, envelope)]
    hand, decision = in_turn(command, playing, envelope)
    _check_exposed(hand)
    if "double" not in options(hand, playing, decision.barred):
        raise refused(Reason.NOT_ALLOWED)
    stake_minor = hand.stake_minor if command.stake_minor is None else command.stake_minor
    _check_double(stake_minor, hand.stake_minor, playing)
    return [_raise_by(stake_minor, "double", hand, playing, envelope)]


def _check_double(stake_minor: int, own_minor: int, playing: Playing) -> None:
    """Decision 11: as much as the own wager on the hand; less, down to one unit, where the profile allows it."""
    profile, currency = playing.opened.profile, playing.opened.settings.currency
    unit = unit_minor(profile, currency)
    least = unit if profile.double.for_less else own_minor
    if stake_minor > own_minor:
        raise refused(Reason.ABOVE_MAXIMUM, in_words(own_minor, currency))
    if stake_minor < least:
        raise refused(Reason.BELOW_MINIMUM, in_words(least, currency))
    check_grid(stake_minor, unit, currency)


def split(command: Split, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return the pending second wager of a split, equal to the hand's own (ON-9.1)."""
    if joining.is_asked(command, playing, envelope):
        return [joining.join("split", joining.own_stake_minor(command, playing, envelope), playing, envelope)]
    hand, decision = in_turn(command, playing, envelope)
    _check_exposed(hand)
    if "split" not in options(hand, playing, decision.barred):
        raise refused(Reason.NOT_ALLOWED)
    return [_raise_by(hand.stake_minor, "split", hand, playing, envelope)]


def _raise_by(stake_minor: int, kind: Kind, hand: Hand, playing: Playing, envelope: Envelope) -> RoundEvent:
    settings = playing.opened.settings
    return WagerPlaced(
        wager=envelope.id,
        player=hand.player,
        box=hand.box,
        hand=hand.number,
        kind=kind,
        stake_minor=stake_minor,
        currency=settings.currency,
        reserve_by_ms=envelope.at_ms + settings.reserve_ms,
        promotional=playing.opened.profile.promotional,
    )


def in_turn(command: ExposeHand | Hit | Stand | Double | Split, playing: Playing, envelope: Envelope) -> tuple[Hand, Decision]:
    """Return the hand and the decision that a command is about; raise `Refused` unless it comes from its player in time."""
    if command.round != playing.opened.round:
        raise refused(Reason.UNKNOWN_ROUND)
    for hand in playing.hands:
        if hand.box == command.box and hand.number == command.hand:
            break
    else:
        raise refused(Reason.NO_SUCH_BOX)
    if hand.player != envelope.actor.id:
        raise refused(Reason.NOT_DECISION_CALLER)
    if hand.end is not None:
        raise refused(Reason.HAND_COMPLETE)
    awaiting = playing.awaiting
    if not isinstance(awaiting, Decision) or not _is_about(awaiting, hand):
        reserved = isinstance(awaiting, Reserve) and _is_about(awaiting.decision, hand)
        raise refused(Reason.AWAITING_RESERVE if reserved else Reason.NOT_YOUR_TURN)
    if envelope.received_at_ms > awaiting.until_ms:
        raise refused(Reason.TOO_LATE)
    return hand, awaiting


def _is_about(decision: Decision, hand: Hand) -> bool:
    return decision.box == hand.box and decision.hand == hand.number


def accept(wager: Wager, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that a double or split is paid for, and call its card: cards come after the reserve, and after who may join."""
    course = Course(playing, envelope.at_ms)
    course.add(WagerAccepted(wager=wager.id))
    joining.go_on(course, wager)
    return course


def reopen(gone: WagerRefused | WagerLapsed, wager: Wager, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that a double or split is not paid for: the decision is open again for the rest of its clock, without that option."""
    if isinstance(playing.awaiting, Joining):
        return joining.drop(gone, playing, envelope)
    assert isinstance(playing.awaiting, Reserve), "the clock stands while the wallet is asked"
    decision = playing.awaiting.decision
    asked_at_ms = wager.reserve_by_ms - playing.opened.settings.reserve_ms
    course = Course(playing, envelope.at_ms)
    course.add(gone)
    hand = playing.hands[place_of(playing.hands, decision.box, decision.hand)]
    await_decision(course, hand, max(decision.until_ms - asked_at_ms, 0))
    return course


def time_out(command: TimeOutDecision, playing: Playing, envelope: Envelope) -> list[RoundEvent]:
    """Return that the house goes on without the player's word: the hand stands (LV-3.6, decision 17)."""
    decision = playing.awaiting
    if not isinstance(decision, Decision) or decision.number != command.number:
        return []
    if envelope.at_ms < decision.until_ms:
        raise refused(Reason.TOO_EARLY)
    course = Course(playing, envelope.at_ms)
    course.add(DecisionTimedOut(box=decision.box, hand=decision.hand))
    hand = playing.hands[place_of(playing.hands, decision.box, decision.hand)]
    return _complete(hand, "timed_out", course)


def _complete(hand: Hand, how: HandEnd, course: Course) -> list[RoundEvent]:
    course.add(HandCompleted(box=hand.box, hand=hand.number, how=how))
    next_hand(course)
    return course

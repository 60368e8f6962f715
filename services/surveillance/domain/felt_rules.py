"""Felt rules: how cards lie on the layout, when they are turned up, and how they leave it.

Each question is a function of the round and answers with breaches: a clause, what is wrong, and the fact that shows it.
"""

from collections.abc import Iterator

from services.surveillance.domain.facts import Breach, Fact, Round
from services.surveillance.domain.reenactment import is_ace_and_ten
from shared.contracts.dealing import CardDealt, CardsPickedUp, ExposureCalled, FaceDownCardDealt, HandExposed, ReshuffleCalled
from shared.contracts.decisions import DecisionAwaited, ExposeHand, HandDoubled, HandHit, HandSplit, InsuranceOpened
from shared.contracts.rounds import HandsDecided, RoundSettled, RoundVoided

Place = tuple[int, int]


def first_cards_are_exposed_in_time(round_: Round) -> Iterator[Breach]:
    """What lies face down is opened once and whole: a blackjack at once, others before a third card, all in the end (FL-3.5)."""
    down: dict[Place, list[int]] = {}
    callers = {box: wagers[0].player for box, wagers in round_.boxes().items()}
    looked = whole = False
    for fact in round_.facts:
        match fact.event:
            case FaceDownCardDealt() as dealt:
                down.setdefault((dealt.box, dealt.hand), []).append(dealt.index)
            case ExposureCalled(blackjacks_only=False) as called:
                # Before anybody was asked, only a shoe that ended opens everything: its discards leave the layout out.
                whole = not looked and any(not fact.event.whole for fact in round_.of(ReshuffleCalled))
                # A player's last word can end the round, and then everything is opened.
                everything = not isinstance(fact.command, ExposeHand) and {(hand.box, hand.hand) for hand in called.hands} == down.keys()
                if fact.actor.role == "player" and not everything and [callers.get(hand.box) for hand in called.hands] != [fact.actor.id]:
                    yield "FL-3.5", f"{fact.actor.id} exposed cards of others", fact
            case HandExposed() as exposed:
                place = exposed.box, exposed.hand
                if list(exposed.indices) != down.pop(place, []):
                    yield "FL-3.5", f"cards {list(exposed.indices)} were exposed at box {place[0]}, where others lie face down", fact
                elif not looked and not whole and not is_ace_and_ten(exposed.cards):
                    yield "FL-3.5", f"{' '.join(exposed.cards)} were exposed before anybody wanted it", fact
                elif looked and not whole and is_ace_and_ten(exposed.cards):
                    yield "FL-3.5", f"{' '.join(exposed.cards)} is a blackjack and lay face down after the deal", fact
            case InsuranceOpened() | DecisionAwaited():
                looked = True
            case HandHit(box=box, hand=hand) | HandDoubled(box=box, hand=hand) | HandSplit(box=box, hand=hand) if (box, hand) in down:
                yield "FL-3.5", f"box {box} hand {hand} went on face down", fact
            case HandsDecided() if down:
                yield "FL-3.5", f"{sorted(down)} still lay face down when the round was decided", fact
            case _:
                pass


def face_down_deal_was_approved(round_: Round) -> Iterator[Breach]:
    """No card of a box lies face down without an inspector's prior approval (FL-3.5)."""
    ruled = round_.opened.in_force
    for fact in round_.of(FaceDownCardDealt)[:1]:
        if ruled is None or not ruled.face_down_by:
            yield "FL-3.5", "cards were dealt face down and no inspector had approved it", fact


def cards_are_picked_up_in_order(round_: Round) -> Iterator[Breach]:
    """What lies on the layout is picked up once, at the end, from right to left, the dealer's first or last (ON-6.6, LV-3.7)."""
    rule = round_.rule("ON-6.6", "LV-3.7")
    hands: dict[int, int] = {}
    before: Fact | None = None
    for fact in round_.facts:
        match fact.event:
            case CardDealt(box=box) | FaceDownCardDealt(box=box):
                hands.setdefault(box, 1)
            case HandSplit(box=box):
                hands[box] = hands.get(box, 1) + 1
            case CardsPickedUp(hands=picked):
                due = way_of_picking_up(round_, hands)
                if list(picked) != due:
                    yield rule, f"cards were picked up as {list(picked)}; {due} is the way", fact
            case RoundSettled() | RoundVoided():
                if way_of_picking_up(round_, hands) and (before is None or not isinstance(before.event, CardsPickedUp)):
                    yield rule, "it is not written down how the cards were picked up", fact
            case _:
                pass
        if before is not None and isinstance(before.event, CardsPickedUp) and not isinstance(fact.event, RoundSettled | RoundVoided):
            yield rule, "cards were picked up before the round was over", before
        before = fact


def way_of_picking_up(round_: Round, hands: dict[int, int]) -> list[tuple[int, int]]:
    """Return box and hand in the order in which they are to be picked up; `hands` counts them on each box, 0 being the dealer's."""
    boxes = [(box, hand) for box in sorted(hands, reverse=True) if box for hand in range(hands[box], 0, -1)]
    dealer = [(0, 1)] if 0 in hands else []
    match round_.profile.pick_up:
        case "unrecorded":
            return []
        case "boxes_first":
            return boxes + dealer
        case "dealer_first":
            return dealer + boxes


QUESTIONS = (
    first_cards_are_exposed_in_time,
    face_down_deal_was_approved,
    cards_are_picked_up_in_order,
)

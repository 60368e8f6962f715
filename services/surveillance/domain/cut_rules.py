"""Cut rules of a round: who sat where, and where the cutting card came out, which say who is asked to cut next.

Each question is a function of the round and answers with breaches: a clause, what is wrong, and the fact that shows it.
"""

from collections.abc import Iterator

from services.surveillance.domain.facts import Breach, Round
from shared.contracts.dealing import CardDealt, CuttingCardReached, FaceDownCardDealt, HoleCardDealt
from shared.contracts.rounds import RoundSettled, RoundVoided


def seats_are_told(round_: Round) -> Iterator[Breach]:
    """The players at each box, whoever decides for it first, where they are asked to cut (ON-5.3, FL-4.2, decision 20)."""
    asked = round_.profile.shoe.cut_offer == "players" and round_.profile.shoe.device == "manual"
    for fact in round_.of(RoundSettled, RoundVoided):
        due = [(box, wager.player) for box, wagers in sorted(round_.boxes().items()) for wager in wagers] if asked else []
        if isinstance(fact.event, RoundVoided) and not fact.event.shoes:
            due = []
        if list(fact.event.seats) != due:
            yield round_.rule("ON-5.3", "LV-3.3"), f"{due} sat at the boxes, written down is {list(fact.event.seats)}", fact


def cutting_card_is_told(round_: Round) -> Iterator[Breach]:
    """Where the cutting card came out is where the first card behind it was dealt (ON-5.3, FL-4.2)."""
    due = _came_out(round_)
    for fact in round_.of(RoundSettled, RoundVoided):
        told = fact.event.came_out
        shown = None if told is None else (told.on, told.box)
        if shown != due:
            yield round_.rule("ON-5.3", "LV-3.3"), f"the cutting card came out at {due}, written down is {shown}", fact


def _came_out(round_: Round) -> tuple[str, int] | None:
    reached = round_.of(CuttingCardReached)
    if not reached or round_.profile.shoe.cut_offer == "unrecorded" or round_.profile.shoe.device != "manual":
        return None
    shoe, marker = reached[0].event.shoe, reached[0].event.marker
    dealt = [fact.event for fact in round_.of(CardDealt, FaceDownCardDealt, HoleCardDealt) if fact.event.shoe == shoe]
    places = {event.index: getattr(event, "box", 0) for event in dealt}
    if marker not in places or marker == min(places):
        return "no_hand", 0
    return ("box", places[marker]) if places[marker] else ("dealers_hand", 0)


QUESTIONS = (seats_are_told, cutting_card_is_told)

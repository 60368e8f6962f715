"""Ruling rules: whether two persons made each ruling, and whether no card went astray without one.

Who may propose and approve what is part of the published language, as a profile is; what a ruling then does is looked at here
with eyes of our own.
"""

from collections import Counter
from collections.abc import Iterator

from services.surveillance.domain.facts import Breach, Fact, Round
from shared.contracts import rulings
from shared.contracts.dealing import Astray, BoxMissed, CardDiscarded, CardExposed, CardsCorrected
from shared.contracts.decisions import HandCompleted
from shared.contracts.rounds import RoundVoided
from shared.contracts.rulings import RulingApproved, RulingDeclined, RulingProposed, RulingWithdrawn
from shared.contracts.wagers import CloseBetting

TWO = "LV-3.5"
"""The clause that asks for another person's approval in so many words."""
VOIDS = (rulings.VoidTheRound, rulings.Misdeal, rulings.DeviceMalfunction)


def rulings_take_two_persons(round_: Round) -> Iterator[Breach]:
    """Who proposes and who approves are two, each in the own name and with a job that the kind allows; each proposal is decided once."""
    open_: dict[int, RulingProposed] = {}
    made = 0
    for fact in round_.of(RulingProposed, RulingApproved, RulingDeclined, RulingWithdrawn):
        event = fact.event
        if not fact.asker_is_named:
            yield TWO, f"{fact.actor.id} as {fact.actor.job or 'nobody'} spoke for {event.by} as {event.job}", fact
        if isinstance(event, RulingProposed):
            made += 1
            if event.proposal != made:
                yield TWO, f"proposal {event.proposal} is the {made}. of this round", fact
            if event.job not in rulings.RULES[type(event.ruling)].propose:
                yield TWO, f"a {event.job} proposed {rulings.kind_of(event.ruling)}", fact
            open_[event.proposal] = event
            continue
        proposed = open_.pop(event.proposal, None)
        if proposed is None:
            yield TWO, f"proposal {event.proposal} is not there, or was decided about before", fact
        elif isinstance(event, RulingWithdrawn):
            if event.by != proposed.by:
                yield TWO, f"{event.by} took back what {proposed.by} had proposed", fact
        else:
            yield from _by_another(round_, fact, proposed)


def _by_another(round_: Round, fact: Fact, proposed: RulingProposed) -> Iterator[Breach]:
    if fact.event.by == proposed.by:
        yield TWO, f"{proposed.by} decided about their own proposal", fact
    if fact.event.job not in rulings.RULES[type(proposed.ruling)].approvers(round_.profile.book):
        yield TWO, f"a {fact.event.job} decided about {rulings.kind_of(proposed.ruling)}", fact


def approved(round_: Round) -> list[rulings.AnyRuling]:
    """Return the rulings that took effect, in order."""
    proposed = {fact.event.proposal: fact.event.ruling for fact in round_.of(RulingProposed)}
    return [proposed[fact.event.proposal] for fact in round_.of(RulingApproved) if fact.event.proposal in proposed]


def cards_go_astray_by_rulings_alone(round_: Round) -> Iterator[Breach]:
    """No more cards are nobody's than were ruled to be (ON-11.1, ON-11.3, ON-11.4, LV-3.5)."""
    may: Counter[Astray] = Counter()
    exposed: set[tuple[str, int]] = set()
    burns = 4 if round_.profile.book == "LV" else 1
    for ruling in approved(round_):
        match ruling:
            case rulings.FaceUpCard():
                may["face_up"] += 1
            case rulings.ExposedCard():
                may["exposed"] += 1
            case rulings.DealerOverdraw():
                may["overdraw"] += burns
            case rulings.GameError():
                may["game_error"] += 3
            case _:
                pass
    for fact in round_.of(CardDiscarded, CardExposed):
        place = (fact.event.shoe, fact.event.index)
        if isinstance(fact.event, CardExposed):
            exposed.add(place)
        elif fact.event.astray == "unused":
            if place not in exposed:
                yield "ON-11.3", f"card {fact.event.index} was put away and had never been exposed", fact
            continue
        astray: Astray = "exposed" if isinstance(fact.event, CardExposed) else fact.event.astray
        may[astray] -= 1
        if may[astray] < 0:
            yield "ON-11.1", f"card {fact.event.index} went astray ({astray}) and no ruling says so", fact


def hands_die_by_rulings_alone(round_: Round) -> Iterator[Breach]:
    """A hand is dead that a ruling took out, or that got no card because its box was missed twice (ON-11.6)."""
    dead = {(ruling.box, ruling.hand) for ruling in approved(round_) if isinstance(ruling, rulings.DeadHand)}
    missed = Counter(ruling.box for ruling in approved(round_) if isinstance(ruling, rulings.MissedBox))
    for fact in round_.of(HandCompleted):
        event = fact.event
        if event.how == "dead" and (event.box, event.hand) not in dead and missed[event.box] < 2:
            yield "ON-11.6", f"box {event.box} hand {event.hand} is dead, and no ruling says so", fact
    for fact in round_.of(BoxMissed):
        if not missed[fact.event.box]:
            yield "ON-11.6", f"box {fact.event.box} was passed over, and no ruling says so", fact


def cards_are_corrected_by_rulings_alone(round_: Round) -> Iterator[Breach]:
    """Each card that is read anew was ruled to be another one (LV-4.1)."""
    began = round_.opened.shoe
    ruled = [
        [(card.shoe or began, card.index, card.card) for card in ruling.cards]
        for ruling in approved(round_)
        if isinstance(ruling, rulings.Misread)
    ]
    for fact in round_.of(CardsCorrected):
        if [(card.shoe, card.index, card.card) for card in fact.event.cards] not in ruled:
            yield "LV-4.1", "cards were read anew, and no ruling says so", fact


def people_void_rounds_by_rulings_alone(round_: Round) -> Iterator[Breach]:
    """Where a person ends a round, that was ruled; a failed shoe is named as such (decision 23)."""
    kinds = [ruling for ruling in approved(round_) if isinstance(ruling, VOIDS)]
    for fact in round_.of(RoundVoided):
        # Who closes the betting where no wager was accepted ends the round as well, and rules on nothing.
        if fact.actor.role != "house" and not kinds and not isinstance(fact.command, CloseBetting):
            yield "decision 23", f"{fact.actor.id} voided the round, and no ruling says so", fact
        if fact.event.shoe_failed != any(isinstance(ruling, rulings.DeviceMalfunction) for ruling in kinds):
            yield "FL-4.6", "the shoe failed, or not, otherwise than ruled", fact


QUESTIONS = (
    rulings_take_two_persons,
    cards_go_astray_by_rulings_alone,
    hands_die_by_rulings_alone,
    cards_are_corrected_by_rulings_alone,
    people_void_rounds_by_rulings_alone,
)

"""Turn rules: what must hold of cards, clocks and answers as they follow one another in a round.

Each question is a function of the round and answers with breaches: a clause, what is wrong, and the fact that shows it.
"""

from collections.abc import Iterator

from services.surveillance.domain.facts import Breach, Fact, Round
from shared.contracts.dealing import CardDealt, CardDiscarded, CardExposed, FaceDownCardDealt, HoleCardDealt, ReshuffleCalled, ShoeChanged
from shared.contracts.decisions import (
    ClockExtended,
    ClockResumed,
    DecisionAwaited,
    DecisionTimedOut,
    EvenMoneyTaken,
    HandCompleted,
    HandHit,
    InsuranceClosed,
    InsuranceDeclined,
    InsuranceOpened,
    JoiningClosed,
    JoiningDeclined,
    JoiningOpened,
)
from shared.contracts.wagers import WagerAccepted, WagerPlaced
from shared.kernel.money import coin


def cards_come_one_after_the_other(round_: Round) -> Iterator[Breach]:
    """The cards of one shoe leave it one by one, none left out and none twice (ON-6.1, LV-3.4)."""
    rule = round_.rule("ON-6.1", "LV-3.4")
    shoe, last = round_.opened.shoe, -1
    exposed: set[tuple[str, int]] = set()
    for fact in round_.of(CardDealt, HoleCardDealt, FaceDownCardDealt, CardDiscarded, CardExposed, ShoeChanged):
        if isinstance(fact.event, ShoeChanged):
            shoe, last = fact.event.shoe, -1
            continue
        if (fact.event.shoe, fact.event.index) in exposed:
            # ON-11.3: it left the shoe before, and lay beside the hands since.
            exposed.discard((fact.event.shoe, fact.event.index))
            continue
        if isinstance(fact.event, CardExposed):
            exposed.add((fact.event.shoe, fact.event.index))
        if fact.event.shoe != shoe:
            yield rule, f"a card came from {fact.event.shoe}, in use is {shoe}", fact
        if last >= 0 and fact.event.index != last + 1:
            yield rule, f"card {fact.event.index} of {shoe} follows card {last}", fact
        last = fact.event.index


def all_cards_are_shuffled_before_the_first(round_: Round) -> Iterator[Breach]:
    """Cards are all shuffled again under a scanner alone, and when none of the round was dealt; else discards are (FL-4.1, decision 21)."""
    dealt = False
    for fact in round_.of(CardDealt, HoleCardDealt, FaceDownCardDealt, CardDiscarded, CardExposed, ReshuffleCalled):
        if not isinstance(fact.event, ReshuffleCalled):
            dealt = True
        elif fact.event.whole != (round_.profile.shoe.device == "scanned" and not dealt):
            yield round_.rule("ON-5.7", "LV-3.2"), "all cards were shuffled, or not, at the wrong moment", fact
        elif fact.event.whole and (fact.event.layout or fact.event.hole is not None):
            yield round_.rule("ON-5.7", "LV-3.2"), "something was left out although no card was dealt", fact


def people_decide_for_themselves_and_in_time(round_: Round) -> Iterator[Breach]:
    """Who decides is the player of the box, in the time that the clock gave; the clock runs out only when it has (LV-3.6, ON-6.4)."""
    rule = round_.rule("ON-6.4", "LV-3.6")
    players = {box: wagers[0].player for box, wagers in round_.boxes().items()}
    until = 0
    for fact in round_.facts:
        match fact.event:
            case DecisionAwaited():
                until = fact.event.until_ms
                if fact.event.player != players.get(fact.event.box):
                    yield rule, f"{fact.event.player} was asked about box {fact.event.box}, which is not theirs", fact
            case ClockExtended():
                until = max(until, fact.event.until_ms)
            case ClockResumed():
                until = fact.event.until_ms
            case DecisionTimedOut() if fact.at_ms < until:
                yield rule, f"the clock ran to {until} and ran out at {fact.at_ms}", fact
            case JoiningOpened():
                until = fact.event.until_ms
            case HandHit() | HandCompleted(how="stood") | WagerPlaced(kind="double" | "split"):
                if joins(round_, fact):
                    continue
                if fact.actor.id != players.get(fact.event.box) or fact.actor.role != "player":
                    yield rule, f"{fact.actor.id} decided for box {fact.event.box}, which is not theirs", fact
                if fact.received_at_ms > until:
                    yield rule, f"the clock ran out at {until}, the decision came at {fact.received_at_ms}", fact
            case _:
                pass


def joins(round_: Round, fact: Fact) -> bool:
    """Return whether a double or split is that of somebody who was asked to join; the question below looks at those."""
    event = fact.event
    on_box = round_.boxes().get(getattr(event, "box", 0), [])
    return isinstance(event, WagerPlaced) and bool(on_box) and event.player != on_box[0].player


def others_join_when_they_are_asked(round_: Round) -> Iterator[Breach]:
    """Others on a hand answer once, each for themselves and in time, after they were asked (decision 16)."""
    rule = "decision 16"
    waiting: list[str] = []
    kind, until = "", 0
    for fact in round_.facts:
        match fact.event:
            case JoiningOpened():
                waiting, kind, until = list(fact.event.players), fact.event.kind, fact.event.until_ms
            case ClockExtended():
                until = max(until, fact.event.until_ms)
            case ClockResumed():
                until = fact.event.until_ms
            case JoiningClosed():
                if fact.at_ms < until:
                    yield rule, f"the time to join ran to {until} and was over at {fact.at_ms}", fact
                waiting = []
            case JoiningDeclined(player=player) | WagerPlaced(kind="double" | "split", player=player) if isinstance(
                fact.event, JoiningDeclined
            ) or joins(round_, fact):
                if player not in waiting or fact.actor.id != player:
                    yield rule, f"{fact.actor.id} answered for {player}, who was not asked", fact
                    continue
                waiting.remove(player)
                if isinstance(fact.event, WagerPlaced) and fact.event.kind != kind:
                    yield rule, f"{player} joined a {kind} with a {fact.event.kind}", fact
                if fact.received_at_ms > until:
                    yield rule, f"the time to join ran to {until}, the answer came at {fact.received_at_ms}", fact
            case _:
                pass


def insurance_is_asked_in_its_window(round_: Round) -> Iterator[Breach]:
    """Insurance comes in its window and of the right size (ON-7.2, LV-2.5.1, decision 12)."""
    mains = {(wager.box, wager.player): wager.stake_minor for wager in round_.main()}
    open_ = False
    for fact in round_.facts:
        match fact.event:
            case InsuranceOpened():
                open_ = True
            case InsuranceClosed():
                open_ = False
            case WagerPlaced(kind="insurance", box=box, player=player, stake_minor=stake):
                if not open_:
                    yield round_.rule("ON-7.2", "LV-2.5.2"), "insurance was placed while it was not open", fact
                own = mains.get((box, player), 0)
                if not insurable(round_, own, stake):
                    yield round_.rule("ON-7.2", "LV-2.5.1"), f"a wager of {own} was insured with {stake}", fact
            case _:
                pass


def insurable(round_: Round, own: int, stake: int) -> bool:
    """Return whether a main wager of `own` may be insured with `stake` (decision 12)."""
    unit = coin(round_.profile.chip_unit, round_.opened.settings.currency)
    match round_.profile.insurance.amount:
        case "exactly_half":
            return 2 * stake == own
        case "up_to_half":
            return unit <= stake and 2 * stake <= own
        case "up_to_half_rounded_up":
            # LV-2.5.1: where half is not a multiple of the unit, up to the next unit.
            return unit <= stake and 2 * stake < own + 2 * unit and (2 * stake <= own or own % (2 * unit) != 0)


def insurance_is_answered_once(round_: Round) -> Iterator[Breach]:
    """Each main wager has one answer about insurance, by its own player (decision 13)."""
    mains = {wager.wager: wager for wager in round_.main()}
    boxes = {(wager.box, wager.player): wager.wager for wager in round_.main()}
    answered: set[str] = set()
    for fact in round_.of(InsuranceDeclined, EvenMoneyTaken, WagerAccepted):
        about = fact.event.wager
        if isinstance(fact.event, WagerAccepted):
            placed = round_.wagers.get(about)
            if placed is None or placed.kind != "insurance":
                continue
            about = boxes.get((placed.box, placed.player), "")
        elif about in mains and (fact.actor.id != mains[about].player or fact.actor.role != "player"):
            yield round_.rule("ON-7.5", "LV-0.3"), f"{fact.actor.id} answered about insurance for {mains[about].player}", fact
        if about not in mains:
            yield round_.rule("ON-7.2", "LV-2.5.1"), f"{fact.event.wager} answers about insurance for no main wager of this round", fact
        if about in answered:
            yield round_.rule("ON-7.2", "LV-2.5.1"), f"wager {about} answered twice about insurance", fact
        answered.add(about)


QUESTIONS = (
    cards_come_one_after_the_other,
    all_cards_are_shuffled_before_the_first,
    people_decide_for_themselves_and_in_time,
    others_join_when_they_are_asked,
    insurance_is_asked_in_its_window,
    insurance_is_answered_once,
)

"""The referee: whether a round went as its rule book says, worked out a second time from what lies in its log.

The wagers, the turns and the money are asked about separately; the cards are dealt once more.  Nothing here comes from
the table service: a checker that shares the code shares the bug.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from services.surveillance.domain import cut_rules, felt_rules, ruling_rules, turn_rules, wager_rules
from services.surveillance.domain.facts import Breach, Fact, Round, facts, round_of
from services.surveillance.domain.findings import Code, Finding, finding
from services.surveillance.domain.payouts import lines, results
from services.surveillance.domain.put_right import corrections_are_right
from services.surveillance.domain.reenactment import Felt, Hand, Irregular, Unfinished, Unfollowed, Voided, points, reenact
from shared.contracts.dealing import (
    CardDealt,
    CardDiscarded,
    CardExposed,
    CuttingCardReached,
    FaceDownCardDealt,
    HoleCardDealt,
    ReshuffleCalled,
)
from shared.contracts.rounds import HandsDecided, RoundOpened, RoundSettled, RoundVoided
from shared.contracts.subjects import log_of
from shared.contracts.wagers import SIDE_BETS, SettlementLine, WagersCorrected, WagersSettled
from shared.kernel.entry import Entry

SEMANTICS_KNOWN = 1
BOOKS_KNOWN = ("ON", "FL", "LV")
CARDS = (CardDealt, HoleCardDealt, FaceDownCardDealt, CardDiscarded, CardExposed)
"""What says that a card left its shoe."""


def judge(entries: Sequence[Entry[Any, Any]]) -> list[Finding]:
    """Return what is wrong with a round; of a round that is still played, as far as it went."""
    told = facts(entries)
    if not told:
        return []
    stream = entries[0].stream
    if not isinstance(told[0].event, RoundOpened):
        return [_found(stream, Code.RULES, "", "the round does not begin with its opening", told[0])]
    opened = told[0].event
    if opened.semantics != SEMANTICS_KNOWN or opened.profile.book not in BOOKS_KNOWN:
        message = f"book {opened.profile.book}, decisions of version {opened.semantics}: not known to this referee"
        return [_found(stream, Code.UNJUDGED, "", message, told[0])]
    round_ = round_of(stream, told)
    rules = (*wager_rules.QUESTIONS, *turn_rules.QUESTIONS, *felt_rules.QUESTIONS, *cut_rules.QUESTIONS, *ruling_rules.QUESTIONS)
    questions = (*rules, money_is_given_once, play_and_pay)
    try:
        breaches = list(wager_rules.values_can_be(round_)) or [breach for ask in questions for breach in ask(round_)]
    except Unfollowed as why:
        breaches = [breach for ask in (*rules, money_is_given_once, corrections_stand_alone) for breach in ask(round_)]
        unjudged = [_found(stream, Code.UNJUDGED, "ON-11.6", f"{why}: rulings, clocks and sums were judged, outcomes not", told[-1])]
    else:
        unjudged = []
    return [*(_found(stream, Code.RULES, rule, message, fact or told[-1]) for rule, message, fact in breaches), *unjudged]


def play_and_pay(round_: Round) -> Iterator[Breach]:
    """The cards are dealt once more, and what lies there then is held against outcomes and money."""
    felt = Felt(round_.opened, aside=[wager for wager in round_.accepted.values() if wager.kind in SIDE_BETS])
    for fact in round_.of(ReshuffleCalled):
        felt.shuffled_first = fact.event.next_shoe if fact.event.whole else felt.shuffled_first
    for box, wagers in round_.boxes().items():
        felt.boxes[box] = [Hand(box, [], wagers)]
    if not felt.boxes:
        yield from nothing_is_dealt(round_)
        return
    try:
        reenact(round_.facts, felt, round_.accepted)
    except Irregular as irregular:
        yield irregular.clause, irregular.message, irregular.fact
        return
    except Unfinished:
        return
    except Voided:
        yield from everything_is_given_back(round_)
        yield from corrections_are_right(round_, None)
        return
    yield from outcomes_are_right(round_, felt)
    yield from hands_end_as_told(round_, felt)
    yield from lines_are_right(round_, lines(felt))
    yield from corrections_are_right(round_, felt)


def corrections_stand_alone(round_: Round) -> Iterator[Breach]:
    """Of a round whose cards cannot be dealt once more only stakes can be given back."""
    yield from corrections_are_right(round_, None)


def nothing_is_dealt(round_: Round) -> Iterator[Breach]:
    """With no wager in it the round is void, and no card is dealt or burned for it."""
    for fact in round_.of(CardDealt, HoleCardDealt, FaceDownCardDealt, RoundSettled, WagersSettled):
        yield round_.rule("ON-3.1", "LV-2.1.1"), f"{type(fact.event).__name__} in a round without a wager", fact
        return


def everything_is_given_back(round_: Round) -> Iterator[Breach]:
    """A void round returns every stake and no more, also where something was settled before (decision 23)."""
    back = {line.wager: line.returned_minor for _, line in settled(round_)}
    for fact in round_.of(WagersCorrected):
        back |= {line.wager: line.returned_minor for line in fact.event.lines}
    for wager in round_.accepted.values():
        given = back.get(wager.wager, 0)
        if given != wager.stake_minor:
            yield round_.rule("ON-11.6", "LV-2.1.1"), f"wager {wager.wager} of {wager.stake_minor} got {given} from a void round", None


def outcomes_are_right(round_: Round, felt: Felt) -> Iterator[Breach]:
    """The outcomes are those of the cards on the felt."""
    rule = round_.rule("ON-3.1", "LV-2.1.1")
    for fact in round_.of(HandsDecided):
        if fact.event.dealer_cards != tuple(felt.dealer) or fact.event.dealer_total != points(felt.dealer)[0]:
            shown = " ".join(fact.event.dealer_cards)
            yield rule, f"the dealer has {' '.join(felt.dealer)}, written down is {shown} for {fact.event.dealer_total}", fact
        due = {(hand.box, hand.hand): hand for hand in results(felt)}
        said = {(hand.box, hand.hand): hand for hand in fact.event.hands}
        if len(said) != len(fact.event.hands):
            yield rule, "a hand has two outcomes", fact
        for place in sorted(due.keys() | said.keys()):
            if due.get(place) != said.get(place):
                mine, theirs = due.get(place), said.get(place)
                yield rule, f"box {place[0]} hand {place[1]}: {_shown(mine)}, written down is {_shown(theirs)}", fact


def hands_end_as_told(round_: Round, felt: Felt) -> Iterator[Breach]:
    """What is written down of how each hand ended is how it ended (LV-0.2)."""
    for box, number, hand in felt.hands():
        said = felt.said.get((box, number), [])
        if hand.dead:
            continue
        # A hand that a dealer blackjack cut short has no end of its own.
        if any(how not in hand.ends for how in said) or (hand.ends and not said):
            yield round_.rule("ON-10.1", "LV-0.2"), f"box {box} hand {number} ended {hand.ends}, written down is {said}", None


def lines_are_right(round_: Round, due: dict[str, SettlementLine]) -> Iterator[Breach]:
    """Every wager gives back what its outcome says (ON-3.5, LV-2.3)."""
    rule = round_.rule("ON-3.5", "LV-2.3")
    told = {line.wager: (fact, line) for fact, line in settled(round_)}
    for wager in sorted(due.keys() | told.keys()):
        fact, line = told.get(wager, (None, None))
        expected = due.get(wager)
        if line is None:
            yield rule, f"wager {wager} was not settled", fact
        elif expected is None:
            yield rule, f"wager {wager} was settled and lies on no hand", fact
        elif (line.player, line.box, line.kind, line.stake_minor) != (expected.player, expected.box, expected.kind, expected.stake_minor):
            yield rule, f"the line of wager {wager} is not about the wager that was placed", fact
        elif line.kind != "insurance" and line.hand != expected.hand:
            yield rule, f"wager {wager} lies on hand {expected.hand}, its line says {line.hand}", fact
        elif line.returned_minor != expected.returned_minor:
            yield rule, f"wager {wager} must give back {expected.returned_minor}, written down is {line.returned_minor}", fact
        elif line.rounding_minor != expected.rounding_minor:
            more, told_ = expected.rounding_minor or 0, line.rounding_minor or 0
            yield "FL-5.9", f"{more} of what wager {wager} gives back is rounded up, written down is {told_}", fact


def money_is_given_once(round_: Round) -> Iterator[Breach]:
    """Each wager stands in one line, in the round's currency; the sums at the end are those of the lines (ON-3.5, LV-2.1.4)."""
    rule = round_.rule("ON-3.5", "LV-2.1.4")
    seen: set[str] = set()
    for fact, line in settled(round_):
        if line.wager in seen:
            yield rule, f"wager {line.wager} was settled twice", fact
        if line.wager not in round_.accepted:
            yield rule, f"wager {line.wager} was settled and is not in the round", fact
        seen.add(line.wager)
    for fact in round_.of(WagersSettled):
        if fact.event.currency != round_.opened.settings.currency:
            yield rule, f"settled in {fact.event.currency}", fact
    for fact in round_.of(RoundSettled):
        staked = sum(line.stake_minor for _, line in settled(round_))
        returned = sum(line.returned_minor for _, line in settled(round_)) + mended(round_)
        if (fact.event.staked_minor, fact.event.returned_minor) != (staked, returned):
            yield (
                rule,
                f"staked {staked} and returned {returned}, written down is {fact.event.staked_minor} and {fact.event.returned_minor}",
                fact,
            )
    for fact in round_.of(RoundSettled, RoundVoided):
        shoes = tuple(dict.fromkeys(dealt.event.shoe for dealt in round_.of(*CARDS)))
        if not set(shoes) <= set(fact.event.shoes):
            yield round_.rule("ON-6.1", "LV-3.4"), f"cards came from {shoes}, written down is {fact.event.shoes}", fact
        # One that came out before the round's first card belongs to the round before: all cards were shuffled (FL-4.1).
        reached = any(out.event.shoe in fact.event.shoes for out in round_.of(CuttingCardReached))
        if fact.event.cutting_card_out != reached:
            yield round_.rule("ON-5.7", "LV-3.2"), "the cutting card came out, or not, otherwise than written down", fact


def mended(round_: Round) -> int:
    """Return what wagers that were settled early gave back more or less before the round was over (decision 23)."""
    end = round_.facts.index(round_.of(RoundSettled)[0])
    return sum(
        line.returned_minor - line.settled_minor
        for fact in round_.facts[:end]
        if isinstance(fact.event, WagersCorrected)
        for line in fact.event.lines
    )


def settled(round_: Round) -> Iterator[tuple[Fact, SettlementLine]]:
    """Give every settlement line with the fact that it stands in."""
    for fact in round_.of(WagersSettled):
        for line in fact.event.lines:
            yield fact, line


def _shown(hand: Any) -> str:
    return "no such hand" if hand is None else f"{' '.join(hand.cards)} for {hand.total}, {hand.result}"


def _found(stream: str, code: Code, rule: str, message: str, fact: Fact) -> Finding:
    told = f"{rule}: {message}" if rule else message
    return finding(code, told, log=log_of(stream), stream=stream, revision=fact.revision, clause=rule)

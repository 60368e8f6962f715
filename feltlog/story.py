"""The story of a round: every event as a line in plain words, in the order in which it happened.

Pure: the same log gives the same lines on every machine.  The story explains, it does not judge; what it says about a
hand is read off the cards, and what it says about money is read off the settlement.
"""

from typing import Literal, assert_never

from msgspec import Struct

from feltlog import ruled
from feltlog.layout import Layout, laid
from feltlog.reading import Told
from feltlog.wording import Card, Sentence, amount, counted, money, row_of, seconds, spoken, why_void, worth
from shared.contracts import dealing, decisions, rounds, rulings, wagers
from shared.contracts.restrictions import InForceNoted
from shared.contracts.staff import job_in_words

Tone = Literal["card", "player", "house", "money", "refusal", "ruling", "end"]

SPEAKERS: dict[type, str] = {
    rounds.OpenRound: "table",
    wagers.AcceptWager: "wallet",
    wagers.RefuseWager: "wallet",
    dealing.DealCards: "shoe",
    dealing.DealCard: "shoe",
    dealing.NoteCuttingCard: "shoe",
    dealing.ChangeShoe: "shoe",
    dealing.TakePeek: "shoe",
    dealing.TurnHole: "shoe",
    dealing.TakeExposure: "shoe",
    wagers.CloseBetting: "clock",
    wagers.LapseWagers: "clock",
    decisions.CloseInsurance: "clock",
    decisions.TimeOutDecision: "clock",
    wagers.TimeOutReserve: "clock",
    rounds.CorrectRound: "table",
}
"""On whose word the house itself did something."""

TABLE_SAYS = (
    dealing.CardsCalled,
    dealing.CardsForfeited,
    decisions.ClockResumed,
    dealing.BoxMissed,
    dealing.ReshuffleCalled,
    dealing.ShoeChanged,
    decisions.InsuranceOpened,
    dealing.PeekCalled,
    decisions.DecisionAwaited,
    decisions.ClockExtended,
    decisions.HandDoubled,
    decisions.HandSplit,
    dealing.ExposureCalled,
    dealing.TurnCalled,
    rounds.HandsDecided,
    wagers.WagersSettled,
    dealing.CardsPickedUp,
    InForceNoted,
    rounds.RoundSettled,
    rounds.RoundVoided,
    wagers.WagersCorrected,
)
"""What the table says by itself, whatever it was that made it go on."""

SAID_ALOUD = (decisions.Stand, decisions.TimeOutDecision, decisions.TakeEvenMoney, decisions.CloseInsurance)
"""Commands that themselves end a hand or the insurance; after any other the table ends it by rule."""

WANTS = {"main": "places", "double": "doubles with", "split": "splits with", "insurance": "insures with"}

ENDS: dict[str, str] = {
    "blackjack": "has a blackjack",
    "stood": "stands at {worth}",
    "bust": "is bust with {points}",
    "twenty_one": "stands by itself at 21",
    "doubled": "stands at {worth} after the double",
    "split_aces": "stands at {worth}, one card to a split ace",
    "timed_out": "is stood at {worth}, out of time",
    "even_money": "has taken even money and leaves the round",
    "dead": "is dead: its wagers go back",
}

FACE_DOWN: dict[str, str] = {"stood": "stands face down", "timed_out": "is stood face down, out of time"}

RESULTS: dict[str, str] = {
    "blackjack": "wins with a blackjack",
    "win": "wins with {total}",
    "push": "ties at {total}",
    "lose": "loses with {total}",
    "bust": "was bust with {total}",
    "even_money": "has had even money",
    "dead": "is dead",
    "void": "is void",
}


class Line(Struct, frozen=True, kw_only=True):
    """One event of a round, told."""

    told: Told
    offset_ms: int
    """Since the round was opened."""
    who: str
    what: Sentence
    tone: Tone


def story(happened: list[Told]) -> tuple[list[Line], Layout]:
    """Return the lines of a round and the layout as the round left it."""
    layout = Layout()
    began_ms = happened[0].page.entry.at_ms if happened else 0
    lines = []
    for told in happened:
        before, layout = layout, laid(layout, told.event)
        what, tone = sentence(told, before, layout)
        lines.append(Line(told=told, offset_ms=told.page.entry.at_ms - began_ms, who=speaker(told), what=what, tone=tone))
    return lines, layout


def speaker(told: Told) -> str:
    """Return on whose word an event happened."""
    actor, command, event = told.decision.actor, told.decision.command, told.event
    by_rule = isinstance(event, decisions.HandCompleted | decisions.InsuranceClosed) and not isinstance(command, SAID_ALOUD)
    if by_rule or isinstance(event, TABLE_SAYS):
        return "table"
    return SPEAKERS.get(type(command), "house") if actor.role == "house" else actor.id


def sentence(told: Told, before: Layout, after: Layout) -> tuple[Sentence, Tone]:
    """Return what an event says, in plain words, and what it is about."""
    event: rounds.RoundEvent = told.event
    at_ms = told.page.entry.at_ms
    cur = after.currency
    match event:
        case rounds.RoundOpened():
            return opening(event, at_ms), "house"
        case wagers.WagerPlaced():
            return wish(event, before), "player"
        case wagers.WagerAccepted():
            return (f"{about(after, event.wager)} is set aside: the wager counts",), "money"
        case wagers.WagerRefused():
            return (f"{about(after, event.wager)} is refused: {event.message}",), "refusal"
        case wagers.WagerLapsed():
            return (f"{about(after, event.wager)} is out of the round: the wallet did not answer in time",), "refusal"
        case wagers.CommandRefused():
            return (f"{asked(told, after)}: refused. {event.message}",), "refusal"
        case wagers.BettingClosed():
            return ("No more bets",), "house"
        case wagers.CallersSet():
            return (" and ".join(holder(after, wager) for wager in event.wagers) + ": the decision is theirs",), "house"
        case dealing.CardsCalled():
            return (called(event),), "house"
        case dealing.CardDealt():
            return dealt(event, after), "card"
        case dealing.HoleCardDealt():
            return ("The dealer's second card lies face down",), "card"
        case dealing.FaceDownCardDealt():
            return (f"{after.owner(event.box, event.hand)}: a card face down",), "card"
        case dealing.ExposureCalled():
            return (exposing(event, after),), "house"
        case dealing.HandExposed():
            cards = after.hands[event.box, event.hand]
            return (f"{after.owner(event.box, event.hand)} exposes ", *row_of(cards), f"  {worth(cards)}"), "card"
        case dealing.CuttingCardReached():
            return (f"The cutting card of shoe {event.shoe} comes out: this round is its last",), "house"
        case dealing.ReshuffleCalled(whole=True):
            return (f"The cutting card of shoe {event.shoe} is the first card: all cards are shuffled, and the wagers stay",), "house"
        case dealing.ReshuffleCalled():
            return (f"Shoe {event.shoe} is empty: its discards are shuffled, all but the cards on the layout",), "house"
        case dealing.ShoeChanged():
            return (f"The round goes on from {event.shoe} with {counted(event.cards, 'card')}",), "house"
        case decisions.InsuranceOpened():
            return (f"Insurance is open for {seconds(event.until_ms - at_ms)} s",), "house"
        case decisions.InsuranceDeclined():
            return (f"{holder(after, event.wager)}: no insurance",), "player"
        case decisions.EvenMoneyTaken():
            return (f"{holder(after, event.wager)}: even money for the blackjack",), "player"
        case decisions.InsuranceClosed():
            return ("Insurance is closed",), "house"
        case dealing.PeekCalled():
            return ("The shoe is asked whether the card under the ace makes a blackjack",), "house"
        case dealing.PeekTaken():
            return ("The card under the ace makes a blackjack" if event.blackjack else "No dealer blackjack",), "card"
        case decisions.DecisionAwaited():
            return awaited(event, after, at_ms), "house"
        case decisions.ClockExtended():
            return (f"The house was away: the clock runs for {seconds(event.until_ms - at_ms)} s again",), "house"
        case decisions.DecisionTimedOut():
            return (f"{after.owner(event.box, event.hand)}: no decision in time",), "player"
        case decisions.HandHit():
            return (f"{after.owner(event.box, event.hand)}: hit",), "player"
        case decisions.JoiningOpened():
            names = " and ".join(event.players)
            return (f"{names} may join the {event.kind}, for {seconds(event.until_ms - at_ms)} s",), "house"
        case decisions.JoiningDeclined():
            return (f"{event.player}: does not join",), "player"
        case decisions.JoiningClosed():
            return ("Nobody else joins",), "house"
        case decisions.HandDoubled():
            return (f"{after.owner(event.box, event.hand)}: doubled, one more card",), "player"
        case decisions.HandSplit():
            cards = before.hands.get((event.box, event.hand), ())
            return (f"{before.owner(event.box, event.hand)}: ", *row_of(cards), " becomes two hands"), "player"
        case decisions.HandCompleted():
            return (f"{after.owner(event.box, event.hand)} {ended(event, after)}",), "player"
        case dealing.TurnCalled():
            return ("The hole card is to be turned",), "house"
        case dealing.HoleCardTurned():
            return ("The dealer turns ", Card(event.card), ": ", *row_of(after.dealer), f", {worth(after.dealer)}"), "card"
        case rounds.HandsDecided():
            return verdict(event, after), "end"
        case wagers.WagersSettled():
            return (paid(event),), "money"
        case InForceNoted():
            return ("What staff have ruled about wagers has changed, and binds from the next wager on",), "house"
        case dealing.CardsPickedUp():
            return ("The cards are picked up: " + ", ".join(place_of(box, hand, after) for box, hand in event.hands),), "house"
        case rounds.RoundSettled():
            return (f"Round over: {money(event.staked_minor, cur)} staked, {money(event.returned_minor, cur)} returned",), "end"
        case rounds.RoundVoided():
            back = "; every stake goes back" if after.wagers else ""
            return (f"Round void: {why_void(event.reason)}{back}",), "end"
        case rulings.RulingProposed() | rulings.RulingApproved() | rulings.RulingDeclined() | rulings.RulingWithdrawn():
            return (ruled.told(event, after.proposed),), "ruling"
        case dealing.CardsForfeited() | dealing.BoxMissed() | decisions.ClockResumed():
            return (ruled.told(event, after.proposed),), "house"
        case dealing.CardDiscarded() | dealing.CardExposed():
            return (ruled.told(event, after.proposed),), "card"
        case dealing.CardsCorrected():
            again = ", ".join(after.owner(box, hand) for box, hand in event.reopened)
            played_on = f"; played on: {again}" if again else ""
            return ("Read wrong: ", *read_anew(event.cards, after), played_on), "ruling"
        case rounds.RoundCorrected():
            return put_right(event, after), "end"
        case wagers.WagersCorrected():
            return (settled_anew(event),), "money"
        case rounds.CorrectionRefused():
            return (f"A correction is refused. {event.message}",), "refusal"
        case _:
            assert_never(event)


def opening(event: rounds.RoundOpened, at_ms: int) -> Sentence:
    """Return how a round begins."""
    left_ms = event.betting_until_ms - at_ms
    until = f"for {seconds(left_ms)} s" if event.settings.dealer == "automatic" else "until the dealer closes betting"
    return (f"Round {event.number} of table {event.table} is open; wagers are taken {until}",)


def wish(event: wagers.WagerPlaced, before: Layout) -> Sentence:
    """Return what a player wants to put at risk; a wager of its own makes its player the box's."""
    stake = money(event.stake_minor, event.currency)
    where = f"box {event.box}" if event.kind in ("main", "insurance") else before.owner(event.box, event.hand).partition(", ")[2]
    return (f"{event.player} {WANTS[event.kind]} {stake} on {where}",)


def about(layout: Layout, wager_id: str) -> str:
    """Return how a wager is called: `ann's 10.00 CAD for box 2`."""
    wager = layout.wagers.get(wager_id)
    if wager is None:
        return f"Wager {wager_id}"
    purpose = {"main": "for", "insurance": "to insure"}.get(wager.kind, f"to {wager.kind}")
    return f"{wager.player}'s {money(wager.stake_minor, wager.currency)} {purpose} box {wager.box}"


def holder(layout: Layout, wager_id: str) -> str:
    """Return whose main wager this is and where: `ann, box 2`."""
    wager = layout.wagers.get(wager_id)
    return f"{wager.player}, box {wager.box}" if wager else f"Wager {wager_id}"


def asked(told: Told, layout: Layout) -> str:
    """Return what a refused command asked for."""
    who, command = told.decision.actor.id, told.decision.command
    match command:
        case wagers.PlaceWager():
            return f"{who} asks for {money(command.stake_minor, layout.currency)} on box {command.box}"
        case decisions.Double() | decisions.Insure() if command.stake_minor is not None:
            verb = "double" if isinstance(command, decisions.Double) else "insure"
            return f"{who} asks to {verb} box {command.box} with {money(command.stake_minor, layout.currency)}"
        case decisions.Insure() | decisions.DeclineInsurance() | decisions.TakeEvenMoney():
            return f"{who} asks for {type(command).__name__} on box {command.box}"
        case decisions.ExposeHand():
            return f"{who} asks to expose box {command.box}, hand {command.hand}"
        case decisions.Hit() | decisions.Stand() | decisions.Double() | decisions.Split():
            return f"{who} asks to {type(command).__name__.lower()} box {command.box}, hand {command.hand}"
        case _:
            return f"{who} asks for {type(command).__name__}"


def called(event: dealing.CardsCalled) -> str:
    """Return what the table asks its shoe for."""
    hidden = event.faces.count("down")
    down = f", {'one' if hidden == 1 else hidden} of them face down" if hidden else ""
    return f"Call {event.call_no}: {counted(len(event.faces), 'card')} from shoe {event.shoe}{down}"


def exposing(event: dealing.ExposureCalled, after: Layout) -> str:
    """Return what the shoe is asked to open of what lies face down on the boxes."""
    if event.blackjacks_only:
        return "The shoe is asked to turn up the blackjacks among the cards that lie face down"
    return "To be turned up: " + ", ".join(after.owner(hand.box, hand.hand) for hand in event.hands)


def dealt(event: dealing.CardDealt, after: Layout) -> Sentence:
    """Return a card and the hand that it makes."""
    cards = after.dealer if event.box == 0 else after.hands[event.box, event.hand]
    head = (f"{after.owner(event.box, event.hand)}: ", Card(event.card))
    if len(cards) == 1:
        return head
    return (*head, "  makes  ", *row_of(cards), f"  {worth(cards, split=event.box in after.split)}")


def awaited(event: decisions.DecisionAwaited, after: Layout, at_ms: int) -> Sentence:
    """Return whose turn it is, with what, against what, and for how long."""
    cards = after.hands.get((event.box, event.hand), ())
    against: Sentence = (" against ", Card(after.dealer[0])) if after.dealer else ()
    holding = (*row_of(cards), f", {worth(cards, split=event.box in after.split)}") if cards else ()
    return (f"Turn of {after.owner(event.box, event.hand)}: ", *holding, *against, f"; {seconds(event.until_ms - at_ms)} s to decide")


def ended(event: decisions.HandCompleted, after: Layout) -> str:
    """Return how a hand came to its end."""
    cards = after.hands.get((event.box, event.hand), ())
    if not cards and event.how in FACE_DOWN:
        return FACE_DOWN[event.how]
    words = worth(cards, split=event.box in after.split) if cards else "nothing"
    return ENDS[event.how].format(worth=words, points=words.partition(",")[0])


def verdict(event: rounds.HandsDecided, after: Layout) -> Sentence:
    """Return the outcomes of all hands."""
    dealer: Sentence = (*row_of(event.dealer_cards), f", {worth(event.dealer_cards)}") if event.dealer_cards else ("no cards",)
    hands = (f"{after.owner(hand.box, hand.hand)} {RESULTS[hand.result].format(total=hand.total)}" for hand in event.hands)
    return ("Dealer: ", *dealer, "; ", "; ".join(hands))


def place_of(box: int, hand: int, after: Layout) -> str:
    """Return a hand without its player."""
    return "the dealer's" if box == 0 else f"box {box}, hand {hand}" if box in after.split else f"box {box}"


def paid(event: wagers.WagersSettled) -> str:
    """Return what each wager gives back."""
    lines = (
        f"{line.player} {line.kind} {amount(line.stake_minor, event.currency)} -> {amount(line.returned_minor, event.currency)}"
        for line in event.lines
    )
    return f"Settled in {event.currency}: " + "; ".join(lines)


def agreed_by(agreed: rulings.Agreed) -> str:
    """Return who ruled, and why."""
    proposed, approved = f"{agreed.by} ({job_in_words(agreed.job)})", f"{agreed.approved_by} ({job_in_words(agreed.approved_job)})"
    return f"{proposed} proposed and {approved} approved: {agreed.reason}"


def read_anew(cards: tuple[dealing.CorrectedCard, ...], after: Layout) -> Sentence:
    """Return which cards were read as what, and what they are."""
    words: list[str | Card] = []
    for card in cards:
        words += [
            "; " if words else "",
            f"{after.owner(card.box, card.hand)}, card {card.place}: ",
            Card(card.read),
            " is ",
            Card(card.card),
        ]
    return tuple(words)


def put_right(event: rounds.RoundCorrected, after: Layout) -> Sentence:
    """Return what a correction makes of a round that was over."""
    now = f"{money(event.returned_minor, after.currency)} of {money(event.staked_minor, after.currency)} returned"
    if event.outcome == "void":
        return (f"Correction {event.number}: the round is void, {now}. {agreed_by(event.agreed)}",)
    dealer = (*row_of(event.dealer_cards), f", {worth(event.dealer_cards)}")
    hands = "; ".join(f"{after.owner(hand.box, hand.hand)} {RESULTS[hand.result].format(total=hand.total)}" for hand in event.hands)
    return (
        f"Correction {event.number}: ",
        *read_anew(event.cards, after),
        ". Dealer: ",
        *dealer,
        f"; {hands}; {now}. {agreed_by(event.agreed)}",
    )


def settled_anew(event: wagers.WagersCorrected) -> str:
    """Return what each wager gives back instead of what it gave back until now."""
    lines = (
        f"{line.player} {line.kind} {amount(line.settled_minor, event.currency)} -> {amount(line.returned_minor, event.currency)}"
        for line in event.lines
    )
    return f"Settled anew in {event.currency}: " + ("; ".join(lines) or "every wager as before")


def plain(line: Line) -> str:
    """Return a line's sentence as one text, with suits."""
    return spoken(line.what)

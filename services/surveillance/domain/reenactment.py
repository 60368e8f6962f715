"""The re-enactment: the round dealt once more from its log, the way a dealer walks through it from the first box to the last.

It is a script and not a state machine on purpose: it says what must come next and looks whether the log says so.  It
imports nothing of the table's rules, because a checker that shares the code shares the bug.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from services.surveillance.domain.facts import Fact, clause
from shared.contracts.dealing import (
    BoxMissed,
    CardDealt,
    CardsCorrected,
    FaceDownCardDealt,
    HandExposed,
    HoleCardDealt,
    HoleCardTurned,
    PeekTaken,
)
from shared.contracts.decisions import (
    DecisionTimedOut,
    EvenMoneyTaken,
    HandCompleted,
    HandDoubled,
    HandHit,
    HandSplit,
    InsuranceClosed,
    InsuranceDeclined,
    InsuranceOpened,
    JoiningOpened,
)
from shared.contracts.rounds import HandsDecided, RoundOpened, RoundSettled, RoundVoided
from shared.contracts.wagers import WagerAccepted, WagerPlaced
from shared.kernel.profile import Profile

DEALER = 0


class Irregular(Exception):
    """The log does not say what must come next."""

    def __init__(self, clause: str, message: str, fact: Fact | None = None) -> None:
        super().__init__(message)
        self.clause = clause
        self.message = message
        self.fact = fact


class Voided(Exception):
    """The round was cancelled here."""


class Unfinished(Exception):
    """The log ends here, before the round does."""


class Unfollowed(Exception):
    """The log goes on in a way that this script does not know; says which."""


@dataclass
class Hand:
    """A hand as it lies on the felt."""

    box: int
    cards: list[str]
    wagers: list[WagerPlaced]
    """As they lie: first that of whoever decides."""
    from_split: bool = False
    ends: tuple[str, ...] = ()
    """How it may be said to have ended; empty while it is played."""
    dead: bool = False
    """Taken out of the round: what lay on it went back (ON-11.6)."""


@dataclass
class Felt:
    """What lies on the felt when the script is through."""

    opened: RoundOpened
    dealer: list[str] = field(default_factory=list)
    boxes: dict[int, list[Hand]] = field(default_factory=dict)
    insured: list[WagerPlaced] = field(default_factory=list)
    aside: list[WagerPlaced] = field(default_factory=list)
    """Side bets."""
    firsts: dict[int, list[str]] = field(default_factory=dict)
    """The first three cards of each box."""
    even_money: set[str] = field(default_factory=set)
    declined: set[str] = field(default_factory=set)
    said: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    """What the log says of how each hand ended."""
    shuffled_first: str = ""
    """The shoe that all cards were shuffled into before the first one was dealt, if they were (FL-4.1)."""
    given_back: list[tuple[int, WagerPlaced]] = field(default_factory=list)
    """What lay on hands that are dead, each with the hand's number then."""

    @property
    def profile(self) -> Profile:
        """The rules of the round."""
        return self.opened.profile

    @property
    def first_shoe(self) -> str:
        """The shoe that the deal began from."""
        return self.shuffled_first or self.opened.shoe

    def is_paid_already(self, hand: Hand) -> bool:
        """Return whether every wager on a hand took even money."""
        return all(wager.wager in self.even_money for wager in hand.wagers)

    def hands(self) -> Iterator[tuple[int, int, Hand]]:
        """Give every hand with its box and its number."""
        for box in sorted(self.boxes):
            for number, hand in enumerate(self.boxes[box], start=1):
                yield box, number, hand


def points(cards: Sequence[str]) -> tuple[int, bool]:
    """Return the points of a hand and whether an ace counts eleven in them (ON-2.3, LV-1.1)."""
    low = sum(1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in cards)
    soft = low <= 11 and any(card[0] == "A" for card in cards)
    return (low + 10 if soft else low), soft


def is_ace_and_ten(cards: Sequence[str]) -> bool:
    """Return whether these are two cards that make twenty-one; behind a split they are no blackjack."""
    return len(cards) == 2 and points(cards)[0] == 21


class Script:
    """The log, read from the front; what is not a move is passed over."""

    MOVES = (
        CardDealt,
        FaceDownCardDealt,
        HoleCardDealt,
        HoleCardTurned,
        InsuranceOpened,
        InsuranceDeclined,
        InsuranceClosed,
        EvenMoneyTaken,
        PeekTaken,
        DecisionTimedOut,
        HandHit,
        JoiningOpened,
        HandDoubled,
        HandSplit,
        HandCompleted,
        HandsDecided,
        CardsCorrected,
        RoundSettled,
        RoundVoided,
    )
    BY_ITSELF = ("blackjack", "bust", "twenty_one", "doubled", "split_aces", "even_money")
    """How a hand ends without anybody asking for it."""

    def __init__(self, facts: Sequence[Fact], felt: Felt, wagers: dict[str, WagerPlaced]) -> None:
        self.felt = felt
        self.wagers = wagers
        self.moves = [fact for fact in facts if isinstance(fact.event, self.MOVES) or self.insurance(fact) is not None]
        self.at = 0
        self.faces = {
            (fact.event.shoe, index): card
            for fact in facts
            if isinstance(fact.event, HandExposed)
            for index, card in zip(fact.event.indices, fact.event.cards, strict=True)
        }
        """What lay face down on boxes, as it was turned up in time."""
        self.asked: set[str] = set()
        """Doubles and splits that others were asked to join."""
        self.looked = False
        """Whether somebody has looked at the hole card: then insurance is settled."""
        self.missed = {(fact.event.box, fact.event.card) for fact in facts if isinstance(fact.event, BoxMissed)}
        """Boxes that the deal passed over, each with which of its first two cards."""

    def insurance(self, fact: Fact) -> WagerPlaced | None:
        """Return the insurance wager that `fact` accepts, if it does."""
        if not isinstance(fact.event, WagerAccepted):
            return None
        placed = self.wagers.get(fact.event.wager)
        return placed if placed is not None and placed.kind == "insurance" else None

    def ahead(self) -> Fact:
        """Return the next move without taking it."""
        while self.at < len(self.moves):
            fact = self.moves[self.at]
            if isinstance(fact.event, RoundVoided):
                raise Voided
            if isinstance(fact.event, HandCompleted) and fact.event.how == "dead":
                self.bury(fact)
                self.at += 1
                continue
            if not (isinstance(fact.event, HandCompleted) and fact.event.how in self.BY_ITSELF):
                return fact
            self.felt.said.setdefault((fact.event.box, fact.event.hand), []).append(fact.event.how)
            self.at += 1
        raise Unfinished

    def bury(self, fact: Fact) -> None:
        """Take a hand out of the round, with all that lies on it: side bets and an open insurance as well (decision 23)."""
        felt, box, number = self.felt, fact.event.box, fact.event.hand
        hands = felt.boxes.get(box, [])
        if not 1 <= number <= len(hands) or hands[number - 1].dead:
            amiss("ON-11.6", f"box {box} hand {number} is dead, and there is no such hand in the round", fact)
        if self.at and isinstance(self.moves[self.at - 1].event, JoiningOpened):
            raise Unfollowed("a hand is dead while others are asked to join its double or split")
        hand = hands[number - 1]
        if hand.ends == ("bust",) or (hand.cards and felt.is_paid_already(hand)):
            amiss("ON-11.6", f"box {box} hand {number} is dead, and was out of the round before", fact)
        hand.dead, hand.ends = True, ("dead",)
        beside = [wager for wager in felt.aside if wager.box == box and number == 1]
        insured = [wager for wager in felt.insured if wager.box == box and number == 1 and not self.looked]
        felt.given_back += [(number, wager) for wager in (*hand.wagers, *beside)] + [(0, wager) for wager in insured]
        hand.wagers = []
        felt.aside = [wager for wager in felt.aside if wager not in beside]
        felt.insured = [wager for wager in felt.insured if wager not in insured]

    def word_about(self, hand: Hand) -> Fact | None:
        """Return the next move, None if a ruling has taken the hand out while its player thought."""
        self.ahead()
        return None if hand.dead else self.take()

    def take(self) -> Fact:
        """Return the next move."""
        fact = self.ahead()
        self.at += 1
        return fact

    def expect(self, kind: type[Any], rule: str, why: str) -> Any:
        """Return the next move's event, which must be a `kind`."""
        fact = self.take()
        if not isinstance(fact.event, kind):
            amiss(rule, f"{why}, but {described(fact.event)} came", fact)
        return fact.event

    def card(self, box: int, hand: int, rule: str, *, down: bool = False) -> str:
        """Return the next card, which must come to this hand; `down` if it belongs to a deal that lies face down."""
        where = "the dealer" if box == DEALER else f"box {box} hand {hand}"
        fact = self.take()
        event = fact.event
        if not isinstance(event, CardDealt | FaceDownCardDealt):
            amiss(rule, f"the next card belongs to {where}, but {described(event)} came", fact)
        if event.box != box or (box != DEALER and event.hand != hand):
            amiss(rule, f"the next card belongs to {where}, but another went to box {event.box} hand {event.hand}", fact)
        # What comes from shuffled discards is dealt face up, however the deal began.
        if (down and event.shoe == self.felt.first_shoe) != isinstance(event, FaceDownCardDealt):
            amiss("FL-3.5", f"{described(event)} does not lie as the profile has it", fact)
        card = event.card if isinstance(event, CardDealt) else self.turned_up(event)
        firsts = self.felt.firsts.setdefault(box, [])
        if len(firsts) < 3:
            firsts.append(card)
        return card

    def turned_up(self, event: FaceDownCardDealt) -> str:
        """Return the face of a card that lay face down; a round that never turned it up is not over, or void."""
        card = self.faces.get((event.shoe, event.index))
        if card is None:
            raise Voided if any(isinstance(fact.event, RoundVoided) for fact in self.moves) else Unfinished
        return card


def amiss(rule: str, message: str, fact: Fact | None) -> NoReturn:
    """Stop the script: the log does not go on as the rules say."""
    raise Irregular(rule, message, fact)


def described(event: Any) -> str:
    """Return an event in a few words."""
    where = f" at box {event.box} hand {event.hand}" if hasattr(event, "box") and hasattr(event, "hand") else ""
    return f"{type(event).__name__}{where}"


def reenact(facts: Sequence[Fact], felt: Felt, wagers: dict[str, WagerPlaced]) -> None:
    """Walk through the round and fill `felt` with what lies there at the end.

    `felt.boxes` holds a hand without cards for each box with an accepted wager; `wagers` are all accepted wagers by id.
    Raise `Irregular` where the log leaves the rules, `Voided` or `Unfinished` where the round does not come to an outcome.
    """
    script = Script(facts, felt, wagers)
    deal(script)
    looked = insure_and_peek(script)
    if not looked:
        play_boxes(script)
    finish_dealer(script, looked=looked)
    script.expect(HandsDecided, clause(felt.profile, "ON-3.5", "LV-2.1.4"), "all cards are out and the outcomes are due")
    script.expect(RoundSettled, clause(felt.profile, "ON-3.5", "LV-2.1.4"), "the outcomes are known and the round must end")
    if script.at < len(script.moves):
        fact = script.moves[script.at]
        amiss(clause(felt.profile, "ON-3.5", "LV-2.1.4"), f"the round is over, but {described(fact.event)} came", fact)


def deal(script: Script) -> None:
    """Two cards to each box with a wager, one or two to the dealer (LV-0.1, LV-3.4, ON-6.1, ON-6.3, decision 9)."""
    felt = script.felt
    order = clause(felt.profile, "ON-6.1", "LV-3.4")
    down = felt.profile.players_cards == "down"
    for box in [box for box in sorted(felt.boxes) if (box, 1) not in script.missed]:
        felt.boxes[box][0].cards.append(script.card(box, 1, order, down=down))
    felt.dealer.append(script.card(DEALER, 1, clause(felt.profile, "ON-6.3", "LV-0.1")))
    for box in [box for box in sorted(felt.boxes) if (box, 2) not in script.missed]:
        felt.boxes[box][0].cards.append(script.card(box, 1, order, down=down))
    for box in [box for box in sorted(felt.boxes) if len(felt.boxes[box][0].cards) == 1]:
        # ON-11.6: short of one card it is backed up until all have two.
        felt.boxes[box][0].cards.append(script.card(box, 1, "ON-11.6", down=down))
    if felt.profile.dealer.hole_card:
        script.expect(HoleCardDealt, "LV-0.1", "the dealer's second card is dealt face down")


def insure_and_peek(script: Script) -> bool | None:
    """Offer insurance under an ace, then look at the hole card; return whether the look found a blackjack, if there was one."""
    felt = script.felt
    script.ahead()
    bare = [box for box, _, hand in felt.hands() if not hand.cards and not hand.dead]
    if bare:
        amiss("ON-11.6", f"box {bare[0]} got no card and is not dead", script.ahead())
    if felt.dealer[0][0] != "A" or all(hand.dead for _, _, hand in felt.hands()):
        return None
    rule = clause(felt.profile, "ON-7.1", "LV-2.5.2")
    script.expect(InsuranceOpened, rule, "insurance is offered under an ace")
    closed = False
    while not closed or script.insurance(script.ahead()) is not None:
        fact = script.take()
        wager = script.insurance(fact)
        if wager is not None:
            felt.insured.append(wager)
            continue
        match fact.event:
            case InsuranceClosed():
                closed = True
            case InsuranceDeclined():
                felt.declined.add(fact.event.wager)
            case EvenMoneyTaken():
                take_even_money(felt, fact)
            case _:
                amiss(rule, f"insurance is open, but {described(fact.event)} came", fact)
    if not (felt.profile.dealer.hole_card and felt.profile.dealer.peeks_under_ace):
        return None
    looked: PeekTaken = script.expect(PeekTaken, "LV-3.8", "the hole card is checked once insurance is closed")
    script.looked = True
    return looked.blackjack


def take_even_money(felt: Felt, fact: Fact) -> None:
    """A blackjack takes one to one and leaves the round (ON-7.5, decision 13)."""
    for hands in felt.boxes.values():
        if any(wager.wager == fact.event.wager for wager in hands[0].wagers):
            if not felt.profile.insurance.even_money:
                amiss("ON-7.5", "this book knows no even money", fact)
            if not is_ace_and_ten(hands[0].cards):
                amiss("ON-7.5", f"even money was given on {' '.join(hands[0].cards)}, which is no blackjack", fact)
            felt.even_money.add(fact.event.wager)
            return
    amiss("ON-7.5", f"even money was given on {fact.event.wager}, which is no main wager of this round", fact)


def play_boxes(script: Script) -> None:
    """Play hand after hand, the first to its end before the next gets a card (ON-9.2, LV-2.7); one may be opened again."""
    while (place := next((place for *place, hand in script.felt.hands() if not hand.ends), None)) is not None:
        play_hand(script, *place)


def play_hand(script: Script, box: int, number: int) -> None:
    """Play one hand to its end, or to where a card turns out to have been read wrong; what splits off it is left to be played next."""
    felt = script.felt
    hands = felt.boxes[box]
    hand = hands[number - 1]
    while not hand.dead:
        if len(hand.cards) == 1:
            hand.cards.append(script.card(box, number, clause(felt.profile, "ON-9.2", "LV-2.7")))
        hand.ends = ends_by_itself(felt, hand)
        if hand.ends:
            return
        fact = script.word_about(hand)
        if fact is None:
            return
        event = fact.event
        turn = clause(felt.profile, "ON-6.4", "LV-0.2")
        if isinstance(event, CardsCorrected):
            read_anew(script, fact)
            return
        if getattr(event, "box", None) != box or getattr(event, "hand", None) != number:
            amiss(turn, f"it is the turn of box {box} hand {number}, but {described(event)} came", fact)
        match event:
            case JoiningOpened():
                ask_others(script, hand, fact)
            case HandHit():
                hand.cards.append(script.card(box, number, turn))
            case HandDoubled():
                double(script, hand, fact)
                hand.cards.append(script.card(box, number, clause(felt.profile, "ON-8.1", "LV-2.6")))
                hand.ends = ("bust",) if points(hand.cards)[0] > 21 else ("doubled",)
                return
            case HandSplit():
                split(script, number, hand, fact)
            case HandCompleted(how="stood"):
                hand.ends = ("stood",)
                felt.said.setdefault((box, number), []).append("stood")
                return
            case DecisionTimedOut():
                hand.ends = ("timed_out",)
                over = script.expect(HandCompleted, "LV-3.6", "a decision that times out ends the hand")
                felt.said.setdefault((over.box, over.hand), []).append(over.how)
                return
            case _:
                amiss(turn, f"box {box} hand {number} must decide, but {described(event)} came", fact)


def read_anew(script: Script, fact: Fact) -> None:
    """Lay the right cards where wrong ones were read, and open again what had ended on them."""
    felt = script.felt
    for card in fact.event.cards:
        lying = felt.dealer if card.box == DEALER else hand_at(felt, card.box, card.hand, fact).cards
        if not 0 < card.place <= len(lying) or lying[card.place - 1] != card.read:
            amiss("ON-6.4", f"{card.read} does not lie at box {card.box} hand {card.hand}", fact)
        lying[card.place - 1] = card.card
    put_first_cards_right(script, fact)
    again = [(box, number, hand) for box, number, hand in felt.hands() if hand.ends and not ended_rightly(felt, hand)]
    if sorted(fact.event.reopened) != [(box, number) for box, number, _ in again]:
        amiss("ON-10.1", f"to be played on are {[place[:2] for place in again]}, written down is {fact.event.reopened}", fact)
    for box, number, hand in again:
        felt.said.pop((box, number), None)
        hand.ends = ends_now(felt, hand)


def hand_at(felt: Felt, box: int, number: int, fact: Fact) -> Hand:
    """Return a hand; there must be one."""
    hands = felt.boxes.get(box, [])
    if not 0 < number <= len(hands):
        amiss("ON-6.4", f"there is no hand {number} on box {box}", fact)
    return hands[number - 1]


def put_first_cards_right(script: Script, fact: Fact) -> None:
    """Note the right cards among the first three of their boxes, which is where side bets look."""
    right = {(card.shoe, card.index): card.card for card in fact.event.cards}
    came: dict[int, int] = {}
    for move in script.moves[: script.at]:
        if isinstance(move.event, CardDealt | FaceDownCardDealt):
            at = came.get(move.event.box, 0)
            came[move.event.box] = at + 1
            firsts = script.felt.firsts.get(move.event.box, [])
            if at < len(firsts):
                firsts[at] = right.get((move.event.shoe, move.event.index), firsts[at])


def ends_now(felt: Felt, hand: Hand) -> tuple[str, ...]:
    """Return how a hand ends by its cards, nothing if its player decides."""
    if any(wager.kind == "double" for wager in hand.wagers):
        return ("bust",) if points(hand.cards)[0] > 21 else ("doubled",)
    return ends_by_itself(felt, hand)


def ended_rightly(felt: Felt, hand: Hand) -> bool:
    """Return whether a hand that is over has ended as it must by its cards, or by its player's word."""
    if felt.is_paid_already(hand):
        return True
    due = ends_now(felt, hand)
    return bool(set(due) & set(hand.ends)) if due else hand.ends in (("stood",), ("timed_out",), ("split_aces",))


def ends_by_itself(felt: Felt, hand: Hand) -> tuple[str, ...]:
    """Return how the hand ends without a decision, or nothing if it must be decided (ON-10.1, LV-0.2)."""
    reached = points(hand.cards)[0]
    split_rules = felt.profile.split
    if felt.is_paid_already(hand):
        return ("blackjack", "even_money")
    if is_ace_and_ten(hand.cards) and not hand.from_split:
        return ("blackjack",)
    if reached > 21:
        return ("bust",)
    if hand.from_split and hand.cards[0][0] == "A" and split_rules.aces_take_one_card:
        again = hand.cards[1][0] == "A" and len(felt.boxes[hand.box]) < split_rules.ace_hands_max
        return () if again else ("split_aces", "twenty_one") if reached == 21 else ("split_aces",)
    return ("twenty_one",) if reached == 21 else ()


def others(hand: Hand) -> list[WagerPlaced]:
    """Return the wagers of those who may join a double or split, as they lie (decision 16)."""
    return [wager for wager in hand.wagers if wager.player != hand.wagers[0].player]


def ask_others(script: Script, hand: Hand, fact: Fact) -> None:
    """Hold against the wagers on a hand who is asked to join; the double or split must come next."""
    players = tuple(wager.player for wager in others(hand))
    if fact.event.players != players:
        amiss("decision 16", f"asked to join were {fact.event.players}, on the hand are {players}", fact)
    ahead = script.ahead()
    if not isinstance(ahead.event, HandDoubled | HandSplit) or ahead.event.wager != fact.event.wager:
        amiss("decision 16", f"others were asked to join, but {described(ahead.event)} came", ahead)
    script.asked.add(fact.event.wager)


def join(script: Script, hand: Hand, fact: Fact, kind: str, rule: str) -> list[WagerPlaced]:
    """Return the wagers of those who join, as they lie; each is as much as the own wager on the hand (decision 16)."""
    if others(hand) and fact.event.wager not in script.asked:
        amiss("decision 16", "nobody asked the others on the hand", fact)
    joined = {wager.player: wager for wager in (paid(script, fact, kind, rule, id) for id in fact.event.joined)}
    for own in others(hand):
        wager = joined.get(own.player)
        if wager is not None and not may_add(script.felt, own.stake_minor, wager):
            amiss("decision 16", f"a wager of {own.stake_minor} joined with {wager.stake_minor}", fact)
    if joined.keys() - {own.player for own in others(hand)} or len(joined) != len(fact.event.joined):
        amiss("decision 16", f"{sorted(joined)} joined", fact)
    return [joined[own.player] for own in others(hand) if own.player in joined]


def may_add(felt: Felt, own: int, wager: WagerPlaced) -> bool:
    """Return whether a double or split of a wager of `own` may be so high (ON-8.1, ON-9.1, decision 11)."""
    return wager.stake_minor == own or (wager.kind == "double" and wager.stake_minor < own and felt.profile.double.for_less)


def double(script: Script, hand: Hand, fact: Fact) -> None:
    """Hold a double against the rules and put its wager on the hand (ON-8.1, LV-2.6, decision 11)."""
    profile = script.felt.profile
    rule = clause(profile, "ON-8.1", "LV-2.6")
    wager = paid(script, fact, "double", rule)
    own = hand.wagers[0].stake_minor
    if len(hand.cards) != 2:
        amiss(rule, f"a hand of {len(hand.cards)} cards was doubled", fact)
    if hand.from_split and not profile.double.after_split:
        amiss(rule, "a hand was doubled after a split", fact)
    if not may_add(script.felt, own, wager):
        amiss(rule, f"a wager of {own} was doubled with {wager.stake_minor}", fact)
    hand.wagers += [wager, *join(script, hand, fact, "double", rule)]


def split(script: Script, number: int, hand: Hand, fact: Fact) -> None:
    """Hold a split against the rules and lay the second hand beside the first (ON-9, LV-2.7)."""
    felt = script.felt
    rule = clause(felt.profile, "ON-9.1", "LV-2.7")
    wager = paid(script, fact, "split", rule)
    hands = felt.boxes[hand.box]
    ace = hand.cards[0][0] == "A"
    if len(hand.cards) != 2 or points(hand.cards[:1])[0] != points(hand.cards[1:])[0]:
        amiss(rule, f"{' '.join(hand.cards)} was split", fact)
    if len(hands) >= (felt.profile.split.ace_hands_max if ace else felt.profile.split.hands_max):
        many = clause(felt.profile, "ON-10.1" if ace else "ON-9.6", "LV-2.7")
        amiss(many, f"box {hand.box} was split into {len(hands) + 1} hands", fact)
    if wager.stake_minor != hand.wagers[0].stake_minor:
        amiss(rule, f"a wager of {hand.wagers[0].stake_minor} was split with {wager.stake_minor}", fact)
    joined = join(script, hand, fact, "split", rule)
    hands.insert(number, Hand(hand.box, [hand.cards.pop()], [wager, *joined], from_split=True))
    hand.from_split = True


def paid(script: Script, fact: Fact, kind: str, rule: str, id: str = "") -> WagerPlaced:
    """Return the accepted wager that a double or a split rests on, or that of somebody who joins."""
    about = id or fact.event.wager
    wager = script.wagers.get(about)
    if wager is None or wager.kind != kind or (wager.box, wager.hand) != (fact.event.box, fact.event.hand):
        amiss(rule, f"{described(fact.event)} rests on {about}, which is no accepted {kind} of this hand", fact)
    return wager


def finish_dealer(script: Script, *, looked: bool | None) -> None:
    """The dealer's last cards: as many as the profile says while a wager can still turn on them (ON-10.2, LV-4.4, decision 6)."""
    felt = script.felt
    profile = felt.profile
    alive = [hand for _, _, hand in felt.hands() if not hand.dead]
    standing = [hand for hand in alive if points(hand.cards)[0] <= 21 and not felt.is_paid_already(hand)]
    blackjacks = [hand for hand in standing if is_ace_and_ten(hand.cards) and not hand.from_split]
    # Decision 5: a blackjack against a 2 to 9 is won already.
    undecided = [hand for hand in standing if hand not in blackjacks or points(felt.dealer)[0] >= 10]
    if profile.dealer.hole_card:
        turned: HoleCardTurned = script.expect(HoleCardTurned, "LV-3.8", "the hole card is turned once the players are done")
        felt.dealer.append(turned.card)
    elif undecided or felt.insured:
        felt.dealer.append(script.card(DEALER, 1, "ON-6.4"))
    if looked is not None and looked != is_ace_and_ten(felt.dealer):
        said = "a blackjack" if looked else "no blackjack"
        amiss("LV-3.8", f"the look found {said}, the hole card makes {' '.join(felt.dealer)}", None)
    if len(standing) == len(blackjacks):
        return
    while must_draw(felt):
        felt.dealer.append(script.card(DEALER, 1, clause(profile, "ON-10.2", "LV-4.4")))


def must_draw(felt: Felt) -> bool:
    """Return whether the dealer takes another card (ON-10.2, LV-4.4)."""
    reached, soft = points(felt.dealer)
    return reached < 17 or (reached == 17 and soft and felt.profile.dealer.hits_soft_17)

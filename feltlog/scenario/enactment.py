"""An enactment: a scenario played through the table's own decider, with the shoe, the clock and the wallet from the file.

The wallet has money for everything, the clock stands still until a step says that it ran out, and the cards come in the
order of the file.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from feltlog.rehearsal.round import exposure
from feltlog.scenario import irregular, text
from feltlog.scenario.text import Invalid, Scenario, stake_minor
from services.table.domain import approval
from services.table.domain.correcting import cards_of
from services.table.domain.hand import HARD_POINTS, Hand, opened
from services.table.domain.round import ROUND
from services.table.domain.state import SEEN, Betting, Cards, Decision, Insurance, Joining, Over, Playing, Round
from services.table.reactions import timer
from shared.contracts.dealing import (
    CardsCalled,
    DealCard,
    DealCards,
    DealtCard,
    ExposureCalled,
    Face,
    PeekCalled,
    TakePeek,
    TurnCalled,
    TurnHole,
)
from shared.contracts.decisions import DeclineInsurance, Double, ExposeHand, Hit, Insure, Split, Stand, TakeEvenMoney
from shared.contracts.refusals import Reason, refused
from shared.contracts.restrictions import InForce
from shared.contracts.rounds import CorrectionRefused, CorrectRound, OpenRound, RoundCommand, RoundEvent
from shared.contracts.rulings import Agreed, ApproveRuling, Misread, ProposeRuling, WithdrawRuling
from shared.contracts.table import TableSettings
from shared.contracts.wagers import SIDE_BETS, AcceptWager, CallersSet, CloseBetting, CommandRefused, PlaceSideBet, PlaceWager, WagerPlaced
from shared.kernel.messages import HOUSE, Actor, Envelope, Refused
from shared.kernel.money import MINOR_MAX, BadMoney, minor_units
from shared.kernel.profile import Profile

ROUND_ID = "S1.20000101-000001"
SHOE_ID = "S1-S1"
PIT = Actor("staff", "pit")
CLOCK_MS = 60_000
ABOUT_INSURANCE = text.Insure | text.DeclineInsurance | text.EvenMoney | text.CloseInsurance | text.TimeOut


class RefusedWager(Struct, frozen=True, omit_defaults=True):
    """A wager that the table did not take; `wager` counts within its box, `side` names a side bet."""

    box: int
    wager: int
    code: str
    message: str
    side: str | None = None


class RefusedStep(Struct, frozen=True):
    """A step that the rules refused; steps are counted from 0."""

    step: int
    code: str
    message: str


class Enactment:
    """A round as far as its scenario tells it."""

    def __init__(self, scenario: Scenario, profile: Profile) -> None:
        self.scenario = scenario
        self.profile = profile
        self.currency = scenario.currency
        self.round: Round = ROUND.initial
        self.placed: dict[str, WagerPlaced] = {}
        """Every wager in the round, in the order in which they came in."""
        self.refused: list[RefusedWager | RefusedStep] = []
        self.cards_used = 0
        self._cards = text.cards_of(scenario, profile.decks)
        self._down: dict[tuple[str, int], str] = {}
        """Faces of the cards that were dealt face down, by shoe and index."""
        self._callers: tuple[str, ...] = ()
        self._waiting = {at: step for at, step in enumerate(scenario.steps) if isinstance(step, text.Irregularity)}
        """Irregularities that have not happened yet, by the place of their step."""
        for at, step in self._waiting.items():
            irregular.check(step, at)
        self._now_ms = 0
        self._heard: deque[RoundEvent] = deque()

    def play(self) -> None:
        """Play the scenario; raise `Invalid` when the cards run out."""
        self._tell(self._opening(), HOUSE)
        self._bet()
        self._rule(irregular.before_the_deal)
        if not isinstance(self.round, Over):
            self._settle_betting()
        for at, step in enumerate(self.scenario.steps):
            if isinstance(step, text.Irregularity) and (step.at_card is not None or at not in self._waiting):
                # Its moment is that of a card, or has been.
                continue
            try:
                self._take(step, at)
            except Refused as why:
                self._waiting.pop(at, None)
                self._refuse(at, why)
        if isinstance(self.round, Playing) and isinstance(self.round.awaiting, Joining):
            # Whoever was asked to join and said nothing does not join.
            self._run_out()
        for at in self._waiting:
            self._refuse(at, refused(Reason.NOT_POSSIBLE_NOW, "its moment never came."))
        self.refused.sort(key=lambda row: row.step if isinstance(row, RefusedStep) else -1)

    def _refuse(self, at: int, why: Refused) -> None:
        self.refused.append(RefusedStep(at, why.code, why.message))

    def _rule(self, when: Callable[[text.Irregularity], bool]) -> None:
        """Let the irregularities happen whose moment this is."""
        for at, step in [(at, step) for at, step in self._waiting.items() if when(step)]:
            try:
                self._report(at, step)
            except Refused as why:
                self._refuse(at, why)

    def _report(self, at: int, step: text.Irregularity) -> None:
        """Propose a ruling and have it approved; raise `Refused` if one of the two is, or if nobody approves it."""
        del self._waiting[at]
        if isinstance(self.round, Over):
            raise refused(Reason.ROUND_OVER)
        if step.approved_by is None:
            raise refused(Reason.NOT_APPROVED)
        who = irregular.person(step.by, f"$.steps[{at}].by")
        assert isinstance(self.round, Betting | Playing), "the round is open"
        number = self.round.proposals.made + 1
        self._decide(ProposeRuling(round=ROUND_ID, ruling=irregular.ruling(step, at)), who, f"ruling-{at}")
        try:
            second = irregular.person(step.approved_by, f"$.steps[{at}].approved_by")
            self._decide(ApproveRuling(round=ROUND_ID, proposal=number), second, f"approval-{at}")
        except Refused:
            self._decide(WithdrawRuling(round=ROUND_ID, proposal=number), who, f"withdrawal-{at}")
            raise

    def _correct(self, at: int, step: text.Irregularity, over: Over) -> None:
        """Settle the round anew by the cards as they lie, as its table would have it done; raise `Refused` if that cannot be."""
        del self._waiting[at]
        if step.approved_by is None:
            raise refused(Reason.NOT_APPROVED)
        ruling, one = irregular.ruling(step, at), irregular.person(step.by, f"$.steps[{at}].by")
        other = irregular.person(step.approved_by, f"$.steps[{at}].approved_by")
        proposed = approval.propose(ProposeRuling(round=ROUND_ID, ruling=ruling), approval.NONE, self._envelope(one))
        proposals = approval.remembered(approval.NONE, proposed)
        approve = ApproveRuling(round=ROUND_ID, proposal=proposed.proposal)
        _, approved = approval.approved(approve, proposals, self._envelope(other), book=over.opened.profile.book)
        agreed = Agreed(by=one.id, job=proposed.job, approved_by=other.id, approved_job=approved.job, reason=step.kind)
        self._decide(CorrectRound(correction=f"correction-{at}", cards=cards_of(ruling), agreed=agreed), HOUSE, f"correction-{at}")

    def _envelope(self, actor: Actor) -> Envelope:
        return Envelope("ruling", actor, self._now_ms, self._now_ms)

    def _opening(self) -> OpenRound:
        profile, currency = self.profile, self.currency
        try:
            least, most = minor_units(profile.minimum, currency), minor_units(profile.maximum, currency)
        except BadMoney as error:
            raise Invalid("bad_value", "$.currency", f"{error}.") from error
        settings = TableSettings(
            operator="house",
            currency=currency,
            boxes=profile.boxes_max,
            minimum_minor=least,
            maximum_minor=most,
            dealer="staff",
            betting_window_ms=CLOCK_MS,
            decision_ms=CLOCK_MS,
            reserve_ms=CLOCK_MS,
            pause_ms=0,
        )
        # A scenario that is dealt face down was approved: what it does not tell of went by the book.
        in_force = InForce(face_down_by="inspector") if profile.players_cards == "down" else None
        return OpenRound(
            round=ROUND_ID,
            number=1,
            table="S1",
            day="20000101",
            profile=profile,
            settings=settings,
            shoe=SHOE_ID,
            root="",
            in_force=in_force,
        )

    def _bet(self) -> None:
        """Place the wagers, boxes in ascending number, nearest the dealer first."""
        for box in sorted(self.scenario.boxes, key=lambda box: box.box):
            for at, wager in enumerate(box.wagers):
                try:
                    command = PlaceWager(round=ROUND_ID, box=box.box, stake_minor=self._minor(wager.stake), seated=wager.seated)
                    self._tell(command, Actor("player", wager.player), id=f"main-{box.box}-{at}")
                except Refused as why:
                    self.refused.append(RefusedWager(box.box, at, why.code, why.message))
                self._bet_aside(box.box, at, wager)

    def _bet_aside(self, box: int, at: int, wager: text.Staked) -> None:
        """Place the side bets of a wager; those of one that was refused are refused as well."""
        for name, stake in wager.side.items():
            try:
                if name not in SIDE_BETS:
                    raise refused(Reason.NOT_OFFERED)
                command = PlaceSideBet(round=ROUND_ID, box=box, kind=SIDE_BETS[SIDE_BETS.index(name)], stake_minor=self._minor(stake))
                self._tell(command, Actor("player", wager.player), id=f"{name}-{box}-{at}")
            except Refused as why:
                self.refused.append(RefusedWager(box, at, why.code, why.message, name))

    def _settle_betting(self) -> None:
        if isinstance(self.round, Betting) and not self.round.closed:
            self._tell(CloseBetting(round=ROUND_ID), PIT)

    def _take(self, step: text.Step, at: int) -> None:
        """Take one step; raise `Refused` if the rules forbid it."""
        round_ = self.round
        if isinstance(round_, Over) and isinstance(step, text.Irregularity) and isinstance(irregular.ruling(step, at), Misread):
            self._correct(at, step, round_)
            return
        if not isinstance(round_, Playing):
            raise refused(Reason.ROUND_OVER)
        if isinstance(round_.awaiting, Insurance) and not isinstance(step, ABOUT_INSURANCE):
            # Decision 14: the window closes at the first step that is not about insurance, even if that is refused then.
            self._run_out()
        if isinstance(step, text.Irregularity):
            self._report(at, step)
            self._answer()
        elif isinstance(step, text.TimeOut):
            self._run_out()
        elif isinstance(step, text.CloseInsurance):
            if not isinstance(round_.awaiting, Insurance):
                raise refused(Reason.INSURANCE_CLOSED)
            self._run_out()
        else:
            self._in_lying_order(step, round_)
            if isinstance(self.round, Over):
                raise refused(Reason.ROUND_OVER)
            self._say(step)

    def _say(self, step: text.Step) -> None:
        """Let a player say a word; a hit, a double and a split first turn up a hand that lies face down (decision 25)."""
        before = self.round
        assert isinstance(before, Playing), "cards are out"
        assert isinstance(step, text.Said), "everything else is nobody's word"
        actor, number = Actor("player", step.player), self._hand_on(step.box)
        down = any(hand.down for hand in before.hands if (hand.box, hand.number) == (step.box, number))
        try:
            if down and isinstance(step, text.Hit | text.Double | text.Split):
                self._tell(ExposeHand(round=ROUND_ID, box=step.box, hand=number), actor)
            self._tell(self._command(step), actor)
        except Refused:
            # What is refused changes nothing, so the cards lie as they lay.
            self.round = before
            raise

    def as_its_players_see(self, hand: Hand) -> Hand:
        """Return a hand with the cards that lie face down, which the file tells."""
        return opened(hand, tuple(self._down[SHOE_ID, index] for index in hand.down)) if hand.down else hand

    def _in_lying_order(self, step: text.Step, round_: Playing) -> None:
        """Let those who lie nearer the dealer and were silent go without; of whoever joins, the order is that of the wagers."""
        joining = round_.awaiting
        if not isinstance(joining, Joining) or not isinstance(step, text.Said):
            return
        if step.box != joining.box or step.player not in joining.waiting:
            # Nobody else has a word before the card is drawn: the rest of them was silent.
            self._run_out()
            return
        for silent in joining.waiting[: joining.waiting.index(step.player)]:
            self._tell(Stand(round=ROUND_ID, box=joining.box, hand=joining.hand), Actor("player", silent))

    def _run_out(self) -> None:
        """Let the awaited clock run out."""
        due = timer(self.round)
        assert due is not None, "whoever is awaited has a clock"
        self._now_ms = due.at_ms
        self._tell(due.command, HOUSE)

    def _command(self, step: text.Step) -> RoundCommand:
        """Return what a player's step means at the table."""
        assert isinstance(step, text.Said), "everything else is nobody's word"
        box, hand = step.box, self._hand_on(step.box)
        match step:
            case text.Hit():
                return Hit(round=ROUND_ID, box=box, hand=hand)
            case text.Stand():
                return Stand(round=ROUND_ID, box=box, hand=hand)
            case text.Split():
                return Split(round=ROUND_ID, box=box, hand=hand)
            case text.Double(stake=stake):
                return Double(round=ROUND_ID, box=box, hand=hand, stake_minor=None if stake is None else self._minor(stake))
            case text.Insure(stake=stake):
                return Insure(round=ROUND_ID, box=box, stake_minor=None if stake is None else self._minor(stake))
            case text.EvenMoney():
                return TakeEvenMoney(round=ROUND_ID, box=box)
            case _:
                return DeclineInsurance(round=ROUND_ID, box=box)

    def _hand_on(self, box: int) -> int:
        """Return which hand of a box a step is about: the awaited one, else the first that is not complete, else the last."""
        assert isinstance(self.round, Playing), "cards are out"
        awaiting = self.round.awaiting
        if isinstance(awaiting, Decision | Joining) and awaiting.box == box:
            return awaiting.hand
        hands = [hand for hand in self.round.hands if hand.box == box]
        return next((hand.number for hand in hands if hand.end is None), len(hands) or 1)

    def _minor(self, stake: str) -> int:
        """Return a stake in minor units, raise `Refused` for one that is finer than the currency."""
        minor = stake_minor(stake, self.currency)
        if minor is None:
            raise refused(Reason.NOT_EXACT, f"{stake} is finer than the currency.")
        return min(minor, MINOR_MAX)

    def _tell(self, command: RoundCommand, actor: Actor, id: str = "") -> None:
        """Give the round a command and answer for the house whatever it asks for; raise `Refused` if the rules forbid it."""
        self._decide(command, actor, id or f"{actor.id}-{len(self.placed)}")
        self._answer()

    def _answer(self) -> None:
        """Answer for the house whatever the round has asked for."""
        while self._heard:
            event = self._heard.popleft()
            reply = REPLIES[type(event)](self, event)
            if reply is not None:
                self._decide(reply, HOUSE, "house")

    def _decide(self, command: RoundCommand, actor: Actor, id: str) -> None:
        events = ROUND.decide(command, self.round, Envelope(id, actor, self._now_ms, self._now_ms))
        if events and isinstance(events[0], CommandRefused | CorrectionRefused):
            raise Refused(events[0].code, events[0].message)
        self.round = ROUND.after(self.round, events)
        for event in events:
            if type(event) in REPLIES:
                self._heard.append(event)
            elif isinstance(event, CallersSet):
                self._callers = event.wagers

    def lies(self, box: int, player: str) -> int:
        """Return how near the dealer a player's wagers lie on a box, counted from 0."""
        mains = [wager for wager in self.placed.values() if wager.kind == "main" and wager.box == box]
        mains.sort(key=lambda wager: wager.wager not in self._callers)
        return [wager.player for wager in mains].index(player)

    def _reserve(self, event: WagerPlaced) -> AcceptWager:
        self.placed[event.wager] = event
        return AcceptWager(wager=event.wager)

    def _draw(self, call: CardsCalled) -> DealCards | None:
        """Return the cards of a call; where one of them is not what it should be, they come one by one."""
        if self._waiting:
            self._rule(irregular.when_the_cards_are_called)
            last = self.cards_used + len(call.faces)
            if any(step.at_card is not None and self.cards_used <= step.at_card < last for step in self._waiting.values()):
                self._draw_one_by_one(call)
                return None
        return DealCards(call_no=call.call_no, shoe=call.shoe, cards=tuple([self._next(face, call.shoe) for face in call.faces]))

    def _draw_one_by_one(self, call: CardsCalled) -> None:
        while self._still_to_come(call) is not None:
            self._rule(lambda step: step.at_card == self.cards_used)
            face = self._still_to_come(call)
            if face is None:
                return
            self._decide(DealCard(call_no=call.call_no, shoe=call.shoe, dealt=self._next(face, call.shoe)), HOUSE, "house")

    def _still_to_come(self, call: CardsCalled) -> Face | None:
        """Return how the next card of a call must lie, None if nothing of it is awaited any more."""
        round_ = self.round
        if not isinstance(round_, Playing) or not isinstance(round_.awaiting, Cards) or round_.call_no != call.call_no:
            return None
        return SEEN[round_.astray[0]] if round_.astray else round_.awaiting.faces[0]

    def _next(self, face: Face, shoe: str) -> DealtCard:
        """Return the next card of the list; raise `Invalid` behind its end."""
        at = self.cards_used
        if at == len(self._cards):
            raise Invalid("cards_exhausted", f"$.cards[{at}]", f"The round needs card {at}, and the list ends before it.")
        self.cards_used += 1
        if face == "down":
            self._down[shoe, at] = self._cards[at]
        return DealtCard(index=at, card=self._cards[at] if face == "up" else "")

    def _peek(self, event: PeekCalled) -> TakePeek:
        return TakePeek(blackjack=HARD_POINTS[self._down[event.shoe, event.index]] == 10)

    def _turn(self, event: TurnCalled) -> TurnHole:
        return TurnHole(index=event.index, card=self._down[event.shoe, event.index])

    def _expose(self, event: ExposureCalled) -> RoundCommand:
        return exposure(event, self._down)


REPLIES: dict[type, Callable[[Enactment, Any], RoundCommand | None]] = {
    WagerPlaced: Enactment._reserve,
    CardsCalled: Enactment._draw,
    PeekCalled: Enactment._peek,
    TurnCalled: Enactment._turn,
    ExposureCalled: Enactment._expose,
}
"""What the wallet and the shoe answer; most events ask for nothing."""

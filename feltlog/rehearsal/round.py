"""A round rehearsed: its decider stepped through drafts and commits, with cards, a wallet, people and a clock from data.

Whatever the round asks for is answered from what was given; when nobody speaks, the clock jumps to what falls due.  So a
whole round, its log included, follows from its arguments alone.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from services.table.domain.asking import Ask, asked
from services.table.domain.evolve import place_of
from services.table.domain.hand import HARD_POINTS, Hand, hand_of
from services.table.domain.round import ROUND
from services.table.domain.state import Over, Playing, Round
from services.table.reactions import timer
from shared.contracts.dealing import (
    CardsCalled,
    ChangeShoe,
    DealCards,
    DealtCard,
    ExposureCalled,
    PeekCalled,
    ReshuffleCalled,
    TakeExposure,
    TakePeek,
    TurnCalled,
    TurnHole,
)
from shared.contracts.decisions import DeclineInsurance, Double, ExposeHand, Hit, Insure, Split, Stand, TakeEvenMoney
from shared.contracts.rounds import OpenRound, RoundCommand, RoundEvent
from shared.contracts.wagers import AcceptWager, PlaceSideBet, PlaceWager, RefuseWager, SideBet, WagerPlaced
from shared.kernel.folded import Asked, Folded, Pen, commit, draft, empty
from shared.kernel.messages import HOUSE, Actor, Answer

STEPS_MAX = 2_000
PEN = Pen("rehearsal", 1, "rehearsal")

Word = Literal["reserve", "refuse", "silence"]
Wallet = Callable[[WagerPlaced], Word]


class Moment(Struct, frozen=True):
    """What a player sees when asked: the hand, the dealer's open cards, and what may be done."""

    hand: Hand
    dealer: Hand
    legal: tuple[str, ...]


class Choice(Struct, frozen=True):
    """What a player says: one of the legal words, with a stake where less than everything is meant."""

    what: str
    stake_minor: int | None = None


Player = Callable[[Moment], Choice | None]
"""Who decides; None lets the time run out."""


def rich(_: WagerPlaced) -> Word:
    """Answer as a wallet that never lacks money."""
    return "reserve"


class Rehearsal:
    """One round and the world around it.  `entries` are the exact bytes of its log."""

    def __init__(
        self, opening: OpenRound, cards: Sequence[str], *, discards: Sequence[str] = (), wallet: Wallet = rich, at_ms: int = 1_000
    ) -> None:
        self.folded: Folded[Round] = empty(ROUND, "log.table.20261130.T7.round.000001")
        self.at_ms = at_ms
        self.entries: list[bytes] = []
        self.events: list[RoundEvent] = []
        self.asked: list[Asked] = []
        self._shoe = list(cards)
        self._discards = list(discards)
        self._wallet = wallet
        self._drawn = 0
        self._down: dict[tuple[str, int], str] = {}
        """Faces of the cards that were dealt face down, by shoe and index."""
        self._heard: deque[RoundEvent] = deque()
        self.tell(opening, id="open")

    @property
    def round(self) -> Round:
        """The round so far."""
        return self.folded.state

    @property
    def over(self) -> bool:
        """Whether nothing can follow."""
        return isinstance(self.round, Over)

    def tell(self, command: RoundCommand, actor: Actor = HOUSE, *, id: str = "", received_at_ms: int | None = None) -> Answer:
        """Give a command, store what follows, and return the answer."""
        name = id or f"{actor.id}-{len(self.asked) + 1}"
        asked = Asked(name, command, actor, self.at_ms if received_at_ms is None else received_at_ms)
        self.asked.append(asked)
        drafted = draft(ROUND, self.folded, [asked], PEN, now_ms=self.at_ms)
        assert not drafted.broken, f"an assertion failed: {drafted.broken}"
        if drafted.entry is not None:
            commit(self.folded, drafted, len(self.entries) + 1)
            self.entries.append(drafted.data)
            followed = [event for decision in drafted.entry.decisions for event in decision.events]
            self.events += followed
            self._heard += followed
        return drafted.answers[0]

    def bet(self, player: str, box: int, stake_minor: int, *, seated: bool = False) -> Answer:
        """Place a main wager."""
        command = PlaceWager(round=self._id, box=box, stake_minor=stake_minor, seated=seated)
        return self.tell(command, Actor("player", player), id=f"main-{player}-{box}-{len(self.asked)}")

    def bet_aside(self, player: str, box: int, kind: SideBet, stake_minor: int) -> Answer:
        """Place a side bet."""
        command = PlaceSideBet(round=self._id, box=box, kind=kind, stake_minor=stake_minor)
        return self.tell(command, Actor("player", player), id=f"{kind}-{player}-{box}-{len(self.asked)}")

    def run(self, player: Player) -> None:
        """Play the round to its end."""
        for _ in range(STEPS_MAX):
            if self.over:
                return
            if not self.serve() and not self.ask(player):
                self.let_time_pass()
        raise AssertionError("a round must come to an end")

    def serve(self) -> bool:
        """Answer for the shoe and the wallet what the round has asked of them; return whether anything was asked."""
        answered = False
        while self._heard:
            for command in self._answers_to(self._heard.popleft()):
                self.tell(command)
                answered = True
        return answered

    def ask(self, player: Player) -> bool:
        """Ask whoever may speak; return whether anybody did."""
        round_ = self.round
        if not isinstance(round_, Playing):
            return False
        return bool(sum(self._speak(ask, round_, player) for ask in asked(round_)))

    def let_time_pass(self) -> None:
        """Let the clock jump to what falls due next, and let it happen."""
        due = timer(self.round)
        assert due is not None, "a running round always awaits something"
        self.at_ms = max(self.at_ms, due.at_ms)
        self.tell(due.command, id=due.id_for(self.folded.stream))

    @property
    def _id(self) -> str:
        opening = self.asked[0].command
        assert isinstance(opening, OpenRound), "a round begins with its opening"
        return opening.round

    def _speak(self, ask: Ask, round_: Playing, player: Player) -> bool:
        hand = round_.hands[place_of(round_.hands, ask.box, ask.hand)]
        choice = player(Moment(hand, round_.dealer, ask.legal))
        if choice is None:
            return False
        self.tell(command_for(choice, self._id, hand), Actor("player", ask.player))
        return True

    def _answers_to(self, event: RoundEvent) -> list[Any]:
        match event:
            case WagerPlaced():
                match self._wallet(event):
                    case "reserve":
                        return [AcceptWager(wager=event.wager)]
                    case "refuse":
                        return [RefuseWager(wager=event.wager, code="insufficient_funds", message="The account does not hold that much.")]
                    case "silence":
                        return []
            case CardsCalled():
                return [self._draw(event)]
            case ReshuffleCalled():
                self._shoe, self._discards, self._drawn = self._discards, [], 0
                return [ChangeShoe(shoe=event.next_shoe, root="root", cards=len(self._shoe))]
            case PeekCalled():
                return [TakePeek(blackjack=HARD_POINTS[self._down[event.shoe, event.index]] == 10)]
            case TurnCalled():
                return [TurnHole(index=event.index, card=self._down[event.shoe, event.index])]
            case ExposureCalled():
                return [exposure(event, self._down)]
            case _:
                return []

    def _draw(self, call: CardsCalled) -> DealCards:
        dealt = []
        for face in call.faces[: len(self._shoe)]:
            card = self._shoe.pop(0)
            if face == "down":
                self._down[call.shoe, self._drawn] = card
            dealt.append(DealtCard(index=self._drawn, card=card if face == "up" else ""))
            self._drawn += 1
        return DealCards(call_no=call.call_no, shoe=call.shoe, cards=tuple(dealt), exhausted=len(dealt) < len(call.faces))


def exposure(called: ExposureCalled, down: Mapping[tuple[str, int], str]) -> TakeExposure:
    """Return what a shoe opens of cards that lie face down, by the faces of those that it gave so."""
    faces = {index: card for (shoe, index), card in down.items() if shoe == called.shoe}
    wanted = [
        index
        for hand in called.hands
        if not called.blackjacks_only or hand_of(*(faces[index] for index in hand.indices)).is_blackjack
        for index in hand.indices
    ]
    cards = tuple(DealtCard(index=index, card=faces[index]) for index in wanted)
    return TakeExposure(shoe=called.shoe, cards=cards)


def command_for(choice: Choice, round_id: str, hand: Hand) -> RoundCommand:
    """Return the command that a choice stands for."""
    match choice.what:
        case "expose":
            return ExposeHand(round=round_id, box=hand.box, hand=hand.number)
        case "hit":
            return Hit(round=round_id, box=hand.box, hand=hand.number)
        case "stand":
            return Stand(round=round_id, box=hand.box, hand=hand.number)
        case "double":
            return Double(round=round_id, box=hand.box, hand=hand.number, stake_minor=choice.stake_minor)
        case "split":
            return Split(round=round_id, box=hand.box, hand=hand.number)
        case "insure":
            return Insure(round=round_id, box=hand.box, stake_minor=choice.stake_minor)
        case "decline":
            return DeclineInsurance(round=round_id, box=hand.box)
        case "even_money":
            return TakeEvenMoney(round=round_id, box=hand.box)
        case _:
            raise ValueError(f"{choice.what!r} is nothing that a player can say")

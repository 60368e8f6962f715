"""Decisions: what players may say of their hands, whose turn it is, and what came of it.

Every wait has an end that is written down with it, so that a silent player holds nobody up, and nobody's time is cut short.
"""

from typing import Literal

from shared.contracts.wagers import Kind
from shared.kernel.messages import Command, Event

HandEnd = Literal["blackjack", "stood", "bust", "twenty_one", "doubled", "split_aces", "timed_out", "even_money", "dead"]


class ExposeHand(Command, frozen=True, kw_only=True, tag="table.ExposeHand.v1"):
    """Turn up the first two cards of a hand, without which it gets no third (FL-3.5)."""

    round: str
    box: int
    hand: int


class Hit(Command, frozen=True, kw_only=True, tag="table.Hit.v1"):
    """Draw a card."""

    round: str
    box: int
    hand: int


class Stand(Command, frozen=True, kw_only=True, tag="table.Stand.v1"):
    """Draw no more."""

    round: str
    box: int
    hand: int


class Double(Command, frozen=True, kw_only=True, tag="table.Double.v1"):
    """Double the wager and take one card.  A missing stake means the full wager; the command's id becomes the wager's."""

    round: str
    box: int
    hand: int
    stake_minor: int | None = None


class Split(Command, frozen=True, kw_only=True, tag="table.Split.v1"):
    """Make two hands of a pair.  The command's id becomes the second wager's."""

    round: str
    box: int
    hand: int


class Insure(Command, frozen=True, kw_only=True, tag="table.Insure.v1"):
    """Insure a main wager against a dealer blackjack.  A missing stake means the largest allowed."""

    round: str
    box: int
    stake_minor: int | None = None


class DeclineInsurance(Command, frozen=True, kw_only=True, tag="table.DeclineInsurance.v1"):
    """Go without insurance."""

    round: str
    box: int


class TakeEvenMoney(Command, frozen=True, kw_only=True, tag="table.TakeEvenMoney.v1"):
    """Take one to one at once on a blackjack while insurance is open (ON-7.5)."""

    round: str
    box: int


class CloseInsurance(Command, frozen=True, kw_only=True, tag="table.CloseInsurance.v1"):
    """The insurance window's time is over."""


class TimeOutDecision(Command, frozen=True, kw_only=True, tag="table.TimeOutDecision.v1"):
    """The decision clock `number` has run out."""

    number: int


class CloseJoining(Command, frozen=True, kw_only=True, tag="table.CloseJoining.v1"):
    """The time is over in which others on the box may join a double or a split."""

    wager: str
    """The double or split that they were asked about."""


class ExtendClock(Command, frozen=True, kw_only=True, tag="table.ExtendClock.v1"):
    """Give the awaited player time again, because the house was away."""

    until_ms: int
    reason: Literal["outage"]


class ClockResumed(Event, frozen=True, kw_only=True, tag="table.ClockResumed.v1"):
    """The awaited people have the rest of their time, now that what a ruling called for has come."""

    until_ms: int


class InsuranceOpened(Event, frozen=True, kw_only=True, tag="table.InsuranceOpened.v1"):
    """Insurance is offered under the dealer's ace."""

    until_ms: int


class InsuranceDeclined(Event, frozen=True, kw_only=True, tag="table.InsuranceDeclined.v1"):
    """A main wager goes without insurance."""

    wager: str


class EvenMoneyTaken(Event, frozen=True, kw_only=True, tag="table.EvenMoneyTaken.v1"):
    """A blackjack takes one to one and leaves the round."""

    wager: str


class InsuranceClosed(Event, frozen=True, kw_only=True, tag="table.InsuranceClosed.v1"):
    """Insurance is over; whoever did not answer has none."""


class DecisionAwaited(Event, frozen=True, kw_only=True, tag="table.DecisionAwaited.v1"):
    """It is this hand's turn; `number` counts the round's decisions."""

    number: int
    box: int
    hand: int
    player: str
    until_ms: int


class ClockExtended(Event, frozen=True, kw_only=True, tag="table.ClockExtended.v1"):
    """The awaited player has time until then, for this reason."""

    until_ms: int
    reason: Literal["outage"]


class DecisionTimedOut(Event, frozen=True, kw_only=True, tag="table.DecisionTimedOut.v1"):
    """The player said nothing in time; the house goes on without (LV-3.6)."""

    box: int
    hand: int


class HandHit(Event, frozen=True, kw_only=True, tag="table.HandHit.v1"):
    """A hand asked for a card."""

    box: int
    hand: int


class JoiningOpened(Event, frozen=True, kw_only=True, tag="table.JoiningOpened.v1"):
    """The others on the hand may join its double or split, each with the own wager's amount (decision 16)."""

    box: int
    hand: int
    kind: Kind
    wager: str
    """Of whoever decides for the box."""
    players: tuple[str, ...]
    """Who is asked, in the order in which their wagers lie."""
    until_ms: int


class JoiningDeclined(Event, frozen=True, kw_only=True, tag="table.JoiningDeclined.v1"):
    """A player does not join."""

    player: str


class JoiningClosed(Event, frozen=True, kw_only=True, tag="table.JoiningClosed.v1"):
    """Whoever has not answered does not join."""


class HandDoubled(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.HandDoubled.v1"):
    """The double is paid for: the hand takes exactly one more card."""

    box: int
    hand: int
    wager: str
    joined: tuple[str, ...] = ()
    """The doubles of others on the hand."""


class HandSplit(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.HandSplit.v1"):
    """The split is paid for: `hand` keeps its first card, `hand` + 1 begins with the second, higher numbers move up."""

    box: int
    hand: int
    wager: str
    joined: tuple[str, ...] = ()
    """The wagers of others who go along to the new hand."""


class HandCompleted(Event, frozen=True, kw_only=True, tag="table.HandCompleted.v1"):
    """A hand takes no further part in decisions."""

    box: int
    hand: int
    how: HandEnd


DecisionCommand = (
    ExposeHand
    | Hit
    | Stand
    | Double
    | Split
    | Insure
    | DeclineInsurance
    | TakeEvenMoney
    | CloseInsurance
    | TimeOutDecision
    | CloseJoining
    | ExtendClock
)
DecisionEvent = (
    InsuranceOpened
    | InsuranceDeclined
    | EvenMoneyTaken
    | InsuranceClosed
    | DecisionAwaited
    | ClockExtended
    | DecisionTimedOut
    | HandHit
    | JoiningOpened
    | JoiningDeclined
    | JoiningClosed
    | HandDoubled
    | HandSplit
    | HandCompleted
    | ClockResumed
)

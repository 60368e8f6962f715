"""Rulings: what a person may decide about what should not have happened, and who must agree.

A ruling takes two persons: one proposes it, another one approves it, each with a job that this table names for its kind.
What a kind needs to say is its fields; what then happens is decided in the stream that it concerns, a round's or a table's.
"""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from shared.contracts.staff import JOBS, Job
from shared.kernel.messages import Command, Event

NOTE_MAX = 300
"""Characters of what a person writes beside a proposal."""


class Ruling(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, tag_field="kind"):
    """The base of all kinds."""


class VoidTheRound(Ruling, frozen=True, kw_only=True, tag="void"):
    """The round is cancelled and every stake goes back."""


class Misdeal(Ruling, frozen=True, kw_only=True, tag="misdeal"):
    """The cards were dealt wrongly, and nobody has decided yet: the round is void."""


class DeviceMalfunction(Ruling, frozen=True, kw_only=True, tag="device_malfunction"):
    """The shoe or the shuffling device failed: the round is void and its shoe is used no more."""


class FaceUpCard(Ruling, frozen=True, kw_only=True, tag="face_up_card"):
    """The next card lies face up in the shoe: it goes to the discard rack (ON-11.1)."""


class UnexposedCard(Ruling, frozen=True, kw_only=True, tag="unexposed_card"):
    """A card was drawn in error and nobody saw it: it stays the next card (ON-11.2)."""


class ExposedCard(Ruling, frozen=True, kw_only=True, tag="exposed_card"):
    """A card was drawn in error and seen: it is the next card, whoever draws (ON-11.3)."""


class DealerOverdraw(Ruling, frozen=True, kw_only=True, tag="dealer_overdraw"):
    """The dealer draws on a total on which the dealer must stand: that card is burned (ON-11.4)."""


class MissedBox(Ruling, frozen=True, kw_only=True, tag="missed_box"):
    """A box is passed over in the deal: short of one card it is backed up, without any it is dead (ON-11.6)."""

    box: int
    card: Literal[1, 2] = 1
    """Which of its first two cards it does not get."""


class DeadHand(Ruling, frozen=True, kw_only=True, tag="dead_hand"):
    """A hand takes no further part: every wager on it goes back (ON-11.6)."""

    box: int
    hand: int = 1


class WrongPosition(Ruling, frozen=True, kw_only=True, tag="wrong_position"):
    """A card was laid at another hand than its own, and was put where the order of dealing has it; box 0 is the dealer's."""

    card: str
    found: int
    """The box at which it lay."""
    box: int
    hand: int = 1


class ReadAnew(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A card that was read wrong: its place in its shoe, and the card that lies there."""

    index: int
    card: str
    shoe: str = ""
    """Left out, it is the shoe with which the round began."""


class Misread(Ruling, frozen=True, kw_only=True, tag="misread"):
    """Cards were read wrong: those that lie there count, in a round that is played and in one that is over."""

    cards: tuple[ReadAnew, ...]


class GameError(Ruling, frozen=True, kw_only=True, tag="game_error"):
    """The game went wrong and goes on: three cards are burned (LV-3.5)."""


AnyRuling = (
    VoidTheRound
    | Misdeal
    | DeviceMalfunction
    | FaceUpCard
    | UnexposedCard
    | ExposedCard
    | DealerOverdraw
    | MissedBox
    | DeadHand
    | WrongPosition
    | GameError
    | Misread
)


class Agreed(Struct, frozen=True, gc=False, kw_only=True):
    """Who agreed on a ruling: whoever proposed it, whoever approved it, and the job of each as the house knows it."""

    by: str
    job: str
    approved_by: str
    approved_job: str
    reason: str


class ProposeRuling(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.ProposeRuling.v1"):
    """Propose what is to be done about something that should not have happened."""

    round: str
    ruling: AnyRuling
    note: str = ""
    """What was seen, in a person's words."""


class ApproveRuling(Command, frozen=True, kw_only=True, tag="table.ApproveRuling.v1"):
    """Approve somebody else's proposal: only then it takes effect."""

    round: str
    proposal: int


class DeclineRuling(Command, frozen=True, kw_only=True, omit_defaults=True, tag="table.DeclineRuling.v1"):
    """Decline somebody else's proposal."""

    round: str
    proposal: int
    note: str = ""


class WithdrawRuling(Command, frozen=True, kw_only=True, tag="table.WithdrawRuling.v1"):
    """Take one's own proposal back."""

    round: str
    proposal: int


class RulingProposed(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.RulingProposed.v1"):
    """A member of staff proposes a ruling; it waits for a second person and changes nothing."""

    proposal: int
    """Counts the proposals of this stream."""
    ruling: AnyRuling
    by: str
    job: Job
    note: str = ""
    round: str = ""
    """The round that it is about, in a table's stream."""


class RulingApproved(Event, frozen=True, kw_only=True, tag="table.RulingApproved.v1"):
    """A second person agrees: what follows is what the ruling does."""

    proposal: int
    by: str
    job: Job


class RulingDeclined(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.RulingDeclined.v1"):
    """A second person does not agree: the proposal came to nothing."""

    proposal: int
    by: str
    job: Job
    note: str = ""


class RulingWithdrawn(Event, frozen=True, kw_only=True, tag="table.RulingWithdrawn.v1"):
    """Whoever made a proposal takes it back."""

    proposal: int
    by: str
    job: Job


RulingEvent = RulingProposed | RulingApproved | RulingDeclined | RulingWithdrawn
RulingCommand = ProposeRuling | ApproveRuling | DeclineRuling | WithdrawRuling


AT_THE_TABLE: tuple[Job, ...] = tuple(job for job in JOBS if job != "support")
"""Whoever sees the felt may say what they saw."""
IN_CHARGE: tuple[Job, ...] = ("game_supervisor", "casino_supervisor", "duty_manager", "pit_boss", "designated_representative")
"""Who answers for a table: the floor's supervisors and manager, the live game's pit boss, Ontario's representative."""


class Persons(Struct, frozen=True, kw_only=True):
    """Who may propose a kind of ruling and who may approve it, and where that is written.

    `approve_in` names who approves under a rule book that wants somebody in particular, by the book's letters.
    """

    propose: tuple[Job, ...] = AT_THE_TABLE
    approve: tuple[Job, ...] = IN_CHARGE
    approve_in: Mapping[str, tuple[Job, ...]] = field(default_factory=dict)
    source: str

    def approvers(self, book: str) -> tuple[Job, ...]:
        """Return the jobs that may approve at a table of this rule book."""
        return self.approve_in.get(book, self.approve)


RULES: dict[type[Ruling], Persons] = {
    VoidTheRound: Persons(source="LV-2.1.1, decision 23"),
    Misdeal: Persons(source="LV-2.1.1, decision 23"),
    DeviceMalfunction: Persons(source="FL-4.6, decision 23"),
    FaceUpCard: Persons(source="ON-11.1"),
    UnexposedCard: Persons(source="ON-11.2"),
    ExposedCard: Persons(source="ON-11.3, decision 22"),
    DealerOverdraw: Persons(source="ON-11.4, decision 22; under `live` a game error, LV-3.5", approve_in={"LV": ("pit_boss",)}),
    MissedBox: Persons(source="ON-11.6, decision 23"),
    DeadHand: Persons(source="ON-11.6, decision 23"),
    WrongPosition: Persons(
        source="LV-0.6: the pit boss rearranges", approve=("pit_boss", "casino_supervisor", "designated_representative")
    ),
    GameError: Persons(source="LV-3.5", approve=("pit_boss",)),
    Misread: Persons(source="LV-2.1.4, decision 23"),
}
"""Every kind of ruling, with who proposes and who approves it."""

WHEN_OVER: tuple[type[Ruling], ...] = (VoidTheRound, Misread)
"""What can be ruled of a round that is over."""

KINDS: dict[str, type[Ruling]] = {str(kind.__struct_config__.tag): kind for kind in RULES}
"""The kinds by the word that people and files use."""


def kind_of(ruling: Ruling) -> str:
    """Return the word for a ruling's kind."""
    return str(type(ruling).__struct_config__.tag)

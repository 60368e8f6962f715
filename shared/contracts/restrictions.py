"""What staff rule about a table's felt: who is held to the minimum, which boxes are kept, how many share one, how cards lie.

Each restriction is a command of somebody with the right job and an event of the table's stream that says who it was.  A round is
told by value what holds when it is called, and again if that changes while wagers are taken, so that it can be decided and
judged from its own log.
"""

from typing import Literal

from msgspec import Struct

from shared.kernel.messages import Command, Event

Rule = Literal["FL-5.10", "FL-5.11", "FL-5.12"]
"""By which clause a player is held: until the reshuffle; in each further shoe that they join late or sit out a round of; to one box."""


class Held(Struct, frozen=True, gc=False, kw_only=True):
    """A player who may wager the minimum only, and under FL-5.12 on one box only."""

    player: str
    rule: Rule


class KeptBoxes(Struct, frozen=True, gc=False, kw_only=True):
    """Neighbouring boxes for the sole use of one player (FL-5.13)."""

    player: str
    first: int
    last: int


class GivenBox(Struct, frozen=True, gc=False, kw_only=True):
    """A box that a player with several has given up for others (FL-5.8)."""

    player: str
    box: int


class InForce(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What holds at a table beside its profile and settings."""

    held: tuple[Held, ...] = ()
    kept: tuple[KeptBoxes, ...] = ()
    given: tuple[GivenBox, ...] = ()
    players_per_box_max: int = 0
    """Fewer players on a box than the profile allows (FL-5.4); 0 leaves it to the profile."""
    face_down_by: str = ""
    """The inspector who approved that cards are dealt face down (FL-3.5)."""


class TakeNotice(Command, frozen=True, kw_only=True, tag="table.TakeNotice.v1"):
    """An inspector confirms to have been notified that a player is to be held (FL-5.11, FL-5.12)."""

    player: str
    rule: Rule


class HoldPlayer(Command, frozen=True, kw_only=True, tag="table.HoldPlayer.v1"):
    """Hold a player to the table's minimum."""

    player: str
    rule: Rule


class ReleasePlayer(Command, frozen=True, kw_only=True, tag="table.ReleasePlayer.v1"):
    """Hold a player no longer by a rule."""

    player: str
    rule: Rule


class ReserveBoxes(Command, frozen=True, kw_only=True, tag="table.ReserveBoxes.v1"):
    """Keep neighbouring boxes for one player."""

    player: str
    first: int
    last: int


class ReleaseBoxes(Command, frozen=True, kw_only=True, tag="table.ReleaseBoxes.v1"):
    """Let everybody wager again on the boxes that were kept for a player, and the player on those that were given up."""

    player: str


class LimitPlayers(Command, frozen=True, kw_only=True, tag="table.LimitPlayers.v1"):
    """Let no more players than this wager on the same box."""

    players_per_box_max: int


class GiveUpBox(Command, frozen=True, kw_only=True, tag="table.GiveUpBox.v1"):
    """Have a player with several boxes give up the one that was taken last."""

    player: str


class ApproveFaceDown(Command, frozen=True, kw_only=True, tag="table.ApproveFaceDown.v1"):
    """Approve that the first two cards of each box are dealt face down."""


class NoticeTaken(Event, frozen=True, kw_only=True, tag="table.NoticeTaken.v1"):
    """An inspector was notified before a player is held."""

    player: str
    rule: Rule
    by: str
    job: str


class PlayerHeld(Event, frozen=True, kw_only=True, tag="table.PlayerHeld.v1"):
    """A player may wager the minimum only."""

    player: str
    rule: Rule
    by: str
    job: str
    notified: str = ""
    """The inspector who was notified first."""


class PlayerReleased(Event, frozen=True, kw_only=True, tag="table.PlayerReleased.v1"):
    """A player is held by that rule no longer."""

    player: str
    rule: Rule
    by: str
    job: str


class BoxesReserved(Event, frozen=True, kw_only=True, tag="table.BoxesReserved.v1"):
    """Neighbouring boxes are for the sole use of one player."""

    player: str
    first: int
    last: int
    by: str
    job: str


class BoxesReleased(Event, frozen=True, kw_only=True, tag="table.BoxesReleased.v1"):
    """No box is kept for the player any more, and none counts as given up."""

    player: str
    by: str
    job: str


class PlayersLimited(Event, frozen=True, kw_only=True, tag="table.PlayersLimited.v1"):
    """No more players than this may wager on the same box."""

    players_per_box_max: int
    by: str
    job: str


class BoxGivenUp(Event, frozen=True, kw_only=True, tag="table.BoxGivenUp.v1"):
    """From the next round on the player does not wager on that box."""

    player: str
    box: int
    by: str
    job: str


class FaceDownApproved(Event, frozen=True, kw_only=True, tag="table.FaceDownApproved.v1"):
    """An inspector approved the face-down deal for this gaming day."""

    by: str
    job: str


class InForceTold(Event, frozen=True, kw_only=True, tag="table.InForceTold.v1"):
    """What holds has changed while a round is played: it binds from the next wager on (decision 24)."""

    round: str
    in_force: InForce


class NoteInForce(Command, frozen=True, kw_only=True, tag="table.NoteInForce.v1"):
    """Take note of what holds from here on."""

    in_force: InForce


class InForceNoted(Event, frozen=True, kw_only=True, tag="table.InForceNoted.v1"):
    """The wagers from here on are taken by this."""

    in_force: InForce


Restriction = TakeNotice | HoldPlayer | ReleasePlayer | ReserveBoxes | ReleaseBoxes | LimitPlayers | GiveUpBox | ApproveFaceDown
"""What staff may rule at a table."""
Restricted = NoticeTaken | PlayerHeld | PlayerReleased | BoxesReserved | BoxesReleased | PlayersLimited | BoxGivenUp | FaceDownApproved
"""What was ruled."""

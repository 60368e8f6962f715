"""The cut: how the order of the next shoe is bound before anybody knows where it will be cut.

The shoe commits to its order, players seal secrets towards the cut, sealing is closed, the secrets are told: so nobody chooses
last.  Who is asked to cut, and in which order, lies beside this module in `asking`.
"""

from msgspec import Struct

from shared.contracts.asking import CutAwaited, CutOffered, CutRefused, CutStaff, RefuseCut, RevealExtended
from shared.kernel.messages import Command, Event


class Contribution(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """What a player gave towards the cut: the seal, and the secret in it if it was told in time."""

    player: str
    seal: str
    secret: str = ""


class NoteOrder(Command, frozen=True, kw_only=True, tag="table.NoteOrder.v1"):
    """Take note that a shoe that was called is shuffled and committed."""

    shoe: str
    root: str


class SealCut(Command, frozen=True, kw_only=True, tag="table.SealCut.v1"):
    """Give something towards the cut of a shoe, sealed: the SHA-256 of label, shoe, player and 32 secret bytes.

    `root` is what the shoe is committed to: names of shoes come again each day.
    """

    shoe: str
    root: str
    seal: str


class RevealCut(Command, frozen=True, kw_only=True, tag="table.RevealCut.v1"):
    """Tell the secret of a seal, now that no further seal is taken."""

    shoe: str
    root: str
    secret: str


class CallCut(Command, frozen=True, kw_only=True, tag="table.CallCut.v1"):
    """Wait no longer for secrets: whoever has not told one has none in the cut."""

    shoe: str


class OrderNoted(Event, frozen=True, kw_only=True, tag="table.OrderNoted.v1"):
    """The order of the shoe that comes next is committed: players may seal what they give towards its cut."""

    shoe: str
    root: str


class CutSealed(Event, frozen=True, kw_only=True, tag="table.CutSealed.v1"):
    """A player sealed a secret towards the cut."""

    shoe: str
    player: str
    seal: str


class SealingClosed(Event, frozen=True, kw_only=True, tag="table.SealingClosed.v1"):
    """No further seal is taken: secrets are told until then, and it is cut as soon as all are."""

    shoe: str
    reveal_until_ms: int


class CutRevealed(Event, frozen=True, kw_only=True, tag="table.CutRevealed.v1"):
    """A player told the secret of a seal."""

    shoe: str
    player: str
    secret: str


class CutCalled(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.CutCalled.v1"):
    """The shoe is to be cut by what was given, in the order of the players' names; a secret that was not told is missing by name."""

    shoe: str
    contributions: tuple[Contribution, ...]
    cutter: str = ""
    """Whose cut it is: of those who told a secret, the player who was asked first."""
    staff: CutStaff | None = None
    """Whose it is if no player cuts."""


CutCommand = SealCut | RevealCut | RefuseCut
"""What a player may say of the shoe that comes next, whatever round is played."""
CutEvent = OrderNoted | CutSealed | CutRefused | CutAwaited | CutOffered | SealingClosed | CutRevealed | RevealExtended | CutCalled
"""What happens to the shoe that comes next until it is cut."""

"""Who is asked to cut: the players at a table in the order of the book, what each of them says, and who cuts in the end.

Whoever seals a secret towards the cut has said yes to it, `RefuseCut` says no, and who says neither until sealing is closed
has refused as well.  The secrets of all who told one say where the cut lies; the order of asking says whose cut it is.
"""

from typing import Literal

from msgspec import Struct

from shared.kernel.messages import Command, Event

CutStaff = Literal["dealer", "game_supervisor", "casino_supervisor"]
"""Who cuts when no player does (ON-5.5, FL-4.3, LV-3.3)."""
Said = Literal["sealed", "refused", "silent", "no_time"]
"""What a player who was asked to cut had said when sealing was closed.

`no_time` is nobody's silence: the table waited for the shoe, and it was cut as soon as it was committed.
"""
First = Literal["start", "box", "dealers_hand", "no_hand", "ordered", "replaced"]
"""Why somebody is asked first.

The first player to the table; the box on which the cutting card came out; it came out on the dealer's hand, or on nobody's;
the reshuffle was ordered; the cards were replaced (ON-5.3, FL-4.2).  In the last four it is whoever sits farthest to the
dealer's right.
"""


class CameOut(Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True):
    """Where the cutting card came out: in front of a card for a box or for the dealer, or on no hand.

    On no hand is where it shows behind a round's last card, or in front of its first one.
    """

    on: Literal["box", "dealers_hand", "no_hand"]
    box: int = 0


class AskedToCut(Struct, frozen=True, gc=False):
    """A player who was asked to cut, and the answer."""

    player: str
    said: Said


class RefuseCut(Command, frozen=True, kw_only=True, tag="table.RefuseCut.v1"):
    """Say no to the cut of a shoe; `root` is what it is committed to."""

    shoe: str
    root: str


class ExtendReveal(Command, frozen=True, kw_only=True, tag="table.ExtendReveal.v1"):
    """Give the time to cut, or to tell a secret, again in full: the house was away."""

    until_ms: int


class CutRefused(Event, frozen=True, kw_only=True, tag="table.CutRefused.v1"):
    """A player does not want to cut."""

    shoe: str
    player: str


class CutOffered(Event, frozen=True, kw_only=True, omit_defaults=True, tag="table.CutOffered.v1"):
    """The players were asked to cut, clockwise from the first, and this is what they had said when sealing was closed."""

    shoe: str
    first: First
    box: int = 0
    """The box on which the cutting card came out."""
    asked: tuple[AskedToCut, ...] = ()
    """In the order of asking; who gave something and had no box comes last."""


class CutAwaited(Event, frozen=True, kw_only=True, tag="table.CutAwaited.v1"):
    """A shoe that its table waits for is offered to be cut until then (ON-5.2, ON-5.3, FL-4.2)."""

    shoe: str
    until_ms: int


class RevealExtended(Event, frozen=True, kw_only=True, tag="table.RevealExtended.v1"):
    """Players are waited for longer, because the house was away."""

    shoe: str
    until_ms: int

"""Stakes: what follows in the ledger from the wagers of a round, until nothing of it is left in escrow.

A stake is set aside, and then given back or settled, once; what a correction changes is moved as a difference.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from shared.contracts.accounts import Posting
from shared.kernel.messages import Command, Event


class ReserveStake(Command, frozen=True, kw_only=True, tag="wallet.ReserveStake.v1"):
    """Set a stake aside."""

    wager: str
    round: str
    player: str
    currency: str
    minor: int
    promotional: bool | UnsetType = UNSET
    """Promotional money is staked first (FL-5.1); left out where chips alone are wagers."""


class ReleaseStake(Command, frozen=True, kw_only=True, tag="wallet.ReleaseStake.v1"):
    """Give a stake back, if it was set aside."""

    round: str
    wager: str


class SettledStake(Struct, frozen=True, gc=False, kw_only=True):
    """What a wager gives back, stake included."""

    wager: str
    player: str
    stake_minor: int
    returned_minor: int
    rounding_minor: int | UnsetType = UNSET
    """How much of that chips had to round up (FL-5.9); it is the house's cost and not its loss."""


class SettleStakes(Command, frozen=True, kw_only=True, tag="wallet.SettleStakes.v1"):
    """Move stakes by their outcome."""

    round: str
    currency: str
    lines: tuple[SettledStake, ...]


class BookRound(Command, frozen=True, kw_only=True, tag="wallet.BookRound.v1"):
    """The round is over: its escrow must be empty."""

    round: str
    outcome: Literal["settled", "void"]


class CorrectedStake(Struct, frozen=True, gc=False, kw_only=True):
    """What a wager gave back until now, and what it gives back."""

    wager: str
    player: str
    settled_minor: int
    returned_minor: int
    settled_rounding_minor: int | UnsetType = UNSET
    rounding_minor: int | UnsetType = UNSET


class CorrectStakes(Command, frozen=True, kw_only=True, tag="wallet.CorrectStakes.v1"):
    """Move the differences between what wagers were settled with and what they give back."""

    round: str
    number: int
    """Of the correction in its round, from 1."""
    currency: str
    lines: tuple[CorrectedStake, ...]


class StakeReserved(Event, frozen=True, kw_only=True, tag="wallet.StakeReserved.v1"):
    """A stake is set aside."""

    wager: str
    round: str
    player: str
    currency: str
    minor: int
    postings: tuple[Posting, ...]
    promo_minor: int | UnsetType = UNSET
    """How much of it is promotional money; left out where it is nothing."""


class StakeRefused(Event, frozen=True, kw_only=True, tag="wallet.StakeRefused.v1"):
    """A stake cannot be set aside."""

    wager: str
    round: str
    code: str
    message: str


class StakeForgone(Event, frozen=True, kw_only=True, tag="wallet.StakeForgone.v1"):
    """A stake was given back before it was ever asked for: whoever asks for it later finds that it is over."""

    wager: str
    round: str


class StakeReleased(Event, frozen=True, kw_only=True, tag="wallet.StakeReleased.v1"):
    """A stake went back to its player."""

    wager: str
    round: str
    player: str
    currency: str
    minor: int
    postings: tuple[Posting, ...]


class StakesSettled(Event, frozen=True, kw_only=True, tag="wallet.StakesSettled.v1"):
    """Stakes moved by their outcome."""

    round: str
    currency: str
    lines: tuple[SettledStake, ...]
    postings: tuple[Posting, ...]


class StakesCorrected(Event, frozen=True, kw_only=True, tag="wallet.StakesCorrected.v1"):
    """The differences of a correction moved; what a player could not pay back is owed, at `player/<player>/owed`."""

    round: str
    number: int
    currency: str
    lines: tuple[CorrectedStake, ...]
    postings: tuple[Posting, ...]


class RoundBooked(Event, frozen=True, kw_only=True, tag="wallet.RoundBooked.v1"):
    """Nothing of the round is left in escrow."""

    round: str
    outcome: Literal["settled", "void"]


StakeCommand = ReserveStake | ReleaseStake | SettleStakes | CorrectStakes | BookRound
StakeEvent = StakeReserved | StakeRefused | StakeForgone | StakeReleased | StakesSettled | StakesCorrected | RoundBooked

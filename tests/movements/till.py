"""The till: what every account must hold, in plain numbers, by arithmetic that shares nothing with the ledger."""

from collections import Counter
from dataclasses import dataclass, field

Wager = tuple[str, str]
"""A round, and a wager's name in it."""


@dataclass
class Slip:
    """A wager's stake, and what it has given back: nothing while it lies there."""

    player: str
    cash: int
    promo: int
    back: int = 0
    rounding: int = 0

    @property
    def stake(self) -> int:
        """All of it."""
        return self.cash + self.promo

    def promo_of(self, minor: int) -> int:
        """Return how much of what it gives back is promotional money, a part of a unit left to the player's cash."""
        return minor * self.promo // self.stake


@dataclass
class Till:
    """One currency: what everybody holds, what lies on the felt, and what was paid out today."""

    holds: Counter[str] = field(default_factory=Counter)
    blocked: set[str] = field(default_factory=set)
    felt: dict[Wager, Slip] = field(default_factory=dict)
    paid: dict[Wager, Slip] = field(default_factory=dict)
    lent: Counter[tuple[str, str]] = field(default_factory=Counter)
    """What players had no more when a round's correction took it back."""

    def give(self, player: str, minor: int) -> None:
        """Let money come to a player: what is owed is paid first."""
        debt = min(minor, self.holds[f"{player} owes"])
        self.holds[f"{player} owes"] -= debt
        self.holds[f"{player} cash"] += minor - debt

    def take(self, player: str, minor: int) -> None:
        """Take money from a player: what is not there is owed."""
        there = min(minor, self.holds[f"{player} cash"])
        self.holds[f"{player} cash"] -= there
        self.holds[f"{player} owes"] += minor - there

    def deposit(self, player: str, minor: int) -> bool:
        """Bring money in."""
        self.give(player, minor)
        self.holds["outside"] -= minor
        return True

    def withdraw(self, player: str, minor: int) -> bool:
        """Pay money out; return whether there is so much beyond what is owed."""
        if self.holds[f"{player} cash"] - self.holds[f"{player} owes"] < minor:
            return False
        self.holds[f"{player} cash"] -= minor
        self.holds["outside"] += minor
        return True

    def grant(self, player: str, minor: int) -> bool:
        """Give promotional money."""
        self.holds[f"{player} promo"] += minor
        self.holds["gifts"] -= minor
        return True

    def redeem(self, player: str, minor: int) -> bool:
        """Make cash of promotional money; return whether there is so much."""
        if self.holds[f"{player} promo"] < minor:
            return False
        self.holds[f"{player} promo"] -= minor
        self.give(player, minor)
        return True

    def cancel(self, player: str, minor: int) -> bool:
        """Take promotional money back; return whether there is so much."""
        if self.holds[f"{player} promo"] < minor:
            return False
        self.holds[f"{player} promo"] -= minor
        self.holds["gifts"] += minor
        return True

    def adjust(self, player: str, minor: int) -> bool:
        """Move money between the house and a player, whatever is there."""
        if minor > 0:
            self.give(player, minor)
        else:
            self.take(player, -minor)
        self.holds["win"] -= minor
        return True

    def reserve(self, wager: Wager, player: str, minor: int, *, promotional: bool) -> bool:
        """Set a stake aside; return whether the player has it and may."""
        promo = min(self.holds[f"{player} promo"], minor) if promotional else 0
        if player in self.blocked or self.holds[f"{player} cash"] < minor - promo:
            return False
        self.holds[f"{player} cash"] -= minor - promo
        self.holds[f"{player} promo"] -= promo
        self.holds["felt"] += minor
        self.felt[wager] = Slip(player, minor - promo, promo)
        return True

    def release(self, wager: Wager) -> None:
        """Give a stake back as it came."""
        slip = self.felt.pop(wager)
        self.holds[f"{slip.player} cash"] += slip.cash
        self.holds[f"{slip.player} promo"] += slip.promo
        self.holds["felt"] -= slip.stake

    def settle(self, wager: Wager, back: int, rounding: int) -> None:
        """Move a stake by its outcome; a settlement pays into the account, whatever is owed."""
        slip = self.felt.pop(wager)
        slip.back, slip.rounding = back, rounding
        promo = slip.promo_of(back)
        self.holds[f"{slip.player} promo"] += promo
        self.holds[f"{slip.player} cash"] += back - promo
        self.holds["felt"] -= slip.stake
        self.holds["rounding"] -= rounding
        self.holds["win"] += slip.stake - back + rounding
        self.paid[wager] = slip

    def correct(self, wager: Wager, back: int, rounding: int) -> None:
        """Settle a wager anew: promotional money that is gone is the house's loss until it comes back, cash that is gone is owed."""
        slip = self.paid[wager]
        promo = slip.promo_of(back) - slip.promo_of(slip.back)
        cash = back - slip.back - promo
        self.holds["win"] -= back - slip.back - (rounding - slip.rounding)
        self.holds["rounding"] -= rounding - slip.rounding
        gone = max(0, -promo - self.holds[f"{slip.player} promo"])
        if promo > 0:
            gone = -min(promo, self.lent[wager[0], slip.player])
        self.lent[wager[0], slip.player] += gone
        self.holds[f"{slip.player} promo"] += promo + gone
        self.holds["gifts"] -= gone
        if cash > 0:
            self.give(slip.player, cash)
        else:
            self.take(slip.player, -cash)
        slip.back, slip.rounding = back, rounding

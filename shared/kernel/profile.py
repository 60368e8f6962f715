"""The profile: the complete set of rule choices of a rule book and a house, as data.

A round carries its whole profile by value in its opening event, so that it can be decided again years later whatever the
shelf holds by then.
"""

from typing import Literal

import msgspec

from shared.kernel.money import Ratio


class DealerRules(msgspec.Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """How the dealer plays."""

    hole_card: bool
    """The dealer's second card is dealt with the players', face down (LV-0.1), or only after the last player (ON-6.3)."""
    hits_soft_17: bool
    """ON-10.2, LV-4.4."""
    peeks_under_ace: bool
    """The hole card is checked once insurance is closed (LV-3.8)."""


class DoubleRules(msgspec.Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """Doubling (ON-8.1, LV-2.6)."""

    after_split: bool
    for_less: bool
    dealer_blackjack_takes: Literal["all", "original"]
    """ON-8.2 against LV-2.6."""


class SplitRules(msgspec.Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """Splitting (ON-9, LV-2.7)."""

    hands_max: int
    ace_hands_max: int
    aces_take_one_card: bool
    dealer_blackjack_takes: Literal["all", "original"]
    """ON-9.5, decision 3."""


class InsuranceRules(msgspec.Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """Insurance and even money (ON-7, LV-2.5, decision 12)."""

    amount: Literal["exactly_half", "up_to_half", "up_to_half_rounded_up"]
    pays: Ratio
    even_money: bool
    """ON-7.5."""


Device = Literal["manual", "shuffling_device", "scanned"]
"""What the cards lie in: a shoe of cards shuffled by hand, a device that shuffles them after every round (FL-4.6), or a shoe
under a scanner, of which nobody knows the order."""


class ShoeRules(msgspec.Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What happens between the decks and the first card."""

    burns_after_shuffle: int
    """ON-6.2: one; LV-3.5: six."""
    cut: tuple[Ratio, Ratio]
    """Where the cut may lie, as fractions of the stack (ON-5.4: about half)."""
    cutting_card: tuple[Ratio, Ratio]
    """Where the cutting card may lie, as fractions of the stack counted from the back (ON-5.6, LV-3.3)."""
    device: Device = "manual"
    cut_offer: Literal["unrecorded", "players", "dealer"] = "unrecorded"
    """Who is asked to cut (ON-5.2, FL-4.2, LV-3.3); older logs do not say."""
    procedure: Literal["house", "staff"] = "house"
    """Who sees to the cards before they are in the shoe: the house by itself, or staff, step by step, as the book has it."""


class SideBetRules(msgspec.Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """Side bets, and what they pay to one (FL-SB)."""

    offered: tuple[Literal["super_sevens", "perfect_pairs"], ...] = ()
    super_sevens: tuple[int, int, int, int, int] = (3, 50, 100, 500, 5000)
    """One seven; two; two of a suit; three; three of a suit.  Sevens count from the box's first card on."""
    perfect_pairs: tuple[int, int, int] = (25, 12, 6)
    """A pair of a suit; of a colour; of two colours."""


class Profile(msgspec.Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """A rule book and a house, complete.

    `minimum` and `maximum` bound a player's initial wager on each box; like `chip_unit` they are decimal texts in the
    table's currency, because one profile serves tables of several currencies.
    """

    name: str
    book: Literal["ON", "FL", "LV"]
    """The prefix of the clauses that this profile honours."""
    decks: int
    boxes_max: int
    boxes_per_player_max: int
    """LV-4.5: one; otherwise as many as there are boxes (FL-5.8)."""
    players_per_box_max: int = 1
    """FL-5.4: three; elsewhere a box is one player's."""
    minimum: str
    maximum: str
    chip_unit: str
    rounding: Literal["exact", "up"]
    """Of winnings that chips cannot make: the stake is refused, or the winnings are rounded up (FL-5.9, decision 10)."""
    blackjack_pays: Ratio
    dealer: DealerRules
    double: DoubleRules
    split: SplitRules
    insurance: InsuranceRules
    shoe: ShoeRules
    side_bets: SideBetRules = SideBetRules()
    players_cards: Literal["up", "down"] = "up"
    """The first two cards of each box are dealt face up, or face down once an inspector approved (FL-3.5)."""
    restrictions: bool = False
    """Supervisors may hold players to the minimum, keep boxes and let fewer players share one (FL-5.4, FL-5.8, FL-5.10 to FL-5.13)."""
    promotional: bool = False
    """Promotional tokens and vouchers may be staked, before chips (FL-5.1); elsewhere chips alone are wagers (ON-3.3)."""
    pick_up: Literal["unrecorded", "boxes_first", "dealer_first"] = "unrecorded"
    """In which order cards are picked up from the layout (ON-6.6, LV-3.7); rounds of old logs do not say."""

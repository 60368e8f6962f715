"""The profile: the complete set of rule choices of a rule book and a house, as data.

A round carries its whole profile by value in its opening event, so that it can be decided again years later whatever the
shelf holds by then.
"""

import re
from typing import Literal

import msgspec

from shared.kernel.cards import DECK
from shared.kernel.money import BadMoney, Ratio, minor_units

DECKS_MAX = 8
BOXES_MAX = 7
HANDS_MAX = 4
FINEST_CURRENCY = "KWD"
"""A currency with as many decimals as any: an amount that it can express may stand in a profile."""


class BadProfile(ValueError):
    """A text that is no profile, or rules that cannot hold together; the sentence names the file and the key."""


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


class ShoeRules(msgspec.Struct, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """What happens between the decks and the first card."""

    burns_after_shuffle: int
    """ON-6.2: one; LV-3.5: six."""
    cut: tuple[Ratio, Ratio]
    """Where the cut may lie, as fractions of the stack (ON-5.4: about half)."""
    cutting_card: tuple[Ratio, Ratio]
    """Where the cutting card may lie, as fractions of the stack counted from the back (ON-5.6, LV-3.3)."""


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


def decode(text: str, file_name: str) -> Profile:
    """Return the profile that a TOML text holds; raise `BadProfile` for an unknown key, a wrong type or rules at odds."""
    try:
        profile = msgspec.toml.decode(text, type=Profile)
    except msgspec.DecodeError as error:
        raise BadProfile(f"{file_name}: {_in_words(error)}") from error
    for key, holds, wanted in _demands(profile, file_name):
        if not holds:
            raise BadProfile(f"{file_name}: key {key}: {wanted}")
    return profile


def _in_words(error: msgspec.DecodeError) -> str:
    """Return what is wrong with the text, the key first where it is known."""
    match = re.fullmatch(r"(.*?)(?: - at `\$\.?(.*)`)?", str(error), re.DOTALL)
    assert match is not None, "every text matches"
    reason, table = match[1], match[2] or ""
    named = re.fullmatch(r"Object (contains unknown|missing required) field `(.*)`", reason)
    if named is None:
        return f"key {table}: {reason}" if table else reason
    key = f"{table}.{named[2]}" if table else named[2]
    return f"key {key}: no profile has this key" if "unknown" in named[1] else f"key {key}: it is missing"


def _demands(profile: Profile, file_name: str) -> tuple[tuple[str, bool, str], ...]:
    """Return what must hold of a profile beside its shape: the key, whether it holds, and what is wanted."""
    dealer, split, insurance, shoe = profile.dealer, profile.split, profile.insurance, profile.shoe
    cards = len(DECK) * profile.decks
    return (
        ("name", f"{profile.name}.toml" == file_name, "it must be the file's own name"),
        ("decks", 1 <= profile.decks <= DECKS_MAX, f"1 to {DECKS_MAX} decks"),
        ("decks", profile.book != "FL" or profile.decks in (3, 4, 6, 8), "3, 4, 6 or 8 decks (FL-3.1)"),
        ("boxes_max", 1 <= profile.boxes_max <= BOXES_MAX, f"1 to {BOXES_MAX} boxes"),
        ("boxes_per_player_max", 1 <= profile.boxes_per_player_max <= profile.boxes_max, "1 to boxes_max"),
        ("minimum", _amount(profile.minimum) > 0, "a positive amount such as 1.00"),
        ("maximum", _amount(profile.maximum) >= _amount(profile.minimum), "an amount that is not below minimum"),
        ("chip_unit", _amount(profile.chip_unit) > 0, "a positive amount such as 0.01"),
        ("blackjack_pays", _at_least_even(profile.blackjack_pays), "at least 1 to 1, such as [3, 2]"),
        ("dealer.peeks_under_ace", dealer.hole_card or not dealer.peeks_under_ace, "without a hole card nothing can be looked at"),
        ("split.hands_max", 1 <= split.hands_max <= HANDS_MAX, f"1 to {HANDS_MAX} hands"),
        ("split.ace_hands_max", 1 <= split.ace_hands_max <= split.hands_max, "1 to hands_max"),
        ("insurance.pays", _at_least_even(insurance.pays), "at least 1 to 1, such as [2, 1]"),
        (
            "insurance.amount",
            insurance.amount != "exactly_half" or profile.rounding == "exact",
            'exactly half needs rounding = "exact": other stakes may have no whole half',
        ),
        ("shoe.burns_after_shuffle", 0 <= shoe.burns_after_shuffle < cards // 2, "0 or more, and less than half the shoe"),
        ("shoe.cut", _is_range(shoe.cut), "two fractions of the stack from 0 to 1, the lower one first"),
        ("shoe.cutting_card", _is_range(shoe.cutting_card), "two fractions of the stack from 0 to 1, the lower one first"),
    )


def _amount(text: str) -> int:
    """Return an amount to compare with others, -1 for what is none."""
    try:
        return minor_units(text, FINEST_CURRENCY)
    except BadMoney:
        return -1


def _at_least_even(ratio: Ratio) -> bool:
    """LV-2.3: no win pays less than the stake."""
    return 1 <= ratio.staked <= ratio.won


def _is_range(fractions: tuple[Ratio, Ratio]) -> bool:
    low, high = fractions
    if low.staked < 1 or high.staked < 1:
        return False
    return low.won >= 0 and high.won <= high.staked and low.won * high.staked <= high.won * low.staked

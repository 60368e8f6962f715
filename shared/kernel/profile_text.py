"""The text of a profile: what a house or a rule book wrote down, read strictly.

A house that plays by a book with a few changes writes only those: its file names the book as `base`, and whatever the file
does not say is said by the book.  Whatever is wrong is a sentence that names the file and the key.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from shared.kernel import toml
from shared.kernel.cards import DECK
from shared.kernel.money import FINEST, MINOR_MAX, BadMoney, Ratio, minor_units
from shared.kernel.profile import Profile

DECKS_MAX = 8
BOXES_MAX = 7
HANDS_MAX = 4
PLAYERS_PER_BOX_MAX = 3


class BadProfile(ValueError):
    """A text that is no profile, or rules that cannot hold together; the sentence names the file and the key."""


Builtins = dict[str, Any]
"""A profile, or a part of one, as plain tables and values."""


def decode(text: str, file_name: str, books: Mapping[str, Profile] | None = None) -> Profile:
    """Return the profile that a TOML text holds, over the one of `books` that it names as its `base`, if it names one.

    Raise `BadProfile` for an unknown key, a wrong type, rules at odds with each other or a base that is not among `books`.
    """
    try:
        said: Builtins = toml.decode(text, dict)
    except toml.BadToml as error:
        raise BadProfile(f"{file_name}: {error}") from error
    profile = _convert(_over(_base(said, file_name, books or {}), said), file_name)
    if f"{profile.name}.toml" != file_name:
        raise BadProfile(f"{file_name}: key name: it must be the file's own name")
    return profile


def changed(profile: Profile, options: Mapping[str, object], where: str) -> Profile:
    """Return the profile with other values under dotted keys such as `dealer.hits_soft_17`; raise `BadProfile`, naming `where`."""
    said: Builtins = {}
    for key, value in options.items():
        *tables, last = key.split(".")
        inner = said
        for table in tables:
            inner = inner.setdefault(table, {})
            if not isinstance(inner, dict):
                raise BadProfile(f"{where}: key {key}: no profile has this key")
        inner[last] = value
    return _convert(_over(_plain(profile), said), where)


def flat(profile: Profile) -> dict[str, object]:
    """Return every key of a profile, dotted, with its value, in the order in which a file says them."""
    said = _plain(profile)
    tables = {key: value for key, value in said.items() if isinstance(value, dict)}
    plain = {key: value for key, value in said.items() if key not in tables}
    return plain | {f"{table}.{key}": value for table, keys in tables.items() for key, value in keys.items()}


def _plain(rules: msgspec.Struct) -> Builtins:
    """Return rules as plain tables and values, also those that a log leaves out because nothing was chosen."""
    return {
        name: _plain(value) if isinstance(value, msgspec.Struct) and not isinstance(value, Ratio) else msgspec.to_builtins(value)
        for name in rules.__struct_fields__
        for value in [getattr(rules, name)]
    }


def _base(said: Builtins, file_name: str, books: Mapping[str, Profile]) -> Builtins:
    """Return the book that a text changes, and take the word `base` out of the text."""
    if "base" not in said:
        return {}
    base = said.pop("base")
    if not isinstance(base, str) or base not in books:
        raise BadProfile(f"{file_name}: key base: {base!r} is no rule book; {_one_of(books)}")
    return {**_plain(books[base]), "name": ""}


def _one_of(books: Mapping[str, Profile]) -> str:
    return f"it is one of {', '.join(sorted(books))}" if books else "a rule book has none"


def _over(below: Builtins, above: Builtins) -> Builtins:
    """Return what both say; where both do, what is said above, and within tables key for key."""
    merged = dict(below)
    for key, value in above.items():
        old = below.get(key)
        merged[key] = _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _convert(said: Builtins, where: str) -> Profile:
    try:
        profile = msgspec.convert(said, Profile)
    except msgspec.ValidationError as error:
        raise BadProfile(f"{where}: {_in_words(error)}") from error
    for key, holds, wanted in _demands(profile):
        if not holds:
            raise BadProfile(f"{where}: key {key}: {wanted}")
    return profile


def _in_words(error: msgspec.ValidationError) -> str:
    """Return what is wrong with the text, the key first where it is known."""
    match = re.fullmatch(r"(.*?)(?: - at `\$\.?(.*)`)?", toml.shortened(str(error)), re.DOTALL)
    assert match is not None, "every text matches"
    reason, table = match[1], match[2] or ""
    named = re.fullmatch(r"Object (contains unknown|missing required) field `(.*)`", reason)
    if named is None:
        return f"key {table}: {reason}" if table else reason
    key = f"{table}.{named[2]}" if table else named[2]
    return f"key {key}: no profile has this key" if "unknown" in named[1] else f"key {key}: it is missing"


def _demands(profile: Profile) -> tuple[tuple[str, bool, str], ...]:
    """Return what must hold of a profile beside its shape: the key, whether it holds, and what is wanted."""
    dealer, split, insurance, shoe = profile.dealer, profile.split, profile.insurance, profile.shoe
    cards = len(DECK) * profile.decks
    return (
        ("decks", 1 <= profile.decks <= DECKS_MAX, f"1 to {DECKS_MAX} decks"),
        ("decks", profile.book != "FL" or profile.decks in (3, 4, 6, 8), "3, 4, 6 or 8 decks (FL-3.1)"),
        ("boxes_max", 1 <= profile.boxes_max <= BOXES_MAX, f"1 to {BOXES_MAX} boxes"),
        ("boxes_per_player_max", 1 <= profile.boxes_per_player_max <= profile.boxes_max, "1 to boxes_max"),
        ("players_per_box_max", 1 <= profile.players_per_box_max <= PLAYERS_PER_BOX_MAX, f"1 to {PLAYERS_PER_BOX_MAX} players"),
        ("minimum", _amount(profile.minimum) > 0, "a positive amount such as 1.00"),
        ("maximum", _amount(profile.maximum) >= _amount(profile.minimum), "an amount that is not below minimum"),
        ("maximum", _largest(profile) <= MINOR_MAX, "an amount such that the largest win on it can be written down"),
        ("chip_unit", _amount(profile.chip_unit) > 0, "a positive amount such as 0.01"),
        ("chip_unit", _amount(profile.chip_unit) <= _amount(profile.maximum), "an amount that is not above maximum"),
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
        ("side_bets.offered", len(set(profile.side_bets.offered)) == len(profile.side_bets.offered), "each side bet once"),
        ("side_bets.offered", not profile.side_bets.offered or profile.decks in (6, 8), "side bets need 6 or 8 decks (FL-3.1)"),
        ("side_bets.super_sevens", min(profile.side_bets.super_sevens) >= 1, "at least 1 to 1 each"),
        ("side_bets.perfect_pairs", min(profile.side_bets.perfect_pairs) >= 1, "at least 1 to 1 each"),
        ("shoe.burns_after_shuffle", 0 <= shoe.burns_after_shuffle < cards // 2, "0 or more, and less than half the shoe"),
        ("shoe.cut", _is_range(shoe.cut), "two fractions of the stack from 0 to 1, the lower one first"),
        ("shoe.cutting_card", _is_range(shoe.cutting_card), "two fractions of the stack from 0 to 1, the lower one first"),
    )


def _amount(text: str) -> int:
    """Return an amount to compare with others, -1 for what is none."""
    try:
        return minor_units(text, FINEST)
    except BadMoney:
        return -1


def _largest(profile: Profile) -> int:
    """Return an amount that no wager within the limits gives back more than."""
    sides = profile.side_bets
    odds = [*sides.super_sevens, *sides.perfect_pairs] if sides.offered else []
    odds += [-(-pays.won // max(pays.staked, 1)) for pays in (profile.blackjack_pays, profile.insurance.pays)]
    return _amount(profile.maximum) * (max(odds) + 1)


def _at_least_even(ratio: Ratio) -> bool:
    """LV-2.3: no win pays less than the stake."""
    return 1 <= ratio.staked <= ratio.won


def _is_range(fractions: tuple[Ratio, Ratio]) -> bool:
    low, high = fractions
    if low.staked < 1 or high.staked < 1:
        return False
    return low.won >= 0 and high.won <= high.staked and low.won * high.staked <= high.won * low.staked

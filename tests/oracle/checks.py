"""The checks: what was worked out with the engine, beside what stands in `published`."""

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

from msgspec import Struct

from services.table.domain.side_bets import perfect_pairs, super_sevens
from shared.kernel.profile import Profile
from shared.kernel.profile_text import changed
from shared.runtime.shelf import profile
from tests.oracle.dealer import FINALS, finals
from tests.oracle.deck import ENDLESS, Deck, decks
from tests.oracle.expectation import against, expectation
from tests.oracle.odds import blackjack, insurance, side_bet
from tests.oracle.published import BLACKJACK, EXPECTATION, INSURANCE, ONTARIO_BY_UP_CARD, PERFECT_PAIRS, SUPER_SEVENS
from tests.oracle.published import FINALS as PUBLISHED

SHOES: dict[str, Deck] = {"endless": ENDLESS, "6 decks": decks(6), "8 decks": decks(8)}


class Check(Struct, frozen=True):
    """One number: what it is of, what the engine gives and what others do."""

    what: str
    ours: str
    published: str
    holds: bool


def same(ours: Fraction, printed: str) -> bool:
    """Return whether an exact number, rounded to the digits that are printed, is the printed one."""
    return rounded(ours, printed) == printed or ("/" in printed and ours == Fraction(printed))


def rounded(ours: Fraction, printed: str) -> str:
    """Return an exact number with as many digits as were printed, in the same form.

    >>> rounded(Fraction(1, 3), ".333"), rounded(Fraction(-1, 8), "-0.12")
    ('.333', '-0.12')
    """
    if "/" in printed:
        return f"{ours.numerator}/{ours.denominator}"
    digits = len(printed.partition(".")[2])
    exact = Decimal(ours.numerator) / Decimal(ours.denominator)
    text = str(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN))
    return text[1:] if printed.startswith(".") and text.startswith("0") else text


def check(what: str, ours: Fraction, printed: str) -> Check:
    """Return the check of one number."""
    return Check(what, rounded(ours, printed), printed, same(ours, printed))


def dealer_checks(name: str) -> Iterator[Check]:
    """Yield the dealer's finals of one of the published tables, by up card."""
    shoe, _, rule = name.partition(", ")
    book = changed(profile("ontario"), {"dealer.hits_soft_17": rule == "hits soft 17"}, "the oracle")
    for up, printed in PUBLISHED[name].items():
        found = finals(up, book, SHOES[shoe])
        for final, text in zip(FINALS, printed, strict=True):
            yield check(f"dealer {name}: {up} to {final}", found[final], text)


def odds_checks() -> Iterator[Check]:
    """Yield the odds of single wagers."""
    for number, exact in BLACKJACK.items():
        yield check(f"blackjack, {number} decks", blackjack(number), str(exact))
    for number, exact in INSURANCE.items():
        yield check(f"insurance, {number} decks", insurance(number, profile("live")), str(exact))
    rules = profile("floor").side_bets
    for number, printed in SUPER_SEVENS.items():
        yield check(f"Super Sevens, {number} decks, %", side_bet(super_sevens, 3, number, rules) * 100, printed)
    for number, printed in PERFECT_PAIRS.items():
        yield check(f"Perfect Pairs, {number} decks, %", side_bet(perfect_pairs, 2, number, rules) * 100, printed)


def game_checks() -> Iterator[Check]:
    """Yield the expectation of the whole game under each book."""
    for up, printed in ONTARIO_BY_UP_CARD.items():
        yield check(f"ontario against {up}, %", against(up, profile("ontario")) * 100, printed)
    for name, printed in EXPECTATION.items():
        yield check(f"{name}, %", expectation(_book(name)) * 100, printed)


def _book(name: str) -> Profile:
    book, _, change = name.partition(", ")
    return changed(profile(book), {"dealer.hits_soft_17": True}, "the oracle") if change else profile(book)

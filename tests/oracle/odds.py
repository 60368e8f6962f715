"""Odds of single wagers over a fresh shoe: exact fractions, with the engine's own idea of a blackjack and its own payouts."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from services.table.domain.hand import HARD_POINTS, hand_of
from shared.kernel.cards import DECK
from shared.kernel.money import winnings
from shared.kernel.profile import Profile, SideBetRules
from tests.oracle.deck import decks, draws, without

Pays = Callable[[Sequence[str], SideBetRules], int]

UNIT_MINOR = 600
"""A stake that every ratio of a book divides."""


def blackjack(number: int) -> Fraction:
    """Return the chance that the first two cards of so many decks are a blackjack."""
    return sum(
        (
            chance * then
            for first, chance, rest in draws(decks(number))
            for second, then, _ in draws(rest)
            if hand_of(first, second).is_blackjack
        ),
        Fraction(0),
    )


def insurance(number: int, profile: Profile) -> Fraction:
    """Return the average gain of a unit on insurance when only the dealer's ace is known (ON-7.3, LV-2.5.3)."""
    won = Fraction(winnings(UNIT_MINOR, profile.insurance.pays, unit_minor=1), UNIT_MINOR)
    ten = sum((chance for card, chance, _ in draws(without(decks(number), "A")) if HARD_POINTS[card] == 10), Fraction(0))
    return ten * won - (1 - ten)


def side_bet(pays: Pays, cards: int, number: int, rules: SideBetRules) -> Fraction:
    """Return the average gain of a unit on a side bet over the first `cards` cards of so many decks (FL-SB).

    Every order of two or three cards counts, so a third card is always there.
    """
    gain = Fraction(0)
    shoe = Counter(dict.fromkeys(DECK, number))
    for firsts, chance in _orders(shoe, cards):
        won = pays(firsts, rules)
        gain += chance * (won or -1)
    return gain


def _orders(shoe: Counter[str], cards: int) -> Iterator[tuple[tuple[str, ...], Fraction]]:
    if not cards:
        yield (), Fraction(1)
        return
    total = shoe.total()
    for card, count in shoe.items():
        if count:
            for firsts, chance in _orders(shoe - Counter([card]), cards - 1):
                yield (card, *firsts), Fraction(count, total) * chance

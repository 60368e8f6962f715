"""The dealer's final totals by up card, by walking through every card that the engine's dealer would take."""

from fractions import Fraction
from functools import cache

from services.table.domain.dealer import must_draw
from services.table.domain.hand import Hand, hand_of, with_card
from shared.kernel.profile import Profile
from tests.oracle.deck import Deck, draws, without

FINALS = ("17", "18", "19", "20", "21", "blackjack", "bust")


@cache
def finals(up: str, profile: Profile, deck: Deck) -> dict[str, Fraction]:
    """Return how likely each final total is when the dealer shows `up`, a letter of `VALUES`.

    `deck` is whole; the up card is taken from it, and nothing else is known.
    """
    found = dict.fromkeys(FINALS, Fraction(0))
    for final, chance in _walk(hand_of(f"{up}S"), profile, without(deck, up), {}).items():
        found[final] += chance
    return found


def _walk(hand: Hand, profile: Profile, deck: Deck, known: dict[object, dict[str, Fraction]]) -> dict[str, Fraction]:
    """Return the finals of a hand; `known` keeps those of hands that are worth the same over the same deck."""
    if len(hand.cards) > 1 and not must_draw(hand, profile):
        return {_named(hand): Fraction(1)}
    key = (hand.hard, hand.ace, len(hand.cards) > 1, deck)
    if key not in known:
        found: dict[str, Fraction] = {}
        for card, chance, rest in draws(deck):
            for final, then in _walk(with_card(hand, card), profile, rest, known).items():
                found[final] = found.get(final, Fraction(0)) + chance * then
        known[key] = found
    return known[key]


def _named(hand: Hand) -> str:
    if hand.is_blackjack:
        return "blackjack"
    return "bust" if hand.points > 21 else str(hand.points)

"""The whole game's expectation in the endless deck: exact, with the engine's own settlement, for the best play by totals.

A player sees the own hand's worth and the dealer's card and always does what is best on average.  What each wager gives back
is asked of the engine, for every final total of the dealer.
"""

from fractions import Fraction

from msgspec.structs import replace

from services.table.domain.hand import HARD_POINTS, Hand, hand_of, with_card
from services.table.domain.playing import may_double
from services.table.domain.settlement import result, returned
from services.table.domain.state import Playing, Wager
from shared.contracts.wagers import Kind
from shared.kernel.profile import Profile
from tests.oracle.dealer import finals
from tests.oracle.deck import ENDLESS, draws
from tests.rounds import begun, in_play

STAKE_MINOR = 200
FINAL_HANDS = {
    "17": hand_of("TS", "7S"),
    "18": hand_of("TS", "8S"),
    "19": hand_of("TS", "9S"),
    "20": hand_of("TS", "TS"),
    "21": hand_of("TS", "5S", "6S"),
    "blackjack": hand_of("AS", "TS"),
    "bust": hand_of("TS", "6S", "TS"),
}
"""A hand for each final total of the dealer."""

Chances = dict[str, Fraction]


def expectation(profile: Profile) -> Fraction:
    """Return what a player gains on average for each unit of the initial wager: below 0 where the house has the edge."""
    return sum((chance * against(card[0], profile) for card, chance, _ in draws(ENDLESS)), Fraction(0))


def against(up: str, profile: Profile) -> Fraction:
    """Return the same against one up card of the dealer, a letter of `VALUES`."""
    chances = finals(up, profile, ENDLESS)
    if not (profile.dealer.peeks_under_ace and up == "A"):
        return _dealt(Game(profile, chances))
    # A blackjack that is found by the check ends the round before any decision (decision 6).
    found = chances["blackjack"]
    known = {final: chance / (1 - found) for final, chance in chances.items() if final != "blackjack"}
    return found * _dealt(Game(profile, {"blackjack": Fraction(1)}), asked=False) + (1 - found) * _dealt(Game(profile, known))


def _dealt(game: "Game", *, asked: bool = True) -> Fraction:
    """Return the expectation over every first two cards, with the player asked or not."""
    value = Fraction(0)
    for first, chance, _ in draws(ENDLESS):
        for second, then, _ in draws(ENDLESS):
            hand = hand_of(first, second)
            value += chance * then * (game.opening(hand) if asked and not hand.is_blackjack else game.stand(hand, 1))
    return value


class Game:
    """What hands are worth under a profile while the dealer's finals have these chances."""

    def __init__(self, profile: Profile, chances: Chances) -> None:
        self._profile = profile
        self._chances = chances
        playing = in_play(begun("floor", "TS 9S TS"))
        self._rounds = {final: _against(playing, profile, dealer) for final, dealer in FINAL_HANDS.items()}
        self._best: dict[object, Fraction] = {}

    def opening(self, hand: Hand) -> Fraction:
        """Return what the first two cards are worth: played, or split where that is better and allowed."""
        value = self.best(hand, 1)
        rights = self._splits(hand)
        return max(value, self._split(hand, 1, 1, rights - 1)) if rights else value

    def best(self, hand: Hand, number: int) -> Fraction:
        """Return what a hand that is not split is worth, played on as well as can be; hand 1 has the original wager."""
        key = (hand.hard, hand.ace, len(hand.cards) == 2, hand.split, hand.is_split_ace, number)
        if key not in self._best:
            self._best[key] = max(self._choices(hand, number))
        return self._best[key]

    def _choices(self, hand: Hand, number: int) -> list[Fraction]:
        values = [self.stand(hand, number)]
        if hand.points >= 21 or (self._profile.split.aces_take_one_card and hand.is_split_ace):
            return values
        values.append(sum((chance * self.best(with_card(hand, card), number) for card, chance, _ in draws(ENDLESS)), Fraction(0)))
        if may_double(hand, self._profile):
            values.append(sum((chance * self._doubled(with_card(hand, card), number) for card, chance, _ in draws(ENDLESS)), Fraction(0)))
        return values

    def stand(self, hand: Hand, number: int) -> Fraction:
        """Return what the hand's own wager gains with these cards."""
        return self._gain(hand, number, "main" if number == 1 else "split")

    def _doubled(self, hand: Hand, number: int) -> Fraction:
        return self.stand(hand, number) + self._gain(hand, number, "double")

    def _gain(self, hand: Hand, number: int, kind: Kind) -> Fraction:
        """Return the average gain of a wager, for each unit of it, as the engine settles it."""
        ended = replace(hand, end="bust") if hand.points > 21 else hand
        wager = Wager("w", "ann", 1, number, kind, STAKE_MINOR, 0)
        gain = Fraction(0)
        for final, chance in self._chances.items():
            back = returned(wager, result(ended, FINAL_HANDS[final]), self._rounds[final])
            gain += chance * Fraction(back - STAKE_MINOR, STAKE_MINOR)
        return gain

    def _splits(self, hand: Hand) -> int:
        """Return how often a pair may be split."""
        if not hand.is_pair:
            return 0
        rules = self._profile.split
        return (rules.ace_hands_max if hand.cards[0][0] == "A" else rules.hands_max) - 1

    def _split(self, hand: Hand, number: int, waiting: int, rights: int) -> Fraction:
        """Return what a split is worth: this hand with its first card, `waiting` others after it, and so many splits left."""
        bare = with_card(Hand(1, number, "", 0, split=True), hand.cards[0])
        value = Fraction(0)
        for card, chance, _ in draws(ENDLESS):
            whole = with_card(bare, card)
            best = self.best(whole, number) + (self._split(hand, 2, waiting - 1, rights) if waiting else 0)
            if rights and HARD_POINTS[card] == HARD_POINTS[hand.cards[0]]:
                best = max(best, self._split(hand, number, waiting + 1, rights - 1))
            value += chance * best
        return value


def _against(playing: Playing, profile: Profile, dealer: Hand) -> Playing:
    return replace(playing, opened=replace(playing.opened, profile=profile), dealer=dealer)

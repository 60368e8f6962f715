"""Rounding: what an odd stake pays, in currencies with no, two and three decimals, by every rule that a profile may have.

The expected amounts are worked out in fractions, by nothing that the table uses.
"""

from fractions import Fraction
from math import ceil, floor
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from feltlog.rehearsal.round import Choice, Rehearsal
from shared.kernel.cards import cards
from shared.kernel.money import Ratio
from shared.kernel.profile import Profile
from shared.runtime.shelf import profile
from tests.properties.strategies import BOOKS
from tests.rounds import lines, opening, returned

DECIMALS = {"JPY": 0, "CAD": 2, "KWD": 3}
BLACKJACK = "AS 9D KH 7C"
BLACKJACK_OF_THE_DEALER = "8S AD 9H KC"
MUCH = 10**9


class Case(Struct, frozen=True):
    """A rule book, a currency and a stake."""

    rules: Profile
    currency: str
    stake_minor: int

    @property
    def chip(self) -> int:
        """The smallest amount that is paid, in minor units."""
        minor_in_one: int = 10 ** DECIMALS[self.currency]
        return max(1, ceil(Fraction(self.rules.chip_unit) * minor_in_one))

    @property
    def blackjack(self) -> Fraction:
        """What a blackjack wins, before it is rounded."""
        return Fraction(self.stake_minor * self.rules.blackjack_pays.won, self.rules.blackjack_pays.staked)

    @property
    def is_taken(self) -> bool:
        """Whether the table takes the stake: chips can make it and, where nothing is rounded, whatever it may win or be halved to."""
        exact = self.is_whole(self.blackjack) and self.is_whole(Fraction(self.stake_minor, 2))
        return self.is_whole(Fraction(self.stake_minor)) and (self.rules.rounding == "up" or exact)

    @property
    def insured(self) -> int:
        """The most that may be put on insurance; 0 if there is none."""
        halves = Fraction(self.stake_minor, 2 * self.chip)
        return self.chip * (ceil(halves) if self.rules.insurance.amount == "up_to_half_rounded_up" else floor(halves))

    def is_whole(self, amount: Fraction) -> bool:
        """Return whether chips can make an amount."""
        return (amount / self.chip).denominator == 1

    def play(self, shoe: str, says: Literal["stand", "insure"]) -> list[tuple[str, int, int]]:
        """Return kind, stake and what came back, of each wager of a round; none if the stake is not taken."""
        return returned(self.played(shoe, says))

    def played(self, shoe: str, says: Literal["stand", "insure"]) -> Rehearsal:
        """Return the round."""
        begin = opening("ontario", currency=self.currency, minimum_minor=1, maximum_minor=MUCH)
        rehearsal = Rehearsal(replace(begin, profile=self.rules), cards(shoe))
        rehearsal.bet("ann", 1, self.stake_minor)
        rehearsal.run(lambda moment: Choice(next(word for word in (says, "stand", "decline") if word in moment.legal)))
        return rehearsal


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Return a rule book with any rounding, and a stake near to what chips can make."""
    book, rounding = profile(draw(st.sampled_from(BOOKS))), draw(st.sampled_from(("exact", "up")))
    # Half of an odd stake is no exact half: no profile may ask for both.
    amounts = ("up_to_half", "up_to_half_rounded_up", *(("exactly_half",) if rounding == "exact" else ()))
    rules = replace(
        book,
        rounding=rounding,
        insurance=replace(book.insurance, amount=draw(st.sampled_from(amounts))),
        chip_unit=draw(st.sampled_from(("0.001", "0.01", "0.02", "0.25", "0.50", "1", "2.50", "5"))),
        blackjack_pays=draw(st.sampled_from((Ratio(3, 2), Ratio(6, 5), Ratio(7, 5), Ratio(2, 1), Ratio(1, 1)))),
    )
    case = Case(rules, draw(st.sampled_from(tuple(DECIMALS))), 1)
    chips = draw(st.integers(1, 2_000) | st.sampled_from((1, 3, 5, 7, 15, 25)))
    return replace(case, stake_minor=max(1, chips * case.chip + draw(st.sampled_from((0, 0, 0, 0, 1, -1)))))


@given(cases())
def test_stake_is_taken_if_it_can_be_paid(case: Case):
    """Decision 10: on the grid of the chips, and where nothing is rounded only if everything that it may pay is."""
    assert bool(case.play(BLACKJACK, "stand")) == case.is_taken


@given(cases().filter(lambda case: case.is_taken))
def test_blackjack_pays_what_the_rounding_says(case: Case):
    """FL-5.9, decision 10: rounded up to the chip in the player's favour, or not rounded because it need not be."""
    won = case.chip * ceil(case.blackjack / case.chip)

    assert case.play(BLACKJACK, "stand") == [("main", case.stake_minor, case.stake_minor + won)]


@given(cases().filter(lambda case: case.is_taken))
def test_what_is_rounded_up_is_said(case: Case):
    """FL-5.9: the winnings less what they are exactly; a part of a minor unit, which no account can hold, is rounding too."""
    (line,) = lines(case.played(BLACKJACK, "stand"))

    assert (line.rounding_minor or 0) == case.chip * ceil(case.blackjack / case.chip) - floor(case.blackjack)


@given(cases().filter(lambda case: case.is_taken))
def test_insurance_is_half_as_the_rounding_says(case: Case):
    """Decision 12: half of an odd stake is rounded as the book says; a blackjack of the dealer pays it two to one."""
    insured = [("insurance", case.insured, 3 * case.insured)] if case.insured else []

    assert case.play(BLACKJACK_OF_THE_DEALER, "insure") == [*insured, ("main", case.stake_minor, 0)]

"""The referee agrees with the table on every round, and with nothing else."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from feltlog.rehearsal.round import Choice, Moment, Rehearsal, Word
from services.surveillance.domain.findings import Finding
from services.surveillance.domain.referee import judge
from shared.contracts.table import RoundCommand, RoundEvent, WagerPlaced
from shared.kernel.cards import DECK
from shared.kernel.entry import decode_as
from tests.rounds import opening

BOOKS = ("ontario", "live")
SMALL_DECK = tuple(card for card in DECK if card[0] in "A2378TK")
"""Few ranks, so that pairs, aces and blackjacks come often."""


def random_round(chance: Random, book: str) -> Rehearsal:
    """Return a whole round in which chance deals, bets, decides and pays."""
    shoe = list(chance.choice((DECK, SMALL_DECK)) * 6)
    chance.shuffle(shoe)
    end = chance.choice((len(shoe), chance.randint(4, 20)))
    rehearsal = Rehearsal(opening(book), shoe[:end], discards=shoe[end:], wallet=lambda wager: wallet(chance, wager))
    for box in range(1, chance.randint(1, 4) + 1):
        rehearsal.bet(f"player{box if chance.random() < 0.8 else 1}", chance.randint(1, 7), 2 * chance.randint(50, 250))
        if chance.random() < 0.8:
            rehearsal.serve()
    rehearsal.run(lambda moment: choose(chance, moment))
    return rehearsal


def wallet(chance: Random, wager: WagerPlaced) -> Word:
    """Answer mostly with a reserve."""
    return chance.choices(("reserve", "refuse", "silence"), (18, 1, 1))[0]


def choose(chance: Random, moment: Moment) -> Choice | None:
    """Say something legal, or nothing."""
    if chance.random() < 0.05:
        return None
    bold = [word for word in moment.legal if word in ("double", "split", "insure", "even_money")]
    what = chance.choice(bold) if bold and chance.random() < 0.5 else chance.choice(moment.legal)
    return Choice(what)


def judged(rehearsal: Rehearsal) -> list[Finding]:
    """What the referee finds in a round's log."""
    return judge([decode_as(RoundCommand, RoundEvent, data) for data in rehearsal.entries])


@given(st.randoms(use_true_random=False), st.sampled_from(BOOKS))
def test_the_referee_agrees_with_the_table(chance: Random, book: str):
    """Whatever is dealt, bet and decided, two independent computations come to the same end."""
    assert judged(random_round(chance, book)) == []

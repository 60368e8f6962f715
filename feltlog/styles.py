"""Styles of play: what an ordinary client of the demonstration wagers and decides.

Pure: a style sees what a player sees at the felt and says what that player says.  Styles know nothing about what a table
allows; the felt tells what may be chosen, and a style only ever chooses from that.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from shared.kernel.cards import POINTS, total

Option = Literal["hit", "stand", "double", "split"]


class Turn(Struct, frozen=True, kw_only=True):
    """What a player sees when it is their turn."""

    cards: tuple[str, ...]
    dealer: str
    """The dealer's open card."""
    options: tuple[str, ...]
    number: int
    """Counts this player's decisions from 1."""


Decide = Callable[[Turn], str]
"""Returns one of the turn's options, or nothing to let the clock run out."""


class Style(Struct, frozen=True, kw_only=True):
    """How somebody plays.  The client of the demonstration that plays so carries its name."""

    name: str
    says: str
    """In a few words, for people."""
    table: str
    deposit: str
    """What the player brings, a decimal in the table's currency."""
    stake: str
    """What the player wagers on each round."""
    percent: int = 0
    """If this is not 0, so many hundredths of what is left are wagered, but never less than `stake`."""
    decide: Decide
    insures: bool = False
    cuts: bool = False
    """Whether something is given towards the cut of each shoe."""


def basic(turn: Turn) -> str:
    """Return what the usual table of basic strategy says for several decks, as far as it may be chosen.

    >>> basic(Turn(cards=("8H", "8C"), dealer="6C", options=("hit", "stand", "double", "split"), number=1))
    'split'
    >>> basic(Turn(cards=("TH", "2C"), dealer="2C", options=("hit", "stand"), number=1))
    'hit'
    """
    points, soft = total(turn.cards)
    dealer = POINTS[turn.dealer]
    if "split" in turn.options and pair_is_split(POINTS[turn.cards[0]], dealer):
        return "split"
    if "double" in turn.options and is_doubled(points, soft, dealer):
        return "double"
    return "stand" if is_enough(points, soft, dealer) else either(turn.options, "hit", "stand")


def pair_is_split(value: int, dealer: int) -> bool:
    """Return whether basic strategy splits a pair of this value, an ace counted eleven."""
    if value in (8, 11):
        return True
    if value == 9:
        return dealer not in (7, 10, 11)
    return value in (2, 3, 6, 7) and dealer <= (6 if value == 6 else 7)


def is_doubled(points: int, soft: bool, dealer: int) -> bool:
    """Return whether basic strategy doubles two cards of this worth."""
    if soft:
        return (13 <= points <= 18 and dealer in (5, 6)) or (17 <= points <= 18 and dealer in (3, 4))
    return points == 11 or (points == 10 and dealer < 10) or (points == 9 and 3 <= dealer <= 6)


def is_enough(points: int, soft: bool, dealer: int) -> bool:
    """Return whether basic strategy stands on this worth."""
    if soft:
        return points >= 19 or (points == 18 and dealer <= 8)
    return points >= 17 or (points >= 13 and dealer <= 6) or (points == 12 and 4 <= dealer <= 6)


def cautious(turn: Turn) -> str:
    """Never risk to be bust, and never put more at risk."""
    points, soft = total(turn.cards)
    return "stand" if points >= (18 if soft else 12) else either(turn.options, "hit", "stand")


def doubler(turn: Turn) -> str:
    """Double whatever may be doubled below a hard twelve, else play as usual."""
    points, soft = total(turn.cards)
    return "double" if "double" in turn.options and (soft or points < 12) else basic(turn)


def splitter(turn: Turn) -> str:
    """Split every pair, else play as usual."""
    return "split" if "split" in turn.options else basic(turn)


def dreamer(turn: Turn) -> str:
    """Play as usual, but let the clock run out at every fifth decision."""
    return "" if turn.number % 5 == 0 else basic(turn)


def either(options: Sequence[str], first: str, second: str) -> str:
    """Return the first of two options that may be chosen."""
    return first if first in options else second


STYLES: tuple[Style, ...] = (
    Style(name="cautious", says="never draws to a hard twelve", table="T1", deposit="200.00", stake="2.00", decide=cautious, cuts=True),
    Style(name="splitter", says="splits every pair", table="T1", deposit="400.00", stake="4.00", decide=splitter, cuts=True),
    Style(name="dreamer", says="sometimes lets the clock run out", table="T1", deposit="200.00", stake="2.00", decide=dreamer, cuts=True),
    Style(name="basic", says="plays basic strategy", table="T2", deposit="1000.00", stake="10.00", decide=basic),
    Style(
        name="insurer",
        says="insures whenever it is offered",
        table="T2",
        deposit="2000.00",
        stake="20.00",
        decide=basic,
        insures=True,
        cuts=True,
    ),
    Style(name="doubler", says="doubles whatever is below twelve", table="T3", deposit="5000.00", stake="50.00", decide=doubler),
    Style(name="spender", says="wagers most of what is left", table="T3", deposit="1000.00", stake="25.00", decide=doubler, percent=75),
)
"""The seven clients of the demonstration, over its three tables."""

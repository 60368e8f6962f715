"""Predicting: what somebody could say of a card before it is dealt, who has read everything that was published until then.

The guesser knows the recipe.  Paths that were published hold the leaves of cards that are still to come; for each of those
every face is tried with every salt that was ever seen, and with those that a careless house would use.  Where nothing fits,
the guess is a face of which most are left.  By chance alone that is right so often, and no more.
"""

from collections import Counter
from dataclasses import dataclass
from math import sqrt

from shared.contracts.shoe import Opening
from shared.kernel.cards import DECK
from shared.kernel.commitment import card_leaf
from shared.kernel.cutting import place_of

CARELESS = ("", "0" * 32, "f" * 32, "00")
SALTS_MAX = 24
"""So many of the salts that were seen last are tried."""


@dataclass(frozen=True)
class Published:
    """What is published of a shoe: what it is called, what it holds, where it was cut, and its cards as they were opened."""

    shoe: str
    cards: int
    faces: Counter[str]
    cut_at: int
    openings: tuple[Opening, ...]


@dataclass
class Score:
    """How often a guess was right, and how often it would be by chance."""

    right: int = 0
    by_chance: float = 0.0
    spread: float = 0.0

    @property
    def is_better_than_chance(self) -> bool:
        """Whether so many right guesses come about by chance less often than once in ten thousand times."""
        return self.right > self.by_chance + 4 * sqrt(self.spread) + 1


def score(published: Published) -> Score:
    """Return how well each card was guessed just before it was opened."""
    # In an order that says nothing: a counter remembers in which order it was told.
    scored, left = Score(), Counter(dict(sorted(published.faces.items())))
    salts: list[str] = []
    leaves: set[bytes] = set()
    for opening in published.openings:
        place = place_of(opening.index, cut_at=published.cut_at, cards=published.cards)
        face, count = left.most_common(1)[0]
        likely = count / left.total()
        guess = recognised(published.shoe, place, leaves, [*CARELESS, str(place), *salts[-SALTS_MAX:]]) or face
        scored.right += guess == opening.card
        scored.by_chance += likely
        scored.spread += likely * (1 - likely)
        left[opening.card] -= 1
        salts.append(opening.salt)
        leaves |= {bytes.fromhex(opening.path[0])} if opening.path and place ^ 1 < published.cards else set()
    return scored


def recognised(shoe: str, place: int, leaves: set[bytes], salts: list[str]) -> str:
    """Return the face whose leaf at a place was published already, nothing if none is recognised."""
    found = (face for salt in salts for face in DECK if card_leaf(shoe, place, salt=salt, card=face) in leaves)
    return next(found, "") if leaves else ""

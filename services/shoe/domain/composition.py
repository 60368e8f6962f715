"""The composition watch: what the open cards of a scanned shoe say about the cards that were put in.

Of a shuffled shoe the root proves what is in it; of a scanned one nobody knows that, so each card that is opened is held
against the decks, and runs of cards against the orders that only cards have which were not shuffled.  Nothing is asked of a
card that is still hidden: whatever is said here may be known to everybody.

How rare chance makes what is doubted:

- A run in new-deck order is six cards of one suit, each next in rank to the one before it, up or down, an ace beside both
  the king and the two.  Behind a card lie 2 n of 52 n - 1 that continue it, 3.9 % with any number n of decks; a direction
  once taken is kept with 1.9 %.  Six cards in 416 places come to 416 x 0.039 x 0.019^4 = 2 in a million shoes.
- Cards come in the order of an earlier shoe when eight that lay side by side there lie so again, wherever that is: a cut does
  not hide it.  Chance makes it in 416 x 416 / 52^8 shoes, 3 in a thousand million.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from shared.contracts.shoe import Doubt
from shared.kernel.cards import DECK, RANKS

NEW_DECK_RUN = 6
FORMER_RUN = 8


class Doubted(Struct, frozen=True):
    """What is doubted, the cards that show it, and at which index the first of them left the shoe."""

    doubt: Doubt
    cards: tuple[str, ...]
    index: int | None = None


def of_opened(
    faces: Sequence[str], opened: Sequence[int], *, decks: int, without: Sequence[str], former: Sequence[str] = ()
) -> Iterator[Doubted]:
    """Yield what cards make doubtful that were opened just now, at the indices `opened`.

    `faces` holds the open cards by the index at which they left the shoe, empty where a card is hidden; `without` is what was
    left out of the decks, and `former` the cards of an earlier shoe in the same way.
    """
    seen = Counter(faces)
    for index in opened:
        card = faces[index]
        there = decks - without.count(card)
        if seen[card] > there:
            yield Doubted("card_too_many" if there else "impossible_card", (card,), index)
    for run in _runs(faces, opened, NEW_DECK_RUN):
        if _is_new_deck_order(faces[run : run + NEW_DECK_RUN]):
            yield Doubted("new_deck_order", tuple(faces[run : run + NEW_DECK_RUN]), run)
            break
    lay_together = {tuple(former[at : at + FORMER_RUN]) for at in range(len(former) - FORMER_RUN + 1)}
    for run in _runs(faces, opened, FORMER_RUN) if lay_together else ():
        if tuple(faces[run : run + FORMER_RUN]) in lay_together:
            yield Doubted("former_order", tuple(faces[run : run + FORMER_RUN]), run)
            break


def of_emptied(faces: Sequence[str], *, decks: int, without: Sequence[str]) -> Iterator[Doubted]:
    """Yield which cards are missing from a shoe that is empty and of which `faces` are open.

    As many as nobody could read, in it or of those that were left out, may be those.
    """
    whole = Counter({card: decks - without.count(card) for card in DECK})
    missing = tuple((whole - Counter(faces)).elements())
    if len(missing) > [*faces, *without].count(""):
        yield Doubted("missing_cards", missing)


def _runs(faces: Sequence[str], opened: Sequence[int], length: int) -> Iterator[int]:
    """Yield where runs of open cards begin that hold one of those opened just now."""
    begins = {at for index in opened for at in range(max(index - length + 1, 0), index + 1)}
    return (at for at in sorted(begins) if at + length <= len(faces) and all(faces[at : at + length]))


def _is_new_deck_order(cards: Sequence[str]) -> bool:
    if len({card[1] for card in cards}) > 1:
        return False
    ranks = [RANKS.index(card[0]) for card in cards]
    return {(after - before) % len(RANKS) for before, after in pairwise(ranks)} in ({1}, {len(RANKS) - 1})

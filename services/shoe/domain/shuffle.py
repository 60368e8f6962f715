"""The shuffle: how 32 secret bytes become the order of a shoe, written down so that anybody can do it again.

The seed is the only chance in a shoe, drawn from the operating system; everything here is arithmetic.  When a shoe is
retired its seed is opened, and from then on the whole order can be worked out and compared with what was dealt:

1. Lay the decks in new-deck order (spades, hearts, diamonds, clubs, each from the two to the ace), one after the other;
   take out, for each card that is not in it, its first copy.
2. Make a stream of 32-bit words, most significant byte first, from the blocks HMAC-SHA256(seed, `feltlog shuffle 1`,
   shoe, counter), the three texts on lines of their own, the counter from 0.
3. From the last place down to the second, swap the card there with one at a place up to it (Fisher and Yates; Knuth,
   The Art of Computer Programming, 3.4.2, algorithm P).  A place below n is the next word modulo n; words from the
   largest multiple of n upwards are passed over, so that every place is as likely as any other.
4. The salt of the card at a place is the first half of HMAC-SHA256(seed, `feltlog salt 1`, shoe, place).

The order is committed to as it is then; how it is cut afterwards is `shared/kernel/cutting.py`.  docs/shuffle.md has the
whole recipe, with numbers to try it on.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from shared.kernel.cards import DECK, BadCard
from shared.kernel.commitment import card_leaves
from shared.kernel.numbers import below, counted
from shared.kernel.numbers import words as words_of
from shared.kernel.profile_text import DECKS_MAX

SEED_BYTES = 32
SALT_BYTES = 16


def order(seed: bytes, shoe: str, decks: int, without: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the cards of `decks` decks, but those `without`, in the order that `seed` gives.

    Raise `BadCard` if no shoe holds so many decks, or if a card that is to be left out is not in them.
    """
    if not 0 < decks <= DECKS_MAX:
        raise BadCard(f"{decks} decks are no shoe: it holds 1 to {DECKS_MAX}")
    cards = list(DECK) * decks
    for card in without:
        try:
            cards.remove(card)
        except ValueError:
            raise BadCard(f"{card!r} cannot be left out: it is not, or not so often, in {decks} decks") from None
    stream = words(seed, shoe)
    for last in range(len(cards) - 1, 0, -1):
        place = below(last + 1, stream)
        cards[last], cards[place] = cards[place], cards[last]
    return tuple(cards)


def salts(seed: bytes, shoe: str, cards: int) -> tuple[str, ...]:
    """Return the salts of a shoe of so many cards, in hexadecimal."""
    blocks = islice(counted(seed, f"feltlog salt 1\n{shoe}\n"), cards)
    return tuple([block[:SALT_BYTES].hex() for block in blocks])


def leaves(shoe: str, cards: Sequence[str], salted: Sequence[str]) -> list[bytes]:
    """Return the leaves of the commitment to `cards` in this order."""
    return card_leaves(shoe, cards, salted)


def words(seed: bytes, shoe: str) -> Iterator[int]:
    """Return the words of the shuffle, without end."""
    return words_of(seed, f"feltlog shuffle 1\n{shoe}\n")

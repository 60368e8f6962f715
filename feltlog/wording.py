"""Wording: cards, hands, money and times as people read them.

A sentence is a tuple of parts in which cards stay cards, so that one screen draws them with coloured suits, another with
letters, and a JSON line with neither.  Nothing here asks for the machine's zone or language: the house's zone is given.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from shared.kernel.cards import total
from shared.kernel.money import decimal

WHY_VOID = {"no_wagers": "nobody wagered", "no_cards_left": "no cards were left"}
SUITS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
RED = ("H", "D")


class Card(str):
    """A card within a sentence, by its two letters: `Card("TD")`."""


Sentence = tuple[str, ...]
"""Plain texts and cards, in the order in which they are read."""


def face(card: str, *, letters: bool = False) -> str:
    """Return how a card is written; with `letters`, for a screen that has no suits.

    >>> face("TD"), face("TD", letters=True)
    ('10♦', '10d')
    """
    rank = "10" if card[0] == "T" else card[0]
    return rank + (card[1].lower() if letters else SUITS[card[1]])


def spoken(sentence: Sentence, *, letters: bool = False) -> str:
    """Return a sentence as one text."""
    return "".join(face(part, letters=letters) if isinstance(part, Card) else part for part in sentence)


def row_of(cards: Iterable[str]) -> Sentence:
    """Return cards side by side, a blank between them."""
    parts: list[str] = []
    for card in cards:
        parts += ([" "] if parts else []) + [Card(card)]
    return tuple(parts)


def worth(cards: tuple[str, ...], *, split: bool = False) -> str:
    """Return what a hand is worth in words; `split` says that its box was split, so that an ace and a ten are 21.

    >>> worth(("AS", "6D")), worth(("8H", "5C")), worth(("AS", "KD")), worth(("TS", "8H", "9C"))
    ('soft 17', 'hard 13', 'blackjack', '27, bust')
    """
    points, soft = total(cards)
    if points > 21:
        return f"{points}, bust"
    if len(cards) == 2 and points == 21 and not split:
        return "blackjack"
    if len(cards) < 2 or points == 21:
        return str(points)
    return f"{'soft' if soft else 'hard'} {points}"


def counted(number: int, one: str, more: str = "") -> str:
    """Return a number with its noun; `more` is the noun's plural where an s does not make it.

    >>> counted(1, "card"), counted(0, "card"), counted(2, "entry", "entries")
    ('1 card', '0 cards', '2 entries')
    """
    return f"{number} {one if number == 1 else more or f'{one}s'}"


def why_void(reason: str) -> str:
    """Return in plain words why a round is void.

    >>> why_void("no_wagers")
    'nobody wagered'
    """
    return WHY_VOID.get(reason, reason.replace("_", " "))


def money(minor: int, currency: str) -> str:
    """Return an amount with its currency: `12.50 CAD`."""
    return f"{decimal(minor, currency)} {currency}"


def gain(minor: int, currency: str) -> str:
    """Return a difference with its sign, `0.00` for none."""
    return ("+" if minor > 0 else "") + decimal(minor, currency)


def wall(at_ms: int, zone: ZoneInfo) -> str:
    """Return a moment on the house's clock: `2026-11-30 21:14:03.120`."""
    moment = datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{at_ms % 1000:03d}"


def stamp(at_ms: int, zone: ZoneInfo) -> str:
    """Return a moment on the house's clock for machines: `2026-11-30T21:14:03.120-05:00`."""
    moment = datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone)
    return moment.replace(microsecond=at_ms % 1000 * 1000).isoformat(timespec="milliseconds")


def seconds(ms: int) -> str:
    """Return a span in seconds, to the millisecond: `1.250`."""
    return f"{'-' if ms < 0 else ''}{abs(ms) // 1000}.{abs(ms) % 1000:03d}"

"""Wording: cards, hands, money and times as people read them.

A sentence is a tuple of parts in which cards stay cards, so that one screen draws them with coloured suits, another with
letters, and a JSON line with neither.  Nothing here asks for the machine's zone or language: the house's zone is given.
A log may say anything: what is no card, no currency and no moment is told as it stands there, for whoever looks into it.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from shared.kernel.cards import POINTS, total
from shared.kernel.money import EXPONENTS, decimal

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
    if card not in POINTS:
        return repr(card)
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
    if not POINTS.keys() >= set(cards):
        return "no cards that anybody knows"
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


def amount(minor: int, currency: str) -> str:
    """Return an amount without its currency, in minor units if nobody knows the currency.

    >>> amount(1250, "CAD"), amount(1250, "")
    ('12.50', '1250 minor units')
    """
    return decimal(minor, currency) if currency in EXPONENTS else f"{minor} minor units"


def money(minor: int, currency: str) -> str:
    """Return an amount with its currency: `12.50 CAD`."""
    return f"{amount(minor, currency)} {currency}"


def gain(minor: int, currency: str) -> str:
    """Return a difference with its sign, `0.00` for none."""
    return ("+" if minor > 0 else "") + amount(minor, currency)


def wall(at_ms: int, zone: ZoneInfo) -> str:
    """Return a moment on the house's clock: `2026-11-30 21:14:03.120`."""
    moment = moment_of(at_ms, zone)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{at_ms % 1000:03d}" if moment else f"{at_ms} ms after 1970"


def stamp(at_ms: int, zone: ZoneInfo) -> str:
    """Return a moment on the house's clock for machines, `2026-11-30T21:14:03.120-05:00`; nothing if no calendar has it."""
    moment = moment_of(at_ms, zone)
    return moment.replace(microsecond=at_ms % 1000 * 1000).isoformat(timespec="milliseconds") if moment else ""


def moment_of(at_ms: int, zone: ZoneInfo) -> datetime | None:
    """Return the second of a moment on the house's clock, None if no calendar has it."""
    try:
        return datetime.fromtimestamp(at_ms // 1000, UTC).astimezone(zone)
    except (OverflowError, ValueError, OSError):
        return None


def seconds(ms: int) -> str:
    """Return a span in seconds, to the millisecond: `1.250`."""
    return f"{'-' if ms < 0 else ''}{abs(ms) // 1000}.{abs(ms) % 1000:03d}"

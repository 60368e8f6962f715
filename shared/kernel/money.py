"""Money: whole minor units and the currency's decimals, because a fraction of a cent is a dispute.

Inside a round every amount is a plain count of minor units of the round's one currency; people write and read decimals.
"""

import re

import msgspec

EXPONENTS = {
    "CAD": 2,
    "EUR": 2,
    "GBP": 2,
    "USD": 2,
    "AUD": 2,
    "NZD": 2,
    "CHF": 2,
    "SEK": 2,
    "JPY": 0,
    "KRW": 0,
    "KWD": 3,
    "BHD": 3,
    "JOD": 3,
}
"""Decimals of each currency that a table may use (ISO 4217)."""

FINEST = "KWD"
"""A currency with as many decimals as any: it can express every amount that another can."""

MINOR_MAX = 10**15
"""Largest amount that may be written anywhere, in minor units: far above any table, far below what 64 bits hold."""


class BadMoney(ValueError):
    """A text that is no amount, or an amount that the currency cannot express."""


class Ratio(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Odds as a pair of whole numbers: 3 to 2 is `Ratio(3, 2)`, written `[3, 2]`."""

    won: int
    staked: int


def exponent(currency: str) -> int:
    """Return the number of decimals of `currency`; raise `BadMoney` if no table may use it."""
    try:
        return EXPONENTS[currency]
    except KeyError:
        raise BadMoney(f"{currency!r} is not a known currency: use one of {', '.join(sorted(EXPONENTS))}") from None


def minor_units(text: str, currency: str) -> int:
    """Return the minor units that a decimal text names.

    Raise `BadMoney` unless the text is digits with at most the currency's decimals.

    >>> minor_units("12.5", "CAD")
    1250
    """
    decimals = exponent(currency)
    match = re.fullmatch(r"([0-9]+)(?:\.([0-9]+))?", text)
    if match is None:
        raise BadMoney(f"{text!r} is not an amount: write digits and at most one point, such as 12.50")
    fraction = match[2] or ""
    if len(fraction.rstrip("0")) > decimals:
        raise BadMoney(f"{text} {currency} is finer than the currency: {currency} has {decimals} decimals")
    whole = match[1].lstrip("0") or "0"
    # So many digits are more than any sum, and Python counts no text of thousands of them.
    minor = int(whole) * 10**decimals + int((fraction[:decimals]).ljust(decimals, "0") or 0) if len(whole) <= 16 else MINOR_MAX + 1
    if minor > MINOR_MAX:
        raise BadMoney(f"{text} {currency} is more than this house can write down")
    return minor


def typed_units(text: str, currency: str) -> int:
    """Return the minor units of an amount that a person typed.

    Raise `BadMoney` for one with more decimals than the currency has, noughts too: who types `1.000` may mean a thousand.

    >>> typed_units("1.00", "CAD")
    100
    """
    minor = minor_units(text, currency)
    if len(text.partition(".")[2]) > exponent(currency):
        raise BadMoney(
            f"{text} {currency} has more decimals than the currency: {currency} has {exponent(currency)}, and no sign for thousands"
        )
    return minor


def coin(text: str, currency: str) -> int:
    """Return the minor units of the smallest chip that `text` names; no chip is worth less than the currency's smallest unit.

    Raise `BadMoney` for a text that is no amount.

    >>> coin("0.01", "CAD"), coin("0.01", "JPY"), coin("0.01", "KWD")
    (1, 1, 10)
    """
    finer: int = 10 ** (exponent(FINEST) - exponent(currency))
    return -(-minor_units(text, FINEST) // finer)


def decimal(minor: int, currency: str) -> str:
    """Return the decimal text of an amount, `-` only before a loss.

    >>> decimal(-1250, "CAD")
    '-12.50'
    """
    decimals = exponent(currency)
    sign, digits = ("-" if minor < 0 else ""), str(abs(minor)).rjust(decimals + 1, "0")
    return f"{sign}{digits[:-decimals]}.{digits[-decimals:]}" if decimals else f"{sign}{digits}"


def winnings(stake_minor: int, ratio: Ratio, *, unit_minor: int) -> int:
    """Return the profit on a stake at `ratio`, rounded up to the chip unit (FL-5.9, decision 10).

    >>> winnings(1500, Ratio(3, 2), unit_minor=1)
    2250
    >>> winnings(150, Ratio(3, 2), unit_minor=50)
    250
    """
    exact_times_staked = stake_minor * ratio.won
    step = ratio.staked * unit_minor
    return -(-exact_times_staked // step) * unit_minor


def rounding(stake_minor: int, ratio: Ratio, *, unit_minor: int) -> int:
    """Return how much of the winnings is there only because chips cannot make less (FL-5.9).

    A part of a minor unit that the exact winnings have belongs to what is rounded up, because no account can hold it.

    >>> rounding(150, Ratio(3, 2), unit_minor=50)
    25
    >>> rounding(1501, Ratio(3, 2), unit_minor=1), rounding(1500, Ratio(3, 2), unit_minor=1)
    (1, 0)
    """
    return winnings(stake_minor, ratio, unit_minor=unit_minor) - stake_minor * ratio.won // ratio.staked

"""Stakes: what chips can make, in minor units."""

from functools import lru_cache

from shared.contracts.refusals import Reason, refused
from shared.kernel.money import coin, decimal
from shared.kernel.profile import Profile


def unit_minor(profile: Profile, currency: str) -> int:
    """Return the smallest amount that chips can make; no chip is worth less than the currency's smallest unit (decision 10)."""
    return _unit_minor(profile.chip_unit, currency)


@lru_cache(maxsize=64)
def _unit_minor(chip_unit: str, currency: str) -> int:
    return coin(chip_unit, currency)


def in_words(minor: int, currency: str) -> str:
    """Return an amount as people read it."""
    return f"{decimal(minor, currency)} {currency}"


def check_grid(stake_minor: int, unit: int, currency: str) -> None:
    """Raise `Refused` if chips cannot make the stake."""
    if stake_minor % unit:
        raise refused(Reason.NOT_EXACT, f"chips come in multiples of {in_words(unit, currency)}.")

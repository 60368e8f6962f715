"""The settings of a table: what the house may choose within a profile.

Everything that a round will rest on is looked at when the table opens, so that no round finds a limit that chips cannot make.
"""

from services.table.domain.stakes import in_words, unit_minor
from shared.contracts.refusals import Reason, refused
from shared.contracts.subjects import BadSubject, day_token, token
from shared.contracts.table import OpenTable, TableSettings
from shared.kernel.money import MINOR_MAX, BadMoney, minor_units
from shared.kernel.profile import Profile

HOUR_MS = 3_600_000


def check_settings(command: OpenTable) -> None:
    """Raise `Refused` with a sentence if a table cannot be opened like this."""
    try:
        token(command.table)
        token(command.settings.operator)
        day_token(command.day)
        profile = command.profile
        if profile is None or profile.name != command.profile_name:
            raise refused(Reason.BAD_SETTINGS, f"there is no profile {command.profile_name!r}.")
        _check_limits(command.settings, profile)
    except (BadSubject, BadMoney) as error:
        raise refused(Reason.BAD_SETTINGS, f"{error}.") from error
    for key, holds, wanted in _demands(command.settings, profile):
        if not holds:
            raise refused(Reason.BAD_SETTINGS, f"{key}: {wanted}.")


def _check_limits(settings: TableSettings, profile: Profile) -> None:
    """ON-1.1, ON-1.2, decision 8: a table's limits lie within those of its book, and chips can make them."""
    currency = settings.currency
    least = minor_units(profile.minimum, currency)
    most = minor_units(profile.maximum, currency)
    if not least <= settings.minimum_minor <= settings.maximum_minor <= min(most, MINOR_MAX):
        raise refused(Reason.BAD_SETTINGS, f"the limits must lie between {in_words(least, currency)} and {in_words(most, currency)}")
    unit = unit_minor(profile, currency)
    if settings.minimum_minor % unit or settings.maximum_minor % unit:
        raise refused(Reason.BAD_SETTINGS, f"the limits must be multiples of {in_words(unit, currency)}")


def _demands(settings: TableSettings, profile: Profile) -> tuple[tuple[str, bool, str], ...]:
    """Return what else must hold: the key, whether it holds, and what is wanted."""
    return (
        ("boxes", 1 <= settings.boxes <= profile.boxes_max, f"1 to {profile.boxes_max}"),
        ("betting_window_ms", 1 <= settings.betting_window_ms <= HOUR_MS, "1 to 3600000"),
        ("decision_ms", 1 <= settings.decision_ms <= HOUR_MS, "1 to 3600000"),
        ("reserve_ms", 1 <= settings.reserve_ms <= HOUR_MS, "1 to 3600000"),
        ("pause_ms", 0 <= settings.pause_ms <= HOUR_MS, "0 to 3600000"),
        ("offer_ms", 0 <= settings.offer_ms <= HOUR_MS, "0 to 3600000"),
        ("reveal_ms", 1 <= settings.reveal_ms <= HOUR_MS, "1 to 3600000"),
    )

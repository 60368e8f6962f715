"""Filling in: what people and timers leave to the house to say, completed just before it is decided.

The edge knows the day, the time and the rule books; what they are needed for is said here, without asking for them.
"""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from services.table.domain.coming import Revealing, Sealing
from services.table.domain.state import Over, Playing, Round, clock
from services.table.domain.table_state import Table
from shared.contracts.asking import ExtendReveal
from shared.contracts.decisions import ExtendClock
from shared.contracts.refusals import Reason, refused
from shared.contracts.rounds import PlayerCommand
from shared.contracts.table import EndDay, OpenTable
from shared.kernel.profile import Profile


class GamingDay(Struct, frozen=True):
    """The gaming day that it is, and when it ends."""

    day: str
    ends_at_ms: int


def fill_table(command: Any, today: GamingDay, profile: Callable[[str], Profile]) -> Any:
    """Return a table's command with the day, and with the rule book by value."""
    match command:
        case OpenTable(profile=None):
            return replace(command, day=today.day, day_ends_at_ms=today.ends_at_ms, profile=profile(command.profile_name))
        case EndDay(next_day=""):
            return replace(command, next_day=today.day, next_day_ends_at_ms=today.ends_at_ms)
        case _:
            return command


def fill_round(command: Any, round_: Round, *, day: str, now_ms: int) -> Any:
    """Return a round's command, an extended clock running from now on; refuse what a player wants of a round of a day that is over."""
    if isinstance(command, PlayerCommand) and isinstance(round_, Over) and round_.opened.day < day:
        raise refused(Reason.DAY_CLOSED)
    if isinstance(command, ExtendClock):
        return extension(round_, now_ms) or command
    return command


def fill_reveal(command: Any, table: Table, now_ms: int) -> Any:
    """Return a table's command, an extended time for secrets running from now on."""
    return (table_extension(table, now_ms) or command) if isinstance(command, ExtendReveal) else command


def table_extension(table: Table, now_ms: int) -> ExtendReveal | None:
    """Return the command that gives those who may cut their time again after the house was away; None if nobody is waited for."""
    match table.coming:
        case Sealing(until_ms=int()) if table.opened is not None:
            return ExtendReveal(until_ms=now_ms + table.opened.settings.offer_ms)
        case Revealing() if table.opened is not None:
            return ExtendReveal(until_ms=now_ms + table.opened.settings.reveal_ms)
        case _:
            return None


def extension(round_: Round, now_ms: int) -> ExtendClock | None:
    """Return the command that gives a person's clock again in full after the house was away, as of now; None if none runs."""
    if not isinstance(round_, Playing) or clock(round_.awaiting) is None:
        return None
    return ExtendClock(until_ms=now_ms + round_.opened.settings.decision_ms, reason="outage")

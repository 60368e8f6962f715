"""The settings of a house: what an operator writes in `tables.toml`, read strictly.

A misspelt key or a value of the wrong kind stops the start with a sentence that names the file and the key, because a
setting that is silently ignored is found out only when money has moved by it.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import msgspec

from feltlog.permissions import HOUSE
from feltlog.trouble import Trouble
from shared.contracts.staff import PIT, Job
from shared.contracts.table import OpenTable, TableSettings
from shared.kernel.money import BadMoney, minor_units
from shared.kernel.toml import BadToml, decode, quoted
from shared.runtime.settings import SCANNER, TIME_OF_DAY, SettingMissing
from shared.runtime.sql import where_of

PORT_MAX = 65_535
NAME = r"^[A-Za-z0-9_-]{1,64}\Z"
AMOUNT = r"^[0-9]{1,12}(\.[0-9]{1,4})?\Z"
CURRENCY = r"^[A-Z]{3}\Z"
PATTERNS = {
    NAME: "letters, digits, '_' and '-', 64 at most",
    AMOUNT: 'an amount in quotes, such as "5.00"',
    CURRENCY: "three capital letters, such as CAD",
    TIME_OF_DAY: "a time of day, such as 06:00",
    SCANNER: "a scanner's address, such as tcp://127.0.0.1:7001 or serial:/dev/ttyUSB0",
}
"""What each pattern wants, as a person is told it."""
PROCESSES = HOUSE.keys() - PIT.keys()
"""Users that no person may be."""

Name = Annotated[str, msgspec.Meta(pattern=NAME)]
Amount = Annotated[str, msgspec.Meta(pattern=AMOUNT)]
Currency = Annotated[str, msgspec.Meta(pattern=CURRENCY)]
TimeOfDay = Annotated[str, msgspec.Meta(pattern=TIME_OF_DAY)]
ScannerAddress = Annotated[str, msgspec.Meta(pattern=SCANNER)]
Window = Annotated[int, msgspec.Meta(ge=1, le=600_000, description="milliseconds, 600000 at most")]
Pause = Annotated[int, msgspec.Meta(ge=0, le=600_000, description="milliseconds, 600000 at most")]
Boxes = Annotated[int, msgspec.Meta(ge=1, le=9, description="1 to 9")]


class TableRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One `[[table]]`: a table that opens with the house."""

    id: Name
    profile: str
    currency: Currency
    minimum: Amount
    maximum: Amount
    boxes: Boxes = 7
    betting_window_ms: Window = 15_000
    decision_ms: Window = 15_000
    reserve_ms: Window = 5_000
    pause_ms: Window = 5_000
    reveal_ms: Window = 3_000
    offer_ms: Pause = 0
    supervisor: Literal["game_supervisor", "casino_supervisor"] = "game_supervisor"
    dealer: Literal["automatic", "staff"] = "automatic"


class HouseRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[house]`: who runs it, and when its gaming day starts on the clock of `zone`."""

    operator: Name
    day_starts: TimeOfDay
    zone: str


class WalletRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`[wallet]`: how much two persons may move by one adjustment, by currency; and where the rows of the ledger are kept."""

    adjustment_max: dict[Currency, Amount] = {}
    database: str = ""
    """A file in the data directory if nothing is said."""


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of `tables.toml`."""

    house: HouseRules
    staff: dict[Name, Job] = {}
    """Who works at the tables, and as what."""
    scanners: dict[Name, ScannerAddress] = {}
    """Where the scanner of each table is reached whose cards are scanned."""
    wallet: WalletRules = WalletRules()
    table: tuple[TableRules, ...] = ()


DEFAULT = """\
# The house and its tables, read at every start of `feltlog up`.

[house]
operator = "feltlog"
day_starts = "06:00"            # the gaming day starts here, by the clock of the zone
zone = "America/Toronto"

# Who works at the tables: a name, which is a credential in secrets/, and a job. A ruling that needs two persons needs two
# names here. Jobs: dealer, game_supervisor, casino_supervisor, duty_manager, pit_boss, inspector,
# designated_representative, support.

[staff]
pit = "pit_boss"
supervisor = "casino_supervisor"
manager = "duty_manager"
inspector = "inspector"

# [wallet] says how much one adjustment may move that two persons agree on (`feltlog wallet adjust`), by currency; "0" is
# none at all. A currency that is not named has 100000 of its smallest unit: 1000.00 CAD, 100000 JPY, 100.000 KWD. A change
# counts from the next gaming day's book on. It may also name the database that the rows of the ledger are kept in, such as
# database = "postgresql://feltlog@db.example/feltlog". A URL with a password belongs into the environment instead, as
# FELTLOG_WALLET_DATABASE. Without either it is books.sqlite, beside this file.

[wallet]
adjustment_max = { CAD = "500.00", EUR = "500.00", USD = "500.00" }

# [scanners] says where the card scanner of a table is reached whose profile has device = "scanned", such as
# T1 = "tcp://127.0.0.1:7001" or T1 = "serial:/dev/ttyUSB0".

# One [[table]] for each felt. Amounts stand in quotes and in the table's currency.
# betting_window_ms: how long wagers are taken; decision_ms: how long a player may think;
# reserve_ms: how long a wager may wait for its wallet; pause_ms: between a round and the next;
# reveal_ms: how long secrets towards the cut of a shoe are waited for, if anybody has sealed one;
# offer_ms: how long a shoe is offered to be cut that the table waits for, such as a day's first (0: it is not);
# supervisor: who cuts under `floor` when no player does, "game_supervisor" or "casino_supervisor".
# dealer: "automatic" deals by itself, "staff" waits for a dealer's word.

[[table]]
id = "T1"
profile = "ontario"
currency = "CAD"
minimum = "1.00"
maximum = "5.00"
boxes = 7
betting_window_ms = 15000
decision_ms = 15000
reserve_ms = 5000
pause_ms = 5000
reveal_ms = 3000
dealer = "automatic"

[[table]]
id = "T2"
profile = "live"
currency = "EUR"
minimum = "10.00"
maximum = "1000.00"
boxes = 7
betting_window_ms = 15000
decision_ms = 15000
reserve_ms = 5000
pause_ms = 5000
reveal_ms = 3000
dealer = "automatic"

[[table]]
id = "T3"
profile = "live"
currency = "USD"
minimum = "25.00"
maximum = "1000.00"
boxes = 5
betting_window_ms = 15000
decision_ms = 15000
reserve_ms = 5000
pause_ms = 5000
reveal_ms = 3000
dealer = "automatic"
"""


def read_settings(path: Path) -> Settings:
    """Return what `path` says; raise `Trouble` that names the file and the key if it is not to be understood."""
    try:
        settings = decode(path.read_bytes(), Settings)
    except FileNotFoundError as error:
        raise Trouble(f"There is no {path}. `feltlog up --data {path.parent}` makes one.") from error
    except OSError as error:
        raise Trouble(f"{path} cannot be read: {error.strerror}.") from error
    except BadToml as error:
        raise Trouble(f"{path} cannot be used: {sentence(str(error))}") from error
    for problem in contradictions(settings):
        raise Trouble(f"{path} cannot be used: {problem}")
    return settings


def sentence(message: str) -> str:
    """Return a decoding message with the place in front, in the words of the file.

    >>> sentence("Expected `int`, got `str` - at `$.table[0].boxes`")
    'in table 1, key `boxes`: expected `int`, got `str`.'
    >>> sentence("Object contains unknown field `mimimum` - at `$.table[1]`")
    'in table 2: unknown key `mimimum`.'
    """
    what, _, path = message.replace(" - at `key` in `$", " - at `$").partition(" - at `$")
    what = what.replace("Object contains unknown field", "unknown key").replace("Object missing required field", "missing key")
    what = re.sub(r"Expected `str` matching regex '(.*)'", lambda match: f"expected {PATTERNS.get(_pattern(match[1]), match[0])}", what)
    parts = re.findall(r"[A-Za-z_]+|\[[0-9]+\]|\[\.\.\.\]", path)
    match parts:
        case ["table", index, *rest] if index.strip("[]").isdigit():
            place, keys = f"in table {int(index.strip('[]')) + 1}", rest
        case ["wallet", "adjustment_max", *_]:
            place, keys = "in [wallet]", ["adjustment_max"]
        case ["house" | "wallet" as section, *rest]:
            place, keys = f"in [{section}]", rest
        case ["staff" | "scanners" as section, *_]:
            place, keys = f"in [{section}]", []
        case _:
            place, keys = "", parts
    place = ", ".join(filter(None, [place, *(f"key `{key}`" for key in keys)]))
    return f"{place}: {what[:1].lower()}{what[1:]}." if place else f"{what[:1].lower()}{what[1:]}."


def _pattern(shown: str) -> str:
    """Return a pattern that is shown in an error, where each backslash stands twice."""
    return shown.replace("\\\\", "\\")


def contradictions(settings: Settings) -> list[str]:
    """Return what cannot be right although each value alone is."""
    found = []
    try:
        ZoneInfo(settings.house.zone)
    except (KeyError, ValueError, OSError):
        found.append(f"in [house], key `zone`: there is no time zone {quoted(settings.house.zone)} on this machine.")
    found += [f"in [staff]: {name!r} is a process of the house and works at no table." for name in settings.staff if name in PROCESSES]
    ids = [table.id for table in settings.table]
    found += [f"in [scanners]: there is no table {table!r}." for table in settings.scanners if table not in ids]
    found += impossible_scanners(settings.scanners)
    found += impossible_caps(settings.wallet)
    found += impossible_database(settings.wallet.database)
    found += [f"table {id_!r} stands there {ids.count(id_)} times; each table needs an id of its own." for id_ in ids if ids.count(id_) > 1]
    return found + [problem for table in settings.table if (problem := impossible_limits(table))]


def impossible_scanners(scanners: Mapping[str, str]) -> list[str]:
    """Return what is wrong with addresses that look like some: a port that none can have, and a scanner that two tables share."""
    found, tables = [], dict[str, str]()
    for table, address in scanners.items():
        place, _, port = address.rpartition(":")
        if address.startswith("tcp:"):
            address = f"{place.lower()}:{int(port)}"
            if not 0 < int(port) <= PORT_MAX:
                found.append(f"in [scanners], key `{table}`: a port is a number from 1 to {PORT_MAX}, not {port}.")
        if address in tables:
            found.append(f"in [scanners]: {tables[address]!r} and {table!r} have the same scanner; what it sees leaves one shoe.")
        tables[address] = table
    return found


def impossible_caps(wallet: WalletRules) -> list[str]:
    """Return what is wrong with caps on adjustments: a currency that nobody knows, and an amount that is finer than it."""
    found = []
    for currency, most in wallet.adjustment_max.items():
        try:
            minor_units(most, currency)
        except BadMoney as error:
            found.append(f"in [wallet], key `adjustment_max`: {error}.")
    return found


def adjustment_caps(wallet: WalletRules) -> dict[str, int]:
    """Return how much one adjustment may move, in minor units, of the currencies that are named."""
    return {currency: minor_units(most, currency) for currency, most in wallet.adjustment_max.items()}


def impossible_database(database: str) -> list[str]:
    """Return what is wrong with where the wallet's rows are to be kept; what stands there is not repeated."""
    try:
        if database:
            where_of(database, setting="in [wallet], key `database`: what stands there")
    except SettingMissing as error:
        return [str(error)]
    return []


def impossible_limits(table: TableRules) -> str:
    """Return what is wrong with a table's limits, nothing if they can be played."""
    try:
        minimum, maximum = minor_units(table.minimum, table.currency), minor_units(table.maximum, table.currency)
    except BadMoney as error:
        return f"table {table.id!r}: {error}."
    if not 0 < minimum <= maximum:
        return f"table {table.id!r}: the minimum {table.minimum} must be above zero and not above the maximum {table.maximum}."
    return ""


def table_settings(house: HouseRules, table: TableRules) -> TableSettings:
    """Return what the table service is told about a table, amounts in minor units."""
    return TableSettings(
        operator=house.operator,
        currency=table.currency,
        boxes=table.boxes,
        minimum_minor=minor_units(table.minimum, table.currency),
        maximum_minor=minor_units(table.maximum, table.currency),
        dealer=table.dealer,
        betting_window_ms=table.betting_window_ms,
        decision_ms=table.decision_ms,
        reserve_ms=table.reserve_ms,
        pause_ms=table.pause_ms,
        reveal_ms=table.reveal_ms,
        offer_ms=table.offer_ms,
        supervisor=table.supervisor,
    )


def open_table(house: HouseRules, table: TableRules) -> OpenTable:
    """Return the command that opens a table."""
    return OpenTable(table=table.id, profile_name=table.profile, settings=table_settings(house, table))

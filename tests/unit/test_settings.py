"""Settings: what an operator misspells is told, by file and by key."""

from pathlib import Path

import pytest

from feltlog.settings import DEFAULT, adjustment_caps, open_table, read_settings
from feltlog.trouble import Trouble
from shared.contracts.caps import CAP_MINOR, all_caps, caps_line
from shared.runtime.settings import SettingMissing, from_environment, scanners_line

HOUSE = '[house]\noperator = "feltlog"\nday_starts = "06:00"\nzone = "America/Toronto"\n'
TABLE = '[[table]]\nid = "T1"\nprofile = "ontario"\ncurrency = "CAD"\nminimum = "5.00"\nmaximum = "500.00"\n'


def written(folder: Path, text: str) -> Path:
    """Return a `tables.toml` with this text."""
    path = folder / "tables.toml"
    path.write_text(text)
    return path


def test_settings_of_the_first_start_open_three_tables(tmp_path: Path):
    """What the first start writes can be read, one table for each currency."""
    settings = read_settings(written(tmp_path, DEFAULT))

    assert [(table.id, table.profile, table.currency) for table in settings.table] == [
        ("T1", "ontario", "CAD"),
        ("T2", "live", "EUR"),
        ("T3", "live", "USD"),
    ]


def test_settings_become_the_command_that_opens_a_table(tmp_path: Path):
    """Amounts are written as people write them and told to the table in minor units."""
    settings = read_settings(written(tmp_path, HOUSE + TABLE))
    command = open_table(settings.house, settings.table[0])

    assert (command.table, command.profile_name, command.settings.minimum_minor, command.settings.maximum_minor) == (
        "T1",
        "ontario",
        500,
        50_000,
    )


def test_settings_that_cannot_be_read_are_told(tmp_path: Path):
    """A folder where the file belongs, or a file that only somebody else may read."""
    (tmp_path / "tables.toml").mkdir()

    with pytest.raises(Trouble, match=r"tables.toml cannot be read: Is a directory\."):
        read_settings(tmp_path / "tables.toml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HOUSE + TABLE + 'mimimum = "1.00"\n', "in table 1: unknown key `mimimum`."),
        (HOUSE + TABLE.replace('"5.00"', "5"), "in table 1, key `minimum`: expected `str`, got `int`."),
        (HOUSE + TABLE + 'boxes = "7"\n', "in table 1, key `boxes`: expected `int`, got `str`."),
        (HOUSE + TABLE + "boxes = 70\n", "in table 1, key `boxes`: expected `int` <= 9."),
        (HOUSE + TABLE + 'dealer = "robot"\n', "in table 1, key `dealer`: invalid enum value 'robot'."),
        (HOUSE + TABLE.replace('id = "T1"\n', ""), "in table 1: missing key `id`."),
        (HOUSE.replace("06:00", "6"), "in [house], key `day_starts`: expected a time of day, such as 06:00."),
        (HOUSE.replace("operator", "opertor"), "in [house]: "),
        ("[hose]\n", "unknown key `hose`."),
        (HOUSE.replace("America/Toronto", "America/Nowhere"), "in [house], key `zone`: there is no time zone 'America/Nowhere'"),
        (HOUSE + TABLE + TABLE, "table 'T1' stands there 2 times"),
        (
            HOUSE + TABLE.replace('"5.00"', '"900.00"'),
            "table 'T1': the minimum 900.00 must be above zero and not above the maximum 500.00.",
        ),
        (HOUSE + TABLE.replace("CAD", "XXX"), "table 'T1': 'XXX' is not a known currency"),
        (HOUSE + TABLE.replace('"5.00"', '"5.001"'), "table 'T1': 5.001 CAD is finer than the currency"),
        ("[house\n", "cannot be used: "),
        (HOUSE + TABLE.replace('"5.00"', '"five"'), 'in table 1, key `minimum`: expected an amount in quotes, such as "5.00".'),
        (HOUSE + "[[table]]\nboxes = " + "9" * 5_000, "cannot be used: "),
        (HOUSE + "table = " + "[" * 5_000, "cannot be used: "),
        (HOUSE + TABLE.replace('"T1"', '"T1\\n"'), "in table 1, key `id`: expected letters, digits, '_' and '-', 64 at most."),
        (HOUSE + "\n[[table]]\nid = 7\n", "in table 1"),
        (HOUSE + '[staff]\nann = "croupier"\n', "in [staff]: invalid enum value 'croupier'."),
        (HOUSE + '[staff]\n"a b" = "dealer"\n', "in [staff]: expected letters, digits, '_' and '-', 64 at most."),
        (
            HOUSE + TABLE + '[scanners]\nT1 = "http://scanner"\n',
            "in [scanners]: expected a scanner's address, such as tcp://127.0.0.1:7001",
        ),
        (HOUSE + '[scanners]\nT9 = "serial:/dev/ttyUSB0"\n' + TABLE, "in [scanners]: there is no table 'T9'."),
        (HOUSE + '[scanners]\nT1 = "tcp://a:70000"\n' + TABLE, "in [scanners], key `T1`: a port is a number from 1 to 65535, not 70000."),
        (HOUSE + '[scanners]\nT1 = "tcp://a:0"\n' + TABLE, "in [scanners], key `T1`: a port is a number from 1 to 65535, not 0."),
        (
            HOUSE + '[scanners]\nT1 = "tcp://a:7001"\nT2 = "tcp://A:07001"\n' + TABLE + TABLE.replace('"T1"', '"T2"'),
            "in [scanners]: 'T1' and 'T2' have the same scanner",
        ),
        (
            HOUSE + '[scanners]\nT1 = "serial:/dev/s"\nT2 = "serial:/dev/s"\n' + TABLE + TABLE.replace('"T1"', '"T2"'),
            "in [scanners]: 'T1' and 'T2' have the same scanner",
        ),
        (HOUSE + '[scanners]\nT1 = "serial:/dev/tty\\u0000"\n' + TABLE, "in [scanners]: expected a scanner's address"),
        (HOUSE + '[wallet]\nadjustment_max = { XYZ = "1" }\n', "in [wallet], key `adjustment_max`: 'XYZ' is not a known currency"),
        (HOUSE + '[wallet]\nadjustment_max = { JPY = "0.5" }\n', "0.5 JPY is finer than the currency: JPY has 0 decimals."),
        (HOUSE + "[wallet]\nadjustment_max = { CAD = 5 }\n", "in [wallet], key `adjustment_max`: expected `str`, got `int`."),
        (HOUSE + '[wallet]\nadjustment_min = "5.00"\n', "in [wallet]: unknown key `adjustment_min`."),
        (
            HOUSE + '[wallet]\ndatabase = "mysql://felt@db/books"\n',
            "in [wallet], key `database`: what stands there names no database that rows can be kept in.",
        ),
        (HOUSE + '[staff]\nwallet = "dealer"\n', "in [staff]: 'wallet' is a process of the house and works at no table."),
    ],
)
def test_settings_that_cannot_be_understood_are_told_with_file_and_key(tmp_path: Path, text: str, told: str):
    """A setting is never ignored: unknown keys and wrong values stop the start with a sentence."""
    path = written(tmp_path, text)

    with pytest.raises(Trouble) as caught:
        read_settings(path)

    assert (str(path) in str(caught.value), told in str(caught.value)) == (True, True), str(caught.value)


def test_settings_that_are_missing_are_told(tmp_path: Path):
    """Without `tables.toml` the sentence says how to get one."""
    with pytest.raises(Trouble, match="makes one"):
        read_settings(tmp_path / "tables.toml")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FELTLOG_DAY_STARTS", "6"),
        ("FELTLOG_DAY_STARTS", "06:00\n"),
        ("FELTLOG_ZONE", "Nowhere/At_All"),
        ("FELTLOG_ADJUSTMENT_CAPS", "CAD=1.00"),
        ("FELTLOG_ADJUSTMENT_CAPS", "XYZ=1"),
        ("FELTLOG_ADJUSTMENT_CAPS", "CAD=1,CAD=2"),
        ("FELTLOG_SCANNERS", "T1"),
        ("FELTLOG_SCANNERS", "T1=tcp://a:1 T1=tcp://b:1"),
    ],
)
def test_environment_that_cannot_be_meant_is_told(name: str, value: str):
    """A service does not start by a day that no clock has."""
    environment = dict.fromkeys(("FELTLOG_DATA", "FELTLOG_NATS_URL", "FELTLOG_MONITOR_URL", "FELTLOG_CREDENTIALS"), "x")

    with pytest.raises(SettingMissing, match=name):
        from_environment({**environment, name: value})


def test_scanners_of_tables_reach_the_shoe_service(tmp_path: Path):
    """From `tables.toml` through the process's environment, as they were written."""
    settings = read_settings(written(tmp_path, HOUSE + '[scanners]\nT1 = "tcp://127.0.0.1:7001"\n' + TABLE))
    environment = dict.fromkeys(("FELTLOG_DATA", "FELTLOG_NATS_URL", "FELTLOG_MONITOR_URL", "FELTLOG_CREDENTIALS"), "x")

    assert from_environment({**environment, "FELTLOG_SCANNERS": scanners_line(settings.scanners)}).scanners == settings.scanners


def test_caps_of_adjustments_reach_the_wallet_service(tmp_path: Path):
    """In minor units by the currency's own decimals; what is not named has the house's usual cap in the book."""
    settings = read_settings(written(tmp_path, HOUSE + '[wallet]\nadjustment_max = { CAD = "20.5", JPY = "700", KWD = "0" }\n' + TABLE))
    environment = dict.fromkeys(("FELTLOG_DATA", "FELTLOG_NATS_URL", "FELTLOG_MONITOR_URL", "FELTLOG_CREDENTIALS"), "x")
    line = caps_line(adjustment_caps(settings.wallet))
    caps = {cap.currency: cap.minor for cap in all_caps(from_environment({**environment, "FELTLOG_ADJUSTMENT_CAPS": line}).adjustment_caps)}

    assert [caps[currency] for currency in ("CAD", "JPY", "KWD", "EUR")] == [2050, 700, 0, CAP_MINOR]

"""Settings that somebody got wrong: a sentence that names the file or the name, never a traceback, and nothing half taken over."""

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from hypothesis import assume, given
from hypothesis import strategies as st

from feltlog.commands.demo import TABLES
from feltlog.scenario.run import run
from feltlog.scenario.text import CODES, read_json
from feltlog.settings import DEFAULT, open_table, read_settings
from feltlog.trouble import Trouble
from services.shoe.app.sealing import sealing_key
from services.table.domain.filling import GamingDay, fill_table
from services.table.domain.table import TABLE
from shared.kernel.folded import Asked, Pen, draft, empty
from shared.kernel.messages import HOUSE
from shared.kernel.profile import Profile
from shared.kernel.profile_text import BadProfile, changed, decode, flat
from shared.runtime.clock import day_ends_at_ms, gaming_day
from shared.runtime.settings import SettingMissing, from_environment
from shared.runtime.shelf import books, names, own_profile, profile, text
from tests.fuzz.examples import fuzz
from tests.fuzz.strategies import altered, damaged, plain_values, texts
from tests.fuzz.toml import written
from tests.house.tree import ROOT

SENTENCE_MAX = 500
EPOCH_MS = 1_796_000_000_000
SCENARIO = (ROOT / "docs" / "examples" / "eights.json").read_bytes()
ENVIRONMENT = {
    "FELTLOG_DATA": "data",
    "FELTLOG_NATS_URL": "nats://127.0.0.1:4222",
    "FELTLOG_MONITOR_URL": "http://127.0.0.1:8222",
    "FELTLOG_CREDENTIALS": "data/secrets/table.nk",
    "FELTLOG_DAY_STARTS": "06:00",
    "FELTLOG_ZONE": "America/Toronto",
}
SEALING_KEY = f'id = "K1"\nkey_hex = "{"ab" * 32}"\n'.encode()
VALUES = ("true", "-1", "0", "8", '"x"', '""', '"9e9"', "[]", "[1, 0]", "[[0, 0], [0, 0]]", "{}", "1e400", "nan", "9" * 30, "2026-11-30")


@st.composite
def otherwise_said(draw: st.DrawFn, told: str) -> bytes:
    """Return a TOML text in which one line says something else, is not there, or stands there twice."""
    lines = told.splitlines()
    at = draw(st.sampled_from([number for number, line in enumerate(lines) if " = " in line]))
    key = lines[at].split(" = ")[0]
    changed_lines = (f"{key} = {draw(st.sampled_from(VALUES))}", f"{key}x = 1", "", f"{lines[at]}\n{lines[at]}")
    return "\n".join([*lines[:at], draw(st.sampled_from(changed_lines)), *lines[at + 1 :]]).encode()


def texts_near(told: str) -> st.SearchStrategy[bytes]:
    """Return TOML that says something else in one place, or a file that was damaged."""
    return altered(tomllib.loads(told)).map(written) | damaged(told.encode())


def is_a_sentence(error: Exception, *parts: str) -> bool:
    """Return whether an error can be shown to a person: one line, not too long, that names what it is about."""
    said = str(error)
    return said.isprintable() and 0 < len(said) < SENTENCE_MAX and all(part in said for part in parts)


def filled(command: Any, state: Any) -> Any:
    """Return a command as the table service completes it."""
    return fill_table(command, GamingDay("20261130", EPOCH_MS), lambda name: profile("live"))


@fuzz()
@given(st.data(), st.sampled_from(names()))
def test_a_profile_is_one_or_names_file_and_key(data: st.DataObject, name: str):
    """An unknown key, a wrong type or rules at odds: an error that begins with the file's name."""
    said = data.draw(texts_near(text(name)) | otherwise_said(text(name)))
    try:
        found: Profile | str = decode(said.decode(errors="replace"), f"{name}.toml", books())
    except BadProfile as error:
        found = str(error)

    assert isinstance(found, Profile) or (found.startswith(f"{name}.toml: ") and found.isprintable() and len(found) < SENTENCE_MAX)


@fuzz()
@given(st.sampled_from(names()), st.dictionaries(st.sampled_from(sorted(flat(profile("live")))) | texts, plain_values, max_size=3))
def test_options_make_a_profile_or_name_a_key(name: str, options: dict[str, Any]):
    """Scenario files: an option that no profile has makes the file invalid."""
    try:
        found: Profile | str = changed(profile(name), options, "options")
    except BadProfile as error:
        found = str(error)

    assert isinstance(found, Profile) or found.startswith("options: ")


@fuzz()
@given(texts_near(DEFAULT) | texts_near(TABLES) | otherwise_said(TABLES))
def test_tables_are_some_or_the_file_is_named(said: bytes):
    """`tables.toml` is read whole or not at all; what is read can be asked of the table service, which refuses or opens a table."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tables.toml"
        path.write_bytes(said)
        try:
            commands = [open_table(settings.house, table) for settings in [read_settings(path)] for table in settings.table]
        except Trouble as trouble:
            assert is_a_sentence(trouble, "tables.toml"), str(trouble)
            return
    for command in commands:
        asked = Asked("open", command, HOUSE, 1)
        drafted = draft(TABLE, empty(TABLE, "log.table.20261130.T1.table"), [asked], Pen("table-1", 1, "test"), now_ms=1, fill=filled)

        assert drafted.broken == {}


@fuzz()
@given(texts)
def test_no_name_leads_out_of_the_folder_of_profiles(name: str):
    """Whoever opens a table says which profile; it is a name and no path."""
    assume(name not in names())
    with TemporaryDirectory() as folder:
        try:
            found: Profile | str = own_profile(name, Path(folder, "profiles"))
        except BadProfile as error:
            found = str(error)

    assert isinstance(found, str) and len(found) < SENTENCE_MAX


@fuzz()
@given(altered(ENVIRONMENT, texts))
def test_an_environment_is_whole_or_the_name_is_told(environment: dict[str, Any]):
    """A service that starts with nonsense in its environment says so before it serves anybody."""
    try:
        settings = from_environment({name: str(value) for name, value in environment.items()})
    except SettingMissing as error:
        assert is_a_sentence(error, "FELTLOG_"), str(error)
        return
    day = gaming_day(EPOCH_MS, settings.day_starts, settings.zone)

    assert day_ends_at_ms(day, settings.day_starts, settings.zone) > EPOCH_MS


@fuzz()
@given(damaged(SEALING_KEY), st.none() | texts)
def test_a_sealing_key_is_one_or_missing(said: bytes, secret: str | None):
    """A key that is spoiled is told as one, and never shown."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sealing.key"
        path.write_bytes(said)
        try:
            found: int | str = len(sealing_key(path, {} if secret is None else {"FELTLOG_SEALING_SECRET": secret}).key)
        except SettingMissing as error:
            found = str(error)

    assert found == 32 or (isinstance(found, str) and "abababab" not in found)


@fuzz()
@given(st.data())
def test_a_scenario_is_played_or_invalid(data: st.DataObject):
    """Scenario files: whatever a file says has a result, and an invalid one a code that is documented."""
    said = data.draw(damaged(SCENARIO) | altered(msgspec.json.decode(SCENARIO)).map(msgspec.json.encode))
    result: Any = run("a file", said, read_json, ROOT / "docs").result

    assert result.outcome in ("settled", "awaiting", "void") or result.error.code in CODES

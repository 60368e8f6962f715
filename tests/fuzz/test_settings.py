"""Settings that somebody got wrong: a sentence that names the file or the name, never a traceback, and nothing half taken over."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from feltlog.scenario.run import run
from feltlog.scenario.text import CODES, read_json
from feltlog.settings import Settings, read_settings
from feltlog.trouble import Trouble
from shared.kernel.profile import Profile
from shared.kernel.profile_text import BadProfile, changed, decode, flat
from shared.runtime.settings import SettingMissing, from_environment
from shared.runtime.shelf import books, names, profile, text
from tests.fuzz.examples import fuzz
from tests.fuzz.strategies import altered, damaged, plain_values, texts
from tests.house.tree import ROOT

TABLES = b"""
[house]
operator = "house"
day_starts = "06:00"
zone = "America/Toronto"

[[table]]
id = "T1"
profile = "ontario"
currency = "CAD"
minimum = "1.00"
maximum = "5.00"
"""
SCENARIO = (ROOT / "docs" / "examples" / "eights.json").read_bytes()
NAMES = ("FELTLOG_DATA", "FELTLOG_NATS_URL", "FELTLOG_MONITOR_URL", "FELTLOG_CREDENTIALS", "FELTLOG_DAY_STARTS", "FELTLOG_ZONE")


VALUES = ("true", "-1", "0", "8", '"x"', '""', '"9e9"', "[]", "[1, 0]", "[[0, 0], [0, 0]]", "{}", "1e400", "nan", "9" * 30, "2026-11-30")


@st.composite
def otherwise_said(draw: st.DrawFn, told: str) -> bytes:
    """Return a TOML text in which one line says something else, is not there, or stands there twice."""
    lines = told.splitlines()
    at = draw(st.sampled_from([number for number, line in enumerate(lines) if " = " in line]))
    key = lines[at].split(" = ")[0]
    changed_lines = (f"{key} = {draw(st.sampled_from(VALUES))}", f"{key}x = 1", "", f"{lines[at]}\n{lines[at]}")
    return "\n".join([*lines[:at], draw(st.sampled_from(changed_lines)), *lines[at + 1 :]]).encode()


@fuzz()
@given(st.data(), st.sampled_from(names()))
def test_a_profile_is_one_or_names_file_and_key(data: st.DataObject, name: str):
    """An unknown key, a wrong type or rules at odds: an error that begins with the file's name."""
    said = data.draw(damaged(text(name).encode()) | otherwise_said(text(name)))
    try:
        found: Profile | str = decode(said.decode(errors="replace"), f"{name}.toml", books())
    except BadProfile as error:
        found = str(error)

    assert isinstance(found, Profile) or found.startswith(f"{name}.toml: ")


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
@given(st.data())
def test_tables_are_some_or_the_file_is_named(data: st.DataObject):
    """`tables.toml` is read whole or not at all."""
    said = data.draw(damaged(TABLES) | otherwise_said(TABLES.decode()))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "tables.toml"
        path.write_bytes(said)
        try:
            found: Settings | str = read_settings(path)
        except Trouble as trouble:
            found = str(trouble)

        assert isinstance(found, Settings) or found.startswith(str(path))


@fuzz()
@given(st.dictionaries(st.sampled_from(NAMES), texts))
def test_an_environment_is_whole_or_a_name_is_missing(environment: dict[str, str]):
    """A service that cannot start says which setting it lacks."""
    try:
        from_environment(environment)
    except (SettingMissing, ValueError) as error:
        said = str(error)
    else:
        said = ""

    assert "Traceback" not in said


@fuzz()
@given(st.data())
def test_a_scenario_is_played_or_invalid(data: st.DataObject):
    """Scenario files: whatever a file says has a result, and an invalid one a code that is documented."""
    said = data.draw(damaged(SCENARIO) | altered(msgspec.json.decode(SCENARIO)).map(msgspec.json.encode))
    result: Any = run("a file", said, read_json, ROOT / "docs").result

    assert result.outcome in ("settled", "awaiting", "void") or result.error.code in CODES

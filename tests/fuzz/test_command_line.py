"""Whatever is typed behind `feltlog`: one of the documented exit statuses, and never a traceback."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st
from typer.main import get_command
from typer.testing import CliRunner

from feltlog.__main__ import app
from feltlog.trouble import Trouble
from shared.runtime.event_store import StoreRefusal
from shared.runtime.settings import SettingMissing
from tests.fuzz.examples import fuzz
from tests.fuzz.strategies import texts

TAKES_LONG = {"up", "demo"}
"""These start a house when they are typed rightly; they are typed in tests/integration."""
DOCUMENTED = (0, 1, 2, 130)


def every(command: object, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], list[str]]]:
    """Return each command with the options that it takes."""
    inner = getattr(command, "commands", None)
    if inner:
        return [found for name, each in inner.items() if name not in TAKES_LONG for found in every(each, (*path, name))]
    return [(path, [opt for param in getattr(command, "params", ()) for opt in param.opts if opt.startswith("-")])]


COMMANDS = every(get_command(app))
WORDS = texts | st.sampled_from(
    ("", "-", "--", "T1", "T1.20261130-000001", "live", "ontario", "-1", "1e99", "9" * 400, "/", "/dev/null", "..", "\x1b[2J")
)


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """Return the words of a command line: a command that is there, with options and words that may belong there or not."""
    path, options = draw(st.sampled_from(COMMANDS))
    rest = draw(st.lists(st.sampled_from(options or ["--data"]) | WORDS, max_size=5))
    return [*path, *rest]


@fuzz()
@given(command_lines())
def test_whatever_is_typed_ends_in_a_documented_way(words: list[str]):
    """Operations: 0 fine, 1 something was found, 2 used wrongly or something is missing, 130 stopped."""
    with TemporaryDirectory() as folder:
        environment = {"FELTLOG_DATA": str(Path(folder) / "none"), "FELTLOG_NATS_URL": ""}
        done = CliRunner().invoke(app, words, prog_name="feltlog", env=environment)
    known = done.exception is None or isinstance(done.exception, SystemExit | Trouble | StoreRefusal | SettingMissing | OSError)

    assert (known, done.exit_code in DOCUMENTED) == (True, True), (words, done.exception)


def test_every_command_is_typed():
    """The test above is worth what it types."""
    assert {path[0] for path, _ in COMMANDS} | TAKES_LONG == set(getattr(get_command(app), "commands", {}))

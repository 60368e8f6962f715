"""The front door: help for everything, and sentences instead of tracebacks."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner, Result

from feltlog.__main__ import app, main
from feltlog.commands.up import two_ports
from feltlog.nats_config import Ports
from feltlog.trouble import Trouble

COMMANDS = [
    "up",
    "status",
    "play",
    "rounds",
    "round",
    "round correct",
    "round void",
    "replay",
    "statement",
    "table",
    "table open",
    "table close",
    "table deal",
    "table tell-card",
    "table list",
    "table restrict",
    "table notice",
    "table reserve",
    "table release",
    "table limit",
    "table give-up",
    "table approve-face-down",
    "table restrictions",
    "table report",
    "table void",
    "table proposals",
    "table approve",
    "table decline",
    "table withdraw",
    "player",
    "player add",
    "quarantine",
    "quarantine list",
    "quarantine lift",
    "rules",
    "rules list",
    "rules show",
    "rules check",
    "rules diff",
    "scenario",
    "scenario run",
    "scanner",
    "scanner fake",
]


def asked(*arguments: str) -> Result:
    """Return what the front door answers to a command line."""
    return CliRunner().invoke(app, list(arguments), prog_name="feltlog")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str):
    """Nobody needs the source to find out what a command does."""
    result = asked(*command.split(), "--help")

    assert (result.exit_code, f"feltlog {command}" in result.output) == (0, True)


@pytest.mark.parametrize("group", [app, *(group.typer_instance for group in app.registered_groups)])
def test_no_command_hides_another(group: Typer):
    """Of two commands with one name nobody would reach the first."""
    names = [command.name or command.callback.__name__ for command in group.registered_commands if command.callback]

    assert sorted(names) == sorted(set(names))


def test_version_is_told():
    """A report of a fault can name what it is about."""
    result = asked("--version")

    assert (result.exit_code, result.output.startswith("feltlog ")) == (0, True)


@pytest.mark.parametrize("arguments", [["nonsense"], ["status", "--nonsense"], ["replay"]])
def test_misuse_has_status_2(arguments: list[str]):
    """A script can tell a misspelt command from a finding."""
    assert asked(*arguments).exit_code == 2


@pytest.mark.parametrize(
    "command", ["status", "rounds", "table list", "quarantine list", "player add ann", "replay T1.20261130-000001", "up --ports 1"]
)
def test_trouble_is_a_sentence_on_standard_error(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """What a person must put right is said without a traceback, and the status is 2."""
    monkeypatch.setattr("sys.argv", ["feltlog", *command.split(), "--data", str(tmp_path / "nowhere")])

    with pytest.raises(SystemExit) as left:
        main()

    said = capsys.readouterr()
    assert (left.value.code, said.out, said.err.startswith("feltlog: "), said.err.count("\n")) == (2, "", True, 1)


@pytest.mark.parametrize("command", ["demo", "up", "status"])
@pytest.mark.parametrize("name", ["a file", "a file/within", "x" * 300])
def test_what_can_be_no_house_is_told(
    command: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """A file, a place within one, and a name that is too long for this machine: a sentence each."""
    (tmp_path / "a file").write_text("no house")
    monkeypatch.setattr("sys.argv", ["feltlog", command, "--data", str(tmp_path / name)])
    monkeypatch.setattr("signal.signal", lambda number, handler: None)

    with pytest.raises(SystemExit) as left:
        main()

    said = capsys.readouterr().err
    assert (left.value.code, said.startswith("feltlog: "), said.count("\n")) == (2, True, 1)


def test_spoiled_credential_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """What is no key lets nobody in, and is named."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "pit.nk").write_bytes(b"\xffno key")
    monkeypatch.setattr("sys.argv", ["feltlog", "status", "--data", str(tmp_path), "--server", "nats://127.0.0.1:1"])

    with pytest.raises(SystemExit) as left:
        main()

    assert (left.value.code, "pit.nk" in capsys.readouterr().err) == (2, True)


def test_ports_are_two_numbers():
    """The clients' port and the monitoring port."""
    assert two_ports("4222,8222") == Ports(4222, 8222)


@pytest.mark.parametrize("text", ["", "4222", "4222,", "a,b", "4222,99999", "0,1", "-1,2", "1,2,3"])
def test_ports_that_are_not_two_numbers_are_told(text: str):
    """A misspelt option is named with an example of how to write it."""
    with pytest.raises(Trouble, match=r"such as --ports 4222,8222"):
        two_ports(text)


@pytest.mark.parametrize("module", ["feltlog", "feltlog.provisioner", "services.table"])
def test_nothing_runs_without_assertions(module: str):
    """A broken assertion quarantines a stream; left out, it would let money go wrong unseen."""
    done = subprocess.run([sys.executable, "-O", "-m", module], capture_output=True, text=True, check=False)

    assert (done.returncode, "assertions" in done.stderr, "Traceback" in done.stderr) == (2, True, False)

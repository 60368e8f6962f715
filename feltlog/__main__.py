"""The front door: `feltlog` on the command line, and `python -m feltlog`.

Exit status 0: fine; 1: something was found, as the command's help says; 2: it was used wrongly, or what it needs is not
there, said in a sentence on standard error; 130: it was stopped before its end.  A traceback is a bug of ours, never a
user's mistake.
"""

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from feltlog.commands import player, quarantine, round, rules, scanner, scenario, shoe, table, wallet
from feltlog.commands.demo import demo
from feltlog.commands.play import play
from feltlog.commands.rack import rack
from feltlog.commands.rebuild import rebuild
from feltlog.commands.reconcile import reconcile
from feltlog.commands.replay import replay
from feltlog.commands.rounds import rounds
from feltlog.commands.statement import statement
from feltlog.commands.status import status
from feltlog.commands.up import up
from feltlog.commands.verify import verify
from feltlog.stopping import STOPPED
from feltlog.trouble import Trouble
from shared.runtime import telemetry
from shared.runtime.event_store import StoreRefusal
from shared.runtime.settings import SettingMissing, demand_assertions

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    # A traceback with its local variables would show keys and cards.
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Live blackjack tables whose every round is a log that anybody can replay and prove.",
)

# One file for each command in feltlog/commands; the order here is the order of the help.
app.command()(up)
app.command()(demo)
app.command()(play)
app.command()(status)
app.add_typer(table.app, name="table")
app.add_typer(player.app, name="player")
app.add_typer(wallet.app, name="wallet")
app.command()(rounds)
app.add_typer(round.app, name="round")
app.command()(replay)
app.command()(rack)
app.command()(verify)
app.command()(statement)
app.command()(reconcile)
app.command()(rebuild)
app.add_typer(shoe.app, name="shoe")
app.add_typer(quarantine.app, name="quarantine")
app.add_typer(rules.app, name="rules")
app.add_typer(scenario.app, name="scenario")
app.add_typer(scanner.app, name="scanner")


def tell_version(wanted: bool) -> None:
    """Print the version and leave, if that is wanted."""
    if wanted:
        typer.echo(f"feltlog {version('feltlog')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", callback=tell_version, is_eager=True)] = False,
) -> None:
    """Take the options that stand before a command."""


def main() -> None:
    """Run the command that the command line names."""
    try:
        demand_assertions()
        telemetry.start("client")
        app(prog_name="feltlog")
    except (Trouble, StoreRefusal, SettingMissing) as trouble:
        sys.exit(said(trouble))
    except OSError as error:
        # A name that no file can have, a disk that is full: whatever a command did not foresee of the machine.
        sys.exit(said(Trouble(f"{error.filename or 'This machine'}: {error.strerror or error}.")))
    except SystemExit as ended:
        # Whoever read along has left, as `head` does: Typer ends with 1 then, but nothing was found.
        if isinstance(ended.__context__, BrokenPipeError):
            sys.exit(STOPPED)
        raise
    finally:
        telemetry.stop()


def said(trouble: Exception) -> int:
    """Say on standard error what a person must put right; return the exit status for it."""
    typer.echo(f"feltlog: {trouble}", err=True)
    return 2


if __name__ == "__main__":
    main()

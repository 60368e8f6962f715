"""`feltlog up`: the house on this machine, from the first start to Ctrl-C."""

import asyncio
import time
from functools import partial
from typing import Annotated, NoReturn

import typer

from feltlog.commands.connection import DATA, DataOption, at_the_door
from feltlog.house import House
from feltlog.machine import Machine
from feltlog.nats_config import Ports
from feltlog.screen import screen
from feltlog.settings import open_table
from feltlog.stopping import hear_requests_to_end, undisturbed
from feltlog.trouble import Trouble
from shared.contracts.refusals import Reason

LOOK_AGAIN_S = 0.5


def up(
    data: DataOption = DATA,
    ports: Annotated[
        str | None, typer.Option(metavar="CLIENTS,MONITORING", help="Two ports on 127.0.0.1, such as 4222,8222. Default: free ones.")
    ] = None,
) -> None:
    """Start nats-server and all services on this machine, and open the tables of `tables.toml`.  Ctrl-C stops everything.

    The first start makes the directory: credentials, the sealing key, and a `tables.toml` to change at will.
    """
    console = screen()
    # A path or an address that is broken over two lines cannot be copied.
    say = partial(console.print, soft_wrap=True)
    machine = Machine(data, None if ports is None else two_ports(ports))
    hear_requests_to_end()
    try:
        say(f"Starting the house in {machine.house.data} ...")
        machine.start()
        opened = asyncio.run(open_tables(machine.house))
        say(f"Tables: {', '.join(opened) or f'none; add a [[table]] to {machine.house.tables}'}")
        say(f"nats-server listens on {machine.url}, and tells how it is on {machine.monitor_url}")
        say(f"`feltlog status --data {data}` shows what runs. Ctrl-C stops everything.")
        keep_watch(machine)
    except KeyboardInterrupt:
        say("Stopping ...")
    finally:
        with undisturbed():
            machine.stop()
    say("Everything is stopped; the data stays.")


def two_ports(text: str) -> Ports:
    """Return the ports that `--ports` names; raise `Trouble` if it does not."""
    clients, _, monitoring = text.partition(",")
    if not (clients.isdecimal() and monitoring.isdecimal() and 0 < int(clients) < 65536 and 0 < int(monitoring) < 65536):
        raise Trouble(f"--ports {text!r} does not name two ports. Write the clients' and the monitoring port, such as --ports 4222,8222")
    return Ports(int(clients), int(monitoring))


async def open_tables(house: House) -> list[str]:
    """Open every table of `tables.toml`, and return their ids.  One that is open from before stays as it is."""
    settings = house.settings()
    async with at_the_door(house, None, "pit") as pit:
        commands = [open_table(settings.house, table) for table in settings.table]
        answers = await asyncio.gather(*(pit.ask("table", command.table, command) for command in commands))
    for command, answer in zip(commands, answers, strict=True):
        if answer.status == "refused" and answer.code != Reason.ALREADY_OPEN:
            raise Trouble(f"Table {command.table} cannot be opened: {answer.message} ({answer.code})")
    return [command.table for command in commands]


def keep_watch(machine: Machine) -> NoReturn:
    """Sleep, mend the server when it can be mended, and raise `Trouble` when a process falls over again and again."""
    while not machine.lost:
        time.sleep(LOOK_AGAIN_S)
        machine.mend_server()
    name = machine.lost[0]
    raise Trouble(f"The {name} process fell over again and again and was given up. Its last words are in {machine.house.log(name)}.")

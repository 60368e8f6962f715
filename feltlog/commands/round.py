"""`feltlog round`: two members of staff put a round right that is over; `feltlog table approve` is for the other one."""

import asyncio
from typing import Annotated

import typer

from feltlog.commands import rulings
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption
from feltlog.commands.replay import wanted
from feltlog.commands.rulings import CARDS, Door, NoteOption
from feltlog.commands.staff import AsOption
from feltlog.house import House
from shared.contracts.rulings import AnyRuling

app = typer.Typer(no_args_is_help=True, help="Put a round right that is over, as staff: it takes two.")

RoundArgument = Annotated[str, typer.Argument(metavar="ROUND", help="A round's id, as `feltlog rounds` lists it.")]


@app.command()
def correct(
    round: RoundArgument,
    cards: Annotated[list[str], CARDS],
    note: NoteOption = "",
    as_: AsOption = "pit",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Propose that cards were read wrong: when another person approves it, the round is settled anew by the cards as they lie.

    `feltlog replay --json` shows the place of each card.  Exit status 0: it is proposed; 2: it was refused.
    """
    _propose(Door(House(data), server, as_, json), round, rulings.ruling_of("misread", {"cards": cards}), note)


@app.command()
def void(
    round: RoundArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why, in a sentence; it is written into the log.")],
    as_: AsOption = "pit",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Propose that a round is void: when another person approves it, every wager gives back its stake and no more.

    Exit status 0: it is proposed; 2: it was refused.
    """
    _propose(Door(House(data), server, as_, json), round, rulings.ruling_of("void", {}), reason)


def _propose(door: Door, round_id: str, ruling: AnyRuling, note: str) -> None:
    name = wanted(round_id)
    asyncio.run(rulings.propose(door, name.table, ruling, note, name.id))

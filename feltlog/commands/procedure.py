"""`feltlog table step`: what staff do with the cards before they are in the shoe, and what is done and what comes next.

Every step speaks as somebody who works at the tables (`--as NAME`); whether they may is the house's to say, by their job and
by the table's book.
"""

import asyncio
import time
from typing import Annotated, Any, get_args
from zoneinfo import ZoneInfo

import msgspec
import typer
from rich.console import Group, RenderableType

from feltlog.client import Client, Declined
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, at_the_door
from feltlog.commands.restrictions import tell
from feltlog.commands.staff import AsOption, TableArgument, member
from feltlog.house import House
from feltlog.rack_picture import NARROW
from feltlog.screen import plain_table, screen, write_json
from feltlog.trouble import Trouble
from feltlog.wording import moment_of, wall
from services.table.views import Felt
from shared.contracts.procedure import (
    IN_WORDS,
    STEP_OF,
    CardFault,
    InspectDecks,
    ReplaceCards,
    ShoeFault,
    Step,
    StepCommand,
    for_whom,
)
from shared.contracts.staff import job_in_words
from shared.kernel.messages import Answer, Command

KINDS: dict[Step, Any] = {step: kind for kind, step in STEP_OF.items() if issubclass(kind, Command)}
FAULTS = ", ".join((*get_args(ShoeFault), *get_args(CardFault)))
NoteOption = Annotated[str, typer.Option("--note", help="What was seen, in a sentence; it is written into the log.")]


def step(
    table: TableArgument,
    what: Annotated[str, typer.Argument(metavar="STEP", help=f"What is done: {', '.join(word.replace('_', '-') for word in KINDS)}.")],
    by: AsOption,
    video: Annotated[str | None, typer.Option("--video", metavar="WHERE", help="Where the video of this step is found.")] = None,
    decks: Annotated[
        int | None, typer.Option("--decks", help="How many decks there are; otherwise as many as there should be.", min=1)
    ] = None,
    faults: Annotated[list[str] | None, typer.Option("--fault", metavar="FAULT", help=f"What is wrong, repeatable: {FAULTS}.")] = None,
    note: Annotated[str | None, typer.Option("--note", help="What was seen, in a sentence; it is written into the log.")] = None,
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Do the next step with the cards of a table whose staff see to them; `feltlog table procedure` shows which that is.

    Whoever inspects, verifies or spreads the cards says with it that nothing is wrong, or by --fault what is: then it is written
    down, and the cards are not let in.  Exit status 0: it is written down; 2: it was refused.
    """
    given = {"video": video, "decks": decks, "faults": faults, "note": note}
    command = step_of(what, {name: value for name, value in given.items() if value is not None})
    asyncio.run(do(House(data), server, by, table, command, json=json))


def replace_cards(
    table: TableArgument,
    by: AsOption,
    note: NoteOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Have the cards of a table taken away and others brought (FL-3.4): between shoes, before the shuffle; a device's, after any round."""
    done = f"The cards of {table} are replaced: the new ones are inspected and go through every step."
    tell(House(data), server, by, table, ReplaceCards(note=note), json=json, done=done)


def procedure(table: TableArgument, data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False) -> None:
    """Show the steps before a table's shoe: who did which and when, which one is next, and who may do it."""
    house = House(data)

    async def look() -> Felt:
        async with at_the_door(house, server, "pit") as pit:
            return await felt_of(pit, table)

    felt = asyncio.run(look())
    if json:
        for each in felt.steps:
            write_json(each)
        return
    console, zone = screen(), ZoneInfo(house.settings().house.zone)
    console.print(listing(felt, zone, now_ms=time.time_ns() // 1_000_000, narrow=console.width < NARROW))


def step_of(what: str, given: dict[str, Any]) -> StepCommand:
    """Return the command of a step; raise `Trouble` for a word that is none, and for options that it does not take.

    How many decks there are is filled in later, if nobody says it.

    >>> step_of("inspect-shoe", {"faults": ["damaged"]})
    InspectShoe(faults=('damaged',), video='', note='')
    """
    found: dict[str, Any] = {step.replace("_", "-"): kind for step, kind in KINDS.items()}
    kind = found.get(what.replace("_", "-"))
    if kind is None:
        raise Trouble(f"There is no step {what!r}. Steps are {', '.join(found)}.")
    for name in given:
        if name not in kind.__struct_fields__:
            raise Trouble(f"{what} takes no --{'fault' if name == 'faults' else name}.")
    if kind is InspectDecks:
        given = {"decks": 0, **given}
    known = get_args(ShoeFault if kind is KINDS["inspect_shoe"] else CardFault)
    for fault in given.get("faults", ()):
        if fault not in known:
            raise Trouble(f"{fault!r} is no fault of this step: it is one of {', '.join(known)}.")
    command: StepCommand = msgspec.convert(given, kind)
    return command


async def do(house: House, server: str | None, by: str, table: str, command: StepCommand, *, json: bool) -> None:
    """Do a step, and say what came of it and what comes next; exit 2 if it was refused."""
    async with at_the_door(house, server, member(house, by)) as staff:
        if isinstance(command, InspectDecks) and command.decks == 0:
            command = msgspec.structs.replace(command, decks=(await felt_of(staff, table)).decks)
        try:
            answer = await staff.ask("table", table, command)
        except UnicodeEncodeError as error:
            raise Trouble("What was written is no text in UTF-8.") from error
        felt = await felt_of(staff, table) if answer.status != "refused" else None
    if json:
        tell_json(answer, felt)
    elif felt is None:
        raise Trouble(f"{answer.message} ({answer.code})")
    else:
        typer.echo(f"{told(command)} {coming(felt)}")


async def felt_of(staff: Client, table: str) -> Felt:
    """Return a table's felt; raise `Trouble` if there is none."""
    try:
        return await staff.felt(table)
    except Declined as error:
        raise Trouble(str(error)) from error


def tell_json(answer: Answer, felt: Felt | None) -> None:
    """Say to a program what came of a step; exit 2 if it was refused."""
    write_json(
        {
            "status": answer.status,
            "code": answer.code,
            "message": answer.message,
            "next_step": None if felt is None else felt.next_step,
        }
    )
    if answer.status == "refused":
        raise typer.Exit(2)


def told(command: StepCommand) -> str:
    """Return what is written down now."""
    faults = getattr(command, "faults", ())
    done = f"Written down: {IN_WORDS[STEP_OF[type(command)]]}"
    return f"{done}; found: {in_words(faults)}. It is to be done again." if faults else f"{done}."


def coming(felt: Felt) -> str:
    """Return what comes next."""
    waited_for = next((each for each in felt.steps if each.state == "next"), None)
    if waited_for is None:
        return "All steps are done, and the shoe is called."
    return f"Next: {IN_WORDS[waited_for.step]} ({for_whom(waited_for.jobs)})."


def listing(felt: Felt, zone: ZoneInfo, *, now_ms: int, narrow: bool = False) -> RenderableType:
    """Return the steps of a table as a table for people; where it is narrow, without job, video and clause."""
    if not felt.steps:
        return no_steps(felt.table)
    table = plain_table()
    table.add_column("step", no_wrap=True, min_width=max(len(each.step) for each in felt.steps))
    table.add_column("state", overflow="fold")
    table.add_column("by", no_wrap=True, min_width=max(len(each.by) for each in felt.steps))
    for heading in ("at", "who may") if narrow else ("job", "at", "video", "who may", "clause"):
        table.add_column(heading, no_wrap=heading == "at" and not narrow, overflow="fold")
    for each in felt.steps:
        cells = {
            "step": each.step.replace("_", "-"),
            "state": f"again: {in_words(each.faults)}" if each.faults else each.state,
            "by": each.by,
            "job": job_in_words(each.job) if each.job else "",
            "at": "" if each.at_ms is None else clock(each.at_ms, zone, now_ms=now_ms),
            "video": each.video,
            "who may": for_whom(each.jobs),
            "clause": each.source,
        }
        table.add_row(*(cells[str(column.header)] for column in table.columns))
    ends = f"The cards are in {felt.shoe}." if felt.shoe and felt.next_step is None else coming(felt)
    return Group(table, ends)


def clock(at_ms: int, zone: ZoneInfo, *, now_ms: int) -> str:
    """Return when a step was done: `21:14:03` if that is today on the house's clock, else `2026-11-29 21:14`."""
    told, today = wall(at_ms, zone), wall(now_ms, zone)[:10]
    if moment_of(at_ms, zone) is None:
        return told
    return told[11:19] if told[:10] == today else told[:16]


def no_steps(where: str) -> str:
    """Return why a table or a shoe has no steps: a scanned shoe has none either, and there the house does not see to the cards."""
    return f"No steps with the cards of {where} are written down: its profile does not ask staff for them."


def in_words(faults: tuple[str, ...]) -> str:
    """Return faults as people read them."""
    return ", ".join(fault.replace("_", " ") for fault in faults)


WORDS = (step, replace_cards, procedure)
"""The commands under `feltlog table`."""

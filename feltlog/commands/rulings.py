"""`feltlog table report` and what follows it: two members of staff decide about something that should not have happened.

Whoever speaks is named by `--as`; whether they may is the house's to say, by the job that its settings give them.
"""

import asyncio
from typing import Annotated, Any

import msgspec
import typer
from msgspec.structs import replace

from feltlog.client import Client, Declined
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, at_the_door
from feltlog.commands.staff import AsOption, TableArgument, member
from feltlog.house import House
from feltlog.ruled import ruling_in_words
from feltlog.screen import plain_table, screen, write_json
from feltlog.trouble import Trouble
from services.table.views import Felt, FeltProposal
from shared.contracts.rulings import (
    KINDS,
    RULES,
    AnyRuling,
    ApproveRuling,
    DeclineRuling,
    ProposeRuling,
    RulingCommand,
    VoidTheRound,
    WithdrawRuling,
    kind_of,
)
from shared.contracts.staff import job_in_words
from shared.kernel.messages import Answer

NumberArgument = Annotated[int, typer.Argument(metavar="ID", help="The proposal's number, as `feltlog table proposals` shows it.", min=1)]
CARDS = typer.Option(
    "--cards", metavar="PLACE=CARD", help="A card that was read wrong: its place in the shoe and what lies there; repeatable."
)
AboutOption = Annotated[
    str, typer.Option("--round", metavar="ROUND", help="The round that it is about, where proposals for two rounds have the same number.")
]
NoteOption = Annotated[str, typer.Option("--note", help="What was seen, or why, in a sentence; it is written into the log.")]


class Door(msgspec.Struct, frozen=True):
    """Who speaks to which house, and whether a program or a person reads the answer."""

    house: House
    server: str | None
    name: str
    json: bool


class Said(msgspec.Struct, frozen=True):
    """What came of a word about a ruling, as `--json` tells it."""

    status: str
    code: str
    message: str
    round: str
    proposal: int | None


def report(
    table: TableArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"What went wrong: {', '.join(KINDS)}.")],
    box: Annotated[int | None, typer.Option(help="The box that it is about; 0 is the dealer's.")] = None,
    hand: Annotated[int | None, typer.Option(help="The hand on that box, 1 if it is not said.")] = None,
    card: Annotated[str | None, typer.Option(help="The card, such as TS; of missed_box 1 or 2, whichever the box did not get.")] = None,
    found: Annotated[int | None, typer.Option(help="The box at which a card lay that belongs elsewhere.")] = None,
    cards: Annotated[list[str] | None, CARDS] = None,
    note: NoteOption = "",
    as_: AsOption = "pit",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Propose a ruling about the round in play.  It takes effect when another person approves it, and not before.

    docs/rulings.md says who may propose and approve which kind.  Exit status 0: it is proposed; 2: it was refused.
    """
    given = {"box": box, "hand": hand, "card": card, "found": found, "cards": cards}
    ruling = ruling_of(kind, {name: value for name, value in given.items() if value is not None})
    asyncio.run(propose(Door(House(data), server, as_, json), table, ruling, note))


def void(
    table: TableArgument,
    reason: Annotated[str, typer.Option("--reason", help="Why, in a sentence; it is written into the log.")],
    as_: AsOption = "pit",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Propose that the round in play is void: every stake goes back when another person approves it.

    Exit status 0: it is proposed; 2: it was refused.
    """
    asyncio.run(propose(Door(House(data), server, as_, json), table, VoidTheRound(), reason))


def approve(
    table: TableArgument,
    number: NumberArgument,
    as_: AsOption,
    round: AboutOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Approve what somebody else proposed: it takes effect at once.

    Exit status 0: it took effect; 2: it was refused.
    That is so of one's own proposal, of a job that may not, and of a ruling that cannot take effect any more.
    """
    command = ApproveRuling(round=round, proposal=number)
    asyncio.run(decide(Door(House(data), server, as_, json), table, command, "approved"))


def decline(
    table: TableArgument,
    number: NumberArgument,
    as_: AsOption,
    note: NoteOption = "",
    round: AboutOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Decline what somebody else proposed: nothing comes of it.

    Exit status 0: it is declined; 2: that was refused.
    """
    command = DeclineRuling(round=round, proposal=number, note=note)
    asyncio.run(decide(Door(House(data), server, as_, json), table, command, "declined"))


def withdraw(
    table: TableArgument,
    number: NumberArgument,
    as_: AsOption = "pit",
    round: AboutOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Take one's own proposal back.

    Exit status 0: it is taken back; 2: that was refused.
    """
    command = WithdrawRuling(round=round, proposal=number)
    asyncio.run(decide(Door(House(data), server, as_, json), table, command, "withdrawn"))


def proposals(
    table: TableArgument, as_: AsOption = "pit", data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False
) -> None:
    """List the proposals at a table that nobody has decided about: for the round in play, and for those that are over."""
    asyncio.run(show(Door(House(data), server, as_, json), table))


def ruling_of(kind: str, given: dict[str, Any]) -> AnyRuling:
    """Return the ruling of a kind; raise `Trouble` for a kind that is none, and for options that it does not take or lacks."""
    known = KINDS.get(kind)
    if known is None:
        raise Trouble(f"There is no kind {kind!r}. Kinds are {', '.join(KINDS)}.")
    for name in given:
        if name not in known.__struct_fields__:
            raise Trouble(f"{kind} takes no --{name}.")
    if "cards" in given:
        given = {**given, "cards": [read_anew(text) for text in given["cards"]]}
    if kind == "missed_box" and str(given.get("card", "")).isdigit():
        given = {**given, "card": int(given["card"])}
    try:
        ruling: AnyRuling = msgspec.convert({"kind": kind, **given}, AnyRuling)
    except msgspec.ValidationError as error:
        takes = ", ".join(f"--{name}" for name in known.__struct_fields__)
        raise Trouble(f"{kind} takes {takes}: {str(error)[:1].lower()}{str(error)[1:].replace('$.', '--')}.") from error
    return ruling


def read_anew(text: str) -> dict[str, Any]:
    """Return what `7=TD` or `T1-S1b:7=TD` says of a card; raise `Trouble` for anything else.

    >>> read_anew("7=TD"), read_anew("T1-S1b:0=9H")
    ({'index': 7, 'card': 'TD'}, {'index': 0, 'card': '9H', 'shoe': 'T1-S1b'})
    """
    place, _, card = text.partition("=")
    shoe, _, index = place.rpartition(":")
    if not index.isdecimal() or not card:
        raise Trouble(f"{text!r} says of no card what it is: write PLACE=CARD, such as 7=TD, or SHOE:PLACE=CARD.")
    return {"index": int(index), "card": card} | ({"shoe": shoe} if shoe else {})


async def propose(door: Door, table: str, ruling: AnyRuling, note: str, round_id: str = "") -> None:
    """Propose a ruling and say under which number it waits, and for whom; without a round it is about the one in play."""
    async with at_the_door(door.house, door.server, member(door.house, door.name)) as staff:
        felt = await felt_of(staff, table)
        about = round_id or felt.round
        answer = await asked(staff, table, ProposeRuling(round=about, ruling=ruling, note=note))
        open_ = (await felt_of(staff, table)).proposals
        mine = [each for each in open_ if (each.by, each.round, each.ruling) == (door.name, about, ruling)]
    number = mine[-1].proposal if mine else None
    jobs = ", ".join(map(job_in_words, RULES[type(ruling)].approvers(felt.book)))
    done = f"Proposal {number}: {ruling_in_words(ruling)}. It waits for another person, one of: {jobs}."
    tell(door, Said(answer.status, answer.code, answer.message, about, number), done)


async def decide(door: Door, table: str, command: ApproveRuling | DeclineRuling | WithdrawRuling, word: str) -> None:
    """Say yes or no to a proposal, or take it back; raise `Trouble` if two rounds have one of that number and none is named."""
    number = command.proposal
    async with at_the_door(door.house, door.server, member(door.house, door.name)) as staff:
        felt = await felt_of(staff, table)
        command = replace(command, round=command.round or round_of(number, felt.proposals) or felt.round)
        answer = await asked(staff, table, command)
    meant = (each for each in felt.proposals if (each.round, each.proposal) == (command.round, number))
    about = next((f": {ruling_in_words(each.ruling)}" for each in meant), "")
    tell(door, Said(answer.status, answer.code, answer.message, command.round, number), f"Proposal {number} is {word}{about}.")


def round_of(number: int, open_: tuple[FeltProposal, ...]) -> str:
    """Return the round that the open proposal of this number is about, empty if there is none; raise `Trouble` if there are two."""
    rounds = [each.round for each in open_ if each.proposal == number]
    if len(rounds) > 1:
        raise Trouble(f"Proposals {number} are open for {' and '.join(rounds)}: say which with --round.")
    return rounds[0] if rounds else ""


async def asked(staff: Client, table: str, command: RulingCommand) -> Answer:
    """Return the table's answer; raise `Trouble` for what a shell hands over and is no text."""
    try:
        return await staff.ask("table", table, command)
    except UnicodeEncodeError as error:
        raise Trouble("What was written is no text in UTF-8.") from error


async def show(door: Door, table: str) -> None:
    """List what waits for a second person."""
    async with at_the_door(door.house, door.server, member(door.house, door.name)) as staff:
        felt = await felt_of(staff, table)
    if door.json:
        for each in felt.proposals:
            write_json(each)
        return
    console = screen()
    console.print(listing(felt.proposals) if felt.proposals else f"Nothing is proposed at {table}.")


def listing(open_: tuple[FeltProposal, ...]) -> Any:
    """Return open proposals as a table for people."""
    table = plain_table()
    for heading in ("round", "id", "kind", "what", "by", "job", "note"):
        table.add_column(heading)
    for each in open_:
        what = (kind_of(each.ruling), ruling_in_words(each.ruling))
        table.add_row(each.round, str(each.proposal), *what, each.by, job_in_words(each.job), each.note)
    return table


async def felt_of(staff: Client, table: str) -> Felt:
    """Return a table's felt with its round; raise `Trouble` if there is none."""
    try:
        felt = await staff.felt(table)
    except Declined as error:
        raise Trouble(str(error)) from error
    if not felt.round:
        raise Trouble(f"Table {table} has played no round today.")
    return felt


def tell(door: Door, said: Said, done: str) -> None:
    """Say what came of it; the exit status is 2 if it was refused."""
    if door.json:
        write_json(said)
        if said.status == "refused":
            raise typer.Exit(2)
    elif said.status == "refused":
        raise Trouble(f"{said.message} ({said.code})")
    else:
        typer.echo(done)


WORDS = (report, void, proposals, approve, decline, withdraw)
"""The commands under `feltlog table`."""

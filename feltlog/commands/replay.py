"""`feltlog replay`: a round again, card by card, from its log alone."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import msgspec
import typer
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from feltlog.card_story import StepLine, steps_before
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, reading
from feltlog.ending import Ending, ending
from feltlog.house import House
from feltlog.layout import Layout
from feltlog.rack_picture import NARROW, rack_table
from feltlog.rack_picture import as_json as racked_as_json
from feltlog.reading import Damaged, Page, chain_break, round_pages, stream_pages, told
from feltlog.screen import drawn, has_suits, plain_table, screen, write_json
from feltlog.shoe_story import shoe_lines
from feltlog.story import Line, plain, story
from feltlog.trouble import Trouble
from feltlog.wording import amount, counted, gain, money, row_of, seconds, stamp, wall, why_void, worth
from services.table.domain.pick_up import rack
from shared.contracts.dealing import CardsCalled
from shared.contracts.rounds import RoundOpened
from shared.contracts.subjects import BadSubject, RoundName, round_name, shoe_stream, table_stream

Shoes = dict[str, list[Any]]
"""The events of a round's shoes, by their names."""

STYLES = {"card": "", "player": "cyan", "house": "dim", "money": "green", "refusal": "yellow", "ruling": "magenta", "end": "bold"}


def replay(
    round: Annotated[str, typer.Argument(metavar="ROUND", help="A round's id, such as T1.20261130-000042; `feltlog rounds` lists them.")],
    data: DataOption = DATA,
    server: ServerOption = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each event; q and Enter ends the replay.")] = False,
    in_rack: Annotated[bool, typer.Option("--rack", help="Show where its cards lie in the discard rack, the top one first.")] = False,
    json: JsonOption = False,
) -> None:
    """Tell a round again from its log: every wager, card, decision and payment, then the outcomes and the chain's digest.

    Nothing is decided again here; `feltlog verify ROUND` does that.
    """
    house = House(data)
    zone = ZoneInfo(house.settings().house.zone)
    name = wanted(round)
    try:
        pages, steps, shoes = asyncio.run(fetch(house, server, name))
    except Damaged as damaged:
        typer.echo(str(damaged), err=True)
        raise typer.Exit(1) from damaged
    broken = chain_break(pages)
    if in_rack:
        show_rack(screen(), pages, json=json)
        if broken:
            typer.echo(broken, err=True)
    elif json:
        replay_json(name, pages, zone)
        if broken:
            typer.echo(broken, err=True)
    else:
        show(screen(), name, pages, zone, pause=wait_for_enter if step else None, steps=steps, shoes=shoes)
    if broken:
        raise typer.Exit(1)


def wanted(text: str) -> RoundName:
    """Return the round that a person names; raise `Trouble` if it cannot be one."""
    try:
        return round_name(text)
    except BadSubject as error:
        raise Trouble(f"{error}.") from error


async def fetch(house: House, server: str | None, name: RoundName) -> tuple[list[Page], list[StepLine], Shoes]:
    """Return all entries of a round, what staff did with its cards before they were in the shoe, and what its shoes' own logs say."""
    async with reading(house, server) as store:
        pages = await round_pages(store, name)
        events = [one.event for one in told(pages)]
        shoes: Shoes = {}
        for shoe in dict.fromkeys(event.shoe for event in events if isinstance(event, CardsCalled)):
            # A shoe's log stands beside the round's: a damaged one hides no round.
            with suppress(Trouble):
                shoes[shoe] = [one.event for one in told(await stream_pages(store, shoe_stream(name.day, shoe)))]
        opened = next((event for event in events if isinstance(event, RoundOpened)), None)
        if opened is None or opened.profile.shoe.procedure == "house":
            return pages, [], shoes
        steps = steps_before(opened.shoe, told(await stream_pages(store, table_stream(name.day, name.table))))
        return pages, steps or [], shoes


def wait_for_enter() -> bool:
    """Wait for a line on standard input; return whether the person wants to go on.  Without further input it goes on."""
    line = sys.stdin.readline()
    return line.strip().lower() not in ("q", "quit")


def show(
    console: Console,
    name: RoundName,
    pages: list[Page],
    zone: ZoneInfo,
    *,
    pause: Callable[[], bool] | None = None,
    steps: Sequence[StepLine] = (),
    shoes: Shoes | None = None,
) -> None:
    """Show a round from its first entry to its last, then how it ended and the digest that stands for its chain.

    `shoes` are the events of its shoes, by name.
    """
    letters, paper = not has_suits(console), not console.is_terminal
    lines, layout = story(told(pages))
    if steps:
        console.print(cards_of(steps, zone), soft_wrap=paper)
    console.print(heading(name, pages, layout, zone, shoes or {}), soft_wrap=paper)
    if pause is not None:
        console.print("Enter shows the next event, q and Enter stops.", style="dim")
    for line in lines:
        console.print(told_line(line, letters=letters, narrow=not paper), soft_wrap=paper)
        if pause is not None and not pause():
            console.print(Text("The replay was stopped here by you; the log goes on.", style="dim"))
            return
    console.print(result([line.told.event for line in lines], layout, letters=letters))
    console.print(seal(name, pages), soft_wrap=paper)


def show_rack(console: Console, pages: list[Page], *, json: bool) -> None:
    """Show where the cards of a round lie in the discard rack; raise `Trouble` if its log does not say."""
    happened = told(pages)
    racked = rack([each.event for each in happened])
    if not racked:
        raise Trouble("The log does not say how its cards were picked up: the round is not over, dealt none, or is older than that.")
    if json:
        for each in reversed(racked):
            write_json(racked_as_json(each))
        return
    _, layout = story(happened)
    console.print(rack_table(racked, layout, letters=not has_suits(console), narrow=console.width < NARROW))


def cards_of(steps: Sequence[StepLine], zone: ZoneInfo) -> RenderableType:
    """Return how the cards came into their shoe, a line for each step."""
    lines = [Text(f"{wall(step.at_ms, zone)}  {step.who} ({step.job}) {step.what}", style="dim") for step in steps]
    return Group(Text("Before the cards were in the shoe:"), *lines, Text(""))


def heading(name: RoundName, pages: list[Page], layout: Layout, zone: ZoneInfo, shoes: Shoes) -> RenderableType:
    """Return what stands above the lines: that this is a replay, and of what."""
    parts = [Text.assemble((" REPLAY ", "bold reverse"), f" round {name.id}, from its log. Nothing is being played.", style="bold")]
    opened = layout.opened
    if opened is not None:
        low, high = opened.settings.minimum_minor, opened.settings.maximum_minor
        limits = f"{amount(low, layout.currency)} to {money(high, layout.currency)}"
        parts.append(Text(f"Table {name.table}, profile {opened.profile.name}, wagers {limits}, shoe {opened.shoe}"))
        before = f"The shoe's order was committed to beforehand: {opened.root}"
        read = "A scanner read each card as it left the shoe; nobody knew their order, and each is committed to by itself."
        parts.append(Text(before if opened.root else read, style="dim"))
    parts += [Text(line, style="dim") for shoe, events in shoes.items() for line in shoe_lines(shoe, events, name.id)]
    parts.append(Text(f"Opened {wall(pages[0].entry.at_ms, zone)} {zone.key}; times below are seconds since then"))
    return Group(*parts, Text(""), Text(f"{'time':>9}  {'entry':>5}  who           what", style="dim underline"))


def told_line(line: Line, *, letters: bool, narrow: bool) -> RenderableType:
    """Return one event as a line: when, in which entry, on whose word, what.  A narrow screen folds the last part below itself."""
    head = Text(f"{'+' + seconds(line.offset_ms):>9}  {line.told.page.entry.revision:>5}  ", style="dim")
    head.append(f"{line.who:<12}  ", style="not dim")
    what = drawn(line.what, letters=letters, style=STYLES[line.tone])
    if not narrow:
        return Text.assemble(head, what)
    grid = Table.grid(expand=True)
    grid.add_column(width=len(head), no_wrap=True)
    grid.add_column(ratio=1)
    grid.add_row(head, what)
    return grid


def result(events: list[object], layout: Layout, *, letters: bool) -> RenderableType:
    """Return how the round ended: the dealer, each hand, each wager, each player's money."""
    end = ending(events)
    if end.outcome == "awaiting":
        return Text("\nThe round is not over yet: its log ends here for now.\n", style="yellow")
    parts: list[RenderableType] = [Text("")]
    if end.reason:
        parts.append(Text(f"Void: {why_void(end.reason)}", style="yellow"))
    if end.hands:
        parts += [Text("Hands", style="bold"), hands_table(end, layout, letters=letters), Text("")]
    if end.lines:
        parts += [Text(f"Wagers ({end.currency})", style="bold"), wagers_table(end), Text("")]
        parts += [Text(f"Money ({end.currency})", style="bold"), money_table(end)]
    elif end.outcome != "void":
        parts.append(Text("No wager was in this round."))
    return Group(*parts, Text(""))


def hands_table(end: Ending, layout: Layout, *, letters: bool) -> Table:
    """Return every hand with its cards, its total and what became of it."""
    table = plain_table()
    for column in ("hand", "cards", "total", "result"):
        table.add_column(column, no_wrap=True)
    if end.dealer:
        table.add_row("The dealer", drawn(row_of(end.dealer), letters=letters), worth(end.dealer), "")
    for hand in end.hands:
        words = worth(hand.cards, split=hand.box in layout.split) if hand.cards else "no cards"
        table.add_row(layout.owner(hand.box, hand.hand), drawn(row_of(hand.cards), letters=letters), words, hand.result.replace("_", " "))
    return table


def wagers_table(end: Ending) -> Table:
    """Return every wager with its stake and what it gave back."""
    table = plain_table()
    for column in ("player", "box", "hand", "wager"):
        table.add_column(column, no_wrap=True)
    for column in ("staked", "returned", "difference"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in end.lines:
        amounts = (amount(line.stake_minor, end.currency), amount(line.returned_minor, end.currency))
        difference = gain(line.returned_minor - line.stake_minor, end.currency)
        table.add_row(line.player, str(line.box), str(line.hand), line.kind, *amounts, difference)
    return table


def money_table(end: Ending) -> Table:
    """Return what the round cost and brought each player, and the house the other side of it."""
    table = plain_table(show_footer=True)
    table.add_column("player", footer="all")
    for column, total in (("staked", end.staked_minor), ("returned", end.returned_minor)):
        table.add_column(column, justify="right", footer=amount(total, end.currency))
    table.add_column("difference", justify="right", footer=gain(end.returned_minor - end.staked_minor, end.currency))
    for each in end.players():
        amounts = (amount(each.staked_minor, end.currency), amount(each.returned_minor, end.currency))
        table.add_row(each.player, *amounts, gain(each.returned_minor - each.staked_minor, end.currency))
    return table


def seal(name: RoundName, pages: list[Page]) -> RenderableType:
    """Return the digest of the last entry, or where the chain that it should stand for is broken."""
    broken = chain_break(pages)
    if broken:
        return Text(f"THE CHAIN IS BROKEN. {broken}", style="bold red")
    entries = counted(len(pages), "entry", "entries")
    return Group(
        Text(f"{entries}, each bound to the bytes of the one before. The last one's SHA-256 stands for the whole chain:"),
        Text(pages[-1].digest, style="bold"),
        Text(f"`feltlog verify {name.id}` decides the round again and compares.", style="dim"),
    )


def replay_json(name: RoundName, pages: list[Page], zone: ZoneInfo) -> None:
    """Write one object for each event."""
    lines, _ = story(told(pages))
    for line in lines:
        write_json(as_json(name, line, zone))


def as_json(name: RoundName, line: Line, zone: ZoneInfo) -> dict[str, object]:
    """Return an event for machines; `event` and `data` are the log's own, `text` is the story's sentence."""
    read = line.told.page
    data: dict[str, object] = msgspec.to_builtins(line.told.event)
    return {
        "round": name.id,
        "place": line.told.place,
        "stream": read.stream,
        "revision": read.entry.revision,
        "sequence": read.sequence,
        "at": stamp(read.entry.at_ms, zone),
        "at_ms": read.entry.at_ms,
        "offset_ms": line.offset_ms,
        "who": line.who,
        "role": line.told.decision.actor.role,
        "event": data.pop("type"),
        "text": plain(line),
        "data": data,
        "digest": read.digest,
    }

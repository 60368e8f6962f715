"""What staff do about a table's cards between its rounds: who deals, what is burned and shown, a reshuffle, whose cut it is.

Every command speaks as somebody who works at the tables (`--as NAME`), because the house looks at that person's job and
writes both down.
"""

import asyncio
from typing import Annotated, get_args

import typer

from feltlog.client import Declined
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, at_the_door
from feltlog.commands.restrictions import tell
from feltlog.commands.staff import AsOption, TableArgument
from feltlog.house import House
from feltlog.screen import screen, write_json
from feltlog.trouble import Trouble
from services.table.views import Felt, FeltCut
from shared.contracts.burns import BurnReason, ChangeDealer, OrderBurn, OrderDisclosure, OrderReshuffle

REASONS: tuple[BurnReason, ...] = get_args(BurnReason)


def dealer(
    table: TableArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who deals from now on.")],
    as_: AsOption = "pit",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Say that another dealer deals, between two rounds; in `ontario` each new one burns a card first (ON-6.2)."""
    tell(House(data), server, as_, table, ChangeDealer(dealer=name), json=json, done=f"{name} deals at table {table}.")


def burn(
    table: TableArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help="new_dealer, game_error (three cards), or house.")],
    cards: Annotated[int | None, typer.Option("--cards", min=1, help="How many; one, or three for a game error.")] = None,
    as_: AsOption = "pit",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Have cards burned between two rounds, in `live` (LV-3.5).  A game error is the pit boss's to decide."""
    count = cards or (3 if reason == "game_error" else 1)
    command = OrderBurn(reason=reason_of(reason), cards=count)
    done = f"{count} {'card was' if count == 1 else 'cards were'} burned at table {table}."
    tell(House(data), server, as_, table, command, json=json, done=done)


def show_burned(
    table: TableArgument, as_: AsOption = "pit", data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False
) -> None:
    """Have the burned cards of the shoe in use shown: on request in `ontario` (ON-6.2), as the casino likes in `live` (LV-3.5)."""
    done = f"The burned cards of table {table} are open: `feltlog table cards {table}` shows them."
    tell(House(data), server, as_, table, OrderDisclosure(), json=json, done=done)


def reshuffle(
    table: TableArgument, as_: AsOption = "pit", data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False
) -> None:
    """Have the cards shuffled after the round under way (ON-5.8: the designated representative; LV-3.2)."""
    done = f"Table {table} goes on from another shoe after the round under way."
    tell(House(data), server, as_, table, OrderReshuffle(), json=json, done=done)


def cards(table: TableArgument, data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False) -> None:
    """Show who deals at a table, its shoe, which burned cards were shown, and whose cut comes next."""

    async def look() -> Felt:
        async with at_the_door(House(data), server, "pit") as pit:
            try:
                return await pit.felt(table)
            except Declined as error:
                raise Trouble(str(error)) from error

    felt = asyncio.run(look())
    if json:
        write_json({"dealer": felt.dealer, "shoe": felt.shoe, "root": felt.root, "burned_shown": felt.burned_shown, "cut": felt.cut})
        return
    console = screen()
    for sentence in sentences(felt):
        console.print(sentence)


def sentences(felt: Felt) -> list[str]:
    """Return what there is to say of a table's cards, a sentence each."""
    said = [f"{felt.dealer} deals." if felt.dealer else "Nobody has said who deals."]
    said.append(f"Shoe {felt.shoe} is in use." if felt.shoe else "No shoe is in use.")
    if felt.burned_shown:
        said.append(f"Burned and shown: {' '.join(felt.burned_shown)}.")
    if felt.reshuffle:
        said.append("The cards are shuffled after this round.")
    if felt.unread is not None:
        place = f"{felt.unread.shoe} {felt.unread.index}"
        said.append(
            f"Card {felt.unread.index} of {felt.unread.shoe} could not be read: "
            f"`feltlog table tell-card {felt.table} {place} CARD --as NAME` says what it is."
        )
    return [*said, *cut_sentences(felt.cut)]


def cut_sentences(cut: FeltCut | None) -> list[str]:
    """Return how far the cut of the next shoe is, and whose it is."""
    match cut:
        case None:
            return []
        case FeltCut(phase="shuffling"):
            return [f"Shoe {cut.shoe} is shuffled."]
        case FeltCut(phase="shuffled"):
            return [f"Shoe {cut.shoe} is shuffled by the device, and nobody cuts it."]
        case FeltCut(phase="sealing"):
            yes, no = ", ".join(cut.sealed) or "nobody", ", ".join(cut.refused)
            return [f"Shoe {cut.shoe} may be cut: {yes} would{f', {no} would not' if no else ''}."]
        case FeltCut(phase="revealing", turn=(first, *_)):
            return [f"Shoe {cut.shoe} is {first}'s to cut, as soon as the secret is told."]
        case _:
            return [f"Shoe {cut.shoe} is being cut."]


def reason_of(text: str) -> BurnReason:
    """Return why cards are burned; raise `Trouble` for any other text."""
    for reason in REASONS:
        if reason == text:
            return reason
    raise Trouble(f"{text!r} is no reason to burn cards: it is one of {', '.join(REASONS)}.")


WORDS = (dealer, burn, show_burned, reshuffle, cards)
"""The commands under `feltlog table`."""

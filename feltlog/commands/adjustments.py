"""`feltlog wallet adjust` and what follows it: money that moves by nothing but what two persons say."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal

import typer
from rich.table import Table

from feltlog.client import Client, Declined, Unanswered
from feltlog.commands.cage import (
    Cage,
    CurrencyOption,
    IdOption,
    NoteOption,
    PlayerArgument,
    Sum,
    asked,
    cage,
    currency_of,
    difference_of,
    name_of,
    one_of,
    speaking,
    tell,
)
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption
from feltlog.commands.staff import AsOption
from feltlog.house import House
from feltlog.screen import WIDE, plain_table, screen, write_json
from feltlog.wording import gain, money
from services.wallet.views import OpenAdjustment
from shared.contracts.cage import ADJUSTMENT_REASONS, ANSWERABLE, ApproveAdjustment, DeclineAdjustment, ProposeAdjustment
from shared.contracts.staff import job_in_words
from shared.kernel.messages import Answer

AdjustmentArgument = Annotated[str, typer.Argument(metavar="ID", help="Its name, as `feltlog wallet proposals` shows it: 20261130-3.")]


def adjust(
    player: PlayerArgument,
    amount: Annotated[str, typer.Argument(metavar="AMOUNT", help="+5.00 for what the player gets, -5.00 for what is taken.")],
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help=f"Why: {', '.join(ADJUSTMENT_REASONS)}.")],
    round: Annotated[str, typer.Option("--round", metavar="ROUND", help="The round of an earlier day that it is about.")] = "",
    note: NoteOption = "",
    currency: CurrencyOption = "",
    by: AsOption = "pit",
    id: IdOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Propose that money is moved between the house and a player.  Nothing moves before another person approves it.

    Such as `feltlog wallet adjust ann +12.50 --reason goodwill --note "waited an hour"`, or for a round whose day is closed
    `feltlog wallet adjust ann -5.00 --reason round_correction --round T7.20261129-000123`.
    A proposal that nobody decides about ends with the day's book.  Exit status 0: it is proposed; 2: it was refused.
    """
    at = cage(House(data), server, by, id, json=json)
    command = partial(ProposeAdjustment, reason=one_of(reason, ADJUSTMENT_REASONS, "reason"), round=round, note=note)
    asyncio.run(propose(at, name_of(player), Sum(amount, currency), command))


def approve(
    adjustment: AdjustmentArgument,
    by: AsOption,
    id: IdOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Approve what somebody else proposed: the money moves at once, and what the player lacks is owed.

    Such as `feltlog wallet approve 20261130-3 --as supervisor`.  Exit status 0: it moved; 2: it was refused.
    """
    at = cage(House(data), server, by, id, json=json)
    asyncio.run(decide(at, ApproveAdjustment(adjustment=adjustment), "approved"))


def decline(
    adjustment: AdjustmentArgument,
    by: AsOption,
    note: NoteOption = "",
    id: IdOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Decline what somebody else proposed, or take back what one proposed oneself: nothing comes of it.

    Such as `feltlog wallet decline 20261130-3 --as supervisor --note "paid already"`.  Exit status 0: declined; 2: refused.
    """
    at = cage(House(data), server, by, id, json=json)
    asyncio.run(decide(at, DeclineAdjustment(adjustment=adjustment, note=note), "declined"))


def proposals(by: AsOption = "pit", data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False) -> None:
    """List the adjustments that wait for a second person in the open book."""
    at = cage(House(data), server, by, "", json=json)
    found = asyncio.run(speaking(at, waiting))
    if json:
        for each in found:
            write_json(each)
        return
    console = screen()
    console.print(listing(found, narrow=console.width < WIDE) if found else "No adjustment waits for a second person.")


async def propose(at: Cage, player: str, sum: Sum, command: Callable[..., ProposeAdjustment]) -> None:
    """Propose an adjustment and say under which name it waits, and for whom."""

    async def speak(staff: Client) -> None:
        currency = await currency_of(staff, player, sum.currency)
        proposal = command(player=player, currency=currency, minor=difference_of(sum.text, currency))
        answer = await asked(staff, at, proposal)
        jobs = ", ".join(map(job_in_words, ANSWERABLE))
        done = f"{in_words(proposal)}. {answer.message} One of: {jobs}."
        name = await proposed(staff, answer) if answer.status == "accepted" else ""
        tell(at, answer, done, player=player, currency=currency, minor=proposal.minor, reason=proposal.reason, adjustment=name)

    await speaking(at, speak)


async def decide(at: Cage, command: ApproveAdjustment | DeclineAdjustment, word: str) -> None:
    """Say yes or no to a proposal."""

    async def speak(staff: Client) -> None:
        about = next((f": {in_words(each)}" for each in await waiting(staff) if each.adjustment == command.adjustment), "")
        answer = await asked(staff, at, command)
        tell(at, answer, f"{command.adjustment} is {word}{about}.", adjustment=command.adjustment)

    await speaking(at, speak)


async def waiting(staff: Client) -> list[OpenAdjustment]:
    """Return the adjustments that wait for a second person."""
    return await staff.query("wallet", "adjustments", list[OpenAdjustment])


async def proposed(staff: Client, answer: Answer) -> str:
    """Return the name that an answer tells of a proposal, empty if it does not wait any more or nobody can tell now."""
    try:
        return next((each.adjustment for each in await waiting(staff) if each.adjustment in answer.message.split()), "")
    except (Declined, Unanswered):
        return ""


def in_words(about: ProposeAdjustment | OpenAdjustment) -> str:
    """Return what an adjustment does: `12.50 CAD to ann (goodwill)`."""
    way = "to" if about.minor > 0 else "from"
    round = f", round {about.round}" if about.round else ""
    return f"{money(abs(about.minor), about.currency)} {way} {about.player} ({about.reason.replace('_', ' ')}{round})"


def listing(found: list[OpenAdjustment], *, narrow: bool = False) -> Table:
    """Return open proposals as a table for people; where it is narrow, all but name and amount in one column."""
    table = plain_table()
    rows = [narrow_row(each) if narrow else wide_row(each) for each in found]
    for heading in rows[0]:
        # A proposal whose id is cut cannot be approved, and an amount that is cut is another amount.
        whole = heading in ("id", "amount", "round")
        justify: Literal["right", "left"] = "right" if heading == "amount" else "left"
        width = max(len(row[heading]) for row in rows) if whole else None
        table.add_column(heading, justify=justify, no_wrap=whole, min_width=width, overflow="fold")
    for row in rows:
        table.add_row(*row.values())
    return table


def narrow_row(each: OpenAdjustment) -> dict[str, str]:
    """Return what a proposal says to people on few columns, by the heading of its column."""
    return {
        "id": each.adjustment,
        "amount": f"{gain(each.minor, each.currency)} {each.currency}",
        "what": ", ".join(filter(None, (f"{each.player}: {each.reason.replace('_', ' ')}", each.round, f"by {each.by}", each.note))),
    }


def wide_row(each: OpenAdjustment) -> dict[str, str]:
    """Return what a proposal says to people, by the heading of its column."""
    return {
        "id": each.adjustment,
        "player": each.player,
        "amount": f"{gain(each.minor, each.currency)} {each.currency}",
        "reason": each.reason.replace("_", " "),
        "round": each.round,
        "by": f"{each.by}, {job_in_words(each.job)}",
        "note": each.note,
    }


WORDS: Mapping[Callable[..., None], dict[str, Any] | None] = {
    # An amount that is taken begins like an option.
    adjust: {"ignore_unknown_options": True},
    proposals: None,
    approve: None,
    decline: None,
}
"""The commands under `feltlog wallet`, with what the reading of their arguments needs."""

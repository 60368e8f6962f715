"""`feltlog wallet block` and `unblock`: whether a player may place stakes.

A block holds nothing that is on the felt already: running rounds are settled, and money comes in and goes out.
"""

import asyncio
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from feltlog.client import Client, Declined, Unanswered
from feltlog.commands.cage import Cage, IdOption, NoteOption, PlayerArgument, asked, cage, name_of, one_of, speaking, tell
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption
from feltlog.commands.staff import AsOption
from feltlog.house import House
from shared.contracts.cage import BLOCK_REASONS, UNBLOCK_REASONS, BlockAccount, UnblockAccount


def block(
    player: PlayerArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help=f"Why: {', '.join(BLOCK_REASONS)}.")],
    note: NoteOption = "",
    by: AsOption = "pit",
    id: IdOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Let a player place no stakes any more, in no currency: no wager, double, split or insurance.

    What is set aside plays on and is settled; deposits and withdrawals stay possible.
    Such as `feltlog wallet block ann --reason self_exclusion`.  Exit status 0: blocked; 2: it was refused.
    """
    at = cage(House(data), server, by, id, json=json)
    command = BlockAccount(player=name_of(player), reason=one_of(reason, BLOCK_REASONS, "reason"), note=note)
    asyncio.run(ask(at, command, f"{player} places no stakes from now on."))


def unblock(
    player: PlayerArgument,
    reason: Annotated[str, typer.Option("--reason", metavar="REASON", help=f"Of the block: {', '.join(BLOCK_REASONS)}.")],
    because: Annotated[str, typer.Option("--because", metavar="WHY", help=f"Why it ends: {', '.join(UNBLOCK_REASONS)}.")],
    by: AsOption,
    note: NoteOption = "",
    id: IdOption = "",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """End a block; the player may place stakes again when no other is left.

    Such as `feltlog wallet unblock ann --reason identity --because cleared --as manager`.
    Exit status 0: it is over; 2: it was refused.
    """
    at = cage(House(data), server, by, id, json=json)
    command = UnblockAccount(
        player=name_of(player),
        reason=one_of(reason, BLOCK_REASONS, "reason"),
        because=one_of(because, UNBLOCK_REASONS, "way for a block to end"),
        note=note,
    )
    asyncio.run(ask(at, command, f"The block of {player} is over ({reason.replace('_', ' ')})."))


async def ask(at: Cage, command: BlockAccount | UnblockAccount, done: str) -> None:
    """Ask, and say what came of it."""

    async def speak(staff: Client) -> None:
        answer = await asked(staff, at, command)
        left = await blocks_left(staff, command.player) if isinstance(command, UnblockAccount) and answer.status == "accepted" else ""
        tell(at, answer, f"{done}{left}", player=command.player, reason=command.reason)

    await speaking(at, speak)


async def blocks_left(staff: Client, player: str) -> str:
    """Return a sentence about the blocks that a player has left, empty if there is none or nobody can tell now."""
    try:
        blocks = (await staff.balance(player)).blocks
    except (Declined, Unanswered):
        return ""
    return f" Another stays: {player} places no stakes ({', '.join(each.replace('_', ' ') for each in blocks)})." if blocks else ""


WORDS: Mapping[Callable[..., None], dict[str, Any] | None] = {block: None, unblock: None}
"""The commands under `feltlog wallet`, with what the reading of their arguments needs."""

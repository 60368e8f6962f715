"""What staff rule at a table: who is held to the minimum, which boxes are kept or given up, how many share one, how cards lie.

Every command speaks as somebody who works at the tables (`--as NAME`), because the house looks at that person's job and
writes both down.
"""

import asyncio
import re
from typing import Annotated, Any, get_args

import typer
from rich.table import Table

from feltlog.client import Declined
from feltlog.commands.answers import tell_answer
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, at_the_door
from feltlog.commands.staff import AsOption, TableArgument, member
from feltlog.house import House
from feltlog.screen import plain_table, screen, write_json
from feltlog.trouble import Trouble
from services.table.notices import boxes_are
from services.table.views import Felt
from shared.contracts.restrictions import (
    ApproveFaceDown,
    GiveUpBox,
    HoldPlayer,
    InForce,
    KeptBoxes,
    LimitPlayers,
    ReleaseBoxes,
    ReleasePlayer,
    ReserveBoxes,
    Rule,
    TakeNotice,
)

CLAUSES: tuple[Rule, ...] = get_args(Rule)

PlayerArgument = Annotated[str, typer.Argument(metavar="PLAYER", help="The player whom it is about.")]
RuleOption = Annotated[
    str,
    typer.Option("--rule", metavar="CLAUSE", help="FL-5.10 until the reshuffle, FL-5.11 in all further shoes, FL-5.12 to one box."),
]
BoxesOption = Annotated[str, typer.Option("--boxes", metavar="FIRST-LAST", help="Neighbouring boxes, such as 2-4, or one box.")]


def restrict(
    table: TableArgument,
    player: PlayerArgument,
    by: AsOption,
    rule: RuleOption = "FL-5.10",
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Hold a player to the table's minimum.  FL-5.10 is a casino supervisor's; FL-5.11 and FL-5.12 a duty manager's, after `notice`."""
    command = HoldPlayer(player=player, rule=clause(rule))
    tell(House(data), server, by, table, command, json=json, done=f"{player} is held by {rule}, from the next wager on.")


def notice(
    table: TableArgument,
    player: PlayerArgument,
    by: AsOption,
    rule: RuleOption,
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Confirm, as an inspector, to have been notified that a player is to be held by FL-5.11 or FL-5.12."""
    command = TakeNotice(player=player, rule=clause(rule))
    tell(House(data), server, by, table, command, json=json, done=f"It is written down that {by} knows of {player} and {rule}.")


def reserve(
    table: TableArgument,
    player: PlayerArgument,
    by: AsOption,
    boxes: BoxesOption,
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Keep neighbouring boxes for one player (FL-5.13), as a casino supervisor."""
    first, last = run_of(boxes)
    command, kept = ReserveBoxes(player=player, first=first, last=last), KeptBoxes(player=player, first=first, last=last)
    tell(House(data), server, by, table, command, json=json, done=f"{boxes_are(kept)} kept for {player}.")


def release(
    table: TableArgument,
    player: PlayerArgument,
    by: AsOption,
    rule: Annotated[str, typer.Option("--rule", metavar="CLAUSE", help="By which clause the player is held no longer.")] = "",
    boxes: Annotated[bool, typer.Option("--boxes", help="Free the boxes that are kept for the player, or were given up.")] = False,
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Let go of what was ruled about a player: --rule for a hold, --boxes for boxes."""
    if bool(rule) == boxes:
        raise Trouble("Say either --rule CLAUSE or --boxes.")
    command = ReleaseBoxes(player=player) if boxes else ReleasePlayer(player=player, rule=clause(rule))
    done = f"No box is kept for {player} any more, nor counts as given up." if boxes else f"{player} is held by {rule} no longer."
    tell(House(data), server, by, table, command, json=json, done=done)


def limit(
    table: TableArgument,
    players: Annotated[int, typer.Argument(metavar="PLAYERS", help="How many may wager on the same box.")],
    by: AsOption,
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Let fewer players wager on the same box than the book allows, or as many again (FL-5.4), as a casino supervisor."""
    command = LimitPlayers(players_per_box_max=players)
    tell(House(data), server, by, table, command, json=json, done=f"At most {players} may wager on the same box, from the next wager on.")


def give_up(
    table: TableArgument,
    player: PlayerArgument,
    by: AsOption,
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Have a player with several boxes give up the one that was taken last (FL-5.8)."""
    done = f"{player} gives a box up from the next round on; `feltlog table restrictions {table}` shows which."
    tell(House(data), server, by, table, GiveUpBox(player=player), json=json, done=done)


def approve_face_down(
    table: TableArgument, by: AsOption, data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False
) -> None:
    """Approve the face-down deal of a table for this gaming day (FL-3.5), as an inspector."""
    tell(House(data), server, by, table, ApproveFaceDown(), json=json, done=f"Table {table} may deal face down today.")


def restrictions(table: TableArgument, data: DataOption = DATA, server: ServerOption = None, json: JsonOption = False) -> None:
    """Show what holds at a table beside its book."""

    async def look() -> Felt:
        async with at_the_door(House(data), server, "pit") as pit:
            try:
                return await pit.felt(table)
            except Declined as error:
                raise Trouble(str(error)) from error

    in_force = asyncio.run(look()).in_force
    if json:
        write_json(in_force)
        return
    rows = rows_of(in_force)
    screen().print(listing(rows) if rows else "Nothing is ruled at this table beside its book.")


def rows_of(in_force: InForce) -> list[tuple[str, str, str]]:
    """Return what holds in rows: the clause, whom it is about, and what it says."""
    says = {
        "FL-5.10": "the minimum until the reshuffle",
        "FL-5.11": "the minimum in this shoe, and in each that is joined late or sat out",
        "FL-5.12": "one box, at the minimum",
    }
    rows: list[tuple[str, str, str]] = [(held.rule, held.player, says[held.rule]) for held in in_force.held]
    rows += [("FL-5.13", kept.player, f"{boxes_are(kept).lower()} kept") for kept in in_force.kept]
    rows += [("FL-5.8", given.player, f"box {given.box} is given up") for given in in_force.given]
    if in_force.players_per_box_max:
        rows.append(("FL-5.4", "everybody", f"{in_force.players_per_box_max} on a box at most"))
    if in_force.face_down_by:
        rows.append(("FL-3.5", "everybody", f"cards face down, approved by {in_force.face_down_by}"))
    return rows


def listing(rows: list[tuple[str, str, str]]) -> Table:
    """Return what holds as a table for people."""
    table = plain_table()
    for heading in ("clause", "about", "what holds"):
        table.add_column(heading)
    for row in rows:
        table.add_row(*row)
    return table


def clause(text: str) -> Rule:
    """Return the clause of a hold; raise `Trouble` for any other text."""
    for rule in CLAUSES:
        if rule == text:
            return rule
    raise Trouble(f"{text!r} is no clause by which a player is held: it is one of {', '.join(CLAUSES)}.")


def run_of(text: str) -> tuple[int, int]:
    """Return the first and the last of neighbouring boxes; raise `Trouble` for anything else.

    >>> run_of("2-4"), run_of("3")
    ((2, 4), (3, 3))
    """
    found = re.fullmatch(r"([0-9]{1,2})(?:-([0-9]{1,2}))?", text)
    if found is None:
        raise Trouble(f"{text!r} is no run of boxes: write 2-4, or 3 for one box.")
    return int(found[1]), int(found[2] or found[1])


def tell(house: House, server: str | None, by: str, table: str, command: Any, *, json: bool, done: str) -> None:
    """Ask the table as a member of staff and tell the person what came of it; exit 2 if it was refused."""

    async def run() -> None:
        async with at_the_door(house, server, member(house, by)) as door:
            answer = await door.ask("table", table, command)
        if json:
            write_json({"status": answer.status, "code": answer.code, "message": answer.message})
            if answer.status == "refused":
                raise typer.Exit(2)
        else:
            tell_answer(answer, done=done)

    asyncio.run(run())


WORDS = (restrict, notice, reserve, release, limit, give_up, approve_face_down, restrictions)
"""The commands under `feltlog table`."""

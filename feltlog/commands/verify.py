"""`feltlog verify`: the proof that a round, or everything, is what the rules and the logs say it must be."""

import asyncio
from collections.abc import Callable
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from feltlog.auditing import audit_all, audit_round
from feltlog.commands.connection import DATA, DataOption, JsonOption, ServerOption, reading
from feltlog.commands.replay import wanted
from feltlog.house import House
from feltlog.screen import plain_table, screen, write_json
from feltlog.trouble import Trouble
from feltlog.wording import counted
from services.surveillance.domain.findings import MEANINGS, Code, Finding
from services.surveillance.domain.report import Counts, Report
from shared.runtime.sql import IndexUnreadable, positions

STYLES = {"breach": "bold red", "warning": "yellow", "note": "dim"}
SHOWN_MAX = 50
"""How many findings are shown to a person; `--json` writes all."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the checklist: what was looked at, how often, and the codes of what may be wrong with it."""

    what: str
    count: Callable[[Counts], str]
    codes: frozenset[Code]


def check(what: str, count: Callable[[Counts], str], *codes: Code) -> Check:
    """Return a line of the checklist."""
    return Check(what=what, count=count, codes=frozenset(codes))


CHECKS = (
    check(
        "entries: each follows the bytes before it",
        lambda counts: f"{counts.entries} in {counted(counts.streams, 'stream')}",
        Code.UNREADABLE,
        Code.STRAY,
        Code.WRONG_LOG,
        Code.WRONG_STREAM,
        Code.MISSING_ENTRY,
        Code.SWAPPED,
        Code.REPEATED_ENTRY,
        Code.BROKEN_LINK,
        Code.WRONG_DIGEST,
        Code.FOREIGN_BYTES,
        Code.OVERSIZED,
        Code.REPEATED_ID,
        Code.SEQUENCE_BACK,
        Code.SEQUENCE_GAP,
        Code.TAIL_MISSING,
        Code.POSITION_BACK,
        Code.DAY_CHAIN_BROKEN,
        Code.AFTER_CLOSE,
    ),
    check(
        "writers: one at a time, clocks that agree",
        lambda counts: counted(counts.entries, "entry", "entries"),
        Code.TIME_BACK,
        Code.EPOCH_BACK,
        Code.TWO_WRITERS,
        Code.CLOCK_APART,
    ),
    check(
        "decisions: the same when decided again",
        lambda counts: counted(counts.decisions_same, "decision"),
        Code.DIFFERS,
        Code.OTHER_VERSION,
    ),
    check(
        "reactions: what other services said, done once",
        lambda counts: counted(counts.reactions_matched, "reaction"),
        Code.CAUSE_MISSING,
        Code.WRONG_CAUSE,
    ),
    check(
        "rounds: by the rule book, judged by other code",
        lambda counts: counted(counts.rounds_judged, "round"),
        Code.RULES,
        Code.UNJUDGED,
    ),
    check(
        "rounds: none missing, ends as the table wrote",
        lambda counts: counted(counts.rounds_matched, "round"),
        Code.MISSING_ROUND,
        Code.UNRECORDED_ROUND,
        Code.WRONG_FINAL_DIGEST,
        Code.UNENDED_ROUND,
    ),
    check(
        "cards: as the shoe gave and committed them",
        lambda counts: counted(counts.cards_matched, "card"),
        Code.CARD_MISMATCH,
        Code.CARD_TWICE,
        Code.WRONG_CARDS,
        Code.ROOT_MISMATCH,
    ),
    check(
        "shoes: committed, then cut, then opened",
        lambda counts: counted(counts.shoes_opened, "shoe"),
        Code.WRONG_ORDER,
        Code.WRONG_CUT,
        Code.OPENED_EARLY,
    ),
    check(
        "stakes: set aside as wagered, once",
        lambda counts: counted(counts.stakes_matched, "stake"),
        Code.STAKE_MISMATCH,
        Code.STAKE_MISSING,
        Code.STAKE_TWICE,
        Code.RELEASE_MISSING,
    ),
    check(
        "settlements: in the ledger as in the round",
        lambda counts: counted(counts.settlements_matched, "settlement"),
        Code.SETTLEMENT_MISMATCH,
        Code.SETTLEMENT_MISSING,
        Code.SETTLEMENT_TWICE,
        Code.ESCROW_LEFT,
    ),
    check("corrections: booked as ruled, once", lambda counts: counted(counts.corrections_matched, "correction")),
    check("movements: each sums to zero", lambda counts: counted(counts.movements, "movement"), Code.UNBALANCED),
    check(
        "cage: adjustments by two persons, blocks kept",
        lambda counts: counted(counts.adjustments, "adjustment"),
        Code.ADJUSTED,
        Code.UNAPPROVED,
        Code.BLOCKED_STAKE,
        Code.UNKNOWN_ROUND,
    ),
)


def verify(
    round: Annotated[str, typer.Argument(metavar="ROUND", help="A round's id; without one, everything that is kept.")] = "",
    all_: Annotated[bool, typer.Option("--all", help="Everything that is kept: all rounds, shoes and ledgers.")] = False,
    data: DataOption = DATA,
    server: ServerOption = None,
    json: JsonOption = False,
) -> None:
    """Check a round, or everything: chains, decisions decided again, the rules by a second hand, cards, money.

    Each finding names the stream and the revision where a person should look.
    Exit 1 if something is not as it must be; warnings and notes alone are fine.
    """
    if round and all_:
        raise Trouble("Name a round or say --all, not both.")
    report = asyncio.run(examine(House(data), server, round))
    if json:
        for found in report.findings:
            write_json({"finding": found.code, **msgspec.to_builtins(found)})
        write_json({"fine": report.fine, "findings": len(report.findings), "counts": report.counts})
    else:
        show(screen(), report)
    if not report.fine:
        raise typer.Exit(1)


async def examine(house: House, server: str | None, round: str) -> Report:
    """Return the report over a round, or over everything if none is named; raise `Trouble` if there is no such round."""
    # Read before the logs: a house that plays on writes logs first and its index after them.
    try:
        known = positions(house.index) if server is None else {}
    except IndexUnreadable as error:
        raise Trouble(str(error)) from error
    async with reading(house, server) as store:
        if not round:
            return await audit_all(store, known)
        report = await audit_round(store, wanted(round))
    if not report.counts.rounds_judged and not report.findings:
        raise Trouble(f"There is no round {round} that is over in these logs. `feltlog rounds` lists those that there are.")
    return report


def show(console: Console, report: Report) -> None:
    """Show the checklist, the findings and the verdict."""
    console.print(checklist(report))
    if report.findings:
        console.print(findings_table(report.findings[:SHOWN_MAX]))
    if len(report.findings) > SHOWN_MAX:
        console.print(f"... and {len(report.findings) - SHOWN_MAX} more; --json writes them all.")
    breaches = sum(found.severity == "breach" for found in report.findings)
    if report.fine:
        console.print("Everything is as it must be.", style="bold green")
    else:
        console.print(f"{counted(breaches, 'finding')} of what must not be.", style="bold red")


def checklist(report: Report) -> Table:
    """Return what was checked, how often, and what came of it."""
    table = plain_table()
    table.add_column("checked")
    table.add_column("how much", justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for each in CHECKS:
        table.add_row(each.what, each.count(report.counts), verdict(each, report))
    return table


def verdict(checked: Check, report: Report) -> Text:
    """Return what came of one check."""
    found = [one for one in report.findings if one.code in checked.codes]
    breaches = sum(one.severity == "breach" for one in found)
    if breaches:
        return Text(f"{breaches} FOUND", style="bold red")
    if found:
        return Text(f"ok, {counted(len(found), 'remark')}", style="yellow")
    nothing = checked.count(report.counts).startswith("0 ")
    return Text("nothing to check", style="dim") if nothing else Text("ok", style="green")


def findings_table(findings: tuple[Finding, ...]) -> Table:
    """Return findings with the place where a person should look."""
    table = plain_table()
    table.add_column("finding", no_wrap=True)
    table.add_column("stream")
    table.add_column("revision", justify="right")
    table.add_column("sequence", justify="right")
    table.add_column("what")
    for found in findings:
        said = f"{found.message} ({found.clause})" if found.clause else found.message
        words = f"{said}\n{MEANINGS[found.code][1]}"
        place = (found.stream or found.log, str(found.revision or ""), str(found.sequence or ""))
        table.add_row(found.code, *place, words, style=STYLES[found.severity])
    return table

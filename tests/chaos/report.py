"""The report: what a kill run hit, how long it took to be back, and what came of it all, for people."""

from rich.console import Console
from rich.table import Table

from feltlog.screen import plain_table
from tests.chaos.run import Outcome
from tests.chaos.striking import Hit

FINDINGS_MAX = 20
"""So many findings are shown; all of them stand in the JSON."""


def report(console: Console, outcome: Outcome) -> None:
    """Show what was hit, how long it took to be back, and what came of it all."""
    console.print(blow_table(outcome.blows))
    console.print(back_table(outcome))
    console.print(summary(outcome))
    if not outcome.findings:
        console.print("Nothing was lost, nothing was done twice, and every account is what its owner's own book says.", style="bold green")
        return
    for found in outcome.findings[:FINDINGS_MAX]:
        console.print(f"{found.what}: {found.which}", style="bold red", markup=False, soft_wrap=True)
    if len(outcome.findings) > FINDINGS_MAX:
        console.print(f"... and {len(outcome.findings) - FINDINGS_MAX} more; --json writes them all.")
    console.print(
        f"The house stays in {outcome.data}: logs/ says what its processes said, `feltlog verify --all --data` looks again.", soft_wrap=True
    )
    console.print(f"Again: {outcome.command}", soft_wrap=True)


def back_table(outcome: Outcome) -> Table:
    """Return how long each kind of blow took."""
    table = plain_table()
    table.add_column("blow")
    for heading in ("times", "back after s, p50", "max"):
        table.add_column(heading, justify="right")
    for each in outcome.back:
        table.add_row(each.what, str(each.count), f"{each.p50_s:.1f}", f"{each.max_s:.1f}")
    return table


def summary(outcome: Outcome) -> Table:
    """Return the figures of a run."""
    table = plain_table()
    table.add_column(f"seed {outcome.seed}")
    table.add_column("how much", justify="right")
    reckoning = outcome.reckoning
    rows = {
        "kill -9": sum(hit.what == "kill -9" for hit in outcome.blows),
        "other blows": sum(hit.what != "kill -9" for hit in outcome.blows),
        "minutes": f"{outcome.seconds / 60:.1f}",
        "rounds": outcome.rounds,
        "gaming days": outcome.days,
        "entries": outcome.entries,
        "requests": outcome.requests,
        "of them acknowledged, and found once": reckoning.acknowledged - reckoning.lost,
        "refused": ", ".join(f"{count} {code}" for code, count in sorted(outcome.refusals.items())) or 0,
        "never answered": reckoning.unknown,
        "payouts seen by their players": reckoning.payouts_seen,
        "payouts that fell while their players could not look": reckoning.payouts_unseen,
        "longest between two rounds of a table, s": f"{outcome.longest_still_s:.1f}",
        "the day's logs were sealed after its end, s": "" if outcome.sealed_after_s is None else f"{outcome.sealed_after_s:.1f}",
        "lost": reckoning.lost,
        "doubled": reckoning.doubled,
        "findings": len(outcome.findings),
    }
    for what, much in rows.items():
        table.add_row(what, str(much))
    return table


def blow_table(hits: list[Hit]) -> Table:
    """Return what was hit, when, for how long, and when it was back."""
    table = plain_table()
    for heading, justify in (
        ("", "right"),
        ("blow", "left"),
        ("what", "left"),
        ("at s", "right"),
        ("for s", "right"),
        ("back after s", "right"),
    ):
        table.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for hit in hits:
        back = "" if hit.back_after_s is None else f"{hit.back_after_s:.1f}"
        lasted = f"{hit.lasted_s:.1f}" if hit.lasted_s else ""
        table.add_row(str(hit.number), hit.what, hit.target, f"{hit.at_s:.1f}", lasted, hit.missed or back)
    return table

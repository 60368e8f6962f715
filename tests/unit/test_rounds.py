"""The list of rounds: what a row says and which rounds are chosen."""

import io
from zoneinfo import ZoneInfo

import msgspec
import pytest
from rich.console import Console

from feltlog.commands.rounds import as_json, chosen_rows, listing
from feltlog.reading import Damaged
from feltlog.rows import Choice, since_ms
from feltlog.trouble import Trouble
from shared.contracts.rounds import RoundVoided, VoidRound
from shared.contracts.subjects import round_name
from shared.kernel.identity import digest
from shared.kernel.messages import HOUSE
from tests.house_log import BEGAN_MS, SPLIT_ROUND, HandMadeLogs, opened, split_round

ZONE = ZoneInfo("America/Toronto")
EMPTY_ROUND = "T1.20261130-000043"


@pytest.fixture
def logs() -> HandMadeLogs:
    """One round with wagers and a later one without."""
    logs = HandMadeLogs()
    split_round(logs)
    open_round, round_opened = opened(EMPTY_ROUND, BEGAN_MS + 60_000)
    stream = round_name(EMPTY_ROUND).stream
    logs.write(stream, BEGAN_MS + 60_000, (open_round, HOUSE, [round_opened]))
    voided = RoundVoided(reason="no wager", shoes=(), cutting_card_out=False)
    logs.write(stream, BEGAN_MS + 75_000, (VoidRound(reason="no wager"), HOUSE, [voided]))
    return logs


async def test_a_row_says_who_played_and_what_came_of_it(logs):
    """`--json` writes the round under the key `round` and amounts in minor units."""
    rows, _ = await chosen_rows(logs, Choice(), limit=20, damage=[])
    row = as_json(rows[0], ZONE)
    row.pop("digest")

    assert row == {
        "round": SPLIT_ROUND,
        "opened_at": "2026-11-30T21:00:00.000-05:00",
        "table": "T1",
        "day": "20261130",
        "number": 42,
        "opened_at_ms": BEGAN_MS,
        "profile": "ontario",
        "currency": "CAD",
        "players": ("ann", "bob"),
        "staked_minor": 5000,
        "returned_minor": 4000,
        "outcome": "settled",
        "entries": 16,
    }


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (Choice(), [SPLIT_ROUND]),
        (Choice(empty=True), [SPLIT_ROUND, EMPTY_ROUND]),
        (Choice(player="bob"), [SPLIT_ROUND]),
        (Choice(player="zoe"), []),
        (Choice(table="T2"), []),
        (Choice(empty=True, since_ms=BEGAN_MS + 1), [EMPTY_ROUND]),
    ],
    ids=["played", "all", "player", "nobody", "table", "since"],
)
async def test_rounds_are_chosen(logs, choice, expected):
    """By table, player and time; rounds without a wager only when asked for."""
    rows, _ = await chosen_rows(logs, choice, limit=20, damage=[])

    assert expected == [row.round for row in rows]


@pytest.mark.parametrize("width", [80, 50])
async def test_rounds_keep_their_ids_and_amounts_on_a_narrow_screen(logs, width):
    """Whoever reads an id can replay the round, and no amount is cut into a smaller one."""
    rows, _ = await chosen_rows(logs, Choice(), limit=20, damage=[])
    console = Console(width=width, file=io.StringIO())
    console.print(listing(rows, ZONE, narrow=True))
    assert isinstance(console.file, io.StringIO)
    line = next(line for line in console.file.getvalue().splitlines() if line.startswith("T1."))

    assert [word for word in (SPLIT_ROUND, "50.00", "40.00") if word in line.split()] == [SPLIT_ROUND, "50.00", "40.00"]


async def test_an_entry_that_cannot_be_read_hides_no_other_round(logs):
    """Its place is named, and the rest is listed."""
    spoiled = next(place for place, each in enumerate(logs.stored) if each.stream == round_name(EMPTY_ROUND).stream)
    logs.stored[spoiled] = msgspec.structs.replace(logs.stored[spoiled], data=b"{", claimed=digest(logs.stored[spoiled].data))
    damage: list[Damaged] = []
    rows, _ = await chosen_rows(logs, Choice(), limit=20, damage=damage)

    assert ([row.round for row in rows], [str(each).partition(" cannot")[0] for each in damage]) == (
        [SPLIT_ROUND],
        [f"The entry at sequence {spoiled + 1} of {round_name(EMPTY_ROUND).stream}"],
    )


async def test_rounds_without_a_wager_are_counted(logs):
    """What is not shown is at least mentioned."""
    _, unplayed = await chosen_rows(logs, Choice(), limit=20, damage=[])

    assert unplayed == 1


async def test_the_latest_rounds_are_kept_when_there_are_too_many(logs):
    """`--limit` keeps the end of the list."""
    rows, _ = await chosen_rows(logs, Choice(empty=True), limit=1, damage=[])

    assert [row.round for row in rows] == [EMPTY_ROUND]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("90m", BEGAN_MS - 90 * 60_000),
        ("3d", BEGAN_MS - 3 * 86_400_000),
        ("20261130", BEGAN_MS - 15 * 3_600_000),
        ("2026-11-30T21:00", BEGAN_MS),
        ("2026-12-01T02:00:00+00:00", BEGAN_MS),
    ],
)
def test_since_is_read_on_the_house_clock(text, expected):
    """A gaming day begins when the house says; a time without a zone is the house's."""

    assert expected == since_ms(text, ZONE, day_starts="06:00", now_ms=BEGAN_MS)


def test_since_that_is_no_moment_is_trouble():
    """The sentence says what may be written."""
    with pytest.raises(Trouble, match="'yesterday' is no moment"):
        since_ms("yesterday", ZONE, day_starts="06:00", now_ms=BEGAN_MS)

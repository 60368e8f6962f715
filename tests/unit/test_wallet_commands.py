"""The commands of the cage: what a person types becomes a request, and what came of it is told."""

import json
from pathlib import Path

import pytest
import typer
from msgspec.structs import replace
from typer.testing import CliRunner

from feltlog.__main__ import app
from feltlog.client import Unanswered
from feltlog.commands.adjustments import in_words, listing
from feltlog.commands.blocking import blocks_left
from feltlog.commands.cage import Cage, advised, amount_of, asked, cage, currency_of, difference_of, name_of, one_of, tell
from feltlog.commands.wallet import show
from feltlog.house import House
from feltlog.screen import screen
from feltlog.trouble import Trouble
from services.wallet.views import Amount, Balance, OpenAdjustment
from shared.contracts.cage import ADJUSTMENT_REASONS, BlockReason, Deposit, ProposeAdjustment
from shared.kernel.messages import ACCEPTED, Answer

WAITS = OpenAdjustment(
    adjustment="20261130-12",
    player="ann_of_the_long_name",
    currency="CAD",
    minor=-123_456_78,
    reason="round_correction",
    by="supervisor",
    job="casino_supervisor",
    round="T7.20261129-000123",
    note="the dealer paid twice",
)


def at(tmp_path: Path, *, json: bool = False) -> Cage:
    """Return the cage as the pit of a house that has just been made."""
    house = House(tmp_path)
    house.prepare()
    return cage(house, None, "pit", "slip-1", json=json)


class Ledger:
    """A client that knows some balances and answers what it is to."""

    def __init__(self, *currencies: str, answer: Answer | Exception = ACCEPTED, blocks: tuple[BlockReason, ...] = ()) -> None:
        self._blocks = blocks
        self._amounts = tuple(Amount(currency=each, operator="north", available_minor=0, set_aside_minor=0) for each in currencies)
        self._answer = answer

    async def balance(self, player: str) -> Balance:
        """Return what a player has."""
        return Balance(player=player, amounts=self._amounts, blocks=self._blocks)

    async def ask(self, service: str, target: str, command: object, *, id: str) -> Answer:
        """Answer."""
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.mark.parametrize(
    ("text", "currency", "minor"), [("12.5", "CAD", 1250), ("12", "JPY", 12), ("0.005", "KWD", 5), ("1.50", "EUR", 150), ("0007", "JPY", 7)]
)
def test_an_amount_has_the_decimals_of_its_currency(text: str, currency: str, minor: int):
    """ISO 4217: none in yen, two in euros, three in dinars."""
    assert amount_of(text, currency) == minor


@pytest.mark.parametrize(
    ("text", "currency", "told"),
    [
        ("12.505", "CAD", "12.505 CAD is finer than the currency: CAD has 2 decimals."),
        ("0.5", "JPY", "0.5 JPY is finer than the currency: JPY has 0 decimals."),
        ("0.0005", "KWD", "KWD has 3 decimals."),
        ("1e3", "CAD", "'1e3' is not an amount"),
        ("12,50", "EUR", "'12,50' is not an amount"),
        ("-1", "EUR", "'-1' is not an amount"),
        ("NaN", "EUR", "'NaN' is not an amount"),
        ("9999999999999", "KWD", "more than this house can write down"),
        ("9" * 5000, "CAD", "more than this house can write down"),
        ("1.000", "CAD", "1.000 CAD has more decimals than the currency: CAD has 2, and no sign for thousands."),
        ("7.0", "JPY", "7.0 JPY has more decimals than the currency"),
    ],
)
def test_what_is_no_amount_is_told(text: str, currency: str, told: str):
    """A sentence says what is wrong, and nothing is asked."""
    with pytest.raises(Trouble) as trouble:
        amount_of(text, currency)

    assert told in str(trouble.value)


def test_an_adjustment_says_for_whom():
    """Without a sign nobody knows who gets it."""
    with pytest.raises(Trouble, match=r"'5.00' does not say for whom: write \+5.00"):
        difference_of("5.00", "CAD")
    with pytest.raises(Trouble, match="is not an amount"):
        difference_of("--5", "CAD")
    assert (difference_of("+5", "CAD"), difference_of("-5.00", "CAD")) == (500, -500)


def test_a_code_that_is_none_is_told_with_those_that_there_are():
    """Reasons are codes, so that they can be counted."""
    with pytest.raises(Trouble, match=r"There is no reason 'mood'. There are round_correction, cage_error, "):
        one_of("mood", ADJUSTMENT_REASONS, "reason")
    assert one_of("goodwill", ADJUSTMENT_REASONS, "reason") == "goodwill"


async def test_the_only_account_needs_no_currency():
    """With several the person says which; with none there is nothing to move."""
    found = await currency_of(Ledger("CAD"), "ann", ""), await currency_of(Ledger("CAD"), "ann", "EUR")  # type: ignore[arg-type]

    assert found == ("CAD", "EUR")
    with pytest.raises(Trouble, match="ann has accounts in CAD, EUR: say which with --currency"):
        await currency_of(Ledger("CAD", "EUR"), "ann", "")  # type: ignore[arg-type]
    with pytest.raises(Trouble, match="There is no account of 'ann'"):
        await currency_of(Ledger(), "ann", "")  # type: ignore[arg-type]
    with pytest.raises(Trouble, match="'XYZ' is not a known currency"):
        await currency_of(Ledger(), "ann", "XYZ")  # type: ignore[arg-type]


@pytest.mark.parametrize("id", ["house.1", "x" * 65, "café", "a\nb"])
def test_an_id_that_is_none_is_told(tmp_path: Path, id: str):
    """The house's own ids cannot be used up by anybody."""
    House(tmp_path).prepare()

    with pytest.raises(Trouble, match="is no id: it has 64 printable"):
        cage(House(tmp_path), None, "pit", id, json=False)


def test_an_id_is_chosen_for_who_chooses_none(tmp_path: Path):
    """Another one each time; and whoever chooses keeps it."""
    House(tmp_path).prepare()
    first, second, own = (cage(House(tmp_path), None, "pit", id, json=False).id for id in ("", "", "slip-1"))

    assert (first != second, len(first), own) == (True, 32, "slip-1")


async def test_a_request_without_an_answer_can_be_asked_again(tmp_path: Path):
    """Nobody is left wondering whether it was done: with the same id it is done once."""
    silent = Ledger(answer=Unanswered("cmd.wallet.staff.ledger.pit", "slip-1"))

    with pytest.raises(Trouble, match="Ask again with --id 'slip-1'"):
        await asked(silent, at(tmp_path), Deposit(player="ann", currency="CAD", minor=1))  # type: ignore[arg-type]


def test_a_refusal_ends_with_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """As JSON on standard output with exit status 2, or as a sentence; a house that is busy names the id to ask with again."""
    refused = Answer("refused", "insufficient_funds", "The account does not hold that much.")

    with pytest.raises(typer.Exit) as left:
        tell(at(tmp_path, json=True), refused, "done", player="ann", minor=5)
    told = json.loads(capsys.readouterr().out)
    assert (left.value.exit_code, told) == (
        2,
        {
            "status": "refused",
            "code": refused.code,
            "message": refused.message,
            "id": "slip-1",
            "again": False,
            "player": "ann",
            "minor": 5,
        },
    )
    with pytest.raises(Trouble, match=r"does not hold that much\. \(insufficient_funds\)"):
        tell(at(tmp_path), refused, "done")
    with pytest.raises(Trouble, match="say --id 'slip-1'"):
        tell(at(tmp_path), Answer("refused", "busy", "The house cannot do this now.", final=False), "done")


@pytest.mark.parametrize(
    ("code", "about", "told"),
    [
        ("unknown_account", {"player": "ann", "currency": "EUR"}, "`feltlog player add ann --currency EUR --deposit 0` opens one."),
        ("unknown_account", {"player": "zoe"}, "There is no account of 'zoe'. `feltlog player add zoe` opens one."),
        ("no_such_proposal", {"adjustment": "1"}, "`feltlog wallet proposals` lists those that wait."),
        ("own_proposal", {}, "said."),
    ],
)
def test_a_refusal_says_what_to_do_next(code: str, about: dict[str, str], told: str):
    """Where a person would wonder; else the house's own sentence stands alone."""
    assert advised(Answer("refused", code, "said."), "slip-1", **about).endswith(told)


def test_a_voucher_that_was_taken_is_told_as_that():
    """Whoever brings a voucher in knows of no id."""
    answer = Answer("refused", "id_reused", "This id was used before.")

    assert [advised(answer, id).split()[:2] for id in ("voucher-SPRING-1", "slip-1")] == [["The", "voucher"], ["This", "id"]]


@pytest.mark.parametrize(
    ("blocks", "told"), [((), ""), (("suspicion", "by_order"), " Another stays: ann places no stakes (suspicion, by order).")]
)
async def test_a_block_that_stays_is_told(blocks: tuple[BlockReason, ...], told: str):
    """Who ends one block may think that it was the only one."""
    assert await blocks_left(Ledger("CAD", blocks=blocks), "ann") == told  # type: ignore[arg-type]


def test_a_balance_of_nobody_is_trouble():
    """As it is for a statement, for people and for programs."""
    with pytest.raises(Trouble, match="There is no account of 'zoe'"):
        show(Balance(player="zoe", amounts=()), json=True)


def test_what_was_done_is_told_with_the_id(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """A sentence for people, and for programs what it was about."""
    tell(at(tmp_path), ACCEPTED, "5.00 CAD were brought in for ann.")
    tell(at(tmp_path, json=True), ACCEPTED, "", player="ann")
    sentence, line = capsys.readouterr().out.splitlines()

    assert (sentence, json.loads(line)) == (
        "5.00 CAD were brought in for ann.",
        {"status": "accepted", "code": "", "message": "", "id": "slip-1", "again": False, "player": "ann"},
    )


def test_what_was_done_before_is_told_as_that(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Who brings in a voucher a second time gives nobody anything, and must not believe it."""
    tell(at(tmp_path), replace(ACCEPTED, again=True), "5.00 CAD were given to ann.")
    tell(at(tmp_path, json=True), replace(ACCEPTED, again=True), "")
    sentence, line = capsys.readouterr().out.splitlines()

    assert (sentence, json.loads(line)["again"]) == ("This was done before and is not done again: 5.00 CAD were given to ann.", True)


@pytest.mark.parametrize("player", ["a b", "", "x" * 65, "a.b", "\udcff"])
def test_a_name_that_nobody_can_have_is_told(player: str):
    """Names stand in subjects."""
    with pytest.raises(Trouble, match="is not a name"):
        name_of(player)


def test_an_adjustment_is_said_in_words():
    """To whom or from whom, and why."""
    given = ProposeAdjustment(player="ann", currency="JPY", minor=500, reason="goodwill")

    assert (in_words(given), in_words(WAITS)) == (
        "500 JPY to ann (goodwill)",
        "123456.78 CAD from ann_of_the_long_name (round correction, round T7.20261129-000123)",
    )


@pytest.mark.parametrize(("columns", "narrow"), [(120, False), (80, True), (50, True)])
def test_open_proposals_keep_ids_and_amounts_whole(capsys: pytest.CaptureFixture[str], columns: int, narrow: bool):
    """A proposal whose id is cut cannot be approved, and an amount that is cut is another amount."""
    console = screen()
    console.width = columns
    console.print(listing([WAITS], narrow=narrow))
    lines = capsys.readouterr().out.splitlines()

    assert ("20261130-12" in lines[2], "-123456.78 CAD" in lines[2], max(map(len, lines)) <= columns) == (True, True, True)


def test_a_balance_says_as_of_when(capsys: pytest.CaptureFixture[str]):
    """It is the ledger's own, after one of its entries; a block is told with its reasons."""
    amounts = (
        Amount(currency="CAD", operator="north", available_minor=1250, set_aside_minor=300, owed_minor=5),
        Amount(currency="JPY", operator="north", available_minor=7, set_aside_minor=0),
    )
    show(Balance(player="ann", amounts=amounts, day="20261130", revision=34, blocked=True, blocks=("self_exclusion",)), json=False)
    told = capsys.readouterr().out
    said = ("as of entry 34 of the ledger of 20261130", "12.50", "3.00", "0.05", "self exclusion")

    assert [words in told for words in said] == [True] * len(said)


@pytest.mark.parametrize("word", ["deposit", "withdraw", "balance", "adjust", "approve", "decline", "proposals", "block", "unblock"])
def test_every_command_shows_how_it_is_used(word: str):
    """Its help has an example, where there is anything to type."""
    shown = CliRunner().invoke(app, ["wallet", word, "--help"])

    assert (shown.exit_code, word == "proposals" or f"feltlog wallet {word}" in " ".join(shown.output.split())) == (0, True)


def test_an_amount_that_is_taken_is_no_option(tmp_path: Path):
    """`-5.00` is an amount, though options begin like that."""
    arguments = ["wallet", "adjust", "ann", "-5.00", "--currency", "CAD", "--reason", "goodwill", "--data", str(tmp_path)]
    House(tmp_path).prepare()

    assert "Nothing runs on" in str(CliRunner().invoke(app, arguments).exception)

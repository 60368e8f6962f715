"""The cage: how staff ask the ledger, and how its answer is told.

A request carries an id.  Whoever chooses one (`--id`) can ask again, hours later or from another machine, and gets the first
answer again: nothing is done twice.  Whoever chooses none is told the one that was used when nobody answered.
"""

import re
import secrets
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

import msgspec
import typer

from feltlog.client import Client, Declined, Unanswered
from feltlog.commands.connection import at_the_door
from feltlog.commands.staff import member
from feltlog.house import House
from feltlog.screen import write_json
from feltlog.trouble import Trouble
from feltlog.wording import money
from shared.contracts.promo import VOUCHER
from shared.contracts.refusals import Reason
from shared.contracts.subjects import BadSubject, token
from shared.kernel.identity import ASKED_ID
from shared.kernel.messages import Answer
from shared.kernel.money import BadMoney, exponent, typed_units

T = TypeVar("T")


PlayerArgument = Annotated[str, typer.Argument(metavar="PLAYER", help="Whose account.")]
AmountArgument = Annotated[str, typer.Argument(metavar="AMOUNT", help="Digits with at most the currency's decimals, such as 12.50.")]
CurrencyOption = Annotated[str, typer.Option("--currency", help="Which account; not needed where the player has only one.")]
NoteOption = Annotated[str, typer.Option("--note", help="Why, in one line; it is written into the log.")]
IdOption = Annotated[
    str, typer.Option("--id", metavar="ID", help="A name of your own for this request; asked again with it, it is done once.")
]


class Cage(msgspec.Struct, frozen=True):
    """Who asks which house, under which id, and whether a program or a person reads the answer."""

    house: House
    server: str | None
    by: str
    id: str
    json: bool


class Asked(msgspec.Struct, frozen=True):
    """What came of a request, as `--json` tells it, beside what it was about."""

    status: str
    code: str
    message: str
    id: str
    again: bool
    """Whether it was asked and answered before, so that nothing was done now."""


class Sum(msgspec.Struct, frozen=True):
    """An amount as a person wrote it, and the currency that was chosen; empty if it is to be that of the only account."""

    text: str
    currency: str


def cage(house: House, server: str | None, by: str, id: str, *, json: bool) -> Cage:
    """Return the cage as somebody who works here; raise `Trouble` for anybody else, and for an id that is none."""
    if id and not re.match(ASKED_ID, id):
        raise Trouble(f"{id!r} is no id: it has 64 printable ASCII characters at most and does not begin with 'house.'.")
    return Cage(house, server, member(house, by), id or secrets.token_hex(16), json)


async def speaking(at: Cage, speak: Callable[[Client], Awaitable[T]]) -> T:
    """Return what comes of speaking to the ledger; raise `Trouble` for what the house cannot answer now."""
    async with at_the_door(at.house, at.server, at.by) as staff:
        try:
            return await speak(staff)
        except Declined as error:
            raise Trouble(str(error)) from error


async def asked(staff: Client, at: Cage, command: Any) -> Answer:
    """Return the ledger's answer; raise `Trouble` with the id if there is none, for then nothing is known."""
    try:
        return await staff.ask("wallet", "ledger", command, id=at.id)
    except Unanswered as error:
        raise Trouble(f"{error} Ask again with --id '{at.id}': whatever was heard of it, it is done once.") from error
    except UnicodeEncodeError as error:
        raise Trouble("What was written is no text in UTF-8.") from error


def tell(at: Cage, answer: Answer, done: str, **about: Any) -> None:
    """Say what came of it and what it was about; the exit status is 2 if it was refused."""
    if at.json:
        write_json({**msgspec.to_builtins(Asked(answer.status, answer.code, answer.message, at.id, answer.again)), **about})
        if answer.status == "refused":
            raise typer.Exit(2)
    elif answer.code == Reason.BUSY:
        raise Trouble(f"{answer.message} Its id is {at.id}: say --id '{at.id}'.")
    elif answer.status == "refused":
        raise Trouble(f"{advised(answer, at.id, **about)} ({answer.code})")
    else:
        typer.echo(f"This was done before and is not done again: {done}" if answer.again else done)


def advised(answer: Answer, id: str, *, player: str = "", currency: str = "", **about: Any) -> str:
    """Return the sentence of a refusal, with what to do next where a person would wonder."""
    match answer.code:
        case Reason.UNKNOWN_ACCOUNT if currency:
            return f"{player} has no account in {currency}. `feltlog player add {player} --currency {currency} --deposit 0` opens one."
        case Reason.UNKNOWN_ACCOUNT:
            return no_account(player)
        case Reason.NO_SUCH_PROPOSAL:
            return f"{answer.message} `feltlog wallet proposals` lists those that wait."
        case Reason.ID_REUSED if id.startswith(VOUCHER):
            return f"The voucher {id.removeprefix(VOUCHER)!r} was taken already, and not for this player and amount by whoever asks now."
        case _:
            return answer.message


def no_account(player: str) -> str:
    """Return what somebody is told who asks about a player without an account."""
    return f"There is no account of {player!r}. `feltlog player add {player}` opens one."


def name_of(player: str) -> str:
    """Return a player's name; raise `Trouble` for what cannot be one."""
    try:
        return token(player)
    except BadSubject as error:
        raise Trouble(f"{error}.") from error


async def move(at: Cage, player: str, sum: Sum, command: Callable[..., Any], done: str) -> None:
    """Move a sum by the command that is made of it, and say what came of it."""

    async def speak(staff: Client) -> None:
        currency = await currency_of(staff, player, sum.currency)
        minor = amount_of(sum.text, currency)
        answer = await asked(staff, at, command(player=player, currency=currency, minor=minor))
        tell(at, answer, f"{money(minor, currency)} {done} {player}.", player=player, currency=currency, minor=minor)

    await speaking(at, speak)


async def currency_of(staff: Client, player: str, chosen: str) -> str:
    """Return the currency of a player's account, the chosen one or the only one there is; raise `Trouble` if it is not to be known."""
    if chosen:
        try:
            exponent(chosen)
        except BadMoney as error:
            raise Trouble(f"{error}.") from error
        return chosen
    held = [each.currency for each in (await staff.balance(player)).amounts]
    if not held:
        raise Trouble(no_account(player))
    if len(held) > 1:
        raise Trouble(f"{player} has accounts in {', '.join(held)}: say which with --currency.")
    return held[0]


def amount_of(text: str, currency: str) -> int:
    """Return the minor units of an amount; raise `Trouble` for what is none, or is finer than the currency."""
    try:
        return typed_units(text, currency)
    except BadMoney as error:
        raise Trouble(f"{error}.") from error


def difference_of(text: str, currency: str) -> int:
    """Return the minor units of an amount with its sign; raise `Trouble` for one without.

    >>> difference_of("+5.00", "CAD"), difference_of("-5", "JPY")
    (500, -5)
    """
    if text[:1] not in ("+", "-"):
        raise Trouble(f"{text!r} does not say for whom: write +5.00 for what the player gets and -5.00 for what is taken.")
    minor = amount_of(text[1:], currency)
    return minor if text[0] == "+" else -minor


def one_of(chosen: str, known: tuple[T, ...], what: str) -> T:
    """Return the code that a person typed; raise `Trouble` that names those that there are."""
    for each in known:
        if each == chosen:
            return each
    raise Trouble(f"There is no {what} {chosen!r}. There are {', '.join(map(str, known))}.")

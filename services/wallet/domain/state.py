"""The state of a book: what lies in each account, what is set aside, and what was heard of.

A state is drafted on and thrown away again (another writer may have been first), so it must never change in place, and
a copy of a hundred thousand balances for each movement would be too slow.  The balances therefore lie in persistent maps
(`immutables.Map`, the hash tree behind Python's own context variables): a changed map shares all but a few nodes with the
one before.  Plain dicts remain where a handful of keys is all there is.
"""

from typing import Literal

from immutables import Map
from msgspec import Struct

from services.wallet.domain import adjustments, blocks
from services.wallet.domain.adjustments import Adjustments
from services.wallet.domain.blocks import Blocks
from services.wallet.domain.names import Names
from shared.contracts.accounts import cash_account, owed_account, promo_account


class Account(Struct, frozen=True):
    """What lies in an account, in minor units, and the operator it belongs to, where it belongs to one."""

    operator: str
    minor: int


class Stake(Struct, frozen=True, omit_defaults=True):
    """A stake that is set aside, or was."""

    round: str
    player: str
    currency: str
    minor: int
    promo_minor: int = 0
    """How much of it is promotional money."""


Accounts = Map[str, Account]
NO_ACCOUNTS: Accounts = Map()
NO_WAGERS = Names()


class Ledger(Struct, frozen=True, kw_only=True):
    """The book of one day.

    `accounts` are kept by currency: each currency is a book of its own, whose balances sum to zero.  `stakes` are set
    aside, by round and wager: a wager is named by its player, and only within its round is the name its own.  `promo_stakes`
    are those that held promotional money, settled ones too, because a correction parts as the stake was parted.  `rounds`
    names, for each round that is not booked, all wagers that were ever heard of; `booked` the rounds that are; `corrected` says
    how many corrections of a round are booked, `movements` how many events moved money.  `tables`
    says of each table of the day whether it is still open.  `older` names the ids that were carried into this book: they
    are carried no further.  `adjustments` that wait end with the book, `blocks` are carried into the next one.
    """

    phase: Literal["carrying", "open", "closed"] = "carrying"
    day: str = ""
    shard: int = 0
    shards: int = 1
    next_day: str = ""
    accounts: dict[str, Accounts] = {}
    stakes: Map[tuple[str, str], Stake] = Map()
    promo_stakes: Map[tuple[str, str], Stake] = Map()
    rounds: Map[str, Names] = Map()
    booked: Map[str, bool] = Map()
    corrected: Map[str, int] = Map()
    movements: int = 0
    tables: Map[str, bool] = Map()
    older: Map[str, bool] = Map()
    adjustments: Adjustments = adjustments.NONE
    blocks: Blocks = blocks.NONE

    def account(self, player: str, currency: str) -> Account | None:
        """Return a player's account in a currency, if there is one."""
        return self.accounts.get(currency, NO_ACCOUNTS).get(cash_account(player))

    def knows(self, player: str) -> bool:
        """Return whether a player has an account in any currency."""
        return any(cash_account(player) in accounts for accounts in self.accounts.values())

    def owed(self, player: str, currency: str) -> int:
        """Return what a player owes in a currency."""
        debt = self.accounts.get(currency, NO_ACCOUNTS).get(owed_account(player))
        return -debt.minor if debt else 0

    def promo(self, player: str, currency: str) -> int:
        """Return what a player has of promotional money in a currency."""
        held = self.accounts.get(currency, NO_ACCOUNTS).get(promo_account(player))
        return held.minor if held else 0

    def total(self, currency: str) -> int:
        """Return the sum of all balances of a currency, which is zero as soon as everything is carried forward."""
        return sum(account.minor for account in self.accounts.get(currency, NO_ACCOUNTS).values())

    @property
    def open(self) -> bool:
        """Whether the book takes movements."""
        return self.phase == "open"

    @property
    def closed(self) -> bool:
        """Whether nothing follows any more."""
        return self.phase == "closed"

    @property
    def tables_open(self) -> tuple[str, ...]:
        """The tables that have not closed their day."""
        return tuple(sorted(table for table, open in self.tables.items() if open))

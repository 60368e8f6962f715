"""The trial balance: what a book comes to, so that whoever has its entries can say whether theirs come to the same.

It is told when the book is closed, with one digest over every balance; the next book begins with balances of that digest, or
not at all.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from services.wallet.domain.state import Accounts
from shared.contracts.accounts import kind_of
from shared.contracts.wallet import TrialRow
from shared.kernel.identity import digest


def trial_balance(accounts: Mapping[str, Accounts]) -> tuple[TrialRow, ...]:
    """Return what lies in each kind of account, by currency, each of which comes to nothing; in the order of their names."""
    sums: dict[tuple[str, str], int] = defaultdict(int)
    for currency, name, minor in _standing(accounts):
        sums[currency, kind_of(name)] += minor
    return tuple(TrialRow(currency=currency, kind=kind, minor=minor) for (currency, kind), minor in sorted(sums.items()))


def balances_digest(accounts: Mapping[str, Accounts]) -> str:
    """Return the SHA-256 of all balances, in hexadecimal.

    What is digested is a line for each account in which something lies, `CURRENCY ACCOUNT MINOR` and a line feed, in the order
    of currencies and then of names, byte by byte: `CAD player/ann/cash 1250`.
    """
    lines = (f"{currency} {name} {minor}\n" for currency, name, minor in sorted(_standing(accounts)))
    return digest("".join(lines).encode())


def _standing(accounts: Mapping[str, Accounts]) -> Iterator[tuple[str, str, int]]:
    by_currency: Iterable[tuple[str, Accounts]] = accounts.items()
    return ((currency, name, account.minor) for currency, held in by_currency for name, account in held.items() if account.minor)

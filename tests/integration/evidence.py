"""The evidence: what the logs of a house come to, counted without any of its own checks, and what `feltlog verify` finds there."""

from collections import Counter
from typing import Any

from feltlog.auditing import audit_all
from services.surveillance.domain.findings import Finding
from shared.contracts.cage import Deposited, Withdrawn
from shared.contracts.dealing import CardDealt, HoleCardDealt
from shared.contracts.decisions import ClockExtended, DecisionTimedOut
from shared.contracts.language import types_of
from shared.contracts.rounds import RoundSettled
from shared.contracts.stakes import StakesSettled
from shared.kernel.entry import Entry, Stored, decode_as
from shared.runtime.jetstream_store import JetStreamStore


class Account:
    """What the logs of a house come to, counted without any of the house's own checks."""

    def __init__(self) -> None:
        self.brought_in: Counter[str] = Counter()
        self.players_and_house: Counter[str] = Counter()
        self.all_accounts: Counter[str] = Counter()
        self.escrow: Counter[str] = Counter()
        self.settled: Counter[str] = Counter()
        self.cards: Counter[tuple[str, int]] = Counter()
        self.timed_out: list[str] = []
        self.extended: list[str] = []
        self.rounds_settled: list[str] = []
        self.writers: dict[str, list[str]] = {}

    def take(self, stored: Stored) -> None:
        """Count one entry."""
        entry: Entry[Any, Any] = decode_as(*types_of(stored.stream), stored.data)
        self.writers.setdefault(stored.stream, []).append(entry.writer)
        for event in (event for decision in entry.decisions for event in decision.events):
            match event:
                case CardDealt() | HoleCardDealt():
                    self.cards[f"{stored.stream.split('.')[2]}.{event.shoe}", event.index] += 1
                case DecisionTimedOut():
                    self.timed_out.append(stored.stream)
                case ClockExtended():
                    self.extended.append(stored.stream)
                case RoundSettled():
                    self.rounds_settled.append(stored.stream)
                case Deposited():
                    self.brought_in[event.currency] += event.minor
                case Withdrawn():
                    self.brought_in[event.currency] -= event.minor
                case StakesSettled():
                    self.settled.update(f"{event.round} {line.wager}" for line in event.lines)
                case _:
                    pass
            for posting in getattr(event, "postings", ()):
                self.all_accounts[event.currency] += posting.minor
                if not posting.account.startswith("outside/"):
                    self.players_and_house[event.currency] += posting.minor
                if posting.account.endswith("/escrow"):
                    self.escrow[posting.account] += posting.minor

    @property
    def wrong(self) -> dict[str, Any]:
        """What must not be, by what it is; empty if all is well."""
        found: dict[str, Any] = {
            "money that came from nowhere": {currency: sum_ for currency, sum_ in self.all_accounts.items() if sum_},
            "money beside the deposits": {
                currency: (has, self.brought_in[currency])
                for currency, has in self.players_and_house.items()
                if has != self.brought_in[currency]
            },
            "escrow left": {account: minor for account, minor in self.escrow.items() if minor},
            "settled twice": [wager for wager, count in self.settled.items() if count > 1],
            "dealt twice": [card for card, count in self.cards.items() if count > 1],
            "timed out": self.timed_out,
        }
        return {what: which for what, which in found.items() if which}


async def account_of(store: JetStreamStore) -> Account:
    """Return what the logs of table, shoe and wallet come to."""
    account = Account()
    for log in [name for service in ("table", "wallet") for name in await store.logs(service)]:
        async for stored in store.read(log):
            if not stored.stream.endswith(".desk"):
                account.take(stored)
    return account


async def findings(store: JetStreamStore) -> list[Finding]:
    """Return what `feltlog verify` finds that must not be."""
    return [found for found in (await audit_all(store)).findings if found.severity == "breach"]

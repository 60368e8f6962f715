"""The reckoning: everybody's notebook against the logs, entry by entry, with nothing of the house's own checks.

Whatever was acknowledged must stand in the logs exactly once, whatever was refused must have moved nothing, and each
player's balance must be to the cent what the player's own book comes to.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import msgspec

from services.wallet.views import Balance
from shared.contracts.cage import Deposit, MovementRefused, Withdraw
from shared.contracts.language import types_of
from shared.contracts.rounds import RoundOpened, RoundSettled, RoundVoided
from shared.contracts.stakes import RoundBooked, StakeReleased, StakeReserved, StakesSettled
from shared.contracts.wagers import CommandRefused, WagerAccepted, WagerLapsed, WagerPlaced, WagerRefused, WagersSettled
from shared.kernel.entry import Decision, Entry, Stored, decode_as
from tests.chaos.notebook import Asked, Notebook
from tests.integration.evidence import Account

REFUSALS = (CommandRefused, MovementRefused)
"""Events that move nothing."""
RISKS = ("PlaceWager", "Double", "Split", "Insure")


class Finding(msgspec.Struct, frozen=True):
    """Something that must not be: what kind of thing, and which."""

    what: str
    which: str


class Written(msgspec.Struct, frozen=True):
    """A decision, and the stream that it stands in."""

    stream: str
    decision: Decision[Any, Any]

    @property
    def moves(self) -> bool:
        """Whether anything but a refusal followed from it."""
        return any(not isinstance(event, REFUSALS) for event in self.decision.events)


class Logs:
    """What the logs of a house say, as far as players are concerned."""

    def __init__(self) -> None:
        self.account = Account()
        self.written: dict[str, list[Written]] = defaultdict(list)
        """Decisions by id."""
        self.placed: Counter[str] = Counter()
        self.accepted: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        """Wagers that were refused or lapsed."""
        self.reserved: dict[str, list[int]] = defaultdict(list)
        self.released: Counter[str] = Counter()
        self.lines: dict[str, list[int]] = defaultdict(list)
        """What each wager gave back by its round's log."""
        self.paid: dict[str, list[int]] = defaultdict(list)
        """What each wager gave back by the ledger's log."""
        self.opened: Counter[str] = Counter()
        self.ended: Counter[str] = Counter()
        self.voided: set[str] = set()
        self.booked: Counter[str] = Counter()
        self.balances: Counter[str] = Counter()
        """What the postings of each account come to."""

    def take(self, stored: Stored) -> None:
        """Take in one entry."""
        if stored.stream.endswith(".desk"):
            return
        self.account.take(stored)
        entry: Entry[Any, Any] = decode_as(*types_of(stored.stream), stored.data)
        for decision in entry.decisions:
            self.written[decision.id].append(Written(stored.stream, decision))
            for event in decision.events:
                self._take(stored.stream, event)

    def _take(self, stream: str, event: Any) -> None:
        match event:
            case RoundOpened():
                self.opened[event.round] += 1
            case WagerPlaced():
                self.placed[event.wager] += 1
            case WagerAccepted():
                self.accepted[event.wager] += 1
            case WagerRefused() | WagerLapsed():
                self.dropped[event.wager] += 1
            case WagersSettled():
                for line in event.lines:
                    self.lines[line.wager].append(line.returned_minor)
            case RoundSettled():
                self.ended[stream] += 1
            case RoundVoided():
                self.ended[stream] += 1
                self.voided.add(stream)
            case StakeReserved():
                self.reserved[event.wager].append(event.minor)
            case StakeReleased():
                self.released[event.wager] += 1
            case StakesSettled():
                for paid in event.lines:
                    self.paid[paid.wager].append(paid.returned_minor)
            case RoundBooked():
                self.booked[event.round] += 1
            case _:
                pass
        for posting in getattr(event, "postings", ()):
            self.balances[posting.account] += posting.minor


class Reckoning(msgspec.Struct, kw_only=True):
    """What came of the comparison."""

    acknowledged: int = 0
    refused: int = 0
    unknown: int = 0
    """Requests to which nothing binding was ever said."""
    payouts_seen: int = 0
    payouts_unseen: int = 0
    """Payouts that their players never saw, because the house was away at that moment."""
    lost: int = 0
    doubled: int = 0
    findings: list[Finding] = []

    def find(self, what: str, which: str) -> None:
        """Write down what must not be."""
        self.findings.append(Finding(what, which))


def reckon(notebook: Notebook, logs: Logs, balances: Iterable[Balance]) -> Reckoning:
    """Compare what everybody noted with the logs and with what the wallet says at the end."""
    found = Reckoning()
    for asked in notebook.asked.values():
        _one_request(asked, logs, found)
    _rounds(logs, found)
    for wager in notebook.shown_otherwise:
        found.find("shown to pay one thing and later another", wager)
    for balance in balances:
        _one_player(balance, notebook, logs, found)
    for what, which in logs.account.wrong.items():
        found.find(what, str(which))
    return found


def _one_request(asked: Asked, logs: Logs, found: Reckoning) -> None:
    """Check that a request did what its asker was told, once."""
    if type(asked.command).__name__ in ("OpenTable", "CloseTable", "OpenAccount"):
        # Asking for what is so already is answered with yes, and leaves nothing behind.
        return
    written = logs.written.get(asked.id, [])
    moving = [each for each in written if each.moves]
    which = f"{type(asked.command).__name__} {asked.id} of {asked.actor} at {asked.target}"
    if len(written) > 1:
        found.doubled += 1
        found.find("decided twice", f"{which}: {', '.join(each.stream for each in written)}")
    if any(each.decision.command != asked.command or each.decision.actor.id != asked.actor for each in written):
        found.find("written down otherwise than asked", which)
    match asked.told:
        case "accepted":
            found.acknowledged += 1
            if not moving:
                found.lost += 1
                found.find("acknowledged and lost", which)
            elif _is_risk(asked) and logs.accepted[asked.id] != 1:
                found.lost += 1
                found.find("a wager that was acknowledged is not in its round", which)
        case "refused":
            found.refused += 1
            if moving and not (_is_risk(asked) and logs.dropped[asked.id] and not logs.accepted[asked.id]):
                found.find("refused and done all the same", which)
        case "turned away":
            found.refused += 1
            if moving:
                found.find("turned away and done all the same", which)
        case "nothing":
            found.unknown += 1
        case _:
            found.find("answered with yes and with no", which)


def _is_risk(asked: Asked) -> bool:
    return type(asked.command).__name__ in RISKS


def _rounds(logs: Logs, found: Reckoning) -> None:
    """Check that every round ended once and was booked once, and that every stake went somewhere once."""
    ended = len(logs.ended)
    if ended != len(logs.opened) or ended != len(logs.booked):
        found.find("rounds opened, ended, booked", f"{len(logs.opened)}, {ended}, {len(logs.booked)}")
    for name, counted in (("opened", logs.opened), ("ended", logs.ended), ("booked", logs.booked)):
        for which in (each for each, count in counted.items() if count != 1):
            found.find(f"a round {name} more than once", which)
    for wager in logs.accepted.keys() | logs.reserved.keys() | logs.lines.keys() | logs.paid.keys():
        lines, paid, reserved = logs.lines[wager], logs.paid[wager], logs.reserved[wager]
        if logs.accepted[wager]:
            fine = logs.accepted[wager] == len(reserved) == len(lines) == 1 and lines == paid and not logs.released[wager]
        else:
            fine = len(reserved) == logs.released[wager] <= 1 and not paid
        if not fine:
            found.doubled += max(len(paid), len(reserved)) > 1
            went = f"set aside {reserved}, settled {lines}, paid {paid}, released {logs.released[wager]}"
            found.find("a stake that did not go its way once", f"{wager}: accepted {logs.accepted[wager]}, {went}")


def _is_done(asked: Asked, logs: Logs) -> bool:
    """Return whether a request counts: its asker knows, and only where nothing was said the logs are asked."""
    if asked.told != "nothing":
        return asked.told == "accepted"
    return bool(logs.accepted[asked.id]) if _is_risk(asked) else any(each.moves for each in logs.written.get(asked.id, []))


def _one_player(balance: Balance, notebook: Notebook, logs: Logs, found: Reckoning) -> None:
    """Check that what the wallet says is what the player's own book and the ledger's postings come to."""
    own = 0
    for asked in notebook.asked.values():
        if not _is_done(asked, logs):
            continue
        match asked.command:
            case Deposit(player=player, minor=minor) if player == balance.player:
                own += minor
            case Withdraw(player=player, minor=minor) if player == balance.player:
                own -= minor
            case _:
                pass
    seen = notebook.returned.get(balance.player, {})
    for asked, stake_minor in notebook.stakes(balance.player):
        if not _is_done(asked, logs):
            continue
        own -= stake_minor
        if asked.id in seen:
            found.payouts_seen += 1
            own += seen[asked.id]
            if [seen[asked.id]] != logs.paid[asked.id]:
                found.find(
                    "a payout that the ledger does not know", f"{asked.id} of {balance.player}: {seen[asked.id]}, {logs.paid[asked.id]}"
                )
        else:
            found.payouts_unseen += 1
            own += sum(logs.lines[asked.id])
    says = sum(amount.available_minor for amount in balance.amounts)
    aside = sum(amount.set_aside_minor for amount in balance.amounts)
    postings = logs.balances[f"player/{balance.player}/cash"]
    if not own == says == postings or aside:
        found.find(
            "a balance that is not the player's own",
            f"{balance.player}: own book {own}, wallet {says}, postings {postings}, set aside {aside}",
        )

"""Planted bugs: seven mistakes that a house like this could make, wrapped around the product to prove that they are found.

None of them is a switch in the product: each wraps a decider, a reaction or the store of a simulation, and only there.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from feltlog.rehearsal.process import Process
from feltlog.rehearsal.rooms import ShoeRooms, TableRooms, WalletRooms
from feltlog.rehearsal.world import Rooms
from services.shoe.domain.shoe import SHOE, Ready
from services.table.domain.round import ROUND
from services.table.domain.state import Betting, Playing
from services.wallet.domain.blocks import NONE as NO_BLOCKS
from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.posting import movement
from shared.contracts.accounts import HOUSE_WIN, cash_account
from shared.contracts.cage import Deposited
from shared.contracts.rulings import ApproveRuling
from shared.contracts.shoe import DrawCards
from shared.contracts.stakes import ReserveStake, SettleStakes, StakeRefused, StakesSettled
from shared.contracts.subjects import round_name
from shared.contracts.wagers import AcceptWager, WagersSettled
from shared.kernel.reactions import Reaction, Source
from shared.runtime.event_store import Appended, Conflict, Unknown
from shared.runtime.memory_store import MemoryStore
from tests.simulation.plan import Plan
from tests.simulation.run import Simulation, as_it_is


@dataclass(frozen=True)
class Planted:
    """A bug, and how it is put into a simulation."""

    name: str
    wrap: Callable[[Rooms, Process], None] = as_it_is
    make_store: Callable[[Callable[[], int]], MemoryStore] = MemoryStore


def settle_twice_on_redelivery(rooms: Rooms, process: Process) -> None:
    """Let the wallet keep no position and name a settlement after the hearing of it, and let its ledger settle what it is told."""
    if not isinstance(rooms, WalletRooms):
        return
    follow, hearings = rooms.follow, iter(range(1_000_000_000))

    def follow_anew(event: Any, source: Source) -> list[Reaction]:
        found = follow(event, source)
        return [msgspec.structs.replace(one, name=f"{one.name} {next(hearings)}") for one in found]

    def decide(command: Any, ledger: Any, envelope: Any) -> list[Any]:
        events = LEDGER.decide(command, ledger, envelope)
        if not isinstance(command, SettleStakes) or events:
            return events
        legs = {cash_account(line.player): 0 for line in command.lines}
        for line in command.lines:
            legs[cash_account(line.player)] += line.returned_minor
        postings = movement({**legs, HOUSE_WIN: -sum(legs.values())})
        return [StakesSettled(round=command.round, currency=command.currency, lines=command.lines, postings=postings)]

    def evolve(ledger: Any, event: Any) -> Any:
        if isinstance(event, StakesSettled) and not any((event.round, line.wager) in ledger.stakes for line in event.lines):
            event = Deposited(player="", currency=event.currency, minor=0, postings=event.postings)
        return LEDGER.evolve(ledger, event)

    rooms.positioned = False
    rooms.follow = follow_anew  # type: ignore[method-assign]
    rooms.ledger = replace(rooms.ledger, decider=replace(LEDGER, decide=decide, evolve=evolve))


def accept_without_reserve(rooms: Rooms, process: Process) -> None:
    """Let the table take a refused stake for one that is set aside."""
    if not isinstance(rooms, TableRooms):
        return
    follow = rooms.follow

    def follow_gladly(event: Any, source: Source) -> list[Reaction]:
        if isinstance(event, StakeRefused):
            return [Reaction(round_name(event.round).stream, AcceptWager(wager=event.wager), "accept")]
        return follow(event, source)

    rooms.follow = follow_gladly  # type: ignore[method-assign]


def deal_twice_after_crash(rooms: Rooms, process: Process) -> None:
    """Let a shoe that a process finds in use give its last card once more."""
    if not isinstance(rooms, ShoeRooms):
        return
    known: set[str] = set()
    fill = rooms.vault.fill

    def as_found(command: Any, shoe: Any) -> Any:
        found = isinstance(command, DrawCards) and isinstance(shoe, Ready) and shoe.made.shoe not in known and shoe.calls
        return msgspec.structs.replace(shoe, drawn=shoe.drawn - 1) if found else shoe

    def decide(command: Any, shoe: Any, envelope: Any) -> list[Any]:
        events = SHOE.decide(command, as_found(command, shoe), envelope)
        if isinstance(shoe, Ready):
            known.add(shoe.made.shoe)
        return events

    rooms.shoe = replace(
        rooms.shoe, fill=lambda command, shoe: fill(command, as_found(command, shoe)), decider=replace(SHOE, decide=decide)
    )


class TrustingStore(MemoryStore):
    """Takes what is sent a second time for stored: the event is gone if the first time did not arrive."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        super().__init__(now_ms)
        self._unconfirmed: set[tuple[str, bytes]] = set()

    async def append(self, stream: str, data: bytes, *, fence: int, types: str = "") -> Appended | Conflict | Unknown:
        """Store, or believe that it is stored."""
        if (stream, data) in self._unconfirmed and not self.is_away:
            return Appended(len(self.log(_log(stream)).entries) + 1)
        said = await super().append(stream, data, fence=fence, types=types)
        if isinstance(said, Unknown):
            self._unconfirmed.add((stream, data))
        return said


def _log(stream: str) -> str:
    _, service, day, *_ = stream.split(".")
    return f"LOG_{service.upper()}_{day}"


def pay_double_singly(rooms: Rooms, process: Process) -> None:
    """Let the table pay the second stake of a doubled hand back and nothing on top of it."""
    if not isinstance(rooms, TableRooms):
        return

    def decide(command: Any, round_: Any, envelope: Any) -> list[Any]:
        events = ROUND.decide(command, round_, envelope)
        return [_singly(event) for event in events]

    rooms.round = replace(rooms.round, decider=replace(ROUND, decide=decide))


def _singly(event: Any) -> Any:
    if isinstance(event, WagersSettled):
        lines = tuple(
            msgspec.structs.replace(line, returned_minor=line.stake_minor)
            if line.kind == "double" and line.returned_minor > line.stake_minor
            else line
            for line in event.lines
        )
        return msgspec.structs.replace(event, lines=lines)
    return event


def approve_own_proposals(rooms: Rooms, process: Process) -> None:
    """Let the table take one person's word twice: who proposed a ruling may approve it."""
    if not isinstance(rooms, TableRooms):
        return

    def decide(command: Any, round_: Any, envelope: Any) -> list[Any]:
        if isinstance(command, ApproveRuling) and isinstance(round_, Betting | Playing):
            strangers = tuple(msgspec.structs.replace(each, by="") for each in round_.proposals.open)
            round_ = msgspec.structs.replace(round_, proposals=msgspec.structs.replace(round_.proposals, open=strangers))
        return ROUND.decide(command, round_, envelope)

    rooms.round = replace(rooms.round, decider=replace(ROUND, decide=decide))


def forget_blocks(rooms: Rooms, process: Process) -> None:
    """Let the ledger write down that a player is blocked, and set stakes of theirs aside all the same."""
    if not isinstance(rooms, WalletRooms):
        return

    def decide(command: Any, ledger: Any, envelope: Any) -> list[Any]:
        known = ledger if not isinstance(command, ReserveStake) else msgspec.structs.replace(ledger, blocks=NO_BLOCKS)
        return LEDGER.decide(command, known, envelope)

    rooms.ledger = replace(rooms.ledger, decider=replace(LEDGER, decide=decide))


PLANTED = (
    Planted("settle_twice_on_redelivery", settle_twice_on_redelivery),
    Planted("accept_without_reserve", accept_without_reserve),
    Planted("deal_twice_after_crash", deal_twice_after_crash),
    Planted("drop_after_lost_answer", make_store=TrustingStore),
    Planted("pay_double_singly", pay_double_singly),
    Planted("approve_own_proposals", approve_own_proposals),
    Planted("forget_blocks", forget_blocks),
)


def simulation_of(plan: Plan) -> Simulation:
    """Return the simulation of a plan, with what is planted in it; raise `KeyError` for a bug of no such name."""
    if not plan.planted:
        return Simulation(plan)
    planted = {each.name: each for each in PLANTED}[plan.planted]
    return Simulation(plan, wrap=planted.wrap, make_store=planted.make_store)

"""A whole house in one process: the real deciders of table, shoe and wallet, their reactions, and logs that only grow.

Nothing here is a double of anything: what the services would decide is decided, in the order in which a store would give
it back.  People, chance and the clock come from one seeded source, so the same seed gives the same bytes.
"""

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

from feltlog.rehearsal.round import Choice, command_for
from services.shoe import reactions as shoe_reactions
from services.shoe.app.sealing import SealingKey
from services.shoe.app.vault import Vault
from services.shoe.domain.shoe import SHOE, Shoe
from services.table import reactions as table_reactions
from services.table.domain.asking import asked
from services.table.domain.round import ROUND
from services.table.domain.state import Playing
from services.table.domain.table import TABLE
from services.table.domain.table_state import Table
from services.wallet import reactions as wallet_reactions
from services.wallet.domain.carrying import carried
from services.wallet.domain.ledger import LEDGER
from shared.contracts.cage import Deposit, OpenAccount
from shared.contracts.restrictions import ApproveFaceDown
from shared.contracts.rounds import RoundCommand
from shared.contracts.rulings import ApproveRuling, ProposeRuling, VoidTheRound
from shared.contracts.subjects import ledger_stream, log_of, round_of, shoe_stream, table_stream
from shared.contracts.table import CallRound, EndDay, OpenTable
from shared.contracts.wagers import PlaceWager
from shared.contracts.wallet import CloseBook, OpenBook
from shared.kernel.decider import Decider
from shared.kernel.entry import Entry, Stored
from shared.kernel.folded import Asked, Folded, Pen, commit, draft, empty
from shared.kernel.identity import derived_id, digest
from shared.kernel.messages import HOUSE, Actor, Answer
from shared.kernel.profile import Profile
from shared.kernel.reactions import Reaction, Source
from shared.runtime.shelf import profile
from tests.rounds import settings
from tests.rulings import STAFF, some_rulings

EPOCH_MS = 1_796_000_000_000
DAY = "20261130"
NEXT_DAY = "20261201"
DAY_MS = 24 * 3600 * 1000
HEARS: dict[str, tuple[Callable[[Any, Source], list[Reaction]], ...]] = {
    "table": (table_reactions.follow, shoe_reactions.follow, wallet_reactions.follow),
    "shoe": (table_reactions.follow,),
    "wallet": (table_reactions.follow,),
}


class SeededEntropy:
    """Bytes that anybody can foresee who knows the seed."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def token_bytes(self, count: int, /) -> bytes:
        """Return the next bytes."""
        return self._chance.randbytes(count)


class WholeHouse:
    """Tables, shoes and a ledger, and everything that they wrote down."""

    def __init__(self, seed: int = 1, *, day: str = DAY) -> None:
        self.chance = Random(seed)
        self.now_ms = EPOCH_MS
        self.day = day
        self.stored: list[Stored] = []
        self.streams: dict[str, Folded[Any]] = {}
        self._ends: dict[str, int] = {}
        self._heard: deque[tuple[Entry[Any, Any], int, str]] = deque()
        self._asked = 0
        self._early: dict[str, list[Asked]] = {}
        """What follows from a day whose book is not open yet."""
        key = SealingKey("test", bytes(32))
        self._vault = Vault(key, SeededEntropy(self.chance), other_shoe=self._shoe)
        self.ask(ledger_stream(day), OpenBook(day=day))

    def ends(self) -> dict[str, int]:
        """Return the last sequence of each log."""
        return dict(self._ends)

    def of(self, stream: str) -> list[Stored]:
        """Return what is stored in a stream."""
        return [one for one in self.stored if one.stream == stream]

    def open_table(self, table: str, book: str, *, rules: Profile | None = None, **chosen: Any) -> None:
        """Open a table for the day, under a book or under `rules` near it."""
        command = OpenTable(
            table=table,
            profile_name=book,
            settings=settings(dealer="staff", **chosen),
            day=self.day,
            day_ends_at_ms=EPOCH_MS + DAY_MS,
            profile=rules or profile(book),
        )
        self.ask(table_stream(self.day, table), command, Actor("staff", "pit"))
        if rules is not None and rules.players_cards == "down":
            self.ask(table_stream(self.day, table), ApproveFaceDown(), Actor("staff", "inspector", "inspector"))

    def welcome(self, player: str, minor: int = 1_000_000) -> None:
        """Open an account and bring money in."""
        cage = Actor("staff", "cage")
        self.ask(ledger_stream(self.day), OpenAccount(player=player, operator="house", currency="CAD"), cage)
        self.ask(ledger_stream(self.day), Deposit(player=player, currency="CAD", minor=minor), cage)

    def play(self, table: str, players: list[str], *, rulings: float = 0.0) -> str:
        """Play one round of a table to its end and return its id; who bets what, chance decides.

        With `rulings` staff make one so often when somebody is awaited.
        """
        self.now_ms += 5_000
        answer = self.ask(table_stream(self.day, table), CallRound(), Actor("staff", "pit"))
        assert answer.status == "accepted", f"no round can be called: {answer}"
        state: Table = self.streams[table_stream(self.day, table)].state
        stream = next(name for name in self.streams if (found := round_of(name)) and found.id == state.round)
        for box, player in enumerate(players, start=1):
            command = PlaceWager(round=state.round, box=box, stake_minor=2 * self.chance.randint(50, 250))
            self.ask(stream, command, Actor("player", player))
        while not table_reactions.round_is_over(self.streams[stream].state):
            if rulings and self.chance.random() < rulings:
                self._rule(stream)
                continue
            if not self._somebody_speaks(stream):
                self._time_passes(stream)
        return state.round

    def make_void(self, round_id: str, *, id: str = "") -> Answer:
        """Let two persons rule that a round is void that is over, and return what the second one was told at first."""
        stream = table_stream(self.day, round_id.split(".")[0])
        self.ask(stream, ProposeRuling(round=round_id, ruling=VoidTheRound(), note="dealt from the wrong end"), STAFF[0])
        proposal = self.streams[stream].state.proposals.made
        return self.ask(stream, ApproveRuling(round=round_id, proposal=proposal), STAFF[1], id=id)

    def end_day(self) -> None:
        """Let the gaming day end everywhere, and the next one begin."""
        before = ledger_stream(self.day)
        self.now_ms = EPOCH_MS + DAY_MS + 1
        for stream in [name for name in self.streams if name.startswith(f"log.table.{self.day}.") and name.endswith(".table")]:
            self.ask(stream, EndDay(next_day=NEXT_DAY, next_day_ends_at_ms=EPOCH_MS + 2 * DAY_MS))
        self.ask(before, CloseBook(next_day=NEXT_DAY))
        closed = self.streams[before]
        for part in carried(closed.state, closed.answers, follows=closed.digest):
            self.ask(ledger_stream(NEXT_DAY), part)
        self.ask(ledger_stream(NEXT_DAY), OpenBook(day=NEXT_DAY, follows=closed.digest))
        self._decide(ledger_stream(NEXT_DAY), self._early.pop(ledger_stream(NEXT_DAY)))
        self._let_follow()
        self.day = NEXT_DAY

    def ask(self, stream: str, command: Any, actor: Actor = HOUSE, *, id: str = "") -> Answer:
        """Give a command to a stream and let everything follow that must follow."""
        self._asked += 1
        self.now_ms += 1
        asked = Asked(id or derived_id("test", self._asked), command, actor, self.now_ms)
        answer = self._decide(stream, [asked])[0]
        self._let_follow()
        return answer

    def _decide(self, stream: str, waiting: list[Asked]) -> list[Answer]:
        decider = decider_of(stream)
        folded = self.streams.setdefault(stream, empty(decider, stream))
        pen = Pen(f"{stream.split('.')[1]}-1", 1, "test")
        fill = self._vault.fill if stream.startswith("log.shoe.") else None
        drafted = draft(decider, folded, waiting, pen, now_ms=self.now_ms, fill=fill)
        assert not drafted.broken, f"an assertion failed: {drafted.broken}"
        assert drafted.taken == len(waiting), "a test's entries are small"
        if drafted.entry is not None:
            log = log_of(stream)
            sequence = self._ends[log] = self._ends.get(log, 0) + 1
            commit(folded, drafted, sequence)
            self.stored.append(
                Stored(
                    log=log,
                    stream=stream,
                    sequence=sequence,
                    stored_at_ms=self.now_ms + 1,
                    data=drafted.data,
                    claimed=digest(drafted.data),
                )
            )
            self._heard.append((drafted.entry, sequence, digest(drafted.data)))
        return drafted.answers

    def _let_follow(self) -> None:
        while self._heard:
            entry, sequence, mark = self._heard.popleft()
            log = log_of(entry.stream)
            following: dict[str, list[Asked]] = {}
            for nth, decision in enumerate(entry.decisions):
                for number, event in enumerate(decision.events):
                    source = Source(
                        log=log,
                        stream=entry.stream,
                        sequence=sequence,
                        revision=entry.revision,
                        decision=nth,
                        event=number,
                        at_ms=entry.at_ms,
                        digest=mark,
                    )
                    for follow in HEARS.get(log.split("_")[1].lower(), ()):
                        for reaction in follow(event, source):
                            following.setdefault(reaction.stream, []).append(self._reaction(reaction, source))
            for stream, waiting in following.items():
                self.now_ms += 1
                if stream.startswith("log.wallet.") and not self._book_is_open(stream):
                    self._early.setdefault(stream, []).extend(waiting)
                else:
                    self._decide(stream, waiting)

    def _book_is_open(self, stream: str) -> bool:
        return stream in self.streams and bool(self.streams[stream].state.open)

    def _reaction(self, reaction: Reaction, source: Source) -> Asked:
        place = (source.sequence, source.decision, source.event) if reaction.stream.startswith("log.wallet.") else None
        return Asked(
            reaction.id_after(source),
            reaction.command,
            HOUSE,
            self.now_ms,
            cause=source.cause,
            log=source.log if place else "",
            place=place,
        )

    def _somebody_speaks(self, stream: str) -> bool:
        round_ = self.streams[stream].state
        if not isinstance(round_, Playing) or self.chance.random() < 0.03:
            return False
        asks = asked(round_)
        if not asks:
            return False
        ask = asks[0]
        hand = next(hand for hand in round_.hands if hand.box == ask.box and hand.number == ask.hand)
        command: RoundCommand = command_for(Choice(self.chance.choice(ask.legal)), round_.opened.round, hand)
        self.ask(stream, command, Actor("player", ask.player))
        return True

    def _rule(self, stream: str) -> None:
        """Let one member of staff report something, and another one approve it; voids are rare."""
        ruling = self.chance.choice(some_rulings(self.chance, voids=0.1))
        one, other = self.chance.sample(STAFF[:3], 2)
        round_ = self.streams[stream].state
        if self.ask(stream, ProposeRuling(round=round_.opened.round, ruling=ruling), one).status == "accepted":
            number = self.streams[stream].state.proposals.made
            self.ask(stream, ApproveRuling(round=round_.opened.round, proposal=number), other)

    def _time_passes(self, stream: str) -> None:
        due = table_reactions.timer(self.streams[stream].state)
        assert due is not None, f"{stream} awaits something"
        self.now_ms = max(self.now_ms, due.at_ms)
        self.ask(stream, due.command, id=due.id_for(stream))

    def _shoe(self, shoe: str) -> Shoe:
        state: Shoe = self.streams[shoe_stream(self.day, shoe)].state
        return state


def decider_of(stream: str) -> Decider[Any, Any, Any]:
    """Return the decider whose entries stand in `stream`."""
    if stream.startswith("log.wallet."):
        return LEDGER
    if stream.startswith("log.shoe."):
        return SHOE
    return ROUND if round_of(stream) else TABLE


def little_house(seed: int = 1, *, rounds: int = 3) -> WholeHouse:
    """Return a house with two tables, three players and some rounds on each table."""
    house = WholeHouse(seed)
    for player in ("ann", "bob", "cyd"):
        house.welcome(player)
    house.open_table("T1", "ontario")
    house.open_table("T2", "live")
    for _ in range(rounds):
        house.play("T1", ["ann", "bob"])
        house.play("T2", ["bob", "cyd"])
    return house

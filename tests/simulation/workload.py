"""The workload: players, the pit and the cage, who ask what people ask and remember what they were told.

They see a felt and nothing else, ask again under the same id until they have an answer, and know in the end what must be
in the logs: everything that was accepted once, nothing that was refused.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from feltlog.rehearsal.house import RehearsedHouse
from feltlog.rehearsal.rooms import TableRooms, WalletRooms
from services.table.views import Felt, FeltBox, FeltCut, FeltStep
from services.wallet.domain.state import Ledger
from services.wallet.views import balance
from shared.contracts.asking import RefuseCut
from shared.contracts.cage import Deposit, OpenAccount, Withdraw
from shared.contracts.cutting import RevealCut, SealCut
from shared.contracts.decisions import DeclineInsurance, Double, Hit, Insure, Split, Stand, TakeEvenMoney
from shared.contracts.rulings import RulingCommand
from shared.contracts.subjects import round_name, table_stream
from shared.contracts.table import CallRound, CloseTable, OpenTable, TableSettings
from shared.contracts.wagers import CloseBetting, PlaceWager
from shared.kernel.cutting import seal
from shared.kernel.messages import Actor, Answer
from tests.simulation import cage, cards, orders, rulings
from tests.simulation.auditor import Auditor
from tests.simulation.breach import must

CURRENCY = "CAD"
PIT, CAGE = Actor("staff", "pit"), Actor("staff", "cage")
ASK_AGAIN_MS = 1_500
ANSWERED_KEPT_MAX = 200
RICH_MINOR, POOR_MINOR = 5_000_000, 1_500
NOT_YET = frozenset(
    {
        "busy",
        "book_closed",
        "book_not_open",
        "unknown_account",
        "quarantined",
        "no_shoe",
        "no_book",
        "wallet_silent",
        "day_closed",
        "unknown_table",
    }
)
"""Refusals of staff's requests after which it is right to ask again."""
REGRET_ONCE_IN = 6
"""So many rounds are over before somebody proposes that one of them is void after all."""
SOON = frozenset({"busy", "quarantined"})
"""The same of rulings, which are about one round and nothing else."""

Step = Callable[[], None]


@dataclass
class Request:
    """What somebody asked, and what he was told so far."""

    id: str
    service: str
    command: Any
    actor: Actor
    stream: Callable[[], str | None]
    money: bool = False
    again_ms: int = 0
    told: list[Answer] = field(default_factory=list)

    @property
    def final(self) -> Answer | None:
        """The answer that can never change, if it came."""
        return next((answer for answer in self.told if answer.final and answer.status != "pending"), None)


@dataclass(frozen=True)
class Seat:
    """A table of the simulation, and who plays at it."""

    table: str
    profile: str
    players: tuple[str, ...]
    staffed: bool = False


class Workload:
    """Everybody who is not the house."""

    def __init__(self, house: RehearsedHouse, auditor: Auditor, seats: list[Seat]) -> None:
        self.house = house
        self.auditor = auditor
        self.seats = seats
        self.silence_once_in = 0
        self.lost_once_in = 0
        self.rule_once_in = 0
        self.order_once_in = 0
        self.counts: Counter[str] = Counter()
        self.betting = True
        self._requests: dict[str, Request] = {}
        self._open: dict[str, Request] = {}
        self._spoken: set[tuple[Any, ...]] = set()
        self._secrets: dict[tuple[str, str], str] = {}
        """What players seal, by the root of the shoe and the player."""
        self._felts: dict[str, Felt | None] = {}
        self._seen: tuple[Any, int] = (None, -1)
        self._asked = 0
        self._todo: dict[str, list[Step]] = {}
        self._cage_from_ms = self._repeat_from_ms = 0
        self._answered: list[Request] = []
        """Some that have their final answer."""
        self.players = sorted({player for seat in seats for player in seat.players})
        for place, player in enumerate(self.players):
            self._cage(OpenAccount(player=player, operator="house", currency=CURRENCY))
            self._cage(Deposit(player=player, currency=CURRENCY, minor=POOR_MINOR if place % 3 == 2 else RICH_MINOR))
        for seat in seats:
            self._pit(seat, OpenTable(table=seat.table, profile_name=seat.profile, settings=settings(seat)))

    def work(self) -> list[Step]:
        """Return every step that somebody could take now."""
        now_ms = self.house.clock.now_ms()
        steps: list[Step] = [partial(self._ask, request) for request in self._open.values() if request.again_ms <= now_ms]
        self._look()
        for seat in self.seats:
            if seat.table not in self._todo:
                felt = self._felts[seat.table]
                self._todo[seat.table] = self._at(seat, felt) if felt is not None else []
            steps += self._todo[seat.table]
        if self.betting and now_ms >= self._cage_from_ms:
            steps.append(self._money_moves)
        if self.betting and self._answered and now_ms >= self._repeat_from_ms:
            steps.append(self._repeat)
        return steps

    def next_ms(self) -> int | None:
        """Return when somebody will ask again."""
        now_ms = self.house.clock.now_ms()
        return min((request.again_ms for request in self._open.values() if request.again_ms > now_ms), default=None)

    def stop(self) -> None:
        """Bet no more, and close the tables."""
        self.betting = False
        self.silence_once_in = self.lost_once_in = self.rule_once_in = self.order_once_in = 0
        self._todo.clear()
        for seat in self.seats:
            self._pit(seat, CloseTable())

    @property
    def settled(self) -> bool:
        """Whether everybody was told what became of what he asked."""
        return not self._open

    @property
    def waits_for(self) -> list[str]:
        """What is asked and not answered."""
        return [f"{request.id} {type(request.command).__name__}" for request in self._open.values()]

    @property
    def open_tables(self) -> str:
        """Which table is not closed yet, or nothing."""
        there = self.house.of("table")
        rooms = there[-1].rooms if there else None
        assert isinstance(rooms, TableRooms)
        for seat in self.seats:
            stream = rooms.tables.get(seat.table)
            state = rooms.process.door(stream).state if stream else None
            if state is not None and not (state.phase == "closed" and state.idle):
                return f"{seat.table} is {state.phase}"
        return ""

    def finish(self) -> None:
        """Raise `Breach` unless the logs say what people were told, and the wallet shows what they must have."""
        for request in self._requests.values():
            self._check(request)
        wallet = self.house.of("wallet")[-1]
        assert isinstance(wallet.rooms, WalletRooms)
        ledger = wallet.door(wallet.rooms.book).state
        for player in self.players:
            shown = sum(amount.available_minor + amount.set_aside_minor - amount.owed_minor for amount in balance(ledger, player).amounts)
            right = self.auditor.till.owed(player, CURRENCY)
            must(shown == right, "balance", f"{player} has {shown}, {right} is right")

    def _check_told(self, request: Request) -> None:
        """A final answer never changes."""
        finals = {(answer.status, answer.code) for answer in request.told if answer.final and answer.status != "pending"}
        must(len(finals) <= 1, "answers", f"{request.id} was answered {sorted(finals)}")

    def _check(self, request: Request) -> None:
        """Hold one request against the logs."""
        said = request.final
        if not request.money or said is None:
            return
        match request.command:
            case Deposit() | Withdraw():
                happened = request.id in self.auditor.till.moved
            case _:
                happened = self.auditor.answer_of(request.command.round, request.id) == "accepted"
        must(happened == (said.status == "accepted"), "answers", f"{request.id} was told {said.status}, the log says otherwise")

    def _at(self, seat: Seat, felt: Felt) -> list[Step]:
        """Return what can be done at a table, each thing once."""
        steps: list[tuple[tuple[Any, ...], Step]] = []
        if felt.phase == "betting" and self.betting:
            steps += [(("bet", felt.round, player), self._bet(seat, felt, place)) for place, player in enumerate(seat.players)]
        turn = felt.turn
        if felt.phase == "decision" and turn is not None:
            box = next(box for box in felt.boxes if box.box == turn.box)
            steps.append((("turn", felt.round, turn.number), self._decide(felt, box, turn.hand)))
        if felt.phase == "insurance":
            steps += [
                (("insurance", felt.round, box.box, box.legal), self._insure(felt, box))
                for box in felt.boxes
                if box.answered is False and box.legal
            ]
        steps += self._cut(seat, felt) + self._cards(seat, felt)
        if seat.staffed:
            steps += self._staff(seat, felt)
        if self.rule_once_in:
            steps += self._rulings(felt)
        if self.order_once_in and felt.round and felt.table_phase == "open":
            steps.append((("order", felt.round, felt.phase in ("settled", "void")), self._order(seat)))
        return [self._once(seat, key, step) for key, step in steps if key not in self._spoken]

    def _once(self, seat: Seat, key: tuple[Any, ...], step: Step) -> Step:
        def speak() -> None:
            self._spoken.add(key)
            self._todo.pop(seat.table, None)
            if key[0] in ("turn", "insurance") and self.silence_once_in and self.house.chooser.once_in(self.silence_once_in):
                self.counts["silent_player"] += 1
                return
            step()

        return speak

    def _bet(self, seat: Seat, felt: Felt, place: int) -> Step:
        def bet() -> None:
            choose = self.house.chooser
            if choose.once_in(5):
                return
            units = (felt.maximum_minor - felt.minimum_minor) // 100
            stake = felt.minimum_minor + 100 * choose.below(units + 1)
            # Now and then somebody wants what the table does not take.
            if choose.once_in(20):
                stake = choose.pick((1, stake + 1, felt.maximum_minor + 100))
            box = choose.between(1, felt.box_count) if choose.once_in(10) else place + 1
            self._play(seat.players[place], felt.round, PlaceWager(round=felt.round, box=box, stake_minor=stake), money=True)

        return bet

    def _decide(self, felt: Felt, box: FeltBox, number: int) -> Step:
        def decide() -> None:
            choose = self.house.chooser
            hand = next(hand for hand in box.hands if hand.hand == number)
            where: dict[str, Any] = {"round": felt.round, "box": box.box, "hand": number}
            if "split" in box.legal and not choose.once_in(3):
                self._play(box.player, felt.round, Split(**where), money=True)
            elif "double" in box.legal and choose.once_in(3):
                less = 100 if felt.profile.startswith("live") and choose.once_in(4) else None
                self._play(box.player, felt.round, Double(**where, stake_minor=less), money=True)
            elif "hit" in box.legal and (hand.total < 15 or choose.once_in(6)):
                self._play(box.player, felt.round, Hit(**where))
            else:
                self._play(box.player, felt.round, Stand(**where))

        return decide

    def _insure(self, felt: Felt, box: FeltBox) -> Step:
        def insure() -> None:
            where: dict[str, Any] = {"round": felt.round, "box": box.box}
            match self.house.chooser.pick(box.legal):
                case "insure":
                    self._play(box.player, felt.round, Insure(**where), money=True)
                case "even_money":
                    self._play(box.player, felt.round, TakeEvenMoney(**where))
                case _:
                    self._play(box.player, felt.round, DeclineInsurance(**where))

        return insure

    def _cards(self, seat: Seat, felt: Felt) -> list[tuple[tuple[Any, ...], Step]]:
        """Return the step with the cards that the table waits for."""

        def see_to(step: FeltStep) -> None:
            found = cards.see_to(step, felt, self.house.chooser, lambda who, command: self._of_staff(seat, who, command))
            self.counts["card_fault"] += found

        if not self.betting:
            return []
        stream = self._table_stream(seat.table)
        return [(("step", stream, felt.round, felt.steps), partial(see_to, step)) for step in felt.steps if step.state == "next"]

    def _of_staff(self, seat: Seat, who: Actor, command: Any) -> None:
        self._request("table", command, who, lambda: self._table_stream(seat.table))

    def _cut(self, seat: Seat, felt: Felt) -> list[tuple[tuple[Any, ...], Step]]:
        """Return what players can say of the shoe that comes; some seal nothing, some never tell, some tell another secret first."""
        cut = felt.cut
        if cut is None or not self.betting:
            return []
        match cut.phase:
            case "sealing":
                silent = [player for player in seat.players if player not in (*cut.sealed, *cut.refused)]
                return [(("seal", cut.root, player), self._seal(seat, cut, player)) for player in silent]
            case "revealing":
                owed = [player for player in cut.sealed if player not in cut.told]
                return [(("tell", cut.root, player), self._tell(seat, cut, player)) for player in owed]
            case _:
                return []

    def _seal(self, seat: Seat, cut: FeltCut, player: str) -> Step:
        def seal_one() -> None:
            if self.house.chooser.once_in(3):
                if self.house.chooser.once_in(2):
                    self._of_the_cut(seat, player, RefuseCut(shoe=cut.shoe, root=cut.root))
                return
            secret = self._secrets[cut.root, player] = f"{self.house.chooser.below(1 << 62):064x}"
            self._of_the_cut(seat, player, SealCut(shoe=cut.shoe, root=cut.root, seal=seal(cut.shoe, player, secret)))

        return seal_one

    def _tell(self, seat: Seat, cut: FeltCut, player: str) -> Step:
        def tell() -> None:
            choose = self.house.chooser
            if choose.once_in(2):
                return
            if choose.once_in(12):
                self._of_the_cut(seat, player, RevealCut(shoe=cut.shoe, root=cut.root, secret=f"{7:064x}"))
            self._of_the_cut(seat, player, RevealCut(shoe=cut.shoe, root=cut.root, secret=self._secrets[cut.root, player]))

        return tell

    def _of_the_cut(self, seat: Seat, player: str, command: Any) -> None:
        self._request("table", command, Actor("player", player), lambda: self._table_stream(seat.table))

    def _play(self, player: str, round: str, command: Any, *, money: bool = False) -> None:
        self._request("table", command, Actor("player", player), lambda: round_name(round).stream, money=money)

    def _staff(self, seat: Seat, felt: Felt) -> list[tuple[tuple[Any, ...], Step]]:
        if felt.phase == "betting" and any(box.wagers for box in felt.boxes):
            close = CloseBetting(round=felt.round)
            return [
                (("close", felt.round), lambda: self._request("table", close, PIT, lambda: round_name(felt.round).stream)),
            ]
        if felt.phase in ("idle", "settled", "void") and self.betting and felt.table_phase == "open":
            return [(("call", felt.round, self._table_stream(seat.table)), lambda: self._pit(seat, CallRound()))]
        return []

    def _rulings(self, felt: Felt) -> list[tuple[tuple[Any, ...], Step]]:
        """Return what staff may report now, and decide about."""
        moment = felt.turn.number if felt.turn is not None else felt.phase
        choose = self.house.chooser

        def notice() -> None:
            if choose.once_in(self.rule_once_in or 1):
                rulings.report(felt, choose, self._ruling)

        def regret() -> None:
            if choose.once_in(REGRET_ONCE_IN):
                rulings.regret(felt, choose, self._correction)

        steps: list[tuple[tuple[Any, ...], Step]] = []
        if felt.phase in ("betting", "insurance", "decision", "joining", "dealing"):
            steps.append((("notice", felt.round, moment), notice))
        if felt.phase in ("settled", "void"):
            steps.append((("regret", felt.round), regret))
        for proposal in felt.proposals:
            is_over = proposal.round != felt.round or felt.phase in ("settled", "void", "idle")
            ask = self._correction if is_over else self._ruling
            steps.append((("answer", proposal.round, is_over, proposal.proposal), partial(rulings.answer, proposal, choose, ask)))
        return steps

    def _ruling(self, who: Actor, round: str, command: Any) -> None:
        self._request("table", command, who, lambda: round_name(round).stream)

    def _correction(self, who: Actor, round: str, command: Any) -> None:
        """Ask the table, whose day stays open for rounds that are over."""
        name = round_name(round)
        self._request("table", command, who, lambda: table_stream(name.day, name.table))

    def _repeat(self) -> None:
        """Let somebody ask once more what was answered long ago."""
        self._repeat_from_ms = self.house.clock.now_ms() + self.house.chooser.between(500, 5_000)
        self.counts["asked_again"] += 1
        self._ask(self.house.chooser.pick(self._answered))

    def _money_moves(self) -> None:
        """Let somebody bring money or take some home, or the cage put something right."""
        choose = self.house.chooser
        self._cage_from_ms = self.house.clock.now_ms() + choose.between(2_000, 20_000)
        ledger = self._ledger()
        if ledger is not None and choose.once_in(2):
            cage.speak(ledger, self.players, choose, lambda who, command: self._request("wallet", command, who, self._book))
            return
        player = choose.pick(self.players)
        if choose.once_in(3):
            self._cage(Withdraw(player=player, currency=CURRENCY, minor=100 * choose.between(1, 20)))
        else:
            self._cage(Deposit(player=player, currency=CURRENCY, minor=100 * choose.between(1, 20)))

    def _cage(self, command: Any) -> None:
        self._request("wallet", command, CAGE, self._book, money=not isinstance(command, OpenAccount))

    def _order(self, seat: Seat) -> Step:
        def ask(actor: Actor, command: Any) -> None:
            self._request("table", command, actor, lambda: self._table_stream(seat.table))

        def perhaps() -> None:
            if self.house.chooser.once_in(self.order_once_in or 1):
                orders.order(self.house.chooser, ask)

        return perhaps

    def _pit(self, seat: Seat, command: Any) -> None:
        self._request("table", command, PIT, lambda: self._table_stream(seat.table))

    def _request(self, service: str, command: Any, actor: Actor, stream: Callable[[], str | None], *, money: bool = False) -> None:
        self._asked += 1
        request = Request(f"{actor.id}-{self._asked}", service, command, actor, stream, money)
        self._requests[request.id] = self._open[request.id] = request
        self._ask(request)

    def _ask(self, request: Request) -> None:
        """Ask, once more if need be: what was not answered is asked again with the same id."""
        request.again_ms = self.house.clock.now_ms() + ASK_AGAIN_MS
        stream = request.stream()
        if stream is None or self._is_lost("lost_request"):
            return
        self.house.ask(request.service, stream, request.id, request.command, request.actor, lambda said: self._told(request, said))

    def _told(self, request: Request, said: Answer | Exception) -> None:
        if isinstance(said, Exception) or self._is_lost("lost_reply"):
            return
        request.told.append(said)
        if said.status == "pending":
            return
        # A table that is closed is gone with its day.
        gone = said.code == "unknown_table" and not self.betting
        not_yet = SOON if isinstance(request.command, RulingCommand) else NOT_YET
        if request.actor.role == "staff" and not said.final and said.code in not_yet and not gone:
            return
        if self._open.pop(request.id, None) is not None and said.final:
            self._answered = [*self._answered[-ANSWERED_KEPT_MAX:], request]
        self._check_told(request)

    def _is_lost(self, what: str) -> bool:
        lost = bool(self.lost_once_in) and self.house.chooser.once_in(self.lost_once_in)
        self.counts[what] += lost
        return lost

    def _look(self) -> None:
        """Look at the felts again if anything may be different on one of them."""
        there = self.house.of("table")
        rooms = there[-1].rooms if there and not self.house.store.is_away else None
        assert rooms is None or isinstance(rooms, TableRooms)
        seen = (rooms, rooms.changes if rooms else 0)
        if seen == self._seen:
            return
        self._seen = seen
        for seat in self.seats:
            felt = rooms.felt(seat.table) if rooms else None
            if felt != self._felts.get(seat.table, felt) or seat.table not in self._felts:
                self._todo.pop(seat.table, None)
            self._felts[seat.table] = felt

    def _table_stream(self, table: str) -> str | None:
        there = self.house.of("table")
        if not there:
            return None
        rooms = there[-1].rooms
        assert isinstance(rooms, TableRooms)
        return rooms.stream_for(table)

    def _book(self) -> str | None:
        there = self.house.of("wallet")
        if not there:
            return None
        rooms = there[-1].rooms
        assert isinstance(rooms, WalletRooms)
        return rooms.book or None

    def _ledger(self) -> Ledger | None:
        """Return the open book as the wallet has it, if there is one."""
        book = self._book()
        state: Ledger | None = self.house.of("wallet")[-1].door(book).state if book else None
        return state


def settings(seat: Seat) -> TableSettings:
    """Return how a table of the simulation is run."""
    return TableSettings(
        operator="house",
        currency=CURRENCY,
        boxes=max(2, len(seat.players)),
        minimum_minor=100,
        maximum_minor=500,
        dealer="staff" if seat.staffed else "automatic",
        betting_window_ms=4_000,
        decision_ms=5_000,
        reserve_ms=2_000,
        pause_ms=1_000,
    )

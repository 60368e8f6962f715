"""How messages get in and out of the table service; what may happen at a table is decided in the domain."""

from collections.abc import Callable
from typing import Any

from services.table import reactions, views
from services.table.domain.correcting import check_ruling
from services.table.domain.filling import GamingDay, extension, fill_reveal, fill_round, fill_table, table_extension
from services.table.domain.finished import has_played, rules_on
from services.table.domain.roster import enrolled
from services.table.domain.round import ROUND
from services.table.domain.state import Over
from services.table.domain.table import TABLE
from services.table.domain.table_state import Table
from shared.contracts.cutting import CutCommand
from shared.contracts.refusals import Reason, refused, sentence
from shared.contracts.requests import BadRequest, Request, decode_request
from shared.contracts.rounds import PlayerRequest
from shared.contracts.rulings import ProposeRuling, RulingCommand
from shared.contracts.subjects import Addressed, felt_view, round_name, round_of, table_stream
from shared.contracts.table import CallRound, OpenTable, StaffCommand
from shared.contracts.wagers import CloseBetting
from shared.kernel.entry import Entry, Place
from shared.kernel.folded import Asked
from shared.kernel.messages import Answer
from shared.kernel.profile import Profile
from shared.kernel.profile_text import BadProfile
from shared.kernel.reactions import Reaction, Source
from shared.runtime.clock import day_ends_at_ms
from shared.runtime.keeper import Keeper
from shared.runtime.keepers import Noun
from shared.runtime.service import Process
from shared.runtime.settings import ServiceSettings
from shared.runtime.shelf import OWN, own_profile

"""The folder, in the house's directory, of the profiles that it wrote itself."""


class TableApp:
    """The table service's edge."""

    name = "table"
    hears = ("table", "shoe", "wallet")

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._house: Process | None = None
        self._tables: dict[str, str] = {}
        """The latest stream of each table."""
        self._round = Noun(ROUND, over=reactions.round_is_over, timer=reactions.timer, fill=self._fill_round, extension=extension)
        self._table = Noun(TABLE, over=reactions.table_is_over, timer=reactions.timer, fill=self._fill, extension=table_extension)

    @property
    def house(self) -> Process:
        """The process around this room, once it has started."""
        assert self._house is not None, "the service has started"
        return self._house

    def noun_of(self, stream: str) -> Noun:
        """Return what is known about a table's or a round's stream."""
        return self._round if round_of(stream) else self._table

    def follow(self, event: Any, source: Source) -> list[Reaction]:
        """Return what must follow from an event of this service, the shoe or the wallet."""
        return reactions.follow(event, source)

    def place(self, log_name: str) -> Callable[[], Place | None] | None:
        """Leave the position to the durable: this service writes many streams."""
        return None

    def ready_for(self, log_name: str) -> bool:
        """Hear every log as soon as it is there."""
        return True

    async def start(self, house: Process) -> None:
        """Know the tables that are open."""
        self._house = house
        # A table whose day is over is known until its next day is open, so that whoever watches it need not leave.
        for keeper in house.keepers.known():
            self._know(keeper)

    async def command(self, to: Addressed, data: bytes) -> Answer:
        """Answer a player or a member of staff."""
        match to.role:
            case "player":
                request = decode_request(data, PlayerRequest)
                stream = self._stream_of(to.target, request.command)
            case "staff":
                request = decode_request(data, StaffCommand)
                of_ruling = isinstance(request.command, RulingCommand)
                stream = await self._ruled_in(to.target, request) if of_ruling else self._stream_for(to.target, request.command)
            case _:
                raise refused(Reason.NOT_ALLOWED_FOR_ROLE)
        asked = Asked(request.id, request.command, self.house.actor(to), self.house.clock.now_ms())
        return await self.house.keepers.ask(stream, asked)

    async def question(self, to: Addressed) -> Any:
        """Show the tables, or one table's felt."""
        if to.target == "tables":
            return [views.row(self.house.keepers.get(stream).state) for stream in self._tables.values()]
        stream = self._tables.get(to.target)
        return self._felt(stream) if stream else {"error": sentence(Reason.UNKNOWN_TABLE)}

    def stored(self, keeper: Keeper[Any], entry: Entry[Any, Any]) -> None:
        """Show the felt after each change."""
        self._know(keeper)
        name = keeper.stream.split(".")[3]
        stream = self._tables.get(name)
        if self._house is not None and self._house.ready and stream is not None:
            self._house.say(felt_view(name), self._felt(stream))

    def _know(self, keeper: Keeper[Any]) -> None:
        if isinstance(keeper.state, Table):
            self._tables = enrolled(self._tables, keeper.stream, keeper.state)

    def _felt(self, stream: str) -> views.Felt:
        table = self.house.keepers.get(stream).state
        round_ = self.house.keepers.get(round_name(table.round).stream).state if table.round else None
        return views.felt(table, round_)

    def _stream_of(self, table: str, command: PlayerRequest) -> str:
        if not isinstance(command, CutCommand):
            return _round_at(table, command.round)
        if table not in self._tables:
            raise refused(Reason.UNKNOWN_TABLE)
        return self._tables[table]

    def _stream_for(self, table: str, command: StaffCommand) -> str:
        match command:
            case CloseBetting():
                return _round_at(table, command.round)
            case OpenTable() if command.table != table:
                raise BadRequest(f"the command opens {command.table} but was sent to {table}")
            case OpenTable() if (
                command.profile or command.day or command.day_ends_at_ms or command.follows or command.held or command.cards
            ):
                raise BadRequest("the profile by value, the day, what it follows and what goes on from there are the house's to fill in")
            case OpenTable():
                return self._tables.get(table, table_stream(self.house.today(), table))
            case _ if table in self._tables:
                return self._tables[table]
            case _:
                raise refused(Reason.UNKNOWN_TABLE)

    async def _ruled_in(self, table: str, request: Request[StaffCommand]) -> str:
        """Return the stream that takes rulings about a round: its own while it is played, its table's of that day afterwards.

        What was asked of a round that is over since is answered there once more.  Whoever proposes what a round cannot take is
        told so at once; it is decided when it is approved.
        """
        command = request.command
        assert isinstance(command, RulingCommand), "only rulings may be about a round that is over"
        own, of_table = _round_at(table, command.round), table_stream(round_name(command.round).day, table)
        state = self.house.keepers.get(of_table).state
        if not rules_on(state, command.round):
            return own
        if has_played(state, command.round):
            round_ = self.house.keepers.get(own)
            await round_.load()
            if request.id in round_.folded.answers:
                return own
            if isinstance(command, ProposeRuling) and isinstance(round_.state, Over):
                check_ruling(command.ruling, round_.state)
        return of_table

    def _fill_round(self, command: Any, round_: Any) -> Any:
        return fill_round(command, round_, day=self.house.today(), now_ms=self.house.clock.now_ms())

    def _fill(self, command: Any, state: Any) -> Any:
        if isinstance(command, CallRound) and self.house.witness.forbids_rounds:
            raise refused(Reason.CLOCKS_APART)
        return fill_table(fill_reveal(command, state, self.house.clock.now_ms()), self._today(), self._profile)

    def _profile(self, name: str) -> Profile:
        try:
            return own_profile(name, self._settings.data / OWN)
        except BadProfile as error:
            raise refused(Reason.BAD_SETTINGS, f"{error}.") from error

    def _today(self) -> GamingDay:
        day = self.house.today()
        return GamingDay(day, day_ends_at_ms(day, self._settings.day_starts, self._settings.zone))


def _round_at(table: str, round_id: str) -> str:
    name = round_name(round_id)
    if name.table != table:
        raise refused(Reason.UNKNOWN_ROUND)
    return name.stream

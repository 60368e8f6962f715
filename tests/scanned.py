"""A table under a scanner, in a house in one process: a dealer with real cards in hand, who lays what is called for.

The cards are shuffled, cut and loaded here, out of the house's sight; what leaves the shoe is scanned, and nothing else of it
is told to anybody.
"""

from typing import Any

from msgspec.structs import replace

from services.shoe.domain.scanned import takes
from services.shoe.domain.scanned_state import PutAway, Scanned, came_before
from shared.contracts.shoe import ScanCard, ScannedBefore
from shared.contracts.subjects import shoe_stream
from shared.kernel.cards import DECK
from shared.kernel.profile import Profile
from shared.runtime.shelf import profile
from tests.houses import DAY, WholeHouse

UNREAD, CUTTING_CARD, EMPTY = "??", "--", "=="
"""What a scanner may see that is no card, as `feltlog scanner fake` writes it."""
KINDS = {UNREAD: "unread", CUTTING_CARD: "cutting_card", EMPTY: "empty"}


def scanned(book: str, **changes: Any) -> Profile:
    """Return a rule book whose tables are under a scanner."""
    rules = profile(book)
    return replace(rules, shoe=replace(rules.shoe, device="scanned"), **changes)


class ScannedHouse(WholeHouse):
    """A house with one table, T1, under a scanner.

    `stack` is what lies in the shoe, the next card first; when it is `dealt` by itself, cards leave the shoe as they are called.
    `marker` is how many cards lie in front of the cutting card of a whole shoe, if there is one.
    """

    def __init__(
        self, seed: int = 1, *, rules: Profile | None = None, dealt: bool = True, marker: int | None = None, **chosen: Any
    ) -> None:
        self.stack: list[str] = []
        self.dealt = dealt
        self.marker = marker
        self.n = 0
        self.loads: list[str] = []
        """The shoes that were loaded, by name."""
        self._laying = False
        super().__init__(seed)
        self._vault._before = self._came_before
        for player in ("ann", "bob", "cyd"):
            self.welcome(player)
        self.rules = rules or scanned("ontario")
        self.open_table("T1", self.rules.name, rules=self.rules, **chosen)

    def shoe(self, name: str = "") -> Scanned | PutAway:
        """Return the state of a shoe, of the one that was loaded last if none is named."""
        state = self.streams[shoe_stream(DAY, name or self._shoes()[-1])].state
        assert isinstance(state, Scanned | PutAway)
        return state

    def scan(self, *saw: str) -> None:
        """Let the scanner see what leaves the shoe."""
        for each in saw:
            self.n += 1
            name = self._shoes()[-1]
            self._vault.scanned.tell("SC-7", self.n, each)
            command = ScanCard(scanner="SC-7", n=self.n, saw=KINDS.get(each, "card"))  # type: ignore[arg-type]
            answer = self.ask(shoe_stream(DAY, name), command)
            assert answer.status == "accepted", answer

    def _load(self, state: Scanned) -> None:
        """Put cards into the shoe: whole decks without the layout, shuffled, and behind some the cutting card."""
        self.stack = self._shuffled(state)
        if self.marker is not None and not state.loaded.without:
            self.stack.insert(self.marker, CUTTING_CARD)

    def _let_follow(self) -> None:
        super()._let_follow()
        if self._laying or not self.dealt:
            return
        self._laying = True
        while self._wants_a_card():
            self.scan(self.stack.pop(0))
        self._laying = False

    def _wants_a_card(self) -> bool:
        shoes = self._shoes()
        if not shoes:
            return False
        state = self.shoe(shoes[-1])
        if not isinstance(state, Scanned) or state.gives_no_more or state.missing is not None:
            return False
        if shoes[-1] not in self.loads:
            self.loads.append(shoes[-1])
            self._load(state)
        waits = state.call is not None or state.burning is not None or not state.prepared
        return bool(self.stack) and waits and takes(state, KINDS.get(self.stack[0], "card"))

    def _shuffled(self, state: Scanned) -> list[str]:
        left = list(DECK * state.loaded.decks)
        for card in state.loaded.without:
            left.remove(card)
        if state.loaded.without_hole is not None:
            name, index = state.loaded.without_hole
            other = self.shoe(name)
            assert isinstance(other, Scanned)
            left.remove(self._vault.scanned.face(index, other))
        self.chance.shuffle(left)
        return left

    def _shoes(self) -> list[str]:
        names = [stream.rsplit(".", 1)[1] for stream in self.streams if stream.startswith("log.shoe.")]
        return [name for name in names if isinstance(self.streams[shoe_stream(DAY, name)].state, Scanned | PutAway)]

    def _came_before(self, table: str) -> ScannedBefore:
        return came_before(self.shoe(name) for name in self._shoes())

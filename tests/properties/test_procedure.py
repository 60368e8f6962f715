"""What holds for every table whose staff see to the cards, whatever they send in whatever order."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from services.surveillance.domain.facts import facts
from services.surveillance.domain.procedure import TableCards, take
from services.table.domain.shoes import waits_for
from shared.contracts.procedure import (
    REPLACE,
    STEPS,
    CardFault,
    CardsReplaced,
    CardsWashed,
    InspectDecks,
    InspectShoe,
    PresentCards,
    ProcedureEvent,
    ReplaceCards,
    ShoeFault,
    StepEvent,
    VerifyInspection,
)
from shared.contracts.table import OpenTable, RoundCalled, ShoeCalled, ShoeRetirementCalled, TableCommand, TableEvent
from shared.kernel.entry import decode_as
from shared.kernel.messages import HOUSE, Actor
from shared.kernel.profile import Profile
from tests.procedure import DEALER, GAME_SUPERVISOR, PIT_BOSS, REPRESENTATIVE, VIDEO, commands, staffed, who
from tests.properties.test_tables import PIT, Felt
from tests.rounds import open_table
from tests.staff import SUPERVISOR
from tests.states import encoded

RULES = {"ontario": staffed("ontario"), "floor": staffed("floor"), "live": staffed("live"), "device": staffed("floor", "shuffling_device")}
ACTORS = (DEALER, REPRESENTATIVE, GAME_SUPERVISOR, PIT_BOSS, SUPERVISOR, Actor("staff", "nobody"), Actor("player", "ann"))
CARD_FAULTS: tuple[CardFault, ...] = ("missing_card", "marked_card", "other_back")
SHOE_FAULTS: tuple[ShoeFault, ...] = ("damaged", "compromised")


class StaffedFelt(Felt):
    """A table whose staff see to the cards, and who send steps at any time: mostly the right one, by the right person."""

    def __init__(self, chance: Random, rules: Profile) -> None:
        super().__init__(chance)
        self.rules = rules

    def tell(self, command: Any, actor: Actor = HOUSE) -> None:
        """Decide a command; the table is opened under no other rules, however often."""
        super().tell(replace(command, profile=self.rules) if isinstance(command, OpenTable) else command, actor)

    def see_to_the_cards(self) -> None:
        """Send a step, or have the cards replaced."""
        missing = waits_for(self.folded.state)
        if missing is not None and self.chance.random() < 0.7:
            self.tell(commands(self.rules)[missing.step], who(missing.jobs))
            return
        self.tell(self.some_command(), self.chance.choice((*ACTORS, DEALER, DEALER, who(REPLACE[self.rules.book][0]))))

    def some_command(self) -> Any:
        """Return whatever staff may send about the cards, with faults and without what the book wants."""
        card_faults = tuple(self.chance.sample(CARD_FAULTS, self.chance.choice((0, 0, 1, 2))))
        video = self.chance.choice((VIDEO, ""))
        return self.chance.choice(
            (
                *commands(self.rules).values(),
                *(ReplaceCards(), ReplaceCards(), ReplaceCards()),
                InspectShoe(faults=tuple(self.chance.sample(SHOE_FAULTS, 1))),
                InspectDecks(decks=self.chance.choice((self.rules.decks, 7)), faults=card_faults, video=video),
                VerifyInspection(faults=card_faults),
                PresentCards(faults=card_faults, video=video),
            )
        )


def played(seed: int, name: str) -> StaffedFelt:
    """Return a table after a random day of steps, rounds and closings, before its end."""
    felt = StaffedFelt(Random(seed), RULES[name])
    felt.tell(open_table(felt.rules.name), PIT)
    for _ in range(felt.chance.randint(0, 200)):
        if felt.chance.random() < 0.5:
            felt.see_to_the_cards()
        else:
            felt.step()
    return felt


seeds, names = st.integers(0, 2**32), st.sampled_from(sorted(RULES))


@given(seeds, names)
def test_no_shoe_is_called_with_a_step_missing(seed: int, name: str):
    """ON-4, FL-3.3, FL-3.4, LV-1.5, LV-3.1: counted by the referee, who shares no code with the table."""
    felt = played(seed, name)
    felt.end_day()
    cards = TableCards()
    entries = [decode_as(TableCommand, TableEvent, data) for data in felt.entries]

    assert [amiss for fact in facts(entries) for amiss in take(cards, fact)] == []


@given(seeds, st.sampled_from(["floor", "live", "ontario"]))
def test_every_shoe_has_steps_of_its_own(seed: int, name: str):
    """LV-3.2: between two calls of shoes the cards are mixed, and others that were brought are inspected; a device mixes by itself."""
    felt = played(seed, name)
    wanted = {rule.step for rule in STEPS[felt.rules.book]}
    mixed = "CardsWashed" if "wash" in wanted else "CardsShuffled"
    told = [type(event).__name__ for event in felt.events if isinstance(event, ShoeCalled | ProcedureEvent)]
    shoes = " ".join(told).split("ShoeCalled")

    assert [part for part in shoes[:-1] if mixed not in part] == []
    assert [part for part in shoes[:-1] if "CardsReplaced" in part and "DecksInspected" not in part.rpartition("CardsReplaced")[2]] == []


@given(seeds, names)
def test_refused_step_changes_nothing(seed: int, name: str):
    """House page: what is refused leaves state and log as they were, to the byte."""
    felt = played(seed, name)
    before = encoded(felt.folded.state), len(felt.entries)
    changed = []
    for _ in range(8):
        felt.tell(felt.some_command(), felt.chance.choice(ACTORS))
        after = encoded(felt.folded.state), len(felt.entries)
        changed += [after] if after[0] != before[0] and after[1] == before[1] else []
        before = after

    assert changed == []


@given(seeds, names)
def test_table_that_waits_for_steps_closes_its_day(seed: int, name: str):
    """Log page, streams: every shoe that was called is opened, whatever was left undone."""
    felt = played(seed, name)
    felt.end_day()
    called = {event.shoe for event in felt.events if isinstance(event, ShoeCalled)}
    retired = [event.shoe for event in felt.events if isinstance(event, ShoeRetirementCalled)]

    assert (len(retired), called - set(retired), felt.folded.state.idle) == (len(set(retired)), set(), True)


@pytest.mark.parametrize("name", sorted(RULES))
def test_random_days_see_all_of_it(name: str):
    """The tests above are worth what those days see: steps, faults, replacements, rounds and second shoes."""
    events = [event for seed in range(60) for event in played(seed, name).events]
    seen = {type(event).__name__ for event in events}
    faults = [event for event in events if isinstance(event, StepEvent) and getattr(event, "faults", None)]

    assert {CardsReplaced.__name__, RoundCalled.__name__, (CardsWashed.__name__ if RULES[name].book != "FL" else "CardsShuffled")} <= seen
    assert (len(faults) > 0, any(isinstance(event, ShoeCalled) and event.shoe == "T7-S2" for event in events)) == (True, True)

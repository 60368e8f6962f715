"""What players may do: what is offered is taken, what is not offered is refused, and every way through a round ends."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from feltlog.rehearsal.round import Choice, Moment, Rehearsal, command_for
from services.table.domain.asking import asked
from services.table.domain.hand import Hand
from services.table.domain.round import REFUSALS_MAX, ROUND
from services.table.domain.state import Playing
from services.table.views import ORDER, legal
from shared.contracts.decisions import DecisionAwaited, Double
from shared.contracts.wagers import CommandRefused
from shared.kernel.messages import Actor, Envelope, Refused
from tests.properties.strategies import BOOKS, PLAYERS, rounds, stacks
from tests.rounds import ROUND_ID, opening

Said = tuple[int, int, str, str]
"""Box, hand, player and word."""

PLACES = [(box, number) for box in range(9) for number in range(5)]
WITHOUT_HAND = ("insure", "decline", "even_money")
"""Words about a wager on a box: they name no hand."""


def offered(playing: Playing) -> set[Said]:
    """Return all that somebody is asked."""
    return {(ask.box, ask.hand, ask.player, word) for ask in asked(playing) for word in ask.legal}


def taken(playing: Playing, at_ms: int) -> set[Said]:
    """Return all that is not refused, of everything that anybody could say about any hand."""
    every = [(box, number, player, word) for box, number in PLACES for player in PLAYERS for word in ORDER]
    return {said for said in every if not (said[3] in WITHOUT_HAND and said[1] != 1) and is_taken(said, playing, at_ms)}


def is_taken(said: Said, playing: Playing, at_ms: int) -> bool:
    """Return whether the round does what somebody says."""
    box, number, player, word = said
    command = command_for(Choice(word), ROUND_ID, Hand(box, number, player, 0))
    try:
        events = ROUND.decide(command, playing, Envelope("said", Actor("player", player), at_ms, at_ms))
    except Refused:
        return False
    return not any(isinstance(event, CommandRefused) for event in events)


def quarrel(rehearsal: Rehearsal, player: str) -> None:
    """Let a player ask so often for what is not allowed that nothing more is written down."""
    command = Double(round="T7.20261130-999999", box=1, hand=1)
    for _ in range(REFUSALS_MAX):
        rehearsal.tell(command, Actor("player", player))


@given(st.data())
def test_whatever_is_offered_is_taken_and_nothing_else(data: st.DataObject):
    """LV-0.3, LV-2.6: by anybody, about any hand, at any time; also by who was refused too often."""
    found: list[tuple[set[Said], set[Said]]] = []

    def disturb(rehearsal: Rehearsal) -> None:
        if isinstance(rehearsal.round, Playing):
            if data.draw(st.integers(0, 7)) == 7:
                quarrel(rehearsal, data.draw(st.sampled_from(PLAYERS)))
            playing = rehearsal.round
            assert isinstance(playing, Playing), "a refusal ends no round"
            found.append((offered(playing), taken(playing, rehearsal.at_ms)))

    data.draw(rounds(disturb))

    assert [ours for ours, _ in found] == [theirs for _, theirs in found]


@given(rounds())
def test_felt_names_the_words_of_everybody_who_is_asked(rehearsal: Rehearsal):
    """LV-0.3: one row of buttons for the table, in the order hit, stand, double, split, insure, decline, even money."""
    state = ROUND.initial
    differ = []
    for event in rehearsal.events:
        state = ROUND.evolve(state, event)
        if isinstance(state, Playing):
            words = {word for _, _, _, word in offered(state)}
            differ += [] if legal(state) == tuple(word for word in ORDER if word in words) else [event]

    assert differ == []


@given(st.sampled_from(BOOKS), stacks(60, 300), st.integers(1, 7), st.integers(0, 2**32))
def test_every_legal_sequence_ends(book: str, shoe: tuple[str, ...], boxes: int, seed: int):
    """Whatever is legal is said, one thing after the other: a hand of 21 points has 21 cards at most, and decides no more often."""
    chance = Random(seed)

    def choose(moment: Moment) -> Choice:
        return Choice(chance.choice(moment.legal))

    rehearsal = Rehearsal(opening(book, boxes=boxes), shoe)
    for box in range(1, boxes + 1):
        rehearsal.bet(f"player{box}", box, 400)
    rehearsal.run(choose)
    asked_for = [(event.box, event.hand) for event in rehearsal.events if isinstance(event, DecisionAwaited)]

    assert max((asked_for.count(place) for place in asked_for), default=0) <= 21

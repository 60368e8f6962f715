"""What holds for every round, whatever the cards, the people and their wallets do."""

from random import Random
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from feltlog.rehearsal.round import PEN, Choice, Rehearsal, command_for
from services.table.domain.evolve import place_of
from services.table.domain.round import ROUND
from services.table.domain.state import Decision, Playing
from services.table.views import felt, legal
from shared.contracts.dealing import CardDealt
from shared.contracts.rounds import RoundSettled, RoundVoided, VoidRound
from shared.contracts.wagers import AcceptWager, CommandRefused, RefuseWager, WagerAccepted, WagerPlaced, WagersSettled
from shared.kernel.entry import decode
from shared.kernel.folded import draft, empty, fold
from shared.kernel.messages import Actor, Envelope, Refused
from tests.properties.strategies import rounds, some_command, some_envelope
from tests.rounds import ROUND_ID, lines, opened_table


@given(rounds())
def test_round_gives_every_accepted_wager_one_line(rehearsal: Rehearsal):
    """ON-3.5, LV-2.1.4: what was accepted is settled, once; what was not is not in the round."""
    accepted = sorted(event.wager for event in rehearsal.events if isinstance(event, WagerAccepted))

    assert sorted(line.wager for line in lines(rehearsal)) == accepted


@given(rounds())
def test_round_conserves_money(rehearsal: Rehearsal):
    """Log page, settlement: the sums of the round are the sums of its lines, and stakes are those that were placed."""
    end = rehearsal.events[-1]
    placed = {event.wager: event.stake_minor for event in rehearsal.events if isinstance(event, WagerPlaced)}
    settled = lines(rehearsal)
    sums = (sum(placed[line.wager] for line in settled), sum(line.returned_minor for line in settled))

    assert not isinstance(end, RoundSettled) or sums == (end.staked_minor, end.returned_minor)


@given(rounds())
def test_accepted_wager_lies_unchanged_until_it_is_settled(rehearsal: Rehearsal):
    """ON-3.4, LV-2.4: an insurance, a double or a split that is confirmed is locked; so is every other wager."""
    placed = {event.wager: event.stake_minor for event in rehearsal.events if isinstance(event, WagerPlaced)}
    lying: dict[str, int] = {}
    changed = []
    state = ROUND.initial
    for event in rehearsal.events:
        state = ROUND.evolve(state, event)
        lying |= {event.wager: placed[event.wager]} if isinstance(event, WagerAccepted) else {}
        settled = {line.wager for line in event.lines} if isinstance(event, WagersSettled) else set()
        lying = {wager: stake for wager, stake in lying.items() if wager not in settled}
        there = {wager.id: wager.stake_minor for wager in getattr(state, "wagers", ())}
        changed += [event] if there != lying else []

    assert changed == []


@given(rounds())
def test_void_round_gives_back_what_was_open(rehearsal: Rehearsal):
    """Decisions 20 and 23: every wager that was not settled before (insurance, even money) goes back as it was staked."""
    void = isinstance(rehearsal.events[-1], RoundVoided)
    last = [event for event in rehearsal.events[-2:] if isinstance(event, WagersSettled)]
    kept = [line for event in last for line in event.lines if line.returned_minor != line.stake_minor]

    assert not void or kept == []


@given(rounds())
def test_round_ends_once(rehearsal: Rehearsal):
    """Log page, flows: nothing follows the end of a round."""
    assert [isinstance(event, RoundSettled | RoundVoided) for event in rehearsal.events].count(True) == 1
    assert isinstance(rehearsal.events[-1], RoundSettled | RoundVoided)


@given(rounds())
def test_round_folds_to_the_state_after_its_drafts(rehearsal: Rehearsal):
    """House page: the log alone gives the state, byte for byte."""
    again = empty(ROUND, rehearsal.folded.stream)
    for sequence, data in enumerate(rehearsal.entries, start=1):
        fold(ROUND, again, data, sequence)

    assert again == rehearsal.folded


@given(rounds())
def test_entry_decodes_to_itself(rehearsal: Rehearsal):
    """House page: every entry decodes to itself."""
    assert [msgspec.json.encode(decode(ROUND, data)) for data in rehearsal.entries] == rehearsal.entries


@given(rounds())
def test_round_is_decided_again_the_same(rehearsal: Rehearsal):
    """Log page, group commit: the proof holds per decision, and what a decision has folded to go on is what its readers fold."""
    state: Any = ROUND.initial
    differences = []
    for data in rehearsal.entries:
        entry = decode(ROUND, data)
        for decision in entry.decisions:
            again = ROUND.decide(decision.command, state, Envelope(decision.id, decision.actor, decision.received_at_ms, entry.at_ms))
            after = ROUND.after(state, again)
            for event in decision.events:
                state = ROUND.evolve(state, event)
            differences += [] if tuple(again) == decision.events and after == state else [decision]

    assert differences == []


@given(rounds())
def test_repeated_command_adds_nothing(rehearsal: Rehearsal):
    """Log page, ids: the same id gets the same answer, and nothing is written a second time."""
    drafted = draft(ROUND, rehearsal.folded, rehearsal.asked, PEN, now_ms=rehearsal.at_ms)

    assert drafted.entry is None


@given(st.data())
def test_round_refuses_whatever_it_does_not_do(data: st.DataObject):
    """House page: `decide` is total: in every state it returns events or raises `Refused`, and nothing else."""

    def disturb(rehearsal: Rehearsal) -> None:
        chance = Random(data.draw(st.integers(0, 2**32)))
        command, envelope = some_command(chance, rehearsal), some_envelope(chance, rehearsal)
        state = rehearsal.round
        try:
            for event in ROUND.decide(command, state, envelope):
                state = ROUND.evolve(state, event)
        except Refused as why:
            assert why.code

    data.draw(rounds(disturb))


@given(st.data())
def test_round_survives_what_anybody_says(data: st.DataObject):
    """Log page, flows: whatever is said in between, the round comes to its end and its money is right."""

    def disturb(rehearsal: Rehearsal) -> None:
        chance = Random(data.draw(st.integers(0, 2**32)))
        command, envelope = some_command(chance, rehearsal), some_envelope(chance, rehearsal)
        if not isinstance(command, AcceptWager | RefuseWager | VoidRound):
            rehearsal.tell(command, envelope.actor, received_at_ms=envelope.received_at_ms)

    rehearsal = data.draw(rounds(disturb))
    accepted = sorted(event.wager for event in rehearsal.events if isinstance(event, WagerAccepted))

    assert sorted(line.wager for line in lines(rehearsal)) == accepted


@given(rounds())
def test_cards_come_to_rest_in_the_order_of_the_shoe(rehearsal: Rehearsal):
    """ON-6.1, LV-4.2: one at a time and none twice; a card face down has no face before it is turned."""
    open_cards = [(event.shoe, event.index) for event in rehearsal.events if isinstance(event, CardDealt)]

    assert open_cards == sorted(set(open_cards), key=lambda place: (len(place[0]), place[1]))


@given(rounds(book="live"))
def test_felt_shows_no_hidden_card(rehearsal: Rehearsal):
    """LV-3.8, LV-4.2: nobody sees the hole card before it is turned: no event and no felt before that names it."""
    state: Any = ROUND.initial
    table = opened_table("live")
    seen = []
    for event in rehearsal.events:
        state = ROUND.evolve(state, event)
        if isinstance(state, Playing) and state.hole is not None:
            seen.append(len(felt(table, state).dealer_cards))

    assert set(seen) <= {1}


@given(st.data())
def test_felt_offers_only_what_is_taken(data: st.DataObject):
    """LV-0.3: what is offered as legal is never refused, but for the stake."""
    refusals: list[CommandRefused] = []

    def disturb(rehearsal: Rehearsal) -> None:
        state = rehearsal.round
        if isinstance(state, Playing) and isinstance(state.awaiting, Decision):
            for what in legal(state):
                hand = state.hands[place_of(state.hands, state.awaiting.box, state.awaiting.hand)]
                envelope = Envelope("asked", Actor("player", hand.player), rehearsal.at_ms, rehearsal.at_ms)
                events = ROUND.decide(command_for(Choice(what), ROUND_ID, hand), state, envelope)
                refusals.extend(event for event in events if isinstance(event, CommandRefused))

    data.draw(rounds(disturb))

    assert refusals == []

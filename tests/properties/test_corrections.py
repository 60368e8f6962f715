"""What holds for every correction of every round, whatever was read wrong and however often."""

from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from feltlog.rehearsal.round import Rehearsal
from services.table.domain.physical import open_cards
from services.table.domain.state import Laid, Over, Playing
from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import NO_ACCOUNTS, Ledger
from services.wallet.reactions import follow
from shared.contracts.cage import Deposit, OpenAccount, Withdraw
from shared.contracts.rounds import CorrectionRefused, CorrectRound, RoundCorrected
from shared.contracts.rulings import Agreed, ApproveRuling, Misread, ProposeRuling, ReadAnew
from shared.contracts.subjects import log_of
from shared.contracts.wagers import WagerPlaced, WagerRefused, WagersCorrected
from shared.contracts.wallet import OpenBook
from shared.kernel.cards import DECK
from shared.kernel.messages import HOUSE, Actor, Envelope
from shared.kernel.reactions import Source
from tests.properties.test_referee import BOOKS, choose, judged, random_round, random_wagers
from tests.rounds import ROUND_ID, lines

chances = st.integers(0, 2**32).map(Random)
"""Chance from a seed: rounds take so many draws that hypothesis itself would be slow at it."""
books = st.sampled_from(BOOKS)
AGREED = Agreed(by="pit", job="pit_boss", approved_by="manager", approved_job="duty_manager", reason="misread")
SOME_CARDS = tuple(card for card in DECK if card[0] in "A26789TK")


def corrected_round(chance: Random, book: str) -> Rehearsal:
    """Return a whole round with one to three corrections that chance asks for; some of them cannot be."""
    rehearsal = random_round(chance, book, options=chance.random() < 0.5, root="")
    for number in range(chance.randint(1, 3)):
        correct(rehearsal, some_cards(chance, rehearsal), f"correction-{number}")
    return rehearsal


def disturbed_round(chance: Random, book: str) -> Rehearsal:
    """Return a whole round in which cards turn out to have been read wrong while it is played."""
    rehearsal = random_wagers(chance, book, options=chance.random() < 0.5, root="")
    while not rehearsal.over:
        if isinstance(rehearsal.round, Playing) and chance.random() < 0.3:
            misread(chance, rehearsal, rehearsal.round)
        go_on(chance, rehearsal)
    return rehearsal


def misread(chance: Random, rehearsal: Rehearsal, playing: Playing) -> None:
    """Let two persons rule that one card or two were read wrong; the second one approves what could be proposed."""
    ruling = Misread(cards=some_of(chance, playing.laid, chance.choice((1, 1, 2))))
    if rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=ruling), Actor("staff", "dee", "dealer")).status == "accepted":
        number = playing.proposals.made + 1
        rehearsal.tell(ApproveRuling(round=ROUND_ID, proposal=number), Actor("staff", "pit", "pit_boss"))


def go_on(chance: Random, rehearsal: Rehearsal) -> None:
    """Let whatever comes next happen, if the round has not ended by a right card."""
    if rehearsal.serve() or rehearsal.over:
        return
    if not rehearsal.ask(lambda moment: choose(chance, moment)):
        rehearsal.let_time_pass()


def correct(rehearsal: Rehearsal, cards: tuple[ReadAnew, ...], correction: str) -> None:
    """Ask for a correction as the round's table does."""
    rehearsal.tell(CorrectRound(correction=correction, cards=cards, agreed=AGREED), id=correction)


def some_cards(chance: Random, rehearsal: Rehearsal) -> tuple[ReadAnew, ...]:
    """Return one or two cards of the round read otherwise, or none: then the round is to be void."""
    return some_of(chance, over(rehearsal).laid, chance.choice((1, 1, 1, 2, 0)))


def some_of(chance: Random, laid: tuple[Laid, ...], count: int) -> tuple[ReadAnew, ...]:
    """Return as many of the open cards, read as any others."""
    lying = list(open_cards(laid))
    picked = chance.sample(lying, min(len(lying), count))
    return tuple(ReadAnew(shoe=there.shoe, index=there.index, card=chance.choice(SOME_CARDS)) for there in picked)


def over(rehearsal: Rehearsal) -> Over:
    """Return the round, which is over."""
    assert isinstance(rehearsal.round, Over), "the round is over"
    return rehearsal.round


def moved(rehearsal: Rehearsal) -> dict[str, int]:
    """Return what each wager gave back in all events together."""
    back = {line.wager: line.returned_minor for line in lines(rehearsal)}
    for event in rehearsal.events:
        for line in event.lines if isinstance(event, WagersCorrected) else ():
            assert back[line.wager] == line.settled_minor
            back[line.wager] += line.returned_minor - line.settled_minor
    return back


def booked(rehearsal: Rehearsal, chance: Random, *, twice: bool = False) -> Ledger:
    """Return the ledger after a round, whose players now and then take their money away before it is corrected."""
    stream, envelope = rehearsal.folded.stream, Envelope("booked", HOUSE, 0, 0)
    ledger: Ledger = LEDGER.initial
    players = sorted({line.player for line in lines(rehearsal)})
    turned_away = {event.wager for event in rehearsal.events if isinstance(event, WagerRefused)}
    commands: list[Any] = [OpenBook(day="20261130")]
    for player in players:
        commands += [OpenAccount(player=player, operator="house", currency="CAD"), Deposit(player=player, currency="CAD", minor=100_000)]
    for number, event in enumerate(rehearsal.events):
        if isinstance(event, RoundCorrected):
            commands += [Withdraw(player=player, currency="CAD", minor=chance.randint(90_000, 100_000)) for player in players]
        if isinstance(event, WagerPlaced) and event.wager in turned_away:
            continue
        source = Source(log=log_of(stream), stream=stream, sequence=number, revision=1, decision=0, event=0, at_ms=0, digest="")
        commands += [reaction.command for reaction in follow(event, source)] * (2 if twice else 1)
        if isinstance(event, WagersCorrected):
            commands += [Deposit(player=player, currency="CAD", minor=chance.randint(1, 1_000)) for player in players]
    for command in commands:
        ledger = LEDGER.after(ledger, LEDGER.decide(command, ledger, envelope))
    return ledger


@given(chances, books)
def test_corrections_add_up_to_the_last_settlement(chance: Random, book: str):
    """Log page, corrections: what was settled and every difference since are what each wager gives back now."""
    rehearsal = corrected_round(chance, book)

    assert {line.wager: line.returned_minor for line in over(rehearsal).lines} == moved(rehearsal)


@given(chances, books)
def test_the_referee_agrees_with_every_correction(chance: Random, book: str):
    """Two independent computations come to the same outcome of the right cards, and the same differences."""
    assert judged(corrected_round(chance, book)) == []


@given(chances, books)
def test_correction_that_is_refused_leaves_the_round_as_it_is(chance: Random, book: str):
    """Decision 23: what cannot be worked out is refused in writing, and nothing of the settlement changes."""
    rehearsal = random_round(chance, book, root="")
    before = over(rehearsal)
    correct(rehearsal, some_cards(chance, rehearsal), "correction")
    was_refused = isinstance(rehearsal.events[-1], CorrectionRefused)

    assert not was_refused or rehearsal.round == before


@given(chances, books)
def test_card_read_wrong_and_right_again_leaves_no_difference(chance: Random, book: str):
    """Log page, corrections: a correction may follow a correction, and leads back to the first settlement."""
    rehearsal = random_round(chance, book, root="")
    before = over(rehearsal)
    cards = some_cards(chance, rehearsal)
    correct(rehearsal, cards, "wrong")
    read = {(there.shoe, there.index): there.card for there in open_cards(before.laid)}
    correct(rehearsal, tuple(replace(card, card=read[card.shoe, card.index]) for card in cards), "right")
    was_corrected = bool(cards) and [type(event) for event in rehearsal.events[-4:]] == [RoundCorrected, WagersCorrected] * 2
    after = over(rehearsal)

    assert not was_corrected or (after.lines, after.results, after.laid) == (before.lines, before.results, before.laid)


@given(chances, books)
def test_corrections_make_no_money(chance: Random, book: str):
    """ON-3.5: whatever players have left, every movement balances, no account is overdrawn, and nothing stays in escrow."""
    ledger = booked(corrected_round(chance, book), chance)
    accounts = ledger.accounts.get("CAD", NO_ACCOUNTS)

    assert ledger.total("CAD") == 0
    assert [name for name in accounts if name.endswith("/escrow")] == []
    assert all(account.minor >= 0 for name, account in accounts.items() if name.endswith("/cash"))


@given(chances, books, st.integers(0, 2**32))
def test_correction_heard_again_moves_nothing(chance: Random, book: str, seed: int):
    """Log page, ids: the obligation is met once, however often it is heard."""
    rehearsal = corrected_round(chance, book)

    assert booked(rehearsal, Random(seed), twice=True) == booked(rehearsal, Random(seed))


@given(chances, books)
def test_void_correction_gives_every_stake_back(chance: Random, book: str):
    """Decision 23: a void round returns every wager on it, its side bets and its insurance, and no more."""
    rehearsal = corrected_round(chance, book)
    correct(rehearsal, (), "void")

    assert [line for line in over(rehearsal).lines if line.returned_minor != line.stake_minor] == []


@given(chances, books)
def test_round_goes_on_with_the_right_cards(chance: Random, book: str):
    """LV-2.1.4: whatever is read wrong while a round is played, it ends by the cards that lie there, and the referee agrees."""
    assert judged(disturbed_round(chance, book)) == []

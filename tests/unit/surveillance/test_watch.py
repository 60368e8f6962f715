"""The watch over forged logs: chains that hold, and say what is not so."""

from functools import cache
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from services.surveillance.domain.findings import Code
from services.surveillance.domain.watch import Watch, verify
from services.surveillance.redecide import Again
from shared.contracts.cage import Deposited
from shared.contracts.dealing import CardDealt, DealCards, HoleCardDealt, HoleCardTurned
from shared.contracts.rounds import OpenRound, RoundOpened, RoundSettled
from shared.contracts.shoe import (
    CardsBurned,
    CardsDrawn,
    CardTurned,
    DrawCards,
    OrderCommitted,
    ShoePrepared,
    ShoeRetired,
    ShoeShuffled,
    ShuffleShoe,
    TurnCard,
)
from shared.contracts.stakes import BookRound, ReserveStake, SettleStakes, StakeReserved, StakesSettled
from shared.contracts.table import DayClosed, MountShoe, RoundCalled, RoundRecorded, ShoeMounted
from shared.contracts.wagers import AcceptWager, WagerPlaced, WagersSettled
from shared.contracts.wallet import CarriedForward
from shared.kernel.entry import Stored
from shared.kernel.messages import Cause
from shared.kernel.money import Ratio
from shared.runtime.shelf import profile
from tests.forgery import Edit, codes, commanded, forged, found, linked, read, written
from tests.houses import DAY, NEXT_DAY, WholeHouse, little_house

LEDGER = f"log.wallet.{DAY}.ledger.0"
ROUND = f"log.table.{DAY}.T1.round.000001"
LIVE_ROUND = f"log.table.{DAY}.T2.round.000001"
SHOE = f"log.shoe.{DAY}.T1-S1"
LIVE_SHOE = f"log.shoe.{DAY}.T2-S1"
TABLE = f"log.table.{DAY}.T1.table"


@cache
def house() -> WholeHouse:
    """A house with two tables that played two rounds each, the end of its day, and the next day's books."""
    played = little_house(3, rounds=2)
    played.end_day()
    return played


def logs() -> list[Stored]:
    """Its logs."""
    return house().stored


def gone(event: Any) -> list[Any]:
    """The event did not happen."""
    return []


def twice(event: Any) -> list[Any]:
    """The event happened twice."""
    return [event, event]


def but(**fields: Any) -> Edit:
    """The event says something else."""
    return lambda event: [msgspec.structs.replace(event, **fields)]


def richer(event: WagersSettled | StakesSettled) -> list[Any]:
    """The first line gives back two units more, without further changes."""
    first, *rest = event.lines
    line = msgspec.structs.replace(first, returned_minor=first.returned_minor + 2)
    return [msgspec.structs.replace(event, lines=(line, *rest))]


def from_before_the_first(event: CardsDrawn) -> list[Any]:
    """The first card lies where no shoe has one."""
    first, *rest = event.cards
    return [msgspec.structs.replace(event, cards=(msgspec.structs.replace(first, index=-1_000), *rest))]


def test_a_log_that_is_linked_anew_without_a_change_is_the_same():
    """The forger's tools change nothing by themselves."""
    assert linked(logs()) == logs()


FORGERIES = {
    "a settlement line that gives back more": (WagersSettled, richer, ROUND, (Code.RULES, ROUND)),
    "a settlement line that gives back more than the ledger moved": (WagersSettled, richer, ROUND, (Code.SETTLEMENT_MISMATCH, LEDGER)),
    "events that do not follow from the command": (WagersSettled, richer, ROUND, (Code.DIFFERS, ROUND)),
    "a round changed after its table wrote it down": (WagersSettled, richer, ROUND, (Code.WRONG_FINAL_DIGEST, ROUND)),
    "a ledger line that moves more": (StakesSettled, richer, LEDGER, (Code.SETTLEMENT_MISMATCH, LEDGER)),
    "postings that do not follow the lines": (StakesSettled, richer, LEDGER, (Code.UNBALANCED, LEDGER)),
    "a settlement that the ledger never made": (StakesSettled, gone, LEDGER, (Code.SETTLEMENT_MISSING, ROUND)),
    "a settlement that the ledger made twice": (StakesSettled, twice, LEDGER, (Code.SETTLEMENT_TWICE, LEDGER)),
    "a settlement that the round never told": (WagersSettled, gone, ROUND, (Code.SETTLEMENT_MISSING, LEDGER)),
    "a settlement that the round told twice": (WagersSettled, twice, ROUND, (Code.SETTLEMENT_TWICE, ROUND)),
    "a stake that was never set aside": (StakeReserved, gone, LEDGER, (Code.STAKE_MISSING, LEDGER)),
    "a stake that was set aside twice": (StakeReserved, twice, LEDGER, (Code.STAKE_TWICE, LEDGER)),
    "another stake set aside": (StakeReserved, but(minor=1), LEDGER, (Code.STAKE_MISMATCH, LEDGER)),
    "a wager that was never placed": (WagerPlaced, gone, ROUND, (Code.STAKE_MISMATCH, LEDGER)),
    "a reserve that leaves escrow behind": (StakesSettled, gone, LEDGER, (Code.ESCROW_LEFT, LEDGER)),
    "a deposit out of nothing": (Deposited, but(postings=()), LEDGER, (Code.UNBALANCED, LEDGER)),
    "a table that forgot a round": (RoundRecorded, gone, TABLE, (Code.UNRECORDED_ROUND, ROUND)),
    "a round that was never called": (RoundCalled, gone, TABLE, (Code.UNRECORDED_ROUND, TABLE)),
    "another digest written down": (RoundRecorded, but(digest="ab"), TABLE, (Code.WRONG_FINAL_DIGEST, ROUND)),
    "another outcome written down": (RoundRecorded, but(outcome="void"), TABLE, (Code.WRONG_FINAL_DIGEST, ROUND)),
    "a name that is no round's": (RoundRecorded, but(round="nowhere"), TABLE, (Code.UNRECORDED_ROUND, TABLE)),
    "a round opened otherwise than called": (RoundOpened, but(root="ab"), ROUND, (Code.WRONG_CAUSE, ROUND)),
    "a round that was told of another root": (RoundOpened, but(root="ab"), ROUND, (Code.ROOT_MISMATCH, ROUND)),
    "a table that was told of another root": (ShoeMounted, but(root="ab"), TABLE, (Code.ROOT_MISMATCH, TABLE)),
    "a shoe that was prepared with another root": (ShoePrepared, but(root="ab"), SHOE, (Code.ROOT_MISMATCH, SHOE)),
    "a round without an end": (RoundSettled, gone, ROUND, (Code.WRONG_FINAL_DIGEST, ROUND)),
    "a day closed with other rounds": (DayClosed, but(rounds=7), TABLE, (Code.UNENDED_ROUND, TABLE)),
    "another card on the felt": (CardDealt, but(card="2H"), ROUND, (Code.CARD_MISMATCH, ROUND)),
    "a card from another place of the shoe": (CardDealt, but(index=300), ROUND, (Code.CARD_MISMATCH, ROUND)),
    "a card that was dealt twice": (CardDealt, twice, ROUND, (Code.CARD_TWICE, ROUND)),
    "a card that was never dealt": (CardDealt, gone, ROUND, (Code.CARD_MISMATCH, SHOE)),
    "another hole card": (HoleCardTurned, but(card="2H"), LIVE_ROUND, (Code.CARD_MISMATCH, LIVE_ROUND)),
    "a hole card that the shoe never opened": (CardTurned, gone, LIVE_SHOE, (Code.CARD_MISMATCH, LIVE_ROUND)),
    "cards that never left the shoe": (CardsDrawn, gone, SHOE, (Code.CARD_MISMATCH, ROUND)),
    "cards that left the shoe twice": (CardsDrawn, twice, SHOE, (Code.CARD_TWICE, SHOE)),
    "a burn that did not happen": (CardsBurned, gone, SHOE, (Code.CARD_TWICE, SHOE)),
    "another root committed": (OrderCommitted, but(root="ab" * 32), SHOE, (Code.CARD_MISMATCH, SHOE)),
    "another seed opened": (ShoeRetired, but(seed="ab" * 32), SHOE, (Code.WRONG_ORDER, SHOE)),
    "a seed that is none": (ShoeRetired, but(seed="x"), SHOE, (Code.WRONG_ORDER, SHOE)),
    "a shoe of more decks than anybody can hold": (ShoeShuffled, but(decks=2**62), SHOE, (Code.WRONG_ORDER, SHOE)),
    "a card from before the first": (CardsDrawn, from_before_the_first, SHOE, (Code.WRONG_ORDER, SHOE)),
    "a shoe that counts otherwise": (ShoeRetired, but(drawn=1), SHOE, (Code.CARD_TWICE, SHOE)),
    "a book that begins with other balances": (
        CarriedForward,
        lambda event: [msgspec.structs.replace(event, accounts=event.accounts[1:])],
        f"log.wallet.{NEXT_DAY}",
        (Code.UNBALANCED, f"log.wallet.{NEXT_DAY}.ledger.0"),
    ),
    "money that appears over night": (
        CarriedForward,
        lambda event: [msgspec.structs.replace(event, accounts=())],
        f"log.wallet.{NEXT_DAY}",
        (Code.DAY_CHAIN_BROKEN, f"log.wallet.{NEXT_DAY}.ledger.0"),
    ),
    "a table that played under another version": (RoundOpened, but(semantics=2), ROUND, (Code.OTHER_VERSION, ROUND)),
    "a round of a book that the referee does not know": (RoundOpened, but(semantics=2), ROUND, (Code.UNJUDGED, ROUND)),
}


@pytest.mark.parametrize("forgery", list(FORGERIES))
def test_a_forged_event_is_found_though_the_chain_holds(forgery: str):
    """Each check sees what is its business, and names the stream."""
    kind, edit, stream, expected = FORGERIES[forgery]

    assert expected in codes(forged(logs(), kind, edit, stream=stream))


ECHOES: dict[str, tuple[type[Any], dict[str, Any], str]] = {
    "a shoe without its aces": (ShuffleShoe, {"without": ("AS", "AH")}, SHOE),
    "a shoe of fewer decks than were called": (ShuffleShoe, {"decks": 1}, SHOE),
    "fewer cards than were called": (DrawCards, {"faces": ("up",)}, SHOE),
    "a card turned that nobody called": (TurnCard, {"index": 99}, LIVE_SHOE),
    "a shoe mounted that was not prepared": (MountShoe, {"cards": 1}, TABLE),
    "a round opened with other settings": (OpenRound, {"number": 7}, ROUND),
    "a stake asked for that was not wagered": (ReserveStake, {"minor": 1}, LEDGER),
    "a settlement asked for that was not decided": (SettleStakes, {"currency": "EUR"}, LEDGER),
    "a round booked with another outcome": (BookRound, {"outcome": "void"}, LEDGER),
    "a stake asked for in another round": (ReserveStake, {"round": "T2.20261130-000001"}, LEDGER),
    "a settlement asked for in another round": (SettleStakes, {"round": "T2.20261130-000001"}, LEDGER),
    "cards asked for by another round": (DrawCards, {"round": "T2.20261130-000001"}, SHOE),
    "cards from another shoe": (DealCards, {"shoe": "T1-S9"}, ROUND),
    "a reaction that follows from nothing": (AcceptWager, {"cause": None}, ROUND),
    "a reaction that follows from something else": (AcceptWager, {"cause": Cause(LEDGER, 8, 0, 0)}, ROUND),
    "a reaction that follows from what never was": (AcceptWager, {"cause": Cause(LEDGER, 8, 9, 9)}, ROUND),
}


@pytest.mark.parametrize("forgery", list(ECHOES))
def test_a_reaction_that_does_not_say_what_its_cause_says_is_found(forgery: str):
    """Each service decided rightly on what it was told; what it was told was not what had been said."""
    kind, fields, stream = ECHOES[forgery]

    assert (Code.WRONG_CAUSE, stream) in codes(commanded(logs(), kind, **fields))


def test_a_second_reaction_to_the_same_event_is_found():
    """What follows from an event follows once."""
    first = next(one for one in logs() if any(isinstance(told.command, BookRound) for told in read(one).decisions))
    entry = read(first)
    again = tuple(msgspec.structs.replace(told, id=f"again-{told.id}") for told in entry.decisions if isinstance(told.command, BookRound))
    twice_booked = written(first, msgspec.structs.replace(entry, decisions=(*entry.decisions, *again)))

    assert (Code.WRONG_CAUSE, LEDGER) in codes(linked([twice_booked if one is first else one for one in logs()]))


def without(*streams: str) -> list[Stored]:
    """The logs without some streams, as if they had never been there."""
    return linked([one for one in logs() if one.stream not in streams])


def test_a_whole_missing_round_is_found():
    """The table's stream says which rounds there were."""
    assert (Code.MISSING_ROUND, ROUND) in codes(without(ROUND))


def test_a_round_that_lost_its_end_is_found():
    """The table wrote down with which revision the round ended."""
    last = [one for one in logs() if one.stream == ROUND][-1]

    assert (Code.WRONG_FINAL_DIGEST, ROUND) in codes(linked([one for one in logs() if one is not last]))


def test_an_entry_behind_a_round_s_end_is_found():
    """Nothing follows the end of a round."""
    last = [one for one in logs() if one.stream == ROUND][-1]
    further = msgspec.structs.replace(read(last), decisions=(msgspec.structs.replace(read(last).decisions[0], id="more"),))

    assert (Code.WRONG_FINAL_DIGEST, ROUND) in codes(linked([*logs(), written(last, further)]))


def test_an_entry_behind_a_day_s_end_is_found():
    """Nothing is added to a closed book."""
    last = [one for one in logs() if one.stream == LEDGER][-1]
    further = msgspec.structs.replace(read(last), decisions=(msgspec.structs.replace(read(last).decisions[0], id="more"),))

    assert (Code.AFTER_CLOSE, LEDGER) in codes(linked([*logs(), written(last, further)]))


def test_a_day_that_follows_other_bytes_is_found():
    """A day's first entry names the digest of the entry that closed the day before."""
    first = next(one for one in logs() if one.stream == f"log.table.{NEXT_DAY}.T1.table")
    entry = read(first)
    decision = entry.decisions[0]
    command = msgspec.structs.replace(decision.command, follows="ab")
    other = written(first, msgspec.structs.replace(entry, prev="ab", decisions=(msgspec.structs.replace(decision, command=command),)))

    assert (Code.DAY_CHAIN_BROKEN, first.stream) in codes(linked([other if one is first else one for one in logs()]))


def test_a_closing_entry_that_is_gone_is_found():
    """The day that follows names it."""
    last = [one for one in logs() if one.stream == TABLE][-1]

    assert (Code.DAY_CHAIN_BROKEN, TABLE) in codes(linked([one for one in logs() if one is not last]))


def test_the_end_of_a_stream_that_is_gone_is_missed_by_its_effects():
    """A decision names the event that it follows from."""
    last = [one for one in logs() if one.stream == SHOE][-1]

    assert (Code.CAUSE_MISSING, SHOE) in codes(linked([one for one in logs() if one is not last]))


def test_a_log_that_lost_its_end_is_found():
    """The store knows how far each log went."""
    ends = house().ends()
    report = verify(logs()[:-1], Watch(Again()), ends)

    assert (Code.TAIL_MISSING, logs()[-1].log) in {(one.code, one.log) for one in report.findings}


def test_a_message_that_is_gone_leaves_a_gap():
    """The sequences of a log are contiguous."""
    gap = [one for one in found([*logs()[:4], *logs()[5:]]) if one.code == Code.SEQUENCE_GAP]

    assert [(one.log, one.sequence) for one in gap] == [(logs()[4].log, logs()[4].sequence)]


def test_the_logs_may_be_heard_one_after_the_other():
    """Each log has its order; between them any order says the same."""
    by_log = sorted(logs(), key=lambda one: one.log)
    other_way = sorted(logs(), key=lambda one: one.log, reverse=True)

    assert (found(by_log), found(other_way)) == ([], [])


def test_the_report_says_how_much_was_checked():
    """What was not checked is not proved, so the report counts."""
    counts = verify(logs(), Watch(Again()), house().ends()).counts

    assert (counts.entries, counts.rounds_judged, counts.rounds_matched, counts.shoes_opened) == (len(logs()), 4, 4, 4)


def test_cards_count_as_compared_before_their_shoe_is_retired():
    """A dispute is about a round of the shoe that is in use, and its proof says how many cards it compared."""
    played = little_house(3, rounds=1)
    dealt = [
        event
        for one in played.stored
        for decision in read(one).decisions
        for event in decision.events
        if isinstance(event, CardDealt | HoleCardDealt)
    ]
    counts = verify(played.stored, Watch(Again())).counts

    assert (counts.cards_matched, counts.shoes_opened) == (len(dealt), 0)


@pytest.mark.parametrize("book", ["ontario", "live"])
def test_a_shoe_that_ends_inside_a_round_is_followed_into_its_discards(book: str):
    """ON-11.5: the round goes on from the shuffled discards; cards on the layout, the hole card too, are not among them."""
    players = [f"player{number}" for number in range(7)]
    played = WholeHouse(5)
    for player in players:
        played.welcome(player)
    near = profile(book)
    shoe = replace(near.shoe, burns_after_shuffle=1, cutting_card=(Ratio(0, 1), Ratio(1, 52)))
    played.open_table("T1", book, rules=replace(near, decks=1, shoe=shoe))
    rounds = [played.play("T1", players) for _ in range(6)]
    played.end_day()
    report = verify(played.stored, Watch(Again()), played.ends())

    assert (report.findings, report.counts.rounds_judged, any(one.stream.endswith("b") for one in played.stored)) == (
        (),
        len(rounds),
        True,
    )


def test_the_watch_forgets_rounds_that_are_compared():
    """What it holds is bounded by what is open."""
    watch = Watch(Again())
    verify(logs(), watch)

    assert watch.held() == 0


def test_the_watch_forgets_a_day_when_its_books_are_closed():
    """A process that runs for weeks holds two days at most; what comes after is checked as before."""
    watch = Watch(Again())
    first = [one for one in logs() if f".{DAY}." in one.stream]
    verify(first, watch)
    watch.forget_day(DAY)
    report = verify([one for one in logs() if f".{NEXT_DAY}." in one.stream], watch)

    assert (report.findings, watch.days()) == ((), [NEXT_DAY])


def test_one_round_can_be_verified_with_what_concerns_it():
    """Its stream, its table's, its shoes' and the ledger's are enough."""
    heard = [one for one in logs() if one.stream in (ROUND, TABLE, SHOE, LEDGER)]
    report = verify(heard, Watch(Again(), only=frozenset({"T1.20261130-000001"}), whole=False))

    assert (report.findings, report.counts.rounds_judged) == ((), 1)


def test_other_rounds_are_no_business_of_one_round_s_verification():
    """A forgery in another round of the table is found when that one is verified."""
    forgery = forged(logs(), WagersSettled, richer, stream=f"log.table.{DAY}.T1.round.000002")
    heard = [one for one in forgery if one.stream in (ROUND, TABLE, SHOE, LEDGER)]

    assert verify(heard, Watch(Again(), only=frozenset({"T1.20261130-000001"}), whole=False)).findings == ()

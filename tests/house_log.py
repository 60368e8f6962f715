"""A house log made by hand: entries with scripted events, chained and stored as the services would store them.

It needs no service and no server, so that what reads logs can be tested on exactly the events that a test writes down.
"""

from collections.abc import AsyncIterator, Sequence
from typing import Any

from shared.contracts.dealing import CardDealt, CardsCalled, DealCards, DealtCard
from shared.contracts.decisions import DecisionAwaited, Double, HandCompleted, HandDoubled, HandHit, HandSplit, Hit, Split, Stand
from shared.contracts.language import types_of
from shared.contracts.rounds import HandResult, HandsDecided, OpenRound, RoundOpened, RoundSettled
from shared.contracts.subjects import log_day, log_of, round_name
from shared.contracts.table import TableSettings
from shared.contracts.wagers import (
    AcceptWager,
    BettingClosed,
    CloseBetting,
    PlaceWager,
    SettlementLine,
    WagerAccepted,
    WagerPlaced,
    WagersSettled,
)
from shared.kernel.decider import Decider
from shared.kernel.entry import Stored
from shared.kernel.folded import Asked, Folded, Pen, commit, draft
from shared.kernel.messages import HOUSE, Actor
from shared.kernel.money import Ratio
from shared.kernel.profile import DealerRules, DoubleRules, InsuranceRules, Profile, ShoeRules, SplitRules

PEN = Pen("table-1", 1, "0.1.0")
BEGAN_MS = 1_796_090_400_000
"""2026-12-01 02:00:00 UTC, which is 2026-11-30 21:00:00 in Toronto."""

PROFILE = Profile(
    name="ontario",
    book="ON",
    decks=6,
    boxes_max=7,
    boxes_per_player_max=7,
    minimum="5.00",
    maximum="500.00",
    chip_unit="0.01",
    rounding="exact",
    blackjack_pays=Ratio(3, 2),
    dealer=DealerRules(hole_card=False, hits_soft_17=True, peeks_under_ace=False),
    double=DoubleRules(after_split=True, for_less=False, dealer_blackjack_takes="all"),
    split=SplitRules(hands_max=3, ace_hands_max=2, aces_take_one_card=True, dealer_blackjack_takes="all"),
    insurance=InsuranceRules(amount="exactly_half", pays=Ratio(2, 1), even_money=True),
    shoe=ShoeRules(burns_after_shuffle=1, cut=(Ratio(2, 5), Ratio(3, 5)), cutting_card=(Ratio(1, 4), Ratio(1, 3))),
)

SETTINGS = TableSettings(
    operator="house",
    currency="CAD",
    boxes=7,
    minimum_minor=500,
    maximum_minor=50_000,
    dealer="automatic",
    betting_window_ms=15_000,
    decision_ms=15_000,
    reserve_ms=2_000,
    pause_ms=3_000,
)


class HandMadeLogs:
    """The reading half of an event store, over entries that a test wrote."""

    def __init__(self) -> None:
        self.stored: list[Stored] = []
        self._folded: dict[str, Folded[None]] = {}

    def write(self, stream: str, at_ms: int, *decisions: tuple[Any, Actor, Sequence[Any]]) -> None:
        """Append one entry with these decisions: command, actor, events."""
        folded = self._folded.setdefault(stream, Folded(stream=stream, state=None))
        asked = [
            Asked(id=f"{stream}/{folded.revision}/{place}", command=command, actor=actor, received_at_ms=at_ms)
            for place, (command, actor, _) in enumerate(decisions)
        ]
        events = {ask.id: list(decision[2]) for ask, decision in zip(asked, decisions, strict=True)}
        scripted: Decider[None, Any, Any] = Decider(
            "scripted", None, lambda command, state, envelope: events[envelope.id], lambda state, event: None, *types_of(stream)
        )
        drafted = draft(scripted, folded, asked, PEN, now_ms=at_ms)
        self.stored.append(Stored(log=log_of(stream), stream=stream, sequence=len(self.stored) + 1, stored_at_ms=at_ms, data=drafted.data))
        commit(folded, drafted, len(self.stored))

    async def logs(self, service: str) -> list[str]:
        """Return the logs of a service."""
        return sorted({log_of(each.stream) for each in self.stored if log_day(log_of(each.stream))[0] == service})

    async def read(self, log: str, *, pattern: str | None = None, after: int = 0, upto: int | None = None) -> AsyncIterator[Stored]:
        """Yield the entries of a log, of the streams that match."""
        for each in self.stored:
            if log_of(each.stream) == log and (pattern is None or matches(pattern, each.stream)) and each.sequence > after:
                yield each


def matches(pattern: str, stream: str) -> bool:
    """Return whether a subject filter takes a stream."""
    wanted, given = pattern.split("."), stream.split(".")
    if wanted[-1] == ">":
        return len(given) >= len(wanted) and all(want in ("*", have) for want, have in zip(wanted[:-1], given, strict=False))
    return len(wanted) == len(given) and all(want in ("*", have) for want, have in zip(wanted, given, strict=True))


ANN = Actor("player", "ann")
BOB = Actor("player", "bob")
SPLIT_ROUND = "T1.20261130-000042"


def wager(id: str, player: str, box: int, stake: int, *, kind: Any = "main", hand: int = 1, at_ms: int = 0) -> WagerPlaced:
    """Return a wager as it is written down."""
    return WagerPlaced(
        wager=id, player=player, box=box, hand=hand, kind=kind, stake_minor=stake, currency="CAD", reserve_by_ms=BEGAN_MS + at_ms + 2_000
    )


def card(box: int, card: str, index: int, hand: int = 1) -> CardDealt:
    """Return a dealt card."""
    return CardDealt(box=box, hand=hand, card=card, shoe="T1-S3", index=index)


def deal(call_no: int, *cards: tuple[int, str]) -> DealCards:
    """Return the shoe's answer to a call."""
    return DealCards(call_no=call_no, shoe="T1-S3", cards=tuple(DealtCard(index=index, card=face) for index, face in cards))


def turn(number: int, box: int, hand: int, player: str, at_ms: int) -> DecisionAwaited:
    """Return whose turn it is."""
    return DecisionAwaited(number=number, box=box, hand=hand, player=player, until_ms=BEGAN_MS + at_ms + 15_000)


def opened(round: str, at_ms: int = BEGAN_MS) -> tuple[OpenRound, RoundOpened]:
    """Return a round's opening, asked and done."""
    name = round_name(round)
    common = {"round": round, "number": name.number, "table": name.table, "day": name.day, "profile": PROFILE, "settings": SETTINGS}
    fields: dict[str, Any] = {**common, "shoe": "T1-S3", "root": "5f" * 32}
    return OpenRound(**fields), RoundOpened(**fields, semantics=1, betting_until_ms=at_ms + 15_000)


def split_round(logs: HandMadeLogs) -> None:
    """Write a round in which ann splits eights and doubles one of them, and bob is bust."""
    stream = round_name(SPLIT_ROUND).stream
    r = SPLIT_ROUND

    def at(ms: int, *decisions: tuple[Any, Actor, Sequence[Any]]) -> None:
        logs.write(stream, BEGAN_MS + ms, *decisions)

    open_round, round_opened = opened(r)
    at(0, (open_round, HOUSE, [round_opened]))
    at(
        1_250,
        (PlaceWager(round=r, box=2, stake_minor=1000), ANN, [wager("w1", "ann", 2, 1000)]),
        (PlaceWager(round=r, box=5, stake_minor=2000), BOB, [wager("w2", "bob", 5, 2000)]),
    )
    at(1_300, (AcceptWager(wager="w1"), HOUSE, [WagerAccepted(wager="w1")]), (AcceptWager(wager="w2"), HOUSE, [WagerAccepted(wager="w2")]))
    at(15_000, (CloseBetting(), HOUSE, [BettingClosed(), CardsCalled(call_no=1, shoe="T1-S3", faces=("up",) * 5)]))
    at(
        15_040,
        (
            deal(1, (17, "8H"), (18, "TS"), (19, "6C"), (20, "8C"), (21, "6D")),
            HOUSE,
            [card(2, "8H", 17), card(5, "TS", 18), card(0, "6C", 19), card(2, "8C", 20), card(5, "6D", 21), turn(1, 2, 1, "ann", 15_040)],
        ),
    )
    at(18_500, (Split(round=r, box=2, hand=1), ANN, [wager("w3", "ann", 2, 1000, kind="split", at_ms=18_500)]))
    at(
        18_540,
        (
            AcceptWager(wager="w3"),
            HOUSE,
            [WagerAccepted(wager="w3"), HandSplit(box=2, hand=1, wager="w3"), CardsCalled(call_no=2, shoe="T1-S3", faces=("up",))],
        ),
    )
    at(18_580, (deal(2, (22, "3S")), HOUSE, [card(2, "3S", 22), turn(2, 2, 1, "ann", 18_580)]))
    at(21_000, (Double(round=r, box=2, hand=1), ANN, [wager("w4", "ann", 2, 1000, kind="double", at_ms=21_000)]))
    at(
        21_030,
        (
            AcceptWager(wager="w4"),
            HOUSE,
            [WagerAccepted(wager="w4"), HandDoubled(box=2, hand=1, wager="w4"), CardsCalled(call_no=3, shoe="T1-S3", faces=("up",))],
        ),
    )
    at(
        21_060,
        (
            deal(3, (23, "KD")),
            HOUSE,
            [card(2, "KD", 23), HandCompleted(box=2, hand=1, how="doubled"), CardsCalled(call_no=4, shoe="T1-S3", faces=("up",))],
        ),
    )
    at(21_100, (deal(4, (24, "AS")), HOUSE, [card(2, "AS", 24, hand=2), turn(3, 2, 2, "ann", 21_100)]))
    at(24_000, (Stand(round=r, box=2, hand=2), ANN, [HandCompleted(box=2, hand=2, how="stood"), turn(4, 5, 1, "bob", 24_000)]))
    at(26_000, (Hit(round=r, box=5, hand=1), BOB, [HandHit(box=5, hand=1), CardsCalled(call_no=5, shoe="T1-S3", faces=("up",))]))
    at(
        26_040,
        (
            deal(5, (25, "9C")),
            HOUSE,
            [card(5, "9C", 25), HandCompleted(box=5, hand=1, how="bust"), CardsCalled(call_no=6, shoe="T1-S3", faces=("up",))],
        ),
    )
    at(
        26_080,
        (
            deal(6, (26, "QH"), (27, "4D")),
            HOUSE,
            [
                card(0, "QH", 26),
                card(0, "4D", 27),
                HandsDecided(
                    dealer_cards=("6C", "QH", "4D"),
                    dealer_total=20,
                    hands=(
                        HandResult(box=2, hand=1, cards=("8H", "3S", "KD"), total=21, soft=False, result="win"),
                        HandResult(box=2, hand=2, cards=("8C", "AS"), total=19, soft=True, result="lose"),
                        HandResult(box=5, hand=1, cards=("TS", "6D", "9C"), total=25, soft=False, result="bust"),
                    ),
                ),
                WagersSettled(
                    currency="CAD",
                    lines=(
                        line("w1", "ann", 2, 1, "main", 1000, 2000),
                        line("w4", "ann", 2, 1, "double", 1000, 2000),
                        line("w3", "ann", 2, 2, "split", 1000, 0),
                        line("w2", "bob", 5, 1, "main", 2000, 0),
                    ),
                ),
                RoundSettled(staked_minor=5000, returned_minor=4000, shoes=("T1-S3",), cutting_card_out=False),
            ],
        ),
    )


def line(wager: str, player: str, box: int, hand: int, kind: Any, stake: int, returned: int) -> SettlementLine:
    """Return what one wager gives back."""
    return SettlementLine(wager=wager, player=player, box=box, hand=hand, kind=kind, stake_minor=stake, returned_minor=returned)

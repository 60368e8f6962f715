"""The walk: one random movement after the other, through the ledger's own decider and into the till, and both compared.

Whether something is allowed is compared each time; every balance now and then, at the end of each day, and at the end.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

from services.wallet.domain.carrying import beginning
from services.wallet.domain.ledger import LEDGER
from services.wallet.domain.state import Ledger
from shared.contracts.cage import (
    ApproveAdjustment,
    BlockAccount,
    DeclineAdjustment,
    Deposit,
    MovementRefused,
    OpenAccount,
    ProposeAdjustment,
    UnblockAccount,
    Withdraw,
)
from shared.contracts.caps import AdjustmentCap
from shared.contracts.promo import CancelPromo, GrantPromo
from shared.contracts.stakes import (
    BookRound,
    CorrectedStake,
    CorrectStakes,
    ReleaseStake,
    ReserveStake,
    SettledStake,
    SettleStakes,
    StakeRefused,
)
from shared.contracts.wallet import CloseBook, OpenBook
from shared.kernel.messages import Actor, Envelope
from tests.movements.till import Slip, Till

PLAYERS = tuple(f"p{number}" for number in range(30))
CURRENCIES = ("CAD", "JPY", "KWD")
MOST = 5_000
CAPS = tuple(AdjustmentCap(currency=currency, minor=MOST) for currency in CURRENCIES)
PERSONS = (Actor("staff", "manager", "duty_manager"), Actor("staff", "pit", "pit_boss"))
LOOK_EVERY = 2_000
DAY_EVERY = 20_000
FIRST_DAY = 20_000_101
PAID_MAX = 500


Heard = Callable[[str, Any, list[Any], Actor], str]
"""Is told of each decision that had consequences, the gaming day, the command, its events and whose it was; says its entry's digest."""


class Walk:
    """A ledger, a till for each currency, and the dice."""

    def __init__(self, seed: int, *, day_every: int = DAY_EVERY, heard: Heard = lambda *_: "") -> None:
        self.day_every = day_every
        self.heard = heard
        self.follows = ""
        self.dice = random.Random(seed)
        self.ledger: Ledger = LEDGER.initial
        self.tills = {currency: Till() for currency in CURRENCIES}
        self.rounds = 0
        self.day = FIRST_DAY
        self.corrected: dict[str, int] = {}
        self._do(OpenBook(day=str(self.day), caps=CAPS))
        for currency in CURRENCIES:
            for player in PLAYERS:
                self._do(OpenAccount(player=player, operator="north", currency=currency))

    def steps(self, count: int) -> Iterator[int]:
        """Make so many movements, and yield how many were made now and then; raise `AssertionError` where the two differ."""
        moves: tuple[Callable[[str, Till], None], ...] = (
            *(self._wager,) * 10,
            *(self._end,) * 9,
            *(self._cage,) * 4,
            *(self._correct,) * 2,
            self._adjust,
            self._redeem,
            self._block,
        )
        for made in range(1, count + 1):
            currency = self.dice.choice(CURRENCIES)
            self.dice.choice(moves)(currency, self.tills[currency])
            if made % self.day_every == 0:
                self._night()
            if made % LOOK_EVERY == 0 or made == count:
                self._compare()
                yield made

    def _cage(self, currency: str, till: Till) -> None:
        player, minor = self.dice.choice(PLAYERS), self.dice.randint(1, MOST)
        about: dict[str, Any] = {"player": player, "currency": currency, "minor": minor}
        kind = self.dice.choice((Deposit, Deposit, Withdraw, GrantPromo, CancelPromo))
        done = {Deposit: till.deposit, Withdraw: till.withdraw, GrantPromo: till.grant, CancelPromo: till.cancel}
        self._same(kind(**about), done[kind](player, minor))

    def _wager(self, currency: str, till: Till) -> None:
        if not till.felt or self.dice.random() < 0.3:
            self.rounds += 1
        wager = (f"T1.{self.day}-{self.rounds}", f"w{self.dice.getrandbits(60)}")
        player, minor, promotional = self.dice.choice(PLAYERS), self.dice.randint(1, MOST // 5), self.dice.random() < 0.5
        command = ReserveStake(
            wager=wager[1], round=wager[0], player=player, currency=currency, minor=minor, **{"promotional": True} if promotional else {}
        )
        self._same(command, till.reserve(wager, player, minor, promotional=promotional))

    def _end(self, currency: str, till: Till) -> None:
        """Settle a round's stakes or give one back, whatever round lies there longest."""
        if not till.felt:
            return
        round = next(iter(till.felt))[0]
        wagers = [wager for wager in till.felt if wager[0] == round]
        if self.dice.random() < 0.2:
            self._do(ReleaseStake(round=round, wager=wagers[0][1]))
            till.release(wagers[0])
            return
        lines = []
        for wager in wagers:
            slip = till.felt[wager]
            back, rounding = self._outcome(slip)
            lines.append(
                SettledStake(
                    wager=wager[1], player=slip.player, stake_minor=slip.stake, returned_minor=back, **_said(rounding_minor=rounding)
                )
            )
            till.settle(wager, back, rounding)
        self._do(SettleStakes(round=round, currency=currency, lines=tuple(lines)))
        if self.dice.random() < 0.2:
            self._do(SettleStakes(round=round, currency=currency, lines=tuple(lines)))

    def _outcome(self, slip: Slip) -> tuple[int, int]:
        won = self.dice.choice((0, 0, 2, 2, 4, 5))
        back = (slip.stake * won + 1) // 2
        return back, self.dice.randint(0, 1) if won == 5 else 0

    def _correct(self, currency: str, till: Till) -> None:
        """Settle a wager anew that was settled today."""
        if not till.paid:
            return
        wager = self.dice.choice(tuple(till.paid))
        slip = till.paid[wager]
        back, rounding = self._outcome(slip)
        line = CorrectedStake(
            wager=wager[1],
            player=slip.player,
            settled_minor=slip.back,
            returned_minor=back,
            **_said(settled_rounding_minor=slip.rounding, rounding_minor=rounding),
        )
        number = self.corrected[wager[0]] = self.corrected.get(wager[0], 0) + 1
        till.correct(wager, back, rounding)
        command = CorrectStakes(round=wager[0], number=number, currency=currency, lines=(line,))
        self._do(command)
        self._do(command)
        while len(till.paid) > PAID_MAX:
            del till.paid[next(iter(till.paid))]

    def _adjust(self, currency: str, till: Till) -> None:
        player, minor = self.dice.choice(PLAYERS), self.dice.choice((-1, 1)) * self.dice.randint(1, MOST)
        (proposed,) = self._do(ProposeAdjustment(player=player, currency=currency, minor=minor, reason="goodwill"))
        self._same(ApproveAdjustment(adjustment=proposed.adjustment), till.adjust(player, minor), by=PERSONS[1])

    def _redeem(self, currency: str, till: Till) -> None:
        """Propose that promotional money becomes cash, and take some of it back in between now and then."""
        player, minor = self.dice.choice(PLAYERS), self.dice.randint(1, MOST)
        proposed = self._do(ProposeAdjustment(player=player, currency=currency, minor=minor, reason="promo_redeemed"))
        if isinstance(proposed[0], MovementRefused):
            assert till.holds[f"{player} promo"] < minor, "only what is not there cannot be redeemed"
            return
        if self.dice.random() < 0.2:
            self._same(CancelPromo(player=player, currency=currency, minor=minor), till.cancel(player, minor))
        redeemed = till.redeem(player, minor)
        self._same(ApproveAdjustment(adjustment=proposed[0].adjustment), redeemed, by=PERSONS[1])
        if not redeemed:
            self._do(DeclineAdjustment(adjustment=proposed[0].adjustment))

    def _block(self, _: str, till: Till) -> None:
        """Block a player, or let a blocked one play again: in all currencies."""
        blocked = till.blocked
        if blocked and self.dice.random() < 0.6:
            player = self.dice.choice(sorted(blocked))
            self._do(UnblockAccount(player=player, reason="debt", because="cleared"))
        else:
            player = self.dice.choice(PLAYERS)
            if player in blocked:
                return
            self._do(BlockAccount(player=player, reason="debt"))
        for each in self.tills.values():
            each.blocked ^= {player}

    def _night(self) -> None:
        """Book the rounds that are over, close the book, and open the next day's."""
        lying = {wager[0] for till in self.tills.values() for wager in till.felt}
        for round in [round for round in self.ledger.rounds if round not in lying]:
            self._do(BookRound(round=round, outcome="settled"))
        self._do(CloseBook(next_day=str(self.day + 1)))
        self._compare()
        closed, self.ledger, self.day = self.ledger, LEDGER.initial, self.day + 1
        for _, command in beginning(closed, {}, self.follows, CAPS):
            self._do(command)
        self.corrected = {}
        for till in self.tills.values():
            till.paid.clear()
            till.lent.clear()

    def _do(self, command: Any, *, by: Actor = PERSONS[0]) -> list[Any]:
        events = LEDGER.decide(command, self.ledger, Envelope("id", by, 0, 0))
        self.ledger = LEDGER.after(self.ledger, events)
        if events:
            self.follows = self.heard(str(self.day), command, events, by)
        return events

    def _same(self, command: Any, allowed: bool, *, by: Actor = PERSONS[0]) -> None:
        refused = any(isinstance(event, MovementRefused | StakeRefused) for event in self._do(command, by=by))
        assert refused is not allowed, f"{command}: the till says {'yes' if allowed else 'no'}, the ledger otherwise"

    def _compare(self) -> None:
        """Every account holds what the till says, and all of a currency come to nothing."""
        for currency, till in self.tills.items():
            found: dict[str, int] = {}
            for name, account in self.ledger.accounts[currency].items():
                key = _key(name)
                found[key] = found.get(key, 0) + (-account.minor if key.endswith(" owes") else account.minor)
            expected = {key: minor for key, minor in till.holds.items() if minor}
            assert {key: minor for key, minor in found.items() if minor} == expected, f"the accounts in {currency} differ"
            assert self.ledger.total(currency) == 0, f"{currency} does not come to nothing"


def _key(account: str) -> str:
    """Return what the till calls an account."""
    whose, *rest = account.split("/")
    if whose == "player":
        return f"{rest[0]} {'owes' if rest[1] == 'owed' else rest[1]}"
    return {"round": "felt", "outside": "outside"}.get(whose) or {"win": "win", "rounding": "rounding", "promo": "gifts"}[rest[0]]


def _said(**minor: int) -> dict[str, Any]:
    """Return amounts as messages say them, nothing left out."""
    return {name: each for name, each in minor.items() if each}

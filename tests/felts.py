"""Felts made by hand, and a house that shows them to whoever plays."""

import asyncio
from typing import Any

import msgspec

from services.table.views import Felt, FeltBox, FeltHand, FeltTurn, FeltWager
from services.wallet.views import Amount, Balance
from shared.kernel.cards import total
from shared.kernel.messages import ACCEPTED

ROUND = "T1.20261130-000001"


def felt(phase: Any, **changes: Any) -> Felt:
    """Return an empty felt of T1 in some phase, with changes."""
    empty = Felt(
        table="T1",
        table_phase="open",
        profile="ontario",
        notices=(),
        currency="CAD",
        minimum_minor=500,
        maximum_minor=50_000,
        box_count=7,
        round=ROUND,
        phase=phase,
        betting_until_ms=None,
        boxes=(),
        dealer_cards=(),
        dealer_total=0,
        dealer_soft=False,
        hole_card=False,
        turn=None,
        insurance_until_ms=None,
        legal=(),
        lines=(),
        void_reason="",
    )
    return msgspec.structs.replace(empty, **changes)


def box(number: int, player: str, stake_minor: int, cards: str = "", *, legal: tuple[str, ...] = (), result: Any = None) -> FeltBox:
    """Return a box with one hand, or with a wager alone."""
    held = tuple(cards.split())
    points, soft = total(held)
    hand = FeltHand(hand=1, cards=held, total=points, soft=soft, end=None, result=result)
    stake = FeltWager(wager="w", player=player, kind="main", hand=1, stake_minor=stake_minor, pending=False)
    return FeltBox(box=number, player=player, wagers=(stake,), hands=(hand,) if held else (), legal=legal, answered=None)


def turn(number: int, player: str, until_ms: int = 0) -> FeltTurn:
    """Return whose turn it is."""
    return FeltTurn(number=1, box=number, hand=1, player=player, until_ms=until_ms)


class ScriptedHouse:
    """A connection to a house that shows the next felt after each command that it is given."""

    def __init__(self, *felts: Felt) -> None:
        self.felts = list(felts)
        self.asked: list[Any] = []
        self._shown: asyncio.Queue[bytes] = asyncio.Queue()

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Answer a question, or take a command and go on."""
        if subject.startswith("query.wallet."):
            amount = Amount(currency="CAD", operator="house", available_minor=9_000, set_aside_minor=1_000)
            return msgspec.json.encode(Balance(player="ann", amounts=(amount,)))
        if subject.startswith("query.table."):
            return msgspec.json.encode(self.felts[0])
        self.asked.append(msgspec.json.decode(data)["command"])
        self.felts.pop(0)
        self._shown.put_nowait(msgspec.json.encode(self.felts[0]))
        return msgspec.json.encode(ACCEPTED)

    async def watch(self, subject: str) -> "ScriptedHouse":
        """Watch what is shown."""
        return self

    async def next(self, *, timeout_s: float) -> bytes | None:
        """Return the next picture."""
        return await self._shown.get()

    async def close(self) -> None:
        """Leave."""

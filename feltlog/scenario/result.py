"""The result of a scenario: what lay on the layout, what each wager gave back, who is awaited, and what was refused.

The order of the rows is part of the format: hands by box and number, wagers by box, hand and the order in which they lie,
then insurance and side bets, players by their first accepted wager.
"""

from msgspec import Struct

from feltlog.scenario.enactment import Enactment, RefusedStep, RefusedWager
from feltlog.scenario.text import Invalid
from services.table.domain.asking import Ask, asked
from services.table.domain.evolve import place_of
from services.table.domain.hand import Hand, hand_of
from services.table.domain.playing import options
from services.table.domain.settlement import result as outcome_of
from services.table.domain.settlement import returned as returned_by
from services.table.domain.state import Insurance, Over, Playing, Wager
from shared.contracts.wagers import SIDE_BETS, SettlementLine
from shared.kernel.money import decimal

WORDS = {"decline": "decline_insurance"}
"""How a scenario says what the felt says otherwise."""
DO = ("insure", "decline_insurance", "even_money", "hit", "stand", "double", "split")
"""The order in which a scenario lists what may be done."""
BEHIND_HANDS = 99
"""Insurance stands behind everything that lies on a hand, and side bets behind that."""
ON_HAND = ("main", "split", "double")


class Fault(Struct, frozen=True):
    """Why a file is no scenario."""

    code: str
    path: str
    message: str


class NotPlayed(Struct, frozen=True):
    """The result of a file that is no valid scenario."""

    name: str
    outcome: str
    error: Fault


class DealerRow(Struct, frozen=True):
    """The dealer's open cards; `blackjack` is null until it is known."""

    cards: str
    total: int
    soft: bool
    blackjack: bool | None


class HandRow(Struct, frozen=True):
    """A hand; `result` is null until it is decided."""

    box: int
    hand: int
    cards: str
    total: int
    soft: bool
    result: str | None


class WagerRow(Struct, frozen=True):
    """An accepted wager; `returned` includes the stake and is null until it is decided."""

    player: str
    box: int
    hand: int | None
    kind: str
    stake: str
    returned: str | None


class PlayerRow(Struct, frozen=True):
    """What a player put at risk and got back; both last are null until all of it is decided."""

    staked: str
    returned: str | None
    net: str | None


class Asked(Struct, frozen=True):
    """Who is awaited, on which hand, and what may be said, in the order of the steps' words."""

    box: int
    hand: int
    player: str
    legal: tuple[str, ...]


class Awaited(Struct, frozen=True):
    """What the round waits for."""

    what: str
    who: tuple[Asked, ...]


class Played(Struct, frozen=True):
    """The result of a scenario that was played."""

    name: str
    outcome: str
    dealer: DealerRow | None
    hands: tuple[HandRow, ...]
    wagers: tuple[WagerRow, ...]
    players: dict[str, PlayerRow]
    refused: tuple[RefusedWager | RefusedStep, ...]
    awaiting: Awaited | None
    cards_used: int


Result = Played | NotPlayed


def not_played(name: str, why: Invalid) -> NotPlayed:
    """Return the result of a file that is no valid scenario."""
    return NotPlayed(name, "invalid", Fault(why.code, why.path, why.message))


def played(name: str, enacted: Enactment) -> Played:
    """Return the result of an enactment, as far as its scenario goes."""
    round_ = enacted.round
    assert isinstance(round_, Playing | Over), "betting is closed"
    outcome = "awaiting" if isinstance(round_, Playing) else "void" if round_.void else "settled"
    rows = _wagers(enacted, round_)
    return Played(
        name,
        outcome,
        _dealer(round_),
        tuple(_hand(enacted.as_its_players_see(hand), round_) for hand in round_.hands),
        tuple(row for row, _ in rows),
        _players(enacted, rows),
        tuple(enacted.refused),
        _awaited(enacted, round_) if isinstance(round_, Playing) else None,
        enacted.cards_used,
    )


def _dealer(round_: Playing | Over) -> DealerRow | None:
    dealer = round_.dealer
    if dealer is None:
        return None
    known: bool | None = dealer.is_blackjack
    if isinstance(round_, Playing) and len(dealer.cards) < 2:
        known = round_.peeked if _may_be_blackjack(dealer) else False
    return DealerRow(" ".join(dealer.cards), dealer.points, dealer.soft, known)


def _may_be_blackjack(dealer: Hand) -> bool:
    """Whether one more card can make the dealer's a blackjack."""
    return len(dealer.cards) == 1 and dealer.points in (10, 11)


def _hand(hand: Hand, round_: Playing | Over) -> HandRow:
    return HandRow(hand.box, hand.number, " ".join(hand.cards), hand.points, hand.soft, _result(hand, round_))


def _result(hand: Hand, round_: Playing | Over) -> str | None:
    """Return how a hand came out, None until it is decided (decisions 1 and 5)."""
    if isinstance(round_, Over):
        return "void" if round_.void else next(row.result for row in round_.results if (row.box, row.hand) == (hand.box, hand.number))
    if hand.end in ("bust", "even_money", "dead"):
        return hand.end
    if hand.end == "blackjack" and _cannot_be_matched(round_):
        return "blackjack"
    return None


def _cannot_be_matched(round_: Playing) -> bool:
    """Whether no dealer blackjack can come any more."""
    return round_.peeked is False or not (_may_be_blackjack(round_.dealer) or round_.dealer.is_blackjack)


def _wagers(enacted: Enactment, round_: Playing | Over) -> list[tuple[WagerRow, int | None]]:
    """Return a row for each accepted wager with what it returns, in the order of the format."""
    open_wagers = round_.wagers if isinstance(round_, Playing) else ()
    known = [(line, line.returned_minor) for line in round_.lines] + [(wager, _decided(wager, round_)) for wager in open_wagers]
    known.sort(key=lambda row: _place(row[0], enacted))
    return [(_row(wager, back, enacted.currency), back) for wager, back in known]


def _decided(wager: Wager, round_: Playing | Over) -> int | None:
    """Return what a wager that is not settled yet will give back, if that is decided."""
    if not isinstance(round_, Playing) or wager.kind not in ON_HAND:
        return None
    hand = next(hand for hand in round_.hands if (hand.box, hand.number) == (wager.box, wager.hand))
    result = _result(hand, round_)
    return None if result is None else returned_by(wager, outcome_of(hand, hand_of()), round_)


def _place(wager: Wager | SettlementLine, enacted: Enactment) -> tuple[int, int, int, int]:
    """Return where a wager's row stands: by box, hand and how near the dealer it lies, a double behind what it doubles."""
    row = wager.hand if wager.kind in ON_HAND else BEHIND_HANDS + (wager.kind != "insurance")
    return (wager.box, row, enacted.lies(wager.box, wager.player), wager.kind == "double")


def _row(wager: Wager | SettlementLine, back: int | None, currency: str) -> WagerRow:
    hand = wager.hand if wager.kind in ON_HAND else None
    returned = None if back is None else decimal(back, currency)
    kind = f"side:{wager.kind}" if wager.kind in SIDE_BETS else wager.kind
    return WagerRow(wager.player, wager.box, hand, kind, decimal(wager.stake_minor, currency), returned)


def _players(enacted: Enactment, rows: list[tuple[WagerRow, int | None]]) -> dict[str, PlayerRow]:
    currency = enacted.currency
    staked: dict[str, int] = {}
    for wager in enacted.placed.values():
        staked[wager.player] = staked.get(wager.player, 0) + wager.stake_minor
    found = {}
    for player, stake in staked.items():
        backs = [back for row, back in rows if row.player == player]
        known = [back for back in backs if back is not None]
        if len(known) < len(backs):
            found[player] = PlayerRow(decimal(stake, currency), None, None)
        else:
            found[player] = PlayerRow(decimal(stake, currency), decimal(sum(known), currency), decimal(sum(known) - stake, currency))
    return found


def _awaited(enacted: Enactment, round_: Playing) -> Awaited | None:
    asks = asked(round_)
    if not asks:
        return None
    what = "insurance" if isinstance(round_.awaiting, Insurance) else "decision"
    return Awaited(what, tuple(Asked(ask.box, ask.hand, ask.player, _said(_words(ask, enacted, round_))) for ask in asks))


def _words(ask: Ask, enacted: Enactment, round_: Playing) -> tuple[str, ...]:
    """Return what may be said; of a hand that lies face down, what may be said once its first word has turned it up."""
    if "expose" not in ask.legal:
        return ask.legal
    hand = round_.hands[place_of(round_.hands, ask.box, ask.hand)]
    return options(enacted.as_its_players_see(hand), round_)


def _said(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return what may be said, in the words and the order of a scenario."""
    legal = {WORDS.get(word, word) for word in words}
    return tuple(word for word in DO if word in legal)

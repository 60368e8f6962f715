"""`engine` and `engine-logged`: whole rounds of one seat, against blackjack21 playing the same.

Both play basic strategy with eight decks, a dealer who stands on all 17, doubles on any two cards, after splits as well, and
one split at most.  Both shuffle with `random.shuffle` behind three quarters of the shoe.  What differs is told in
docs/benchmarks.md.
"""

from collections.abc import Callable
from typing import Any

from blackjack21 import Table
from blackjack21.deck import Deck
from blackjack21.players import GameState
from blackjack21.table import DEFAULT_SUITS, shoe_reset_hook
from blackjack21.utils import calculate_hand

from tests.benchmarks.pairing import paired, per_cpu_second
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.seat import CUT, DECKS, STAKE_MINOR, Logged, Shoe, Unlogged, play
from tests.benchmarks.strategy import word

HANDS_MAX = 2
PEER = "blackjack21"


def _rounds_of(log: Callable[[int], Unlogged | Logged]) -> Callable[[int], None]:
    shoe = Shoe()

    def rounds(amount: int) -> None:
        for number in range(1, amount + 1):
            play(log(number), shoe, number)

    return rounds


def peer_rounds() -> Callable[[int], None]:
    """Return what plays so many rounds at the peer's table."""
    deck = Deck(DEFAULT_SUITS, count=DECKS)
    table = Table([("ann", STAKE_MINOR)], deck, hit_soft_17=False, on_round_reset=shoe_reset_hook(deck, CUT))
    says = {"hit": table.hit, "stand": table.stand, "double": table.double_down, "split": table.split}

    def rounds(amount: int) -> None:
        for _ in range(amount):
            table.start_game()
            while table.state is GameState.PLAYERS_TURN:
                says[_word(table)]()

    return rounds


def _word(table: Any) -> str:
    hand = table.current_hand
    cards = list(hand)
    worth = calculate_hand(cards)
    first = len(cards) == 2
    pair = cards[0].value if first and cards[0].value == cards[1].value and len(table.current_player.hands) < HANDS_MAX else 0
    return word(worth.value, table.dealer_visible_hand[0].value, soft=worth.is_soft, pair=pair, may_double=first)


def _against_peer(bench: str, log: Callable[[int], Unlogged | Logged], at_least: float) -> Callable[[Effort, Tell], list[Row]]:
    def run(effort: Effort, tell: Tell) -> list[Row]:
        ours, theirs = _rounds_of(log), peer_rounds()
        row = paired(
            bench,
            "rounds/s",
            lambda: per_cpu_second(effort.amount, lambda: ours(effort.amount)),
            PEER,
            lambda: per_cpu_second(effort.amount, lambda: theirs(effort.amount)),
            at_least=at_least,
            times=effort.times,
            tell=tell,
        )
        return [row]

    return run


ENGINE = Bench(run=_against_peer("engine", Unlogged, 0.4), amount=500, times=40, about="whole rounds decided and folded")
ENGINE_LOGGED = Bench(run=_against_peer("engine-logged", Logged, 0.35), amount=500, times=40, about="the same, encoded and chained")

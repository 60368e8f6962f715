"""`engine`, `engine-logged` and `engine-drafted`: whole rounds of one seat, against blackjack21 playing the same.

Both play basic strategy with eight decks, a dealer who stands on all 17, doubles on any two cards, after splits as well, and
one split at most.  Both shuffle with `random.shuffle` behind three quarters of the shoe.  What differs is told in
docs/benchmarks.md.
"""

from collections.abc import Callable
from typing import Any

from blackjack21 import DEFAULT_SUITS, Action, Deck, GameResult, GameState, Table, shoe_reset_hook

from tests.benchmarks.pairing import paired, per_cpu_second
from tests.benchmarks.row import Bench, Effort, Row, Tell
from tests.benchmarks.seat import CUT, DECKS, STAKE_MINOR, Drafted, Log, Logged, Shoe, Unlogged, play
from tests.benchmarks.strategy import word

HANDS_MAX = 2
PEER = "blackjack21"


def _rounds_of(log: Callable[[int], Log]) -> Callable[[int], None]:
    shoe = Shoe()

    def rounds(amount: int) -> None:
        for number in range(1, amount + 1):
            play(log(number), shoe, number)

    return rounds


def peer_rounds() -> Callable[[int], None]:
    """Return what plays so many rounds at the peer's table, through what it offers to everybody."""
    deck = Deck(DEFAULT_SUITS, count=DECKS)
    table = Table([("ann", STAKE_MINOR)], deck, hit_soft_17=False, on_round_reset=shoe_reset_hook(deck, CUT))
    says = {"hit": table.hit, "stand": table.stand, "double": table.double_down, "split": table.split}

    def rounds(amount: int) -> None:
        for _ in range(amount):
            table.start_game()
            while table.state is GameState.PLAYERS_TURN:
                says[_word(table)]()
            _pay(table)

    return rounds


def _word(table: Any) -> str:
    hand, options = table.current_hand, table.available_actions()
    if len(table.current_player.hands) == HANDS_MAX:
        options -= {Action.SPLIT}
    total = hand.total
    hard = sum([1 if card.rank == "A" else card.value for card in hand])
    return word(total, hand[0].value, table.dealer_visible_hand[0].value, soft=total != hard, options=options)


def _pay(table: Any) -> list[int]:
    """Return what each hand gets back: the peer says how it ended, and leaves the money to whoever uses it."""
    back = []
    for player in table:
        for hand in player.hands:
            won, staked = PAYS[hand.result]
            back.append(hand.bet * won // staked)
    return back


PAYS = {
    GameResult.BLACKJACK: (5, 2),
    GameResult.PLAYER_WIN: (2, 1),
    GameResult.DEALER_BUST: (2, 1),
    GameResult.PUSH: (1, 1),
    GameResult.DEALER_WIN: (0, 1),
    GameResult.PLAYER_BUST: (0, 1),
}
"""What comes back of a stake."""


def _against_peer(bench: str, log: Callable[[int], Log], at_least: float | None) -> Callable[[Effort, Tell], list[Row]]:
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
ENGINE_DRAFTED = Bench(
    run=_against_peer("engine-drafted", Drafted, None), amount=500, times=40, about="the same, as services write their entries"
)
ENGINE_LOGGED = Bench(run=_against_peer("engine-logged", Logged, 0.35), amount=500, times=40, about="the same, encoded and chained")

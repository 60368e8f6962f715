"""Playing without a screen, and what the screen shows."""

import asyncio
import io

import msgspec
import pytest
from rich.console import Console

from feltlog.client import Client
from feltlog.felt_picture import Sight, choices, parting, picture, shoe_lines, told
from feltlog.keys import END, Keys
from feltlog.session import Session, play_by_lines
from services.table.views import Felt, FeltCut, FeltHand
from shared.contracts.decisions import ExposeHand, Stand
from shared.contracts.shoe import Opening, OwnHand
from shared.contracts.wagers import SettlementLine
from tests.felts import ROUND, ScriptedHouse, box, felt, turn

MINE = ("hit", "stand", "double", "split")
BETTING = felt("betting", betting_until_ms=15_000)
TURN = felt("decision", boxes=(box(1, "ann", 1000, "8H 8C", legal=MINE),), dealer_cards=("6C",), dealer_total=6, turn=turn(1, "ann", 9_000))
DRAWN = felt(
    "decision", boxes=(box(1, "ann", 1000, "8H 8C 2S", legal=MINE[:2]),), dealer_cards=("6C",), dealer_total=6, turn=turn(1, "ann")
)
LINE = SettlementLine(wager="w", player="ann", box=1, hand=1, kind="main", stake_minor=1000, returned_minor=2000)
OVER = felt(
    "settled", boxes=(box(1, "ann", 1000, "8H 8C 2S", result="win"),), dealer_cards=("6C", "TS", "TD"), dealer_total=26, lines=(LINE,)
)


async def play(house: ScriptedHouse, *lines: str) -> None:
    """Play these lines as ann, to the end of the input."""
    session = Session(Client(house, role="player", name="ann"), "T1")
    typed = Keys()
    for line in lines:
        typed.put(line + "\n")
    typed.put(END)
    watching = asyncio.create_task(session.watch())
    await play_by_lines(session, typed, "ann")
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)


def sight(shown: Felt, *, letters: bool = False, typed: str = "") -> Sight:
    """Return all that ann's screen shows of a felt."""
    return Sight(
        felt=shown,
        player="ann",
        balance="90.00 CAD",
        left_ms=5_000,
        full_ms=15_000,
        typed=typed,
        stake="10.00",
        said="",
        letters=letters,
    )


def on_screen(shown: Felt, *, letters: bool = False, typed: str = "") -> str:
    """Return what a screen of 70 columns shows of a felt."""
    console = Console(file=io.StringIO(), width=70, color_system=None, force_terminal=True)
    console.print(picture(sight(shown, letters=letters, typed=typed)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


async def test_a_script_plays_a_round_line_by_line():
    """Each line waits for its moment: the wager for the betting window, each letter for its offer."""
    house = ScriptedHouse(BETTING, TURN, DRAWN, OVER)
    await play(house, "10", "h", "s")

    assert house.asked == [
        {"type": "table.PlaceWager.v1", "round": ROUND, "box": 1, "stake_minor": 1000},
        {"type": "table.Hit.v1", "round": ROUND, "box": 1, "hand": 1},
        {"type": "table.Stand.v1", "round": ROUND, "box": 1, "hand": 1},
    ]


async def test_a_script_is_told_what_it_may_do(capsys):
    """A line for each change of the felt, with the choices and their keys."""
    await play(ScriptedHouse(BETTING, TURN, DRAWN, OVER), "10", "h", "s")
    lines = capsys.readouterr().out.splitlines()

    assert (
        "T1.20261130-000001; Your decision: box 1, hand 1; dealer 6♣  6; box 1 ann 8♥ 8♣ hard 16; "
        "you may: h hit, s stand, d double, p split" in lines
    )


async def test_a_letter_that_is_never_offered_ends_with_the_round(capsys):
    """A script that doubles what cannot be doubled is told so and goes on."""
    house = ScriptedHouse(BETTING, DRAWN, OVER)
    await play(house, "10", "s", "d")

    assert "d: that was not to be chosen in this round." in capsys.readouterr().out


async def test_an_amount_that_is_none_is_told_in_a_sentence(capsys):
    """Nothing is asked of the house."""
    house = ScriptedHouse(BETTING)
    playing = asyncio.create_task(play(house, "10.001"))
    await asyncio.wait([playing], timeout=0.2)
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)

    assert ("finer than the currency" in capsys.readouterr().out, house.asked) == (True, [])


async def test_a_line_that_says_nothing_is_refused_at_once(capsys):
    """It does not wait for a round's end, and what was said about it is not lost behind the next line."""
    await play(ScriptedHouse(BETTING, DRAWN, OVER), "x", "10", "s")
    lines = capsys.readouterr().out.splitlines()

    assert lines.index("  x: neither an amount nor one of t, h, s, d, p, i, n, e.") < lines.index("  10.00 on box 1: accepted.")


class Mute(ScriptedHouse):
    """Says nothing."""

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Let the asker wait."""
        return None


class HouseThatThinks(ScriptedHouse):
    """Shows a wager at once, and says only when it has made up its mind whether it is taken."""

    def __init__(self, *felts: Felt) -> None:
        super().__init__(*felts)
        self.decided = asyncio.Event()

    async def request(self, subject: str, data: bytes, *, timeout_s: float) -> bytes | None:
        """Answer questions at once, and commands when it is decided."""
        answer = await super().request(subject, data, timeout_s=timeout_s)
        if subject.startswith("cmd."):
            await self.decided.wait()
        return answer


async def test_whoever_leaves_behind_a_wager_is_told_what_became_of_it(capsys):
    """`q` right behind an amount: the stake may be in the round, so the answer is waited for and told."""
    house = HouseThatThinks(BETTING, DRAWN)
    playing = asyncio.create_task(play(house, "10", "q"))
    await asyncio.wait([playing], timeout=0.2)
    left = playing.done()
    house.decided.set()
    await playing

    assert (left, capsys.readouterr().out.splitlines()[-1]) == (False, "  10.00 on box 1: accepted.")


async def test_whoever_leaves_behind_a_wager_does_not_wait_for_ever():
    """A house that does not answer in time is said not to."""
    session = Session(Client(Mute(), role="player", name="ann", reply_s=0, patience_s=0), "T1")
    session.felt = BETTING
    session.want("10")
    await session.heard()

    assert session.said.startswith("10.00 on box 1: The house does not answer on ")


async def test_a_key_that_is_not_offered_is_answered():
    """Somebody who presses a key and sees nothing does not know whether it was heard; an arrow is no key of ours."""
    session = Session(Client(ScriptedHouse(), role="player", name="ann"), "T1")
    session.felt = DRAWN
    said = []
    for key in ("p", "\x1b[A"):
        session.said = ""
        session.press(key)
        said.append(session.said)

    assert said == ["p: not to be chosen now.", ""]


async def test_an_amount_that_is_none_is_told_before_its_time_comes():
    """Between rounds too."""
    session = Session(Client(ScriptedHouse(), role="player", name="ann"), "T1")
    session.felt = OVER
    session.want("1..5")

    assert session.said == "'1..5' is not an amount: write digits and at most one point, such as 12.50."


def test_the_screen_shows_cards_clock_and_keys():
    """Everything that a player needs stands on the screen."""
    shown = on_screen(TURN)

    assert [word for word in ("8♥ 8♣", "hard 16", "[h] hit", "[p] split", "5 s", "90.00 CAD", "Your decision") if word not in shown] == []


def test_the_screen_without_suits_shows_letters():
    """8♥ becomes 8h."""
    shown = on_screen(TURN, letters=True)

    assert ("8h 8c" in shown, "8♥" in shown) == (True, False)


def test_the_screen_after_a_round_says_what_it_brought():
    """The difference, not the amount returned."""

    assert "The round is over: +10.00 CAD for you" in on_screen(OVER)


def test_the_screen_shows_what_is_being_typed():
    """An amount that waits for Enter."""

    assert "Wager 12.5_" in on_screen(BETTING, typed="12.5")


def test_the_choices_stay_in_sight_while_an_amount_is_typed():
    """The clock runs for the decision."""
    shown = on_screen(TURN, typed="12.5")

    assert ("[h] hit" in shown, "Wager 12.5_" in shown) == (True, True)


def test_a_hand_whose_clock_ran_out_says_so_to_the_end():
    """The player learns why the hand stood."""
    late = box(1, "ann", 1000, "8H 8C", result="lose")
    hand = msgspec.structs.replace(late.hands[0], end="timed_out")
    over = msgspec.structs.replace(OVER, boxes=(msgspec.structs.replace(late, hands=(hand,)),))

    assert "16 lose, out of time" in on_screen(over)


def test_a_hand_without_cards_is_worth_nothing_yet():
    """Between the last wager and the first card no total is shown."""
    bare = FeltHand(hand=1, cards=(), total=0, soft=False, end=None, result=None)
    waiting = felt("dealing", boxes=(msgspec.structs.replace(box(1, "ann", 1000), hands=(bare,)),))

    assert told(waiting, "ann").endswith("box 1 ann")


def test_the_felt_and_the_balance_stay_when_the_player_leaves():
    """What may be typed does not."""
    console = Console(file=io.StringIO(), width=70, color_system=None, force_terminal=True)
    console.print(parting(sight(OVER)))
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue()

    assert ("26 bust" in shown, "Balance 90.00 CAD" in shown, "leave" in shown) == (True, True, False)


@pytest.mark.parametrize(
    ("phase", "sealed", "told", "line"),
    [
        ("sealing", (), (), ""),
        ("sealing", ("ann", "bob"), (), "ann and bob sealed a secret towards the cut of T1-S2"),
        ("revealing", ("ann", "bob", "cyd"), ("bob",), "T1-S2 is cut as soon as ann and cyd told what was sealed"),
    ],
)
def test_the_screen_shows_what_the_shoes_are_committed_to(phase, sealed, told, line):
    """ADR 0018: whoever notes both roots down can compare later, and sees that their own secret is sealed and told."""
    cut = FeltCut(shoe="T1-S2", root="cd" * 32, phase=phase, sealed=sealed, told=told, until_ms=None)
    console = Console(file=io.StringIO(), width=80, color_system=None, force_terminal=True)
    console.print(picture(sight(felt("betting", shoe="T1-S1", root="ab" * 32, cut=cut))))
    assert isinstance(console.file, io.StringIO)
    lines = [line.rstrip() for line in console.file.getvalue().splitlines()]

    assert ([f"Shoe T1-S1  {'ab' * 32}" in lines, f"Next T1-S2  {'cd' * 32}" in lines], line == "" or line in lines) == ([True, True], True)


def test_the_screen_says_nothing_of_a_shoe_that_is_committed_to_nothing():
    """Before the first shoe is there, and where cards are committed to one by one."""
    cut = FeltCut(shoe="T1-S2", root="", phase="shuffling", sealed=(), told=(), until_ms=None)

    assert shoe_lines(felt("idle", shoe="T1-S1", cut=cut)) == []


def test_nothing_is_to_be_chosen_in_somebody_elses_turn():
    """The felt says what is legal on which box."""

    assert (choices(TURN, "bob"), told(TURN, "bob").partition("; ")[2].partition(";")[0]) == ([], "ann's decision: box 1, hand 1")


HIDDEN = box(1, "ann", 1000, "8H 8C", legal=("expose", "stand"))
FACE_DOWN = felt(
    "decision",
    boxes=tuple(
        msgspec.structs.replace(each, hands=(FeltHand(hand=1, cards=(), total=0, soft=False, end=None, result=None, down=2),))
        for each in (HIDDEN, msgspec.structs.replace(HIDDEN, box=2, player="ben", legal=()))
    ),
    dealer_cards=("6C",),
    dealer_total=6,
    turn=turn(1, "ann", 9_000),
)
OWN = (
    OwnHand(
        round=ROUND,
        box=1,
        hand=1,
        cards=tuple(Opening(index=index, card=card, salt="", path=()) for index, card in enumerate(("8H", "8C"))),
    ),
)


def test_cards_face_down_are_shown_to_their_own_player_alone():
    """FL-3.5, decision 25: the own ones in brackets, everybody else's as backs."""
    shown = told(FACE_DOWN, "ann", OWN)

    assert ("box 1 ann (8♥ 8♣) face down" in shown, "box 2 ben ## ## face down" in shown) == (True, True)


def test_hand_face_down_is_turned_up_or_stands():
    """FL-3.5: nothing else is offered before."""
    offered = [(each.key, each.word, each.command) for each in choices(FACE_DOWN, "ann")]

    assert offered == [
        ("t", "turn up", ExposeHand(round=ROUND, box=1, hand=1)),
        ("s", "stand", Stand(round=ROUND, box=1, hand=1)),
    ]

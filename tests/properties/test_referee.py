"""The referee agrees with the table on every round, and with nothing else."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from feltlog.rehearsal.round import Choice, Moment, Rehearsal, Word
from services.surveillance.domain.findings import Code, Finding
from services.surveillance.domain.referee import judge
from shared.contracts.restrictions import GivenBox, Held, InForce, KeptBoxes, NoteInForce, Rule
from shared.contracts.rounds import RoundCommand, RoundEvent
from shared.contracts.rulings import ApproveRuling, ProposeRuling, RulingProposed
from shared.contracts.wagers import SIDE_BETS, WagerPlaced
from shared.kernel.cards import DECK
from shared.kernel.entry import decode_as
from shared.kernel.money import Ratio
from shared.kernel.profile import DealerRules, DoubleRules, InsuranceRules, Profile, SplitRules
from tests.rounds import ROUND_ID, opening
from tests.rulings import STAFF, some_rulings

BOOKS = ("ontario", "floor", "live")
SMALL_DECK = tuple(card for card in DECK if card[0] in "A2378TK")
"""Few ranks, so that pairs, aces and blackjacks come often."""


def random_round(chance: Random, book: str, *, options: bool = False, root: str = "root") -> Rehearsal:
    """Return a whole round in which chance deals, bets, decides and pays, under a book or under rules near it."""
    rehearsal = random_wagers(chance, book, options=options, root=root)
    rehearsal.run(lambda moment: choose(chance, moment))
    return rehearsal


def random_wagers(chance: Random, book: str, *, options: bool = False, root: str = "root") -> Rehearsal:
    """Return a round in which people have asked for wagers, and nothing else has happened yet."""
    shoe = list(chance.choice((DECK, SMALL_DECK)) * 6)
    chance.shuffle(shoe)
    end = chance.choice((len(shoe), chance.randint(4, 20)))
    boxes = chance.choice((1, 2, 3, 7))
    begin = replace(opening(book, boxes=boxes), root=root)
    if options:
        begin = replace(begin, profile=random_options(chance, begin.profile), in_force=random_restrictions(chance))
    rehearsal = Rehearsal(begin, shoe[:end], discards=shoe[end:], wallet=lambda wager: wallet(chance, wager))
    for box in range(1, chance.randint(1, 6) + 1):
        stake_minor = chance.choice((2 * chance.randint(50, 250), 50 * chance.randint(2, 10)))
        seated = chance.random() < 0.2
        rehearsal.bet(f"player{box if chance.random() < 0.8 else 1}", chance.randint(1, boxes), stake_minor, seated=seated)
        if chance.random() < 0.8:
            rehearsal.serve()
        if options and chance.random() < 0.2:
            rehearsal.tell(NoteInForce(in_force=random_restrictions(chance)))
        if chance.random() < 0.4:
            rehearsal.bet_aside(f"player{box}", chance.randint(1, boxes), chance.choice(SIDE_BETS), chance.randint(1, 500))
    return rehearsal


def random_options(chance: Random, profile: Profile) -> Profile:
    """Return a profile with house options that no built-in book takes together."""
    hole = chance.random() < 0.5
    return replace(
        profile,
        players_cards=chance.choice(("up", "down")),
        restrictions=chance.random() < 0.5,
        pick_up=chance.choice(("unrecorded", "boxes_first", "dealer_first")),
        dealer=DealerRules(hole_card=hole, hits_soft_17=chance.random() < 0.5, peeks_under_ace=hole and chance.random() < 0.7),
        double=DoubleRules(
            after_split=chance.random() < 0.7,
            for_less=chance.random() < 0.5,
            dealer_blackjack_takes=chance.choice(("all", "original")),
        ),
        split=SplitRules(
            hands_max=chance.randint(2, 4),
            ace_hands_max=chance.randint(2, 4),
            aces_take_one_card=chance.random() < 0.6,
            dealer_blackjack_takes=chance.choice(("all", "original")),
        ),
        insurance=InsuranceRules(
            amount=chance.choice(("exactly_half", "up_to_half", "up_to_half_rounded_up")),
            pays=Ratio(2, 1),
            even_money=not hole and chance.random() < 0.5,
        ),
        rounding=chance.choice(("exact", "up")),
        chip_unit=chance.choice(("0.01", "0.02", "0.50")),
        blackjack_pays=chance.choice((Ratio(3, 2), Ratio(6, 5))),
    )


def random_restrictions(chance: Random) -> InForce:
    """Return what staff may have ruled about the players and boxes of a random round."""
    who = [f"player{number}" for number in range(1, 5)]
    rules: tuple[Rule, ...] = ("FL-5.10", "FL-5.11", "FL-5.12")
    return InForce(
        held=tuple(Held(player=player, rule=chance.choice(rules)) for player in who if chance.random() < 0.2),
        kept=(KeptBoxes(player=chance.choice(who), first=1, last=2),) if chance.random() < 0.3 else (),
        given=tuple(GivenBox(player=player, box=1) for player in who if chance.random() < 0.1),
        players_per_box_max=chance.choice((0, 0, 1, 2)),
        face_down_by="inspector",
    )


def wallet(chance: Random, wager: WagerPlaced) -> Word:
    """Answer mostly with a reserve."""
    return chance.choices(("reserve", "refuse", "silence"), (18, 1, 1))[0]


def choose(chance: Random, moment: Moment) -> Choice | None:
    """Say something legal, or nothing."""
    if chance.random() < 0.05:
        return None
    bold = [word for word in moment.legal if word in ("double", "split", "insure", "even_money")]
    what = chance.choice(bold) if bold and chance.random() < 0.5 else chance.choice(moment.legal)
    own = moment.hand.stake_minor
    return Choice(what, chance.choice((None, 1, 50, own // 2, own // 2 + 1, own)) if what in ("double", "insure") else None)


def judged(rehearsal: Rehearsal) -> list[Finding]:
    """What the referee finds in a round's log."""
    return judge([decode_as(RoundCommand, RoundEvent, data) for data in rehearsal.entries])


def irregular_round(chance: Random, book: str) -> Rehearsal:
    """Return a whole round in which staff propose and approve whatever comes to their minds."""
    shoe = list(DECK * 6)
    chance.shuffle(shoe)
    end = chance.choice((len(shoe), chance.randint(4, 20)))
    boxes = chance.choice((1, 2, 3, 7))
    rehearsal = Rehearsal(opening(book, boxes=boxes), shoe[:end], discards=shoe[end:], wallet=lambda wager: wallet(chance, wager))
    for box in range(1, boxes + 1):
        rehearsal.bet(f"player{box}", box, 2 * chance.randint(50, 250))
        rehearsal.serve()
    for _ in range(500):
        if rehearsal.over:
            return rehearsal
        if chance.random() < 0.3:
            rule(chance, rehearsal)
        if not rehearsal.serve() and not rehearsal.ask(lambda moment: choose(chance, moment)) and not rehearsal.over:
            rehearsal.let_time_pass()
    raise AssertionError("a round must come to an end")


def rule(chance: Random, rehearsal: Rehearsal) -> None:
    """Let two members of staff make a ruling; voids are rare, so that something comes after the others."""
    ruling = chance.choice(some_rulings(chance, voids=0.1))
    one, other = chance.sample(STAFF[:3], 2)
    rehearsal.tell(ProposeRuling(round=ROUND_ID, ruling=ruling), one)
    made = [event.proposal for event in rehearsal.events if isinstance(event, RulingProposed)]
    if chance.random() < 0.5:
        rehearsal.serve()
    if made and not rehearsal.over:
        rehearsal.tell(ApproveRuling(round=ROUND_ID, proposal=made[-1]), other)


@given(st.randoms(use_true_random=False), st.sampled_from(BOOKS))
def test_the_referee_agrees_with_the_table_whatever_staff_rule(chance: Random, book: str):
    """Rounds in which something went wrong end too, every wager once; what the referee cannot follow it says (ON-11)."""
    rehearsal = irregular_round(chance, book)
    found = judged(rehearsal)

    assert [each for each in found if each.code != Code.UNJUDGED] == []


@given(st.randoms(use_true_random=False), st.sampled_from(BOOKS))
def test_the_referee_agrees_with_the_table(chance: Random, book: str):
    """Whatever is dealt, bet and decided, two independent computations come to the same end."""
    assert judged(random_round(chance, book)) == []


@given(st.randoms(use_true_random=False), st.sampled_from(BOOKS))
def test_the_referee_agrees_with_the_table_under_any_options(chance: Random, book: str):
    """A house may choose its options; both read them from the round's own opening."""
    assert judged(random_round(chance, book, options=True)) == []

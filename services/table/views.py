"""What may be seen of a table: its felt as everybody around it sees it, and a row among other tables.

Only open cards stand here, because the round itself knows no others.  What a player may do is worked out here too, so that
no client has to know a rule.
"""

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from services.table.domain.approval import Proposal
from services.table.domain.asking import Ask, asked
from services.table.domain.coming import Called, Cut, Revealing, Sealing, Shuffled
from services.table.domain.hand import Hand
from services.table.domain.offering import asks
from services.table.domain.restrictions import in_force
from services.table.domain.shoes import waits_for
from services.table.domain.state import (
    Betting,
    Cards,
    Decision,
    Exposure,
    Insurance,
    Joining,
    NewShoe,
    Over,
    Playing,
    Reserve,
    Round,
    Unopened,
)
from services.table.domain.table import obstacle
from services.table.domain.table_state import Table
from services.table.notices import notices
from shared.contracts.decisions import HandEnd
from shared.contracts.procedure import STEPS, Step
from shared.contracts.restrictions import InForce
from shared.contracts.rounds import Result
from shared.contracts.rulings import AnyRuling
from shared.contracts.staff import Job
from shared.contracts.table import FaceAwaited
from shared.contracts.wagers import Kind, SettlementLine

Phase = Literal["idle", "betting", "closing", "dealing", "insurance", "decision", "joining", "reserve", "dealer", "settled", "void"]
ORDER = ("expose", "hit", "stand", "double", "split", "insure", "decline", "even_money")
"""The order in which choices are offered (LV-0.3)."""


class FeltWager(Struct, frozen=True, kw_only=True):
    """A stake on the felt; `pending` until the ledger has set it aside."""

    wager: str
    player: str
    kind: Kind
    hand: int
    stake_minor: int
    pending: bool


class FeltHand(Struct, frozen=True, kw_only=True):
    """A hand with its open cards; totals are information only (ON-6.7)."""

    hand: int
    cards: tuple[str, ...]
    total: int
    soft: bool
    end: HandEnd | None
    result: Result | None
    down: int = 0
    """Cards of the hand that lie face down."""


class FeltBox(Struct, frozen=True, kw_only=True):
    """A box, who decides for it, and what may be done on it now."""

    box: int
    player: str
    """Who decides for it, or is the first on it while bets are taken."""
    wagers: tuple[FeltWager, ...]
    hands: tuple[FeltHand, ...]
    legal: tuple[str, ...]
    """What that player may do now."""
    answered: bool | None
    """Whether that player's main wager has its answer about insurance; None while none is offered."""
    others: tuple[Ask, ...] = ()
    """What others on the box may say now: about insurance, or whether they join a double or split."""


class FeltTurn(Struct, frozen=True, kw_only=True):
    """Whose decision is awaited, and until when."""

    number: int
    box: int
    hand: int
    player: str
    until_ms: int


class FeltProposal(Struct, frozen=True, kw_only=True):
    """A ruling that somebody proposed and nobody has decided about."""

    proposal: int
    ruling: AnyRuling
    by: str
    job: Job
    note: str
    round: str
    """The round that it is about: the one in play, or one that is over."""


class FeltCut(Struct, frozen=True, kw_only=True):
    """What is known of the shoe that comes next, and of its cut; nothing of its cards is known to anybody."""

    shoe: str
    root: str
    """What it is committed to; empty until it is."""
    phase: Literal["shuffling", "shuffled", "sealing", "revealing", "cutting"]
    sealed: tuple[str, ...]
    """Who has sealed a secret."""
    told: tuple[str, ...]
    """Whose secret is told."""
    until_ms: int | None
    """Until when secrets are waited for."""
    refused: tuple[str, ...] = ()
    """Who said no to the cut."""
    turn: tuple[str, ...] = ()
    """Whose cut it is: the players in the order in which they were asked, as far as their secrets can still come."""
    asked: bool = False
    """Whether players are asked at this table."""


class FeltStep(Struct, frozen=True, kw_only=True):
    """A step with the cards that the book asks for, whoever did it and when, or may do it."""

    step: Step
    source: str
    """Where it is written."""
    jobs: tuple[Job, ...]
    """Who may do it."""
    wants_video: bool
    state: Literal["done", "next", "later"]
    by: str = ""
    job: str = ""
    at_ms: int | None = None
    video: str = ""
    faults: tuple[str, ...] = ()
    """What was found when it was tried last, if it is to be done again for that."""


class Felt(Struct, frozen=True, kw_only=True):
    """A table's felt.  Amounts are minor units of `currency`, times are milliseconds."""

    table: str
    table_phase: Literal["open", "closing", "closed"]
    profile: str
    notices: tuple[str, ...]
    """The table's rules in sentences, as they decide the round (LV-1.2.3)."""
    currency: str
    minimum_minor: int
    maximum_minor: int
    box_count: int
    round: str
    phase: Phase
    betting_until_ms: int | None
    boxes: tuple[FeltBox, ...]
    """The boxes with a wager, from the dealer's left."""
    dealer_cards: tuple[str, ...]
    dealer_total: int
    dealer_soft: bool
    hole_card: bool
    """Whether a card of the dealer lies face down."""
    turn: FeltTurn | None
    insurance_until_ms: int | None
    legal: tuple[str, ...]
    """What may be done at the table now, by whoever's turn it is."""
    lines: tuple[SettlementLine, ...]
    void_reason: str
    in_force: InForce = InForce()
    """What staff have ruled about who may wager what, and how cards lie."""
    book: str = ""
    """The letters of the rule book, which says who approves what."""
    proposals: tuple[FeltProposal, ...] = ()
    """Rulings that wait for a second person."""
    exposed: tuple[str, ...] = ()
    """Cards that lie open beside the hands: the next ones, in order (ON-11.3)."""
    shoe: str = ""
    """The shoe in use, and what it is committed to."""
    root: str = ""
    cut: FeltCut | None = None
    dealer: str = ""
    """Who deals, as far as anybody said."""
    burned_shown: tuple[str, ...] = ()
    """Burned cards of the shoe in use that were shown."""
    reshuffle: bool = False
    """Whether the cards are shuffled after this round."""
    decks: int = 0
    """How many decks are played with."""
    steps: tuple[FeltStep, ...] = ()
    """The steps before a shoe, in their order, where staff do them: towards the one in use, or the one that comes next."""
    next_step: Step | None = None
    """The step that the next shoe waits for."""
    unread: FaceAwaited | None = None
    """The card that the round waits for because no scanner could read it: staff say what it is."""


class TableRow(Struct, frozen=True, kw_only=True):
    """A table among others.  `waits_for` says why no further round is called now, or is empty."""

    table: str
    day: str
    phase: Literal["open", "closing", "closed"]
    profile: str
    operator: str
    currency: str
    minimum_minor: int
    maximum_minor: int
    box_count: int
    dealer: Literal["automatic", "staff"]
    rounds: int
    round: str
    waits_for: str
    next_step: Step | None = None
    """The step with the cards that is waited for, if `waits_for` says that one is missing."""
    unread: FaceAwaited | None = None
    """The card that the round waits for because no scanner could read it: staff say what it is."""


def row(table: Table) -> TableRow:
    """Return a table's row."""
    opened = table.opened
    assert opened is not None, "a table that was never opened has no row"
    why = obstacle(table)
    return TableRow(
        table=opened.table,
        day=opened.day,
        phase=table.phase,
        profile=opened.profile.name,
        operator=opened.settings.operator,
        currency=opened.settings.currency,
        minimum_minor=opened.settings.minimum_minor,
        maximum_minor=opened.settings.maximum_minor,
        box_count=opened.settings.boxes,
        dealer=opened.settings.dealer,
        rounds=table.rounds,
        round=table.round,
        waits_for="" if why is None else why.value,
        next_step=_next_step(table),
        unread=table.nameless,
    )


def felt(table: Table, round_: Round | None) -> Felt:
    """Return what everybody sees of a table and its latest round."""
    opened = table.opened
    assert opened is not None, "a table that was never opened has no felt"
    settings = opened.settings
    dealer = round_.dealer if isinstance(round_, Playing | Over) else None
    window = round_.awaiting if isinstance(round_, Playing) else None
    return Felt(
        table=opened.table,
        table_phase=table.phase,
        profile=opened.profile.name,
        notices=notices(opened.profile, settings, in_force(table.ruled)),
        currency=settings.currency,
        minimum_minor=settings.minimum_minor,
        maximum_minor=settings.maximum_minor,
        box_count=settings.boxes,
        round=table.round,
        phase=phase(round_),
        betting_until_ms=round_.opened.betting_until_ms if isinstance(round_, Betting) else None,
        boxes=_boxes(round_),
        dealer_cards=() if dealer is None else dealer.cards,
        dealer_total=0 if dealer is None else dealer.points,
        dealer_soft=False if dealer is None else dealer.soft,
        hole_card=isinstance(round_, Playing) and round_.hole is not None,
        turn=_turn(round_) if isinstance(round_, Playing) else None,
        insurance_until_ms=window.until_ms if isinstance(window, Insurance) and not window.closed else None,
        legal=() if round_ is None else legal(round_),
        lines=() if round_ is None or isinstance(round_, Unopened) else round_.lines,
        void_reason=round_.void if isinstance(round_, Over) else "",
        in_force=in_force(table.ruled),
        book=opened.profile.book,
        proposals=(*(_proposals(round_) if isinstance(round_, Betting | Playing) else ()), *map(_proposal, table.proposals.open)),
        exposed=tuple(card.card for card in round_.exposed) if isinstance(round_, Playing) else (),
        shoe="" if table.mounted is None else table.mounted.shoe,
        root="" if table.mounted is None else table.mounted.root,
        cut=_cut(table),
        dealer=table.orders.dealer,
        burned_shown=table.orders.shown,
        reshuffle=table.orders.reshuffle,
        decks=opened.profile.decks,
        steps=_steps(table),
        next_step=_next_step(table),
        unread=table.nameless,
    )


def _next_step(table: Table) -> Step | None:
    missing = waits_for(table) if table.plays_on else None
    return None if missing is None else missing.step


def _steps(table: Table) -> tuple[FeltStep, ...]:
    """Return the steps of a table whose staff do them."""
    assert table.opened is not None, "a table that was never opened has no felt"
    profile, procedure, waited_for = table.opened.profile, table.procedure, _next_step(table)
    if profile.shoe.procedure == "house":
        return ()
    done = {each.step: each for each in (*procedure.today, *procedure.cards, *(procedure.dealt if table.in_shoe else procedure.mixed))}
    rejected = procedure.rejected
    steps = []
    for rule in STEPS[profile.book]:
        step = FeltStep(
            step=rule.step,
            source=rule.source,
            jobs=rule.jobs,
            wants_video=rule.video,
            state="done" if rule.step in done else "next" if rule.step == waited_for else "later",
            faults=() if rejected is None or rejected.done.step != rule.step else rejected.faults,
        )
        who = done.get(rule.step)
        steps.append(step if who is None else replace(step, by=who.by, job=who.job, at_ms=who.at_ms, video=who.video))
    return tuple(steps)


def _proposals(round_: Betting | Playing) -> tuple[FeltProposal, ...]:
    return tuple(_proposal(replace(each, round=round_.opened.round)) for each in round_.proposals.open)


def _proposal(each: Proposal) -> FeltProposal:
    return FeltProposal(proposal=each.number, ruling=each.ruling, by=each.by, job=each.job, note=each.note, round=each.round)


def _cut(table: Table) -> FeltCut | None:
    cut = FeltCut(
        shoe="", root="", phase="shuffling", sealed=(), told=(), until_ms=None, asked=table.opened is not None and asks(table.opened)
    )
    match table.coming:
        case None:
            return None
        case Called(shoe):
            return replace(cut, shoe=shoe)
        case Shuffled(shoe, root):
            return replace(cut, shoe=shoe, root=root, phase="shuffled")
        case Sealing(shoe, root, seals, answered, _, until_ms):
            said_no = tuple(player for player in answered if player not in seals)
            return replace(cut, shoe=shoe, root=root, phase="sealing", sealed=tuple(seals), refused=said_no, until_ms=until_ms)
        case Revealing(shoe, root, seals, until_ms, secrets, order):
            turn = tuple(player for player in order if player in seals)
            sealed, told = tuple(seals), tuple(secrets)
            return replace(cut, shoe=shoe, root=root, phase="revealing", sealed=sealed, told=told, until_ms=until_ms, turn=turn)
        case Cut(shoe, root):
            return replace(cut, shoe=shoe, root=root, phase="cutting")


def phase(round_: Round | None) -> Phase:
    """Return where a round stands, in one word."""
    match round_:
        case Betting(closed=closed):
            return "closing" if closed else "betting"
        case Playing(awaiting=Cards() | NewShoe() | Exposure()):
            return "dealing"
        case Playing(awaiting=Insurance()):
            return "insurance"
        case Playing(awaiting=Decision()):
            return "decision"
        case Playing(awaiting=Joining()):
            return "joining"
        case Playing(awaiting=Reserve()):
            return "reserve"
        case Playing():
            return "dealer"
        case Over(void=""):
            return "settled"
        case Over():
            return "void"
        case _:
            return "idle"


def legal(round_: Round) -> tuple[str, ...]:
    """Return what may be done now, by whoever's turn it is: expose hit stand double split insure decline even_money, in this order."""
    if not isinstance(round_, Playing):
        return ()
    found = {word for ask in asked(round_) for word in ask.legal}
    return tuple(word for word in ORDER if word in found)


def legal_on(box: int, round_: Playing) -> tuple[str, ...]:
    """Return what whoever decides for a box may do now."""
    player = next((hand.player for hand in round_.hands if hand.box == box), "")
    return next((ask.legal for ask in asked(round_) if (ask.box, ask.player) == (box, player)), ())


def _hand(box: int, number: int, round_: Playing) -> Hand:
    return next(hand for hand in round_.hands if hand.box == box and hand.number == number)


def _turn(round_: Playing) -> FeltTurn | None:
    if not isinstance(round_.awaiting, Decision):
        return None
    decision = round_.awaiting
    return FeltTurn(
        number=decision.number,
        box=decision.box,
        hand=decision.hand,
        player=_hand(decision.box, decision.hand, round_).player,
        until_ms=decision.until_ms,
    )


def _boxes(round_: Round | None) -> tuple[FeltBox, ...]:
    if round_ is None or isinstance(round_, Unopened):
        return ()
    players = {line.box: line.player for line in reversed(round_.lines)}
    if not isinstance(round_, Over):
        players |= {wager.box: wager.player for wager in reversed((*round_.wagers, *round_.pending))}
    if not isinstance(round_, Betting):
        players |= {hand.box: hand.player for hand in round_.hands}
    return tuple(_box(box, players[box], round_) for box in sorted(players))


def _box(box: int, player: str, round_: Betting | Playing | Over) -> FeltBox:
    hands = () if isinstance(round_, Betting) else round_.hands
    results = {} if isinstance(round_, Betting) else {(each.box, each.hand): each.result for each in round_.results}
    offer = round_.awaiting if isinstance(round_, Playing) else None
    return FeltBox(
        box=box,
        player=player,
        wagers=_wagers(box, round_),
        hands=tuple(
            FeltHand(
                hand=hand.number,
                cards=hand.cards,
                total=hand.points,
                soft=hand.soft,
                end=hand.end,
                result=results.get((box, hand.number)),
                down=len(hand.down),
            )
            for hand in hands
            if hand.box == box
        ),
        legal=legal_on(box, round_) if isinstance(round_, Playing) else (),
        answered=_has_answered(box, player, round_) if isinstance(round_, Playing) and isinstance(offer, Insurance) else None,
        others=tuple(ask for ask in asked(round_) if ask.box == box and ask.player != player) if isinstance(round_, Playing) else (),
    )


def _has_answered(box: int, player: str, round_: Playing) -> bool:
    """Return whether a player's main wager has its answer about insurance."""
    return not any((ask.box, ask.player) == (box, player) for ask in asked(round_))


def _wagers(box: int, round_: Betting | Playing | Over) -> tuple[FeltWager, ...]:
    """Return the stakes that still lie on a box."""
    if isinstance(round_, Over):
        return ()
    return tuple(
        FeltWager(wager=wager.id, player=wager.player, kind=wager.kind, hand=wager.hand, stake_minor=wager.stake_minor, pending=pending)
        for wagers, pending in ((round_.wagers, False), (round_.pending, True))
        for wager in wagers
        if wager.box == box
    )

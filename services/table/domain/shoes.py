"""The table's shoes: which one is called, mounted, set aside and opened, and when.

The next shoe is called as soon as one is in use, and no shoe's order is opened before the next one is committed; what players
do towards its cut is `coming.py`.  Under a scanner nothing is committed beforehand, and the cards that were played make the
next shoe: it is called when the one before it is put away.
"""

from msgspec.structs import replace

from services.table.domain import ordering, procedure
from services.table.domain.coming import Called, Cut, Revealing, Sealing, Shuffled, call_cut, close_sealing, evolve, refuse_cut, seal_cut
from services.table.domain.offering import Occasion, asks, clockwise, occasion, offer, staff_who_cuts
from services.table.domain.table_state import Table
from services.table.domain.table_state import evolve as evolve_table
from shared.contracts.asking import CutAwaited, RefuseCut
from shared.contracts.burns import CardsNote, CardsOrder, NoteBurn, OrderBurn, OrderDisclosure, OrderReshuffle
from shared.contracts.cutting import CallCut, NoteOrder, OrderNoted, SealCut
from shared.contracts.procedure import ProcedureCommand, ReplaceCards, StepRule
from shared.contracts.refusals import Reason, refused
from shared.contracts.table import (
    MountShoe,
    NoteRetirement,
    RecordRound,
    RetirementNoted,
    RetirementReason,
    ShoeCalled,
    ShoeMounted,
    ShoeRetirementCalled,
    ShoeSetAside,
    TableEvent,
    TableOpened,
)
from shared.kernel.cards import DECK
from shared.kernel.messages import Envelope
from shared.kernel.money import Ratio

UNCUT = (0, 0)
START = Occasion("start")


def waits_for(table: Table) -> StepRule | None:
    """Return the step with the cards that the next shoe waits for, if it waits for one."""
    if table.opened is None or table.in_shoe:
        return None
    return procedure.next_step(table.procedure, table.opened.profile)


def call_first(table: Table, opened: TableOpened) -> list[TableEvent]:
    """Call a shoe for cards that lie in none, unless a step with them is missing; under a scanner the shoe before is put away first."""
    if is_scanned(opened) and table.retiring:
        return []
    if procedure.next_step(table.procedure, opened.profile) is not None:
        return []
    return [call_shoe(table, opened, loaded=True)]


def step(command: ProcedureCommand, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Return what staff do with the cards, and the call for the shoe with the last step (ON-4, FL-3.3, FL-4.6, LV-3.1)."""
    if not table.plays_on:
        raise refused(Reason.NOT_OPEN)
    if isinstance(command, ReplaceCards):
        return _replace(command, table, opened, envelope)
    done = procedure.take(command, table.procedure, opened, envelope, in_shoe=table.in_shoe)
    after = evolve_table(table, done)
    return [done, *([] if after.in_shoe else call_first(after, opened))]


def _replace(command: ReplaceCards, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Return that the cards are taken away; a device gives up what it has shuffled of them (FL-3.4)."""
    in_device = opened.profile.shoe.device == "shuffling_device" and table.in_shoe and not table.running
    replaced = procedure.replace_cards(command, table.procedure, opened, envelope, in_shoe=table.in_shoe and not in_device)
    if not in_device:
        return [replaced]
    if isinstance(table.coming, Called):
        # What the device is shuffling is committed in a moment, and can be given up then.
        raise refused(Reason.BUSY)
    shoes = (table.mounted, table.coming)
    return [replaced, *(ShoeSetAside(shoe=each.shoe) for each in shoes if each is not None)]


def step_missing(table: Table, opened: TableOpened) -> Exception:
    """Return the refusal of a round that must wait for a step with the cards."""
    missing = waits_for(table)
    assert missing is not None, "a step is missing"
    return procedure.step_missing(missing, opened.table)


def call_shoe(table: Table, opened: TableOpened, *, loaded: bool = False) -> ShoeCalled:
    """Call a shoe of whole decks; where it may be cut and marked are numbers of cards from here on (ON-5.4, ON-5.6, FL-4.4, LV-3.3).

    A device's cards are never cut, and burned only when it is `loaded` (FL-4.6, decision 21).
    """
    profile = opened.profile
    cards = profile.decks * len(DECK)
    device = profile.shoe.device == "shuffling_device"
    return ShoeCalled(
        shoe=f"{opened.table}-S{table.shoes + 1}",
        table=opened.table,
        decks=profile.decks,
        burns=0 if device and not loaded else profile.shoe.burns_after_shuffle,
        cut=UNCUT if device else _bounds(profile.shoe.cut, cards),
        cutting_card=UNCUT if device else _bounds(profile.shoe.cutting_card, cards),
        device=profile.shoe.device,
    )


def _bounds(fractions: tuple[Ratio, Ratio], cards: int) -> tuple[int, int]:
    """Return the least and the most cards that lie within two fractions of the stack."""
    low, high = fractions
    least, most = -(-cards * low.won // low.staked), cards * high.won // high.staked
    return min(least, most), max(least, most)


def after_round(command: RecordRound, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Put away a shoe whose cutting card came out or that ran out: the round was its last (ON-5.7, LV-3.2).

    A device shuffles all cards again after every round in which one of them left it (FL-4.6, decision 21).
    """
    returned = opened.profile.shoe.device == "shuffling_device" and bool(command.shoes)
    ran_out = len(command.shoes) > 1
    changed = _changed_to(command, table)
    if table.plays_on and not (command.cutting_card_out or ran_out or returned or table.orders.reshuffle):
        return _go_on_with(changed, table, opened) if changed else []
    mounted = () if table.mounted is None else (table.mounted.shoe,)
    played_out = tuple(dict.fromkeys((*mounted, *command.shoes)))
    if not table.plays_on:
        return _retire(played_out, _why(table))
    if is_scanned(opened):
        return _retire(played_out, "played_out")
    if isinstance(table.coming, Shuffled):
        return _exchange(table, table.coming, played_out, opened)
    if isinstance(table.coming, Sealing):
        why = occasion(command.came_out, command.seats, ordered=table.orders.reshuffle)
        return _change(table.coming, why, played_out, opened, envelope)
    return [ShoeSetAside(shoe=shoe) for shoe in played_out]


def order_cards(command: CardsOrder, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Return what staff order about the cards: dealers change and cards are burned between rounds, and shown at any time.

    A reshuffle takes effect after the round under way, at once if none is (ON-5.8, LV-3.2).
    """
    shoe = "" if table.mounted is None else table.mounted.shoe
    if not table.plays_on:
        raise refused(Reason.NOT_OPEN)
    if isinstance(command, OrderDisclosure):
        return [*ordering.order_disclosure(command, table.orders, opened, shoe, envelope)]
    if isinstance(command, OrderReshuffle):
        ordered = ordering.order_reshuffle(table.orders, opened, shoe, envelope)
        return [ordered] if table.running else [ordered, *_put_by(evolve_table(table, ordered), opened, shoe, envelope)]
    if table.running:
        raise refused(Reason.ROUND_RUNNING)
    if isinstance(command, OrderBurn):
        return [*ordering.order_burn(command, table.orders, opened, shoe, envelope)]
    return [*ordering.change_dealer(command, table.orders, opened, shoe, envelope)]


def note_cards(command: CardsNote, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Return what the shoe answered; one whose cutting card is what comes next is put by before a round begins (ON-5.7, decision 21)."""
    noted = ordering.note(command, table.orders)
    out = isinstance(command, NoteBurn) and command.cutting_card_out
    if not noted or not out or table.mounted is None or table.running or not table.plays_on:
        return [*noted]
    return [*noted, *_put_by(evolve_table(table, noted[0]), opened, table.mounted.shoe, envelope)]


def _put_by(table: Table, opened: TableOpened, shoe: str, envelope: Envelope) -> list[TableEvent]:
    """Take a shoe out of use between two rounds, because its cards are to be shuffled."""
    if is_scanned(opened):
        return _retire((shoe,), "played_out")
    if isinstance(table.coming, Sealing):
        why = occasion(table.came_out, table.seats, ordered=table.orders.reshuffle)
        return _change(table.coming, why, (shoe,), opened, envelope)
    return [ShoeSetAside(shoe=shoe)]


def is_scanned(opened: TableOpened) -> bool:
    """Return whether the table's cards are read by a scanner as they leave the shoe."""
    return opened.profile.shoe.device == "scanned"


def _changed_to(command: RecordRound, table: Table) -> str:
    """Return the whole shoe that the round was dealt from instead of the mounted one, empty if there is none (FL-4.1)."""
    first = command.shoes[0] if command.shoes else ""
    return first if table.mounted is not None and first not in ("", table.mounted.shoe) else ""


def _go_on_with(shoe: str, table: Table, opened: TableOpened) -> list[TableEvent]:
    """Keep a whole shoe that was shuffled before the round's first card, and put the one before it away."""
    assert table.mounted is not None, "another shoe was mounted"
    mounted = ShoeMounted(shoe=shoe, root="", cards=opened.profile.decks * len(DECK))
    return [*_retire((table.mounted.shoe,), "played_out"), mounted]


def note_retirement(command: NoteRetirement, table: Table, opened: TableOpened) -> list[TableEvent]:
    """Take note that a shoe is put away; the cards of a scanned one make the next (FL-4.1)."""
    if command.shoe not in table.retiring:
        return []
    noted = RetirementNoted(shoe=command.shoe)
    after = evolve_table(table, noted)
    return [noted, *call_first(after, opened)] if is_scanned(opened) and table.plays_on and not after.in_shoe else [noted]


def note_order(command: NoteOrder, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Take note that the next shoe is committed; if it is waited for it is cut, and if nobody needs it any more it is opened."""
    if not isinstance(table.coming, Called) or command.shoe != table.coming.shoe:
        return []
    noted = OrderNoted(shoe=command.shoe, root=command.root)
    if not table.plays_on:
        return [noted, *_retire((command.shoe,), _why(table))]
    if table.mounted is not None:
        return [noted]
    if table.coming.uncut:
        return [noted, *_exchange(table, Shuffled(command.shoe, command.root), table.aside, opened)]
    coming = Sealing(command.shoe, command.root)
    if asks(opened) and opened.settings.offer_ms:
        return [noted, CutAwaited(shoe=command.shoe, until_ms=envelope.at_ms + opened.settings.offer_ms)]
    return [noted, *_change(coming, _why_cut(table), table.aside, opened, envelope, in_time=False)]


def take_answer(command: SealCut | RefuseCut, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Return that a player's seal or refusal is taken; a shoe that its table waits for is cut once everybody has answered.

    The first shoe is the first player's who comes to the table (ON-5.3, FL-4.2).
    """
    player = envelope.actor.id
    said = refuse_cut(command, table.coming, player) if isinstance(command, RefuseCut) else seal_cut(command, table.coming, player)
    if not isinstance(table.coming, Sealing) or table.coming.until_ms is None:
        return [said]
    coming, why = evolve(table.coming, said), _why_cut(table)
    assert isinstance(coming, Sealing), "an answer ends nothing"
    asked = clockwise(why)
    done = set(asked) <= set(coming.answered) if asked else bool(coming.seals)
    return [said, *_change(coming, why, table.aside, opened, envelope)] if done else [said]


def _why_cut(table: Table) -> Occasion:
    """Return why the cards of a shoe are cut that its table waits for."""
    return occasion(table.came_out, table.seats, ordered=table.orders.reshuffle) if table.aside else START


def mount(command: MountShoe, table: Table, opened: TableOpened) -> list[TableEvent]:
    """Take the shoe that was cut, and call the next one; a table that plays no more opens its order at once."""
    # A scanned shoe is never cut here: it is there as soon as its first cards are burned.
    wanted = Called if is_scanned(opened) else Cut
    if not isinstance(table.coming, wanted) or command.shoe != table.coming.shoe:
        return []
    mounted = ShoeMounted(shoe=command.shoe, root=command.root, cards=command.cards)
    if not table.plays_on:
        return [mounted, *_retire((command.shoe,), _why(table))]
    # Under a scanner, and where staff see to the cards, those of the next shoe lie in this one: it is called when it is played out.
    same_cards = is_scanned(opened) or opened.profile.shoe.procedure == "staff"
    return [mounted] if same_cards else [mounted, call_shoe(table, opened)]


def _change(
    coming: Sealing, why: Occasion, played_out: tuple[str, ...], opened: TableOpened, envelope: Envelope, *, in_time: bool = True
) -> list[TableEvent]:
    """Open the orders that are played out, now that the next one is committed, offer that one to be cut, and have it cut."""
    events = _retire(played_out, "replaced", coming)
    if asks(opened):
        offered = offer(coming.shoe, why, tuple(coming.seals), coming.answered, in_time=in_time)
        events.append(offered)
        coming = replace(coming, asked=tuple(each.player for each in offered.asked))
    until_ms = envelope.at_ms + opened.settings.reveal_ms
    return [*events, close_sealing(coming, until_ms=until_ms, staff=staff_who_cuts(opened))]


def _exchange(table: Table, coming: Shuffled, played_out: tuple[str, ...], opened: TableOpened) -> list[TableEvent]:
    """Open what is played out, take what the device has shuffled and committed meanwhile, and have it shuffle for the next round."""
    mounted = ShoeMounted(shoe=coming.shoe, root=coming.root, cards=opened.profile.decks * len(DECK))
    return [*_retire(played_out, "replaced", coming), mounted, call_shoe(table, opened)]


def stop_waiting(command: CallCut, table: Table, opened: TableOpened, envelope: Envelope) -> list[TableEvent]:
    """Wait no longer for the secrets of those who are gone, or for somebody to come and cut."""
    if not isinstance(table.coming, Sealing | Revealing) or table.coming.until_ms is None or command.shoe != table.coming.shoe:
        return []
    if envelope.at_ms < table.coming.until_ms:
        raise refused(Reason.TOO_EARLY)
    if isinstance(table.coming, Sealing):
        return _change(table.coming, _why_cut(table), table.aside, opened, envelope)
    return [call_cut(table.coming, staff_who_cuts(opened))]


def put_away(table: Table, reason: RetirementReason) -> list[TableEvent]:
    """Retire every shoe that is not in play and that the shoe service has nothing to say of any more."""
    mounted = () if table.running or table.mounted is None else (table.mounted.shoe,)
    # A scanned shoe may wait long for its first card: nobody brings one to a table that plays no more.
    scanned = table.opened is not None and is_scanned(table.opened)
    waits = Shuffled | Sealing | Revealing | Called if scanned else Shuffled | Sealing | Revealing
    coming = (table.coming.shoe,) if isinstance(table.coming, waits) else ()
    return _retire((*table.aside, *mounted, *coming), reason)


def _retire(shoes: tuple[str, ...], reason: RetirementReason, coming: Sealing | Shuffled | None = None) -> list[TableEvent]:
    following = {} if coming is None else {"next_shoe": coming.shoe, "next_root": coming.root}
    return [ShoeRetirementCalled(shoe=shoe, reason=reason, **following) for shoe in shoes]


def _why(table: Table) -> RetirementReason:
    return "day_ended" if table.ended is not None else "table_closed"

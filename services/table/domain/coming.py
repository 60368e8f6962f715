"""The shoe that comes next: called while the present one is in play, committed, and cut by those who sat at the table.

Each phase knows what it needs and no more.  Players seal at leisure, for as long as the present shoe lasts; when it is
played out no further seal is taken, the secrets are told, and the shoe is cut.  Nobody waits for a cut to which nobody
has sealed anything, and for one that somebody has no longer than the table's settings say.
"""

from msgspec import Struct
from msgspec.structs import replace

from shared.contracts.asking import CutAwaited, CutOffered, CutRefused, CutStaff, ExtendReveal, RefuseCut, RevealExtended
from shared.contracts.cutting import Contribution, CutCalled, CutRevealed, CutSealed, OrderNoted, RevealCut, SealCut, SealingClosed
from shared.contracts.refusals import Reason, refused
from shared.contracts.table import ShoeCalled, TableEvent
from shared.kernel.cutting import SECRET_HEX, seal

SEALS_MAX = 64
"""Who may give something towards one cut: more than ever sit at a table, and few enough for one entry."""


class Called(Struct, frozen=True):
    """A shoe is called, and not committed yet; `uncut` where a device shuffles it."""

    shoe: str
    uncut: bool = False


class Shuffled(Struct, frozen=True):
    """A device has shuffled the cards: they are committed, and nobody cuts them (FL-4.6)."""

    shoe: str
    root: str


class Sealing(Struct, frozen=True):
    """A shoe is committed; `seals` holds what players have sealed towards its cut, by name.

    `answered` names them and those who refused, in the order in which they spoke; `asked` everybody, once sealing is closed.
    """

    shoe: str
    root: str
    seals: dict[str, str] = {}
    answered: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    until_ms: int | None = None
    """Until when the shoe is offered, if its table waits for that."""


class Revealing(Struct, frozen=True):
    """No further seal is taken, and secrets are told."""

    shoe: str
    root: str
    seals: dict[str, str]
    until_ms: int
    secrets: dict[str, str] = {}
    asked: tuple[str, ...] = ()


class Cut(Struct, frozen=True):
    """The cut is called."""

    shoe: str
    root: str


Coming = Called | Shuffled | Sealing | Revealing | Cut


def evolve(coming: Coming | None, event: TableEvent) -> Coming | None:
    """Return what comes next after one of the events that concern it; a shoe that is mounted, or opened unused, does not."""
    match event, coming:
        case ShoeCalled(), _:
            return Called(event.shoe, uncut=event.device == "shuffling_device")
        case OrderNoted(), Called(uncut=True):
            return Shuffled(event.shoe, event.root)
        case OrderNoted(), Called():
            return Sealing(event.shoe, event.root)
        case CutSealed(), Sealing():
            return replace(coming, seals={**coming.seals, event.player: event.seal}, answered=(*coming.answered, event.player))
        case CutRefused(), Sealing():
            return replace(coming, answered=(*coming.answered, event.player))
        case CutAwaited() | RevealExtended(), Sealing():
            return replace(coming, until_ms=event.until_ms)
        case CutOffered(), Sealing():
            return replace(coming, asked=tuple(each.player for each in event.asked))
        case SealingClosed(), Sealing():
            return Revealing(coming.shoe, coming.root, coming.seals, event.reveal_until_ms, asked=coming.asked)
        case RevealExtended(), Revealing():
            return replace(coming, until_ms=event.until_ms)
        case CutRevealed(), Revealing():
            return replace(coming, secrets={**coming.secrets, event.player: event.secret})
        case CutCalled(), Sealing() | Revealing():
            return Cut(coming.shoe, coming.root)
        case _:
            raise AssertionError(f"{type(event).__name__} cannot happen to {type(coming).__name__.lower()}")


def seal_cut(command: SealCut, coming: Coming | None, player: str) -> CutSealed:
    """Return that a player's seal is taken; raise `Refused` if none is, or none of theirs."""
    if not isinstance(coming, Sealing) or (coming.shoe, coming.root) != (command.shoe, command.root):
        raise refused(Reason.CUT_NOT_OPEN)
    _check_answer(coming, player)
    if not SECRET_HEX.fullmatch(command.seal):
        raise refused(Reason.BAD_SEAL)
    return CutSealed(shoe=command.shoe, player=player, seal=command.seal)


def refuse_cut(command: RefuseCut, coming: Coming | None, player: str) -> CutRefused:
    """Return that a player does not want to cut; raise `Refused` if nobody is asked, or if they have said so or sealed something."""
    if not isinstance(coming, Sealing) or (coming.shoe, coming.root) != (command.shoe, command.root):
        raise refused(Reason.CUT_NOT_OPEN)
    _check_answer(coming, player)
    return CutRefused(shoe=command.shoe, player=player)


def _check_answer(coming: Sealing, player: str) -> None:
    """Raise `Refused` for a second answer, and for more than are ever given."""
    if player in coming.seals:
        raise refused(Reason.ALREADY_SEALED)
    if player in coming.answered:
        raise refused(Reason.CUT_REFUSED)
    if len(coming.answered) >= SEALS_MAX:
        raise refused(Reason.TOO_MANY_SEALS)


def reveal_cut(command: RevealCut, coming: Coming | None, player: str, *, staff: CutStaff | None = None) -> list[TableEvent]:
    """Return that a player's secret is told, and that the shoe is cut once all are; raise `Refused` if it is not theirs."""
    if not isinstance(coming, Revealing) or (coming.shoe, coming.root) != (command.shoe, command.root):
        raise refused(Reason.CUT_NOT_OPEN)
    if player not in coming.seals:
        raise refused(Reason.NOTHING_SEALED)
    if player in coming.secrets:
        raise refused(Reason.ALREADY_REVEALED)
    if not SECRET_HEX.fullmatch(command.secret):
        raise refused(Reason.BAD_SEAL)
    if seal(coming.shoe, player, command.secret) != coming.seals[player]:
        raise refused(Reason.SEAL_MISMATCH)
    told = CutRevealed(shoe=command.shoe, player=player, secret=command.secret)
    after = evolve(coming, told)
    assert isinstance(after, Revealing), "a secret that is told ends nothing"
    return [told, call_cut(after, staff)] if after.secrets.keys() == after.seals.keys() else [told]


def close_sealing(coming: Sealing, *, until_ms: int, staff: CutStaff | None = None) -> TableEvent:
    """Return that secrets are waited for until then, or that the shoe is cut at once if nobody has sealed any."""
    return SealingClosed(shoe=coming.shoe, reveal_until_ms=until_ms) if coming.seals else call_cut(coming, staff)


def extend_reveal(command: ExtendReveal, coming: Coming | None) -> list[TableEvent]:
    """Return that players are waited for longer, after the house was away; nothing if nobody is, or not for longer."""
    if not isinstance(coming, Sealing | Revealing) or coming.until_ms is None or command.until_ms <= coming.until_ms:
        return []
    return [RevealExtended(shoe=coming.shoe, until_ms=command.until_ms)]


def call_cut(coming: Sealing | Revealing, staff: CutStaff | None = None) -> CutCalled:
    """Return that the shoe is to be cut, by what is told; who has not told is named all the same.

    It is the cut of whoever was asked first and told a secret, else that of staff (ON-5.5, FL-4.3).
    """
    secrets = coming.secrets if isinstance(coming, Revealing) else {}
    given = (Contribution(player=player, seal=sealed, secret=secrets.get(player, "")) for player, sealed in sorted(coming.seals.items()))
    cutter = next((player for player in coming.asked if player in secrets), "")
    return CutCalled(shoe=coming.shoe, contributions=tuple(given), cutter=cutter, staff=None if cutter else staff)

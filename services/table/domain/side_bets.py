"""Side bets: wagers on the first cards of a box, whatever becomes of its hand (FL-SB, decision 19).

They lie beside an accepted main wager of the same player, and are settled at the end with everything else.
"""

from collections.abc import Sequence

from services.table.domain.stakes import check_grid, in_words, unit_minor
from services.table.domain.state import Betting, Playing, Wager
from shared.contracts.refusals import Reason, refused
from shared.contracts.rounds import RoundEvent
from shared.contracts.wagers import PlaceSideBet, WagerPlaced
from shared.kernel.messages import Envelope
from shared.kernel.profile import SideBetRules

RED = "HD"


def place(command: PlaceSideBet, betting: Betting, envelope: Envelope) -> list[RoundEvent]:
    """Return the pending side bet; raise `Refused` if the table does not take it."""
    opened, player = betting.opened, envelope.actor.id
    if command.round != opened.round:
        raise refused(Reason.UNKNOWN_ROUND)
    if betting.closed or envelope.received_at_ms > opened.betting_until_ms:
        raise refused(Reason.BETTING_CLOSED)
    if command.for_dealer is True:
        # ON-3.6 speaks of wagers, and what lies beside a main wager is one.
        raise refused(Reason.WAGER_FOR_DEALER)
    if command.kind not in opened.profile.side_bets.offered:
        raise refused(Reason.NOT_OFFERED)
    if not any(_is_of(wager, player, command.box, "main") for wager in betting.wagers):
        raise refused(Reason.NO_MAIN_WAGER)
    if any(_is_of(wager, player, command.box, command.kind) for wager in (*betting.wagers, *betting.pending)):
        raise refused(Reason.ALREADY_ON_BOX)
    _check_stake(command.stake_minor, betting)
    return [
        WagerPlaced(
            wager=envelope.id,
            player=player,
            box=command.box,
            hand=1,
            kind=command.kind,
            stake_minor=command.stake_minor,
            currency=opened.settings.currency,
            reserve_by_ms=envelope.at_ms + opened.settings.reserve_ms,
            promotional=opened.profile.promotional,
        )
    ]


def _is_of(wager: Wager, player: str, box: int, kind: str) -> bool:
    return wager.player == player and wager.box == box and wager.kind == kind


def _check_stake(stake_minor: int, betting: Betting) -> None:
    """The table's minimum is for main wagers; a side bet may be as small as a chip."""
    settings = betting.opened.settings
    unit = unit_minor(betting.opened.profile, settings.currency)
    if stake_minor < unit:
        raise refused(Reason.BELOW_MINIMUM, in_words(unit, settings.currency))
    if stake_minor > settings.maximum_minor:
        raise refused(Reason.ABOVE_MAXIMUM, in_words(settings.maximum_minor, settings.currency))
    check_grid(stake_minor, unit, settings.currency)


def returned(wager: Wager, playing: Playing) -> int:
    """Return what a side bet gives back, stake included; 0 if the box's first cards do not win."""
    firsts, rules = playing.firsts[wager.box], playing.opened.profile.side_bets
    pays = super_sevens(firsts, rules) if wager.kind == "super_sevens" else perfect_pairs(firsts, rules)
    return wager.stake_minor * (pays + 1) if pays else 0


def super_sevens(firsts: Sequence[str], rules: SideBetRules) -> int:
    """Return what a box's first three cards pay to one: the most sevens in a row from the first on, and no more than that.

    >>> super_sevens(("7S", "7S", "8H"), SideBetRules()), super_sevens(("8H", "7S", "7S"), SideBetRules())
    (100, 0)
    """
    one, two, two_suited, three, three_suited = rules.super_sevens
    sevens = 0
    while sevens < len(firsts) and firsts[sevens][0] == "7":
        sevens += 1
    suited = len({card[1] for card in firsts[:sevens]}) == 1
    return (0, one, two_suited if suited else two, three_suited if suited else three)[sevens]


def perfect_pairs(firsts: Sequence[str], rules: SideBetRules) -> int:
    """Return what a box's first two cards pay to one; a pair is of one rank, so a king and a queen are none.

    >>> perfect_pairs(("KS", "KC"), SideBetRules()), perfect_pairs(("KS", "QS"), SideBetRules())
    (12, 0)
    """
    perfect, coloured, mixed = rules.perfect_pairs
    first, second = firsts[:2]
    if first[0] != second[0]:
        return 0
    if first[1] == second[1]:
        return perfect
    return coloured if (first[1] in RED) == (second[1] in RED) else mixed

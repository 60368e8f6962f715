"""The picture of a felt: what a player sees on a terminal, and what the player may do now.

Pure: the time and everything typed arrive as data.  What is legal is read off the felt, where the table itself put it.
"""

from typing import Any

from msgspec import Struct
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from feltlog.ruled import ruling_in_words
from feltlog.screen import drawn
from feltlog.shoe_story import joined
from feltlog.wording import Sentence, amount, gain, money, row_of, spoken
from services.table.views import Felt, FeltBox, FeltHand
from shared.contracts.decisions import DeclineInsurance, Double, ExposeHand, Hit, Insure, Split, Stand, TakeEvenMoney
from shared.contracts.procedure import IN_WORDS
from shared.contracts.shoe import OwnHand
from shared.contracts.staff import job_in_words

CLOCK_WIDTH = 30
WORDS = {
    "idle": "The table waits for its next round",
    "betting": "Wagers, please",
    "closing": "No more bets",
    "dealing": "Cards are dealt",
    "insurance": "Insurance is open",
    "decision": "A decision is awaited",
    "reserve": "The wallet is asked",
    "dealer": "The dealer plays",
    "settled": "The round is over",
    "void": "The round is void",
}
KEYS = {"expose": "t", "hit": "h", "stand": "s", "double": "d", "split": "p", "insure": "i", "decline": "n", "even_money": "e"}
NAMES = {"expose": "turn up", "insure": "insure", "decline": "no insurance", "even_money": "even money"}


class Choice(Struct, frozen=True, kw_only=True):
    """Something that the player may do now, and the key for it."""

    key: str
    word: str
    command: Any


class Sight(Struct, frozen=True, kw_only=True):
    """All that the picture shows."""

    felt: Felt
    player: str
    balance: str
    left_ms: int
    """Until the clock that runs now runs out; negative if none does."""
    full_ms: int
    typed: str
    stake: str
    """What Enter wagers."""
    said: str
    """What the house said last."""
    letters: bool = False
    own: tuple[OwnHand, ...] = ()
    """The player's own cards that lie face down for everybody else."""


def own_boxes(felt: Felt, player: str) -> list[FeltBox]:
    """Return the boxes on which the player has a wager."""
    return [box for box in felt.boxes if box.player == player or any(wager.player == player for wager in box.wagers)]


def choices(felt: Felt, player: str) -> list[Choice]:
    """Return what the player may do now, in the order of the felt."""
    turn = felt.turn
    for box in own_boxes(felt, player):
        hand = turn.hand if turn is not None and turn.box == box.box else 0
        if box.player == player and box.legal:
            return [choice(word, felt.round, box.box, hand) for word in box.legal]
        for ask in box.others:
            if ask.player == player:
                return [choice(word, felt.round, box.box, ask.hand) for word in ask.legal]
    return []


def choice(word: str, round: str, box: int, hand: int) -> Choice:
    """Return a legal word of the felt as a choice."""
    command: Any
    match word:
        case "expose":
            command = ExposeHand(round=round, box=box, hand=hand)
        case "hit":
            command = Hit(round=round, box=box, hand=hand)
        case "stand":
            command = Stand(round=round, box=box, hand=hand)
        case "double":
            command = Double(round=round, box=box, hand=hand)
        case "split":
            command = Split(round=round, box=box, hand=hand)
        case "insure":
            command = Insure(round=round, box=box)
        case "even_money":
            command = TakeEvenMoney(round=round, box=box)
        case _:
            command = DeclineInsurance(round=round, box=box)
    return Choice(key=KEYS[word], word=NAMES.get(word, word), command=command)


def free_box(felt: Felt) -> int | None:
    """Return the first box on which nobody has a wager, None if there is none."""
    taken = {box.box for box in felt.boxes}
    return next((box for box in range(1, felt.box_count + 1) if box not in taken), None)


def clock(felt: Felt) -> int | None:
    """Return until when the clock runs that everybody looks at now, in milliseconds."""
    if felt.phase == "betting":
        return felt.betting_until_ms
    return felt.turn.until_ms if felt.turn is not None else felt.insurance_until_ms


def totals(hand: FeltHand) -> str:
    """Return what a hand is worth and what became of it, in words; a clock that ran out is remembered to the end."""
    late = hand.end == "timed_out"
    if not hand.cards:
        return "face down" if hand.down else ""
    if hand.result is not None:
        return f"{hand.total} {hand.result.replace('_', ' ')}{', out of time' if late else ''}"
    if hand.end is not None:
        return f"{hand.total} {'out of time' if late else hand.end.replace('_', ' ')}"
    return f"{'soft' if hand.soft else 'hard'} {hand.total}" if len(hand.cards) > 1 else str(hand.total)


def dealer_says(felt: Felt) -> Sentence:
    """Return the dealer's cards and what they are worth."""
    if not felt.dealer_cards:
        return ("no cards yet",)
    hidden = (" ##",) if felt.hole_card else ()
    bust = " bust" if felt.dealer_total > 21 else ""
    return (*row_of(felt.dealer_cards), *hidden, f"  {felt.dealer_total}{bust}")


def cards_of(felt: Felt, box: int, hand: FeltHand, own: tuple[OwnHand, ...]) -> Sentence:
    """Return the cards of a hand; of one that lies face down the own ones in brackets, and others' backs."""
    if not hand.down:
        return row_of(hand.cards)
    for each in own:
        if (each.round, each.box, each.hand) == (felt.round, box, hand.hand):
            return ("(", *row_of(tuple(opening.card for opening in each.cards)), ")")
    return (" ".join(["##"] * hand.down),)


def picture(sight: Sight) -> RenderableType:
    """Return the whole screen."""
    return Group(
        table_top(sight),
        clock_bar(sight),
        *keys_lines(sight),
        Text(f"Balance {sight.balance}"),
        Text(sight.said, style="yellow"),
    )


def parting(sight: Sight) -> RenderableType:
    """Return what stays on the terminal when the player has left: the felt as it was then, and the balance."""
    return Group(table_top(sight), Text(f"Balance {sight.balance}"))


def table_top(sight: Sight) -> RenderableType:
    """Return the felt and what goes on there."""
    felt = sight.felt
    limits = f"{amount(felt.minimum_minor, felt.currency)} to {money(felt.maximum_minor, felt.currency)}"
    title = f"Table {felt.table}  {felt.profile}  wagers {limits}"
    return Group(
        Panel(boxes(sight), title=title, title_align="left", subtitle=felt.round or "no round yet", subtitle_align="right"),
        *(Text(line, style="dim", overflow="fold") for line in shoe_lines(felt)),
        Text(headline(felt, sight.player), style="bold"),
        *(Text(line, style="magenta") for line in ruled_lines(felt)),
    )


def shoe_lines(felt: Felt) -> list[str]:
    """Return what the shoe in use and the one that comes next are committed to, for whoever notes it down (ADR 0018)."""
    lines = [f"Shoe {felt.shoe}  {felt.root}"] if felt.root else []
    if felt.cut is not None and felt.cut.root:
        lines.append(f"Next {felt.cut.shoe}  {felt.cut.root}")
    if felt.cut is not None and felt.cut.sealed:
        missing = [player for player in felt.cut.sealed if player not in felt.cut.told]
        if felt.cut.phase == "sealing":
            lines.append(f"{joined(felt.cut.sealed)} sealed a secret towards the cut of {felt.cut.shoe}")
        elif missing:
            lines.append(f"{felt.cut.shoe} is cut as soon as {joined(missing)} told what was sealed")
    return lines


def ruled_lines(felt: Felt) -> list[str]:
    """Return what staff have proposed about the round, and what lies open beside the hands because of a ruling."""
    waiting = (
        f"Proposal {each.proposal}{'' if felt.round in ('', each.round) else f' for {each.round}'} by {each.by}, {job_in_words(each.job)}: "
        f"{ruling_in_words(each.ruling)}. It waits for another person."
        for each in felt.proposals
    )
    lying = (f"{spoken(row_of(felt.exposed))} is the next card, whoever draws",) if felt.exposed else ()
    return [*waiting, *lying, *cards_lines(felt)]


def cards_lines(felt: Felt) -> list[str]:
    """Return what there is to say of the shoe: whose cut it is, which burned cards were shown, that it is shuffled soon."""
    lines = []
    if felt.cut is not None and felt.cut.phase == "revealing" and felt.cut.turn:
        lines.append(f"{felt.cut.turn[0]} is asked to cut shoe {felt.cut.shoe}")
    if felt.burned_shown:
        lines.append(f"Burned: {spoken(row_of(felt.burned_shown))}")
    return [*lines, "The cards are shuffled after this round"] if felt.reshuffle else lines


def boxes(sight: Sight) -> Table:
    """Return the dealer's cards and every box with a wager."""
    felt = sight.felt
    table = Table.grid(padding=(0, 2))
    for _ in range(5):
        table.add_column(no_wrap=True)
    table.add_row("", "dealer", "", drawn(dealer_says(felt), letters=sight.letters), "")
    for box in felt.boxes:
        mine = box.player == sight.player
        stakes = " + ".join(amount(wager.stake_minor, felt.currency) + ("?" if wager.pending else "") for wager in box.wagers)
        for place, hand in enumerate(box.hands or (None,)):
            turn = felt.turn is not None and hand is not None and (felt.turn.box, felt.turn.hand) == (box.box, hand.hand)
            cells = (f"box {box.box} {box.player}", stakes) if place == 0 else ("", "")
            cards = drawn(cards_of(felt, box.box, hand, sight.own), letters=sight.letters) if hand else Text("")
            table.add_row(">" if turn else "", *cells, cards, totals(hand) if hand else "", style="bold cyan" if mine else "")
    return table


def headline(felt: Felt, player: str) -> str:
    """Return in a few words what goes on."""
    if felt.turn is not None:
        who = "Your" if felt.turn.player == player else f"{felt.turn.player}'s"
        return f"{who} decision: box {felt.turn.box}, hand {felt.turn.hand}"
    if felt.phase in ("settled", "void"):
        mine = [line for line in felt.lines if line.player == player]
        won = sum(line.returned_minor - line.stake_minor for line in mine)
        return WORDS[felt.phase] + (f": {gain(won, felt.currency)} {felt.currency} for you" if mine else "") + cards_first(felt)
    return WORDS[felt.phase] + cards_first(felt)


def cards_first(felt: Felt) -> str:
    """Return which step with the cards comes before the next round, if one does."""
    return "" if felt.next_step is None else f"; first staff {IN_WORDS[felt.next_step]}"


def clock_bar(sight: Sight) -> Text:
    """Return the clock that runs now as a bar."""
    if sight.left_ms < 0 or sight.full_ms <= 0:
        return Text("")
    filled = min(CLOCK_WIDTH, CLOCK_WIDTH * sight.left_ms // sight.full_ms)
    style = "red" if sight.left_ms < 3_000 else "green"
    full, rest = ("=", ".") if sight.letters else ("█", "░")
    return Text.assemble((full * filled, style), (rest * (CLOCK_WIDTH - filled), "dim"), f" {sight.left_ms / 1000:.0f} s")


def keys_lines(sight: Sight) -> list[Text]:
    """Return what may be typed now: the choices stay in sight while an amount is typed."""
    felt, lines = sight.felt, []
    found = choices(felt, sight.player)
    if found:
        lines.append(Text("   ").join(Text.assemble((f"[{each.key}]", "bold"), f" {each.word}") for each in found))
    if sight.typed:
        lines.append(Text(f"Wager {sight.typed}_  Enter places it, Escape forgets it"))
    elif felt.phase in ("idle", "settled", "void") or (felt.phase == "betting" and not own_boxes(felt, sight.player)):
        lines.append(Text(f"Type an amount and Enter to wager{f', Enter alone for {sight.stake}' if sight.stake else ''}   [q] leave"))
    return lines or [Text("[q] leave")]


def told(felt: Felt, player: str, own: tuple[OwnHand, ...] = ()) -> str:
    """Return the felt as one line, for a reader that has no screen."""
    parts = [felt.round or felt.table, headline(felt, player), f"dealer {spoken(dealer_says(felt))}"]
    for box in felt.boxes:
        hands = " | ".join(f"{spoken(cards_of(felt, box.box, hand, own))} {totals(hand)}" for hand in box.hands)
        parts.append(f"box {box.box} {box.player} {hands}".rstrip())
    parts += ruled_lines(felt)
    found = choices(felt, player)
    if found:
        parts.append("you may: " + ", ".join(f"{each.key} {each.word}" for each in found))
    return "; ".join(parts)
